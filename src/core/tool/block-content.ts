import type { Refusal } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { lineCount } from "../base/lines.ts";
import { ok, type Result } from "../base/result.ts";
import { blockPath } from "../block/list-blocks.ts";
import { listLines, type LinePrefix } from "../block/read-lines.ts";
import type { SearchQuery, SearchResult } from "../block/search.ts";
import type { BlockHeader } from "../block/types.ts";
import { literalNote, present } from "./answer-content.ts";
import type { blockRead, blockSearch } from "./block-tools.ts";
import type { ToolInput } from "./types.ts";

/** What block_read answers: the text as asked for, and everything that is known of the block. */
export function blockReadContent(
  header: BlockHeader,
  text: string,
  input: Pick<ToolInput<typeof blockRead>, "line_numbers" | "range" | "anchors">,
): Result<JsonObject, Refusal> {
  const listing = listLines(text, input.range, { prefix: linePrefix(input), base: 0 });
  if (!listing.ok) return listing;
  const { metadata, role, kind, status, version } = header;
  const content = listing.value.content;
  return ok({ content, metadata, role, kind, status, version, line_count: listing.value.lineCount });
}

function linePrefix(input: Pick<ToolInput<typeof blockRead>, "line_numbers" | "anchors">): LinePrefix {
  if (input.anchors === true) return "anchor";
  return input.line_numbers === false ? "none" : "number";
}

const contextLinesDefault = 2;
const searchMatchesDefault = 20;

/** What block_search looks for. */
export function blockSearchQuery(
  input: Pick<ToolInput<typeof blockSearch>, "query" | "context_lines" | "max_matches">,
): SearchQuery {
  return {
    query: input.query,
    mode: "regex",
    contextLines: input.context_lines ?? contextLinesDefault,
    maxMatches: input.max_matches ?? searchMatchesDefault,
  };
}

/** What block_search answers: lines from 0, `content` is the matched line with those around it, from line `content_start`. */
export function blockSearchContent(found: SearchResult): JsonObject {
  return present({
    matches: found.matches.map((match) => ({
      line: match.line,
      content: match.context.join("\n"),
      content_start: match.contextStart,
      match_start: match.matchStart,
      match_end: match.matchEnd,
    })),
    truncated: found.truncated,
    note: literalNote(found),
  });
}

/** A block to be listed. `dirty` says that a file's last changes are not on disk yet. */
export interface ListedBlock {
  readonly header: BlockHeader;
  readonly text: string;
  readonly dirty?: boolean;
}

/** What block_list answers. */
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
      }),
    ),
  };
}

const summaryUnitsMax = 100;

/** The first words of a text, and how long it is where that is not all. */
function summary(text: string): string {
  const head = text.slice(0, summaryUnitsMax).toWellFormed().replaceAll(/\s+/g, " ").trim();
  return text.length <= summaryUnitsMax ? head : `${head}… (${lineCount(text)} lines)`;
}
