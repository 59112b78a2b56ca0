/** Recognises the lines that begin blocks in CommonMark 0.31. Each function receives the line without its leading spaces. */

/** `# Title`: level and text. */
export function atxHeading(rest: string): { readonly level: number; readonly title: string } | undefined {
  const level = /^#{1,6}(?=[ \t]|$)/.exec(rest)?.[0].length;
  return level === undefined ? undefined : { level, title: withoutClosingMarks(rest.slice(level)) };
}

/** Returns a heading's text without closing marks, which are alone or follow a space. */
function withoutClosingMarks(text: string): string {
  const trimmed = trimBlanks(text);
  let end = trimmed.length;
  while (end > 0 && trimmed.charAt(end - 1) === "#") end -= 1;
  if (end === 0) return "";
  const closed = end < trimmed.length && /[ \t]/.test(trimmed.charAt(end - 1));
  return closed ? trimBlanks(trimmed.slice(0, end)) : trimmed;
}

/** Returns the level of a heading's underline: 1 for `===`, 2 for `---`. */
export function setextLevel(rest: string): 1 | 2 | undefined {
  if (/^=+[ \t]*$/.test(rest)) return 1;
  return /^-+[ \t]*$/.test(rest) ? 2 : undefined;
}

/** The opening of a code block: a run of at least three marks, and the language after it, perhaps empty. */
export interface Fence {
  readonly mark: "`" | "~";
  readonly length: number;
  readonly language: string;
}

/** Parses ```` ``` ```` or `~~~`, at least three marks, and the first word after them. */
export function openingFence(rest: string): Fence | undefined {
  const [fence] = /^(?:`{3,}|~{3,})/.exec(rest) ?? [];
  if (fence === undefined) return undefined;
  const info = rest.slice(fence.length);
  const mark = fence.startsWith("~") ? "~" : "`";
  if (mark === "`" && info.includes("`")) return undefined;
  const [language = ""] = trimBlanks(info).split(/[ \t]/, 1);
  return { mark, length: fence.length, language };
}

/** Whether a line closes the code block of a fence: the same mark, at least as many, and nothing else. */
export function closesFence(rest: string, fence: Fence): boolean {
  const length = /^(?:`+|~+)(?=[ \t]*$)/.exec(rest)?.[0].length ?? 0;
  return length >= fence.length && rest.startsWith(fence.mark);
}

/** `***`, `- - -`, `___`: three or more of one mark, with spaces. */
export function isThematicBreak(rest: string): boolean {
  const mark = rest.charAt(0);
  if (mark !== "*" && mark !== "-" && mark !== "_") return false;
  let count = 0;
  for (let at = 0; at < rest.length; at += 1) {
    const character = rest.charAt(at);
    if (character === mark) count += 1;
    else if (character !== " " && character !== "\t") return false;
  }
  return count >= 3;
}

/** The marker of a list item. `length` is in UTF-16 units, without the space after it. */
export interface ListMarker {
  /** Items with markers of one kind form one list: a bullet, or the character after the number. */
  readonly kind: "-" | "+" | "*" | "." | ")";
  /** The number of an ordered item. */
  readonly start: number | undefined;
  readonly length: number;
}

/** Parses `-`, `+`, `*`, `1.` or `1)` before a space or the end of the line. */
export function listMarker(rest: string): ListMarker | undefined {
  const match = /^(?:([-+*])|(\d{1,9})([.)]))(?=[ \t]|$)/.exec(rest);
  if (match === null) return undefined;
  const [marker, bullet, digits, delimiter] = match;
  const kind = bullet ?? delimiter;
  if (kind !== "-" && kind !== "+" && kind !== "*" && kind !== "." && kind !== ")") return undefined;
  return { kind, start: digits === undefined ? undefined : Number(digits), length: marker.length };
}

/** The end of an HTML block: a line that contains a certain text, or a blank line. */
export type HtmlEnd = RegExp | "blank";

const attribute = String.raw`[ \t]+[A-Za-z_:][\w.:-]*(?:[ \t]*=[ \t]*(?:[^ \t"'=<>${"`"}]+|'[^']*'|"[^"]*"))?`;
const wholeTag = new RegExp(
  String.raw`^(?:<[A-Za-z][A-Za-z0-9-]*(?:${attribute})*[ \t]*\/?>|<\/[A-Za-z][A-Za-z0-9-]*[ \t]*>)[ \t]*$`,
);

const blockNames =
  "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul";
const blockTag = new RegExp(`^</?(?:${blockNames})(?:[ \\t]|/?>|$)`, "i");

/**
 * Returns how an HTML block that begins on this line ends; the last kind, any other whole tag, cannot interrupt a paragraph.
 */
export function htmlStart(rest: string, interrupts: boolean): HtmlEnd | undefined {
  if (!rest.startsWith("<")) return undefined;
  if (/^<(?:pre|script|style|textarea)(?:[ \t>]|$)/i.test(rest)) return /<\/(?:pre|script|style|textarea)>/i;
  if (rest.startsWith("<!--")) return /-->/;
  if (rest.startsWith("<?")) return /\?>/;
  if (/^<![A-Za-z]/.test(rest)) return />/;
  if (rest.startsWith("<![CDATA[")) return /\]\]>/;
  if (blockTag.test(rest)) return "blank";
  return !interrupts && wholeTag.test(rest) ? "blank" : undefined;
}

/** Returns the number of columns that a table's delimiter line defines; 0 for any other line. */
export function tableColumns(rest: string): number {
  if (!rest.includes("-") || !/[|:]/.test(rest) || /[^-|: \t]/.test(rest)) return 0;
  const cells = tableCells(rest);
  return cells.every((cell) => /^:?-+:?$/.test(cell)) ? cells.length : 0;
}

/** Returns the cells of a table's line. A bar after a backslash is text. */
export function tableCells(rest: string): readonly string[] {
  const line = trimBlanks(rest);
  const cells: string[] = [];
  let cell = "";
  for (let at = line.startsWith("|") ? 1 : 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === "|") {
      cells.push(trimBlanks(cell));
      cell = "";
      continue;
    }
    if (character === "\\") {
      cell += character;
      at += 1;
    }
    cell += line.charAt(at);
  }
  return trimBlanks(cell) === "" ? cells : [...cells, trimBlanks(cell)];
}

/** Trims spaces at both ends in one pass. */
export function trimBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isBlank(unit: number): boolean {
  return unit === 32 || unit === 9;
}
