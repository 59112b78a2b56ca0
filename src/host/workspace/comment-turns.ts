import type { Actor, PersonActor } from "../../core/base/actor.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { PersonId, RootId, ThreadId } from "../../core/base/ids.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { shortened } from "../../core/base/shortened.ts";
import { blockTitle } from "../../core/block/block-title.ts";
import { linesOfRange } from "../../core/block/comment/range-anchor.ts";
import { replied } from "../../core/block/comment/thread-steps.ts";
import type { Thread } from "../../core/block/comment/thread.ts";
import { listLines } from "../../core/block/edit/read-lines.ts";
import type { ModelCatalogue } from "../../core/port/language-model.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store } from "../../core/port/store.ts";
import { textOf } from "../../core/message/content.ts";
import { conversationKey, workspaceKey, type Chain } from "../../core/rights/object-key.ts";
import { peopleOn } from "../../core/rights/rights.ts";
import { chainOfConversation, chainOfDocument, type ChainPorts, type PlacedDocument } from "../access/chains.ts";
import { roleTest } from "../access/member.ts";
import type { RightsKeeper } from "../access/rights-keeper.ts";
import { metaKeys } from "../base/meta-keys.ts";
import { notStored } from "../base/store-refusal.ts";
import { systemActor } from "../conversation/base/actors.ts";
import type { Conversations } from "../conversation/base/types.ts";
import type { DocumentHub } from "../document/hub.ts";

interface CommentTurnsPorts {
  readonly store: Pick<Store, "meta" | "commit" | "node" | "thread" | "root">;
  readonly folders: ChainPorts["folders"];
  /** Who may do what; null where one person owns everything. */
  readonly team: Pick<RightsKeeper, "rights" | "closeFor"> | null;
  readonly platform: Pick<Platform, "clock" | "logger">;
  readonly hub: Pick<DocumentHub, "comments">;
  readonly conversations: Conversations;
  readonly catalogue: ModelCatalogue;
}

/** An answer longer than this is cut in the thread; the conversation has all of it. */
const answerMax = 4_000;
const answerBeginning = 1_000;
const linesAround = 10;
const aroundUnits = 2_400;
const earlierUnits = 4_000;

/**
 * Turns that comments begin: a person who writes `@agent`, or the name of a model, in a thread gets an answer in that thread.
 * The agent works in a conversation of the thread's own, which no list of open conversations shows. What a model or a program
 * wrote begins nothing.
 */
export class CommentTurns {
  readonly #ports: CommentTurnsPorts;
  /** The threads whose conversations are at work for an answer. */
  readonly #awaited = new Map<RootId, ThreadId>();
  readonly #stop: () => void;
  #tail: Promise<void> = Promise.resolve();

