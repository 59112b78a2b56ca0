import type { Actor } from "../../../core/base/actor.ts";
import { must } from "../../../core/base/assert.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import type { NodeId } from "../../../core/base/ids.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import { shortened } from "../../../core/base/shortened.ts";
import { prefixHash } from "../../../core/forest/prefix-hash.ts";
import type { TrashEntry, TrashedObject } from "../../../core/forest/trash-entry.ts";
import type { Bookmark, ForestNode, ForestRoot, ModelUsage } from "../../../core/forest/types.ts";
import { textOf } from "../../../core/message/content.ts";
import { openCalls } from "../../../core/message/transcript.ts";
import { usageWith } from "../../../core/model/spent.ts";
import { usageWithout } from "../../../core/model/usage-without.ts";
import type { Store } from "../../../core/port/store.ts";

/** An entry about messages of a conversation. */
export interface BranchEntry extends TrashEntry {
  readonly object: Extract<TrashedObject, { readonly type: "branch" }>;
}

const titleUnitsMax = 80;

/** Returns what is recorded of messages that go to the trash together, the first one above the others. */
export function trashedBranch(
  nodes: readonly ForestNode[],
  bookmarks: readonly Bookmark[],
  by: Actor,
): Pick<BranchEntry, "object" | "title" | "by"> {
  const first = must(nodes[0], "a deletion has a message");
  const words = textOf(first.message).trim().replaceAll(/\s+/g, " ");
  return {
    object: {
      type: "branch",
      rootId: first.rootId,
      nodeId: first.id,
      parentId: first.parentId,
      messages: nodes.length,
      bookmarks,
    },
    title: words === "" ? "A message without text" : shortened(words, titleUnitsMax),
    by,
  };
}

/** Returns messages as they are below a parent, or at the top; with new hashes where it has changed meanwhile. */
export function placedBelow(parent: ForestNode | null, [top, ...rest]: readonly ForestNode[]): readonly ForestNode[] {
  if (top === undefined) return [];
  const hash = prefixHash(parent?.prefixHash ?? null, top.message);
  const placed: ForestNode = { ...top, parentId: parent?.id ?? null, prefixHash: hash };
  if (hash === top.prefixHash) return [placed, ...rest];
  const hashesById = new Map<NodeId, string>([[placed.id, hash]]);
  return [
    placed,
    ...rest.map((node) => {
      const above = node.parentId === null ? null : (hashesById.get(node.parentId) ?? null);
      const own = prefixHash(above, node.message);
      hashesById.set(node.id, own);
      return { ...node, prefixHash: own };
    }),
  ];
}

/** Checks that providers accept the history up to a restored message; calls at its end may be open. */
export function checkRestored(path: readonly ForestNode[]): Result<void, Refusal> {
  const open = openCalls(path.map(({ message }) => message));
  return open.ok ? ok(undefined) : open;
}

/** Returns bookmarks under titles that no bookmark has: theirs, or theirs with a note. */
export async function freeBookmarks(
  store: Pick<Store, "bookmarks">,
  bookmarks: readonly Bookmark[],
): Promise<readonly Bookmark[]> {
  if (bookmarks.length === 0) return [];
  const taken = new Set((await store.bookmarks(null)).map(({ title }) => title));
  return bookmarks.map((bookmark) => {
    let { title } = bookmark;
    for (let number = 1; taken.has(title); number += 1) {
      title = `${bookmark.title} (restored${number === 1 ? "" : ` ${number}`})`;
    }
    taken.add(title);
    return { ...bookmark, title };
  });
}

/** Returns the root's usage of deleted messages without that of restored ones. */
export function withoutUsage(
  { deletedUsage = [] }: ForestRoot,
  nodes: readonly ForestNode[],
): { readonly deletedUsage?: readonly ModelUsage[] } {
  const restored = usageWith([], nodes);
  return restored.length === 0 ? {} : { deletedUsage: usageWithout(deletedUsage, restored) };
}
