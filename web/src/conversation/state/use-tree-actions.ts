import { useMemo } from "react";
import type { Refusal } from "../../../../src/core/base/errors.ts";
import type { NodeId, RequestId } from "../../../../src/core/base/ids.ts";
import type { Result } from "../../../../src/core/base/result.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { useDeletions } from "../../trash/use-deletions.ts";
import { useApp } from "../../ui/app-context.ts";
import { freshId } from "../../browser/session.ts";

/**
 * A person's changes of the tree; each reports its errors and follows the result. Changes with input resolve to whether
 * they succeeded.
 */
export interface TreeActions {
  readonly split: (node: ForestNode, at: number) => void;
  readonly remove: (node: ForestNode, wish: { readonly reparent: boolean; readonly force: boolean }) => void;
  readonly tag: (node: ForestNode, tags: readonly string[]) => Promise<boolean>;
  readonly bookmark: (node: ForestNode, title: string) => Promise<boolean>;
  readonly unbookmark: (title: string) => void;
  readonly exclude: (node: ForestNode, excluded: boolean) => void;
  readonly collapse: (node: ForestNode, collapsed: boolean) => void;
  readonly switchSummary: (node: ForestNode, off: boolean) => void;
  readonly rewriteSummary: (node: ForestNode, text: string) => Promise<boolean>;
  /** Copies a stretch of a branch below another message, and shows the copy. */
  readonly graft: (stretch: Stretch, parent: ForestNode) => void;
}

/** A stretch of a branch: its first and its last message. */
export interface Stretch {
  readonly first: ForestNode;
  readonly last: ForestNode;
}

export function useTreeActions(show: (nodeId: NodeId) => void): TreeActions {
  const { client, tell, announce } = useApp();
  const { undoable } = useDeletions();
  return useMemo(() => {
    const after = (said: string, then?: () => void) => (result: Result<unknown, Refusal>) => {
      if (result.ok) {
        announce(said);
        then?.();
      } else tell(result.error);
      return result.ok;
    };
    return {
      split(node, at) {
        const wish = { nodeId: node.id, at, clientRequestId: freshId("req") as RequestId };
        void client.call("message.split", wish).then(after("The message is split into two.", () => show(node.id)));
      },
      remove(node, { reparent, force }) {
        void client.call("message.delete", { nodeId: node.id, reparent, force }).then((deleted) => {
          if (!deleted.ok) return tell(deleted.error);
          const { nodeIds, trashId } = deleted.value;
          const said =
            nodeIds.length === 1 ? "The message is in the trash." : `${nodeIds.length} messages are in the trash.`;
          if (trashId !== undefined) undoable(said, trashId);
        });
      },
      tag(node, tags) {
        return client.call("message.label", { nodeId: node.id, tags }).then(after("The tags are saved."));
      },
      bookmark({ rootId, id: nodeId }, title) {
        return client.call("bookmark.put", { title, rootId, nodeId }).then(after(`Bookmarked as ${title}.`));
      },
      exclude({ id: nodeId }, excluded) {
        const said = excluded
          ? "The model receives this message no more. It stays here."
          : "The model receives this message again.";
        void client.call("message.exclude", { nodeId, excluded }).then(after(said));
      },
      collapse({ id: nodeId }, collapsed) {
        const said = collapsed ? "The message is folded." : "The message is unfolded.";
        void client.call("message.collapse", { nodeId, collapsed }).then(after(said));
      },
      switchSummary({ id: nodeId }, off) {
        const said = off ? "The model receives the original messages again." : "The model receives the summary again.";
        void client.call(off ? "branch.originals" : "branch.summary", { nodeId }).then(after(said));
      },
      rewriteSummary({ id: nodeId }, text) {
        return client.call("message.rewrite", { nodeId, text }).then(after("The summary is saved."));
      },
      graft({ first, last }, { id: parentNodeId }) {
        const wish = { nodeId: last.id, fromNodeId: first.id, parentNodeId };
        void client.call("message.graft", wish).then((grafted) => {
          if (!grafted.ok) return tell(grafted.error);
          announce("The branch is copied below this message.");
          if (grafted.value.nodeId !== null) show(grafted.value.nodeId);
        });
      },
      unbookmark(title) {
        void client.call("bookmark.delete", { title }).then(after("The bookmark was removed."));
      },
    };
  }, [client, tell, announce, show, undoable]);
}
