import { reasonOf } from "../../core/base/reason.ts";
import { ownerIn, type ClusterView, type NodeRow } from "../../core/cluster/cluster-view.ts";
import {
  isLate,
  nextLookMs,
  startingNode,
  stepNode,
  type Instant,
  type NodeEffect,
  type NodeEvent,
  type NodeIdentity,
  type NodeState,
} from "../../core/cluster/node-state.ts";
import type { ClusterTable } from "../../core/port/cluster-table.ts";
import type { ClaimType, NodeMeters } from "../../core/port/node-meters.ts";
import type { Platform } from "../../core/port/platform.ts";
import { SerialQueue } from "../base/serial-queue.ts";

/** The right under which a node writes: what each of its transactions names. */
export interface NodeClaim {
  readonly incarnation: number;
  readonly epoch: number;
}

/** What a node serves while it has the right to write. */
export interface Tenure {
  /** Stops serving. Resolves in bounded time, also when nothing can be written any longer. */
  close(): Promise<void>;
}

/** Why a node ends. */
export type NodeExit =
  | { readonly type: "stopped" }
  /** Another process runs as this node. */
  | { readonly type: "taken" }
  /** What it should have served could not be opened or closed, or the database refuses this process for good. */
  | { readonly type: "failed"; readonly reason: string };

export interface ClusterNodeOptions {
  readonly identity: NodeIdentity;
  /** Where other nodes reach this one. */
  readonly address: string;
  readonly table: ClusterTable;
  readonly platform: Platform;
  readonly meters?: NodeMeters;
  /** Loads and serves under a claim; rejects when that is impossible. `follows`: the owner right before was seen to live. */
  open(claim: NodeClaim, follows: boolean): Promise<Tenure>;
  /** Whether an error of the table will not go away. */
  isFatal(problem: unknown): boolean;
}

/** Why the rows are looked at: others say that they changed, it is time, or this process has reason to. */
type LookCause = "hint" | "time" | "asked";

const retryMs = 100;
const openTriesMax = 3;
/** All hints of so long make one look. */
const coalesceMs = 5;
/** The same while hints tell nothing new, as when somebody makes them up: hardly more than this node looks by itself. */
const coalesceMsMax = 320;
/** How long what was served may take to close before the process must end instead. */
const closeMsMax = 9_000;

/** One process of a cluster: performs what `core/cluster` decides. */
export class ClusterNode {
  readonly exited: Promise<NodeExit>;
  readonly #options: ClusterNodeOptions;
  readonly #queue = new SerialQueue();
  readonly #listeners = new Set<() => void>();
  #resolveExit: (exit: NodeExit) => void = () => {};
  #hasExited = false;
  #state: NodeState;
  #failure = "";
  #opening: { readonly epoch: number; readonly tenure: Promise<Tenure | null> } | null = null;
  #cancelRenewal = (): void => {};
  #cancelLook = (): void => {};
  #stopHints = (): void => {};
  /** Cancels the look that hints have asked for; null: none has since the last one. */
  #cancelHint: (() => void) | null = null;
  #coalesceMs = coalesceMs;
  #looking: "no" | "yes" | "again" = "no";
  /** Why the rows are looked at next. */
  #cause: LookCause = "asked";
  /** Since when this process asks for the right to write, or hands it over. */
  #changingSinceMs = 0;

