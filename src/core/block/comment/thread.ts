import type { Actor } from "../../base/actor.ts";
import type { BlockId, RootId, ThreadId, TurnId } from "../../base/ids.ts";
import type { NonEmptyArray } from "../../base/non-empty.ts";
import type { RangeAnchor } from "./range-anchor.ts";

export const threadStates = ["open", "resolved"] as const;
type ThreadState = (typeof threadStates)[number];

/** One contribution to a thread. */
export interface Comment {
  /** Its number in the thread, from 1. */
  readonly seq: number;
  readonly actor: Actor;
  /** Markdown; empty once it was deleted. */
  readonly text: string;
  /** UTC milliseconds. */
  readonly at: number;
  /** The last edit. */
  readonly editedAt?: number;
  /** The texts before its edits, oldest first. */
  readonly earlier?: readonly string[];
  /** Set when its author deleted it: it stays as a placeholder. */
  readonly deletedAt?: number;
}

/** A step in the life of a thread besides its comments. */
export interface ThreadEvent {
  readonly type: "resolved" | "reopened" | "moved";
  readonly by: Actor;
  /** UTC milliseconds. */
  readonly at: number;
}

/**
 * Comments on one range of a document. Stored beside the document's log: no comment makes a version of the document, and
 * nothing of a thread is in its text.
 */
export interface Thread {
  readonly id: ThreadId;
  readonly blockId: BlockId;
  /** Number of changes; 1 when created. Fences its writer. */
  readonly version: number;
  readonly state: ThreadState;
  /** null: the thread is about the whole document. */
  readonly anchor: RangeAnchor | null;
  /** In the order in which they were made. */
  readonly comments: NonEmptyArray<Comment>;
  /** The newest, oldest first. */
  readonly events: readonly ThreadEvent[];
  /** The conversation in which mentioned agents work; made at the first mention. */
  readonly conversationId?: RootId;
  readonly createdAt: number;
  /** Set while the thread is in the trash. */
  readonly deletedAt?: number;
  /**
   * The documents from which it came with words that were cut, the last one first: an undo of the paste brings it back there.
   * Shown to nobody: who reads this document may not read those.
   */
  readonly homes?: readonly ThreadHome[];
}

interface ThreadHome {
  readonly blockId: BlockId;
  readonly anchor: RangeAnchor;
}

/** Number of documents from which a thread came that are remembered. */
export const threadHomesMax = 8;

/** A thread without what nobody is shown. */
export function shownThread(thread: Thread): Thread {
  if (thread.homes === undefined) return thread;
  const { homes: _homes, ...shown } = thread;
  return shown;
}

/** Number of events that a thread keeps. */
export const threadEventsMax = 100;

/** The comment with which the thread began. */
export function firstComment(thread: Thread): Comment {
  return thread.comments[0];
}

/** The turns of agents that wrote in a thread. */
export function turnsIn({ comments }: Thread): readonly TurnId[] {
  return [...new Set(comments.flatMap(({ actor }) => (actor.type === "model" ? [actor.turnId] : [])))];
}

/** Merges an update into the threads of a document: with `whole`, all of them; otherwise those that changed. */
export function takeThreads(
  known: readonly Thread[],
  news: { readonly whole: boolean; readonly threads: readonly Thread[] },
): readonly Thread[] {
  const byId = new Map((news.whole ? [] : known).map((thread) => [thread.id, thread]));
  for (const thread of news.threads) {
    const before = byId.get(thread.id);
    if (before === undefined || before.version <= thread.version) byId.set(thread.id, thread);
  }
  return [...byId.values()]
    .filter(({ deletedAt }) => deletedAt === undefined)
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}
