import type { Actor } from "../../core/base/actor.ts";
import { must } from "../../core/base/assert.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId, ToolCallId, TurnId } from "../../core/base/ids.ts";
import type { Result } from "../../core/base/result.ts";
import { ok } from "../../core/base/result.ts";
import { prefixHash } from "../../core/forest/prefix-hash.ts";
import type { ForestNode, ModelRequestFacts, SeenCanvas } from "../../core/forest/types.ts";
import { recordVariant } from "../../core/forest/variants.ts";
import { isHeddlesWord } from "../../core/message/canvas-update.ts";
import { toolUses } from "../../core/message/content.ts";
import type { Message, UserMessage } from "../../core/message/types.ts";
import type { Usage } from "../../core/message/usage.ts";
import type { EffectRecord, QueuedMessage, RunRecord } from "../../core/port/store.ts";
import type { TurnEffect } from "../../core/turn/effect.ts";
import type { TurnEvent } from "../../core/turn/event.ts";
import type { RunFeedBody, RunStatus } from "../../core/turn/feed.ts";
import { isAtRest } from "../../core/turn/precheck.ts";
import { keepEvent, markOf, type RunEventRecord } from "../../core/turn/run-event.ts";
import type { TurnSettings } from "../../core/turn/settings.ts";
import { transition } from "../../core/turn/transition.ts";
import { heddle, type ActingTurn } from "./actors.ts";
import { contextOf } from "./run-context.ts";
import { standsAnew } from "./stands-anew.ts";
import { openSubjects, subjectOf, type OwedEffect } from "./subjects.ts";

/** A run as the conversation's queue holds it. */
export interface RunInHand {
  readonly record: RunRecord;
  readonly head: ForestNode | null;
  /** Live blocks of the reply and of the calls under way, in order. */
  readonly liveBlocks: readonly LiveBlock[];
  /** What it still has to do, as the store knows it. */
  readonly owed: readonly EffectRecord[];
}

/** A live block that shows a reply (null), or what a call tells. */
export interface LiveBlock {
  readonly id: BlockId;
  readonly callId: ToolCallId | null;
}

/** What a step needs to know besides the run and the event. */
export interface StepContext {
  /** Who sent the event; a person's message is theirs. */
  readonly sender: Actor;
  /** For the turn that the event begins, if it does. */
  readonly newTurnId: () => TurnId;
  readonly newNodeId: () => ForestNode["id"];
  readonly authorOf: (message: Message, sender: Actor, turn: ActingTurn) => Actor;
  /** The conversation's model, for a turn that begins and asks no other. */
  readonly model: string;
  /** How a turn that begins asks the model. */
  readonly settings: TurnSettings;
  /** How the model was asked whose reply the event brings. */
  readonly request?: ModelRequestFacts;
  /** What of `told.before` and of the message that the event brings stands below the run's head already, level by level. */
  readonly standing: readonly ForestNode[];
  /** What the model is told of canvases with this event. */
  readonly told: ToldOfCanvases;
  readonly now: number;
}

/** What the models of a branch are told of canvases: never a message of anybody's. */
export interface ToldOfCanvases {
  /** Stands where a turn ends: what it changed itself. */
  readonly after: readonly UserMessage[];
  /** Stands before a person's message: what others changed since. */
  readonly before: readonly UserMessage[];
  /** The conversation's canvas, as the model knows it from a person's message on. */
  readonly canvas: SeenCanvas | null;
}

export const toldNothing: ToldOfCanvases = { after: [], before: [], canvas: null };

/** What one event changes: everything that goes into its transaction, and what is performed after it. */
export interface StepPlan {
  readonly run: RunInHand;
  readonly nodes: readonly ForestNode[];
  /** The turn that begins with the event, and how it asks the model. */
  readonly began: { readonly turnId: TurnId; readonly settings: TurnSettings } | null;
  readonly feed: readonly RunFeedBody[];
  /** To perform, in order. */
  readonly performed: readonly OwedEffect[];
  /** Rows of what is done, or what nobody waits for any more. */
  readonly finished: readonly EffectRecord[];
  /** The events that were taken, for a trace. */
  readonly taken: readonly RunEventRecord[];
  readonly preempts: boolean;
  /** Live blocks that the step's messages replace. */
  readonly closed: readonly BlockId[];
}

