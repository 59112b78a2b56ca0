import { reasonOf } from "../../core/base/reason.ts";
import type { Logger } from "../../core/port/platform.ts";
import type { RunRecord, Store } from "../../core/port/store.ts";
import type { AccessTokens } from "../access/access-tokens.ts";
import type { RightsKeeper } from "../access/rights-keeper.ts";
import type { TurnRights } from "../access/turn-rights.ts";
import { systemActor } from "../conversation/base/actors.ts";
import type { Conversations } from "../conversation/base/types.ts";

interface Ports {
  /** null where one person owns everything. */
  readonly keeper: Pick<RightsKeeper, "onChanged"> | null;
  readonly tokens: Pick<AccessTokens, "onEnded" | "onJoined">;
  readonly rights: Pick<TurnRights, "stateOf" | "mayStillSend">;
  readonly store: Pick<Store, "unsettledRuns" | "waiting">;
  readonly conversations: Pick<Conversations, "runs" | "waiting">;
  readonly logger: Logger;
  /** Resolves when interrupted runs may go on; absent: they did. */
  readonly restartsAfter?: Promise<void>;
}

/**
 * Ends, when rights change or a token ends, the turns of those who may no longer ask in their conversation, and takes their waiting
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
  const again = (): void => void look();
  if (ports.restartsAfter === undefined) again();
  else void ports.restartsAfter.then(again);
  const stops = [ports.keeper?.onChanged(again), ports.tokens.onEnded(again), ports.tokens.onJoined(again)];
  return () => {
    for (const stop of stops) stop?.();
  };
}

async function endWithout(run: RunRecord, { rights, store, conversations }: Ports): Promise<void> {
  for (const { id, version, actor } of await store.waiting(run.id)) {
    if (!(await rights.mayStillSend(actor, run))) await conversations.waiting.withdraw({ runId: run.id, id, version });
  }
  if ((await rights.stateOf(run)) === "ended") {
    await conversations.runs.cancel(systemActor, { runId: run.id, reason: "rights-ended" });
  }
}
