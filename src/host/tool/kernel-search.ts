import { must } from "../../core/base/assert.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import { revisionId } from "../../core/block/revision.ts";
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

/**
 * Searches every block that the caller can reach, in the order of a list, until more blocks match than were asked for. An
 * agent reads a canvas under its lease only: the others are passed over and counted.
 */
export async function searchBlocks(
  input: ToolInput<typeof kernelSearch>,
  run: BlockToolRun,
): Promise<Result<ToolOutput, Refusal>> {
  const blocksMax = input.max_blocks ?? blocksDefault;
  const { hub, searcher } = run.ports;
  await hub.settle();
  const wanted = wantedBlocks(await reachableBlocks(run), input);
  const { headers, held, unread } = await readable(wanted, run);
  const load = async (index: number): Promise<{ version: number; text: string } | null> => {
    const read = await hub.read(must(headers[index], "there is a block at every place").id);
    return read.ok ? { version: read.value.header.version, text: read.value.text } : null;
  };
  const bounds = { deadlineMs, textsMax: blocksMax + 1 };
  const searched = await searcher.searchKept({ of: headers, load }, kernelSearchQuery(input), bounds);
  if (!searched.ok) return err(searched.error);
  const matching = searched.value.found.map(({ index, matches }) => ({
    header: must(headers[index], "found in a block"),
    found: matches,
  }));
  const shown = matching.slice(0, blocksMax);
  for (const { header } of shown) noteSeen(held.get(header.id), run);
  const note = literalNote(searched.value);
  return ok({ content: kernelSearchContent(shown, { moreBlocks: matching.length > blocksMax, unread, note }) });
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

interface Readable {
  readonly headers: readonly BlockHeader[];
  /** The canvases among them that an agent holds. */
  readonly held: ReadonlyMap<BlockId, OpenedBlock>;
  readonly unread: number;
}

/** Without the canvases that an agent has not checked out. */
async function readable(wanted: readonly BlockHeader[], run: BlockToolRun): Promise<Readable> {
  if (run.leaseHolder === null) return { headers: wanted, held: new Map(), unread: 0 };
  const headers: BlockHeader[] = [];
  const held = new Map<BlockId, OpenedBlock>();
  let unread = 0;
  for (const header of wanted) {
    const opened = header.policy === undefined ? null : await open(header.id, run);
    if (opened?.ok === false) {
      if (opened.error.code !== "BLOCK_NOT_FOUND") unread += 1;
      continue;
    }
    if (opened !== null) held.set(header.id, opened.value);
    headers.push(header);
  }
  return { headers, held, unread };
}

/** A canvas's holder has seen lines of it. */
function noteSeen(canvas: OpenedBlock | undefined, run: BlockToolRun): void {
  if (canvas === undefined || canvas.grant === null) return;
  const { header, text } = canvas.reading;
  run.ports.leases.noteRevision(canvas.grant.leaseId, revisionId(header.version, text));
}
