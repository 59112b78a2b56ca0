import { memo } from "react";
import type { NodeId } from "../../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { branchTitle } from "../../view/branches/outline.ts";
import { type Branches, siblingsOf } from "../../view/branches/path.ts";
import { excerpt } from "../../view/words/words.ts";

/** Number of forks shown before the first ones are folded. */
const forksShown = 3;

/** The forks on the shown branch. */
export const Breadcrumb = memo(function Breadcrumb(props: {
  readonly branches: Branches;
  readonly path: readonly ForestNode[];
  readonly onGo: (nodeId: NodeId) => void;
}) {
  const forks = props.path.filter((node) => siblingsOf(props.branches, node).ids.length > 1);
  if (forks.length === 0) return null;
  const shown = forks.slice(-forksShown);
  return (
    <nav className="breadcrumb" aria-label="Branch">
      <ol>
        {forks.length > shown.length && <li className="folded">{forks.length - shown.length} forks above</li>}
        {shown.map((node) => {
          const { ids, index } = siblingsOf(props.branches, node);
          return (
            <li key={node.id}>
              <button
                type="button"
                className="quiet-button"
                onClick={() => props.onGo(node.id)}
                title={`Version ${index + 1} of ${ids.length}`}
              >
                <span className="breadcrumb-version">v{index + 1}</span>
                {excerpt(branchTitle(props.branches, node.id), 26)}
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
});
