import type { NodeId, RunId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { PaidNode } from "../../../core/model/paid-requests.ts";
import { usageWith } from "../../../core/model/spent.ts";
import type { DecidedTurn } from "../base/decide.ts";
import { noNotices, type Gathered } from "./gather.ts";
import type { OwnedRun } from "../run/owned-run.ts";
import { joinPlans, type Plan } from "./plan.ts";
import { planRun, type ClosedBlock, type RunPlan, type RunPlanContext } from "./plan-run.ts";
import type { RunSnapshot } from "../base/run-snapshot.ts";
import type { PlannedEffect } from "../base/activity-keys.ts";

/** The decision of an event about one run. */
export interface DecidedRun {
  readonly run: OwnedRun;
  readonly decision: DecidedTurn;
}

/** The result of an event, for what is stored alongside. */
interface Reached {
  readonly headNodeId: NodeId | null;
  /** The run itself, then its siblings. */
  readonly runIds: readonly RunId[];
}

/** What is stored in the transaction of an event besides the machine's decision. */
export interface ExtraPlans {
  /** Comes first in the transaction and in the feed. */
  readonly alongside?: (reached: Reached) => Plan;
  /** The runs whose leases end if the event preempts; by default those that accept it. */
  readonly preempts?: readonly RunId[];
}

/** The plan of an event, and the work after its commit. */
export interface EventPlan {
  readonly plan: Plan;
  readonly followUps: readonly FollowUp[];
}

/** The work for one run once an event is committed. */
export interface FollowUp {
  readonly run: OwnedRun;
  readonly performed: readonly PlannedEffect[];
  readonly closed: readonly ClosedBlock[];
  readonly closedAs: "done" | "error";
}

/**
 * Plans the transaction of an event for the run that accepts it and for its siblings, new runs that ask for further replies
 * to the same message. Pure.
 */
export function planEvent(
  taken: DecidedRun,
  siblings: readonly DecidedRun[],
  gathered: Gathered,
  { alongside, preempts, ...context }: RunPlanContext & ExtraPlans,
): EventPlan {
  const own = planRun(taken.run.snapshot, taken.decision, gathered, context);
  const { head } = own.next;
  const nothing: Gathered = { notices: noNotices, untold: [], existing: [] };
  const planned: readonly (DecidedRun & { readonly plan: RunPlan })[] = [
    { ...taken, plan: own },
    ...siblings.map((sibling) => {
      const plan = planRun(startingAt(sibling.run.snapshot, head), sibling.decision, nothing, context);
      return { ...sibling, plan };
    }),
  ];
  const runIds = planned.map(({ run }) => run.id);
  const preempted = planned.some(({ plan }) => plan.preempts) ? (preempts ?? runIds) : [];
  return {
    plan: joinPlans(
      alongside?.({ headNodeId: own.next.record.headNodeId, runIds }) ?? {},
      ...planned.map(({ run, plan: { writes, feed, next, paid } }) => ({
        writes,
        feed,
        runs: [{ run, next }],
        paid: paid === null ? [] : [paid],
      })),
      planUnkept(
        context,
        planned.flatMap(({ plan }) => plan.unkept),
      ),
      { preempts: preempted },
    ),
    followUps: planned.map(({ run, decision, plan: { performed, closed } }) => {
      const closedAs = decision.first.event.type === "response-failed" ? "error" : "done";
      return { run, performed, closed, closedAs };
    }),
  };
}

/** Adds what was paid for replies that left no message to the conversation. */
function planUnkept({ root: before, now }: RunPlanContext, unkept: readonly PaidNode[]): Plan {
  if (unkept.length === 0) return {};
  const root = { ...before, deletedUsage: usageWith(before.deletedUsage ?? [], unkept), updatedAt: now };
  return { writes: [{ type: "put-root", root }], feed: [{ type: "root-changed", root }] };
}

/** A new run at another head, not stored yet. */
function startingAt(run: RunSnapshot, head: ForestNode | null): RunSnapshot {
  return { ...run, head, record: { ...run.record, headNodeId: head?.id ?? null } };
}
