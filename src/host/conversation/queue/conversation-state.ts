import { must } from "../../../core/base/assert.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { RunId } from "../../../core/base/ids.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { ForestRoot } from "../../../core/forest/types.ts";
import type { StoreRefusal, StoreWrite } from "../../../core/port/store.ts";
import type { RunFeedBody } from "../../../core/turn/state/feed.ts";
import type { TurnState } from "../../../core/turn/state/state.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import type { Charge } from "../../access/team-budgets.ts";
import { ConversationFeed, type EndReason } from "./conversation-feed.ts";
import type { ConversationPorts } from "../base/conversation-ports.ts";
import type { OwnedRun } from "../run/owned-run.ts";
import { joinPlans, type Plan } from "../plan/plan.ts";
import type { RunPerformer } from "../run/run-performer.ts";
import { statusOf, type RunSnapshot } from "../base/run-snapshot.ts";
import type { ConversationView, ConversationWatcher, Segment, SegmentWish } from "../base/types.ts";
import { segmentOf, wholeIfSmall } from "./segment.ts";

interface StateDeps extends Pick<ConversationPorts, "store" | "leases" | "canvases" | "platform" | "budgets"> {
  readonly performerOf: (run: () => OwnedRun) => RunPerformer;
  /** Called when the conversation's own record has changed. */
  readonly onRootChanged: (root: ForestRoot) => void;
  /** Called when messages were added or runs have changed, with the time of the newest message if there is one. */
  readonly onActivity: (root: ForestRoot, addedAt: number | null, states: readonly TurnState[]) => void;
  /** Called when a fence refuses a transaction: memory no longer matches the store. */
  readonly onConflict: () => void;
}

/** Feed entries of another conversation in the same transaction. */
interface Elsewhere {
  readonly state: ConversationState;
  readonly feed: readonly RunFeedBody[];
}

/**
 * What a conversation holds in memory: its root, its feed and its runs, as stored. Only `commit` changes them, and only in
 * the conversation's queue.
 */
export class ConversationState {
  readonly #deps: StateDeps;
  readonly #feed: ConversationFeed;
  readonly #cells = new WeakMap<OwnedRun, { snapshot: RunSnapshot }>();
  readonly #runsById = new Map<RunId, OwnedRun>();
  #root: ForestRoot;

  /** Begins with the stored state. */
  constructor(
    deps: StateDeps,
    stored: { readonly root: ForestRoot; readonly feedSeq: number; readonly runs: readonly RunSnapshot[] },
  ) {
    this.#deps = deps;
    this.#root = stored.root;
    this.#feed = new ConversationFeed(stored.root.id, stored.feedSeq, deps.platform.logger);
    for (const snapshot of stored.runs) this.#runsById.set(snapshot.record.id, this.draftRun(snapshot));
  }

  get root(): ForestRoot {
    return this.#root;
  }

