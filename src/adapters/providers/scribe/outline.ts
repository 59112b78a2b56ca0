/** A heading of a Markdown document. Lines count from 1. */
export interface Heading {
  readonly level: number;
  /** The text as displayed, without Markdown marks. */
  readonly text: string;
  readonly line: number;
  /** The last line of the heading: its underline, if any. */
  readonly endLine: number;
}

/** A stretch of lines of one kind, [from, to] with both ends, counting from 1. */
interface Block {
  readonly type: "heading" | "paragraph" | "list" | "other";
  readonly from: number;
  readonly to: number;
}

/** The kinds of a document's lines. Reads as much of CommonMark as editing by sections needs; code never counts as text. */
export interface Outline {
  readonly headings: readonly Heading[];
  readonly blocks: readonly Block[];
  /** The first line after front matter. */
  readonly firstLine: number;
}

const fence = /^(\s*)(`{3,}|~{3,})(.*)$/u;
const atx = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/u;
const listItem = /^(\s*)(?:[-+*]|\d{1,9}[.)])(?:\s+|$)/u;
const rule = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/u;

export function readOutline(lines: readonly string[]): Outline {
  const headings: Heading[] = [];
  const blocks: Block[] = [];
  const firstLine = afterFrontMatter(lines);
  let at = firstLine;
  let inList = false;
  /** Adds a block, and joins it to the previous block where both are parts of the same. */
  const add = (type: Block["type"], from: number, to: number): void => {
    const last = blocks.at(-1);
    if (last !== undefined && last.type === type && type !== "heading" && last.to === from - 1)
      blocks[blocks.length - 1] = { ...last, to };
    else blocks.push({ type, from, to });
  };
  while (at <= lines.length) {
    const line = lines[at - 1] ?? "";
    const open = fence.exec(line);
    const indented = /^(?: {4}|\t)/u.test(line);
    if (line.trim() === "") {
      at += 1;
    } else if (
      open !== null &&
      (inList || !indented) &&
      !(open[2]?.startsWith("`") === true && open[3]?.includes("`") === true)
    ) {
      const end = closingFence(lines, at, open[2] ?? "");
      add("other", at, end);
      at = end + 1;
    } else if (atx.test(line)) {
      const [, marks = "", text = ""] = atx.exec(line) ?? [];
      headings.push({ level: marks.length, text: plainText(text), line: at, endLine: at });
      add("heading", at, at);
      inList = false;
      at += 1;
    } else if (indented && !inList) {
      const end = lastLine(lines, at, (next) => /^(?: {4}|\t)/u.test(next) || next.trim() === "");
      add("other", at, end);
      at = end + 1;
    } else if (/^ {0,3}<(?:!--|[A-Za-z/?!])/u.test(line) && !/^ {0,3}<(?:https?:|[^>\s]+@)/u.test(line)) {
      const end = line.includes("<!--") ? commentEnd(lines, at) : lastLine(lines, at, (next) => next.trim() !== "");
      add("other", at, end);
      at = end + 1;
    } else if (rule.test(line)) {
      add("other", at, at);
      inList = false;
      at += 1;
    } else if (listItem.test(line) || (inList && indented)) {
      add("list", at, at);
      inList = true;
      at += 1;
    } else if (/^ {0,3}>/u.test(line) || /^ {0,3}\[[^\]]+\]:/u.test(line) || isTable(lines, at)) {
      const end = lastLine(lines, at, (next) => next.trim() !== "" && !atx.test(next) && !fence.test(next));
      add("other", at, end);
      inList = false;
      at = end + 1;
    } else {
      const end = lastLine(lines, at, (next) => next.trim() !== "" && !interrupts(next));
      const under = lines[end] ?? "";
      const level = /^ {0,3}=+[ \t]*$/u.test(under) ? 1 : /^ {0,3}-+[ \t]*$/u.test(under) ? 2 : 0;
      if (level > 0 && !(inList && /^\s/u.test(line))) {
        const text = lines
          .slice(at - 1, end)
          .map((part) => part.trim())
          .join(" ");
        headings.push({ level, text: plainText(text), line: at, endLine: end + 1 });
        add("heading", at, end + 1);
        inList = false;
        at = end + 2;
      } else if (inList && lines[at - 2]?.trim() !== "") {
        // A line directly below an item continues it.
        add("list", at, end);
        at = end + 1;
      } else {
        inList = inList && /^\s/u.test(line);
        add(inList ? "list" : "paragraph", at, end);
        at = end + 1;
      }
    }
  }
  return { headings, blocks, firstLine };
}

/** The last line of a section: the line before the next heading of the same or a higher level. */
export function sectionEnd(headings: readonly Heading[], heading: Heading, lineCount: number): number {
  const next = headings.find((other) => other.line > heading.line && other.level <= heading.level);
  return next === undefined ? lineCount : next.line - 1;
}

/** The last line before any further heading. */
export function ownTextEnd(headings: readonly Heading[], heading: Heading, lineCount: number): number {
  const next = headings.find((other) => other.line > heading.line);
  return next === undefined ? lineCount : next.line - 1;
}

/**
 * Finds the heading that a person means: by its whole text, else by its beginning, else by a part; the first of several.
 */
export function findHeading(headings: readonly Heading[], wanted: string): Heading | undefined {
  const key = comparable(wanted);
  if (key === "") return headings.find((heading) => heading.text.trim() === wanted.trim());
  return (
    headings.find((heading) => heading.text.trim() === wanted.trim()) ??
    headings.find((heading) => comparable(heading.text) === key) ??
    headings.find((heading) => comparable(heading.text).startsWith(`${key} `)) ??
    headings.find((heading) => ` ${comparable(heading.text)} `.includes(` ${key} `))
  );
}

/** Letters and digits only, in lower case, without a leading number. */
function comparable(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFC")
    .replace(/^\s*\d+(?:\.\d+)*[.)]?\s+/u, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Text without the marks of links, emphasis and code. */
function plainText(text: string): string {
  return text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replaceAll(/[`*]+/gu, "")
    .replaceAll(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, "")
    .trim();
}

