/** How single lines begin blocks in CommonMark 0.31; each takes what follows the line's blanks. */

/** `# Title`: level and text. */
export function atxHeading(rest: string): { readonly level: number; readonly title: string } | undefined {
  const level = /^#{1,6}(?=[ \t]|$)/.exec(rest)?.[0].length;
  return level === undefined ? undefined : { level, title: withoutClosingMarks(rest.slice(level)) };
}

/** The text of a heading without the marks that may close it: those stand alone or after a blank. */
function withoutClosingMarks(text: string): string {
  const trimmed = trimBlanks(text);
  let end = trimmed.length;
  while (end > 0 && trimmed.charAt(end - 1) === "#") end -= 1;
  if (end === 0) return "";
  const closed = end < trimmed.length && /[ \t]/.test(trimmed.charAt(end - 1));
  return closed ? trimBlanks(trimmed.slice(0, end)) : trimmed;
}

/** The line below a heading's text: 1 for `===`, 2 for `---`. */
export function setextLevel(rest: string): 1 | 2 | undefined {
  if (/^=+[ \t]*$/.test(rest)) return 1;
  return /^-+[ \t]*$/.test(rest) ? 2 : undefined;
}

/** What opened a code block: a run of marks at least three long, and the language behind it, perhaps empty. */
export interface Fence {
  readonly mark: "`" | "~";
  readonly length: number;
  readonly language: string;
}

/** ```` ``` ```` or `~~~`, at least three, and the first word after it. */
export function openingFence(rest: string): Fence | undefined {
  const [fence] = /^(?:`{3,}|~{3,})/.exec(rest) ?? [];
  if (fence === undefined) return undefined;
  const info = rest.slice(fence.length);
  const mark = fence.startsWith("~") ? "~" : "`";
  if (mark === "`" && info.includes("`")) return undefined;
  const [language = ""] = trimBlanks(info).split(/[ \t]/, 1);
  return { mark, length: fence.length, language };
}

/** Whether a line ends the code block that a fence opened: the same mark, at least as often, and nothing else. */
export function closesFence(rest: string, fence: Fence): boolean {
  const length = /^(?:`+|~+)(?=[ \t]*$)/.exec(rest)?.[0].length ?? 0;
  return length >= fence.length && rest.startsWith(fence.mark);
}

/** `***`, `- - -`, `___`: three or more of one mark and blanks. */
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

/** What begins a list's item. `length` is in UTF-16 units, without the blank behind it. */
export interface ListMarker {
  /** Markers of one kind make one list: a bullet, or what follows the number. */
  readonly kind: "-" | "+" | "*" | "." | ")";
  /** The number, for an ordered one. */
  readonly start: number | undefined;
  readonly length: number;
}

/** `-`, `+`, `*`, `1.` or `1)` before a blank or the line's end. */
export function listMarker(rest: string): ListMarker | undefined {
  const match = /^(?:([-+*])|(\d{1,9})([.)]))(?=[ \t]|$)/.exec(rest);
  if (match === null) return undefined;
  const [marker, bullet, digits, delimiter] = match;
  const kind = bullet ?? delimiter;
  if (kind !== "-" && kind !== "+" && kind !== "*" && kind !== "." && kind !== ")") return undefined;
  return { kind, start: digits === undefined ? undefined : Number(digits), length: marker.length };
}

/** What ends an HTML block: a line that has something, or a blank line. */
export type HtmlEnd = RegExp | "blank";

const attribute = String.raw`[ \t]+[A-Za-z_:][\w.:-]*(?:[ \t]*=[ \t]*(?:[^ \t"'=<>${"`"}]+|'[^']*'|"[^"]*"))?`;
const wholeTag = new RegExp(
  String.raw`^(?:<[A-Za-z][A-Za-z0-9-]*(?:${attribute})*[ \t]*\/?>|<\/[A-Za-z][A-Za-z0-9-]*[ \t]*>)[ \t]*$`,
);

const blockNames =
  "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul";
const blockTag = new RegExp(`^</?(?:${blockNames})(?:[ \\t]|/?>|$)`, "i");

/** How an HTML block that begins here would end; the last kind, any other whole tag, cannot interrupt a paragraph. */
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

/** How many columns the line below a table's header sets up; 0 where it is no such line. */
export function tableColumns(rest: string): number {
  if (!rest.includes("-") || !/[|:]/.test(rest) || /[^-|: \t]/.test(rest)) return 0;
  const cells = tableCells(rest);
  return cells.every((cell) => /^:?-+:?$/.test(cell)) ? cells.length : 0;
}

/** The cells of a table's line. A bar after a backslash is text. */
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

/** Without blanks at both ends, in one walk. */
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
