import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { TurnId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { unifiedDiff } from "../../../core/block/patch/unified-diff.ts";
import type { AgentId } from "../../../core/text/types.ts";
import { type OpenBlock, textRefusal } from "../block/open-block.ts";

/** What a turn changed in a block, and whether that stands undone. */
export interface TurnPreview {
  /** A unified diff from the text without what the turn did to the text with it, as it is now otherwise. */
  readonly diff: string;
  readonly undone: boolean;
}

/**
 * What undoing a turn would take out of a block, or redoing it bring back: exactly what the turn did and nobody has changed
 * since, without what others wrote meanwhile. Its undo ledger is open.
 */
export function previewTurn(block: OpenBlock, turnId: TurnId): Result<TurnPreview, Refusal> {
  const { ledger } = block;
  const standing = ledger.turnUndoable(turnId);
  const undone = standing.length === 0;
  const spans = (undone ? ledger.turnRedoable(turnId) : standing).flatMap((step) => step.spans);
  if (spans.length === 0) return err(refusal("NOTHING_TO_UNDO", { turn_id: turnId }));
  // A copy is turned over: the block itself stays as it is.
  const copy = block.copy().document;
  const now = copy.text();
  const turned = copy.cancel(nobody, spans);
  if (!turned.ok) return err(textRefusal(turned.error));
  const other = copy.text();
  return ok({ diff: undone ? unifiedDiff(now, other) : unifiedDiff(other, now), undone });
}

/** The number of an agent that never writes: the server hands numbers out from below. */
const nobody = (2 ** 31 - 1) as AgentId;
