import { reasonOf } from "../../core/base/reason.ts";
import type { ClusterView } from "../../core/cluster/cluster-view.ts";
import type { Platform } from "../../core/port/platform.ts";
import { EarlyBlocks, type EarlyStore } from "../document/block/early-blocks.ts";
import type { ClusterNode } from "./cluster-node.ts";

export interface EarlyReadingPorts {
  readonly node: Pick<ClusterNode, "owner" | "state" | "onChanged">;
  readonly ttlMs: number;
  readonly platform: Pick<Platform, "clock" | "logger">;
  /** The store as it is read before it may be written; null: not now. */
  readonly store: () => EarlyStore | null;
}

/** The share of the owner's time that is left when it counts as gone: it renews its row every quarter, and with each commit. */
const leftShare = 0.4;

/**
 * Reads the documents that are in use while the time of an owner runs out who does not renew it, or while one is leaving. Whoever
 * takes over then needs only what came since, instead of everything while everybody waits.
 */
export class EarlyReading {
  readonly #ports: EarlyReadingPorts;
  readonly #stopWatching: () => void;
  #cancel = (): void => {};
  #seen: ClusterView | null = null;
  #early: EarlyBlocks | null = null;

  constructor(ports: EarlyReadingPorts) {
    this.#ports = ports;
    this.#stopWatching = ports.node.onChanged(() => this.#changed());
  }

  /** Gives away what was read, and reads no more of it. Null: nothing was. */
  take(): EarlyBlocks | null {
    const early = this.#early;
    this.#early = null;
    this.#cancel();
    early?.stop();
    return early;
  }

  close(): void {
    this.#stopWatching();
    this.take()?.clear();
  }

  #changed(): void {
    const { node, ttlMs, platform } = this.#ports;
    const { view, incarnation } = node.state;
    if (view === this.#seen) return;
    this.#seen = view;
    this.#cancel();
    const { owner } = node;
    if (owner === null || owner.incarnation === incarnation) return;
    // One that is leaving writes what is left, and hands over: whoever is next needs only that.
    const leftMs = owner.state === "draining" ? 0 : owner.remainingMs - ttlMs * leftShare;
    if (leftMs <= 0) return this.#read();
    // It is there after all, and will write what was not read.
    this.#early?.clear();
    this.#early = null;
    this.#cancel = platform.clock.setTimer(leftMs, () => this.#read());
  }

  #read(): void {
    const { store: open, platform } = this.#ports;
    const store = this.#early === null ? open() : null;
    if (store === null) return;
    const early = (this.#early = new EarlyBlocks());
    early.read(store, platform.clock.now()).catch((problem: unknown) => {
      // Whoever takes over reads everything itself.
      platform.logger.warn("not-read-early", { reason: reasonOf(problem) });
    });
  }
}
