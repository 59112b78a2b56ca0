import { useMemo } from "react";
import type { BlockId, RootId, TrashId } from "../../../src/core/base/ids.ts";
import { useApp } from "../ui/app-context.ts";

/** Moves things to the trash, and offers to undo it for a while. */
export interface Deletions {
  readonly removeCanvas: (canvasId: BlockId, title: string) => void;
  /** Resolves to whether it was deleted. */
  readonly removeConversation: (rootId: RootId, title: string) => Promise<boolean>;
  readonly undoable: (said: string, trashId: TrashId) => void;
}

export function useDeletions(): Deletions {
  const { client, tell, announce } = useApp();
  return useMemo(() => {
    const undoable = (said: string, trashId: TrashId): void => {
      const undo = (): void => {
        void client.call("trash.restore", { trashId }).then((restored) => {
          if (restored.ok) announce("Restored.");
          else tell(restored.error);
        });
      };
      tell(said, { label: "Undo", run: undo });
    };
    return {
      undoable,
      removeCanvas(canvasId, title) {
        void client.call("block.delete", { blockId: canvasId }).then((deleted) => {
          if (deleted.ok) undoable(`“${title}” is in the trash.`, deleted.value.entry.id);
          else tell(deleted.error);
        });
      },
      async removeConversation(rootId, title) {
        const deleted = await client.call("conversation.delete", { rootId });
        if (deleted.ok) undoable(`“${title}” is in the trash.`, deleted.value.entry.id);
        else tell(deleted.error);
        return deleted.ok;
      },
    };
  }, [client, tell, announce]);
}