/**
 * Plans the transaction of one event, pure. Null when the event is absorbed. A run that becomes idle with a message in
 * its slot takes that message in the same transaction, so that no crash can part them.
 */
export function planStep(run: RunInHand, event: TurnEvent, context: StepContext): Result<StepPlan | null, Refusal> {
  const first = transition(run.record.state, event, contextOf(run.record));
  if (!first.ok) return first;
  if (first.value.effects.length === 0) return ok(null);
  const draft = new Draft(run, context);
  const { standing, settings } = context;
  draft.take(event, first.value, { sender: context.sender, standing, settings });
  const { queued, state } = draft.record;
  if (state.type === "idle" && queued !== null) draft.takeQueued(queued);
  return ok(draft.plan());
}

export function statusOf({ record, liveBlocks }: RunInHand): RunStatus {
  return {
    type: "run-changed",
    runId: record.id,
    headNodeId: record.headNodeId,
    turnId: record.turnId,
    state: record.state,
    since: record.stateSince,
    contextUsed: record.contextUsed,
    model: record.model,
    queued: record.queued !== null,
    liveBlocks: liveBlocks.map(({ id }) => id),
  };
}

/** Whether a block is still the only place of what it shows: of a stream that is closing, of a call without its result. */
function isOnlyPlace(state: RunRecord["state"], { callId }: LiveBlock): boolean {
  if (callId === null) return state.type === "cancelling";
  return "pending" in state && state.pending.some(({ id }) => id === callId);
}

type SaveMessage = Extract<TurnEffect, { readonly type: "save-message" }>;

/** A whole reply in words: one that says the same is the same completion. With calls, each branch goes its own way. */
function isPlainReply(message: Message): boolean {
  return message.role === "assistant" && message.interrupted !== true && toolUses(message).length === 0;
}

interface Step {
  readonly state: RunRecord["state"];
  readonly effects: readonly TurnEffect[];
}

/** What a step goes by besides what the machine decided. */
interface Ground {
  readonly sender: Actor;
  readonly standing: readonly ForestNode[];
  readonly settings: TurnSettings;
}

class Draft {
  record: RunRecord;
  #head: ForestNode | null;
  readonly #before: RunInHand;
  readonly #context: StepContext;
  readonly #nodes: ForestNode[] = [];
  readonly #told: RunFeedBody[] = [];
  readonly #notices: RunFeedBody[] = [];
  readonly #performed: OwedEffect[] = [];
  readonly #taken: RunEventRecord[] = [];
  #preempts = false;
  #began: StepPlan["began"] = null;

  constructor(before: RunInHand, context: StepContext) {
    this.#before = before;
    this.#context = context;
    this.#head = before.head;
    this.record = before.record;
  }

