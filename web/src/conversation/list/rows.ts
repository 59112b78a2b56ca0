import type { ToolCallId } from "../../../../src/core/base/ids.ts";
import type { Compacts, ForestNode } from "../../../../src/core/forest/types.ts";
import type { ToolMessage } from "../../../../src/core/message/types.ts";
import { isHidden } from "../../view/branches/hidden.ts";
import { type Branches, type Siblings, siblingsOf } from "../../view/branches/path.ts";

/** One row of a conversation. Tool results are in the rows of their calls. */
export type ConversationRow =
  | { readonly type: "question"; readonly node: ForestNode; readonly siblings: Siblings }
  | {
      readonly type: "reply";
      readonly node: ForestNode;
      readonly siblings: Siblings;
      /** The results of its calls. Some servers give calls of several replies one id, so each reply has its own. */
      readonly results: ReadonlyMap<ToolCallId, ToolMessage>;
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

const noResults: ReadonlyMap<ToolCallId, ToolMessage> = new Map();

/** Returns the rows of a path. */
export function rowsOf(branches: Branches, path: readonly ForestNode[]): readonly ConversationRow[] {
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
          results: resultsAfter(path, index),
          begins: !continues(path[index - 1]),
          ends: !continues(path[index + 1]),
        });
        break;
      case "tool":
        if (!isCalledBefore(path, index, message.tool_call_id)) rows.push({ type: "result", node, result: message });
        break;
      case "system":
        rows.push({ type: "hidden", node });
        break;
    }
  });
  return rows;
}

/** The results that directly follow a reply. */
function resultsAfter(path: readonly ForestNode[], index: number): ReadonlyMap<ToolCallId, ToolMessage> {
  if (path[index + 1]?.message.role !== "tool") return noResults;
  const results = new Map<ToolCallId, ToolMessage>();
  for (let at = index + 1; at < path.length; at += 1) {
    const message = path[at]?.message;
    if (message?.role !== "tool") break;
    results.set(message.tool_call_id, message);
  }
  return results;
}

/** Whether the reply of the round that a result is in made its call. */
function isCalledBefore(path: readonly ForestNode[], index: number, callId: ToolCallId): boolean {
  let at = index;
  while (path[at]?.message.role === "tool") at -= 1;
  const message = path[at]?.message;
  return (
    message?.role === "assistant" && message.content.some((block) => block.type === "tool-use" && block.id === callId)
  );
}

function continues(node: ForestNode | undefined): boolean {
  return node !== undefined && (node.message.role === "assistant" || node.message.role === "tool");
}
