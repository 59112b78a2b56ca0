import type { NodeId } from "../../../src/core/base/ids.ts";
import type { RunHead } from "../view/run/run-head.ts";
import { isActive } from "../view/run/shown-state.ts";

/** Marks of branches with activity. */
export interface RowMarks {
  readonly running: ReadonlySet<NodeId>;
  readonly failed: ReadonlySet<NodeId>;
}

export function marksOf(runs: readonly RunHead[]): RowMarks {
  const running = new Set<NodeId>();
  const failed = new Set<NodeId>();
  for (const run of runs) {
    if (run.headNodeId === null) continue;
    if (isActive(run)) running.add(run.headNodeId);
    if (run.state.type === "error") failed.add(run.headNodeId);
  }
  return { running, failed };
}

export function sameMarks(a: RowMarks, b: RowMarks): boolean {
  return sameIds(a.running, b.running) && sameIds(a.failed, b.failed);
}

function sameIds(a: ReadonlySet<NodeId>, b: ReadonlySet<NodeId>): boolean {
  return a.size === b.size && [...a].every((id) => b.has(id));
}
