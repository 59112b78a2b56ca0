import type { OpOrigin } from "../../../src/core/protocol/commands.ts";
import { originsMax } from "../../../src/core/protocol/base/limits.ts";
import type { ReplicaId, OpId } from "../../../src/core/text/types.ts";

type Ask = (ops: readonly OpId[]) => Promise<readonly (OpOrigin | null)[] | null>;

/** Delay before an unknown origin is requested again, because its change may still be on its way. Milliseconds. */
const askAgainMs = 5_000;

/** Caches the origins of units. An origin never changes, so it is requested once. */
export class OriginCache {
  readonly #ask: Ask;
  readonly #now: () => number;
  readonly #byReplica = new Map<ReplicaId, OpOrigin[]>();
  readonly #unknownSince = new Map<string, number>();

  constructor(ask: Ask, now: () => number = () => performance.now()) {
    this.#ask = ask;
    this.#now = now;
  }

  /**
   * Returns the origins of these units, in their order; null where the server does not know one. A request also
   * includes the units that are `near`.
   */
  async of(ops: readonly OpId[], near: readonly OpId[] = []): Promise<readonly (OpOrigin | null)[]> {
    const isMissing = (op: OpId): boolean => this.#known(op) === null && !this.#isUnknown(op);
    const own = ops.filter(isMissing);
    const missing = own.length === 0 ? [] : [...own, ...near.filter(isMissing)].slice(0, originsMax);
    const origins = missing.length === 0 ? [] : ((await this.#ask(missing)) ?? []);
    for (const [index, origin] of origins.entries()) {
      const asked = missing[index];
      if (origin === null && asked !== undefined) this.#unknownSince.set(keyOf(asked), this.#now());
      if (origin === null || this.#known({ replica: origin.span.replica, seq: origin.span.seq }) !== null) continue;
      const { replica } = origin.span;
      this.#byReplica.set(replica, [...(this.#byReplica.get(replica) ?? []), origin]);
    }
    return ops.map((op) => this.#known(op));
  }

  #isUnknown(op: OpId): boolean {
    const since = this.#unknownSince.get(keyOf(op));
    return since !== undefined && this.#now() - since < askAgainMs;
  }

  #known({ replica, seq }: OpId): OpOrigin | null {
    const found = this.#byReplica.get(replica)?.find(({ span }) => span.seq <= seq && seq < span.seq + span.length);
    return found ?? null;
  }
}

function keyOf({ replica, seq }: OpId): string {
  return `${replica}/${seq}`;
}
