/** A Markdown fence that no run of backticks in the text can close; at least three. */
export function fenceFor(text: string): string {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/gu)) longest = Math.max(longest, run.length);
  return "`".repeat(Math.max(3, longest + 1));
}
