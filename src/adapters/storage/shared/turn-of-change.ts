import type { TurnId } from "../../../core/base/ids.ts";
import type { BlockChange } from "../../../core/block/types.ts";

/** Returns the turn that a change belongs to: that of its undo unit, else that of the model that made it. */
export function turnOfChange(change: BlockChange): TurnId | null {
  const unitTurn = change.body.type === "text" ? change.body.unit.turnId : undefined;
  return unitTurn ?? (change.actor.type === "model" ? change.actor.turnId : null);
}
