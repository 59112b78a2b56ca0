import { memo, useRef } from "react";
import type { RootId } from "../../../src/core/base/ids.ts";
import { conversationTitle } from "../../../src/core/forest/list.ts";
import { Icon } from "../ui/icons.tsx";
import { RowList } from "../ui/list/row-list.tsx";
import { useGrowingList } from "../ui/list/use-list.ts";

/** The archived conversations, folded; nothing when there are none. */
export const ArchivedList = memo(function ArchivedList(props: {
  readonly rootId: RootId | null;
  readonly onOpen: (rootId: RootId) => void;
}) {
  const scroller = useRef<HTMLDetailsElement>(null);
  const list = useGrowingList({ of: "conversations", archived: true, order: "updated", filter: "" });
  if (list.total === 0) return null;
  return (
    <details ref={scroller} className="canvas-list archived-list">
      <summary>Archived conversations ({list.total})</summary>
      <RowList scroller={scroller} list={list}>
        {(root) => (
          <button
            type="button"
            aria-current={root.id === props.rootId ? "true" : undefined}
            onClick={() => props.onOpen(root.id)}
          >
            <Icon name="archive" size={15} />
            <span>{conversationTitle(root)}</span>
          </button>
        )}
      </RowList>
    </details>
  );
});
