import type { NodeId, RootId } from "../../../src/core/base/ids.ts";
import type { ConversationSummary } from "../../../src/core/forest/list.ts";
import type { OutlineRow } from "../view/branches/outline.ts";

/** One line of the forest: a conversation, or a branch of the open one. */
export type ForestRow =
  | {
      readonly type: "root";
      readonly key: string;
      readonly root: ConversationSummary;
      readonly open: boolean;
      readonly unread: boolean;
      readonly level: 1;
      readonly place: number;
      readonly of: number;
    }
  | {
      readonly type: "branch";
      readonly key: string;
      readonly row: OutlineRow;
      readonly level: number;
      readonly folded: boolean;
    };

/**
 * Returns the rows in display order, of the first of `total` conversations; the open conversation's branches are below it, when it has more than
 * one.
 */
export function forestRows(
  roots: readonly ConversationSummary[],
  total: number,
  openRootId: RootId | null,
  branches: readonly OutlineRow[],
  folded: ReadonlySet<NodeId>,
  unreadRoots: ReadonlySet<RootId>,
): readonly ForestRow[] {
  const rows: ForestRow[] = [];
  roots.forEach((root, index) => {
    const open = root.id === openRootId;
    rows.push({
      type: "root",
      key: root.id,
      root,
      open,
      unread: !open && unreadRoots.has(root.id),
      level: 1,
      place: index + 1,
      of: total,
    });
    if (!open || branches.length < 2) return;
    for (const row of branches)
      rows.push({ type: "branch", key: row.id, row, level: row.depth + 2, folded: folded.has(row.id) });
  });
  return rows;
}
