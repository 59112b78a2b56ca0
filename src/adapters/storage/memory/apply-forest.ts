import { assert, must } from "../../../core/base/assert.ts";
import type { NodeId } from "../../../core/base/ids.ts";
import type { Bookmark, ForestNode, ForestRoot } from "../../../core/forest/types.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import { messageHash, prefixHashBelow } from "../shared/message-hash.ts";
import type { Draft } from "./draft.ts";

/** Changes of the forest. Each returns whether it was made; false: refused with CONFLICT. */

export function putRoot(draft: Draft, root: ForestRoot): boolean {
  const { rootsById, deletedRoots } = draft.tables;
  if (deletedRoots.has(root.id)) return false;
  for (const { value } of rootsById.values()) {
    if (value.id === root.id) continue;
    if (value.slug === root.slug) return false;
    if (root.configHash !== undefined && value.configHash === root.configHash) return false;
  }
  assert(root.parent === undefined || rootsById.has(root.parent.rootId), `the parent of ${root.id} is stored`);
  draft.place(rootsById, root.id, root);
  return true;
}

export function putNode(draft: Draft, node: ForestNode): boolean {
  const { rootsById, nodesById, deletedNodes } = draft.tables;
  if (deletedNodes.has(node.id)) return false;
  assert(rootsById.has(node.rootId), `the root of ${node.id} is stored`);
  const parent = node.parentId === null ? null : nodesById.get(node.parentId)?.value;
  assert(parent === null || parent?.rootId === node.rootId, `the parent of ${node.id} is stored, in the same root`);
  const stored = nodesById.get(node.id)?.value;
  assert(stored === undefined || stored.rootId === node.rootId, "a message keeps its conversation");
  let above = stored === undefined ? null : node.parentId;
  for (; above !== null; above = nodesById.get(above)?.value.parentId ?? null) {
    assert(above !== node.id, "a message is not below itself");
  }
  store(draft, node);
  return true;
}

export function rehashBelow(draft: Draft, nodeId: NodeId): void {
  const { nodesById, forest } = draft.tables;
  const top = nodesById.get(nodeId)?.value;
  const waiting = top === undefined ? [] : [top];
  for (let above = waiting.pop(); above !== undefined; above = waiting.pop()) {
    for (const { value } of forest.children(above.rootId, above.id)) {
      const node = { ...value, prefixHash: prefixHashBelow(above.prefixHash, messageHash(value.message)) };
      if (node.prefixHash !== value.prefixHash) store(draft, node);
      waiting.push(node);
    }
  }
}

export function deleteNodes(draft: Draft, write: Extract<StoreWrite, { readonly type: "delete-nodes" }>): boolean {
  const { nodesById, deletedNodes, bookmarksByTitle, forest, runsById } = draft.tables;
  const stored = write.ids.flatMap((id) => nodesById.get(id)?.value ?? []);
  assert(
    stored.every((node) => node.rootId === write.rootId),
    "deleted messages are of the conversation that is named",
  );
  const going = new Set(stored.map(({ id }) => id));
  for (const id of going) {
    if (forest.children(write.rootId, id).some(({ value }) => !going.has(value.id))) return false;
  }
  for (const { value: run } of runsById.values()) {
    if (run.rootId !== write.rootId || run.headNodeId === null || !going.has(run.headNodeId)) continue;
    if (!isSettled(run.state)) return false;
    let head: NodeId | null = run.headNodeId;
    while (head !== null && going.has(head)) head = nodesById.get(head)?.value.parentId ?? null;
    draft.place(runsById, run.id, { ...run, headNodeId: head });
  }
  for (const { title, nodeId } of bookmarksByTitle.values()) {
    if (nodeId !== null && going.has(nodeId)) draft.delete(bookmarksByTitle, title);
  }
  // Youngest first: removing the last element of a list costs nothing.
  const youngestFirst = [...going].flatMap((id) => nodesById.get(id) ?? []).toSorted((a, b) => b.place - a.place);
  for (const node of youngestFirst) {
    draft.change(
      () => forest.remove(node),
      () => forest.add(node),
    );
    draft.delete(nodesById, node.value.id);
    draft.set(deletedNodes, node.value.id, { rootId: write.rootId, at: write.at });
  }
  return true;
}

export function putBookmark(draft: Draft, bookmark: Bookmark): void {
  const { rootsById, nodesById, bookmarksByTitle } = draft.tables;
  assert(rootsById.has(bookmark.rootId), `the root of bookmark ${bookmark.title} is stored`);
  if (bookmark.nodeId !== null) {
    const node = nodesById.get(bookmark.nodeId)?.value;
    assert(node?.rootId === bookmark.rootId, `the node of bookmark ${bookmark.title} is stored, in its root`);
  }
  draft.set(bookmarksByTitle, bookmark.title, bookmark);
}

/** Stores a node at its existing place, and in the index. */
function store(draft: Draft, node: ForestNode): void {
  const { nodesById, forest } = draft.tables;
  const before = nodesById.get(node.id);
  draft.place(nodesById, node.id, node);
  const after = must(nodesById.get(node.id), "a stored node is in the table");
  draft.change(
    () => (before === undefined ? forest.add(after) : forest.replace(before, after)),
    () => (before === undefined ? forest.remove(after) : forest.replace(after, before)),
  );
}
