import type { ReplicaId } from "../../../core/text/types.ts";
import type { DocumentHub } from "../../document/hub.ts";
import type { SpentTime } from "../../document/queue/lane.ts";

/** Milliseconds of the main thread for each second that all clients together may use who use much of it. */
const sharedMsPerSecond = 400;
/** What a client may use at once before it has to wait. */
const burstMs = 150;
/** From here on a client is one of those who share. */
const muchMs = 25;
/** How long after its last message a client counts as present. */
const presentMs = 2_000;
const waitMsMax = 2_000;
/** Not with each edit: that would cost each as many steps as clients share. */
const sweepEveryMs = 10;

/** A client whose time is shared. */
export interface SharingClient {
  /** Nothing further may be read from it for so many milliseconds. */
  pauseReading(waitMs: number): void;
}

/** What one client used of the main thread lately. */
export class TimeShare {
  /** Milliseconds that are not paid back yet, at `at`. */
  usedMs = 0;
  at = 0;
  replica: ReplicaId | null = null;
  readonly client: SharingClient;

  constructor(client: SharingClient) {
    this.client = client;
  }
}

/**
 * Shares the main thread among clients: who uses much of it waits, so that the others' messages are read in time. A client
 * that is alone waits for nobody. Times are monotonic milliseconds.
 */
export class TimeShares {
  readonly #heavy = new Set<TimeShare>();
  readonly #sharesByReplica = new Map<ReplicaId, TimeShare>();
  #latest: TimeShare | null = null;
  #sweptAt = -Infinity;
  #latestAt = -Infinity;
  #otherAt = -Infinity;

  /** The shares of those whose edits a hub takes, as long as the hub is open. */
  static of(hub: Pick<DocumentHub, "onSpent">): TimeShares {
    const shares = new TimeShares();
    hub.onSpent((time) => shares.spentFor(time));
    return shares;
  }

  /** The client edits as this replica. */
  join(share: TimeShare, replica: ReplicaId): void {
    share.replica = replica;
    this.#sharesByReplica.set(replica, share);
  }

  /** Takes what an edit took, where its author is a client that is connected. */
  spentFor({ replica, ms, at }: SpentTime): void {
    const share = this.#sharesByReplica.get(replica);
    if (share === undefined) return;
    const waitMs = this.spend(share, ms, at);
    if (waitMs > 0) share.client.pauseReading(waitMs);
  }

  /** A message of the client arrived. */
  arrived(share: TimeShare, now: number): void {
    if (share !== this.#latest) {
      this.#otherAt = this.#latestAt;
      this.#latest = share;
    }
    this.#latestAt = now;
  }

  /** Takes what work for a client took. Returns how long nothing further may be read from it, in milliseconds. */
  spend(share: TimeShare, ms: number, now: number): number {
    if (now - this.#sweptAt >= sweepEveryMs) this.#sweep(now);
    this.#payBack(share, now);
    share.usedMs += ms;
    if (share.usedMs > muchMs) this.#heavy.add(share);
    const isAlone = (share === this.#latest ? this.#otherAt : this.#latestAt) < now - presentMs;
    if (isAlone || share.usedMs <= burstMs) return 0;
    return Math.min(waitMsMax, (share.usedMs - burstMs) / this.#msPerMs);
  }

  /** The client is gone. */
  drop(share: TimeShare): void {
    this.#heavy.delete(share);
    if (share.replica !== null && this.#sharesByReplica.get(share.replica) === share)
      this.#sharesByReplica.delete(share.replica);
    if (this.#latest !== share) return;
    this.#latest = null;
    this.#latestAt = this.#otherAt;
  }

  /** Ends the shares of those who have paid back all. */
  #sweep(now: number): void {
    this.#sweptAt = now;
    for (const heavy of this.#heavy) {
      this.#payBack(heavy, now);
      if (heavy.usedMs === 0) this.#heavy.delete(heavy);
    }
  }

  #payBack(share: TimeShare, now: number): void {
    share.usedMs = Math.max(0, share.usedMs - (now - share.at) * this.#msPerMs);
    share.at = now;
  }

  get #msPerMs(): number {
    return sharedMsPerSecond / 1000 / Math.max(1, this.#heavy.size);
  }
}
