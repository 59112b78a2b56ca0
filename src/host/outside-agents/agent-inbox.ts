import type { StopReason } from "@agentclientprotocol/sdk/unstable";
import type { AgentCall } from "./agent-call.ts";

/** What an agent's turn brings, in order. */
export type AgentEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thought"; readonly text: string }
  | { readonly type: "call"; readonly call: AgentCall }
  | { readonly type: "ended"; readonly stopReason: StopReason }
  | { readonly type: "failed"; readonly message: string };

/** The most text that waits while nobody reads: more than any reply. UTF-16 units. */
const textUnitsMax = 20_000_000;

/** Keeps what an agent said until the turn takes it. */
export class AgentInbox {
  #events: AgentEvent[] = [];
  #wake: () => void = () => {};
  #textUnits = 0;

  get hasAny(): boolean {
    return this.#events.length > 0;
  }

  /** Adds an event; false where too much text waits. */
  add(event: AgentEvent): boolean {
    const last = this.#events.at(-1);
    if (event.type === "text" || event.type === "thought") {
      this.#textUnits += event.text.length;
      if (this.#textUnits > textUnitsMax) return false;
    }
    if (last !== undefined && "text" in last && "text" in event && last.type === event.type) {
      this.#events[this.#events.length - 1] = { type: last.type, text: last.text + event.text };
    } else this.#events.push(event);
    this.#wake();
    return true;
  }

  /** Returns the next event; null when the signal aborts first. */
  async next(signal: AbortSignal): Promise<AgentEvent | null> {
    for (;;) {
      if (signal.aborted) return null;
      const event = this.#events.shift();
      if (event !== undefined) {
        if ("text" in event) this.#textUnits -= event.text.length;
        return event;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
  }

  clear(): void {
    this.#events = [];
    this.#textUnits = 0;
  }
}
