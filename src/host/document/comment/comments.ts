import type { Actor } from "../../../core/base/actor.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { must } from "../../../core/base/assert.ts";
import type { ActorId, BlockId, ThreadId, TrashId, TurnId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { followPaste, isWhole, type PastedWords } from "../../../core/block/comment/pasted-units.ts";
import type { ImportedThread } from "../../../core/block/comment/imported-thread.ts";
import {
  addPlace,
  importedAnchor,
  placeThreads,
  type RangeAnchor,
  type RangePlacement,
  seamOf,
  spansOf,
} from "../../../core/block/comment/range-anchor.ts";
import {
  firstComment,
  shownThread,
  threadHomesMax,
  type Comment,
  type Thread,
} from "../../../core/block/comment/thread.ts";
import { commentUnitsMax, movedTo } from "../../../core/block/comment/thread-steps.ts";
import type { TrashEntry } from "../../../core/forest/trash-entry.ts";
import type { Platform } from "../../../core/port/platform.ts";
import type { OpSpan } from "../../../core/text/types.ts";
import type { Store, StoreRefusal, StoreWrite } from "../../../core/port/store.ts";
import { notStored } from "../../base/store-refusal.ts";
import { keptDays, trashEntry } from "../../base/trash-time.ts";
import type { OpenBlock } from "../block/open-block.ts";
import type { Lanes } from "../queue/lanes.ts";
import { Listeners } from "../record/listeners.ts";
import { anchorOf, type RangeWish } from "./range-wish.ts";

interface CommentsPorts {
  readonly store: Store;
  readonly platform: Pick<Platform, "clock" | "logger" | "random">;
  readonly lanes: Lanes;
}

/** A thread and where it is; null for one about the whole document. */
export interface PlacedThread {
  readonly thread: Thread;
  readonly place: RangePlacement | null;
}

/** The threads of a document, changed together. */
export interface ThreadNews {
  readonly blockId: BlockId;
  readonly threads: readonly Thread[];
}

/** A comment with which a thread begins. */
export interface NewThread {
  readonly blockId: BlockId;
  readonly at: RangeWish;
  readonly text: string;
}

/** Words that were cut from one document and pasted in another, or elsewhere in the same. */
export interface PastedWish {
  readonly from: BlockId;
  readonly to: BlockId;
  readonly words: PastedWords;
}

/** Returns further writes of the same transaction. */
export type AlsoWithThread = (thread: Thread) => readonly StoreWrite[];

/** Not in the document that was looked in. */
const elsewhere = Symbol("elsewhere");

/** Open threads of one document. */
export const openThreadsMax = 2_000;

/**
 * The comments on documents. They are committed in their document's queue, so their ranges are of the text as it is then; a
 * comment makes no version of the document and asks for no lease.
 */
export class Comments {
  readonly #ports: CommentsPorts;
  readonly #listeners = new Listeners<ThreadNews>();

  constructor(ports: CommentsPorts) {
    this.#ports = ports;
  }

  /** Calls `listener` with the threads of a document that changed, once they are on disk and after the change of the text. */
  onChanged(listener: (news: ThreadNews) => void): () => void {
    return this.#listeners.subscribe(listener);
  }

  /** Runs `read` with a document's threads and their places while its queue waits: later news continue from them. */
  list<Value>(
    blockId: BlockId,
    read: (placed: readonly PlacedThread[], block: OpenBlock) => Value,
  ): Promise<Result<Value, Refusal>> {
    return this.#ports.lanes.alone(blockId, async (block) => {
      const placed = placedThreads(block).map(({ thread, place }) => ({ thread: shownThread(thread), place }));
      return ok(read(placed, block));
    });
  }

  /** Begins a thread. */
  async add(by: Actor, wish: NewThread, also: AlsoWithThread = nothingElse): Promise<Result<Thread, Refusal>> {
    const { platform, lanes } = this.#ports;
    const made = await lanes.alone(wish.blockId, async (block) => {
      if (block.header.kind !== "file") return err(noDocument(wish.blockId));
      if (openThreads(block).length >= openThreadsMax) return err(refusal("COMMENTS_FULL", { max: openThreadsMax }));
      const anchor = anchorOf(block.document, wish.at);
      if (!anchor.ok) return anchor;
      const at = platform.clock.now();
      const thread: Thread = {
        id: threadId(platform.random.bytes(7)),
        blockId: wish.blockId,
        version: 1,
        state: "open",
        anchor: anchor.value,
        comments: [{ seq: 1, actor: by, text: wish.text, at }],
        events: [],
        createdAt: at,
      };
      return this.#commit(block, thread, also(thread));
    });
    return this.#told(made);
  }

  /**
   * Adds the threads of a file that was imported as this document, all or none. Their ids are kept where nothing else has
   * them; nobody is answered.
   */
  async bring(blockId: BlockId, threads: readonly ImportedThread[]): Promise<Result<readonly Thread[], Refusal>> {
    const { store, platform, lanes } = this.#ports;
    const brought = await lanes.alone<readonly Thread[]>(blockId, async (block) => {
      if (block.header.kind !== "file") return err(noDocument(blockId));
      const open = threads.filter(({ state }) => state === "open").length;
      if (openThreads(block).length + open > openThreadsMax)
        return err(refusal("COMMENTS_FULL", { max: openThreadsMax }));
      const now = platform.clock.now();
      const made: Thread[] = [];
      for (const imported of threads) {
        const isFree = imported.id !== null && (await store.thread(imported.id)) === null;
        const id = isFree && imported.id !== null ? imported.id : threadId(platform.random.bytes(7));
        made.push(threadOf(imported, { id, blockId, now }, block));
      }
      const committed = await store.commit(made.map((thread): StoreWrite => ({ type: "put-thread", thread })));
      if (!committed.ok) return err(refusedCommit(committed.error));
      for (const thread of made) (block.threads ?? block.trackThreads([])).put(thread);
      return ok(made);
    });
    if (brought.ok) this.tell(brought.value);
    return brought;
  }

  /** Changes a thread by a pure step; a step that returns the thread as it is changes nothing. */
  async change(
    id: ThreadId,
    step: (thread: Thread, block: OpenBlock) => Result<Thread, Refusal>,
    also: AlsoWithThread = nothingElse,
  ): Promise<Result<Thread, Refusal>> {
    return this.#told(
      await this.#with(id, async (thread, block) => {
        const next = step(thread, block);
        if (!next.ok) return next;
        if (next.value === thread) return ok({ thread, isNew: false });
        return this.#commit(block, next.value, also(next.value));
      }),
    );
  }

  /**
   * Words that were cut are pasted: threads that have no word left where they were go with them, all or none. What has a word
   * left, or is in the trash, stays.
   */
  async paste(
    by: Actor,
    { from, to, words }: PastedWish,
    also: (moved: readonly Thread[]) => readonly StoreWrite[] = () => [],
  ): Promise<Result<readonly Thread[], Refusal>> {
    const { store, platform, lanes } = this.#ports;
    const left: Thread[] = [];
    const pasted = await lanes.together<readonly Thread[]>([from, to], async (source, target) => {
      if (target.header.kind !== "file") return err(noDocument(to));
      const step = { by, at: platform.clock.now() };
      const moved: Thread[] = [];
      for (const { thread, units } of leavingWith(source, words)) {
        const anchor = pastedAnchor(thread, target, units);
        if (anchor === null) continue;
        const next = movedTo(thread, step, anchor);
        if (!next.ok) return next;
        moved.push({ ...next.value, blockId: to, ...(from !== to && comingFrom(thread)) });
        if (from !== to) left.push({ ...next.value, deletedAt: step.at });
      }
      if (from !== to && openThreads(target).length + moved.length > openThreadsMax) {
        return err(refusal("COMMENTS_FULL", { max: openThreadsMax }));
      }
      const writes = moved.map((thread): StoreWrite => ({ type: "put-thread", thread }));
      const committed = await store.commit([...writes, ...also(moved.map(shownThread))]);
      if (!committed.ok) return err(refusedCommit(committed.error));
      for (const thread of moved) {
        if (from !== to) source.threads?.remove(thread.id);
        (target.threads ?? target.trackThreads([])).put(thread);
      }
      return ok(moved.map(shownThread));
    });
    // Who reads the old document is told that the thread is gone, and not where it is: they may not read there.
    if (pasted.ok) this.tell([...left, ...pasted.value]);
    return pasted;
  }

  /** Returns the threads of a document that came from another one and are on words here. */
  away(blockId: BlockId): Promise<Result<readonly ThreadId[], Refusal>> {
    return this.#ports.lanes.alone(blockId, async (block) => ok(awayThreads(block, false).map(({ id }) => id)));
  }

  /**
   * The paste with which threads came was undone: those of them that have no word left here go back to the document from which
   * they came, where they are on their words as soon as the cut is undone too. Each goes where `may` allows the actor.
   */
  async sendHome(
    by: Actor,
    blockId: BlockId,
    { ids, may }: { readonly ids: readonly ThreadId[]; readonly may: (home: BlockId) => Promise<boolean> },
  ): Promise<void> {
    const { store, platform, lanes } = this.#ports;
    const going = await lanes.alone(blockId, async (block) => ok(goingHome(block, ids)));
    const homes = new Set(going.ok ? going.value.flatMap(({ homes: [home] = [] }) => home?.blockId ?? []) : []);
    for (const home of homes) {
      if (!(await may(home))) continue;
      const left: Thread[] = [];
      const sent = await lanes.together<readonly Thread[]>([blockId, home], async (source, target) => {
        const step = { by, at: platform.clock.now() };
        const moved: Thread[] = [];
        for (const thread of goingHome(source, ids)) {
          const [first, ...rest] = thread.homes ?? [];
          if (first === undefined || first.blockId !== home) continue;
          const next = movedTo(thread, step, first.anchor);
          if (!next.ok) return next;
          const { homes: _homes, ...here } = next.value;
          moved.push({ ...here, blockId: home, ...(rest.length > 0 && { homes: rest }) });
          left.push({ ...next.value, deletedAt: step.at });
        }
        const committed = await store.commit(moved.map((thread): StoreWrite => ({ type: "put-thread", thread })));
        if (!committed.ok) return err(refusedCommit(committed.error));
        for (const thread of moved) {
          source.threads?.remove(thread.id);
          (target.threads ?? target.trackThreads([])).put(thread);
        }
        return ok(moved);
      });
      if (sent.ok) this.tell([...left, ...sent.value]);
      // The document is in the trash, or full of comments: the threads are listed where they are.
      else this.#ports.platform.logger.info("comments-stay-away", { code: sent.error.code });
    }
  }

  /** Moves a thread to the trash: by who began it, or by a person who looks after the workspace. */
  async remove(
    by: Actor,
    id: ThreadId,
    also: (entry: TrashEntry) => readonly StoreWrite[] = () => [],
  ): Promise<Result<TrashEntry, Refusal>> {
    const { store, platform } = this.#ports;
    const days = await keptDays(store);
    let entry: TrashEntry | null = null;
    const removed = await this.#with(id, async (thread, block) => {
      const first = firstComment(thread);
      if (by.type === "model" && first.actor.id !== by.id) return err(refusal("COMMENT_NOT_YOURS", { comment_id: id }));
      const object = { type: "thread", threadId: id, of: thread.blockId } as const;
      entry = trashEntry(platform, days, { object, title: titleOf(thread), by });
      const next = { ...thread, version: thread.version + 1, deletedAt: platform.clock.now() };
      return this.#commit(block, next, [{ type: "put-trash", entry }, ...also(entry)]);
    });
    const told = this.#told(removed);
    if (!told.ok) return told;
    return entry === null ? err(notFound(id)) : ok(entry);
  }

  /** Restores a thread from the trash. */
  async restore(id: ThreadId, trashId: TrashId, also: readonly StoreWrite[]): Promise<Result<void, Refusal>> {
    const restored = await this.#with(
      id,
      async ({ deletedAt: _deletedAt, ...thread }, block) =>
        this.#commit(block, { ...thread, version: thread.version + 1 }, [
          { type: "delete-trash", id: trashId },
          ...also,
        ]),
      true,
    );
    const told = this.#told(restored);
    return told.ok ? ok(undefined) : told;
  }

  /** Deletes a thread in the trash for good. */
  async purge(id: ThreadId, trashId: TrashId, also: readonly StoreWrite[]): Promise<Result<void, Refusal>> {
    const writes: readonly StoreWrite[] = [
      { type: "delete-trash", id: trashId },
      { type: "delete-thread", id },
      ...also,
    ];
    const stored = await this.#ports.store.thread(id);
    // Its document may be in the trash too, or gone for good with its threads.
    const inDocument =
      stored === null
        ? null
        : await this.#ports.lanes.alone(stored.blockId, async (block) => {
            const committed = await this.#ports.store.commit(writes);
            if (committed.ok) block.threads?.remove(id);
            return committed.ok ? ok(undefined) : err(refusedCommit(committed.error));
          });
    if (inDocument !== null && (inDocument.ok || inDocument.error.code === "CONFLICT")) return inDocument;
    const committed = await this.#ports.store.commit(writes);
    return committed.ok ? ok(undefined) : err(refusedCommit(committed.error));
  }

  /** Returns the threads in which a turn wrote: those that nobody else has answered, and the others. */
  async ofTurn(turnId: TurnId): Promise<{ readonly alone: readonly Thread[]; readonly answered: readonly Thread[] }> {
    const found = (await this.#ports.store.threadsOfTurn(turnId)).filter(({ deletedAt }) => deletedAt === undefined);
    const isAlone = ({ comments }: Thread): boolean =>
      comments.every(({ actor }) => actor.type === "model" && actor.turnId === turnId);
    return { alone: found.filter(isAlone), answered: found.filter((thread) => !isAlone(thread)) };
  }

  /** Tells listeners of threads that another part's commit changed, once it is on disk. */
  tell(threads: readonly Thread[]): void {
    for (const [blockId, ofBlock] of Map.groupBy(threads, (thread) => thread.blockId)) {
      try {
        this.#listeners.publish({ blockId, threads: ofBlock.map(shownThread) });
      } catch (bug) {
        this.#ports.platform.logger.error("comment-listener-failed", { reason: String(bug) });
      }
    }
  }

  async #with<Value>(
    id: ThreadId,
    work: (thread: Thread, block: OpenBlock) => Promise<Result<Value, Refusal>>,
    deletedToo = false,
  ): Promise<Result<Value, Refusal>> {
    const stored = await this.#ports.store.thread(id);
    if (stored === null) return err(notFound(id));
    const { blockId } = stored;
    const done = await this.#ports.lanes.alone<Value | typeof elsewhere>(blockId, async (block) => {
      const thread = block.threads?.get(id);
      if (thread === undefined) return ok(elsewhere);
      if (!deletedToo && thread.deletedAt !== undefined) return err(refusal("IN_TRASH", { comment_id: id }));
      return work(thread, block);
    });
    if (!done.ok) return done;
    if (done.value !== elsewhere) return ok(done.value);
    // It was purged, or words that were cut took it to another document meanwhile.
    const now = await this.#ports.store.thread(id);
    return now === null || now.blockId === blockId ? err(notFound(id)) : this.#with(id, work, deletedToo);
  }

  /** Stores a thread; the caller is in the document's queue. */
  async #commit(
    block: OpenBlock,
    thread: Thread,
    also: readonly StoreWrite[],
  ): Promise<Result<{ readonly thread: Thread; readonly isNew: boolean }, Refusal>> {
    const committed = await this.#ports.store.commit([{ type: "put-thread", thread }, ...also]);
    if (!committed.ok) return err(refusedCommit(committed.error));
    (block.threads ?? block.trackThreads([])).put(thread);
    return ok({ thread, isNew: true });
  }

  #told(made: Result<{ readonly thread: Thread; readonly isNew: boolean }, Refusal>): Result<Thread, Refusal> {
    if (!made.ok) return made;
    const { thread, isNew } = made.value;
    if (isNew) this.tell([thread]);
    return ok(shownThread(thread));
  }
}

