import type { AgentsReach } from "../../access/reach.ts";
import type { ConversationPorts, EffectContext } from "./conversation-ports.ts";

/**
 * Returns what a turn may know of now; null: everything. Of a turn that nobody has begun it is what everyone in the conversation may
 * know of.
 */
export async function reachOfTurn(
  { rights }: Pick<ConversationPorts, "rights">,
  { root, run }: Pick<EffectContext, "root" | "run">,
  isBegun = true,
): Promise<AgentsReach | null> {
  if (rights === undefined) return null;
  return rights.reach(root, isBegun ? await rights.askersOfRun(run) : {});
}
