import { useEffect } from "react";
import type { NodeId } from "../../../src/core/base/ids.ts";
import { replyWithCall } from "../blame/origin-words.ts";
import type { Conversation } from "../conversation/state/conversation.ts";
import { useSelected } from "../ui/use-selected.ts";
import type { Branches } from "../view/branches/path.ts";
import type { Goal } from "./navigation.ts";

/** Returns the message of a goal once its conversation is open and contains it; shows its branch. */
export function useGoal(goal: Goal | null, conversation: Conversation): NodeId | null {
  const wanted = goal?.rootId === conversation.rootId ? goal : null;
  const { nodeId } = useSelected(conversation.state, ({ tree }) => ({ nodeId: nodeOf(wanted, tree) }));
  const { show } = conversation;
  useEffect(() => {
    if (nodeId !== null) show(nodeId);
  }, [nodeId, goal, show]);
  return nodeId;
}

function nodeOf(goal: Goal | null, tree: Branches | null): NodeId | null {
  if (goal === null || tree === null) return null;
  const { what } = goal;
  if (what.type === "node") return tree.nodesById.has(what.nodeId) ? what.nodeId : null;
  return replyWithCall(tree.nodesById, what.callId)?.node.id ?? null;
}
