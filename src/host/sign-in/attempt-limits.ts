import type { Clock } from "../../core/port/platform.ts";

/** Wrong passwords of one account before each further one has to wait. */
const freeFailures = 5;
const firstWaitMs = 1000;
const waitMsMax = 15 * 60 * 1000;
/** Tries of one network in a minute. */
const triesMax = 20;
const windowMs = 60 * 1000;
/** A network that was not refused for this long is like any other. Milliseconds. */
const refusedMs = 15 * 60 * 1000;
/** How many accounts, and networks, are remembered at once; the oldest are forgotten. */
const keptMax = 10_000;

/** Work of a password's hash at once, and how many more wait for it. */
const hashesAtOnce = 2;
const waitingMax = 32;

interface Failures {
  readonly count: number;
  readonly openAt: number;
}

/** Work that waits for its turn. */
interface Waiting {
  /** How often its network was refused lately: who was not comes first. */
  readonly refused: number;
  /** Begins the work; false: it gives way, and is not done. */
  readonly begin: (isDone: boolean) => void;
}

interface Window {
  readonly from: number;
  readonly tries: number;
}

/** Bounds how often anybody tries to sign in: each account, each network, and the work of all together. */
export class AttemptLimits {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #accounts = new Map<string, Failures>();
  readonly #networks = new Map<string, Window>();
  readonly #refused = new Map<string, Window>();
  readonly #told = new Map<string, Window>();
  #running = 0;
  readonly #waiting: Waiting[] = [];

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Counts a try of a network. Returns how long it must wait instead, in milliseconds; 0: it may. */
  tryFrom(network: string, most = triesMax): number {
    const now = this.#clock.monotonic();
    const last = this.#networks.get(network);
    const window = last !== undefined && now - last.from < windowMs ? last : { from: now, tries: 0 };
    if (window.tries >= most) return window.from + windowMs - now;
    keep(this.#networks, network, { ...window, tries: window.tries + 1 });
    return 0;
  }

  /** Returns how long an account must wait before its next try, in milliseconds; 0: not at all. */
  waitOf(account: string): number {
    return Math.max(0, (this.#accounts.get(account)?.openAt ?? 0) - this.#clock.monotonic());
  }

  /** Counts a refused try of a network. Returns how many there were since the last time that it said so; null: say nothing. */
  refusedFrom(network: string): number | null {
    const now = this.#clock.monotonic();
    keep(this.#refused, network, { from: now, tries: this.#refusalsOf(network) + 1 });
    const last = this.#told.get(network);
    const count = (last?.tries ?? 0) + 1;
    const isDue = last === undefined || now - last.from >= windowMs;
    keep(this.#told, network, isDue ? { from: now, tries: 0 } : { from: last.from, tries: count });
    return isDue ? count : null;
  }

  /** How often a network was refused, until it was not for a while. */
  #refusalsOf(network: string): number {
    const last = this.#refused.get(network);
    return last === undefined || this.#clock.monotonic() - last.from >= refusedMs ? 0 : last.tries;
  }

  failed(account: string): void {
    const count = (this.#accounts.get(account)?.count ?? 0) + 1;
    const wait = count < freeFailures ? 0 : Math.min(waitMsMax, firstWaitMs * 2 ** (count - freeFailures));
    keep(this.#accounts, account, { count, openAt: this.#clock.monotonic() + wait });
  }

  succeeded(account: string): void {
    this.#accounts.delete(account);
  }

  /**
   * Does work that hashes a password, a few at once; of those that wait, the one whose network was refused least. Null: too
   * many wait that were refused less, and nothing was done.
   */
  async hashing<Value>(network: string, work: () => Promise<Value>): Promise<Value | null> {
    if (this.#running < hashesAtOnce) this.#running += 1;
    else if (!(await this.#turn(this.#refusalsOf(network)))) return null;
    try {
      return await work();
    } finally {
      const next = this.#waiting.toSorted((one, other) => one.refused - other.refused)[0];
      if (next === undefined) this.#running -= 1;
      else this.#settle(next, true);
    }
  }

  /** Waits for a turn; false: there is none. */
  async #turn(refused: number): Promise<boolean> {
    if (this.#waiting.length >= waitingMax) {
      const last = this.#waiting.toSorted((one, other) => other.refused - one.refused)[0];
      if (last === undefined || last.refused <= refused) return false;
      this.#settle(last, false);
    }
    return new Promise((resolve) => this.#waiting.push({ refused, begin: resolve }));
  }

  #settle(waiting: Waiting, isDone: boolean): void {
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
    waiting.begin(isDone);
  }
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > keptMax && oldest !== undefined) map.delete(oldest);
}
