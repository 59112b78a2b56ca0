import type { Usage } from "../message/usage.ts";

/** How a turn, a request or a call ended. */
export type Outcome = "ok" | "error" | "cancelled";

/** Counts and times what a workspace does, without content. */
export interface Meters {
  turnEnded(outcome: Outcome): void;
  requestEnded(request: {
    readonly model: string;
    readonly outcome: Outcome;
    readonly seconds: number;
    /** null where no reply came. */
    readonly usage: Usage | null;
  }): void;
  toolEnded(call: { readonly tool: string; readonly outcome: Outcome; readonly seconds: number }): void;
  /** Everything so far, as Prometheus reads it. */
  text(): Promise<{ readonly mediaType: string; readonly text: string }>;
}
