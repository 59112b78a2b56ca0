import { must } from "../../base/assert.ts";
import { lineOf, textLines } from "../change/text-lines.ts";
import {
  atxHeading,
  closesFence,
  htmlStart,
  isThematicBreak,
  listMarker,
  openingFence,
  setextLevel,
  tableCells,
  tableColumns,
  trimBlanks,
  type Fence,
  type HtmlEnd,
  type ListMarker,
} from "./block-starts.ts";
import { LineCursor } from "./line-cursor.ts";
import { referencesEnd } from "./link-references.ts";

/**
 * The blocks of a Markdown text that can be addressed, by line: the first of CommonMark's two phases (0.31.2, its
 * appendix on parsing), with GitHub's tables and front matter. Inline marks are not read, so that a title is as written.
 * Two things are left out: a carriage return alone ends no line, and blocks nested deeper than `depthMax` are text.
 */

/** Lines [fromLine, toLine), 0-based, without blank lines at the end. */
interface LineSpan {
  readonly fromLine: number;
  readonly toLine: number;
}

/** What of a Markdown text has an address of its own. */
export type MarkdownPart = LineSpan & {
  /** The item that holds it, as its index among the parts; undefined outside of items. */
  readonly item: number | undefined;
  /** Whether a block quote holds it. */
  readonly quoted: boolean;
} & (
    | { readonly kind: "heading"; readonly level: number; readonly title: string }
    | { readonly kind: "list-item"; readonly text: string }
    | { readonly kind: "code"; readonly language: string }
    | { readonly kind: "table" }
    | { readonly kind: "front-matter" }
  );

/** Containers within containers; beyond, marks are text, so that no line is looked at more often than this. */
const depthMax = 100;

/** The parts of a text, in the order in which they begin. */
export function markdownParts(text: string): readonly MarkdownPart[] {
  const lines = textLines(text);
  const count = lines.starts.length;
  const reader = new StructureReader();
  let line = 0;
  if (count > 0 && isFrontMatterMark(lineOf(lines, 0).text, "---")) {
    for (let end = 1; end < count && line === 0; end += 1) {
      const mark = lineOf(lines, end).text;
      if (isFrontMatterMark(mark, "---") || isFrontMatterMark(mark, "...")) line = end + 1;
    }
    if (line > 0) reader.addFrontMatter(line);
  }
  for (; line < count; line += 1) reader.read(lineOf(lines, line).text, line);
  return reader.end();
}

function isFrontMatterMark(line: string, mark: string): boolean {
  return line.startsWith(mark) && line.trimEnd() === mark;
}

type Mutable<Value> = Value extends unknown ? { -readonly [Key in keyof Value]: Value[Key] } : never;
type OpenPart = Mutable<MarkdownPart>;

type Container =
  | { readonly type: "quote" }
  | { readonly type: "list"; readonly kind: ListMarker["kind"] }
  | {
      readonly type: "item";
      readonly part: number;
      /** Columns that a line needs to belong to it. */
      readonly indent: number;
      /** Nothing is in it yet: then a blank line ends it. */
      empty: boolean;
    };

interface Paragraph {
  readonly type: "paragraph";
  readonly fromLine: number;
  readonly lines: string[];
  /** How many of its first lines are known to be link reference definitions. */
  references: number;
}

type Leaf =
  | Paragraph
  | { readonly type: "fence"; readonly fence: Fence; readonly part: number }
  | { readonly type: "html"; readonly end: HtmlEnd }
  | { readonly type: "indented" }
  | { readonly type: "table"; readonly part: number };

const [hash, backtick, tilde, lessThan, greaterThan] = [35, 96, 126, 60, 62];

class StructureReader {
  readonly #parts: OpenPart[] = [];
  readonly #containers: Container[] = [];
  #leaf: Leaf | undefined;
  /** How many containers the line belongs to, those included that it opens. */
  #matched = 0;

  addFrontMatter(toLine: number): void {
    this.#parts.push({ kind: "front-matter", fromLine: 0, toLine, item: undefined, quoted: false });
  }

  end(): readonly MarkdownPart[] {
    return this.#parts;
  }

