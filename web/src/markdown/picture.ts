/** A picture's words as they are written: `![The house|300](…)` has a caption and a width. */
interface PictureWords {
  readonly caption: string;
  /** CSS pixels; null for its own width. */
  readonly width: number | null;
}

/** Where a picture is. */
export type PictureAddress =
  /** Bytes that were uploaded. */
  | { readonly type: "blob"; readonly id: string }
  /** A file beside the document. */
  | { readonly type: "file"; readonly path: string };

/** Widths that a picture may be given. CSS pixels. */
export const pictureWidths = { min: 40, max: 2_000 } as const;

export function readPictureWords(alt: string): PictureWords {
  const found = /^(.*?)\s*\|\s*(\d{2,4})(?:x\d{1,4})?$/su.exec(alt);
  const width = Number(found?.[2]);
  if (found === null || width < pictureWidths.min || width > pictureWidths.max) return { caption: alt, width: null };
  return { caption: found[1] ?? "", width };
}

/** Returns the alternative text with another width; null takes the width away. */
export function withWidth(alt: string, width: number | null): string {
  const { caption } = readPictureWords(alt);
  if (width === null) return caption;
  const bounded = Math.min(pictureWidths.max, Math.max(pictureWidths.min, Math.round(width)));
  return `${caption}|${bounded}`;
}

/** Returns the picture that an address names; null for one of the web, which is never loaded by itself. */
export function pictureAddress(address: string): PictureAddress | null {
  const blob = /^blob:([0-9a-f]{64})$/u.exec(address);
  if (blob?.[1] !== undefined) return { type: "blob", id: blob[1] };
  if (address === "" || /^(?:[a-z][a-z0-9+.-]*:|\/|\\|#)/iu.test(address)) return null;
  try {
    return { type: "file", path: decodeURIComponent(address) };
  } catch {
    return null;
  }
}

/** Returns the path of a file that a document names by a path relative to itself; null where it leads out of the folder. */
export function resolvedPath(documentPath: string, relative: string): string | null {
  const parts = documentPath.split("/").slice(0, -1);
  for (const part of relative.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.length === 0 ? null : parts.join("/");
}

/** Returns the Markdown of a picture; a path's blanks and brackets are written so that they do not end it. */
export function pictureSource(caption: string, address: string): string {
  const words = caption.replaceAll(/[[\]\\\n|]/gu, " ").trim();
  const written = address.replaceAll(/[ ()<>]/gu, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return `![${words}](${written})`;
}
