import type { NodeId, RootId } from "../../../src/core/base/ids.ts";
import type { ConversationSummary, ListOrder } from "../../../src/core/forest/list.ts";
import type { OutlineRow } from "../view/branches/outline.ts";
import { dateGroup } from "./conversation-groups.ts";

/** One line of the forest: a conversation, a branch of the open one, or the name of a group of conversations. */
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
    }
  | { readonly type: "group"; readonly key: string; readonly title: string; readonly level: 1 };

/** A row that can be chosen. */
export type ChoosableRow = Exclude<ForestRow, { readonly type: "group" }>;

/**
 * Returns the rows in display order, of the first of `total` conversations, in groups by their dates; the open conversation's
 * branches are below it, when it has more than one.
 */
export function forestRows(list: {
  readonly roots: readonly ConversationSummary[];
  readonly total: number;
  readonly openRootId: RootId | null;
  readonly branches: readonly OutlineRow[];
  readonly folded: ReadonlySet<NodeId>;
  readonly unreadRoots: ReadonlySet<RootId>;
  readonly order: ListOrder;
  readonly now: number;
}): readonly ForestRow[] {
  const { roots, openRootId, branches, order, now } = list;
  const rows: ForestRow[] = [];
  let group = "";
  roots.forEach((root, index) => {
    const own = groupOf(root, order, now);
    if (own !== group && own !== "") rows.push({ type: "group", key: `group ${own}`, title: own, level: 1 });
    group = own;
    const open = root.id === openRootId;
    rows.push({
      type: "root",
      key: root.id,
      root,
      open,
      unread: !open && list.unreadRoots.has(root.id),
      level: 1,
      place: index + 1,
      of: list.total,
    });
    if (!open || branches.length < 2) return;
    for (const row of branches)
      rows.push({ type: "branch", key: row.id, row, level: row.depth + 2, folded: list.folded.has(row.id) });
  });
  return rows;
}

function groupOf(root: ConversationSummary, order: ListOrder, now: number): string {
  if (root.pinned === true) return "Pinned";
  if (order === "title") return root.title.trim().slice(0, 1).toUpperCase() || "New";
  return dateGroup(order === "created" ? root.createdAt : root.updatedAt, now);
}
