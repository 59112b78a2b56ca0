import type { Refusal } from "../base/errors.ts";
import { refusal } from "../base/errors.ts";
import type { NodeId } from "../base/ids.ts";
import type { Result } from "../base/result.ts";
import { err, ok } from "../base/result.ts";
import { normalizeForComparison } from "../message/normalize.ts";
import { readMessage } from "../message/read.ts";
import { openCalls } from "../message/transcript.ts";
import type { Message } from "../message/types.ts";
import { prefixHash } from "./prefix-hash.ts";
import type { ForestNode } from "./types.ts";

/** A message with the name of the conversation that it ends. */
export interface HashedMessage {
  readonly message: Message;
  readonly prefixHash: string;
}

/** What an append does: `reused` stand already, in order from the parent down; `created` follow below the last of them. */
export interface AppendPlan {
  readonly reused: readonly ForestNode[];
  readonly created: readonly HashedMessage[];
  /** The last reused node, or the parent: where the first created node hangs. */
  readonly attachTo: NodeId | null;
}

/**
 * Reads what is to be appended below a path: all of it or nothing. Empty messages are skipped; a tool result must answer
 * the next open call of the path. Calls may stay open: their results come with a later append.
 */
export function prepareAppend(
  path: readonly ForestNode[],
  messages: readonly unknown[],
): Result<readonly HashedMessage[], Refusal> {
  const prepared: HashedMessage[] = [];
  let parentHash = path.at(-1)?.prefixHash ?? null;
  for (const [index, candidate] of messages.entries()) {
    const read = readMessage(candidate);
    if (!read.ok) return err(refusal("MESSAGE_INVALID", { ...read.error.details, index }));
    if (normalizeForComparison(read.value) === null) continue;
    parentHash = prefixHash(parentHash, read.value);
    prepared.push({ message: read.value, prefixHash: parentHash });
  }
  const whole = openCalls([...path.map((node) => node.message), ...prepared.map(({ message }) => message)]);
  return whole.ok ? ok(prepared) : whole;
}

/**
 * Reuses the longest prefix that stands already. `standing` holds what the children below `parentId` were found to be,
 * level by level: the node for each prepared message as far as there is one.
 */
export function planAppend(
  parentId: NodeId | null,
  prepared: readonly HashedMessage[],
  standing: readonly (ForestNode | null)[],
): AppendPlan {
  const reused: ForestNode[] = [];
  let attachTo = parentId;
  for (const [index, { prefixHash: hash }] of prepared.entries()) {
    const node = standing[index] ?? null;
    if (node === null || node.parentId !== attachTo || node.prefixHash !== hash) break;
    reused.push(node);
    attachTo = node.id;
  }
  return { reused, created: prepared.slice(reused.length), attachTo };
}
