import { refusal, type Refusal } from "../base/errors.ts";
import type { NodeId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { openCalls, openCallsAfter } from "../message/transcript.ts";
import { noChange, type ForestChange, type NodeSurroundings } from "./forest-change.ts";
import { prefixHash } from "./prefix-hash.ts";
import type { ForestNode } from "./types.ts";

/**
 * What to delete: the node with everything below it (`cascade`), or the node alone, its children moving up to its parent.
 */
export type DeleteMode = "cascade" | "reparent";

/** The node, and the part of the tree that a deletion needs. */
export interface DeleteSurroundings extends Omit<NodeSurroundings, "parent" | "children"> {
  /** The whole path to the node, from the first message to its parent. */
  readonly above: readonly ForestNode[];
  /**
   * The nodes below the node, parents before children: with `cascade` all of them, with `reparent` its children, the
   * children
   * of those that are results, and so on.
   */
  readonly below: readonly ForestNode[];
}

/**
 * Plans the removal of a node. Moved children keep their ids, order and bookmarks. A call takes its
 * results along, because neither is valid without the other. Refused are a result alone with nodes below it, and anything
 * that would leave a history that providers reject, or the same message twice at one place.
 */
export function planDelete(around: DeleteSurroundings, mode: DeleteMode): Result<ForestChange, Refusal> {
  const { node, below } = around;
  if (mode === "cascade") return ok({ ...noChange, removed: [node.id, ...below.map((each) => each.id)] });
  const removed = withItsResults(node, below);
  const parent = around.above.at(-1) ?? null;
  const moved = below.flatMap((each) => {
    if (removed.has(each.id) || each.parentId === null || !removed.has(each.parentId)) return [];
    return [{ ...each, parentId: node.parentId, prefixHash: prefixHash(parent?.prefixHash ?? null, each.message) }];
  });
  const whole = checkMoved(around.above, moved);
  if (!whole.ok) return whole;
  const others = around.siblings.filter((each) => !removed.has(each.id));
  const twins = twinsAmong(others, moved);
  if (twins !== null) return err(refusal("SIBLING_EXISTS", twins));
  return ok({ added: [], changed: moved, removed: [...removed], rehashedBelow: moved.map(({ id }) => id) });
}

/** Returns the node and, when it calls tools, the results directly below it on every branch. */
function withItsResults(node: ForestNode, below: readonly ForestNode[]): ReadonlySet<NodeId> {
  const removed = new Set([node.id]);
  if (node.message.role !== "assistant") return removed;
  for (const each of below) {
    if (each.message.role === "tool" && each.parentId !== null && removed.has(each.parentId)) removed.add(each.id);
  }
  return removed;
}

/**
 * Checks that providers accept every history through a moved node; calls at its end may be open. A
 * message with calls may leave them open anywhere, because their results may still follow.
 */
function checkMoved(above: readonly ForestNode[], moved: readonly ForestNode[]): Result<void, Refusal> {
  const open = openCalls(above.map((node) => node.message));
  if (!open.ok) return open;
  for (const { id, message } of moved) {
    const next = openCallsAfter(open.value, message, above.length);
    if (!next.ok) return err({ ...next.error, details: { ...next.error.details, node_id: id } });
  }
  return ok(undefined);
}

/** Returns two nodes that would say the same at one place, one of them moved. */
function twinsAmong(
  remaining: readonly ForestNode[],
  moved: readonly ForestNode[],
): { readonly node_id: NodeId; readonly sibling_id: NodeId } | null {
  const idsByHash = new Map(remaining.map((node) => [node.prefixHash, node.id]));
  for (const { id, prefixHash: hash } of moved) {
    const twin = idsByHash.get(hash);
    if (twin !== undefined) return { node_id: id, sibling_id: twin };
    idsByHash.set(hash, id);
  }
  return null;
}
