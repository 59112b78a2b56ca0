import type { PreparedMessage } from "./down-frame.ts";
import { serverLimits } from "./server-limits.ts";
import { textFrame, type TextFrame } from "./text-frame.ts";

/** What a connection gives to the sender: its messages of this tick, and how to put a frame on the wire. */
export interface Outlet {
  waiting: Waiting | null;
  transmit(frame: TextFrame): void;
}

/**
 * A list of messages that wait, by its last and the list before that. Connections that are sent the same messages in the
 * same order come to the same list, and so to the same frames, without anybody comparing lists.
 */
export interface Waiting {
  readonly before: Waiting | null;
  readonly message: PreparedMessage;
  /** The list that the last connection went on to from here. */
  after: Waiting | null;
  frames: readonly TextFrame[] | null;
}

/**
 * Gathers what each connection is sent in one tick into one frame, a JSON array; into several where it is much.
 * Connections that are sent the same (the watchers of one block) share the frames' bytes.
 */
export class Sender {
  #outlets = new Set<Outlet>();
  /** The lists of one message each with which connections begin in this tick. */
  readonly #firstByMessage = new Map<PreparedMessage, Waiting>();
  #scheduled: NodeJS.Immediate | null = null;

  send(outlet: Outlet, message: PreparedMessage): void {
    const before = outlet.waiting;
    if (before === null) {
      this.#outlets.add(outlet);
      let first = this.#firstByMessage.get(message);
      if (first === undefined) {
        first = waitingAfter(null, message);
        this.#firstByMessage.set(message, first);
      }
      outlet.waiting = first;
    } else {
      if (before.after?.message !== message) before.after = waitingAfter(before, message);
      outlet.waiting = before.after;
    }
    this.#scheduled ??= setImmediate(() => this.flush());
  }

  /** Sends everything that waits, now. */
  flush(): void {
    if (this.#scheduled !== null) clearImmediate(this.#scheduled);
    this.#scheduled = null;
    const outlets = this.#outlets;
    this.#outlets = new Set();
    this.#firstByMessage.clear();
    for (const outlet of outlets) for (const frame of takeFrames(outlet)) outlet.transmit(frame);
  }

  /** Forgets what waits for a connection that is gone, and gives it. */
  drop(outlet: Outlet): readonly TextFrame[] {
    this.#outlets.delete(outlet);
    return takeFrames(outlet);
  }
}

function waitingAfter(before: Waiting | null, message: PreparedMessage): Waiting {
  return { before, message, after: null, frames: null };
}

function takeFrames(outlet: Outlet): readonly TextFrame[] {
  const { waiting } = outlet;
  outlet.waiting = null;
  if (waiting === null) return [];
  waiting.frames ??= framesOf(messagesOf(waiting));
  return waiting.frames;
}

function messagesOf(waiting: Waiting): readonly PreparedMessage[] {
  const messages: PreparedMessage[] = [];
  for (let at: Waiting | null = waiting; at !== null; at = at.before) messages.push(at.message);
  return messages.toReversed();
}

/** One message is never parted, however long; a string has an end that many together could reach. */
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
