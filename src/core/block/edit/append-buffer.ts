import { assert } from "../../base/assert.ts";
import { isHighSurrogate } from "../../text/surrogates.ts";

/** A buffer with more UTF-16 units than this is flushed at once. */
const appendUnitsMax = 50;
/** Milliseconds a character waits before it is flushed. */
export const appendDelayMs = 100;

/**
 * Appended text that is not in the block yet: small pieces of a stream become one mutation. `dueAt` is the latest time to
 * flush it, on the clock of the events; null while the buffer is empty.
 */
export interface AppendBuffer {
  readonly text: string;
  readonly dueAt: number | null;
}

/** An event of a buffer. `now` is milliseconds of one monotonic clock. */
export type AppendEvent =
  | { readonly type: "appended"; readonly text: string; readonly now: number }
  /** The timer for `dueAt` fired. An early timer, or one for flushed text, does nothing. */
  | { readonly type: "timer-due"; readonly now: number }
  /** A read, an edit or a status change follows and must see everything. */
  | { readonly type: "flush-requested"; readonly now: number }
  /** Nothing more will be appended. */
  | { readonly type: "finished" };

/** What to do: append `flush` to the block unless it is empty, and set the timer to the new `dueAt`. */
export interface AppendStep {
  readonly buffer: AppendBuffer;
  readonly flush: string;
}

/** The empty buffer. */
export const emptyAppendBuffer: AppendBuffer = { text: "", dueAt: null };

/**
 * Decides when appended text goes into the block: with a newline, beyond 50 units, or 100 ms after its first character. Half
 * a surrogate pair waits for its other half; at the end it becomes U+FFFD.
 */
export function appendStep(buffer: AppendBuffer, event: AppendEvent): AppendStep {
  switch (event.type) {
    case "appended": {
      const text = buffer.text + event.text;
      const dueAt = buffer.dueAt ?? (text === "" ? null : event.now + appendDelayMs);
      const next: AppendBuffer = { text, dueAt };
      return text.includes("\n") || text.length > appendUnitsMax ? flush(next, event.now) : { buffer: next, flush: "" };
    }
    case "timer-due":
      return buffer.dueAt !== null && event.now >= buffer.dueAt ? flush(buffer, event.now) : { buffer, flush: "" };
    case "flush-requested":
      return flush(buffer, event.now);
    case "finished":
      return { buffer: emptyAppendBuffer, flush: buffer.text.toWellFormed() };
  }
}

function flush(buffer: AppendBuffer, now: number): AppendStep {
  const { text } = buffer;
  const whole = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text;
  const half = text.slice(whole.length);
  assert(half.length <= 1, "only half a character is held back");
  return {
    buffer: half === "" ? emptyAppendBuffer : { text: half, dueAt: now + appendDelayMs },
    flush: whole.toWellFormed(),
  };
}
