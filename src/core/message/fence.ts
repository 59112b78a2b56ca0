/** Returns a Markdown fence, at least three backticks, that is longer than every run of backticks in the text. */
export function fenceFor(text: string): string {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/gu)) longest = Math.max(longest, run.length);
  return "`".repeat(Math.max(3, longest + 1));
}
