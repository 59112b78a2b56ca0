import type { OpOrigin } from "../../../src/core/protocol/commands.ts";
import { originsMax } from "../../../src/core/protocol/base/limits.ts";
import type { AgentId, OpId } from "../../../src/core/text/types.ts";

type Ask = (ops: readonly OpId[]) => Promise<readonly (OpOrigin | null)[] | null>;

/** How long the server is not asked again for what it did not know: it may be on its way there. Milliseconds. */
const askAgainMs = 5_000;

/** Remembers which change wrote which units: that never becomes another one, so it is asked once. */
export class OriginCache {
  readonly #ask: Ask;
  readonly #now: () => number;
  readonly #byAgent = new Map<AgentId, OpOrigin[]>();
  readonly #unknownSince = new Map<string, number>();

  constructor(ask: Ask, now: () => number = () => performance.now()) {
    this.#ask = ask;
    this.#now = now;
  }

  /**
   * The origins of these units, in their order; null where the server knows none, yet or any more. Where it has to be
   * asked, it is asked for others that are `near` as well.
   */
  async of(ops: readonly OpId[], near: readonly OpId[] = []): Promise<readonly (OpOrigin | null)[]> {
    const isMissing = (op: OpId): boolean => this.#known(op) === null && !this.#isUnknown(op);
    const own = ops.filter(isMissing);
    const missing = own.length === 0 ? [] : [...own, ...near.filter(isMissing)].slice(0, originsMax);
    const told = missing.length === 0 ? [] : ((await this.#ask(missing)) ?? []);
    for (const [index, origin] of told.entries()) {
      const asked = missing[index];
      if (origin === null && asked !== undefined) this.#unknownSince.set(keyOf(asked), this.#now());
      if (origin === null || this.#known({ agent: origin.span.agent, seq: origin.span.seq }) !== null) continue;
      const { agent } = origin.span;
      this.#byAgent.set(agent, [...(this.#byAgent.get(agent) ?? []), origin]);
    }
    return ops.map((op) => this.#known(op));
  }

  #isUnknown(op: OpId): boolean {
    const since = this.#unknownSince.get(keyOf(op));
    return since !== undefined && this.#now() - since < askAgainMs;
  }

  #known({ agent, seq }: OpId): OpOrigin | null {
    const found = this.#byAgent.get(agent)?.find(({ span }) => span.seq <= seq && seq < span.seq + span.length);
    return found ?? null;
  }
}

function keyOf({ agent, seq }: OpId): string {
  return `${agent}/${seq}`;
}