  take(event: TurnEvent, step: Step, { sender, standing, settings }: Ground): void {
    const { now } = this.#context;
    const { state: before, stateSince } = this.record;
    const begins = isAtRest(before) && !isAtRest(step.state);
    const ends = !isAtRest(before) && isAtRest(step.state);
    this.record = {
      ...this.record,
      state: step.state,
      stateSince: standsAnew(before, step.state) ? now : stateSince,
      eventSeq: this.record.eventSeq + 1,
      updatedAt: now,
      ...(event.type === "response-finished" ? { contextUsed: event.facts.contextUsed } : {}),
    };
    const { id: runId, eventSeq: seq } = this.record;
    this.#taken.push({ runId, seq, at: now, event: keepEvent(event), state: markOf(step.state) });
    if (begins) this.#begin(settings);
    const left = [...standing];
    for (const [index, effect] of step.effects.entries()) this.#add(effect, index, sender, left);
    if (ends) for (const update of this.#context.told.after) this.#moveTo(this.#tellModel(update, undefined));
  }

  takeQueued({ message, actor, settings = {} }: QueuedMessage): void {
    const event = { type: "message-sent", message } as const;
    const next = transition(this.record.state, event, contextOf(this.record));
    this.record = { ...this.record, queued: null };
    if (next.ok) this.take(event, next.value, { sender: actor, standing: [], settings });
  }

  #begin(settings: TurnSettings): void {
    const turnId = this.#context.newTurnId();
    this.record = { ...this.record, turnId, model: settings.model ?? this.#context.model };
    this.#began = { turnId, settings };
  }

  plan(): StepPlan {
    const { liveBlocks, owed } = this.#before;
    const { state } = this.record;
    const shown = liveBlocks.filter((block) => isOnlyPlace(state, block));
    const begun = this.#performed.flatMap(({ record }) => record ?? []);
    const subjects = new Set(begun.map(({ effect }) => subjectOf(effect)));
    const open = openSubjects(state);
    const kept = owed.filter(({ effect }) => {
      const subject = subjectOf(effect);
      return subject !== null && open.has(subject) && !subjects.has(subject);
    });
    const run: RunInHand = { record: this.record, head: this.#head, liveBlocks: shown, owed: [...kept, ...begun] };
    return {
      run,
      nodes: this.#nodes,
      began: this.#began,
      feed: [...this.#told, ...this.#notices, statusOf(run)],
      performed: this.#performed,
      finished: owed.filter((record) => !kept.includes(record)),
      taken: this.#taken,
      preempts: this.#preempts,
      closed: liveBlocks.filter((block) => !shown.includes(block)).map(({ id }) => id),
    };
  }

  /** `standing` is used up in order. */
  #add(effect: TurnEffect, index: number, sender: Actor, standing: ForestNode[]): void {
    const { now } = this.#context;
    const id = `${this.record.id}/${this.record.eventSeq}/${index}`;
    const record = { id, runId: this.record.id, effect, startedAt: null, dueAt: null };
    switch (effect.type) {
      case "save-message": {
        if (effect.message.role === "user" && !isHeddlesWord(effect.message)) {
          for (const update of this.#context.told.before) this.#moveTo(this.#tellModel(update, standing.shift()));
        }
        const node = this.#said(effect, sender, standing.shift() ?? null);
        if (effect.headMoves) this.#moveTo(node);
        return;
      }
      case "save-state":
        return;
      case "notify":
        this.#notices.push({ type: "notice", runId: this.record.id, text: effect.notice });
        return;
      case "preempt-leases":
        this.#preempts = true;
        return;
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
        this.#performed.push({ effect, record: { ...record, dueAt: now + effect.delayMs } });
        return;
      case "abort-request":
      case "abort-tool":
      case "release-leases":
        this.#performed.push({ effect, record: null });
    }
  }

  #moveTo(node: ForestNode): void {
    this.#head = node;
    this.record = { ...this.record, headNodeId: node.id };
  }

  /** What a model is told of a canvas is Heddle's own word. */
  #tellModel(update: UserMessage, standing: ForestNode | undefined): ForestNode {
    return standing ?? this.#tell("node-added", this.#node(update, null, heddle));
  }

  /** The node that says a message: one that says it already, or a new one. */
  #said(effect: SaveMessage, sender: Actor, standing: ForestNode | null): ForestNode {
    const { message, usage } = effect;
    if (standing !== null && message.role === "user") return standing;
    if (standing !== null && effect.headMoves && isPlainReply(message)) {
      const { now: at, request } = this.#context;
      const actor = this.#authorOf(message, sender);
      const variant = { at, actor, usage, ...(request && { request }) };
      return this.#tell("node-changed", recordVariant(standing, variant));
    }
    return this.#tell("node-added", this.#node(message, usage, sender));
  }

  #tell(type: "node-added" | "node-changed", node: ForestNode): ForestNode {
    this.#nodes.push(node);
    this.#told.push({ type, node });
    return node;
  }

  #authorOf(message: Message, sender: Actor): Actor {
    const { id: runId, model } = this.record;
    const turnId = must(this.record.turnId, "a message belongs to a turn");
    return this.#context.authorOf(message, sender, { runId, turnId, model });
  }

  #node(message: Message, usage: Usage | null, sender: Actor): ForestNode {
    const { newNodeId, now, request } = this.#context;
    const { id: runId, rootId, turnId } = this.record;
    const asked = message.role === "assistant" && request !== undefined ? { request } : {};
    const { canvas } = this.#context.told;
    const about = message.role === "user" && !isHeddlesWord(message) && canvas !== null ? { canvas } : {};
    return {
      id: newNodeId(),
      rootId,
      parentId: this.#head?.id ?? null,
      prefixHash: prefixHash(this.#head?.prefixHash ?? null, message),
      message,
      actor: this.#authorOf(message, sender),
      runId,
      turnId,
      usage,
      createdAt: now,
      ...asked,
      ...about,
    };
  }
}
