import { useCallback, useEffect, useMemo, useState } from "react";
import type { NodeId, RootId } from "../../../src/core/base/ids.ts";
import {
  type ConversationSummary,
  conversationTitle,
  type ListOrder,
  listOrders,
} from "../../../src/core/forest/list.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import { oneOf, Stored } from "../browser/stored.ts";
import { keptView, type Seen } from "../conversation/kept/kept-view.ts";
import { useDeletions } from "../trash/use-deletions.ts";
import { useApp } from "../ui/app-context.ts";
import { Icon } from "../ui/icons.tsx";
import { useRowHeight } from "../ui/list/row-height.ts";
import { useGrowingList } from "../ui/list/use-list.ts";
import { Menu } from "../ui/menu/menu.tsx";
import type { MenuItem } from "../ui/menu/menu-items.tsx";
import { SideSection } from "../ui/side-section.tsx";
import { useNow } from "../ui/use-observable.ts";
import { outlineOf, unfolded } from "../view/branches/outline.ts";
import type { Branches } from "../view/branches/path.ts";
import { ArchivedList } from "./archived-list.tsx";
import { forestRows } from "./forest-rows.ts";
import { OutlineTree } from "./outline-tree.tsx";
import type { RowMarks } from "./row-marks.ts";
import { TagsDialog } from "./tags-dialog.tsx";

const orderWords: Record<ListOrder, string> = {
  updated: "Last changed first",
  created: "Newest first",
  title: "By title",
};

const storedOrder = new Stored("conversations.order", oneOf(...listOrders), "updated");
/** How often the groups by date are made again. */
const minuteMs = 60_000;

/** The conversations in groups, the open one with its branches. */
export function ConversationList(props: {
  readonly rootId: RootId | null;
  readonly branches: Branches;
  readonly path: readonly ForestNode[];
  readonly marks: RowMarks;
  readonly seen: Seen;
  /** What titles contain; `#word` is a tag. */
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  readonly onShow: (nodeId: NodeId) => void;
  readonly onOpen: (rootId: RootId) => void;
}) {
  const { rootId, path } = props;
  const [tagging, setTagging] = useState<ConversationSummary | null>(null);
  const list = useForestRows(rootId, props.branches, props.filter);
  const { rows, order } = list;
  const rowHeight = useRowHeight();
  const pathIds = useMemo(() => new Set(path.map((node) => node.id)), [path]);
  const { arrange, onRename, onRemove, menuOf } = useConversationSteps(setTagging);
  return (
    <>
      <SideSection
        name="conversations"
        title="Conversations"
        contentHeight={(rows.length + list.more + 1) * rowHeight}
        actions={
          <Menu
            label="Sort conversations"
            className="icon-button"
            align="end"
            face={<Icon name="outline" size={15} />}
            items={listOrders.map((each) => ({
              label: orderWords[each],
              checked: each === order,
              run: () => list.setOrder(each),
            }))}
          />
        }
      >
        {rows.length === 0 ? (
          <p className="nothing" aria-busy={list.isLoading}>
            {list.isLoading
              ? ""
              : props.filter === ""
                ? "No conversations yet."
                : "No conversation title contains these words."}
          </p>
        ) : (
          <OutlineTree
            // Another filter begins at its first row.
            key={props.filter}
            rows={rows}
            more={list.more}
            onNeed={list.need}
            path={pathIds}
            marks={props.marks}
            seen={props.seen}
            onOpen={props.onOpen}
            onShow={props.onShow}
            onToggle={list.onToggle}
            onRename={onRename}
            menuOf={menuOf}
            onRemove={onRemove}
          />
        )}
        {tagging !== null && (
          <TagsDialog
            title={conversationTitle(tagging)}
            tags={tagging.tags ?? []}
            onTags={(tags) => arrange(tagging.id, { tags })}
            onFilter={(tag) => props.onFilter(`#${tag}`)}
            onClose={() => setTagging(null)}
          />
        )}
      </SideSection>
      <ArchivedList rootId={rootId} onOpen={props.onOpen} />
    </>
  );
}

