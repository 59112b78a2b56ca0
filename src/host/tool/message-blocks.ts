import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, RootId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { BlockKind } from "../../core/block/kinds.ts";
import { isLiveBlock } from "../../core/block/live-block.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import {
  messageBlockAt,
  messageBlocks,
  parseMessageBlockId,
  type MessageBlock,
} from "../../core/forest/message-blocks.ts";
import type { ForestRoot } from "../../core/forest/types.ts";
import { blockNotFound } from "../document/block/closed-refusal.ts";
import { notSharedOr } from "./not-shared-here.ts";
import type { BlockToolRun } from "./runnable.ts";

/*
 * Messages for the block tools. Everybody who may use the workspace may read its conversations, as over HTTP; a sub-agent's
 * conversation is its own and that of nobody else.
 */

/** UTF-16 units of messages that one search looks at; older conversations are left to a narrower search. */
const searchedUnitsMax = 16 * 1024 * 1024;

/** Reads a part of a message by its block id; null for the id of a stored block. */
export async function readMessageBlock(
  id: BlockId,
  { ports: { store }, reach }: BlockToolRun,
): Promise<Result<MessageBlock, Refusal> | null> {
  const place = parseMessageBlockId(id);
  if (place === null) return null;
  const root = reach ? await store.root(place.rootId) : null;
  if (reach && root === null) return err(blockNotFound(id));
  if (reach && root !== null && !reach.conversation(root)) {
    return err(notSharedOr(blockNotFound(id), { conversation: root }, reach));
  }
  const path = await store.path(place.nodeId);
  const found = path.at(-1)?.rootId === place.rootId ? messageBlockAt(path, place.index) : null;
  return found === null ? err(blockNotFound(id)) : ok(found);
}

/** Refuses to change a message as a block. */
export function blockIsMessage(id: BlockId): Refusal {
  return refusal("BLOCK_IS_MESSAGE", { block_id: id });
}

/** Returns the messages of one conversation as blocks; BLOCK_NOT_FOUND for a conversation that does not exist. */
export async function messagesOf(
  rootId: RootId,
  { ports: { store }, reach }: BlockToolRun,
): Promise<Result<readonly MessageBlock[], Refusal>> {
  const root = await store.root(rootId);
  const missing = refusal("ROOT_NOT_FOUND", { root_id: rootId });
  if (root === null) return err(missing);
  return reach && !reach.conversation(root)
    ? err(notSharedOr(missing, { conversation: root }, reach))
    : ok(messageBlocks(await store.nodes(rootId)));
}

/** A message found or to be searched, with its conversation. */
export interface SearchedMessage extends MessageBlock {
  readonly conversation: string;
  /** Differs when the text does, although a message has no versions. */
  readonly textVersion: number;
}

/** Returns the messages to search, the newest conversation first; `isCut` when there are more than one search looks at. */
export async function messagesToSearch(
  kinds: readonly BlockKind[],
  run: BlockToolRun,
): Promise<{ readonly messages: readonly SearchedMessage[]; readonly isCut: boolean }> {
  const wanted: ReadonlySet<BlockKind> = new Set(kinds.filter((kind) => kind !== "file"));
  const messages: SearchedMessage[] = [];
  if (wanted.size === 0) return { messages, isCut: false };
  let units = 0;
  for (const root of await readableRoots(run)) {
    if (units > searchedUnitsMax) return { messages, isCut: true };
    if (run.signal.aborted) break;
    const nodes = await run.ports.store.nodes(root.id);
    const hashes = new Map(nodes.map(({ id, prefixHash }) => [id as string, prefixHash]));
    for (const block of messageBlocks(nodes)) {
      if (!wanted.has(block.header.kind)) continue;
      units += block.text.length;
      const hash = hashes.get(block.header.id.split("/")[1] ?? "") ?? "";
      messages.push({ ...block, conversation: root.title, textVersion: Number.parseInt(hash.slice(0, 12), 16) || 1 });
    }
  }
  return { messages, isCut: false };
}

/** Returns the caller's own conversation first, then the others, the last changed first. */
async function readableRoots({ ports: { store }, documentId, reach }: BlockToolRun): Promise<readonly ForestRoot[]> {
  const roots = await store.roots();
  const isOwn = ({ id }: ForestRoot): boolean => (id as string) === documentId;
  return roots
    .filter((root) => (root.parent === undefined || isOwn(root)) && (!reach || reach.conversation(root)))
    .toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || b.updatedAt - a.updatedAt);
}

/** Whether a stored block only showed a part of a reply while it streamed: its message is listed instead. */
export function isShownAsMessage(header: BlockHeader): boolean {
  return isLiveBlock(header) && (header.status === "done" || header.status === "error");
}
