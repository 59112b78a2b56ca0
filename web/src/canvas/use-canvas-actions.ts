import { type RefObject, useMemo } from "react";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { EditPolicy } from "../../../src/core/block/types.ts";
import type { CanvasEditor } from "../editor/editor.ts";
import { useApp } from "../ui/app-context.ts";
import { policyWords } from "./policy-words.ts";

/** Actions on a whole canvas; each reports its errors. */
export interface CanvasActions {
  readonly takeControl: () => void;
  readonly undoMine: () => void;
  readonly redoMine: () => void;
  readonly setPolicy: (policy: EditPolicy) => void;
  readonly copy: (text: string) => void;
}

/** `reads`: what the person can do who cannot edit; null: they can. */
export function useCanvasActions(
  replica: TextReplica,
  editor: RefObject<CanvasEditor | null>,
  reads: string | null,
): CanvasActions {
  const { client, tell, announce } = useApp();
  return useMemo((): CanvasActions => {
    const { blockId } = replica;
    const turnMine = (command: "block.undo-mine" | "block.redo-mine"): void => {
      void client.call(command, { blockId }).then((result) => {
        if (!result.ok) tell(result.error.code === "NOTHING_TO_UNDO" ? result.error.message : result.error);
      });
    };
    const copy = (text: string): void =>
      void navigator.clipboard.writeText(text).then(
        () => announce("The suggested text is copied."),
        () => tell("The browser did not allow copying. Select the text and copy it yourself."),
      );
    if (reads !== null) {
      const say = (): void => tell(reads);
      return { takeControl: say, undoMine: say, redoMine: say, setPolicy: say, copy };
    }
    return {
      takeControl() {
        void client.call("canvas.take-control", { canvasId: blockId }).then((result) => {
          if (!result.ok) return tell(result.error);
          announce("You have control of the canvas.");
          // The pressed button disappears with the lease, so the focus moves to the text.
          if (leaseHasFocus()) editor.current?.focus();
        });
      },
      undoMine: () => turnMine("block.undo-mine"),
      redoMine: () => turnMine("block.redo-mine"),
      setPolicy(policy) {
        void client.call("canvas.set-policy", { canvasId: blockId, policy }).then((result) => {
          if (!result.ok) return tell(result.error);
          announce(`${policyWords[policy].label}: ${policyWords[policy].title}.`);
        });
      },
      copy,
    };
  }, [client, replica, editor, reads, tell, announce]);
}

/** Returns whether the focus is on the lease, or was lost with it. */
function leaseHasFocus(): boolean {
  const focused = document.activeElement;
  return focused === null || focused === document.body || focused.closest(".lease") !== null;
}
