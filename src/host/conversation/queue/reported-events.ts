import type { Refusal } from "../../../core/base/errors.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { ModelRequestFacts } from "../../../core/forest/types.ts";
import type { TurnEvent } from "../../../core/turn/event.ts";
import { refusalOf } from "../../base/store-refusal.ts";
import type { Activity } from "../base/activities.ts";
import { heddle } from "../base/actors.ts";
import { storeRetryMs, type ConversationPorts } from "../base/conversation-ports.ts";
import type { EventContext } from "../plan/event-context.ts";
import type { OwnedRun } from "../run/owned-run.ts";
import type { Plan } from "../plan/plan.ts";
import { restartEvent } from "../run/recovery.ts";

/** What something under way reports, and how the model was asked where it is a reply. */
export interface ReportedEvent {
  readonly activity: Activity;
  readonly event: TurnEvent;
  readonly request?: ModelRequestFacts;
}

type ReportPorts = Pick<ConversationPorts, "store" | "models" | "tools" | "platform">;

/** The conversation that takes the events. */
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
 * Takes the events that nobody waits for, so that none is lost: while the store refuses them or is away, again and again.
 * All of it happens in the conversation's queue.
 */
export class ReportedEvents {
  readonly #ports: ReportPorts;
  readonly #owner: ReportOwner;

  constructor(ports: ReportPorts, owner: ReportOwner) {
    this.#ports = ports;
    this.#owner = owner;
  }

  async take(run: OwnedRun, reported: ReportedEvent): Promise<void> {
    const { activity, event, request } = reported;
    if (this.#owner.hasEnded() || !run.performer.isCurrent(activity)) return;
    const context = { sender: heddle, ...(request && { request }) };
    const problem = await this.#problemOf(() => this.#owner.take(run, event, context, activity));
    if (problem === null) return;
    this.#log(run, event, problem);
    if (isPassing(problem)) this.#later(() => this.take(run, reported));
    // What it brings cannot be stored, now or later: the run goes on as if it had been lost in a stop.
    else if (problem.code === "INTERNAL") this.#later(() => this.#restartAt(run, activity));
    else run.performer.settle(activity);
  }

  /** Tells a run what is known of the time before a stop. Nothing else happens to the run before it has taken that. */
  async restart(run: OwnedRun, event: TurnEvent): Promise<void> {
    await this.#owe(run, event);
    await this.#restart(run, event);
  }

  /** Lets a run take first what is known of the time before a stop. */
  async takeRestart(run: OwnedRun): Promise<Result<void, Refusal>> {
    const event = run.snapshot.restart;
    return event === null ? ok(undefined) : this.#owner.take(run, event, { sender: heddle }, null);
  }

  /** Sets the restart event that a run must take first, or none. */
  #owe(run: OwnedRun, restart: TurnEvent | null): Promise<Result<void, Refusal>> {
    return this.#owner.commit({ runs: [{ run, next: { ...run.snapshot, restart } }] });
  }

  async #restart(run: OwnedRun, event: TurnEvent): Promise<void> {
    if (this.#owner.hasEnded() || run.snapshot.restart !== event) return;
    const problem = await this.#problemOf(() => this.takeRestart(run));
    if (problem === null) return;
    this.#log(run, event, problem);
    if (isPassing(problem)) this.#later(() => this.#restart(run, event));
    else await this.#owe(run, null);
  }

  /** Goes on with a run as after a stop, from what the store knows of it, if it still waits for this activity. */
  async #restartAt(run: OwnedRun, activity: Activity): Promise<void> {
    if (this.#owner.hasEnded() || !run.performer.isCurrent(activity)) return;
    const { models, tools, platform, store } = this.#ports;
    const { record } = run.snapshot;
    const effects = await store.effects(record.id);
    run.performer.settle(activity);
    await this.restart(
      run,
      restartEvent({ run: record, effects, blocks: [] }, { models, tools, now: platform.clock.now() }),
    );
  }

  /** Why it was not done; null where it was. */
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
