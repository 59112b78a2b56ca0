import { counted } from "../../base/counted.ts";
import { unreachable } from "../../base/assert.ts";
import { refusal, type Refusal } from "../../base/errors.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { lineCount } from "../../base/lines.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { beginningOf } from "../../base/shortened.ts";
import type { HistoryEntry } from "../../block/history.ts";
import { blockPath } from "../../block/list-blocks.ts";
import type { LineBase } from "../../block/edit/anchor.ts";
import { listLines, type LinePrefix } from "../../block/edit/read-lines.ts";
import { eolOf, hasFinalNewline } from "../../block/edit/text-facts.ts";
import type { Matches, SearchQuery, SearchResult } from "../../block/search/search.ts";
import type { BlockHeader } from "../../block/types.ts";
import { literalNote, present } from "../base/answer-content.ts";
import type { blockRead, blockSearch, kernelSearch } from "./block-tools.ts";
import { shownMetadata } from "./given-metadata.ts";
import type { ToolInput } from "../base/types.ts";

/** What a caller asks to read. `range` counts lines from 0, exclusive end, whatever the caller's numbering is. */
type ReadWish = Pick<ToolInput<typeof blockRead>, "line_numbers" | "range" | "anchors" | "raw">;

/** Builds the answer of block_read: the requested text, with prefixes from `base`, and everything known about the block. */
export function blockReadContent(
  header: BlockHeader,
  text: string,
  { base, ...input }: ReadWish & { readonly base: LineBase },
): Result<JsonObject, Refusal> {
  if (input.raw === true && (input.anchors === true || input.line_numbers === true)) {
    return err(refusal("INVALID_PARAMS", { path: "raw", expected: "raw alone, without anchors and line_numbers" }));
  }
  const listing = listLines(text, input.range, { prefix: linePrefix(input), base });
  if (!listing.ok) return listing;
  const { role, kind, status, version } = header;
  const { content } = listing.value;
  const metadata = shownMetadata(header.metadata);
  const { lineCount: line_count } = listing.value;
  const ends = { final_newline: hasFinalNewline(text), eol: eolOf(text) };
  return ok({ content, metadata, role, kind, status, version, line_count, ...ends });
}

function linePrefix(input: ReadWish): LinePrefix | "raw" {
  if (input.raw === true) return "raw";
  if (input.anchors === true) return "anchor";
  return input.line_numbers === false ? "none" : "number";
}

const contextLinesDefault = 2;
const searchMatchesDefault = 20;

/** Builds the query of block_search. */
export function blockSearchQuery(
  input: Pick<ToolInput<typeof blockSearch>, "query" | "mode" | "context_lines" | "max_matches">,
): SearchQuery {
  return {
    query: input.query,
    mode: input.mode ?? "regex",
    contextLines: input.context_lines ?? contextLinesDefault,
    maxMatches: input.max_matches ?? searchMatchesDefault,
  };
}

/** Builds the answer of block_search; lines count from `base`. */
export function blockSearchContent(found: SearchResult, base: LineBase): JsonObject {
  return present({
    matches: matchesContent(found, base),
    truncated: found.truncated,
    note: literalNote(found),
  });
}

/**
 * Lists the matches, lines from `base`; `content` is the matched line with those around it, from line `content_start`. A long
 * line is cut to the part around the match, which starts at column `text_start`.
 */
function matchesContent(found: Matches, base: LineBase): readonly JsonObject[] {
  return found.matches.map((match) =>
    present({
      line: match.line + base,
      content: match.context.join("\n"),
      content_start: match.contextStart + base,
      match_start: match.matchStart,
      match_end: match.matchEnd,
      text_start: match.textStart > 0 ? match.textStart : undefined,
      cut: match.isCut ? true : undefined,
    }),
  );
}

const kernelMatchesDefault = 20;

/** Builds the query that kernel_search runs on each block. */
export function kernelSearchQuery(
  input: Pick<ToolInput<typeof kernelSearch>, "query" | "mode" | "context_lines" | "max_matches_per_block">,
): SearchQuery {
  const asked =
    input.mode === "words"
      ? { query: anyWord(input.query), mode: "regex" as const, flags: "i", oncePerLine: true }
      : { query: input.query, mode: input.mode ?? "regex" };
  return {
    ...asked,
    contextLines: input.context_lines ?? 0,
    maxMatches: input.max_matches_per_block ?? kernelMatchesDefault,
  };
}

/** Returns an expression for the lines in which any of the words begins. */
function anyWord(words: string): string {
  const found = words.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return found.length === 0 ? "(?!)" : `(?<![\\p{L}\\p{N}\\p{M}])(?:${found.join("|")})`;
}

/** A block with matches. */
export interface SearchedBlock {
  readonly header: BlockHeader;
  /** The title of the conversation of a message. */
  readonly conversation?: string;
  readonly found: Matches;
}

/**
 * Builds the answer of kernel_search, grouped by block. `moreBlocks`: further blocks have matches. `unread`: documents
 * that the caller may not read now. Lines count from `base`.
 */
