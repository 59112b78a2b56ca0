import type { HeddleClient } from "../../../../src/client/base/types.ts";
import type { Refusal } from "../../../../src/core/base/errors.ts";
import type { NodeId, RootId } from "../../../../src/core/base/ids.ts";
import { countAbove, endAt, goTo, goesOnElsewhere } from "../../view/branches/path.ts";
import type { ConversationStore } from "./conversation-store.ts";

/** Showing and loading messages of a conversation that is here in parts. */
export interface LoadActions {
  /** Shows the branch through a message, down to where it was last left; loads what is not here. */
  readonly show: (nodeId: NodeId) => void;
  /** The same, without loading: the branch ends at what is here. */
  readonly reveal: (nodeId: NodeId) => void;
  /** Loads messages above the first one of the shown path. */
  readonly loadAbove: () => void;
  /** Shows the end of the shown branch when it goes on beyond what is here. */
  readonly toBranchEnd: () => void;
  /** Loads a message that is not here, and what is directly above it, and shows it. */
  readonly find: (nodeId: NodeId) => void;
}

export function createLoad(
  rootId: RootId | null,
  store: ConversationStore,
  { client, tell }: { readonly client: HeddleClient; readonly tell: (message: Refusal) => void },
): LoadActions {
  let loading: Promise<void> | null = null;
  const load = (wish: { nodeId: NodeId; end: "here" | "leaf" }, then: (tipId: NodeId | null) => void): void => {
    if (rootId === null || loading !== null) return;
    loading = client.loadMessages(rootId, wish).then((loaded) => {
      loading = null;
      if (loaded.ok) then(loaded.value);
      else tell(loaded.error);
    });
  };
  const endOf = (nodeId: NodeId): void =>
    load({ nodeId, end: "leaf" }, (tipId) => {
      const { tree, selection } = store.get();
      if (tree !== null && tipId !== null) store.choose(endAt(tree, selection, tipId));
    });
  return {
    show(nodeId) {
      const { tree, selection } = store.get();
      if (tree === null) return;
      const next = goTo(tree, selection, nodeId);
      if (goesOnElsewhere(tree, next.tipId) && next.tipId !== null) endOf(next.tipId);
      else store.choose(next);
    },
    reveal(nodeId) {
      const { tree, selection } = store.get();
      if (tree !== null) store.choose(goTo(tree, selection, nodeId));
    },
    loadAbove() {
      const { tree, path } = store.get();
      const parentId = path[0]?.parentId ?? null;
      if (tree !== null && parentId !== null && countAbove(tree, path) > 0)
        load({ nodeId: parentId, end: "here" }, () => {});
    },
    toBranchEnd() {
      const { tipId } = store.get().selection;
      if (tipId !== null) endOf(tipId);
    },
    find(nodeId) {
      load({ nodeId, end: "here" }, (tipId) => {
        const { tree, selection } = store.get();
        if (tree !== null && tipId === nodeId) store.choose(endAt(tree, selection, nodeId));
      });
    },
  };
}
