import { ok } from "../../core/base/result.ts";
import type { turnCommands } from "../../core/protocol/command/turn.ts";
import type { Performs } from "./base/call.ts";
import { turnBlocks } from "./base/turn-blocks.ts";

export const performTurn: Performs<keyof typeof turnCommands> = {
  async "turn.undo"({ workspace, author, may, remember }, { turnId }) {
    // What the turn only commented goes too, where nobody has answered; threads with others' words stay.
    const { comments, history } = workspace.hub;
    const { alone: commented } = await comments.ofTurn(turnId);
    // It may have commented where the caller may not write, or may know of nothing.
    const isOfCaller = await Promise.all(
      commented.map(({ blockId }) => may(["document.edit", { type: "block", id: blockId }])),
    );
    const alone = commented.filter((_thread, at) => isOfCaller[at] === true);
    const by = author();
    const { within, unchanged } = await turnBlocks({ workspace, may }, turnId);
    const undone = await history.undoTurn(by, turnId, {
      within,
      also: (blocks) => remember({ blocks, unchanged }, null),
    });
    if (!undone.ok && (undone.error.code !== "NOTHING_TO_UNDO" || alone.length === 0)) return undone;
    for (const { id } of alone) await comments.remove(by.actor, id);
    return ok({ blocks: undone.ok ? undone.value : [], unchanged });
  },
  async "turn.redo"({ workspace, author, may, remember }, { turnId }) {
    const { within, unchanged } = await turnBlocks({ workspace, may }, turnId);
    const redone = await workspace.hub.history.redoTurn(author(), turnId, {
      within,
      also: (blocks) => remember({ blocks, unchanged }, null),
    });
    return redone.ok ? ok({ blocks: redone.value, unchanged }) : redone;
  },
};
