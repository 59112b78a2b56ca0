import { must } from "../../../core/base/assert.ts";
import type { NodeId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { OwnedRun } from "../run/owned-run.ts";
import type { RunChange } from "./plan.ts";

/** The parts of a tree change that heads of runs depend on. */
interface TreeChange {
  /** The removed nodes and their ancestors. */
  readonly known: readonly ForestNode[];
  readonly changed: readonly ForestNode[];
  readonly removed: readonly NodeId[];
}

/**
 * Returns the runs whose head a tree change moves. A removed head moves to its nearest remaining ancestor, as in the store;
 * a changed head becomes the changed node. Pure.
 */
export function headChanges(runs: readonly OwnedRun[], { known, changed, removed }: TreeChange): readonly RunChange[] {
  const removedIds = new Set(removed);
  const knownById = new Map(known.map((node) => [node.id, node]));
  const changedById = new Map(changed.map((node) => [node.id, node]));
  return runs.flatMap((run) => {
    const { record, head } = run.snapshot;
    let left = head;
    while (left !== null && removedIds.has(left.id)) {
      left =
        left.parentId === null ? null : must(knownById.get(left.parentId), "the parent of a removed node is known");
    }
    const now = left === null ? null : (changedById.get(left.id) ?? left);
    if (now === head) return [];
    return [{ run, next: { ...run.snapshot, head: now, record: { ...record, headNodeId: now?.id ?? null } } }];
  });
}
