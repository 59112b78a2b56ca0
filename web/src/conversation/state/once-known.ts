import type { Observable } from "../../../../src/client/base/types.ts";
import type { NodeId } from "../../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import type { ConversationState } from "./conversation-state.ts";

/** Calls back once, as soon as the tree has this message: what names a message may be here before it. */
export function onceKnown(
  state: Observable<Pick<ConversationState, "tree">>,
  nodeId: NodeId,
  known: (node: ForestNode) => void,
): void {
  let isOver = false;
  const look = (): void => {
    const node = state.get().tree?.nodesById.get(nodeId);
    if (isOver || node === undefined) return;
    isOver = true;
    // To subscribe may bring the state up to date, and so call before it has returned.
    queueMicrotask(() => stop());
    known(node);
  };
  const stop = state.subscribe(look);
  look();
}
