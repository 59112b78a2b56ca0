import type { CanvasRevision } from "../../../src/core/block/canvas-revision.ts";
import type { NodeId } from "../../../src/core/base/ids.ts";

/** A text of a document as a branch left it. */
export interface TextOfBranch {
  readonly revision: CanvasRevision;
  /** Whether the branch had it in its draft, and nobody else. */
  readonly inDraft: boolean;
}

/**
 * Returns the text of a document as the shown branch left it: in its draft where it worked in one last, else the shared text
 * where another branch has changed that since; null where this branch was the last to, or says nothing of it. `revisions` and
 * `ofDraft`: newest first. `path`: the messages of the branch, in order.
 */
export function textOfBranch(
  revisions: readonly CanvasRevision[],
  path: readonly NodeId[],
  ofDraft: readonly CanvasRevision[] = [],
): TextOfBranch | null {
  const placeOf = ({ nodeId }: CanvasRevision): number => (nodeId === null ? -1 : path.indexOf(nodeId));
  // A version that somebody named is no branch's doing.
  const said = revisions.filter(({ nodeId }) => nodeId !== null);
  const own = said.findIndex((one) => placeOf(one) !== -1);
  const shared = said[own];
  const drafted = ofDraft.find((one) => placeOf(one) !== -1);
  if (drafted !== undefined && (shared === undefined || placeOf(drafted) > placeOf(shared))) {
    return { revision: drafted, inDraft: true };
  }
  return shared === undefined || own === 0 ? null : { revision: shared, inDraft: false };
}
