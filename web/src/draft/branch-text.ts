import type { CanvasRevision } from "../../../src/core/block/canvas-revision.ts";
import type { NodeId } from "../../../src/core/base/ids.ts";

/**
 * Returns the text of a document as the shown branch left it, where another branch has changed the document since; null
 * where this branch was the last to, or says nothing of it. `revisions`: newest first.
 */
export function textOfBranch(revisions: readonly CanvasRevision[], path: ReadonlySet<NodeId>): CanvasRevision | null {
  const own = revisions.findIndex(({ nodeId }) => path.has(nodeId));
  return own <= 0 ? null : (revisions[own] ?? null);
}
