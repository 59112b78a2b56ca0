import { ok } from "../../core/base/result.ts";
import type { blockCommands } from "../../core/protocol/command/block.ts";
import { boundedDiff } from "../canvas/canvas-revisions.ts";
import type { Performs } from "./call.ts";

export const performBlock: Performs<keyof typeof blockCommands> = {
  async "block.undo-mine"({ workspace, author, remember }, { blockId }) {
    const undone = await workspace.hub.history.undo(author(), blockId, {
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
