import type { BlockId, ThreadId } from "../../../src/core/base/ids.ts";
import type { OpSpan } from "../../../src/core/text/types.ts";
import { isRecord, Stored } from "../browser/stored.ts";
import { unsavedText } from "../ui/kept/use-unsaved.ts";
import { type Intent, intents } from "./comment-words.ts";

/** A comment that a person has begun on a stretch of the text. */
export interface CommentDraft {
  readonly intent: Intent;
  /** The units of the stretch: they are the same words whatever others write meanwhile. Empty: the whole document. */
  readonly units: readonly OpSpan[];
  readonly quote: string;
}

/** The unsent words of a new comment on a document, or of an answer in a thread: kept until they are sent or discarded. */
export function unsentWords(of: BlockId | ThreadId): Stored<string> {
  return unsavedText(wordsKey(of));
}

export function wordsKey(of: BlockId | ThreadId): string {
  return `comment.${of}`;
}

/** What the unsent words of a new comment are about; null for none. */
export function unsentDraft(blockId: BlockId): Stored<CommentDraft | null> {
  return new Stored(`comment-on.${blockId}`, readDraft, null);
}

/** Returns the comment that was begun on a document and has words. */
export function begunComment(blockId: BlockId): CommentDraft | null {
  return unsentWords(blockId).get().trim() === "" ? null : unsentDraft(blockId).get();
}

/** Forgets a new comment: it was sent or discarded. */
export function forgetComment(blockId: BlockId): void {
  unsentWords(blockId).clear();
  unsentDraft(blockId).clear();
}

function readDraft(value: unknown): CommentDraft | null | undefined {
  if (!isRecord(value)) return undefined;
  const { intent, units, quote } = value;
  const known = Object.keys(intents).find((name): name is Intent => name === intent);
  if (known === undefined || typeof quote !== "string" || !Array.isArray(units)) return undefined;
  return { intent: known, quote, units: units.flatMap((unit) => (isSpan(unit) ? [unit] : [])) };
}

function isSpan(value: unknown): value is OpSpan {
  return (
    isRecord(value) &&
    typeof value["replica"] === "number" &&
    typeof value["seq"] === "number" &&
    typeof value["length"] === "number"
  );
}
