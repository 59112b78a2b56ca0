import type { ModelCatalogue } from "../../../core/port/language-model.ts";
import { modelActor } from "../base/actors.ts";
import type { EffectContext } from "../base/conversation-ports.ts";
import type { LiveBlockSeed } from "../base/ports.ts";

/** Returns a live block's seed without its kind and role: its author, and the run and turn it grows in. */
export function liveSeed(
  { root, run, turn }: EffectContext,
  models: ModelCatalogue,
  facts: LiveBlockSeed["metadata"],
): Omit<LiveBlockSeed, "kind" | "role"> {
  const metadata = { run_id: run.id, turn_id: turn.turnId, ...facts };
  return { rootId: root.id, actor: modelActor(turn, models), metadata };
}
