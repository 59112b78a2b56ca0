import type { EffectContext } from "./conversation-ports.ts";
import type { AgentParent } from "./ports.ts";

/** Returns the run that starts sub-agents, as they know it. */
export function agentParent({ root, run, turn }: Pick<EffectContext, "root" | "run" | "turn">): AgentParent {
  const { id: rootId, cwd, folderId = null } = root;
  return { rootId, runId: run.id, turnId: turn.turnId, model: turn.model, cwd, folderId };
}
