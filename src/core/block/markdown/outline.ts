import { lineCount } from "../../base/lines.ts";
import { markdownParts, type MarkdownPart } from "./structure.ts";

/** Lines [fromLine, toLine), 0-based. */
interface LineSpan {
  readonly fromLine: number;
  readonly toLine: number;
}

/** A heading with everything below it, up to the next heading of its level or above. */
export interface Section extends LineSpan {
  /** Its number among its siblings, after the number of the parent section: `2.1`. */
  readonly address: string;
  readonly level: number;
  readonly title: string;
  /** The titles of the parent sections and its own, outermost first. */
  readonly path: readonly string[];
}

/** A list item with everything that belongs to it, including nested lists. */
export interface ListItem extends LineSpan {
  /** The innermost section around it; `0` before the first heading. */
  readonly section: string;
  /** Its number in the section, from 1, after the number of the parent item: `3.1`. */
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

/** The structure of a Markdown text. Text in a block quote has no address. */
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

/** Finds the addressable parts of a Markdown text; markdownParts defines them. */
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
        // A heading within a list item belongs to the item.
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

/** Returns the end of each heading's section, by the heading's index among the parts. */
function sectionEnds(parts: readonly MarkdownPart[], count: number): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  // For each level, the end of a section with a heading of that level or deeper; filled from the last heading to the first.
  const endByLevel = Array.from({ length: 7 }, () => count);
  for (const [index, part] of [...parts.entries()].toReversed()) {
    if (part.kind !== "heading" || part.quoted || part.item !== undefined) continue;
    ends.set(index, endByLevel[part.level] ?? count);
    for (let level = part.level; level < endByLevel.length; level += 1) endByLevel[level] = part.fromLine;
  }
  return ends;
}

/** Counts siblings, by their kind and their parent. */
class SiblingNumbers {
  readonly #counts = new Map<string, number>();

  next(within: string, above: string | undefined): string {
    const key = `${within} ${above ?? ""}`;
    const number = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, number);
    return above === undefined ? String(number) : `${above}.${number}`;
  }
}
