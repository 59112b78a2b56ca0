import type { RunId } from "../../../core/base/ids.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import type { Clock } from "../../../core/port/platform.ts";
import type { RunLeases } from "../../lease/types.ts";

/** How long work without a sign of life keeps a lease. Milliseconds. */
const signlessMsMax = 600_000;

/** How long visible text keeps a lease after its last use. Milliseconds. */
const textMsMax = 60_000;

/** The rounds in a row without a use of a lease after which it is released. */
const idleRoundsMax = 2;

/** How often the server renews a lease by itself: several times within its 15 seconds. Milliseconds. */
const beatMs = 3_000;

/** Work that may still write: a request or a tool. */
export interface LeaseWork {
  /** Records a sign of life; parts of a reply say whether the model writes text for people or works. */
  sign(parts?: readonly StreamPart[]): void;
  end(): void;
}

/** What releases leases, and renews them. */
export type HeldLeases = Pick<RunLeases, "heartbeat" | "usage" | "releaseAll">;

/**
 * Holds the leases of one run while its work may still write. The server renews them by itself, also while a model or a
 * tool is silent, so a dead process frees them as ever. Visible text holds them only for a while, so that a sentence before
 * an edit costs nothing and an essay keeps nobody waiting.
 */
export class LeaseHold {
  readonly #leases: HeldLeases;
  readonly #clock: Clock;
  /** How often the leases had been used as the last request began. */
  #usedBefore: number | null = null;
  #idleRounds = 0;

  constructor(leases: HeldLeases, clock: Clock) {
    this.#leases = leases;
    this.#clock = clock;
  }

  /** Begins a tool, or the wait for a retry; work that is aborted ends. */
  begin(runId: RunId, signal: AbortSignal): LeaseWork {
    let signedAt = this.#clock.monotonic();
    let isText = false;
    let cancelTimer = (): void => {};
    const renew = (): void => {
      const now = this.#clock.monotonic();
      const usage = this.#leases.usage(runId);
      if (usage === null) return;
      if (isText ? now - usage.lastAt < textMsMax : now - signedAt < signlessMsMax) this.#leases.heartbeat(runId);
    };
    const beat = (): void => {
      renew();
      cancelTimer = this.#clock.setTimer(beatMs, beat);
    };
    beat();
    const end = (): void => cancelTimer();
    signal.addEventListener("abort", end, { once: true });
    return {
      sign: (parts = []) => {
        signedAt = this.#clock.monotonic();
        if (parts.length > 0) isText = parts.every(isVisibleText);
        renew();
      },
      end,
    };
  }

  /** Begins a request. After two rounds in a row without a use of its leases, the run releases them first. */
  async beginRequest(runId: RunId, signal: AbortSignal): Promise<LeaseWork> {
    const used = this.#leases.usage(runId)?.count ?? null;
    const isIdle = used !== null && used === this.#usedBefore;
    this.#idleRounds = isIdle ? this.#idleRounds + 1 : 0;
    this.#usedBefore = used;
    if (this.#idleRounds >= idleRoundsMax) await this.#leases.releaseAll(runId);
    return this.begin(runId, signal);
  }
}

function isVisibleText({ type }: StreamPart): boolean {
  return type === "text-start" || type === "text-delta" || type === "refusal";
}
