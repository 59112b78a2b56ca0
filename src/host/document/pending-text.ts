import type { Refusal } from "../../core/base/errors.ts";
import type { Author } from "./types.ts";

/** Text of one author that is still to be written. */
export interface PendingSegment {
  readonly author: Author;
  readonly text: string;
}

/** What was streamed onto a block and is not on its way to the store yet. */
export class PendingText {
  #segments: PendingSegment[] = [];
  #units = 0;
  #newline = false;
  /** Why the stream cannot go on; text after a gap would be wrong text. */
  failed: Refusal | null = null;
  /** Ends the timer of the oldest text. */
  cancelTimer: (() => void) | null = null;

  get isEmpty(): boolean {
    return this.#segments.length === 0;
  }

  get firstAuthor(): Author | undefined {
    return this.#segments[0]?.author;
  }

  /** Whether it is to be written at once: a line has ended, or there is more than a reader should wait for. */
  get isDue(): boolean {
    return this.#newline || this.#units > appendUnitsMax;
  }

  add(author: Author, text: string): void {
    const last = this.#segments.at(-1);
    if (last !== undefined && last.author.agent === author.agent && last.author.unit.id === author.unit.id) {
      this.#segments[this.#segments.length - 1] = { author: last.author, text: last.text + text };
    } else {
      this.#segments.push({ author, text });
    }
    this.#units += text.length;
    this.#newline ||= text.includes("\n");
  }

  /** Takes everything out, each segment well formed; half a character at the end waits for its other half unless `closing`. */
  take(closing: boolean): readonly PendingSegment[] {
    const taken = this.#segments;
    this.clear();
    const last = taken.at(-1);
    if (last === undefined) return taken;
    const half = !closing && isHighSurrogate(last.text.charCodeAt(last.text.length - 1));
    if (half) {
      taken[taken.length - 1] = { ...last, text: last.text.slice(0, -1) };
      this.#segments = [{ author: last.author, text: last.text.slice(-1) }];
      this.#units = 1;
    }
    return taken.filter(({ text }) => text !== "").map(({ author, text }) => ({ author, text: text.toWellFormed() }));
  }

  /** Puts back what was taken and not written, before what came meanwhile. */
  putBack(segments: readonly PendingSegment[]): void {
    const later = this.#segments;
    this.#segments = [];
    this.#units = 0;
    this.#newline = false;
    for (const { author, text } of [...segments, ...later]) this.add(author, text);
  }

  clear(): void {
    this.#segments = [];
    this.#units = 0;
    this.#newline = false;
    this.cancelTimer?.();
    this.cancelTimer = null;
  }
}

/** The seed's bound of a buffer, in UTF-16 units: more than this is written at once. */
const appendUnitsMax = 50;
/** How long text waits at most, from the first that is buffered. */
export const appendWaitMs = 100;

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