export function kernelSearchContent(
  blocks: readonly SearchedBlock[],
  {
    moreBlocks,
    unread,
    note,
    base,
  }: {
    readonly moreBlocks: boolean;
    readonly unread: number;
    readonly note: string | undefined;
    readonly base: LineBase;
  },
): JsonObject {
  const notes = [
    note,
    unread === 0 ? undefined : `${unread} canvas(es) were not searched. Check out the canvas that you need.`,
  ].filter((said) => said !== undefined);
  return present({
    blocks: blocks.map(({ header, conversation, found }) =>
      present({
        block_id: header.id,
        path: blockPath(header),
        conversation,
        matches: matchesContent(found, base),
        truncated: found.truncated,
      }),
    ),
    truncated: moreBlocks || blocks.some(({ found }) => found.truncated),
    note: notes.length === 0 ? undefined : notes.join(" "),
  });
}

/** Builds the answer of block_apply_patch for a patch that does not fit: a sentence for each failed hunk. */
export function patchErrorsContent(error: Refusal): JsonObject {
  const verdicts = error.details?.["hunks"];
  const errors = (Array.isArray(verdicts) ? verdicts : [])
    .filter((verdict: unknown) => isJsonObject(verdict) && verdict["ok"] === false)
    .map((verdict: JsonObject) => patchError(verdict));
  return { success: false, errors: errors.length === 0 ? [error.message] : errors };
}

/** Returns the sentence of a hunk's verdict with the actual lines at that place. */
function patchError({ message, actual_lines: lines }: JsonObject): string {
  const there = Array.isArray(lines) && lines.length > 0 ? ` The lines there:\n${lines.join("\n")}` : "";
  return `${typeof message === "string" ? message : "A hunk does not fit."}${there}`;
}

/** Builds the answer of block_history. `first_version` is the `before_version` for the next page. */
export function blockHistoryContent(entries: readonly HistoryEntry[], truncated: boolean): JsonObject {
  return {
    entries: entries.map((entry) =>
      present({
        version: entry.version,
        first_version: entry.firstVersion,
        at: entry.at,
        actor: { type: entry.actor.type, name: entry.actor.name },
        turn_id: entry.actor.type === "model" ? entry.actor.turnId : undefined,
        tool_call_id: entry.toolCallId,
        summary: changeSummary(entry),
      }),
    ),
    truncated,
  };
}

const excerptUnitsMax = 60;

function changeSummary({ body, delta }: HistoryEntry): string {
  switch (body.type) {
    case "created":
      return `created with ${body.spans.reduce((sum, span) => sum + span.length, 0)} characters`;
    case "text": {
      const made = body.kept === undefined ? "" : `kept of ${body.kept.author.name}’s suggestions: `;
      const did = body.undoes === undefined ? (body.redoes === undefined ? made : "put back: ") : "took back: ";
      const added = delta.reduce((sum, change) => sum + change.insert.length, 0);
      const removed = delta.reduce((sum, change) => sum + change.to - change.from, 0);
      const text = delta.map((change) => change.insert.trim()).find((insert) => insert !== "") ?? "";
      const head = beginningOf(text, excerptUnitsMax).replaceAll(/\s+/g, " ");
      const excerpt = text === "" ? "" : `, “${head}${text.length > excerptUnitsMax ? "…" : ""}”`;
      return `${did}+${added} −${removed} characters${excerpt}`;
    }
    case "review": {
      const did = body.undoes === undefined ? (body.redoes === undefined ? "" : "put back: ") : "took back: ";
      return `${did}${counted(body.hunkIds.length, "suggested hunk")} rejected`;
    }
    case "status":
      return `status ${body.status}`;
    case "policy":
      return `policy ${body.policy}`;
    case "metadata":
      return "metadata set";
    case "flags":
      return `${body.collapsed ? "collapsed" : "not collapsed"}, ${body.excluded ? "excluded" : "not excluded"}`;
    case "deleted":
      return "deleted";
    case "restored":
      return "restored from the trash";
    default:
      return unreachable(body);
  }
}

/** Builds the answer to a change beside the text, or a deletion, that a person reviews; null: nothing would change. */
export function proposedContent(version: number, suggestionId: string | null): JsonObject {
  return present({
    version,
    awaiting_review: true,
    suggestion_id: suggestionId ?? undefined,
    note:
      suggestionId === null
        ? "The canvas is so already, or the same suggestion is waiting. Nothing was added."
        : "This is a suggestion: the canvas does not change until a person keeps it. Do not do it again.",
  });
}

/** A block to list. `dirty` is set for files only: whether the last changes are not on disk yet. */
export interface ListedBlock {
  readonly header: BlockHeader;
  readonly text: string;
  readonly dirty?: boolean;
}

/** Builds the answer of block_list. */
export function blockListContent(blocks: readonly ListedBlock[]): JsonObject {
  return {
    blocks: blocks.map(({ header, text, dirty }) =>
      present({
        block_id: header.id,
        parent_id: header.parentId ?? undefined,
        role: header.role,
        kind: header.kind,
        status: header.status,
        path: blockPath(header),
        summary: summary(text),
        version: header.version,
        dirty,
        collapsed: header.collapsed ? true : undefined,
        excluded: header.excluded ? true : undefined,
      }),
    ),
  };
}

const summaryUnitsMax = 100;

/** Returns the first words of a text, with its length when it is longer. */
function summary(text: string): string {
  const head = beginningOf(text, summaryUnitsMax).replaceAll(/\s+/g, " ").trim();
  return text.length <= summaryUnitsMax ? head : `${head}… (${lineCount(text)} lines)`;
}
