import { lineCount } from "../../base/lines.ts";
import { markdownParts, type MarkdownPart } from "./structure.ts";

/** Lines [fromLine, toLine), 0-based. */
interface LineSpan {
  readonly fromLine: number;
  readonly toLine: number;
}

/** A heading with all that stands below it, up to the next of its level or above. */
export interface Section extends LineSpan {
  /** Its number among those at its place, below the number of the section around: `2.1`. */
  readonly address: string;
  readonly level: number;
  readonly title: string;
  /** The titles of the sections around it and its own, outermost first. */
  readonly path: readonly string[];
}

/** An item of a list with all that belongs to it, lists within it too. */
export interface ListItem extends LineSpan {
  /** The section that it stands in directly; `0` before the first heading. */
  readonly section: string;
  /** Its number in the section, from 1, below the number of the item around: `3.1`. */
  readonly address: string;
  /** Its first line. */
  readonly text: string;
}

interface CodeBlock extends LineSpan {
  readonly section: string;
  readonly language: string;
}

interface Table extends LineSpan {
  readonly section: string;
}

/** A Markdown text by its structure. What stands in a block quote is quoted text and has no address. */
export interface MarkdownOutline {
  readonly lineCount: number;
  readonly frontMatter: LineSpan | undefined;
  readonly sections: readonly Section[];
  readonly listItems: readonly ListItem[];
  readonly codeBlocks: readonly CodeBlock[];
  readonly tables: readonly Table[];
}

/** The section before the first heading. */
export const openingSection = "0";

/** Finds what of a Markdown text can be addressed; see markdownParts for what counts as what. */
export function markdownOutline(text: string): MarkdownOutline {
  const parts = markdownParts(text);
  const count = lineCount(text);
  const sections: Section[] = [];
  const listItems: ListItem[] = [];
  const codeBlocks: CodeBlock[] = [];
  const tables: Table[] = [];
  let frontMatter: LineSpan | undefined;
  const ends = sectionEnds(parts, count);
  const open: Section[] = [];
  const numbers = new SiblingNumbers();
  const itemAddresses = new Map<number, string>();
  for (const [index, part] of parts.entries()) {
    if (part.quoted) continue;
    const { fromLine, toLine } = part;
    const section = open.at(-1)?.address ?? openingSection;
    switch (part.kind) {
      case "front-matter":
        frontMatter = { fromLine, toLine };
        break;
      case "heading": {
        // A heading within a list item is the item's.
        if (part.item !== undefined) break;
        const { level, title } = part;
        while ((open.at(-1)?.level ?? 0) >= level) open.pop();
        const above = open.at(-1);
        const address = numbers.next("section", above?.address);
        const path = [...(above?.path ?? []), title];
        const found = { address, level, title, path, fromLine, toLine: ends.get(index) ?? count };
        sections.push(found);
        open.push(found);
        break;
      }
      case "list-item": {
        const above = part.item === undefined ? undefined : itemAddresses.get(part.item);
        const address = numbers.next(section, above);
        itemAddresses.set(index, address);
        listItems.push({ section, address, text: part.text, fromLine, toLine });
        break;
      }
      case "code":
        codeBlocks.push({ section, language: part.language, fromLine, toLine });
        break;
      case "table":
        tables.push({ section, fromLine, toLine });
        break;
    }
  }
  return { lineCount: count, frontMatter, sections, listItems, codeBlocks, tables };
}

/** Where each heading's section ends, by the heading's index among the parts. */
function sectionEnds(parts: readonly MarkdownPart[], count: number): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  // Where the section ends whose heading is of that level or deeper, seen from below.
  const endByLevel = Array.from({ length: 7 }, () => count);
  for (const [index, part] of [...parts.entries()].toReversed()) {
    if (part.kind !== "heading" || part.quoted || part.item !== undefined) continue;
    ends.set(index, endByLevel[part.level] ?? count);
    for (let level = part.level; level < endByLevel.length; level += 1) endByLevel[level] = part.fromLine;
  }
  return ends;
}

/** Counts what stands side by side: by what it is counted in, and what it is below. */
class SiblingNumbers {
  readonly #counts = new Map<string, number>();

  next(within: string, above: string | undefined): string {
    const key = `${within} ${above ?? ""}`;
    const number = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, number);
    return above === undefined ? String(number) : `${above}.${number}`;
  }
}
