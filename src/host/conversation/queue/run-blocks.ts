import type { Refusal } from "../../../core/base/errors.ts";
import type { Result } from "../../../core/base/result.ts";
import type { Activity } from "../base/activities.ts";
import { storeRetryMs, type ConversationPorts } from "../base/conversation-ports.ts";
import type { OwnedRun } from "../run/owned-run.ts";
import type { Plan } from "../plan/plan.ts";
import type { ClosedBlock } from "../plan/plan-run.ts";
import { statusOf, type LiveBlock } from "../base/run-snapshot.ts";

interface RunBlocksDeps {
  readonly ports: Pick<ConversationPorts, "blocks" | "platform">;
  readonly commit: (plan: Plan) => Promise<Result<void, Refusal>>;
  readonly hasEnded: () => boolean;
  /** Runs a job in the conversation's queue. */
  readonly enqueue: (job: () => Promise<void>) => void;
  readonly failed: (what: string, problem: unknown) => void;
}

/** The live blocks that show what a conversation's runs are doing. Called in the conversation's queue. */
export class RunBlocks {
  readonly #deps: RunBlocksDeps;

  constructor(deps: RunBlocksDeps) {
    this.#deps = deps;
  }

  /** Shows a block of an activity, or closes it if the run has dropped the activity. */
  async show(run: OwnedRun, activity: Activity, block: LiveBlock): Promise<void> {
    if (this.#deps.hasEnded()) return;
    if (!run.performer.isCurrent(activity)) return this.close([block], "error");
    const { snapshot } = run;
    await this.#deps.commit({ runs: [{ run, next: { ...snapshot, liveBlocks: [...snapshot.liveBlocks, block] } }] });
    await this.#announce(run, block);
  }

  /** Closes blocks without waiting. */
  close(blocks: readonly ClosedBlock[], status: "done" | "error"): void {
    const { ports, failed } = this.#deps;
    for (const { id, place } of blocks) {
      void ports.blocks.finish(id, status, place).catch((problem: unknown) => failed("live-block-not-closed", problem));
    }
  }

  /**
   * Announces a live block to the watchers as soon as the store accepts the feed entry, unless it has been closed by then.
   */
  async #announce(run: OwnedRun, block: LiveBlock): Promise<void> {
    const { commit, enqueue, failed, hasEnded, ports } = this.#deps;
    if (hasEnded() || !run.snapshot.liveBlocks.includes(block)) return;
    try {
      if ((await commit({ feed: [statusOf(run.snapshot)] })).ok) return;
    } catch (problem) {
      failed("live-block-not-told", problem);
    }
    ports.platform.clock.setTimer(storeRetryMs, () => enqueue(() => this.#announce(run, block)));
  }
}
