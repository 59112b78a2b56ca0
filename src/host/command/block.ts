import { must } from "../../core/base/assert.ts";
import { ok } from "../../core/base/result.ts";
import type { blockCommands } from "../../core/protocol/command/block.ts";
import { boundedDiff } from "../canvas/canvas-revisions.ts";
import type { RevertedBlock } from "../document/record/types.ts";
import type { Performs } from "./call.ts";

export const performBlock: Performs<keyof typeof blockCommands> = {
  async "block.undo-mine"({ workspace, author, remember }, { blockId }) {
    const { history } = workspace.hub;
    // Their last act may have been to undo an agent's turn: that is taken back, not the words before it.
    const turn = await history.turnUndoneLastBy(author(), blockId);
    if (!turn.ok) return turn;
    if (turn.value !== null) {
      const versionIn = (blocks: readonly RevertedBlock[]): { readonly version: number } => ({
        version: must(
          blocks.find((block) => block.blockId === blockId),
          "the turn changed this block",
        ).version,
      });
      const redone = await history.redoTurn(author(), turn.value, (blocks) => remember(versionIn(blocks), null));
      return redone.ok ? ok(versionIn(redone.value)) : redone;
    }
    const undone = await history.undo(author(), blockId, {
      also: (version) => remember({ version }, null),
    });
    return undone.ok ? ok({ version: undone.value.version }) : undone;
  },
  async "block.redo-mine"({ workspace, author, remember }, { blockId }) {
    const redone = await workspace.hub.history.redo(author(), blockId, {
      also: (version) => remember({ version }, null),
    });
    return redone.ok ? ok({ version: redone.value.version }) : redone;
  },
  async "block.turns"({ workspace }, { blockId }) {
    const turns = await workspace.hub.history.turnsOf(blockId);
    return turns.ok ? ok({ turns: turns.value }) : turns;
  },
  async "block.turn-change"({ workspace }, { blockId, turnId }) {
    const preview = await workspace.hub.history.previewTurn(blockId, turnId);
    return preview.ok ? ok({ ...preview.value, ...boundedDiff(preview.value.diff) }) : preview;
  },
  "block.origins": ({ workspace }, params) => workspace.origins.of(params),
};
