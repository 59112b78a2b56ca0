import { useCallback, useEffect, useState } from "react";
import type { NodeId, RootId, ToolCallId } from "../../../src/core/base/ids.ts";
import { replyWithCall } from "../blame/origin-words.ts";
import type { ConversationModel } from "../conversation/state/use-conversation.ts";

/** A message that somebody wants to see, by its id or by a call that was made in it. */
interface Goal {
  readonly rootId: RootId;
  readonly what:
    | { readonly type: "node"; readonly nodeId: NodeId }
    | { readonly type: "call"; readonly callId: ToolCallId };
}

/** Leads to messages, also of conversations that are still on their way. */
export interface Goals {
  /** The message to be shown, once it is here. */
  readonly nodeId: NodeId | null;
  readonly seek: (goal: Goal | null) => void;
}

export function useGoal(model: Pick<ConversationModel, "rootId" | "view" | "show">): Goals {
  const [goal, setGoal] = useState<Goal | null>(null);
  const nodesById = model.view?.nodesById ?? null;
  const nodeId = goal === null || goal.rootId !== model.rootId ? null : nodeOf(goal, nodesById);
  const { show } = model;
  useEffect(() => {
    if (nodeId !== null) show(nodeId);
  }, [nodeId, goal, show]);
  const seek = useCallback((next: Goal | null) => setGoal(next), []);
  return { nodeId, seek };
}

function nodeOf({ what }: Goal, nodesById: NonNullable<ConversationModel["view"]>["nodesById"] | null): NodeId | null {
  if (nodesById === null) return null;
  if (what.type === "node") return nodesById.has(what.nodeId) ? what.nodeId : null;
  return replyWithCall(nodesById, what.callId)?.node.id ?? null;
}
