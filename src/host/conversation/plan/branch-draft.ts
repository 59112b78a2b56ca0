import type { Actor } from "../../../core/base/actor.ts";
import { must } from "../../../core/base/assert.ts";
import { prefixHash } from "../../../core/forest/prefix-hash.ts";
import type { ForestNode, ModelRequestFacts } from "../../../core/forest/types.ts";
import { recordVariant } from "../../../core/forest/variants.ts";
import { isWrittenByHeddle } from "../../../core/message/canvas-update.ts";
import { toolUses } from "../../../core/message/content.ts";
import type { Message } from "../../../core/message/types.ts";
import type { Usage } from "../../../core/message/usage.ts";
import type { RunRecord } from "../../../core/port/store.ts";
import type { SavedEffect } from "../../../core/turn/effect.ts";
import type { RunFeedBody } from "../../../core/turn/feed.ts";
import { heddle, type ActingTurn } from "../base/actors.ts";
import type { CanvasNotices } from "./gather.ts";

/** What new nodes are made with besides their message. */
export interface BranchContext {
  readonly newNodeId: () => ForestNode["id"];
  readonly authorOf: (message: Message, sender: Actor, turn: ActingTurn) => Actor;
  /** How the model was asked for the reply that the event brings. */
  readonly request?: ModelRequestFacts;
  readonly notices: CanvasNotices;
  readonly now: number;
}

type SaveMessage = Extract<SavedEffect, { readonly type: "save-message" }>;
type NodeChange = Extract<RunFeedBody, { readonly type: "node-added" | "node-changed" }>;

/** The nodes that an event adds to a branch or changes in it, and the branch's head after them. */
export class BranchDraft {
  readonly changes: NodeChange[] = [];
  readonly #context: BranchContext;
  readonly #existing: ForestNode[];
  #head: ForestNode | null;

  /** `existing`: nodes below the head that say already what is added first, level by level. */
  constructor(head: ForestNode | null, existing: readonly ForestNode[], context: BranchContext) {
    this.#head = head;
    this.#existing = [...existing];
    this.#context = context;
  }

  get head(): ForestNode | null {
    return this.#head;
  }

  /** Adds a message of the turn that `record` is in; before a person's message come the canvas updates. */
  add(effect: SaveMessage, sender: Actor, record: RunRecord): void {
    if (isPersons(effect.message)) {
      for (const update of this.#context.notices.before) this.addNotice(update, record, this.#existing.shift());
    }
    const node = this.#nodeOf(effect, sender, record);
    if (effect.headMoves) this.#head = node;
  }

  /** Adds a canvas update, which is Heddle's own word; `existing` says it already. */
  addNotice(update: Message, record: RunRecord, existing?: ForestNode): void {
    this.#head =
      existing ?? this.#change("node-added", this.#newNode({ message: update, usage: null }, heddle, record));
  }

  /** The node that says a message: one that says it already, or a new one. */
  #nodeOf(effect: SaveMessage, sender: Actor, record: RunRecord): ForestNode {
    const { message, usage } = effect;
    const existing = this.#existing.shift();
    if (existing !== undefined && message.role === "user") return existing;
    if (existing !== undefined && effect.headMoves && isPlainReply(message)) {
      const { now: at, request } = this.#context;
      const actor = this.#authorOf(message, sender, record);
      const variant = { at, actor, usage, ...(request && { request }) };
      return this.#change("node-changed", recordVariant(existing, variant));
    }
    return this.#change("node-added", this.#newNode({ message, usage }, sender, record));
  }

  #change(type: NodeChange["type"], node: ForestNode): ForestNode {
    this.changes.push({ type, node });
    return node;
  }

  #authorOf(message: Message, sender: Actor, record: RunRecord): Actor {
    const { id: runId, model } = record;
    const turnId = must(record.turnId, "a message belongs to a turn");
    return this.#context.authorOf(message, sender, { runId, turnId, model });
  }

  #newNode(
    { message, usage }: { readonly message: Message; readonly usage: Usage | null },
    sender: Actor,
    record: RunRecord,
  ): ForestNode {
    const { newNodeId, now, request, notices } = this.#context;
    const { id: runId, rootId, turnId } = record;
    const asked = message.role === "assistant" && request !== undefined ? { request } : {};
    const about = isPersons(message) && notices.canvas !== null ? { canvas: notices.canvas } : {};
    return {
      id: newNodeId(),
      rootId,
      parentId: this.#head?.id ?? null,
      prefixHash: prefixHash(this.#head?.prefixHash ?? null, message),
      message,
      actor: this.#authorOf(message, sender, record),
      runId,
      turnId,
      usage,
      createdAt: now,
      ...asked,
      ...about,
    };
  }
}

function isPersons(message: Message): boolean {
  return message.role === "user" && !isWrittenByHeddle(message);
}

/** A whole reply in words: one that says the same is the same completion. With calls, each branch goes its own way. */
function isPlainReply(message: Message): boolean {
  return message.role === "assistant" && message.interrupted !== true && toolUses(message).length === 0;
}