  constructor(options: ClusterNodeOptions) {
    this.#options = options;
    this.exited = new Promise((resolve) => (this.#resolveExit = resolve));
    const { state, effects } = startingNode(options.identity);
    this.#state = state;
    this.#stopHints = options.table.onHint(() => this.#hinted());
    for (const effect of effects) this.#perform(effect);
    this.#renewLater();
  }

  get state(): NodeState {
    return this.#state;
  }

  /** Whether nothing in memory may be acted on or told now. */
  get isLate(): boolean {
    return isLate(this.#state, this.#now());
  }

  /** The claim under which this node serves; null: it does not. */
  get serving(): NodeClaim | null {
    const { claim, incarnation } = this.#state;
    return claim.type === "serving" && incarnation !== null ? { incarnation, epoch: claim.epoch } : null;
  }

  /** The node that may write, as last seen. */
  get owner(): NodeRow | null {
    return this.#state.view === null ? null : ownerIn(this.#state.view);
  }

  /** Calls back when the state may have changed. */
  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A commit of this incarnation, sent at that monotonic time, was answered: it renewed the row. */
  committed(incarnation: number, sent: Instant): void {
    this.#happened({ type: "renewed", incarnation, sent });
  }

  /** A write of this incarnation was refused as stale. */
  refusedAsStale(incarnation: number): void {
    this.#options.meters?.fenceRefused();
    this.#happened({ type: "ended", incarnation });
  }

  /** Hands everything over and leaves. */
  async stop(): Promise<void> {
    this.#happened({ type: "stop-requested" });
    await this.exited;
  }

  /** Looks at the rows soon. */
  look(cause: LookCause = "asked"): void {
    this.#cancelLook();
    this.#cause = cause;
    if (this.#hasExited) return;
    if (this.#looking !== "no") {
      this.#looking = "again";
      return;
    }
    this.#looking = "yes";
    void this.#lookNow().finally(() => {
      const isAskedAgain = this.#looking === "again";
      this.#looking = "no";
      if (isAskedAgain) this.look(this.#cause);
      else this.#lookLater();
    });
  }

  /** Looks once for all hints that come within a short time. */
  #hinted(): void {
    const { meters, platform } = this.#options;
    if (this.#hasExited) return;
    if (this.#cancelHint !== null) return meters?.hint("joined");
    this.#cancelHint = platform.clock.setTimer(this.#coalesceMs, () => {
      this.#cancelHint = null;
      this.look("hint");
    });
  }

  #now(): Instant {
    const { clock } = this.#options.platform;
    return { monotonicMs: clock.monotonic(), wallMs: clock.now() };
  }

  #happened(event: NodeEvent): void {
    if (this.#hasExited) return;
    const before = this.#state;
    const { state, effects } = stepNode(before, event);
    this.#state = state;
    if (state.phase !== before.phase || state.claim.type !== before.claim.type) {
      const { phase, claim, incarnation } = state;
      const epoch = "epoch" in claim ? claim.epoch : undefined;
      this.#options.platform.logger.info("cluster-node", {
        node: state.identity.nodeId,
        phase,
        claim: claim.type,
        incarnation: incarnation ?? 0,
        epoch,
      });
    }
    if (state.claim.type !== before.claim.type) this.#meterClaim(before.claim.type);
    for (const effect of effects) this.#perform(effect);
    if (state !== before) for (const listener of this.#listeners) listener();
  }

  #meterClaim(before: ClaimType): void {
    const { meters, platform } = this.#options;
    const { claim } = this.#state;
    meters?.claimChanged(claim.type);
    const nowMs = platform.clock.monotonic();
    const isBeginning = claim.type === "acquiring" || (claim.type === "opening" && before !== "acquiring");
    if (isBeginning || (claim.type === "closing" && claim.handsOver)) this.#changingSinceMs = nowMs;
    const seconds = (nowMs - this.#changingSinceMs) / 1_000;
    if (claim.type === "serving") meters?.tookOver(seconds);
    if (before === "handing-over") meters?.handedOver(seconds);
  }

