import type { PreparedMessage } from "./down-frame.ts";
import { serverLimits } from "../http/server-limits.ts";
import { textFrame, type TextFrame } from "./text-frame.ts";

/** A connection as the sender sees it: its messages of this tick, and a way to send a frame. */
export interface FrameSink {
  queued: QueuedMessages | null;
  transmit(frame: TextFrame): void;
}

/**
 * Messages queued for one tick, as a linked list: the last message, and the queue before it. Connections that are sent
 * the same messages in the same order reach the same queue, and so share frames without comparing queues.
 */
export interface QueuedMessages {
  readonly before: QueuedMessages | null;
  readonly message: PreparedMessage;
  /** The queue that the last connection continued to from here. */
  after: QueuedMessages | null;
  frames: readonly TextFrame[] | null;
}

/**
 * Gathers what each connection is sent in one tick into one frame, a JSON array; into several if it is large.
 * Connections that are sent the same messages (the watchers of one block) share the frames' bytes.
 */
export class Sender {
  #sinks = new Set<FrameSink>();
  /** The queues of one message with which connections begin in this tick. */
  readonly #firstByMessage = new Map<PreparedMessage, QueuedMessages>();
  #scheduled: NodeJS.Immediate | null = null;

  send(sink: FrameSink, message: PreparedMessage): void {
    const before = sink.queued;
    if (before === null) {
      this.#sinks.add(sink);
      let first = this.#firstByMessage.get(message);
      if (first === undefined) {
        first = queuedAfter(null, message);
        this.#firstByMessage.set(message, first);
      }
      sink.queued = first;
    } else {
      if (before.after?.message !== message) before.after = queuedAfter(before, message);
      sink.queued = before.after;
    }
    this.#scheduled ??= setImmediate(() => this.flush());
  }

  /** Sends everything in the queues immediately. */
  flush(): void {
    if (this.#scheduled !== null) clearImmediate(this.#scheduled);
    this.#scheduled = null;
    const sinks = this.#sinks;
    this.#sinks = new Set();
    this.#firstByMessage.clear();
    for (const sink of sinks) for (const frame of takeFrames(sink)) sink.transmit(frame);
  }

  /** Removes the queue of a closed connection, and returns it as frames. */
  drop(sink: FrameSink): readonly TextFrame[] {
    this.#sinks.delete(sink);
    return takeFrames(sink);
  }
}

function queuedAfter(before: QueuedMessages | null, message: PreparedMessage): QueuedMessages {
  return { before, message, after: null, frames: null };
}

function takeFrames(sink: FrameSink): readonly TextFrame[] {
  const { queued } = sink;
  sink.queued = null;
  if (queued === null) return [];
  queued.frames ??= framesOf(messagesOf(queued));
  return queued.frames;
}

function messagesOf(queued: QueuedMessages): readonly PreparedMessage[] {
  const messages: PreparedMessage[] = [];
  for (let at: QueuedMessages | null = queued; at !== null; at = at.before) messages.push(at.message);
  return messages.toReversed();
}

/**
 * Splits messages into frames. One message is never split, however long; together they might exceed the longest string.
 */
function framesOf(messages: readonly PreparedMessage[]): readonly TextFrame[] {
  const frames: TextFrame[] = [];
  let from = 0;
  let units = 0;
  messages.forEach(({ text }, index) => {
    if (index > from && units + text.length > serverLimits.frameUnitsGathered) {
      frames.push(frameOf(messages.slice(from, index)));
      from = index;
      units = 0;
    }
    units += text.length;
  });
  frames.push(frameOf(messages.slice(from)));
  return frames;
}

function frameOf(messages: readonly PreparedMessage[]): TextFrame {
  return textFrame(messages.map(({ bytes }) => bytes));
}
