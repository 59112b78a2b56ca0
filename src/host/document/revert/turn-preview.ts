import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { TurnId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { unifiedDiff } from "../../../core/block/patch/unified-diff.ts";
import type { ReplicaId } from "../../../core/text/types.ts";
import { type OpenBlock, textRefusal } from "../block/open-block.ts";

/** A turn's changes in a block, and whether they are undone. */
export interface TurnPreview {
  /** Unified diff from the current text without the turn's changes to the current text with them. */
  readonly diff: string;
  readonly undone: boolean;
}

/**
 * Returns what undoing a turn would remove from a block, or redoing it would restore: the turn's changes that survive,
 * without the edits of others. The block's undo ledger must be open.
 */
export function previewTurn(block: OpenBlock, turnId: TurnId): Result<TurnPreview, Refusal> {
  const { ledger } = block;
  const applied = ledger.turnUndoable(turnId);
  const undone = applied.length === 0;
  const spans = (undone ? ledger.turnRedoable(turnId) : applied).flatMap((step) => step.spans);
  if (spans.length === 0) return err(refusal("NOTHING_TO_UNDO", { turn_id: turnId }));
  // The turn is reverted on a copy; the block does not change.
  const copy = block.copy().document;
  const now = copy.text();
  const reverted = copy.cancel(nobody, spans);
  if (!reverted.ok) return err(textRefusal(reverted.error));
  const other = copy.text();
  return ok({ diff: undone ? unifiedDiff(now, other) : unifiedDiff(other, now), undone });
}

/** The number of an agent that never writes: the server assigns small numbers. */
const nobody = (2 ** 31 - 1) as ReplicaId;
