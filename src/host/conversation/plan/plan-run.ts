import type { Actor } from "../../../core/base/actor.ts";
import { unreachable } from "../../../core/base/assert.ts";
import type { BlockId, DraftId, PersonId, ToolCallId, TurnId } from "../../../core/base/ids.ts";
import type { MessagePlace } from "../../../core/block/live-block.ts";
import type { ForestNode, ForestRoot } from "../../../core/forest/types.ts";
import type { NonEmptyArray } from "../../../core/base/non-empty.ts";
import type { PaidNode } from "../../../core/model/paid-requests.ts";
import type { EffectRecord, RunRecord, StoreWrite, TurnAskers } from "../../../core/port/store.ts";
import type { PerformedEffect, SavedEffect } from "../../../core/turn/event/effect.ts";
import type { RunFeedBody } from "../../../core/turn/state/feed.ts";
import { keepEvent, markOf, type RunEventRecord } from "../../../core/turn/event/run-event.ts";
import type { TurnSettings } from "../../../core/turn/state/settings.ts";
import type { PaidBy } from "../../access/team-budgets.ts";
import { joinedBy } from "../../access/turn-rights.ts";
import { systemActor } from "../base/actors.ts";
import { BranchDraft, type BranchContext } from "./branch-draft.ts";
import type { DecidedEvent, DecidedTurn } from "../base/decide.ts";
import { restartsElapsedTime } from "../base/elapsed-time.ts";
import { asksAgain, type Gathered } from "./gather.ts";
import { putRun, statusOf, type LiveBlock, type RunSnapshot } from "../base/run-snapshot.ts";
import { waitingFeed, waitingWrites } from "../base/waiting-list.ts";
import { possibleActivities, activityKeyOf, type PlannedEffect } from "../base/activity-keys.ts";
import { askedSettings } from "../base/turn-settings.ts";

/** What the plan of a run needs besides the run and the decision. */
export interface RunPlanContext extends Omit<BranchContext, "notices" | "untold"> {
  /** The id of the turn, if the event begins one. */
  readonly newTurnId: () => TurnId;
  readonly newDraftId: () => DraftId;
  /** Returns for whom a turn works that somebody begins (`begins`) or steers. */
  readonly askersOf?: (sender: Actor, begins: boolean) => TurnAskers;
  /** Returns who pays for a turn that works for these; null: nobody has a budget. */
  readonly payerOf?: (asked: TurnAskers) => PersonId | null;
  readonly root: ForestRoot;
  /** The models of a turn that begins, in order: the first one answers, the others when it does not. */
  readonly modelsFor: (settings: TurnSettings) => NonEmptyArray<string>;
}

/** What one event changes in one run. */
export interface RunPlan {
  readonly next: RunSnapshot;
  readonly writes: readonly StoreWrite[];
  readonly feed: readonly RunFeedBody[];
  /** The effects to perform after the commit, in order. */
  readonly performed: readonly PlannedEffect[];
  /** Whether a person's act ends the run's leases. */
  readonly preempts: boolean;
  /** Paid replies that leave no message. */
  readonly unkept: readonly PaidNode[];
  /** What the payer of the turn paid for; null: nobody has a budget. */
  readonly paid: PaidBy | null;
  /** Live blocks that the event's messages replace. */
  readonly closed: readonly ClosedBlock[];
}

/** A live block whose text is in a stored message, or of which nothing is kept. */
export interface ClosedBlock {
  readonly id: BlockId;
  readonly place?: MessagePlace;
}

/** Plans how an event, and the queued message that may follow it, change a run. Pure. */
export function planRun(
  before: RunSnapshot,
  { first, queued, taken, waiting }: DecidedTurn,
  { notices, untold, existing }: Gathered,
  context: RunPlanContext,
): RunPlan {
  const branch = new BranchDraft(before.head, existing, { ...context, notices, untold });
  const draft = new RunDraft(before, { branch, taken, waiting }, context);
  draft.take(first);
  if (asksAgain(first)) draft.tellEdits();
  if (first.ends) for (const update of notices.after) draft.addNotice(update);
  if (queued !== null) draft.take(queued);
  return draft.plan();
}

/**
 * Returns whether a block is still the only copy of its content: of a stream that is closing, or a call without its result.
 */
function isOnlyPlace(state: RunRecord["state"], { callId }: LiveBlock): boolean {
  if (callId === null) return state.type === "cancelling";
  return "pending" in state && state.pending.some(({ id }) => id === callId);
}

