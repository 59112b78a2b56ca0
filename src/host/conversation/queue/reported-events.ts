import type { Refusal } from "../../../core/base/errors.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { TurnEvent } from "../../../core/turn/event/event.ts";
import { refusalOf } from "../../base/store-refusal.ts";
import type { Activity } from "../base/activities.ts";
import { systemActor } from "../base/actors.ts";
import { storeRetryMs, type BesideReport, type ConversationPorts } from "../base/conversation-ports.ts";
import type { EventContext } from "../plan/event-context.ts";
import type { OwnedRun } from "../run/owned-run.ts";
import type { Plan } from "../plan/plan.ts";
import type { Restart } from "../base/run-snapshot.ts";
import { restartOf } from "../run/recovery.ts";

/** What an activity reports. */
export interface ReportedEvent extends BesideReport {
  readonly activity: Activity;
  readonly event: TurnEvent;
}

type ReportPorts = Pick<ConversationPorts, "store" | "models" | "tools" | "platform">;

/** The conversation that accepts the events. */
interface ReportOwner {
  readonly take: (
    run: OwnedRun,
    event: TurnEvent,
    context: EventContext,
    reporter: Activity | null,
  ) => Promise<Result<void, Refusal>>;
  readonly commit: (plan: Plan) => Promise<Result<void, Refusal>>;
  readonly hasEnded: () => boolean;
  /** Runs a job in the conversation's queue. */
  readonly enqueue: (job: () => Promise<void>) => void;
  readonly failed: (what: string, problem: unknown) => void;
}

/**
 * Applies the events of activities, which nobody waits for. Retries while the store refuses or is away, so that none is
 * lost. Runs in the conversation's queue.
 */
export class ReportedEvents {
  readonly #ports: ReportPorts;
  readonly #owner: ReportOwner;

  constructor(ports: ReportPorts, owner: ReportOwner) {
    this.#ports = ports;
    this.#owner = owner;
  }

  async take(run: OwnedRun, reported: ReportedEvent): Promise<void> {
    const { activity, event, noted: writes, ...beside } = reported;
    if (this.#owner.hasEnded() || !run.performer.isCurrent(activity)) return;
    const context = { sender: systemActor, ...beside, ...(writes && { alongside: () => ({ writes }) }) };
    const problem = await this.#problemOf(() => this.#owner.take(run, event, context, activity));
    if (problem === null) return;
    this.#log(run, event, problem);
    if (isPassing(problem)) this.#later(() => this.take(run, this.#thatFits(run, reported, problem)));
    // The event can never be stored: recover the run as if the activity had been lost in a crash.
    else if (problem.code === "INTERNAL") this.#later(() => this.#restartAt(run, activity));
    else run.performer.settle(activity);
  }

  /** A reply that a person stops is not waited for until the disk has room for its words: without them the run can end. */
  #thatFits(run: OwnedRun, reported: ReportedEvent, { code }: Refusal): ReportedEvent {
    const { activity, event } = reported;
    const isReply = event.type === "response-finished" || event.type === "response-failed";
    if (code !== "STORE_FULL" || !isReply || run.snapshot.record.state.type !== "cancelling") return reported;
    const failure = { class: "cancelled", message: "The disk had no room for the reply.", retryable: false } as const;
    const now = this.#ports.platform.clock.now();
    return { activity, event: { type: "response-failed", attempt: event.attempt, failure, partial: null, now } };
  }

  /** Lets a run accept no other event before this one. */
  async expectRestart(run: OwnedRun, restart: Restart): Promise<void> {
    await this.#setRestart(run, restart);
  }

  /** Applies the restart event that a run expects, unless another event has brought it about. */
  async restart(run: OwnedRun, restart: Restart): Promise<void> {
    if (this.#owner.hasEnded() || run.snapshot.restart !== restart) return;
    const problem = await this.#problemOf(() => this.takeRestart(run));
    if (problem === null) return;
    this.#log(run, restart.event, problem);
    if (isPassing(problem)) this.#later(() => this.restart(run, restart));
    else await this.#setRestart(run, null);
  }

  /** Lets a run accept its restart event first. */
  async takeRestart(run: OwnedRun): Promise<Result<void, Refusal>> {
    const { restart } = run.snapshot;
    if (restart === null) return ok(undefined);
    const { event, ...beside } = restart;
    return this.#owner.take(run, event, { sender: systemActor, ...beside }, null);
  }

  /** Sets the restart event that a run must accept first, or clears it. */
  #setRestart(run: OwnedRun, restart: Restart | null): Promise<Result<void, Refusal>> {
    return this.#owner.commit({ runs: [{ run, next: { ...run.snapshot, restart } }] });
  }

  /** Recovers a run from the store as after a crash, if it still waits for this activity. */
  async #restartAt(run: OwnedRun, activity: Activity): Promise<void> {
    if (this.#owner.hasEnded() || !run.performer.isCurrent(activity)) return;
    const { models, tools, platform, store } = this.#ports;
    const { record } = run.snapshot;
    const effects = await store.effects(record.id);
    run.performer.settle(activity);
    const restart = restartOf({ run: record, effects, blocks: [] }, { models, tools, now: platform.clock.now() });
    await this.expectRestart(run, restart);
    await this.restart(run, restart);
  }

  /** Returns why the job failed; null if it succeeded. */
  async #problemOf(job: () => Promise<Result<void, Refusal>>): Promise<Refusal | null> {
    try {
      const done = await job();
      return done.ok ? null : done.error;
    } catch (problem) {
      this.#owner.failed("event-failed", problem);
      return refusalOf(problem);
    }
  }

  #later(job: () => Promise<void>): void {
    this.#ports.platform.clock.setTimer(storeRetryMs, () => this.#owner.enqueue(job));
  }

  #log({ id: runId }: OwnedRun, event: TurnEvent, { code }: Refusal): void {
    this.#ports.platform.logger.error("event-refused", { runId, event: event.type, code });
  }
}

function isPassing({ code }: Refusal): boolean {
  return code === "STORE_FULL" || code === "STORE_FAILED";
}
