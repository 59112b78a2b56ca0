import { agentParent } from "../base/agent-parent.ts";
import { must, unreachable } from "../../../core/base/assert.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import type { Clock } from "../../../core/port/platform.ts";
import type { EffectRecord } from "../../../core/port/store.ts";
import type { PerformedEffect } from "../../../core/turn/event/effect.ts";
import { approvalTimeMs } from "../../../core/turn/judge/judge-call.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import type { SubAgent, SubAgentOutcome } from "../../../core/turn/state/sub-agent.ts";
import { Activities, type Activity } from "../base/activities.ts";
import type { ApprovalRules } from "./approval-rules.ts";
import { ModelAsker, type Replied } from "../reply/ask-model.ts";
import { SummaryAsker } from "../reply/ask-summary.ts";
import { isPassing } from "../../base/store-refusal.ts";
import { storeRetryMs, type ConversationPorts, type Reports, type EffectContext } from "../base/conversation-ports.ts";
import type { AgentParent } from "../base/ports.ts";
import { abortGraceMs } from "../reply/reply-stream.ts";
import { LeaseHold } from "../reply/lease-hold.ts";
import { ObservedWork } from "./observed-work.ts";
import { CallRunner } from "./run-call.ts";
import { judgeRequest } from "./judge-request.ts";
import { possibleActivities, type PlannedEffect } from "../base/activity-keys.ts";

/** How long a stop waits for work that does not end. Milliseconds. */
export const stopGraceMs = 2_000;

/** Performs the effects of one run after their transaction and broadcast; each reports back as an event. */
export class RunPerformer {
  readonly #ports: ConversationPorts;
  readonly #reports: Reports;
  readonly #activities = new Activities();
  readonly #asker: ModelAsker;
  readonly #hold: LeaseHold;
  readonly #summaries: SummaryAsker;
  readonly #calls: CallRunner;
  readonly #observed: ObservedWork;

  constructor(ports: ConversationPorts, reports: Reports, approvalRules: ApprovalRules) {
    this.#ports = ports;
    this.#reports = reports;
    const hold = new LeaseHold(ports.leases, ports.platform.clock);
    this.#hold = hold;
    this.#asker = new ModelAsker(ports, reports, hold);
    const observed = new ObservedWork(ports);
    this.#observed = observed;
    this.#calls = new CallRunner(ports, { approvalRules, reports, hold, observed, activities: this.#activities });
    this.#summaries = new SummaryAsker(ports);
  }

  /** Returns whether the activity is the run's current one for its subject. */
  isCurrent(activity: Activity): boolean {
    return this.#activities.isCurrent(activity);
  }

  /** Whether nothing is under way. */
  get isIdle(): boolean {
    return this.#activities.isEmpty;
  }

  /** Removes an activity that has reported. */
  settle(activity: Activity): void {
    this.#activities.settle(activity);
  }

  /** Aborts everything without waiting for its end. */
  drop(): void {
    this.#activities.dropAll();
  }

  /**
   * Performs the effects of a step: first ends activities, all at once, then drops those the new state has no place for,
   * then starts new ones. `failed` receives the error of an effect that threw; the others are performed anyway.
   */
  async performAll(
    context: EffectContext,
    planned: readonly PlannedEffect[],
    failed: (problem: unknown) => void,
    goesOn: () => boolean,
  ): Promise<void> {
    const stopped = planned.flatMap(({ effect }) =>
      effect.type === "abort-tool" ? [`tool/${effect.callId}` as const] : [],
    );
    // The stream still reports what was shown.
    if (planned.some(({ effect }) => effect.type === "abort-request")) this.#activities.abort("request");
    await this.#activities.end(stopped, { clock: this.#ports.platform.clock, graceMs: abortGraceMs });
    this.#activities.keepOnly(possibleActivities(context.run.state));
    this.#watchDeadline(context);
    this.#observed.stepped(context);
    for (const { effect, record } of planned) {
      if (!goesOn()) return;
      try {
        await this.#perform(context, effect, record);
      } catch (problem) {
        failed(problem);
      }
    }
  }

  /** Ends every activity and waits for at most `stopGraceMs`; nothing is reported. */
  stop(): Promise<void> {
    return this.#activities.endAll({ clock: this.#ports.platform.clock, graceMs: stopGraceMs });
  }