  constructor(ports: CommentTurnsPorts) {
    this.#ports = ports;
    this.#stop = ports.conversations.watchSummaries(({ id }) => {
      if (this.#awaited.has(id)) this.#later(() => this.#settle(id));
    });
  }

  /** Waits again for the answers that a stop of the server left open. */
  async resume(): Promise<void> {
    const stored = (await this.#ports.store.meta(metaKeys.awaitedComments))?.["threads"];
    for (const id of Array.isArray(stored) ? stored : []) {
      const thread = await this.#ports.store.thread(id as ThreadId);
      if (thread?.conversationId === undefined) continue;
      const rootId = thread.conversationId;
      this.#awaited.set(rootId, thread.id);
      this.#later(() => this.#settle(rootId));
    }
  }

  /** Returns once the answers that are due have been posted. */
  async close(): Promise<void> {
    this.#stop();
    await this.#tail;
  }

  /**
   * Begins a turn when a person's last words in a thread mention an agent, or steers the turn that is under way. Returns the
   * thread as it is then; a refusal leaves the comment as it is.
   */
  async mentioned(actor: PersonActor, thread: Thread): Promise<Result<Thread, Refusal>> {
    const words = thread.comments.at(-1);
    if (words === undefined || words.actor.id !== actor.id) return ok(thread);
    const mention = this.#mentionIn(words.text);
    if (mention === null) return ok(thread);
    const asked = await this.#conversationOf(thread, { actor, model: mention.model });
    if (!asked.ok) return asked;
    const { rootId, conversed } = asked.value;
    const kept = await this.#keepAudience(rootId, conversed);
    if (!kept.ok) return kept;
    const runs = await this.#ports.conversations.runStatuses(rootId);
    const head = runs.ok ? (runs.value.at(-1)?.headNodeId ?? null) : null;
    const sent = await this.#ports.conversations.messages.send(actor, {
      rootId,
      parentNodeId: head,
      text: await this.#question(conversed, actor),
      deliver: "steer",
      ...(mention.model === undefined ? {} : { model: mention.model }),
    });
    if (!sent.ok) return sent;
    this.#awaited.set(rootId, thread.id);
    await this.#keepAwaited();
    // The turn may be over already.
    this.#later(() => this.#settle(rootId));
    return ok(conversed);
  }

  /** Who reads the document reads the answer: the agent quotes what those may read as well. */
  async #keepAudience(rootId: RootId, { blockId }: Thread): Promise<Result<void, Refusal>> {
    const { store, team } = this.#ports;
    const key = metaKeys.commentTalk(rootId);
    if (team === null || (await store.meta(key))?.["blockId"] === blockId) return ok(undefined);
    const committed = await store.commit([{ type: "put-meta", key, value: { blockId } }]);
    return committed.ok ? ok(undefined) : err(notStored(committed.error));
  }

  /** Returns the mentioned model, undefined for the default one; null where nobody is mentioned. */
  #mentionIn(text: string): { readonly model: string | undefined } | null {
    const { catalogue } = this.#ports;
    for (const [, name = ""] of text.matchAll(/(?:^|[\s(])@([\p{L}\p{N}][\p{L}\p{N}._/:-]*)/gu)) {
      const wanted = name.replace(/[.:]+$/, "").toLowerCase();
      if (wanted === "agent") return { model: undefined };
      const named = catalogue
        .list()
        .find(({ id }) => id.toLowerCase() === wanted || id.toLowerCase().endsWith(`/${wanted}`));
      if (named !== undefined) return { model: named.id };
      if ((catalogue.membersOf?.(wanted) ?? null) !== null) return { model: wanted };
    }
    return null;
  }

  /** Whether somebody may ask in a thread's conversation: else they ask in one of their own. */
  async #mayAsk(rootId: RootId, actor: PersonActor): Promise<boolean> {
    const { team, store } = this.#ports;
    const root = team === null ? null : await store.root(rootId);
    return team === null || root === null || roleTest(team, personOf(actor))(chainOfConversation(root), "editor");
  }

  /** Whether all who can read the first object of a chain may read a document as well, and who asks may ask there. */
  #isForAll(document: PlacedDocument, at: Chain, actor: PersonActor): boolean {
    const { team, folders } = this.#ports;
    if (team === null) return true;
    const chain = chainOfDocument(document, folders);
    const readers = chain === null ? new Map<PersonId, unknown>() : peopleOn(team.rights, chain);
    const isRead = [...peopleOn(team.rights, at).keys()].every((id) => readers.has(id));
    return isRead && roleTest(team, personOf(actor))(at, "editor");
  }

  async #conversationOf(
    thread: Thread,
    { actor, model }: { readonly actor: PersonActor; readonly model: string | undefined },
  ): Promise<Result<{ readonly rootId: RootId; readonly conversed: Thread }, Refusal>> {
    const { conversationId } = thread;
    if (conversationId !== undefined && (await this.#mayAsk(conversationId, actor))) {
      return ok({ rootId: conversationId, conversed: thread });
    }
    const { conversations, hub, team } = this.#ports;
    const header = await hub.comments.list(thread.blockId, (_placed, block) => block.header);
    if (!header.ok) return header;
    const isForAll = (chain: Chain): boolean => this.#isForAll(header.value, chain, actor);
    const quote = shortened(thread.anchor?.quote.text ?? blockTitle(header.value), 60);
    const made = await conversations.create({
      // Until it is closed, everybody in the workspace sees its title.
      title: isForAll([workspaceKey]) ? `Comment: ${quote}` : "Comment",
      canvasId: header.value.policy === undefined ? null : thread.blockId,
      ...(model === undefined ? {} : { model }),
    });
    if (!made.ok) return made;
    const rootId = made.value.id;
    const isShown = isForAll(chainOfConversation(made.value));
    const closed = isShown ? ok(undefined) : await team?.closeFor(personOf(actor), conversationKey(rootId));
    if (closed?.ok === false) return closed;
    await conversations.archive({ rootId, archived: true });
    const conversed = await hub.comments.change(thread.id, (known) =>
      ok({ ...known, version: known.version + 1, conversationId: rootId }),
    );
    return conversed.ok ? ok({ rootId, conversed: conversed.value }) : conversed;
  }

  /** The document, the words with the lines around, what was said before, and then the person's words. */
  async #question(thread: Thread, actor: Actor): Promise<string> {
    const about = await this.#ports.hub.comments.list(thread.blockId, (placed, { document, header }) => {
      const text = document.text();
      const place = placed.find((one) => one.thread.id === thread.id)?.place ?? null;
      const title = `“${blockTitle(header)}” (${header.id})`;
      if (place === null) return `the document ${title}`;
      const range = place.type === "range" ? place : { from: place.at, to: place.at };
      const [first, last] = linesOfRange(text, range);
      const start = Math.max(0, first - 1 - linesAround);
      const around = listLines(text, { start, end: last + linesAround }, { prefix: "number", base: 1 });
      const shown = around.ok ? shortened(around.value.content, aroundUnits) : "";
      const quote = thread.anchor?.quote.text ?? "";
      const where = place.type === "orphan" ? "words that were deleted since" : `lines ${first}-${last}`;
      return `${where} of ${title}, on the words "${quote}".\n\nThe lines now:\n${shown}`;
    });
    const earlier = thread.comments
      .slice(0, -1)
      .map((comment) => `${comment.actor.name}: ${comment.text}`)
      .join("\n");
    const before = earlier === "" ? "" : `\n\nSaid before:\n${earlier.slice(-earlierUnits)}`;
    const words = thread.comments.at(-1)?.text ?? "";
    return `You are asked in comment ${thread.id} about ${about.ok ? about.value : "a document"}${before}

Your last message is posted as the answer in the thread: keep it short. Change the document only if that is asked.

${actor.name} writes: ${words}`;
  }

  /** Posts the answer of a conversation whose turn is over. */
  async #settle(rootId: RootId): Promise<void> {
    const threadId = this.#awaited.get(rootId);
    const { conversations, store, hub, platform } = this.#ports;
    const runs = await conversations.runStatuses(rootId);
    if (threadId === undefined || !runs.ok) return;
    const run = runs.value.at(-1);
    if (run === undefined || run.queued || !isOver(run.state.type)) return;
    const node = run.headNodeId === null ? null : await store.node(run.headNodeId);
    if (node === null || this.#awaited.get(rootId) !== threadId) return;
    const answered = run.state.type === "idle" && node.message.role === "assistant";
    const said = answered ? textOf(node.message).trim() : "";
    const text = said === "" ? "The agent did not answer. Open its conversation to see why, or ask again." : cut(said);
    const by = said === "" ? systemActor : node.actor;
    this.#awaited.delete(rootId);
    await hub.comments.change(threadId, (thread) => replied(thread, { by, at: platform.clock.now() }, text));
    await this.#keepAwaited();
  }

  async #keepAwaited(): Promise<void> {
    const value = { threads: [...this.#awaited.values()] };
    await this.#ports.store.commit([{ type: "put-meta", key: metaKeys.awaitedComments, value }]);
  }

  #later(work: () => Promise<void>): void {
    const { logger } = this.#ports.platform;
    this.#tail = this.#tail
      .then(work)
      .catch((problem: unknown) => logger.warn("comment-not-answered", { reason: reasonOf(problem) }));
  }
}

function isOver(state: string): boolean {
  return state === "idle" || state === "error" || state === "context-exhausted";
}

function cut(said: string): string {
  if (said.length <= answerMax) return said;
  return `${said.slice(0, answerBeginning).toWellFormed()}…\n\nThe whole answer is in the conversation of this comment.`;
}

function personOf({ id }: PersonActor): PersonId {
  return id as string as PersonId;
}
