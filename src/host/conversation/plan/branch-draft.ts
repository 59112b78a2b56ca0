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
import type { SavedEffect } from "../../../core/turn/event/effect.ts";
import type { RunFeedBody } from "../../../core/turn/state/feed.ts";
import { systemActor, type ActingTurn } from "../base/actors.ts";
import type { CanvasNotices } from "./gather.ts";

/** What new nodes are built with besides their message. */
export interface BranchContext {
  readonly newNodeId: () => ForestNode["id"];
  readonly authorOf: (message: Message, sender: Actor, turn: ActingTurn) => Actor;
  /** Facts about the request for the reply that the event brings. */
  readonly request?: ModelRequestFacts;
  readonly notices: CanvasNotices;
  readonly now: number;
}

type SaveMessage = Extract<SavedEffect, { readonly type: "save-message" }>;
type NodeChange = Extract<RunFeedBody, { readonly type: "node-added" | "node-changed" }>;

/** The nodes that an event adds to a branch or changes in it, and the branch's new head. */
export class BranchDraft {
  readonly changes: NodeChange[] = [];
  readonly #context: BranchContext;
  readonly #existing: ForestNode[];
  #head: ForestNode | null;

  /** `existing`: nodes below the head that equal the first messages to add, level by level. */
  constructor(head: ForestNode | null, existing: readonly ForestNode[], context: BranchContext) {
    this.#head = head;
    this.#existing = [...existing];
    this.#context = context;
  }

  get head(): ForestNode | null {
    return this.#head;
  }

  /** Adds a message to the turn of `record`; canvas updates precede a person's message. */
  add(effect: SaveMessage, sender: Actor, record: RunRecord): void {
    if (isPersons(effect.message)) {
      for (const update of this.#context.notices.before) this.addNotice(update, record, this.#existing.shift());
    }
    const node = this.#nodeOf(effect, sender, record);
    if (effect.headMoves) this.#head = node;
  }

  /** Adds a canvas update, written by Heddle itself; `existing` is a node that equals it. */
  addNotice(update: Message, record: RunRecord, existing?: ForestNode): void {
    this.#head =
      existing ?? this.#change("node-added", this.#newNode({ message: update, usage: null }, systemActor, record));
  }

  /** Returns the existing node that equals the message, or a new node. */
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

/**
 * Returns whether a message is a whole reply without calls. Equal replies of this kind are one completion; replies with
 * calls keep separate branches.
 */
function isPlainReply(message: Message): boolean {
  return message.role === "assistant" && message.interrupted !== true && toolUses(message).length === 0;
}
