import type { Refusal } from "../base/errors.ts";
import { refusal } from "../base/errors.ts";
import type { NodeId } from "../base/ids.ts";
import type { Result } from "../base/result.ts";
import { err, ok } from "../base/result.ts";
import { isSameMessage, normalizeForComparison, withoutEmptyTexts, type Match } from "../message/normalize.ts";
import { readAnyMessage } from "../message/read-legacy.ts";
import { openCalls, openCallsAfter } from "../message/transcript.ts";
import type { Message } from "../message/types.ts";
import { prefixHash } from "./prefix-hash.ts";
import type { ForestNode } from "./types.ts";

/** A message with the prefix hash of the conversation that it ends. */
export interface HashedMessage {
  readonly message: Message;
  readonly prefixHash: string;
}

/**
 * The plan of an append: `reused` nodes exist already, from the parent down; `created` ones follow below the last of
 * them.
 */
export interface AppendPlan {
  readonly reused: readonly ForestNode[];
  readonly created: readonly HashedMessage[];
  /** The last reused node, or the parent: where the first created node is attached. */
  readonly attachTo: NodeId | null;
}

/**
 * Reads the messages to append below a path, legacy messages included: all of them or none. Empty messages are
 * skipped, empty texts in others dropped; a tool result must answer the next open call of the path, and takes the tool's
 * name
 * from it if it has none. Calls may stay open: a later append brings their results.
 */
export function prepareAppend(
  path: readonly ForestNode[],
  messages: readonly unknown[],
): Result<readonly HashedMessage[], Refusal> {
  const above = openCalls(path.map((node) => node.message));
  if (!above.ok) return above;
  let open = above.value;
  const prepared: HashedMessage[] = [];
  let parentHash = path.at(-1)?.prefixHash ?? null;
  for (const [index, candidate] of messages.entries()) {
    const [next] = open;
    const read = readAnyMessage(candidate, next === undefined ? {} : { toolName: next.name });
    if (!read.ok) return err(refusal(read.error.code, { ...read.error.details, index }));
    const message = withoutEmptyTexts(read.value);
    if (message === null || normalizeForComparison(message) === null) continue;
    const after = openCallsAfter(open, message, path.length + prepared.length);
    if (!after.ok) return err({ ...after.error, details: { ...after.error.details, index } });
    open = after.value;
    parentHash = prefixHash(parentHash, message);
    prepared.push({ message, prefixHash: parentHash });
  }
  return ok(prepared);
}

/**
 * Reuses the longest existing prefix. `existing` holds the matching nodes below `parentId`, level by level: the node for
 * each prepared message, as far as there is one. With `trimmed`, nodes match whose texts
 * differ only in outer blanks; the hashes below such a node continue that node's conversation.
 */
export function planAppend(
  parentId: NodeId | null,
  prepared: readonly HashedMessage[],
  existing: readonly (ForestNode | null)[],
  match: Match = "exact",
): AppendPlan {
  const reused: ForestNode[] = [];
  let attachTo = parentId;
  for (const [index, { message, prefixHash: hash }] of prepared.entries()) {
    const node = existing[index] ?? null;
    if (node === null || node.parentId !== attachTo) break;
    if (match === "exact" ? node.prefixHash !== hash : !isSameMessage(node.message, message, match)) break;
    reused.push(node);
    attachTo = node.id;
  }
  const rest = prepared.slice(reused.length);
  const above = reused.at(-1);
  const created = match === "exact" || above === undefined ? rest : hashedBelow(above.prefixHash, rest);
  return { reused, created, attachTo };
}

/** Returns the child that an append reuses: an exact match first, then one that differs only in outer blanks. */
export function matchingChild(children: readonly ForestNode[], message: Message, match: Match): ForestNode | null {
  const exact = children.find((child) => isSameMessage(child.message, message));
  if (exact !== undefined || match === "exact") return exact ?? null;
  return children.find((child) => isSameMessage(child.message, message, match)) ?? null;
}

function hashedBelow(above: string, messages: readonly HashedMessage[]): readonly HashedMessage[] {
  let parentHash = above;
  return messages.map(({ message }) => {
    parentHash = prefixHash(parentHash, message);
    return { message, prefixHash: parentHash };
  });
}