function afterFrontMatter(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== "---") return 1;
  const end = lines.findIndex((line, at) => at > 0 && (line.trimEnd() === "---" || line.trimEnd() === "..."));
  return end === -1 ? 1 : end + 2;
}

function closingFence(lines: readonly string[], from: number, marks: string): number {
  const [mark = "`"] = marks;
  for (let at = from + 1; at <= lines.length; at += 1) {
    const line = (lines[at - 1] ?? "").trim();
    if (line.length >= marks.length && line.replaceAll(mark, "") === "") return at;
  }
  return lines.length;
}

function commentEnd(lines: readonly string[], from: number): number {
  const end = lines.findIndex((line, at) => at >= from - 1 && line.includes("-->"));
  return end === -1 ? lines.length : end + 1;
}

/** The last line of the run that starts at `from`, without trailing blank lines. */
function lastLine(lines: readonly string[], from: number, goesOn: (line: string) => boolean): number {
  let end = from;
  while (end < lines.length && goesOn(lines[end] ?? "")) end += 1;
  while (end > from && (lines[end - 1] ?? "").trim() === "") end -= 1;
  return end;
}

/** Whether a line directly below a paragraph ends it. */
function interrupts(line: string): boolean {
  return (
    atx.test(line) ||
    fence.test(line) ||
    rule.test(line) ||
    /^ {0,3}(?:=+|-+)[ \t]*$/u.test(line) ||
    /^ {0,3}>/u.test(line) ||
    /^\s*(?:[-+*]|1[.)])\s+\S/u.test(line)
  );
}

function isTable(lines: readonly string[], at: number): boolean {
  return (
    (lines[at - 1] ?? "").includes("|") &&
    /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/u.test(lines[at] ?? "") &&
    (lines[at] ?? "").includes("|")
  );
}