  #perform(effect: NodeEffect): void {
    const { table, platform } = this.#options;
    const incarnation = this.#state.incarnation ?? 0;
    switch (effect.type) {
      case "join":
        void this.#queue.run(() => this.#join(effect.again));
        return;
      case "reap":
        void table.reap(effect.incarnation).then(
          () => this.look(),
          () => {},
        );
        return;
      case "acquire":
        void this.#queue.run(async () => {
          // Where the answer is lost, the next look tells whose it is.
          const epoch = await table.acquire(incarnation, effect.epoch).catch(() => null);
          this.#happened({ type: "acquired", epoch, nowMs: platform.clock.monotonic() });
          if (epoch === null) this.look();
        });
        return;
      case "open":
        return this.#open({ incarnation, epoch: effect.epoch }, effect.follows);
      case "close":
        return this.#close();
      case "drain":
        void this.#queue.run(() => table.drain(incarnation).catch(() => {}));
        return;
      case "hand-over":
        void this.#queue.run(async () => {
          await table.handOver(incarnation, effect.epoch, effect.to).catch(() => false);
          // Leaving frees what was not handed over.
          this.#happened({ type: "handed-over" });
        });
        return;
      case "leave":
        void this.#queue.run(async () => {
          if (incarnation !== 0) await table.leave(incarnation).catch(() => {});
          this.#happened({ type: "left" });
        });
        return;
      case "exit":
        if (effect.reason === "open-failed") {
          // The right is let go first, so that another node takes it at once.
          const failed = { type: "failed", reason: this.#failure } as const;
          void this.#queue.run(async () => this.#exit(failed));
        } else this.#exit({ type: effect.reason });
    }
  }

  async #join(again: number | null): Promise<void> {
    const { table, identity, address, platform } = this.#options;
    for (;;) {
      const sent = this.#now();
      try {
        const incarnation = await table.join({ ...identity, address, again });
        this.#happened({ type: "joined", incarnation, sent });
        this.look();
        return;
      } catch (problem) {
        if (this.#options.isFatal(problem)) return this.#exit({ type: "failed", reason: reasonOf(problem) });
        platform.logger.warn("cluster-not-joined", { reason: reasonOf(problem) });
      }
      if (this.#state.phase !== "joining" || this.#hasExited) return;
      await new Promise<void>((resolve) => platform.clock.setTimer(retryMs, resolve));
    }
  }

  #open(claim: NodeClaim, follows: boolean): void {
    const { platform } = this.#options;
    const isWanted = (): boolean => {
      const { claim: now } = this.#state;
      return now.type === "opening" && now.epoch === claim.epoch;
    };
    const tenure = (async () => {
      for (let tries = 1; ; tries += 1) {
        try {
          const opened = await this.#options.open(claim, follows);
          this.#happened({ type: "opened", epoch: claim.epoch });
          return opened;
        } catch (problem) {
          this.#failure = reasonOf(problem);
          platform.logger.error("cluster-not-opened", { reason: this.#failure });
        }
        if (!isWanted()) return null;
        if (tries === openTriesMax) {
          this.#happened({ type: "open-failed", epoch: claim.epoch });
          return null;
        }
        await new Promise<void>((resolve) => platform.clock.setTimer(retryMs, resolve));
      }
    })();
    this.#opening = { epoch: claim.epoch, tenure };
  }

  #close(): void {
    const { platform } = this.#options;
    const opening = this.#opening;
    this.#opening = null;
    const cancel = platform.clock.setTimer(closeMsMax, () =>
      this.#exit({ type: "failed", reason: "what it served did not close in time" }),
    );
    void (async () => {
      try {
        await (await opening?.tenure)?.close();
      } catch (problem) {
        platform.logger.warn("cluster-not-closed", { reason: reasonOf(problem) });
      }
      cancel();
      this.#happened({ type: "closed" });
      this.look();
    })();
  }

  #renewLater(): void {
    const { platform, identity, table, meters } = this.#options;
    this.#cancelRenewal = platform.clock.setTimer(identity.ttlMs / 4, () => {
      if (this.#hasExited) return;
      this.#renewLater();
      const { phase, incarnation } = this.#state;
      if ((phase !== "live" && phase !== "draining") || incarnation === null) return;
      const sent = this.#now();
      table.renew(incarnation).then(
        (isRenewed) => {
          if (isRenewed === true) meters?.renewed(this.isLate ? "late" : "in-time");
          if (isRenewed === true) this.#happened({ type: "renewed", incarnation, sent });
          if (isRenewed === false) this.#happened({ type: "ended", incarnation });
        },
        () => {
          meters?.renewed("failed");
          this.#happened({ type: "database-away" });
        },
      );
    });
  }

  async #lookNow(): Promise<void> {
    const { table, platform } = this.#options;
    const askedMs = platform.clock.monotonic();
    const cause = this.#cause;
    try {
      const view = await table.look();
      this.#judgeHint(cause, view);
      this.#happened({ type: "looked", view, askedMs, nowMs: platform.clock.monotonic() });
    } catch {
      this.#happened({ type: "database-away" });
    }
  }

  #judgeHint(cause: LookCause, view: ClusterView): void {
    const { meters } = this.#options;
    const { view: known } = this.#state;
    if (known === null) return;
    const isSame = toldOf(view) === toldOf(known);
    if (!isSame) this.#coalesceMs = coalesceMs;
    else if (cause === "hint") this.#coalesceMs = Math.min(coalesceMsMax, this.#coalesceMs * 2);
    if (cause === "hint" && isSame) meters?.hint("useless");
    if (cause === "time" && !isSame) meters?.hint("missed");
  }

  #lookLater(): void {
    const { clock } = this.#options.platform;
    this.#cancelLook();
    if (this.#hasExited) return;
    this.#cancelLook = clock.setTimer(nextLookMs(this.#state, clock.monotonic()), () => this.look("time"));
  }

  #exit(exit: NodeExit): void {
    if (this.#hasExited) return;
    this.#hasExited = true;
    this.#cancelLook();
    this.#cancelRenewal();
    this.#cancelHint?.();
    this.#stopHints();
    this.#resolveExit(exit);
    for (const listener of this.#listeners) listener();
  }
}

/** What nodes tell each other of: who is there, in which state, and who may write. */
function toldOf({ nodes, claim }: ClusterView): string {
  const rows = nodes.map(({ incarnation, state, address }) => `${incarnation} ${state} ${address}`);
  return JSON.stringify([rows.toSorted(), claim.incarnation, claim.epoch]);
}
