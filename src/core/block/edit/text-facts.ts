import { newlineCount } from "../../base/lines.ts";

/** How the lines of a text end: all alike, in both ways, or the text has no line end. A lone `\r` ends no line. */
export type Eol = "lf" | "crlf" | "mixed" | "none";

/** Returns how the lines of a text end. */
export function eolOf(text: string): Eol {
  const all = newlineCount(text);
  if (all === 0) return "none";
  let both = 0;
  for (let at = text.indexOf("\r\n"); at !== -1; at = text.indexOf("\r\n", at + 2)) both += 1;
  if (both === 0) return "lf";
  return both === all ? "crlf" : "mixed";
}

/** Returns whether the last line of a text is ended by a newline. */
export function hasFinalNewline(text: string): boolean {
  return text.endsWith("\n");
}
