/**
 * Gives a drawing the size of its view box. Mermaid writes that it fills what there is, up to a width in its style; an image
 * knows nothing of that style and only fills.
 */
export function withOwnSize(svg: string): string {
  const [root] = /<svg\b[^>]*>/u.exec(svg) ?? [];
  const [, width, height] = /\sviewBox="[-\d.e]+ [-\d.e]+ ([\d.]+) ([\d.]+)"/u.exec(root ?? "") ?? [];
  if (root === undefined || width === undefined || height === undefined) return svg;
  if (!/\swidth="100%"/u.test(root)) return svg;
  const bare = root.replaceAll(/\s(?:width|height)="[^"]*"/gu, "");
  return svg.replace(root, () => bare.replace("<svg", `<svg width="${width}" height="${height}"`));
}
