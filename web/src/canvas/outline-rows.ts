import { markdownOutline } from "../../../src/core/block/markdown/outline.ts";

/** A heading as the outline lists it. */
export interface OutlineRow {
  /** Nesting depth from 1; a text that begins with ## begins with 1. */
  readonly depth: number;
  readonly title: string;
  /** From 1. */
  readonly line: number;
}

/** Returns the headings of a Markdown text. */
export function outlineRows(text: string): readonly OutlineRow[] {
  return markdownOutline(text).sections.map(({ address, title, fromLine }) => ({
    depth: address.split(".").length,
    title: title === "" ? "(no title)" : title,
    line: fromLine + 1,
  }));
}

/** Returns the index of the heading above a line; -1 before the first. Lines count from 1. */
export function rowOfLine(rows: readonly OutlineRow[], line: number): number {
  return rows.findLastIndex((row) => row.line <= line);
}