  async #perform(context: EffectContext, effect: PerformedEffect, record: EffectRecord | null): Promise<void> {
    switch (effect.type) {
      case "prepare-request":
        return this.#prepare(context);
      case "request-model":
        return this.#requestModel(context, effect);
      case "run-tool": {
        const { call, approved } = effect;
        return this.#calls.run(context, { call, approved, effectId: must(record, "a tool has an intent").id });
      }
      case "answer-call":
        return this.#calls.answer(effect);
      case "schedule-retry": {
        const activity = this.#activities.begin("request");
        const { attempt } = effect;
        const work = this.#hold.begin(context.run.id, activity.controller.signal);
        return this.#after(effect.delayMs, activity, () => {
          work.end();
          this.#reports.event(activity, { type: "retry-due", attempt });
        });
      }
      case "schedule-expiry":
        return this.#scheduleExpiry(effect);
      case "await-sub-agent":
        return this.#hear(context, effect.agent, (agents, parent, signal) =>
          agents.outcome(effect.agent, parent, signal),
        );
      case "cancel-sub-agent":
        return this.#hear(context, effect.agent, (agents, parent, signal) =>
          agents.cancel(effect.agent, parent, signal),
        );
      case "release-leases":
        return this.#ports.leases.releaseAll(context.run.id);
      case "abort-request":
      case "abort-tool":
        // Performed before anything else.
        return;
      default:
        return unreachable(effect);
    }
  }

  /** Decides what comes before the request: a refusal, a compaction, or nothing. */
  #prepare(context: EffectContext): void {
    const activity = this.#activities.begin("request");
    const judge = async (): Promise<void> => {
      try {
        this.#reports.event(activity, await judgeRequest(this.#ports, context, activity.controller.signal));
      } catch (problem) {
        if (isPassing(problem)) {
          this.#after(storeRetryMs, activity, () => {
            activity.settled = judge();
          });
          return;
        }
        const message = reasonOf(problem);
        const failure = { class: "unknown", message, retryable: false } as const;
        this.#reports.event(activity, { type: "request-refused", failure });
      }
    };
    activity.settled = judge();
  }

  #requestModel(context: EffectContext, wish: Extract<PerformedEffect, { readonly type: "request-model" }>): void {
    const activity = this.#activities.begin("request");
    const ask = (): Promise<Replied> =>
      this.#observed.request(context, wish.attempt, () =>
        wish.asking === "compaction"
          ? this.#summaries.ask(context, wish.attempt, activity)
          : this.#asker.ask(context, wish, activity),
      );
    const replied =
      this.#ports.rights === undefined
        ? ask()
        : this.#askIfAllowed({ run: context.run, attempt: wish.attempt, activity }, ask);
    activity.settled = replied.then(({ event, ...beside }) => this.#reports.event(activity, event, beside));
  }

  /** Asks, unless somebody for whom the turn works may not ask any longer: then the turn ends before a word is sent. */
  async #askIfAllowed(
    { run, attempt, activity }: Pick<EffectContext, "run"> & { readonly attempt: number; readonly activity: Activity },
    ask: () => Promise<Replied>,
  ): Promise<Replied> {
    const { clock } = this.#ports.platform;
    const { signal } = activity.controller;
    for (;;) {
      const hasEnded = await this.#ports.rights?.hasEnded(run).catch((problem: unknown) => {
        if (!isPassing(problem)) throw problem;
        return null;
      });
      if (signal.aborted || hasEnded === false) return ask();
      if (hasEnded === true) this.#reports.event(activity, { type: "turn-cancelled", reason: "rights-ended" });
      await aborted(signal, hasEnded === true ? null : { clock, ms: storeRetryMs });
      if (!signal.aborted) continue;
      const failure = { class: "cancelled", message: "Stopped.", retryable: false } as const;
      return { event: { type: "response-failed", attempt, failure, partial: null, now: clock.now() } };
    }
  }

  #scheduleExpiry({ callId, at }: Extract<PerformedEffect, { readonly type: "schedule-expiry" }>): void {
    const activity = this.#activities.begin(`expiry/${callId}`);
    this.#at(at, activity, () => this.#reports.event(activity, { type: "approval-expired", callId }));
  }

  /** A sub-agent's time limit counts while it runs; the first step after every start arms the timer again. */
  #watchDeadline({ run: { subAgent, state } }: EffectContext): void {
    if (subAgent === null || isSettled(state) || this.#activities.has("deadline")) return;
    const activity = this.#activities.begin("deadline");
    this.#at(subAgent.deadlineAt, activity, () => this.#reports.event(activity, { type: "deadline-reached" }));
  }

  #hear(
    { run, root, turn }: EffectContext,
    agent: SubAgent,
    end: (
      agents: NonNullable<ConversationPorts["subAgents"]>,
      parent: AgentParent,
      signal: AbortSignal,
    ) => Promise<SubAgentOutcome>,
  ): void {
    const { runId } = agent;
    const activity = this.#activities.begin(`agent/${runId}`);
    const { subAgents } = this.#ports;
    const parent = agentParent({ root, run, turn });
    const lost = (message: string): SubAgentOutcome => ({ type: "failed", reason: "unknown", message });
    const outcome =
      subAgents === undefined
        ? Promise.resolve(lost("Sub-agents cannot be started here."))
        : end(subAgents, parent, activity.controller.signal).catch((problem: unknown) => lost(reasonOf(problem)));
    activity.settled = outcome.then((ended) =>
      this.#reports.event(activity, { type: "sub-agent-finished", runId, outcome: ended }),
    );
  }

  /** Calls back at a wall-clock time, which may be long past. */
  #at(at: number, activity: Activity, then: () => void): void {
    const left = at - this.#ports.platform.clock.now();
    // Setting the wall clock back must not make a wait longer than the longest possible.
    this.#after(Math.min(Math.max(0, left), approvalTimeMs), activity, then);
  }

  #after(delayMs: number, activity: Activity, then: () => void): void {
    const cancelTimer = this.#ports.platform.clock.setTimer(delayMs, then);
    activity.controller.signal.addEventListener("abort", cancelTimer, { once: true });
  }
}

/** Waits for an abort, at most for some milliseconds (null: without end). */
function aborted(signal: AbortSignal, most: { readonly clock: Clock; readonly ms: number } | null): Promise<void> {
  return new Promise((resolve) => {
    const cancelTimer = most?.clock.setTimer(most.ms, () => {
      signal.removeEventListener("abort", end);
      resolve();
    });
    const end = (): void => {
      cancelTimer?.();
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
