import { memo } from "react";
import type { RootId } from "../../../src/core/base/ids.ts";
import type { ForestRoot } from "../../../src/core/forest/types.ts";
import { Icon } from "../ui/icons.tsx";
import { conversationTitle } from "../view/words/conversation-title.ts";

/** The archived conversations, folded; nothing when there are none. */
export const ArchivedList = memo(function ArchivedList(props: {
  readonly roots: readonly ForestRoot[];
  readonly rootId: RootId | null;
  readonly onOpen: (rootId: RootId) => void;
}) {
  const archived = props.roots.filter((root) => root.archived).toSorted((a, b) => b.updatedAt - a.updatedAt);
  if (archived.length === 0) return null;
  return (
    <details className="canvas-list archived-list">
      <summary>Archived conversations ({archived.length})</summary>
      <ul>
        {archived.map((root) => (
          <li key={root.id}>
            <button
              type="button"
              aria-current={root.id === props.rootId ? "true" : undefined}
              onClick={() => props.onOpen(root.id)}
            >
              <Icon name="archive" size={15} />
              <span>{conversationTitle(root)}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
});
