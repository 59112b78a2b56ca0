import { sha256Hex } from "../../core/base/hash.ts";
import type { PersonId } from "../../core/base/ids.ts";
import type { Clock, Random } from "../../core/port/platform.ts";
import type { SignOnSecrets } from "../../core/port/single-sign-on.ts";
import { newToken } from "../server/http/token.ts";

/** What somebody wants who goes to the provider: to sign in, to accept a one-time link, or to connect their account. */
export type SignOnAim =
  | { readonly type: "enter" }
  | { readonly type: "accept"; readonly linkSecret: string }
  | { readonly type: "connect"; readonly person: PersonId; readonly sessionId: string };

interface SignOnFlow {
  readonly aim: SignOnAim;
  readonly issuer: string;
  readonly secrets: SignOnSecrets;
  readonly until: number;
}

const flowMs = 10 * 60 * 1000;
/** Flows that wait; the oldest gives way. */
const flowsMax = 2_000;

/** Who went to the provider and has not come back: in memory, since whoever opens the page may begin one. */
export class SignOnFlows {
  readonly #platform: { readonly clock: Pick<Clock, "now">; readonly random: Random };
  readonly #flows = new Map<string, SignOnFlow>();

  constructor(platform: { readonly clock: Pick<Clock, "now">; readonly random: Random }) {
    this.#platform = platform;
  }

  /** Keeps a flow, and returns the secret by which its browser is known when it comes back. */
  begin(flow: Omit<SignOnFlow, "until">): string {
    const now = this.#platform.clock.now();
    for (const [key, { until }] of this.#flows) {
      if (until > now && this.#flows.size < flowsMax) break;
      this.#flows.delete(key);
    }
    const secret = newToken(this.#platform.random);
    this.#flows.set(sha256Hex(secret), { ...flow, until: now + flowMs });
    return secret;
  }

  /** Takes a flow, which is over with that; null where there is none in time. */
  take(secret: string): SignOnFlow | null {
    const key = sha256Hex(secret);
    const flow = this.#flows.get(key);
    this.#flows.delete(key);
    return flow !== undefined && flow.until > this.#platform.clock.now() ? flow : null;
  }
}
