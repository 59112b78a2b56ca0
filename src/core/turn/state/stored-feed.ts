import type { NodeId } from "../../base/ids.ts";
import type { ForestNode } from "../../forest/types.ts";
import type { FeedRecord, RunFeedBody } from "./feed.ts";

type NodeBody = Extract<RunFeedBody, { readonly node: ForestNode }>;
type StoredNode = Omit<ForestNode, "message"> & { readonly message?: never };

/** The body of an entry as it is stored: a node without its message, which is stored once, with the node itself. */
export type StoredFeedBody =
  | Exclude<RunFeedBody, NodeBody>
  | { readonly type: NodeBody["type"]; readonly node: StoredNode };

/** An entry of a conversation's feed as it is stored. */
export interface StoredFeedRecord extends Omit<FeedRecord, "body"> {
  readonly body: StoredFeedBody;
}

export function storedRecord({ body, ...record }: FeedRecord): StoredFeedRecord {
  if (!isOfNode(body)) return { ...record, body };
  const { message: _, ...node } = body.node;
  return { ...record, body: { type: body.type, node } };
}

/** The nodes whose messages `wholeRecords` needs. */
export function nodesNamed(records: readonly StoredFeedRecord[]): readonly NodeId[] {
  return [...new Set(records.flatMap(({ body }) => (isOfNode(body) ? [body.node.id] : [])))];
}

/**
 * Returns stored entries with the messages of their nodes. Null when one cannot be told as it was: its node is gone, or what
 * it says has changed since, which its hash shows.
 */
export function wholeRecords(
  records: readonly StoredFeedRecord[],
  nodes: readonly ForestNode[],
): readonly FeedRecord[] | null {
  const nodesById = new Map(nodes.map((node) => [node.id, node]));
  const whole: FeedRecord[] = [];
  for (const { body, ...record } of records) {
    if (isOfNode(body)) {
      const stored = nodesById.get(body.node.id);
      if (stored?.prefixHash !== body.node.prefixHash) return null;
      whole.push({ ...record, body: { type: body.type, node: { ...body.node, message: stored.message } } });
    } else whole.push({ ...record, body });
  }
  return whole;
}

function isOfNode<Body extends { readonly type: string }>(
  body: Body,
): body is Extract<Body, { readonly type: "node-added" | "node-changed" }> {
  return body.type === "node-added" || body.type === "node-changed";
}
