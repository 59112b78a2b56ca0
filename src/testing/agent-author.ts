import type { ModelActor } from "../core/base/actor.ts";
import type { ActorId, RunId, TurnId } from "../core/base/ids.ts";
import type { Author } from "../host/document/record/types.ts";
import type { Workspace } from "../host/workspace/workspace.ts";

/** Returns an agent of a name that edits documents, as one in a turn does; always in the same turn. */
export async function agentAuthor(
  workspace: Workspace,
  name: string,
): Promise<Author & { readonly actor: ModelActor }> {
  const actor: ModelActor = {
    type: "model",
    id: `model:${name}` as ActorId,
    name,
    model: "test/writer",
    runId: `run_${name}` as RunId,
    turnId: `turn_${name}` as TurnId,
  };
  return { ...workspace.author(actor, await workspace.replicas.forRun(actor)), actor };
}