  /** The stored runs, oldest first. */
  get runs(): readonly OwnedRun[] {
    return [...this.#runsById.values()];
  }

  run(id: RunId): OwnedRun | undefined {
    return this.#runsById.get(id);
  }

  /** Whether nobody watches, and no run works, waits or shows anything. */
  get isIdle(): boolean {
    if (this.#feed.isWatched) return false;
    return this.runs.every(({ snapshot: { record, liveBlocks, waiting, restart }, performer }) => {
      const isAtRest = isSettled(record.state) && liveBlocks.length === 0 && waiting.length === 0 && restart === null;
      return isAtRest && performer.isIdle;
    });
  }

  /** A run that joins the conversation with the first commit that changes it. */
  draftRun(snapshot: RunSnapshot): OwnedRun {
    const cell = { snapshot };
    const run: OwnedRun = {
      id: snapshot.record.id,
      get snapshot() {
        return cell.snapshot;
      },
      performer: this.#deps.performerOf(() => run),
    };
    this.#cells.set(run, cell);
    return run;
  }

  /**
   * Commits a plan: one transaction, then the runs in memory, the watchers, and the holders of the leases it ended. A plan
   * that stores nothing changes only memory. If the store refuses or throws, nothing changes.
   */
  async commit(plan: Plan, elsewhere: readonly Elsewhere[] = []): Promise<Result<void, Refusal>> {
    const { writes, feed, runs, preempts, paid } = joinPlans(plan);
    const changes = runs.map(({ run, next }) => {
      return { cell: must(this.#cells.get(run), "a run is changed by its own conversation"), run, next };
    });
    const batches = [{ state: this, feed }, ...elsewhere].map((each) => each.state.#entries(each.feed));
    const charge = paid.length === 0 ? undefined : await this.#deps.budgets?.charge(paid);
    const all = [
      ...writes,
      ...this.#deps.leases.preemptWrites(preempts),
      // Restored messages have the canvas texts that were committed with them.
      ...(writes.some(({ type }) => type === "drop-trashed-nodes") ? [] : await this.#revisionWrites(feed)),
      ...batches.flatMap((entries) => entries.writes),
      ...(charge?.writes ?? []),
    ];
    const committed = all.length === 0 ? ok(undefined) : await this.#store(all, charge);
    if (!committed.ok) return err(this.#refused(committed.error));
    for (const { cell, run, next } of changes) {
      cell.snapshot = next;
      this.#runsById.set(run.id, run);
    }
    for (const entries of batches) entries.broadcast();
    if (preempts.length > 0) await this.#preempted(preempts);
    return ok(undefined);
  }

  async #store(writes: readonly StoreWrite[], charge: Charge | undefined): Promise<Result<void, StoreRefusal>> {
    try {
      const committed = await this.#deps.store.commit(writes);
      if (!committed.ok) charge?.undo();
      return committed;
    } catch (problem) {
      charge?.undo();
      throw problem;
    }
  }

  /** Writes the intent row of an open effect, and what else is stored then; false while the disk refuses. Run snapshots do not contain it. */
  async start(effectId: string, also: readonly StoreWrite[]): Promise<boolean> {
    const { store, platform } = this.#deps;
    const committed = await store.commit([{ type: "start-effect", id: effectId, at: platform.clock.now() }, ...also]);
    if (!committed.ok) this.#refused(committed.error);
    return committed.ok;
  }

  /** Joins the feed; see `Conversations.watch`. */
  join(afterSeq: number, watcher: ConversationWatcher, segment?: SegmentWish): Promise<() => void> {
    return this.#feed.join(afterSeq, watcher, { store: this.#deps.store, view: () => this.view(segment) });
  }

  async segment(wish: SegmentWish): Promise<Segment & { readonly seq: number }> {
    return { seq: this.#feed.seq, ...(await segmentOf(this.#deps.store, this.#root.id, wish)) };
  }

  /** Ends the feed. */
  terminate(reason: EndReason): void {
    this.#feed.terminate(reason);
  }

  /** All of the conversation, or a part of a large one. */
  async view(wish?: SegmentWish): Promise<ConversationView> {
    const { store } = this.#deps;
    const { id } = this.#root;
    const whole = wish === undefined ? await store.nodes(id) : await wholeIfSmall(store, id, wish);
    const { nodes, ...segment } =
      whole === null && wish !== undefined ? await segmentOf(store, id, wish) : { nodes: whole ?? [] };
    return {
      seq: this.#feed.seq,
      root: this.#root,
      nodes,
      ...("tipId" in segment ? { segment } : {}),
      runs: this.runs.map((run) => statusOf(run.snapshot)),
      waiting: this.runs.flatMap((run) => run.snapshot.waiting),
      bookmarks: await store.bookmarks(this.#root.id),
    };
  }

  #entries(feed: readonly RunFeedBody[]): { readonly writes: readonly StoreWrite[]; readonly broadcast: () => void } {
    const entries = this.#feed.next(feed, this.#deps.platform.clock.now());
    return {
      writes: entries.writes,
      broadcast: () => {
        for (const body of feed) {
          if (body.type !== "root-changed") continue;
          this.#root = body.root;
          this.#deps.onRootChanged(body.root);
        }
        entries.broadcast();
        const added = feed.flatMap((body) => (body.type === "node-added" ? [body.node.createdAt] : []));
        if (added.length > 0 || feed.some(({ type }) => type === "run-changed"))
          this.#noteActivity(added.length === 0 ? null : Math.max(...added));
      },
    };
  }

  #noteActivity(addedAt: number | null): void {
    const states = this.runs.map(({ snapshot }) => statusOf(snapshot).state);
    this.#deps.onActivity(this.#root, addedAt, states);
  }

  /** Returns the canvas texts that are stored with the messages beside them. */
  async #revisionWrites(feed: readonly RunFeedBody[]): Promise<readonly StoreWrite[]> {
    const added = feed.flatMap((body) => (body.type === "node-added" ? [body.node] : []));
    return added.length === 0 ? [] : this.#deps.canvases.revisionWrites(added, this.#root.canvasId);
  }

  async #preempted(runIds: readonly RunId[]): Promise<void> {
    try {
      await this.#deps.leases.preempted(runIds);
    } catch (problem) {
      const { logger } = this.#deps.platform;
      logger.error("preempt-leases-failed", { rootId: this.#root.id, reason: reasonOf(problem) });
    }
  }

  #refused(refused: StoreRefusal): Refusal {
    if (refused.code === "CONFLICT") this.#deps.onConflict();
    const facts = "reason" in refused ? { reason: refused.reason } : {};
    return refused.code === "DUPLICATE_REQUEST" ? refusal("CONFLICT") : refusal(refused.code, facts);
  }
}
