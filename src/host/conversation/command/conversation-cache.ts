import type { RootId } from "../../../core/base/ids.ts";
import type { OpenConversation } from "./opened-conversations.ts";

/** Idle conversations kept in memory for whoever comes back. */
export const idleMax = 32;

/** The most conversations that one use of the cache looks at, so that a use costs the same however many are open. */
const lookedAtMax = 8;

/** A conversation that stays in memory until it is released. */
export interface HeldConversation {
  /** Null: there is none. */
  readonly opened: OpenConversation | null;
  release(): void;
}

interface Entry {
  readonly opening: Promise<OpenConversation | null>;
  /** Null until it is open. */
  opened: OpenConversation | null;
  holders: number;
}

/**
 * The conversations in memory, each opened once. What works, is watched or is held stays; of the others the least recently
 * used leave, because the store has everything that an idle conversation knows.
 */
export class ConversationCache {
  readonly #open: (rootId: RootId) => Promise<OpenConversation | null>;
  readonly #idleMax: number;
  /** The least recently used first. */
  readonly #entries = new Map<RootId, Entry>();
  #closing = false;

  constructor(open: (rootId: RootId) => Promise<OpenConversation | null>, max = idleMax) {
    this.#open = open;
    this.#idleMax = max;
  }

  /** How many conversations are in memory. */
  get size(): number {
    return this.#entries.size;
  }

  /** Opens a conversation unless it is open, and keeps it until it is released. Rejects when it cannot be read. */
  async hold(rootId: RootId): Promise<HeldConversation> {
    const entry = this.#entries.get(rootId) ?? this.#begin(rootId);
    if (entry === null) return { opened: null, release: () => undefined };
    entry.holders += 1;
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      entry.holders -= 1;
      this.trim();
    };
    try {
      entry.opened = await entry.opening;
    } catch (problem) {
      this.#drop(rootId, entry);
      release();
      throw problem;
    }
    if (entry.opened === null) this.#drop(rootId, entry);
    else if (this.#entries.get(rootId) === entry) this.#touch(rootId, entry);
    return { opened: entry.opened, release };
  }

  /** Runs a job with a conversation, which stays in memory meanwhile; null: there is none. */
  async use<Value>(rootId: RootId, job: (opened: OpenConversation | null) => Promise<Value>): Promise<Value> {
    const held = await this.hold(rootId);
    try {
      return await job(held.opened);
    } finally {
      held.release();
    }
  }

  /** Forgets a conversation whose memory is no longer right; it is read again next time. */
  forget(rootId: RootId): void {
    this.#entries.delete(rootId);
  }

  /** Lets the least recently used conversations go, as far as they are idle and too many. */
  trim(): void {
    let excess = Math.min(this.#entries.size - this.#idleMax, lookedAtMax);
    for (const [rootId, entry] of this.#entries) {
      if (excess <= 0) return;
      excess -= 1;
      if (entry.holders === 0 && entry.opened?.conversation.isIdle === true) {
        this.#entries.delete(rootId);
        entry.opened.conversation.retire();
      } else this.#touch(rootId, entry);
    }
  }

  /** Opens nothing more, and closes what is open. */
  async close(): Promise<void> {
    this.#closing = true;
    // An unreadable conversation has nothing to close.
    const opened = await Promise.allSettled([...this.#entries.values()].map(({ opening }) => opening));
    await Promise.all(
      opened.map(async (each) => (each.status === "fulfilled" ? each.value?.conversation.close() : undefined)),
    );
  }

  /** Null while closing: a conversation that finishes opening after the close would never be closed. */
  #begin(rootId: RootId): Entry | null {
    if (this.#closing) return null;
    const entry: Entry = { opening: this.#open(rootId), opened: null, holders: 0 };
    this.#entries.set(rootId, entry);
    return entry;
  }

  #touch(rootId: RootId, entry: Entry): void {
    this.#entries.delete(rootId);
    this.#entries.set(rootId, entry);
  }

  #drop(rootId: RootId, entry: Entry): void {
    if (this.#entries.get(rootId) === entry) this.#entries.delete(rootId);
  }
}
