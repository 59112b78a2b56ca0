import { refusal, type Refusal } from "../../base/errors.ts";
import { splitLines } from "../../base/lines.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { TextChange } from "../../text/types.ts";
import { lineChanges } from "../change/line-changes.ts";
import { lineText, textLines, type TextLines } from "../change/text-lines.ts";
import { resolveAddress } from "./address.ts";
import { markdownOutline, type MarkdownOutline } from "./outline.ts";
import { resolveAnchor } from "../edit/anchor.ts";
import { planReplacements } from "../edit/replace-text.ts";

/** What an edit does at its place. */
export const placeActions = ["replace", "before", "after", "delete"] as const;
type PlaceAction = (typeof placeActions)[number];

/**
 * One edit of a Markdown text at a place that its author names without retyping what is there: by anchor (lines from 1), by
 * section, by list item (with its section, if any), or by a passage that occurs once.
 */
export interface PlaceEdit {
  readonly anchor?: string | undefined;
  readonly section?: string | undefined;
  readonly list_item?: string | undefined;
  readonly search?: string | undefined;
  /** Default: replace. A section is replaced below its heading; `delete` takes the heading too. */
  readonly action?: PlaceAction | undefined;
  /** Whole lines, without numbers; for `search`, the text that takes the passage's place. Not used by `delete`. */
  readonly text?: string | undefined;
}

/**
 * Plans edits by place, all or none; all refer to the original text and must not overlap. Blank lines around a section's text
 * stay. Refuses with INVALID_PARAMS, a refusal of the anchor or address, CONTENT_MISMATCH for a passage that does not occur
 * exactly once, TEXT_MALFORMED or OVERLAPPING_OPERATIONS; `edit_index` in the details names the edit, from 0.
 */
export function planPlaceEdits(text: string, edits: readonly PlaceEdit[]): Result<readonly TextChange[], Refusal> {
  const lines = textLines(text);
  let outline: MarkdownOutline | null = null;
  const outlined = (): MarkdownOutline => (outline ??= markdownOutline(text));
  const placed: PlacedChange[] = [];
  for (const [index, edit] of edits.entries()) {
    const changes = planOne(lines, edit, outlined);
    if (!changes.ok) return err(atEdit(changes.error, index));
    placed.push(...changes.value.map((change) => ({ ...change, index })));
  }
  // Edits that insert at one place keep their order, and precede one that replaces what follows.
  const sorted = placed.toSorted((a, b) => a.from - b.from || Number(a.to > a.from) - Number(b.to > b.from));
  for (const [at, change] of sorted.entries()) {
    const before = sorted[at - 1];
    if (before === undefined || change.from >= before.to) continue;
    const [first, second] = before.index < change.index ? [before.index, change.index] : [change.index, before.index];
    return err(refusal("OVERLAPPING_OPERATIONS", { edit_index: second, other_edit_index: first }));
  }
  return ok(sorted.map(({ from, to, insert }) => ({ from, to, insert })));
}

interface PlacedChange extends TextChange {
  readonly index: number;
}

function planOne(
  lines: TextLines,
  edit: PlaceEdit,
  outlined: () => MarkdownOutline,
): Result<readonly TextChange[], Refusal> {
  const wrong = whyWrong(edit);
  if (wrong !== null) return err(wrong);
  const { anchor, search, action = "replace", text = "" } = edit;
  if (!text.isWellFormed()) return err(refusal("TEXT_MALFORMED"));
  if (search !== undefined)
    return planReplacements(lines.text, [{ search, replace: passageAfter(search, action, text) }]);
  const range = anchor === undefined ? addressed(lines, edit, outlined()) : resolveAnchor(lines, anchor, 1);
  if (!range.ok) return range;
  const { start, end } = range.value;
  const added = action === "delete" ? [] : splitLines(text).map((line) => line.text);
  switch (action) {
    case "replace":
    case "delete":
      return ok(lineChanges(lines, [{ start, end, lines: added }]));
    case "before":
      return ok(lineChanges(lines, [{ start, end: start, lines: added }]));
    case "after":
      return ok(lineChanges(lines, [{ start: end, end, lines: separated(lines, end, added, anchor === undefined) }]));
  }
}

function passageAfter(search: string, action: PlaceAction, text: string): string {
  switch (action) {
    case "replace":
      return text;
    case "delete":
      return "";
    case "before":
      return `${text}${search}`;
    case "after":
      return `${search}${text}`;
  }
}

/** Returns the lines of a section or list item that an edit is about, without the blank lines around them. */
function addressed(
  lines: TextLines,
  { section, list_item: listItem, action = "replace" }: PlaceEdit,
  outline: MarkdownOutline,
): Result<{ readonly start: number; readonly end: number }, Refusal> {
  const found = resolveAddress(outline, { section, listItem });
  if (!found.ok) return found;
  const { fromLine, toLine } = found.value;
  const isBlank = (line: number): boolean => lineText(lines, line).trim() === "";
  let end = toLine;
  while (end > fromLine && isBlank(end - 1)) end -= 1;
  const isSection = listItem === undefined && outline.sections.some((one) => one.fromLine === fromLine);
  // A heading may take two lines (underlined), so the section's text begins after what the outline calls its heading.
  if (action !== "replace" || !isSection) return ok({ start: fromLine, end: Math.max(end, fromLine) });
  let start = Math.min(fromLine + headingLines(lines, fromLine), toLine);
  while (start < end && isBlank(start)) start += 1;
  return ok({ start, end: Math.max(start, end) });
}

/** How many lines a heading takes: two when it is underlined. */
function headingLines(lines: TextLines, heading: number): number {
  if (/^ {0,3}#{1,6}(?:\s|$)/.test(lineText(lines, heading))) return 1;
  let line = heading;
  while (line < lines.starts.length && !/^ {0,3}(?:=+|-+)\s*$/.test(lineText(lines, line))) line += 1;
  return line - heading + 1;
}

const listLine = /^\s*(?:[-*+]|\d+[.)])\s/;

/** Adds a blank line before text that follows a section's, unless both are lines of one list. */
function separated(lines: TextLines, end: number, added: readonly string[], isAddress: boolean): readonly string[] {
  const [first] = added;
  if (!isAddress || end === 0 || first === undefined || first.trim() === "") return added;
  const last = lineText(lines, end - 1);
  const goesOn = last.trim() === "" || (listLine.test(first) && /^(?:\s+\S|\s*(?:[-*+]|\d+[.)])\s)/.test(last));
  return goesOn ? added : ["", ...added];
}

function whyWrong({ anchor, section, list_item: listItem, search, action, text }: PlaceEdit): Refusal | null {
  const places = [anchor, section ?? listItem, search].filter((place) => place !== undefined);
  if (places.length !== 1) {
    return refusal("INVALID_PARAMS", {
      expected: "one place: anchor, section (with or without list_item), list_item, or search",
    });
  }
  if (search === "") return refusal("INVALID_PARAMS", { path: "search", expected: "a passage that is not empty" });
  if (action === "delete" && text !== undefined && text !== "") {
    return refusal("INVALID_PARAMS", { path: "text", expected: "no text for the action delete" });
  }
  if (action !== "delete" && text === undefined) {
    return refusal("INVALID_PARAMS", { path: "text", expected: "the new text; action delete needs none" });
  }
  return null;
}

function atEdit(error: Refusal, index: number): Refusal {
  return { ...error, details: { ...error.details, edit_index: index } };
}
