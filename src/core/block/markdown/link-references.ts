import { trimBlanks } from "./block-starts.ts";

/**
 * Returns the line at which the link reference definitions (`[name]: /address "title"`) at the beginning of a paragraph,
 * from line `start` on, end. Definitions are not text, so a paragraph of definitions alone cannot become a heading. Lines
 * are given without the prefixes of their containers.
 */
export function referencesEnd(lines: readonly string[], start: number): number {
  let taken = start;
  while (taken < lines.length && trimBlanks(lines[taken] ?? "").startsWith("[")) {
    const count = referenceAt(lines, taken);
    if (count === 0) break;
    taken += count;
  }
  return taken;
}

/** Maximum number of characters in a label. */
const labelMax = 999;

/** Returns the number of lines in the definition that begins on a line; 0 when none does. */
function referenceAt(lines: readonly string[], first: number): number {
  const label = readLabel(lines, first);
  if (label === undefined) return 0;
  let { line } = label;
  let rest = trimBlanks((lines[line] ?? "").slice(label.offset));
  if (rest === "") {
    line += 1;
    rest = trimBlanks(lines[line] ?? "");
  }
  const destination = /^(?:<(?:[^<>\\]|\\.)*>|[^<\s][^\s]*)(?=\s|$)/.exec(rest)?.[0];
  if (destination === undefined || (!destination.startsWith("<") && !isBalanced(destination))) return 0;
  const after = trimBlanks(rest.slice(destination.length));
  if (after !== "") {
    const end = titleEnd(lines, { line, title: after });
    return end === undefined ? 0 : end + 1 - first;
  }
  const next = trimBlanks(lines[line + 1] ?? "");
  const end = /^["'(]/.test(next) ? titleEnd(lines, { line: line + 1, title: next }) : undefined;
  return (end ?? line) + 1 - first;
}

/** Returns the end of a label and its colon: the line, and the offset in it. */
function readLabel(
  lines: readonly string[],
  first: number,
): { readonly line: number; readonly offset: number } | undefined {
  let length = 0;
  let hasText = false;
  for (let line = first; line < lines.length && length <= labelMax; line += 1) {
    const text = lines[line] ?? "";
    let at = line === first ? text.indexOf("[") + 1 : 0;
    for (; at < text.length && length <= labelMax; at += 1, length += 1) {
      const character = text.charAt(at);
      if (character === "[") return undefined;
      if (character === "]") {
        return hasText && text.charAt(at + 1) === ":" ? { line, offset: at + 2 } : undefined;
      }
      if (character === "\\") {
        at += 1;
        length += 1;
      }
      if (character.trim() !== "") hasText = true;
    }
  }
  return undefined;
}

function isBalanced(destination: string): boolean {
  let open = 0;
  for (let at = 0; at < destination.length; at += 1) {
    const character = destination.charAt(at);
    if (character === "\\") at += 1;
    else if (character === "(") open += 1;
    else if (character === ")") open -= 1;
    if (open < 0 || character.charCodeAt(0) < 32) return false;
  }
  return open === 0;
}

/** Returns the line on which a title that begins with `title` ends, if nothing follows the title there. */
function titleEnd(
  lines: readonly string[],
  { line, title }: { readonly line: number; readonly title: string },
): number | undefined {
  const open = title.charAt(0);
  const close = open === "(" ? ")" : open;
  if (open !== "(" && open !== '"' && open !== "'") return undefined;
  let text = title.slice(1);
  for (let at = line; at < lines.length; at += 1) {
    if (at > line) text = lines[at] ?? "";
    for (let offset = 0; offset < text.length; offset += 1) {
      const character = text.charAt(offset);
      if (character === "\\") offset += 1;
      else if (character === close) return trimBlanks(text.slice(offset + 1)) === "" ? at : undefined;
      else if (character === "(" && open === "(") return undefined;
    }
  }
  return undefined;
}
