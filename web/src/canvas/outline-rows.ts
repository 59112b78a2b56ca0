import { markdownOutline } from "../../../src/core/block/markdown/outline.ts";

/** A heading as the outline lists it. */
export interface OutlineRow {
  /** From 1, by how deep it stands below the others; a text that begins with ## begins with 1. */
  readonly depth: number;
  readonly title: string;
  /** From 1. */
  readonly line: number;
}

/** The headings of a Markdown text. */
export function outlineRows(text: string): readonly OutlineRow[] {
  return markdownOutline(text).sections.map(({ address, title, fromLine }) => ({
    depth: address.split(".").length,
    title: title === "" ? "(no title)" : title,
    line: fromLine + 1,
  }));
}

/** The heading under which a line stands; -1 before the first. Lines count from 1. */
export function rowOfLine(rows: readonly OutlineRow[], line: number): number {
  return rows.findLastIndex((row) => row.line <= line);
}
