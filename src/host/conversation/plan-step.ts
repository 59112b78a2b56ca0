import type { Actor } from "../../core/base/actor.ts";
import { must } from "../../core/base/assert.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId, TurnId } from "../../core/base/ids.ts";
import type { Result } from "../../core/base/result.ts";
import { ok } from "../../core/base/result.ts";
import { prefixHash } from "../../core/forest/prefix-hash.ts";
import type { ForestNode, ModelRequestFacts, SeenCanvas } from "../../core/forest/types.ts";
import { recordVariant } from "../../core/forest/variants.ts";
import { isCanvasUpdate } from "../../core/message/canvas-update.ts";
import { toolUses } from "../../core/message/content.ts";
import type { Message, UserMessage } from "../../core/message/types.ts";
import type { Usage } from "../../core/message/usage.ts";
import type { EffectRecord, QueuedMessage, RunRecord } from "../../core/port/store.ts";
import type { TurnEffect } from "../../core/turn/effect.ts";
import type { TurnEvent } from "../../core/turn/event.ts";
import type { RunFeedBody, RunStatus } from "../../core/turn/feed.ts";
import { isAtRest } from "../../core/turn/precheck.ts";
import type { TurnSettings } from "../../core/turn/settings.ts";
import { transition } from "../../core/turn/transition.ts";
import { heddle, type ActingTurn } from "./actors.ts";

/** A run as the conversation's queue holds it. */
export interface RunInHand {
  readonly record: RunRecord;
  readonly head: ForestNode | null;
  /** Live blocks of the reply under way, in order. */
  readonly liveBlocks: readonly BlockId[];
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
  /** To perform, in order; those that outlive a crash have a record. */
  readonly performed: readonly { readonly effect: TurnEffect; readonly record: EffectRecord | null }[];
  readonly preempts: boolean;
  /** Live blocks that the step's messages replace. */
  readonly closed: readonly BlockId[];
}

/**
 * Plans the transaction of one event, pure. Null when the event is absorbed. A run that becomes idle with a message in
 * its slot takes that message in the same transaction, so that no crash can part them.
 */
export function planStep(run: RunInHand, event: TurnEvent, context: StepContext): Result<StepPlan | null, Refusal> {
  const first = transition(run.record.state, event);
  if (!first.ok) return first;
  if (first.value.effects.length === 0) return ok(null);
  const draft = new Draft(run, context);
  draft.take(first.value, context.sender, { standing: context.standing, settings: context.settings });
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
    model: record.model,
    queued: record.queued !== null,
    liveBlocks,
  };
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
  readonly #performed: { readonly effect: TurnEffect; readonly record: EffectRecord | null }[] = [];
  #preempts = false;
  #began: StepPlan["began"] = null;

  constructor(before: RunInHand, context: StepContext) {
    this.#before = before;
    this.#context = context;
    this.#head = before.head;
    this.record = before.record;
  }

  take(step: Step, sender: Actor, { standing, settings }: Ground): void {
    const { now } = this.#context;
    const begins = isAtRest(this.record.state) && !isAtRest(step.state);
    const ends = !isAtRest(this.record.state) && isAtRest(step.state);
    this.record = { ...this.record, state: step.state, eventSeq: this.record.eventSeq + 1, updatedAt: now };
    if (begins) this.#begin(settings);
    const left = [...standing];
    for (const [index, effect] of step.effects.entries()) this.#add(effect, index, sender, left);
    if (ends) for (const update of this.#context.told.after) this.#moveTo(this.#tellModel(update, undefined));
  }

  takeQueued({ message, actor, settings = {} }: QueuedMessage): void {
    const next = transition(this.record.state, { type: "message-sent", message });
    this.record = { ...this.record, queued: null };
    if (next.ok) this.take(next.value, actor, { standing: [], settings });
  }

  #begin(settings: TurnSettings): void {
    const turnId = this.#context.newTurnId();
    this.record = { ...this.record, turnId, model: settings.model ?? this.#context.model };
    this.#began = { turnId, settings };
  }

  plan(): StepPlan {
    const { liveBlocks } = this.#before;
    // While the stream is closing its blocks are still the only place of what was shown.
    const kept = this.record.state.type === "cancelling" ? liveBlocks : [];
    const run: RunInHand = { record: this.record, head: this.#head, liveBlocks: kept };
    return {
      run,
      nodes: this.#nodes,
      began: this.#began,
      feed: [...this.#told, ...this.#notices, statusOf(run)],
      performed: this.#performed,
      preempts: this.#preempts,
      closed: kept.length === 0 ? liveBlocks : [],
    };
  }

  /** `standing` is used up in order. */
  #add(effect: TurnEffect, index: number, sender: Actor, standing: ForestNode[]): void {
    const { now } = this.#context;
    const id = `${this.record.id}/${this.record.eventSeq}/${index}`;
    const record = { id, runId: this.record.id, effect, startedAt: null, dueAt: null };
    switch (effect.type) {
      case "save-message": {
        if (effect.message.role === "user") {
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
        this.#performed.push({ effect, record });
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
    const about = message.role === "user" && !isCanvasUpdate(message) && canvas !== null ? { canvas } : {};
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