/** An imported thread as it is stored. Its authors are names in a file, and nobody of this workspace. */
function threadOf(
  { state, place, quote, comments }: ImportedThread,
  { id, blockId, now }: { readonly id: ThreadId; readonly blockId: BlockId; readonly now: number },
  { document }: OpenBlock,
): Thread {
  const [first, ...rest] = comments.map((comment, index): Comment => {
    const at = comment.at ?? now;
    const text = comment.text.slice(0, commentUnitsMax).toWellFormed();
    const actor = { type: "system", id: importActorId, name: comment.name ?? "Import" } as const;
    return { seq: index + 1, actor, text, at, ...(text === "" && { deletedAt: at }) };
  });
  const said = must(first, "an imported thread has a comment");
  const anchor = place === null ? null : importedAnchor(document, place, quote);
  return { id, blockId, version: 1, state, anchor, comments: [said, ...rest], events: [], createdAt: said.at };
}

const importActorId = "import" as ActorId;

function openThreads({ threads }: OpenBlock): readonly Thread[] {
  return (threads?.threads ?? []).filter(({ state, deletedAt }) => state === "open" && deletedAt === undefined);
}

/** What a thread keeps of the document that it leaves with words that were cut. */
function comingFrom({ blockId, anchor, homes = [] }: Thread): Pick<Thread, "homes"> {
  return anchor === null ? {} : { homes: [{ blockId, anchor }, ...homes].slice(0, threadHomesMax) };
}

