import { useMemo } from "react";
import type { Refusal } from "../../../src/core/base/errors.ts";
import type { BlockId, RootId, TrashId } from "../../../src/core/base/ids.ts";
import type { Result } from "../../../src/core/base/result.ts";
import type { TrashEntry } from "../../../src/core/forest/trash-entry.ts";
import { useApp } from "../ui/app-context.ts";

/** Moves things to the trash, offers to undo it for a while, and restores them. */
export interface Deletions {
  readonly removeCanvas: (canvasId: BlockId, title: string) => void;
  /** Resolves to whether it was deleted. */
  readonly removeConversation: (rootId: RootId, title: string) => Promise<boolean>;
  readonly undoable: (said: string, trashId: TrashId) => void;
  /** Restores an entry; a notice that offers the same is closed. */
  readonly restore: (
    trashId: TrashId,
    options?: { readonly keepBoth?: boolean },
  ) => Promise<Result<{ readonly entry: TrashEntry }, Refusal>>;
}

export function useDeletions(): Deletions {
  const { client, tell, announce, withdraw } = useApp();
  return useMemo(() => {
    const restore: Deletions["restore"] = async (trashId, options = {}) => {
      const restored = await client.call("trash.restore", { trashId, ...options });
      if (restored.ok) withdraw(trashId);
      return restored;
    };
    const undoable = (said: string, trashId: TrashId): void => {
      const undo = (): void => {
        void restore(trashId).then((restored) => {
          if (restored.ok) announce("Restored.");
          else tell(restored.error);
        });
      };
      tell(said, { label: "Undo", about: trashId, run: undo });
    };
    return {
      undoable,
      restore,
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
  }, [client, tell, announce, withdraw]);
}
