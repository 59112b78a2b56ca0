import { must } from "../../base/assert.ts";
import { refusal, type Refusal } from "../../base/errors.ts";
import { lineAt, lineCount } from "../../base/lines.ts";
import type { BlockId, DraftId, LeaseId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shortened } from "../../base/shortened.ts";
import { resolveAddress } from "../../block/markdown/address.ts";
import { formatAnchor } from "../../block/edit/anchor.ts";
import { markdownOutline, openingSection } from "../../block/markdown/outline.ts";
import { listLines, type LinePrefix } from "../../block/edit/read-lines.ts";
import { type SearchQuery, type SearchResult } from "../../block/search/search.ts";
import { textLines, type TextLines } from "../../block/change/text-lines.ts";
import type { PatchPlan } from "../../block/patch/apply.ts";
import type { TextChange } from "../../text/types.ts";
import { literalNote, present } from "../base/answer-content.ts";
import type { canvasGrep, canvasOutline, canvasReadAll, canvasReadLines } from "./canvas-tools.ts";
import type { ToolInput } from "../base/types.ts";

/** A canvas as the tools show it. */
export interface ShownCanvas {
  readonly text: string;
  readonly revisionId: string;
}

/** A lease as its holder sees it. `expiresAt` is UTC milliseconds. */
export interface ShownLease {
  readonly leaseId: LeaseId;
  readonly canvasId: BlockId;
  readonly epoch: number;
  readonly expiresAt: number;
  readonly revisionIdAtCheckout: string;
}

/** Builds the answer of canvas_check_out. */
export function checkedOutContent(lease: ShownLease, canvas: ShownCanvas & { readonly title: string }): JsonObject {
  return {
    lease_id: lease.leaseId,
    revision_id_at_checkout: lease.revisionIdAtCheckout,
    canvas_epoch: lease.epoch,
    expires_at: lease.expiresAt,
    canvas_id: lease.canvasId,
    title: canvas.title,
    line_count: lineCount(canvas.text),
    revision_id: canvas.revisionId,
  };
}

/** Builds the answer of canvas_renew_lease. */
export function renewedContent(lease: ShownLease, revisionId: string): JsonObject {
  const { leaseId, epoch, expiresAt } = lease;
  return { lease_id: leaseId, canvas_epoch: epoch, expires_at: expiresAt, revision_id: revisionId };
}

/** Builds the answer of canvas_check_in, the same whether or not the lease was still held. */
export function checkedInContent(revisionId: string): JsonObject {
  return { released: true, revision_id: revisionId };
}

const grepMatchesDefault = 50;

/**
 * Builds the query of canvas_grep: `/pattern/flags` is an expression; anything else, a path included, is literal text.
 */
export function canvasGrepQuery(input: Pick<ToolInput<typeof canvasGrep>, "query" | "max_matches">): SearchQuery {
  const written = /^\/(.+)\/([a-z]*)$/s.exec(input.query);
  const pattern = written?.[1] ?? "";
  const flags = written?.[2] ?? "";
  const isExpression = written !== null && /^[dgimsuvy]*$/.test(flags) && !hasBareSlash(pattern);
  return {
    query: isExpression ? pattern : input.query,
    mode: isExpression ? "regex" : "literal",
    flags: isExpression ? flags : "",
    contextLines: 0,
    maxMatches: input.max_matches ?? grepMatchesDefault,
    oncePerLine: true,
  };
}

/** Whether a pattern holds a slash that would have ended the expression: then the query is a path such as /usr/bin/. */
function hasBareSlash(pattern: string): boolean {
  return pattern
    .replaceAll(/\\./gs, "")
    .replaceAll(/\[[^\]]*\]/g, "")
    .includes("/");
}

/** Builds the answer of canvas_grep; lines from 1. */
export function canvasGrepContent(found: SearchResult, revisionId: string): JsonObject {
  return present({
    matches: found.matches.map((match) =>
      present({
        line: match.line + 1,
        text: match.text,
        // The hash is of a whole line; a line that is cut has no anchor here.
        anchor: match.isCut ? undefined : formatAnchor(match.line + 1, match.text),
      }),
    ),
    truncated: found.truncated,
    revision_id: revisionId,
    note: literalNote(found),
  });
}

/**
 * Builds the answer of canvas_read_lines: an end beyond the canvas means its last line, a start beyond it is refused. A
 * section
 * or a list item can replace the line numbers.
 */
export function canvasReadLinesContent(
  canvas: ShownCanvas,
  input: Omit<ToolInput<typeof canvasReadLines>, "lease_id">,
): Result<JsonObject, Refusal> {
  const { text, revisionId } = canvas;
  const range = readRange(text, input);
  if (!range.ok) return range;
  const { start, end } = range.value;
  const count = lineCount(text);
  if (start < 1 || end < start) {
    return err(
      refusal("INVALID_PARAMS", { start_line: start, end_line: end, expected: "1 <= start_line <= end_line" }),
    );
  }
  if (start > count) return err(refusal("LINE_OUT_OF_RANGE", { requested: start, max: count }));
  const prefix = input.anchors === true ? "anchor" : "none";
  const listing = listLines(text, { start: start - 1, end }, { prefix, base: 1 });
  if (!listing.ok) return listing;
  return ok({
    text: listing.value.content,
    start_line: start,
    end_line: listing.value.end,
    line_count: count,
    revision_id: revisionId,
  });
}

