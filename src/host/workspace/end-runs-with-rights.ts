import type { Actor } from "../../core/base/actor.ts";
import type { PersonId } from "../../core/base/ids.ts";
import { reasonOf } from "../../core/base/reason.ts";
import type { Logger } from "../../core/port/platform.ts";
import type { RunRecord, Store } from "../../core/port/store.ts";
import { chainOf, type ChainPorts } from "../access/chains.ts";
import { roleTest } from "../access/member.ts";
import type { RightsKeeper } from "../access/rights-keeper.ts";
import { systemActor } from "../conversation/base/actors.ts";
import type { Conversations } from "../conversation/base/types.ts";

interface Ports {
  readonly keeper: Pick<RightsKeeper, "rights" | "onChanged">;
  readonly store: Pick<Store, "unsettledRuns" | "waiting"> & ChainPorts["store"];
  readonly folders: ChainPorts["folders"];
  readonly conversations: Pick<Conversations, "runs" | "waiting">;
  /** Returns the person for whom a program acts, by the id under which it writes; null: it is none. */
  readonly personOfProgram: (actorId: string) => PersonId | null;
  readonly logger: Logger;
}

/**
 * Ends, when rights change, the turns that somebody began who may no longer ask in their conversation, and takes their waiting
 * messages back: else an agent would go on for them with the rights of those who remain. Returns how to stop.
 */
export function endRunsWithRights(ports: Ports): () => void {
  let isLooking = false;
  let isAskedAgain = false;
  // One run that cannot be ended keeps no other going.
  const notEnded = (problem: unknown): void => ports.logger.error("runs-not-ended", { reason: reasonOf(problem) });
  const look = async (): Promise<void> => {
    isAskedAgain = true;
    if (isLooking) return;
    isLooking = true;
    try {
      while (isAskedAgain) {
        isAskedAgain = false;
        for (const run of await ports.store.unsettledRuns()) await endWithout(run, ports).catch(notEnded);
      }
    } catch (problem) {
      notEnded(problem);
    } finally {
      isLooking = false;
    }
  };
  void look();
  return ports.keeper.onChanged(() => void look());
}

async function endWithout(run: RunRecord, ports: Ports): Promise<void> {
  const { keeper, store, conversations, personOfProgram } = ports;
  const chain = await chainOf({ type: "conversation", id: run.rootId }, ports);
  if (chain === null) return;
  const { people } = keeper.rights;
  const mayAsk = (person: PersonId | null): boolean =>
    person !== null && people.has(person) && roleTest(keeper, person)(chain, "editor");
  const personOf = ({ id }: Actor): PersonId | null =>
    people.has(id as string as PersonId) ? (id as string as PersonId) : personOfProgram(id);
  for (const { id, version, actor } of await store.waiting(run.id)) {
    if (actor.type === "person" && !mayAsk(personOf(actor)))
      await conversations.waiting.withdraw({ runId: run.id, id, version });
  }
  const payer = run.settings?.payer;
  if (payer !== undefined && !mayAsk(payer)) {
    await conversations.runs.cancel(systemActor, { runId: run.id, reason: "stopped" });
  }
}
