import type { IncomingMessage, ServerResponse } from "node:http";
import type { Right } from "../../core/rights/token-right.ts";
import type { RightsKeeper } from "./rights-keeper.ts";
import type { SignedIn } from "./signed-in.ts";

/** The people of a team, as a server asks about them. */
export interface Accounts {
  readonly keeper: Pick<RightsKeeper, "rights" | "decide" | "onChanged">;
  /** Returns who sends a request, by its session or scoped token; null for nobody. Needs only memory. */
  find(request: Pick<IncomingMessage, "headers" | "socket" | "url">): SignedIn | null;
  /** Says to a program where it gets a token, or one that allows more; absent: nowhere. */
  challenge?(
    request: Pick<IncomingMessage, "headers" | "url">,
    more?: readonly Right[],
  ): Readonly<Record<string, string>>;
  /** Answers a request at one of its own addresses, after Host and Origin were checked; false: it is none of them. */
  answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean>;
  /** Whether a session is open. */
  isSessionOpen(sessionId: string): boolean;
  /** Notifies of every session that ends. */
  onSessionEnded(listener: (sessionId: string) => void): () => void;
}