/** Resolves the requested lines, from 1, ends included: by number or by address. */
function readRange(
  text: string,
  input: Omit<ToolInput<typeof canvasReadLines>, "lease_id">,
): Result<{ readonly start: number; readonly end: number }, Refusal> {
  const { start_line: start, end_line: end, section, list_item: listItem } = input;
  const isAddress = section !== undefined || listItem !== undefined;
  if (!isAddress && start !== undefined && end !== undefined) return ok({ start, end });
  if (!isAddress || start !== undefined || end !== undefined) {
    const expected = "either start_line and end_line, or section, list_item or both";
    return err(refusal("INVALID_PARAMS", { expected }, `canvas_read_lines was not run. Give ${expected}.`));
  }
  const found = resolveAddress(markdownOutline(text), { section, listItem });
  if (!found.ok) return found;
  const { fromLine, toLine } = found.value;
  if (fromLine === toLine) {
    const message = "Nothing comes before the first heading.";
    return err(refusal("ADDRESS_NOT_FOUND", { section: section ?? openingSection }, message));
  }
  return ok({ start: fromLine + 1, end: toLine });
}

const outlineEntriesDefault = 400;
const outlineUnitsMax = 120;

/** Builds the answer of canvas_outline: lines from 1, ends included; headings first when the list is cut. */
export function canvasOutlineContent(
  canvas: ShownCanvas,
  input: Omit<ToolInput<typeof canvasOutline>, "lease_id">,
): Result<JsonObject, Refusal> {
  const outline = markdownOutline(canvas.text);
  const within = resolveAddress(outline, { section: input.section });
  if (!within.ok) return within;
  const range = input.section === undefined ? { fromLine: 0, toLine: outline.lineCount } : within.value;
  let left = input.max_entries ?? outlineEntriesDefault;
  let truncated = false;
  const listed = <Entry extends { readonly fromLine: number; readonly toLine: number }>(
    entries: readonly Entry[],
    facts: (entry: Entry) => JsonObject,
  ): readonly JsonObject[] => {
    const all = entries.filter(({ fromLine, toLine }) => fromLine >= range.fromLine && toLine <= range.toLine);
    const shown = all.slice(0, left);
    left -= shown.length;
    truncated ||= shown.length < all.length;
    return shown.map((entry) => ({ ...facts(entry), start_line: entry.fromLine + 1, end_line: entry.toLine }));
  };
  const { frontMatter } = outline;
  return ok(
    present({
      headings: listed(outline.sections, ({ address, level, title }) => ({
        section: address,
        level,
        title: shortened(title, outlineUnitsMax),
      })),
      list_items: listed(outline.listItems, ({ section, address, text }) => {
        return { section, list_item: address, text: shortened(text, outlineUnitsMax) };
      }),
      code_blocks: listed(outline.codeBlocks, ({ section, language }) => ({
        section,
        language: shortened(language, outlineUnitsMax),
      })),
      tables: listed(outline.tables, ({ section }) => ({ section })),
      front_matter:
        frontMatter === undefined || range.fromLine > 0
          ? undefined
          : { start_line: frontMatter.fromLine + 1, end_line: frontMatter.toLine },
      truncated,
      line_count: outline.lineCount,
      revision_id: canvas.revisionId,
    }),
  );
}

/** Builds the answer of canvas_read_all. */
export function canvasReadAllContent(
  canvas: ShownCanvas,
  input: Pick<ToolInput<typeof canvasReadAll>, "line_numbers" | "anchors">,
): JsonObject {
  const { text, revisionId } = canvas;
  const prefix = input.anchors === true ? "anchor" : input.line_numbers === true ? "number" : "none";
  const listing = listLines(text, undefined, { prefix, base: 1 });
  const { content, lineCount: count } = must(listing.ok ? listing.value : undefined, "the whole text is in range");
  return { text: content, line_count: count, revision_id: revisionId };
}

/** The form of an edit that was applied: a patch with its plan, or edits by place. */
export type AppliedForm =
  | { readonly type: "patch"; readonly plan: Pick<PatchPlan, "appliedHunks" | "offsets" | "warnings"> }
  | { readonly type: "places"; readonly edits: number };

/** An edit that was applied. */
export interface AppliedEdit {
  readonly form: AppliedForm;
  /** The changes against the canvas as it was right before. */
  readonly delta: readonly TextChange[];
  /** Whether others wrote after the edit's base, so that the text is not only the edit's. */
  readonly merged: boolean;
}

/** Builds the answer of canvas_apply_patch and canvas_edit; `canvas` is its state after the edit. */
export function editAppliedContent(applied: AppliedEdit, canvas: ShownCanvas): JsonObject {
  const { form, delta, merged } = applied;
  return {
    ok: true,
    ...formContent(form),
    new_revision_id: canvas.revisionId,
    revision_id: canvas.revisionId,
    line_count: lineCount(canvas.text),
    text_around: textAround(canvas.text, delta, form.type === "patch" ? "number" : "anchor"),
    merged_with_others: merged,
  };
}

