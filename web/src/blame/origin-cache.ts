import type { OpOrigin } from "../../../src/core/protocol/commands.ts";
import { originsMax } from "../../../src/core/protocol/limits.ts";
import type { AgentId, OpId } from "../../../src/core/text/types.ts";

type Ask = (ops: readonly OpId[]) => Promise<readonly (OpOrigin | null)[] | null>;

/** Remembers which change wrote which units: that never becomes another one, so it is asked once. */
export class OriginCache {
  readonly #ask: Ask;
  readonly #byAgent = new Map<AgentId, OpOrigin[]>();

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** The origins of these units, in their order; null where the server knows none, yet or any more. */
  async of(ops: readonly OpId[]): Promise<readonly (OpOrigin | null)[]> {
    const missing = ops.filter((op) => this.#known(op) === null).slice(0, originsMax);
    const told = missing.length === 0 ? [] : ((await this.#ask(missing)) ?? []);
    for (const origin of told) {
      if (origin === null || this.#known({ agent: origin.span.agent, seq: origin.span.seq }) !== null) continue;
      const { agent } = origin.span;
      this.#byAgent.set(agent, [...(this.#byAgent.get(agent) ?? []), origin]);
    }
    return ops.map((op) => this.#known(op));
  }

  #known({ agent, seq }: OpId): OpOrigin | null {
    const found = this.#byAgent.get(agent)?.find(({ span }) => span.seq <= seq && seq < span.seq + span.length);
    return found ?? null;
  }
}