/** Returns the threads of a document that came from others: those without a word left here, or those with one. */
function awayThreads(block: OpenBlock, isWithoutWords: boolean): readonly Thread[] {
  if (!(block.threads?.threads ?? []).some(({ homes }) => homes !== undefined)) return [];
  return placedThreads(block).flatMap(({ thread, place }) =>
    thread.homes !== undefined && (place?.type === "orphan") === isWithoutWords ? [thread] : [],
  );
}

function goingHome(block: OpenBlock, ids: readonly ThreadId[]): readonly Thread[] {
  return awayThreads(block, true).filter(({ id }) => ids.includes(id));
}

/** Returns the threads of a document that have no word left in it, and that go where the words that were cut are now. */
function leavingWith(
  source: OpenBlock,
  words: PastedWords,
): readonly { readonly thread: Thread; readonly units: readonly OpSpan[] }[] {
  if (!isWhole(words)) return [];
  const follow = followPaste(words);
  return placedThreads(source).flatMap(({ thread, place }) => {
    if (thread.anchor === null || place?.type !== "orphan") return [];
    const units = follow(thread.anchor);
    return units === null ? [] : [{ thread, units }];
  });
}

/** Returns the anchor on what was pasted; null when it is gone already. The earlier place is kept: an undo brings it back. */
function pastedAnchor({ anchor, blockId }: Thread, target: OpenBlock, units: readonly OpSpan[]): RangeAnchor | null {
  const [range] = target.document.locate([units]);
  if (anchor === null || range === undefined || range === null) return null;
  const place = { spans: spansOf(target.document, range) };
  if (blockId === target.id) return addPlace(anchor, place);
  // Units of another document mean nothing here.
  return { own: [place], seam: seamOf(target.document, range), quote: anchor.quote };
}