  /** Reads the next line; `number` counts from 0. */
  read(line: string, number: number): void {
    const cursor = new LineCursor(line);
    this.#matched = this.#matchContainers(cursor);
    const allMatched = this.#matched === this.#containers.length;
    if (allMatched && this.#continuesLeaf(cursor, number)) {
      this.#extend(number);
      return;
    }
    // A paragraph goes on, unless something begins; whatever else is open has ended or took the line.
    const lazy = this.#leaf?.type === "paragraph" ? this.#leaf : undefined;
    if (allMatched && lazy === undefined) this.#leaf = undefined;
    if (!this.#openBlocks(cursor, number, lazy)) {
      if (cursor.isBlank) {
        this.#closeUnmatched();
        // An item that is empty still has the line of its mark.
        if (!new LineCursor(line).isBlank) this.#extend(number);
        return;
      }
      if (this.#leaf?.type === "paragraph") {
        this.#leaf.lines.push(cursor.rest);
      } else {
        this.#closeUnmatched();
        this.#openLeaf({ type: "paragraph", fromLine: number, lines: [cursor.rest], references: 0 });
      }
    }
    this.#extend(number);
  }

  /** How many of the open containers the line belongs to; the cursor goes over what is theirs. */
  #matchContainers(cursor: LineCursor): number {
    let matched = 0;
    for (const container of this.#containers) {
      if (container.type === "quote") {
        if (cursor.indent > 3 || cursor.mark !== greaterThan) break;
        skipQuoteMark(cursor);
      } else if (container.type === "item") {
        if (cursor.isBlank) {
          if (container.empty) break;
          cursor.skipBlanks();
        } else if (cursor.indent >= container.indent) {
          cursor.skipColumns(container.indent);
        } else {
          break;
        }
      }
      matched += 1;
    }
    // A list alone has no lines of its own: it goes on with its next item.
    return matched;
  }

  /** Whether an open leaf takes the line as a whole. */
  #continuesLeaf(cursor: LineCursor, number: number): boolean {
    const leaf = this.#leaf;
    switch (leaf?.type) {
      case undefined:
        return false;
      case "fence":
        this.#partAt(leaf.part).toLine = number + 1;
        if (cursor.indent <= 3 && closesFence(cursor.rest, leaf.fence)) this.#leaf = undefined;
        return true;
      case "html":
        if (leaf.end === "blank") return !cursor.isBlank;
        if (leaf.end.test(cursor.rest)) this.#leaf = undefined;
        return true;
      case "indented":
        return cursor.indent >= 4 && !cursor.isBlank;
      case "table":
        if (cursor.isBlank || this.#beginsBlock(cursor)) return false;
        this.#partAt(leaf.part).toLine = number + 1;
        return true;
      case "paragraph":
        if (!cursor.isBlank) return false;
        this.#leaf = undefined;
        return false;
    }
  }

  /** Whether a line would end a table by beginning something else. */
  #beginsBlock(cursor: LineCursor): boolean {
    const { rest } = cursor;
    if (cursor.indent > 3) return true;
    return (
      cursor.mark === greaterThan ||
      atxHeading(rest) !== undefined ||
      openingFence(rest) !== undefined ||
      htmlStart(rest, true) !== undefined ||
      isThematicBreak(rest) ||
      listMarker(rest) !== undefined
    );
  }

  /** Opens what begins on the line, containers first; true when a leaf took the whole of it. */
  #openBlocks(cursor: LineCursor, number: number, open: Paragraph | undefined): boolean {
    // Only while nothing else has begun on this line does an open paragraph stand above it.
    let paragraph = open;
    const closed = (): void => {
      this.#closeUnmatched();
      paragraph = undefined;
    };
    for (;;) {
      if (cursor.isBlank) return false;
      if (cursor.indent > 3) {
        if (paragraph !== undefined) return false;
        closed();
        this.#openLeaf({ type: "indented" });
        return true;
      }
      const { mark } = cursor;
      const above = this.#matched === this.#containers.length ? paragraph : undefined;
      if (mark === greaterThan && this.#containers.length < depthMax) {
        closed();
        this.#leaveList();
        this.#fill();
        this.#containers.push({ type: "quote" });
        this.#matched = this.#containers.length;
        skipQuoteMark(cursor);
        continue;
      }
      const { rest } = cursor;
      const heading = mark === hash ? atxHeading(rest) : undefined;
      if (heading !== undefined) {
        closed();
        this.#addPart({ kind: "heading", ...heading }, { fromLine: number, toLine: number + 1 });
        return true;
      }
      const fence = mark === backtick || mark === tilde ? openingFence(rest) : undefined;
      if (fence !== undefined) {
        closed();
        const part = this.#addPart(
          { kind: "code", language: fence.language },
          { fromLine: number, toLine: number + 1 },
        );
        this.#leaf = { type: "fence", fence, part };
        return true;
      }
      const html = mark === lessThan ? htmlStart(rest, paragraph !== undefined) : undefined;
      if (html !== undefined) {
        closed();
        this.#openLeaf({ type: "html", end: html });
        if (html !== "blank" && html.test(rest)) this.#leaf = undefined;
        return true;
      }
      if (above !== undefined && this.#underlines(above, { rest, number })) return true;
      if (isThematicBreak(rest)) {
        closed();
        this.#leaveList();
        this.#fill();
        return true;
      }
      const marker = this.#containers.length < depthMax ? listMarker(rest) : undefined;
      const after = marker === undefined ? "" : trimBlanks(rest.slice(marker.length));
      const interrupts = above !== undefined && (after === "" || (marker?.start ?? 1) !== 1);
      if (marker === undefined || interrupts) return false;
      closed();
      this.#openItem(cursor, { marker, number, text: after });
      this.#matched = this.#containers.length;
    }
  }

  /** Makes a paragraph a heading, or its last line a table's header; false where the line does neither. */
  #underlines(paragraph: Paragraph, { rest, number }: { readonly rest: string; readonly number: number }): boolean {
    const level = setextLevel(rest);
    if (level !== undefined) {
      paragraph.references = referencesEnd(paragraph.lines, paragraph.references);
      const { references, lines } = paragraph;
      if (references === lines.length) return false;
      const title = lines.slice(references).map(trimBlanks).join(" ");
      this.#leaf = undefined;
      this.#addPart(
        { kind: "heading", level, title },
        { fromLine: paragraph.fromLine + references, toLine: number + 1 },
      );
      return true;
    }
    const columns = tableColumns(rest);
    const header = paragraph.lines.at(-1) ?? "";
    if (columns === 0 || tableCells(header).length !== columns) return false;
    const part = this.#addPart({ kind: "table" }, { fromLine: number - 1, toLine: number + 1 });
    this.#leaf = { type: "table", part };
    return true;
  }

  #openItem(
    cursor: LineCursor,
    { marker, number, text }: { readonly marker: ListMarker; readonly number: number; readonly text: string },
  ): void {
    const markerIndent = cursor.indent;
    cursor.skipBlanks();
    cursor.skipCharacters(marker.length);
    const blanks = cursor.indent;
    const list = this.#containers.at(-1);
    if (list?.type !== "list" || list.kind !== marker.kind) {
      this.#leaveList();
      this.#fill();
      this.#containers.push({ type: "list", kind: marker.kind });
    }
    const part = this.#addPart({ kind: "list-item", text }, { fromLine: number, toLine: number + 1 }, "item");
    // An empty item, or one that begins with indented code, has one blank; the rest is the content's.
    const own = cursor.isBlank || blanks >= 5 ? 1 : blanks;
    cursor.skipColumns(own);
    this.#containers.push({ type: "item", part, indent: markerIndent + marker.length + own, empty: true });
  }

  #openLeaf(leaf: Leaf): void {
    this.#leaveList();
    this.#fill();
    this.#leaf = leaf;
  }

  /** Adds a part below the containers that are open, and gives its index. */
  #addPart(
    part:
      | { readonly kind: "heading"; readonly level: number; readonly title: string }
      | { readonly kind: "list-item"; readonly text: string }
      | { readonly kind: "code"; readonly language: string }
      | { readonly kind: "table" },
    span: LineSpan,
    of?: "item",
  ): number {
    if (of === undefined) this.#leaveList();
    this.#fill();
    const item = this.#containers.findLast((container) => container.type === "item");
    const quoted = this.#containers.some((container) => container.type === "quote");
    this.#parts.push({ ...part, ...span, item: item?.part, quoted });
    return this.#parts.length - 1;
  }

  /** What is no item ends the list that stands innermost. */
  #leaveList(): void {
    if (this.#containers.at(-1)?.type === "list") this.#containers.pop();
  }

  #fill(): void {
    const item = this.#containers.findLast((container) => container.type === "item");
    if (item !== undefined) item.empty = false;
  }

  /** Closes the containers that the line does not belong to, and any leaf. */
  #closeUnmatched(): void {
    this.#containers.length = Math.min(this.#containers.length, this.#matched);
    this.#leaf = undefined;
  }

  /** The items that are open have this line. */
  #extend(number: number): void {
    for (const container of this.#containers) {
      if (container.type === "item") this.#partAt(container.part).toLine = number + 1;
    }
  }

  #partAt(index: number): OpenPart {
    return must(this.#parts[index], "an open part is among the parts");
  }
}

function skipQuoteMark(cursor: LineCursor): void {
  cursor.skipBlanks();
  cursor.skipCharacters(1);
  cursor.skipColumns(1);
}
