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
  const { load } = conversation;
  const { missing } = useSelected(conversation.state, ({ tree }) => ({ missing: missingNode(wanted, tree) }));
  const { find, reveal } = load;
  useEffect(() => {
    if (missing !== null) find(missing);
  }, [missing, find]);
  useEffect(() => {
    if (nodeId !== null) reveal(nodeId);
  }, [nodeId, goal, reveal]);
  return nodeId;
}

/** The message of a goal that a part of its conversation does not hold. */
function missingNode(goal: Goal | null, tree: Branches | null): NodeId | null {
  if (goal?.what.type !== "node" || (tree?.part ?? null) === null) return null;
  return tree?.nodesById.has(goal.what.nodeId) === true ? null : goal.what.nodeId;
}

function nodeOf(goal: Goal | null, tree: Branches | null): NodeId | null {
  if (goal === null || tree === null) return null;
  const { what } = goal;
  if (what.type === "node") return tree.nodesById.has(what.nodeId) ? what.nodeId : null;
  return replyWithCall(tree.nodesById, what.callId)?.node.id ?? null;
}