function formContent(form: AppliedForm): JsonObject {
  if (form.type === "places") return { applied_edits: form.edits };
  const { appliedHunks, offsets, warnings } = form.plan;
  return { applied_hunks: appliedHunks, offsets, warnings: warnings.map((warning) => warning.message) };
}

/** An edit that waits for a person's decision. */
export interface SuggestedPatch {
  /**
   * How many hunks the edit suggested, how many of them its author sees in the canvas, and how many conflict with later
   * edits.
   */
  readonly suggestedHunks: number;
  readonly openHunks: number;
  readonly conflictingHunks: number;
  readonly plan?: Pick<PatchPlan, "offsets" | "warnings">;
  /** The changes against the canvas as its author sees it. */
  readonly delta: readonly TextChange[];
  readonly merged: boolean;
  /** The draft that the edit is a part of. */
  readonly draftId?: DraftId | null;
}

const draftNote =
  "Your edit is in your draft of this canvas, which a person compares with others and may take, in part or as a whole. The text that everybody shares has not changed. Continue from the text you are shown and do not make this edit again.";

/** Says to an agent what of its draft is on disk: nothing. */
export const onlyInDraft =
  "Only your draft has this. Commands and tests see the files as they are on disk until a person takes the draft.";

/** Builds the addition that tells a model that it works in a draft; nothing for the shared text. */
export function draftContent(draftId: DraftId | null | undefined): JsonObject {
  return draftId === null || draftId === undefined ? {} : { draft: draftId };
}

const suggestedNote =
  "Your edit is a suggestion: the canvas does not change until a person keeps it. The canvas you are shown includes your open suggestions. Continue from there and do not make this edit again.";

/** Builds the answer to an edit of a canvas with the Suggest policy; `canvas` is its state as the author sees it now. */
export function editSuggestedContent(suggested: SuggestedPatch, canvas: ShownCanvas): JsonObject {
  const { suggestedHunks, plan, delta, merged, draftId = null } = suggested;
  return present({
    ok: true,
    ...(draftId === null ? { awaiting_review: true } : draftContent(draftId)),
    suggested_hunks: suggestedHunks,
    ...openHunksContent(suggested),
    offsets: plan?.offsets,
    warnings: plan?.warnings.map((warning) => warning.message),
    new_revision_id: canvas.revisionId,
    revision_id: canvas.revisionId,
    line_count: lineCount(canvas.text),
    text_around: textAround(canvas.text, delta, plan === undefined ? "anchor" : "number"),
    merged_with_others: merged,
    note: draftId === null ? suggestedNote : draftNote,
  });
}

/**
 * Builds the addition to a run's view of a canvas while its own hunks wait for a person: the hunks in the text,
 * and those that do not apply because people changed their lines.
 */
export function openHunksContent({
  openHunks,
  conflictingHunks,
}: Pick<SuggestedPatch, "openHunks" | "conflictingHunks">): JsonObject {
  return present({
    your_open_hunks: openHunks === 0 ? undefined : openHunks,
    your_conflicting_hunks: conflictingHunks === 0 ? undefined : conflictingHunks,
  });
}

const aroundLines = 3;
const aroundLinesMax = 60;

/**
 * Lists the changed places with lines around them, numbered from 1, so that the next edit needs no read; cut when long.
 */
function textAround(after: string, delta: readonly TextChange[], prefix: LinePrefix): string {
  const lines = textLines(after);
  const shown = new Set<number>();
  let shift = 0;
  for (const change of delta) {
    const from = change.from + shift;
    shift += change.insert.length - (change.to - change.from);
    const first = Math.max(0, lineNumber(lines, from) - aroundLines);
    const last = Math.min(lines.starts.length - 1, lineNumber(lines, from + change.insert.length) + aroundLines);
    for (let line = first; line <= last && shown.size <= aroundLinesMax; line += 1) shown.add(line);
  }
  const within = [...shown].slice(0, aroundLinesMax);
  return listGroups(after, { shown: within, cut: shown.size > aroundLinesMax, prefix });
}

function lineNumber(lines: TextLines, offset: number): number {
  return Math.max(0, lineAt(lines.starts, offset));
}

function listGroups(
  text: string,
  { shown, cut, prefix }: { readonly shown: readonly number[]; readonly cut: boolean; readonly prefix: LinePrefix },
): string {
  const groups: { start: number; end: number }[] = [];
  for (const line of shown) {
    const last = groups.at(-1);
    if (last !== undefined && last.end === line) last.end += 1;
    else groups.push({ start: line, end: line + 1 });
  }
  const listed = groups.map((group) => {
    const listing = listLines(text, group, { prefix, base: 1 });
    return must(listing.ok ? listing.value : undefined, "the lines are in range").content;
  });
  return [...listed, ...(cut ? [""] : [])].join("\n…\n");
}
