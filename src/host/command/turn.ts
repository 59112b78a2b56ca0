import { ok } from "../../core/base/result.ts";
import type { turnCommands } from "../../core/protocol/command/turn.ts";
import type { Performs } from "./call.ts";

export const performTurn: Performs<keyof typeof turnCommands> = {
  async "turn.undo"({ workspace, author, remember }, { turnId }) {
    const undone = await workspace.hub.history.undoTurn(author(), turnId, (blocks) => remember({ blocks }, null));
    return undone.ok ? ok({ blocks: undone.value }) : undone;
  },
  async "turn.redo"({ workspace, author, remember }, { turnId }) {
    const redone = await workspace.hub.history.redoTurn(author(), turnId, (blocks) => remember({ blocks }, null));
    return redone.ok ? ok({ blocks: redone.value }) : redone;
  },
};
