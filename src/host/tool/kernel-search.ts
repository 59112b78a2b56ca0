import { must } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { ok, err, type Result } from "../../core/base/result.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import { revisionId } from "../../core/block/revision.ts";
import type { SearchQuery, SearchResult } from "../../core/block/search.ts";
import type { BlockHeader, BlockKind } from "../../core/block/types.ts";
import { literalNote } from "../../core/tool/answer-content.ts";
import { kernelSearchContent, kernelSearchQuery } from "../../core/tool/block-content.ts";
import type { kernelSearch } from "../../core/tool/block-tools.ts";
import type { ToolInput } from "../../core/tool/types.ts";
import type { ToolOutput } from "./answer.ts";
import { open, reachableBlocks, type OpenedBlock } from "./opened-block.ts";
import type { BlockToolRun } from "./runnable.ts";

const blocksDefault = 20;
/** How long an expression may take for all blocks together. */
const deadlineMs = 2000;
/** What is read and searched at a time: so many blocks, or so much text. */
const portionBlocksMax = 50;
const portionUnitsMax = 4 * 1024 * 1024;

interface Found {
  readonly block: OpenedBlock;
  readonly found: SearchResult;
}

/**
 * Searches every block that the caller can reach, in the order of a list, until more blocks match than were asked for. An
 * agent reads a canvas under its lease only: the others are passed over and counted.
 */
export async function searchBlocks(
  input: ToolInput<typeof kernelSearch>,
  run: BlockToolRun,
): Promise<Result<ToolOutput, Refusal>> {
  const blocksMax = input.max_blocks ?? blocksDefault;
  const query = kernelSearchQuery(input);
  const headers = wantedBlocks(await reachableBlocks(run), input);
  const matching: Found[] = [];
  let note: string | undefined;
  let unread = 0;
  let leftMs = deadlineMs;
  for (let next = 0; next < headers.length && matching.length <= blocksMax;) {
    const portion = await readPortion(headers, next, run);
    ({ next } = portion);
    unread += portion.unread;
    const { clock } = run.ports.platform;
    const began = clock.monotonic();
    const searched = await searchPortion(portion.blocks, { query, leftMs }, run);
    if (!searched.ok) return searched;
    leftMs -= clock.monotonic() - began;
    matching.push(...searched.value.filter(({ found }) => found.matches.length > 0));
    for (const { found } of searched.value) note ??= literalNote(found);
  }
  const shown = matching.slice(0, blocksMax);
  for (const { block } of shown) noteSeen(block, run);
  const blocks = shown.map(({ block, found }) => ({ header: block.reading.header, found }));
  return ok({ content: kernelSearchContent(blocks, { moreBlocks: matching.length > blocksMax, unread, note }) });
}

function wantedBlocks(
  headers: readonly BlockHeader[],
  { kinds, path_prefix: prefix }: ToolInput<typeof kernelSearch>,
): readonly BlockHeader[] {
  const wanted: ReadonlySet<BlockKind> = new Set(kinds ?? ["file"]);
  return headers.filter(
    (header) => wanted.has(header.kind) && (prefix === undefined || (blockPath(header)?.startsWith(prefix) ?? false)),
  );
}

interface Portion {
  readonly blocks: readonly OpenedBlock[];
  /** The first block that is not in it. */
  readonly next: number;
  readonly unread: number;
}

async function readPortion(headers: readonly BlockHeader[], from: number, run: BlockToolRun): Promise<Portion> {
  const blocks: OpenedBlock[] = [];
  let next = from;
  let units = 0;
  let unread = 0;
  while (next < headers.length && blocks.length < portionBlocksMax && units < portionUnitsMax) {
    const { id } = must(headers[next], "there is a next block");
    next += 1;
    const opened = await open(id, run);
    if (opened.ok) {
      blocks.push(opened.value);
      units += opened.value.reading.text.length;
    } else if (opened.error.code !== "BLOCK_NOT_FOUND") unread += 1;
  }
  return { blocks, next, unread };
}

async function searchPortion(
  blocks: readonly OpenedBlock[],
  { query, leftMs }: { readonly query: SearchQuery; readonly leftMs: number },
  run: BlockToolRun,
): Promise<Result<readonly Found[], Refusal>> {
  if (blocks.length === 0) return ok([]);
  if (leftMs <= 0) return err(refusal("REGEX_TIMEOUT", { query: query.query, deadline_ms: deadlineMs }));
  const texts = blocks.map(({ reading }) => reading.text);
  const searched = await run.ports.searcher.search(texts, query, leftMs);
  if (!searched.ok) return searched;
  return ok(blocks.map((block, index) => ({ block, found: must(searched.value[index], "one result a text") })));
}

/** A canvas's holder has seen lines of it. */
function noteSeen({ reading, grant }: OpenedBlock, run: BlockToolRun): void {
  if (grant !== null) run.ports.leases.noteRevision(grant.leaseId, revisionId(reading.header.version, reading.text));
}