/** Returns the threads of an open document that are not in the trash, with their places; oldest first. */
function placedThreads(block: OpenBlock): readonly PlacedThread[] {
  const threads = (block.threads?.threads ?? []).filter(({ deletedAt }) => deletedAt === undefined);
  const places = placeThreads(block.document, threads);
  return threads
    .map((thread, index) => ({ thread, place: places[index] ?? null }))
    .toSorted((a, b) => a.thread.createdAt - b.thread.createdAt || (a.thread.id < b.thread.id ? -1 : 1));
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Makes the id of a thread from seven random bytes: a model repeats it in a few tokens. */
function threadId(entropy: Uint8Array): ThreadId {
  return `c${[...entropy].map((byte) => alphabet.charAt(byte % alphabet.length)).join("")}` as ThreadId;
}

function titleOf(thread: Thread): string {
  return firstComment(thread).text.slice(0, 80).toWellFormed();
}

function refusedCommit(refused: StoreRefusal): Refusal {
  return refused.code === "CONFLICT" ? refusal("CONFLICT") : notStored(refused);
}

function notFound(id: ThreadId): Refusal {
  return refusal("COMMENT_NOT_FOUND", { comment_id: id });
}

function noDocument(blockId: BlockId): Refusal {
  return refusal(
    "INVALID_PARAMS",
    { blockId, expected: "a canvas or a file" },
    "Only canvases and files take comments.",
  );
}

function nothingElse(): readonly StoreWrite[] {
  return [];
}