function isResultOf({ message }: ForestNode, callId: ToolCallId): boolean {
  return message.role === "tool" && message.tool_call_id === callId;
}

class RunDraft {
  readonly #before: RunSnapshot;
  readonly #branch: BranchDraft;
  readonly #messages: Pick<DecidedTurn, "taken" | "waiting">;
  readonly #context: RunPlanContext;
  readonly #notices: RunFeedBody[] = [];
  readonly #unkept: PaidNode[] = [];
  readonly #performed: PlannedEffect[] = [];
  readonly #events: RunEventRecord[] = [];
  #record: RunRecord;
  #preempts = false;

  constructor(
    before: RunSnapshot,
    { branch, ...messages }: Pick<DecidedTurn, "taken" | "waiting"> & { readonly branch: BranchDraft },
    context: RunPlanContext,
  ) {
    this.#before = before;
    this.#branch = branch;
    this.#messages = messages;
    this.#context = context;
    this.#record = before.record;
  }

  take({ event, sender, settings, step, begins }: DecidedEvent): void {
    const { now } = this.#context;
    const { state: before, stateSince } = this.#record;
    this.#record = {
      ...this.#record,
      state: step.state,
      stateSince: restartsElapsedTime(before, step.state) ? now : stateSince,
      eventSeq: this.#record.eventSeq + 1,
      updatedAt: now,
      ...(event.type === "response-finished" ? { contextUsed: event.facts.contextUsed } : {}),
    };
    const { id: runId, eventSeq: seq } = this.#record;
    this.#events.push({ runId, seq, at: now, event: keepEvent(event), state: markOf(step.state) });
    if (begins) this.#begin(settings, sender);
    for (const effect of step.saved) this.#save(effect, sender);
    for (const [index, effect] of step.performed.entries()) this.#order(effect, `${runId}/${seq}/${index}`);
  }

  tellEdits(): void {
    this.#branch.tellEdits(this.#record);
  }

  addNotice(update: Parameters<BranchDraft["addNotice"]>[0]): void {
    this.#branch.addNotice(update, this.#record);
  }

  plan(): RunPlan {
    const { liveBlocks, openEffects } = this.#before;
    const record = { ...this.#record, headNodeId: this.#branch.head?.id ?? null };
    const shown = liveBlocks.filter((block) => isOnlyPlace(record.state, block));
    const ordered = this.#performed.flatMap((planned) => planned.record ?? []);
    const kept = stillOpen(openEffects, record.state, ordered);
    const next: RunSnapshot = {
      record,
      head: this.#branch.head,
      liveBlocks: shown,
      waiting: this.#messages.waiting,
      openEffects: [...kept, ...ordered],
      isStored: true,
      restart: null,
    };
    const { changes } = this.#branch;
    return {
      next,
      writes: [
        ...changes.map(({ node }) => ({ type: "put-node", node }) as const),
        putRun(this.#before, next),
        ...waitingWrites(this.#before, next),
        ...this.#events.map((event) => ({ type: "put-run-event", record: event }) as const),
        ...finishWrites(this.#before, kept),
        ...ordered.map((effect) => ({ type: "put-effect", effect }) as const),
      ],
      feed: [...changes, ...this.#notices, ...waitingFeed(this.#before, next), statusOf(next)],
      performed: this.#performed,
      preempts: this.#preempts,
      unkept: this.#unkept,
      paid: this.#paid(),
      closed: liveBlocks.filter((block) => !shown.includes(block)).map((block) => this.#closed(block)),
    };
  }

  #paid(): PaidBy | null {
    // A message that begins the next turn costs nothing itself, so what was paid is the last turn's.
    const payerOf = this.#context.payerOf ?? (() => null);
    const payer = payerOf(this.#before.record.settings ?? {}) ?? payerOf(this.#record.settings ?? {});
    const nodes = [...this.#branch.paid, ...this.#unkept].filter(({ usage }) => usage !== null);
    return payer === null || nodes.length === 0 ? null : { payer, nodes };
  }

  #closed({ id, callId }: LiveBlock): ClosedBlock {
    const result = callId === null ? undefined : this.#branch.changes.find(({ node }) => isResultOf(node, callId));
    const place = result === undefined ? this.#branch.placesByBlock.get(id) : { nodeId: result.node.id, block: 0 };
    return place === undefined ? { id } : { id, place };
  }

  #begin(settings: TurnSettings, sender: Actor): void {
    const turnId = this.#context.newTurnId();
    const { settings: _ofLastTurn, ...record } = this.#record;
    const [model, ...fallbacks] = this.#context.modelsFor(settings);
    const asked = askedSettings({
      ...settings,
      fallbacks,
      ...this.#draftFor(settings),
      ...this.#context.askersOf?.(sender, true),
    });
    this.#record = { ...record, turnId, model, ...(asked !== undefined && { settings: asked }) };
  }

  /** Who steers a turn joins it: from there it may do what all may for whom it works. */
  #join(sender: Actor): void {
    const settings = joinedBy(this.#record.settings ?? {}, this.#context.askersOf?.(sender, false) ?? {});
    if (Object.keys(settings).length > 0) this.#record = { ...this.#record, settings };
  }

  /** Each of several replies has a draft of its own; any other turn works where its branch does. */
  #draftFor({ completions = 1, inDraft = completions > 1 }: TurnSettings): Pick<TurnSettings, "draft"> {
    const from = this.#branch.head?.draft;
    if (inDraft) return { draft: { id: this.#context.newDraftId(), ...(from !== undefined && { from }) } };
    return from === undefined ? {} : { draft: { id: from } };
  }

  #save(effect: SavedEffect, sender: DecidedEvent["sender"]): void {
    switch (effect.type) {
      case "save-message": {
        const waited = this.#senderOf(effect);
        if (waited !== undefined) this.#join(waited);
        this.#branch.add(effect, waited ?? sender, this.#record);
        return;
      }
      case "save-compaction":
        this.#branch.addCompaction(effect, this.#record);
        return;
      case "count-usage":
        this.#unkept.push({
          usage: effect.usage,
          actor: systemActor,
          turnId: this.#record.turnId,
          request: this.#context.request ?? { model: this.#record.model },
        });
        return;
      case "notify":
        this.#notices.push({ type: "notice", runId: this.#record.id, text: effect.notice });
        return;
      case "switch-model":
        this.#record = { ...this.#record, model: effect.model };
        return;
      case "preempt-leases":
        this.#preempts = true;
        return;
      default:
        unreachable(effect);
    }
  }

  /** Returns who sent a message that waited. */
  #senderOf({ waiting }: Extract<SavedEffect, { readonly type: "save-message" }>): Actor | undefined {
    return this.#messages.taken.find(({ id }) => id === waiting)?.actor;
  }

  #order(effect: PerformedEffect, id: string): void {
    const record = { id, runId: this.#record.id, effect, startedAt: null, dueAt: null };
    switch (effect.type) {
      case "prepare-request":
      case "request-model":
      case "run-tool":
      case "await-sub-agent":
      case "cancel-sub-agent":
        this.#performed.push({ effect, record });
        return;
      case "schedule-expiry":
        this.#performed.push({ effect, record: { ...record, dueAt: effect.at } });
        return;
      case "schedule-retry":
        this.#performed.push({ effect, record: { ...record, dueAt: this.#context.now + effect.delayMs } });
        return;
      case "abort-request":
      case "abort-tool":
      case "answer-call":
      case "release-leases":
        this.#performed.push({ effect, record: null });
        return;
      default:
        unreachable(effect);
    }
  }
}

/** Returns the open effects that a state still waits for and that nothing replaces. */
function stillOpen(
  open: readonly EffectRecord[],
  state: RunRecord["state"],
  ordered: readonly EffectRecord[],
): readonly EffectRecord[] {
  const replaced = new Set(ordered.map(({ effect }) => activityKeyOf(effect)));
  const awaited = possibleActivities(state);
  return open.filter(({ effect }) => {
    const subject = activityKeyOf(effect);
    return subject !== null && awaited.has(subject) && !replaced.has(subject);
  });
}

/** Deletes the rows of the open effects that are not kept. */
function finishWrites({ record, openEffects }: RunSnapshot, kept: readonly EffectRecord[]): readonly StoreWrite[] {
  const finished = openEffects.filter((effect) => !kept.includes(effect));
  if (finished.length === 0) return [];
  return kept.length === 0
    ? [{ type: "finish-effects-of-run", runId: record.id }]
    : finished.map(({ id }) => ({ type: "finish-effect", id }));
}
