import type { PreparedMessage } from "./down-frame.ts";
import { serverLimits } from "./server-limits.ts";
import { textFrame, type TextFrame } from "./text-frame.ts";

/** What a connection gives to the sender: its messages of this tick, and how to put a frame on the wire. */
export interface Outlet {
  readonly waiting: PreparedMessage[];
  transmit(frame: TextFrame): void;
}

/**
 * Gathers what each connection is sent in one tick into one frame, a JSON array; into several where it is much.
 * Connections that are sent the same (the watchers of one block) share the frames' bytes.
 */
export class Sender {
  readonly #outlets = new Set<Outlet>();
  #scheduled: NodeJS.Immediate | null = null;

  send(outlet: Outlet, message: PreparedMessage): void {
    outlet.waiting.push(message);
    this.#outlets.add(outlet);
    this.#scheduled ??= setImmediate(() => this.flush());
  }

  /** Sends everything that waits, now. */
  flush(): void {
    if (this.#scheduled !== null) clearImmediate(this.#scheduled);
    this.#scheduled = null;
    const outlets = [...this.#outlets];
    this.#outlets.clear();
    const framesByFirst = new Map<
      PreparedMessage,
      { readonly messages: readonly PreparedMessage[]; readonly frames: readonly TextFrame[] }[]
    >();
    for (const outlet of outlets) {
      const messages = outlet.waiting.splice(0);
      const first = messages[0];
      if (first === undefined) continue;
      const candidates = framesByFirst.get(first) ?? [];
      let shared = candidates.find((candidate) => sameMessages(candidate.messages, messages));
      if (shared === undefined) {
        shared = { messages, frames: framesOf(messages) };
        candidates.push(shared);
        framesByFirst.set(first, candidates);
      }
      for (const frame of shared.frames) outlet.transmit(frame);
    }
  }

  /** Forgets what waits for a connection that is gone. */
  drop(outlet: Outlet): void {
    outlet.waiting.length = 0;
    this.#outlets.delete(outlet);
  }
}

/** One message is never parted, however long; a string has an end that many together could reach. */
export function framesOf(messages: readonly PreparedMessage[]): readonly TextFrame[] {
  const frames: TextFrame[] = [];
  let from = 0;
  let units = 0;
  for (const [index, message] of messages.entries()) {
    if (index > from && units + message.length > serverLimits.frameUnitsGathered) {
      frames.push(frameOf(messages.slice(from, index)));
      from = index;
      units = 0;
    }
    units += message.length;
  }
  frames.push(frameOf(messages.slice(from)));
  return frames;
}

function frameOf(messages: readonly PreparedMessage[]): TextFrame {
  return textFrame(`[${messages.join(",")}]`);
}

function sameMessages(a: readonly PreparedMessage[], b: readonly PreparedMessage[]): boolean {
  return a.length === b.length && a.every((message, index) => message === b[index]);
}
