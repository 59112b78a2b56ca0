import type { ToolCallId } from "../../../../src/core/base/ids.ts";
import type { Compacts, ForestNode } from "../../../../src/core/forest/types.ts";
import type { ToolMessage } from "../../../../src/core/message/types.ts";
import { isHidden } from "../../view/branches/hidden.ts";
import { type Branches, type Siblings, siblingsOf } from "../../view/branches/path.ts";

/** One row of a conversation. Tool results are in the rows of their calls. */
type ConversationRow =
  | { readonly type: "question"; readonly node: ForestNode; readonly siblings: Siblings }
  | {
      readonly type: "reply";
      readonly node: ForestNode;
      readonly siblings: Siblings;
      /** Whether the previous message has another author. */
      readonly begins: boolean;
      /** Whether the next message has another author or does not exist. */
      readonly ends: boolean;
    }
  /** A compaction node. */
  | { readonly type: "summary"; readonly node: ForestNode; readonly compacts: Compacts }
  /** Text that Heddle sent to the model: a thin line. */
  | { readonly type: "hidden"; readonly node: ForestNode }
  /** A result whose call is not on the path. */
  | { readonly type: "result"; readonly node: ForestNode; readonly result: ToolMessage };

export interface ConversationRows {
  readonly rows: readonly ConversationRow[];
  readonly resultsByCall: ReadonlyMap<ToolCallId, ToolMessage>;
}

/** Returns the rows of a path. */
export function rowsOf(branches: Branches, path: readonly ForestNode[]): ConversationRows {
  const resultsByCall = new Map<ToolCallId, ToolMessage>();
  const called = new Set<ToolCallId>();
  for (const { message } of path) {
    if (message.role === "tool") resultsByCall.set(message.tool_call_id, message);
    if (message.role === "assistant")
      for (const block of message.content) if (block.type === "tool-use") called.add(block.id);
  }
  const rows: ConversationRow[] = [];
  path.forEach((node, index) => {
    const { message } = node;
    switch (message.role) {
      case "user":
        if (node.compacts !== undefined) {
          rows.push({ type: "summary", node, compacts: node.compacts });
          break;
        }
        rows.push(
          isHidden(node) ? { type: "hidden", node } : { type: "question", node, siblings: siblingsOf(branches, node) },
        );
        break;
      case "assistant":
        rows.push({
          type: "reply",
          node,
          siblings: siblingsOf(branches, node),
          begins: !continues(path[index - 1]),
          ends: !continues(path[index + 1]),
        });
        break;
      case "tool":
        if (!called.has(message.tool_call_id)) rows.push({ type: "result", node, result: message });
        break;
      case "system":
        rows.push({ type: "hidden", node });
        break;
    }
  });
  return { rows, resultsByCall };
}

function continues(node: ForestNode | undefined): boolean {
  return node !== undefined && (node.message.role === "assistant" || node.message.role === "tool");
}
