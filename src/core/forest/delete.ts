import { must } from "../base/assert.ts";
import { refusal, type Refusal } from "../base/errors.ts";
import type { NodeId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { openCalls, openCallsAfter, type OpenCall } from "../message/transcript.ts";
import { rehash, type ForestChange, type NodeSurroundings } from "./forest-change.ts";
import { prefixHash } from "./prefix-hash.ts";
import type { ForestNode } from "./types.ts";

/** What is deleted: everything below with it (`cascade`), or the node alone, its children moving up to its parent. */
export type DeleteMode = "cascade" | "reparent";

/** The node, and the whole path above it, from the first message to its parent. */
export type DeleteSurroundings = Omit<NodeSurroundings, "parent"> & { readonly above: readonly ForestNode[] };

/**
 * Takes a node out. Moved children keep their ids and their order, and their bookmarks with them. A call takes its
 * results along, because neither stands without the other; a result alone is refused while something hangs below it, and
 * so is whatever else would leave a history that no provider takes, or the same message twice at one place.
 */
export function planDelete(around: DeleteSurroundings, mode: DeleteMode): Result<ForestChange, Refusal> {
  const { node, below } = around;
  if (mode === "cascade") {
    return ok({ added: [], changed: [], removed: [node.id, ...below.map((each) => each.id)] });
  }
  const removed = withItsResults(node, below);
  const staying = below.filter((each) => !removed.has(each.id));
  const parent = around.above.at(-1) ?? null;
  const moved = staying.map((each) =>
    each.parentId !== null && removed.has(each.parentId) ? { ...each, parentId: node.parentId } : each,
  );
  const whole = checkBelow(around.above, moved, node.parentId);
  if (!whole.ok) return whole;
  const others = around.siblings.filter((each) => !removed.has(each.id));
  const twins = twinsAmong(
    others,
    moved.filter((each) => each.parentId === node.parentId),
    parent,
  );
  if (twins !== null) return err(refusal("SIBLING_EXISTS", twins));
  const hashes = new Map(parent === null ? [] : [[parent.id, parent.prefixHash] as const]);
  const hashed = new Map(rehash(moved, hashes).map((each) => [each.id, each]));
  const changed = moved.flatMap((each, at) => {
    const next = hashed.get(each.id) ?? each;
    return next === staying[at] ? [] : [next];
  });
  return ok({ added: [], changed, removed: [...removed] });
}

/** The node, and where it asks for tools the results right below it, on every branch. */
function withItsResults(node: ForestNode, below: readonly ForestNode[]): ReadonlySet<NodeId> {
  const removed = new Set([node.id]);
  if (node.message.role !== "assistant") return removed;
  for (const each of below) {
    if (each.message.role === "tool" && each.parentId !== null && removed.has(each.parentId)) removed.add(each.id);
  }
  return removed;
}

/** Whether every history that ends in one of the nodes is one that providers take, calls at its end left open or not. */
function checkBelow(
  above: readonly ForestNode[],
  nodes: readonly ForestNode[],
  topId: NodeId | null,
): Result<void, Refusal> {
  const start = openCalls(above.map((node) => node.message));
  if (!start.ok) return start;
  const openById = new Map<NodeId | null, { readonly open: readonly OpenCall[]; readonly depth: number }>([
    [topId, { open: start.value, depth: above.length }],
  ]);
  for (const { id, parentId, message } of nodes) {
    const before = must(openById.get(parentId), "parents come before children");
    const open = openCallsAfter(before.open, message, before.depth);
    if (!open.ok) return err({ ...open.error, details: { ...open.error.details, node_id: id } });
    openById.set(id, { open: open.value, depth: before.depth + 1 });
  }
  return ok(undefined);
}

/** Two nodes that would say the same at one place, one of them moved. */
function twinsAmong(
  standing: readonly ForestNode[],
  moved: readonly ForestNode[],
  parent: ForestNode | null,
): { readonly node_id: NodeId; readonly sibling_id: NodeId } | null {
  const idsByHash = new Map(standing.map((node) => [node.prefixHash, node.id]));
  for (const { id, message } of moved) {
    const hash = prefixHash(parent?.prefixHash ?? null, message);
    const twin = idsByHash.get(hash);
    if (twin !== undefined) return { node_id: id, sibling_id: twin };
    idsByHash.set(hash, id);
  }
  return null;
}
