import { must } from "../../../core/base/assert.ts";
import type { NodeId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { OwnedRun } from "../run/owned-run.ts";
import type { RunChange } from "./plan.ts";

/** A change of the tree, as far as heads of runs depend on it. */
interface TreeChange {
  /** The removed nodes and those above them. */
  readonly known: readonly ForestNode[];
  readonly changed: readonly ForestNode[];
  readonly removed: readonly NodeId[];
}

/**
 * The runs whose head a change of the tree touches. A head that is removed moves to the nearest node above that stays, where the
 * store moves it too; a head that is changed becomes the changed node. Pure.
 */
export function headChanges(runs: readonly OwnedRun[], { known, changed, removed }: TreeChange): readonly RunChange[] {
  const gone = new Set(removed);
  const knownById = new Map(known.map((node) => [node.id, node]));
  const changedById = new Map(changed.map((node) => [node.id, node]));
  return runs.flatMap((run) => {
    const { record, head } = run.snapshot;
    let left = head;
    while (left !== null && gone.has(left.id)) {
      left =
        left.parentId === null ? null : must(knownById.get(left.parentId), "what is above a removed node is known");
    }
    const now = left === null ? null : (changedById.get(left.id) ?? left);
    if (now === head) return [];
    return [{ run, next: { ...run.snapshot, head: now, record: { ...record, headNodeId: now?.id ?? null } } }];
  });
}
