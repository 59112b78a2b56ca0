import type { CanvasRevision } from "../../../src/core/block/canvas-revision.ts";
import type { NodeId } from "../../../src/core/base/ids.ts";

/**
 * Returns the text of a document as the shown branch left it, where another branch has changed the document since; null
 * where this branch was the last to, or says nothing of it. `revisions`: newest first.
 */
export function textOfBranch(revisions: readonly CanvasRevision[], path: ReadonlySet<NodeId>): CanvasRevision | null {
  // A version that somebody named is no branch's doing.
  const said = revisions.filter(({ nodeId }) => nodeId !== null);
  const own = said.findIndex(({ nodeId }) => nodeId !== null && path.has(nodeId));
  return own <= 0 ? null : (said[own] ?? null);
}
