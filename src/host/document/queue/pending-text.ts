import { appendStep, emptyAppendBuffer, type AppendBuffer } from "../../../core/block/edit/append-buffer.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import type { Writer } from "../record/writer.ts";

/** Text of one author that is not written yet. */
export interface PendingSegment {
  readonly author: Writer;
  readonly text: string;
}

/** Text that was streamed onto a block and is not part of a commit yet. */
export class PendingText {
  /** Segments that are due to be written. */
  #ready: PendingSegment[] = [];
  #buffer: AppendBuffer = emptyAppendBuffer;
  #author: Writer | null = null;
  /** Why the stream cannot go on; text after a gap would be wrong text. */
  failed: Refusal | null = null;
  /** Cancels the timer of the oldest text. */
  cancelTimer: (() => void) | null = null;

  get isEmpty(): boolean {
    return this.#ready.length === 0 && this.#buffer.text === "";
  }

  /** Whether a segment is due now. */
  get isDue(): boolean {
    return this.#ready.length > 0;
  }

  /** The author of the first pending text; undefined when there is none. */
  get author(): Writer | undefined {
    return this.#ready[0]?.author ?? (this.#buffer.text === "" ? undefined : (this.#author ?? undefined));
  }

  /** Buffers text. With `joins`, it becomes part of the unit whose text is waiting, when the same replica wrote that. */
  add(author: Writer, text: string, { now, joins }: { readonly now: number; readonly joins: boolean }): void {
    const waiting = this.author;
    const by = joins && waiting?.replica === author.replica ? waiting : author;
    if (this.#author !== null && !sameUnit(this.#author, by)) this.#finish();
    this.#author = by;
    this.#step(appendStep(this.#buffer, { type: "appended", text, now }));
  }

  /**
   * Removes and returns all text; half a character at the end stays until its other half arrives, unless the stream
   * `closes`.
   */
  take(now: number, closes: boolean): readonly PendingSegment[] {
    this.cancelTimer?.();
    this.cancelTimer = null;
    if (closes) this.#finish();
    else this.#step(appendStep(this.#buffer, { type: "flush-requested", now }));
    const taken = this.#ready;
    this.#ready = [];
    return taken;
  }

  /** Returns segments that were taken but not written, before the text that arrived meanwhile. */
  putBack(segments: readonly PendingSegment[]): void {
    this.#ready = [...segments, ...this.#ready];
  }

  clear(): void {
    this.#ready = [];
    this.#buffer = emptyAppendBuffer;
    this.cancelTimer?.();
    this.cancelTimer = null;
  }

  #finish(): void {
    this.#step(appendStep(this.#buffer, { type: "finished" }));
  }

  #step(step: { readonly buffer: AppendBuffer; readonly flush: string }): void {
    this.#buffer = step.buffer;
    if (step.flush === "" || this.#author === null) return;
    const last = this.#ready.at(-1);
    if (last !== undefined && sameUnit(last.author, this.#author)) {
      this.#ready[this.#ready.length - 1] = { author: last.author, text: last.text + step.flush };
    } else {
      this.#ready.push({ author: this.#author, text: step.flush });
    }
  }
}

function sameUnit(a: Writer, b: Writer): boolean {
  return a.replica === b.replica && a.unit.id === b.unit.id;
}
