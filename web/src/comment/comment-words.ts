import type { RangePlacement } from "../../../src/core/block/comment/range-anchor.ts";
import type { Thread } from "../../../src/core/block/comment/thread.ts";

/** A thread with its place in the text; null for the whole document. */
export interface ShownThread {
  readonly thread: Thread;
  readonly place: RangePlacement | null;
}

/** What a person is about to say about a selection. */
export type Intent = "ask" | "edit" | "comment";

/** Returns the threads in the order of the text, those on deleted text last. */
export function inTextOrder(threads: readonly ShownThread[]): readonly ShownThread[] {
  const at = ({ place }: ShownThread): number => {
    if (place === null) return -1;
    if (place.type === "orphan") return Number.MAX_SAFE_INTEGER;
    return place.type === "range" ? place.from : place.at;
  };
  return threads.toSorted((a, b) => at(a) - at(b) || a.thread.createdAt - b.thread.createdAt);
}

/** Says what a thread is about: its words, or where they were. */
export function aboutWords({ thread, place }: ShownThread): string {
  if (thread.anchor === null) return "The whole document";
  const quote = thread.anchor.quote.text.replaceAll(/\s+/g, " ");
  return quote === "" ? "A place in the text" : place === null ? "The whole document" : quote;
}

/** Says what happened to the words of a thread; null when they are as they were. */
export function placeNote({ place }: ShownThread): string | null {
  if (place?.type === "orphan") return "On deleted text";
  return place !== null && place.rewritten ? "Rewritten since" : null;
}

export const intents: Readonly<Record<Intent, { readonly label: string; readonly hint: string }>> = {
  ask: { label: "Ask", hint: "Ask the agent about these words…" },
  edit: { label: "Edit", hint: "Say how the agent should change these words…" },
  comment: { label: "Comment", hint: "Comment. @agent asks an agent." },
};

/** Returns the words of a comment as they are sent. */
export function sentWords(intent: Intent, words: string): string {
  const text = words.trim();
  if (intent === "comment" || /(?:^|\s)@[\p{L}\p{N}]/u.test(text)) return text;
  return intent === "ask" ? `@agent ${text}` : `@agent Change these words in the document: ${text}`;
}

/** Returns "2 open comments". */
export function countWords(open: number): string {
  return open === 0 ? "No open comments" : open === 1 ? "1 open comment" : `${open} open comments`;
}
