import type { RunId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { RunRecord, StoreWrite } from "../../../core/port/store.ts";
import type { RunFeedBody } from "../../../core/turn/state/feed.ts";
import type { WaitingMessage } from "../../../core/turn/state/waiting.ts";
import type { PaidBy } from "../../access/team-budgets.ts";
import { waitingFeed, waitingWrites } from "../base/waiting-list.ts";
import type { OwnedRun } from "../run/owned-run.ts";
import { putRun, statusOf, type RunSnapshot } from "../base/run-snapshot.ts";

/** One change of a conversation, as data: its transaction, its feed entries, and the resulting runs. */
export interface Plan {
  /** The writes of the transaction, in order. */
  readonly writes?: readonly StoreWrite[];
  /** The feed entries, stored in the same transaction and broadcast after it. */
  readonly feed?: readonly RunFeedBody[];
  readonly runs?: readonly RunChange[];
  /** What was paid for, whose budget it uses: stored in the same transaction. */
  readonly paid?: readonly PaidBy[];
  /** The runs whose leases end in the same transaction, because a person acted. */
  readonly preempts?: readonly RunId[];
}

/** A run and its snapshot after the commit. */
export interface RunChange {
  readonly run: OwnedRun;
  readonly next: RunSnapshot;
}

/** Joins plans, in their order, into one that is committed as a whole. */
export function joinPlans(...plans: readonly Plan[]): Required<Plan> {
  return {
    writes: plans.flatMap(({ writes = [] }) => writes),
    feed: plans.flatMap(({ feed = [] }) => feed),
    runs: plans.flatMap(({ runs = [] }) => runs),
    paid: plans.flatMap(({ paid = [] }) => paid),
    preempts: plans.flatMap(({ preempts = [] }) => preempts),
  };
}

/** Sets the messages that wait for a run. */
export function planWaiting(run: OwnedRun, waiting: readonly WaitingMessage[], now: number): Plan {
  return planRecord(run, { head: run.snapshot.head, waiting }, {}, now);
}

/** Moves the head of a run to a node, or stores a new run that begins there. */
export function planHead(run: OwnedRun, head: ForestNode | null, now: number): Plan {
  return planRecord(run, { head, waiting: run.snapshot.waiting }, { headNodeId: head?.id ?? null }, now);
}

/** Changes the record of a run without an event of its turn; guarded by `eventSeq` like an event. */
function planRecord(
  run: OwnedRun,
  changed: Pick<RunSnapshot, "head" | "waiting">,
  change: Partial<RunRecord>,
  now: number,
): Plan {
  const before = run.snapshot;
  const { record } = before;
  const next: RunSnapshot = {
    ...before,
    ...changed,
    record: { ...record, ...change, eventSeq: record.eventSeq + 1, updatedAt: now },
    isStored: true,
  };
  return {
    writes: [putRun(before, next), ...waitingWrites(before, next)],
    feed: [...waitingFeed(before, next), statusOf(next)],
    runs: [{ run, next }],
  };
}
