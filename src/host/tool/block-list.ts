import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId, RootId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { listBlocks } from "../../core/block/list-blocks.ts";
import { isLiveBlock, placeOf } from "../../core/block/live-block.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import { parseMessageBlockId, type MessageBlock } from "../../core/forest/message-blocks.ts";
import { blockListContent, type ListedBlock } from "../../core/tool/block/block-content.ts";
import type { blockList } from "../../core/tool/block/block-tools.ts";
import type { ToolInput } from "../../core/tool/base/types.ts";
import { blockNotFound } from "../document/block/closed-refusal.ts";
import type { ToolOutput, ToolRefusal } from "./answer.ts";
import { isShownAsMessage, messagesOf } from "./message-blocks.ts";
import { seenBlocks, textInDraft } from "./drafts-to-search.ts";
import { isLeftOut } from "./opened-block.ts";
import type { BlockToolRun } from "./runnable.ts";

const listedBlocksMax = 200;

type Wish = ToolInput<typeof blockList>;

/**
 * Lists blocks: documents first, then what was made in the caller's own document, then the messages of the conversation. Of
 * messages, only the words are listed unless a kind or a parent is asked for: a model knows its own calls.
 */
export async function listForTool(input: Wish, run: BlockToolRun): Promise<Result<ToolOutput, ToolRefusal>> {
  const loaded = await loadListed(input, run);
  if (!loaded.ok) return loaded;
  // Before the messages, so that a reply that ends meanwhile is in one of them.
  const { headers, laidOver } = await seenBlocks(run);
  const reachable = headers.filter((header) => !isShownAsMessage(header));
  const messages = await listedMessages(input, run);
  if (!messages.ok) return messages;
  const texts = new Map(messages.value.map(({ header, text }) => [header.id as string, text]));
  const stored = await withoutMessages(reachable, messages.value, run);
  const found = matchingBlocks(stored, messages.value, input);
  if (!found.ok) return found;
  const matching = ok(found.value.filter((header) => !isLeftOut(header, run)));
  const leftOut = found.value.length - matching.value.length;
  const from = input.after === undefined ? 0 : matching.value.findIndex(({ id }) => id === input.after) + 1;
  if (input.after !== undefined && from === 0) return err(blockNotFound(input.after));
  const listed: ListedBlock[] = [];
  for (const header of matching.value.slice(from, from + listedBlocksMax)) {
    const text = texts.get(header.id) ?? (await summarySource(header, laidOver, run));
    const dirty = header.kind === "file" ? { dirty: run.ports.folders.isDirty(header) } : {};
    listed.push({ header, text, ...dirty });
  }
  const truncated = matching.value.length > from + listedBlocksMax;
  return ok({
    content: {
      ...blockListContent(listed),
      ...(leftOut === 0 ? {} : { excluded: leftOut }),
      ...(truncated ? { truncated, count: matching.value.length } : {}),
    },
  });
}

/** Leaves out the live blocks whose message is listed, although their end was not yet stored when the blocks were read. */
async function withoutMessages(
  headers: readonly BlockHeader[],
  messages: readonly MessageBlock[],
  { ports: { hub } }: BlockToolRun,
): Promise<readonly BlockHeader[]> {
  const listed = new Set(messages.map(({ header }) => parseMessageBlockId(header.id)?.nodeId));
  const kept: BlockHeader[] = [];
  for (const header of headers) {
    // Reading waits for what lies before it in the document's queue, among it the block's end.
    const now = isLiveBlock(header) ? await hub.reader.read(header.id) : null;
    const place = now?.ok === true ? placeOf(now.value.header) : null;
    if (place === null || !listed.has(place.nodeId)) kept.push(header);
  }
  return kept;
}

function matchingBlocks(
  stored: readonly BlockHeader[],
  messages: readonly MessageBlock[],
  input: Wish,
): Result<readonly BlockHeader[], Refusal> {
  const { parent_id: parentId, kind, status, path_prefix: pathPrefix, depth } = input;
  const all = [...stored, ...messages.map(({ header }) => header)];
  const filter = { parentId, kind, status, pathPrefix };
  if (parentId !== undefined || depth !== undefined) return listBlocks(all, { ...filter, depth: depth ?? 1 });
  // Along a conversation each message is below the one before it, so a list without a parent has them all.
  const top = listBlocks(stored, { ...filter, depth: 1 });
  const said = messages.map(({ header }) => header).filter((header) => kind !== undefined || header.kind === "text");
  const along = listBlocks(said, filter);
  return top.ok && along.ok ? ok([...top.value, ...along.value]) : top;
}

/** Returns the messages that a list may contain: of the named conversation, the parent's, or an agent's own. */
async function listedMessages(
  { conversation_id: named, parent_id: parentId, path_prefix: prefix, kind }: Wish,
  run: BlockToolRun,
): Promise<Result<readonly MessageBlock[], Refusal>> {
  if (prefix !== undefined || kind === "file") return ok([]);
  const own = run.leaseHolder === null ? undefined : (run.documentId as string as RootId);
  const parent = parentId === undefined ? undefined : parseMessageBlockId(parentId)?.rootId;
  const rootId = named ?? parent ?? own;
  if (rootId === undefined) return ok([]);
  const messages = await messagesOf(rootId, run);
  // An agent that works outside a stored conversation has no messages.
  return messages.ok || named !== undefined ? messages : ok([]);
}

/** Opens the files below the requested path, so that each has a block id. */
async function loadListed(
  { path_prefix: prefix, kind }: Wish,
  { folder }: BlockToolRun,
): Promise<Result<void, Refusal>> {
  if (folder === null || prefix === undefined || (kind !== undefined && kind !== "file")) return ok(undefined);
  if (!folder.ok) return folder;
  const { files } = folder.value;
  const unopened = await files.unopened(prefix);
  if (!unopened.ok) return unopened;
  // A file that is not text stays unopened.
  for (const { path } of unopened.value.slice(0, listedBlocksMax)) await files.open(path);
  return ok(undefined);
}

/** Returns the text that a block's summary is made from. An agent reads a canvas's text only under its lease. */
async function summarySource(header: BlockHeader, laidOver: ReadonlySet<BlockId>, run: BlockToolRun): Promise<string> {
  if (laidOver.has(header.id)) return (await textInDraft(header.id, run))?.text ?? "";
  if (header.policy !== undefined && run.leaseHolder !== null) {
    const title = header.metadata["title"];
    return typeof title === "string" ? title : "";
  }
  const now = await run.ports.hub.reader.read(header.id);
  return now.ok ? now.value.text : "";
}
