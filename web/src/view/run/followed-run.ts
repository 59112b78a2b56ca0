import type { RunView } from "../../../../src/client/base/types.ts";
import type { NodeId, RunId } from "../../../../src/core/base/ids.ts";
import { type Branches, catchUp, endAt, leafBelow, type Selection } from "../branches/path.ts";
import { isActive } from "./shown-state.ts";

/** What of a run says where it is and whether it works. */
type PlacedRun = Pick<RunView, "runId" | "headNodeId" | "state">;

/**
 * The run that the end of the path belongs to: the one started here, else the one whose head is the end. A run that
 * failed has its question for a head; it belongs also to the broken replies that it left under the question.
 */
export function runAt<Run extends PlacedRun>(
  branches: Pick<Branches, "nodesById">,
  runs: readonly Run[],
  at: { readonly followedId: RunId | null; readonly tipId: NodeId | null },
): Run | null {
  const followed = at.followedId === null ? undefined : runs.find((run) => run.runId === at.followedId);
  if (followed !== undefined) return followed;
  const here = runs.filter((run) => run.headNodeId === at.tipId && at.tipId !== null);
  const own = here.find(isActive) ?? here.at(-1);
  if (own !== undefined || at.tipId === null) return own ?? null;
  const tip = branches.nodesById.get(at.tipId);
  if (tip?.message.role !== "assistant" || tip.message.interrupted !== true) return null;
  return runs.findLast((run) => run.state.type === "error" && run.headNodeId === tip.parentId) ?? null;
}

/**
 * Returns the shown selection for the chosen one: the run's head while it writes, also when an older reply is below it;
 * a leaf when it is idle.
 */
export function shownSelection(
  branches: Branches,
  chosen: Selection,
  following: { readonly run: PlacedRun | null; readonly followedId: RunId | null },
): Selection {
  const { run, followedId } = following;
  const follows = run !== null && (run.runId === followedId || isActive(run));
  if (!follows || run.headNodeId === null || !branches.nodesById.has(run.headNodeId)) {
    return catchUp(branches, chosen, undefined);
  }
  if (run.state.type !== "idle") return catchUp(branches, chosen, run.headNodeId);
  const there = endAt(branches, chosen, run.headNodeId);
  return endAt(branches, there, leafBelow(branches, run.headNodeId, there));
}
