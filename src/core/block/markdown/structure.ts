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
 * Finds the addressable blocks of a Markdown text, by line: the first of CommonMark's two phases (0.31.2, appendix on
 * parsing), with GitHub's tables and front matter. Inline marks are not parsed, so a title is as written. Two deviations: a
 * lone carriage return ends no line, and blocks nested deeper than `depthMax` are text.
 */

/** Lines [fromLine, toLine), 0-based, without blank lines at the end. */
interface LineSpan {
  readonly fromLine: number;
  readonly toLine: number;
}

/** A part of a Markdown text that has its own address. */
export type MarkdownPart = LineSpan & {
  /** The item that contains it, as its index among the parts; undefined outside of items. */
  readonly item: number | undefined;
  /** Whether it is in a block quote. */
  readonly quoted: boolean;
} & (
    | { readonly kind: "heading"; readonly level: number; readonly title: string }
    | { readonly kind: "list-item"; readonly text: string }
    | { readonly kind: "code"; readonly language: string }
    | { readonly kind: "table" }
    | { readonly kind: "front-matter" }
  );

/** Maximum nesting of containers; deeper marks are text, so that no line is read more often than this. */
const depthMax = 100;

/** Returns the parts of a text, in the order in which they begin. */
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
      /** Columns that a line needs to belong to the item. */
      readonly indent: number;
      /** Whether the item is still empty: a blank line then ends it. */
      empty: boolean;
    };

interface Paragraph {
  readonly type: "paragraph";
  readonly fromLine: number;
  readonly lines: string[];
  /** Number of its first lines that are known to be link reference definitions. */
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
  /** Number of containers the line belongs to, including those that it opens. */
  #matched = 0;

  addFrontMatter(toLine: number): void {
    this.#parts.push({ kind: "front-matter", fromLine: 0, toLine, item: undefined, quoted: false });
  }

  end(): readonly MarkdownPart[] {
    return this.#parts;
  }

  /** Processes the next line; `number` counts from 0. */
  read(line: string, number: number): void {
    const cursor = new LineCursor(line);
    this.#matched = this.#matchContainers(cursor);
    const allMatched = this.#matched === this.#containers.length;
    if (allMatched && this.#continuesLeaf(cursor, number)) {
      this.#extend(number);
      return;
    }
    // A paragraph continues unless a block begins; any other open leaf has ended or consumed the line.
    const lazy = this.#leaf?.type === "paragraph" ? this.#leaf : undefined;
    if (allMatched && lazy === undefined) this.#leaf = undefined;
    if (!this.#openBlocks(cursor, number, lazy)) {
      if (cursor.isBlank) {
        this.#closeUnmatched();
        // An empty item still has the line of its marker.
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

  /** Returns how many of the open containers the line belongs to; the cursor skips their prefixes. */
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
    // A list has no lines of its own: it continues with its next item.
    return matched;
  }

  /** Whether an open leaf consumes the whole line. */
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

  /** Whether a line ends a table by beginning another block. */
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

  /** Opens the blocks that begin on the line, containers first; returns true when a leaf consumed the whole line. */
  #openBlocks(cursor: LineCursor, number: number, open: Paragraph | undefined): boolean {
    // An open paragraph is directly above this line only while no other block has begun on it.
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

  /** Makes a paragraph a heading, or its last line a table's header; returns false when the line does neither. */
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
    // An empty item, or an item that begins with indented code, has one space; further spaces belong to the content.
    const own = cursor.isBlank || blanks >= 5 ? 1 : blanks;
    cursor.skipColumns(own);
    this.#containers.push({ type: "item", part, indent: markerIndent + marker.length + own, empty: true });
  }

  #openLeaf(leaf: Leaf): void {
    this.#leaveList();
    this.#fill();
    this.#leaf = leaf;
  }

  /** Adds a part to the open containers, and returns its index. */
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

  /** A line that begins no item ends the innermost list. */
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

  /** Extends the open items by this line. */
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