/** What can be done with a conversation of the list. */
function useConversationSteps(onTags: (root: ConversationSummary) => void) {
  const { client, tell } = useApp();
  const { removeConversation } = useDeletions();
  const arrange = useCallback(
    (id: RootId, change: { readonly pinned?: boolean; readonly tags?: readonly string[] }) => {
      void client.call("conversation.arrange", { rootId: id, ...change }).then((done) => done.ok || tell(done.error));
    },
    [client, tell],
  );
  const onRename = useCallback(
    (root: ConversationSummary, title: string) => {
      if (title.trim() === "" || title.trim() === root.title) return;
      void client
        .call("conversation.rename", { rootId: root.id, title: title.trim() })
        .then((done) => done.ok || tell(done.error));
    },
    [client, tell],
  );
  const onRemove = useCallback(
    (root: ConversationSummary) => void removeConversation(root.id, conversationTitle(root)),
    [removeConversation],
  );
  const menuOf = useCallback(
    (root: ConversationSummary): readonly MenuItem[] => [
      {
        label: root.pinned === true ? "Unpin" : "Pin",
        run: () => arrange(root.id, { pinned: root.pinned !== true }),
      },
      { label: "Tags…", run: () => onTags(root) },
      {
        label: "Archive",
        run: () =>
          void client
            .call("conversation.archive", { rootId: root.id, archived: true })
            .then((done) => done.ok || tell(done.error)),
      },
      { label: "Move to trash", note: "Del", run: () => onRemove(root) },
    ],
    [client, tell, arrange, onRemove, onTags],
  );
  return { arrange, onRename, onRemove, menuOf };
}

/** Returns the rows of the tree: conversations that match the filter, the open one with its branches. */
function useForestRows(rootId: RootId | null, { nodesById, childrenByParent }: Branches, filter: string) {
  const [folded, setFolded] = useState<ReadonlySet<NodeId>>(new Set());
  const [order, setStoredOrder] = useState(() => storedOrder.get());
  const outline = useMemo(() => outlineOf({ nodesById, childrenByParent }), [nodesById, childrenByParent]);
  const { tag, words } = tagIn(filter);
  const list = useGrowingList({
    of: "conversations",
    archived: false,
    order,
    filter: words,
    ...(tag === null ? {} : { tag }),
  });
  const { entries, total, need, isLoading } = list;
  const unreadRoots = useUnreadRoots(entries, rootId);
  const now = useNow(minuteMs);
  const rows = useMemo(
    () =>
      forestRows({
        roots: entries,
        total,
        openRootId: rootId,
        branches: unfolded(outline, folded),
        folded,
        unreadRoots,
        order,
        now,
      }),
    [entries, total, rootId, outline, folded, unreadRoots, order, now],
  );
  const onToggle = useCallback((nodeId: NodeId) => {
    setFolded((before) => {
      const after = new Set(before);
      if (!after.delete(nodeId)) after.add(nodeId);
      return after;
    });
  }, []);
  const setOrder = useCallback((next: ListOrder) => {
    storedOrder.set(next);
    setStoredOrder(next);
  }, []);
  return { rows, more: total - entries.length, need, isLoading, onToggle, order, setOrder };
}

/** Splits a filter: `#tag` wherever it is, and the words beside it. */
function tagIn(filter: string): { readonly tag: string | null; readonly words: string } {
  const found = /#(\S+)/u.exec(filter)?.[1];
  return { tag: found ?? null, words: filter.replace(/#\S*/u, "").trim() };
}

/** Returns the conversations that changed since this browser last opened them. On the first visit none is unread. */
function useUnreadRoots(roots: readonly ConversationSummary[], openRootId: RootId | null): ReadonlySet<RootId> {
  const [loadedAt] = useState(() => Date.now());
  const [openedAt, setOpenedAt] = useState<ReadonlyMap<RootId, number>>(new Map());
  useEffect(() => {
    if (openRootId === null) return undefined;
    const note = (): void => setOpenedAt((before) => new Map(before).set(openRootId, Date.now()));
    note();
    return note;
  }, [openRootId]);
  return useMemo(() => {
    const unread = new Set<RootId>();
    for (const root of roots) {
      const seen = openedAt.get(root.id) ?? lastSeen(root.id) ?? loadedAt;
      if (root.updatedAt > seen) unread.add(root.id);
    }
    return unread;
  }, [roots, openedAt, loadedAt]);
}

function lastSeen(rootId: RootId): number | null {
  const times = Object.values(keptView(rootId).seen.get().atByNode);
  return times.length === 0 ? null : times.reduce((newest, at) => Math.max(newest, at), 0);
}
