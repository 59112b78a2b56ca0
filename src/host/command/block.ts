import { must } from "../../core/base/assert.ts";
import { err, ok } from "../../core/base/result.ts";
import { lacksRole } from "../access/why-not-allowed.ts";
import type { blockCommands } from "../../core/protocol/command/block.ts";
import { boundedDiff } from "../canvas/canvas-revisions.ts";
import type { RevertedBlock } from "../document/record/types.ts";
import type { BlockId } from "../../core/base/ids.ts";
import type { OpOrigin } from "../../core/protocol/commands.ts";
import type { Reach } from "../access/reach.ts";
import { unnamedAgent } from "../access/team-authors.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Performs } from "./base/call.ts";
import { turnBlocks } from "./base/turn-blocks.ts";

export const performBlock: Performs<keyof typeof blockCommands> = {
  async "block.undo-mine"({ workspace, author, actor, may, remember }, { blockId }) {
    const { history, comments } = workspace.hub;
    // Their last act may have been to undo an agent's turn: that is taken back, not the words before it.
    const turn = await history.turnUndoneLastBy(author(), blockId);
    if (!turn.ok) return turn;
    if (turn.value !== null) {
      // The turn may have changed other documents too, where others may have undone it.
      const { within: allowed } = await turnBlocks({ workspace, may }, turn.value);
      if (!allowed.has(blockId)) return err(lacksRole());
      const within = new Set<BlockId>();
      for (const id of allowed) {
        const last = await history.turnUndoneLastBy(author(), id);
        if (last.ok && last.value === turn.value) within.add(id);
      }
      const versionIn = (blocks: readonly RevertedBlock[]): { readonly version: number } => ({
        version: must(
          blocks.find((block) => block.blockId === blockId),
          "the turn changed this block",
        ).version,
      });
      const redone = await history.redoTurn(author(), turn.value, {
        within,
        also: (blocks) => remember(versionIn(blocks), null),
      });
      return redone.ok ? ok(versionIn(redone.value)) : redone;
    }
    const away = await comments.away(blockId);
    const undone = await history.undo(author(), blockId, {
      also: (version) => remember({ version }, null),
    });
    if (undone.ok && away.ok && away.value.length > 0) {
      const mayComment = (id: BlockId): Promise<boolean> => may(["document.comment", { type: "block", id }]);
      await comments.sendHome(actor, blockId, { ids: away.value, may: mayComment });
    }
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
  async "block.origins"({ workspace, reach }, params) {
    const found = await workspace.origins.of(params);
    if (!found.ok || reach === null) return found;
    const seen = async (origin: OpOrigin | null): Promise<OpOrigin | null> =>
      origin === null ? null : seenOrigin(origin, workspace, reach);
    return ok({ origins: await Promise.all(found.value.origins.map(seen)) });
  },
};

/** Returns an origin without the conversation, run and model of an agent whose conversation the caller may not know of. */
async function seenOrigin(origin: OpOrigin, { store }: Workspace, reach: Reach): Promise<OpOrigin> {
  const { actor, keptBy, rootId } = origin;
  if (actor.type !== "model") return origin;
  const root = rootId === null ? null : await store.root(rootId);
  if (root !== null && reach.conversation(root)) return origin;
  return { ...origin, actor: unnamedAgent(actor), keptBy, rootId: null };
}
