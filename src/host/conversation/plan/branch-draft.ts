import type { Actor } from "../../../core/base/actor.ts";
import { must } from "../../../core/base/assert.ts";
import { prefixHash } from "../../../core/forest/prefix-hash.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { recordVariant } from "../../../core/forest/variants.ts";
import { isWrittenByHeddle } from "../../../core/message/canvas-update.ts";
import { toolUses } from "../../../core/message/content.ts";
import type { AssistantMessage, Message, UserMessage } from "../../../core/message/types.ts";
import type { Usage } from "../../../core/message/usage.ts";
import type { PaidNode } from "../../../core/model/paid-requests.ts";
import type { RunRecord } from "../../../core/port/store.ts";
import type { SavedEffect } from "../../../core/turn/event/effect.ts";
import type { RunFeedBody } from "../../../core/turn/state/feed.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import type { MessagePlace } from "../../../core/block/live-block.ts";
import { systemActor, type ActingTurn } from "../base/actors.ts";
import type { BesideReply } from "../base/conversation-ports.ts";
import { recordFor, type ReplyRecord } from "../base/reply-record.ts";
import { editNotes } from "./edit-notes.ts";
import type { CanvasNotices } from "./gather.ts";

/** What new nodes are built with besides their message. */
export interface BranchContext extends BesideReply {
  readonly newNodeId: () => ForestNode["id"];
  readonly authorOf: (message: Message, sender: Actor, turn: ActingTurn) => Actor;
  readonly notices: CanvasNotices;
  /** Replies that people changed and the model was not informed of; null where it is informed of none. */
  readonly untold: readonly ForestNode[] | null;
  readonly now: number;
}

type SaveCompaction = Extract<SavedEffect, { readonly type: "save-compaction" }>;
type SaveMessage = Extract<SavedEffect, { readonly type: "save-message" }>;
type NodeChange = Extract<RunFeedBody, { readonly type: "node-added" | "node-changed" }>;

/** The nodes that an event adds to a branch or changes in it, and the branch's new head. */
export class BranchDraft {
  readonly changes: NodeChange[] = [];
  /** The requests to models that were paid for its new messages. */
  readonly paid: PaidNode[] = [];
  /** Where the texts of live blocks are stored. */
  readonly placesByBlock = new Map<BlockId, MessagePlace>();
  readonly #context: BranchContext;
  readonly #existing: ForestNode[];
  /** The canvas updates that precede the next message of a person. */
  readonly #updates: UserMessage[];
  #head: ForestNode | null;
  #hasToldEdits = false;

  /** `existing`: nodes below the head that equal the first messages to add, level by level. */
  constructor(head: ForestNode | null, existing: readonly ForestNode[], context: BranchContext) {
    this.#head = head;
    this.#existing = [...existing];
    this.#updates = [...context.notices.before];
    this.#context = context;
  }

  get head(): ForestNode | null {
    return this.#head;
  }

  /** Adds a message to the turn of `record`; canvas updates precede a person's message. */
  add(effect: SaveMessage, sender: Actor, record: RunRecord): void {
    // An instruction, too, is what the model answers: nothing may come between.
    if (effect.message.role === "user") this.tellEdits(record);
    if (isPersons(effect.message)) {
      for (const update of this.#updates.splice(0)) this.addNotice(update, record, this.#existing.shift());
    }
    const node = this.#nodeOf(effect, sender, record);
    if (effect.headMoves) this.#head = node;
  }

  /** Informs the model, once, of the changes in its replies: after results, before people's words. */
  tellEdits(record: RunRecord): void {
    const { untold } = this.#context;
    if (untold === null || this.#hasToldEdits) return;
    this.#hasToldEdits = true;
    const added = this.changes.flatMap(({ type, node }) => (type === "node-added" ? [node] : []));
    for (const note of editNotes([...untold, ...added])) this.addNotice(note, record, this.#existing.shift());
  }

  /** Adds a compaction node, which becomes the head. */
  addCompaction({ message, compacts, canvas, usage }: SaveCompaction, record: RunRecord): void {
    const { request } = this.#context;
    const node: ForestNode = {
      ...this.#newNode({ message, usage, reply: null }, systemActor, record),
      compacts,
      ...(canvas === null ? {} : { canvas }),
      ...(request === undefined ? {} : { request }),
    };
    this.#head = this.#change("node-added", node);
    this.paid.push(node);
  }

  /** Adds a canvas update, written by Heddle itself; `existing` is a node that equals it. */
  addNotice(update: Message, record: RunRecord, existing?: ForestNode): void {
    this.#head =
      existing ??
      this.#change("node-added", this.#newNode({ message: update, usage: null, reply: null }, systemActor, record));
  }

  /** Returns the existing node that equals the message, or a new node. */
  #nodeOf(effect: SaveMessage, sender: Actor, record: RunRecord): ForestNode {
    const { message, usage } = effect;
    // A message that waited keeps the id under which people saw it.
    const existing = effect.waiting === undefined ? this.#existing.shift() : undefined;
    if (existing !== undefined && message.role === "user") return this.#included(existing);
    const reply = message.role === "assistant" ? this.#recordOf(message) : null;
    if (existing !== undefined && effect.headMoves && isPlainReply(message) && reply?.edited === undefined) {
      const { now: at, request } = this.#context;
      const actor = this.#authorOf(message, sender, record);
      const variant = { at, actor, usage, ...(request && { request }) };
      this.paid.push({ ...variant, turnId: record.turnId });
      return this.#shown(reply, this.#change("node-changed", recordVariant(existing, variant)));
    }
    const node = this.#newNode({ message, usage, reply }, sender, record);
    const named = effect.waiting === undefined ? node : { ...node, id: effect.waiting };
    this.paid.push(node);
    return this.#shown(reply, this.#change("node-added", named));
  }

  #recordOf(message: AssistantMessage): ReplyRecord | null {
    const { reply } = this.#context;
    return reply === undefined ? null : recordFor(reply, message);
  }

  /** Notes where the texts of live blocks are stored from now on. */
  #shown(reply: ReplyRecord | null, node: ForestNode): ForestNode {
    for (const { id, block } of reply?.shown ?? []) this.placesByBlock.set(id, { nodeId: node.id, block });
    return node;
  }

  /** A person who says again what was left out wants the model to read it. */
  #included(node: ForestNode): ForestNode {
    const { excluded, ...rest } = node;
    return excluded === undefined ? node : this.#change("node-changed", rest);
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
    {
      message,
      usage,
      reply,
    }: { readonly message: Message; readonly usage: Usage | null; readonly reply: ReplyRecord | null },
    sender: Actor,
    record: RunRecord,
  ): ForestNode {
    const { newNodeId, now, request, notices } = this.#context;
    const { id: runId, rootId, turnId } = record;
    const asked = message.role === "assistant" && request !== undefined ? { request } : {};
    // What a person says belongs to the branch as it was; the reply is the first message of a new draft.
    const draft = message.role === "user" ? this.#head?.draft : record.settings?.draft?.id;
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
      ...(draft === undefined ? {} : { draft }),
      ...(reply?.authors === undefined ? {} : { authors: reply.authors }),
      ...(reply?.edited === undefined ? {} : { edited: reply.edited }),
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
