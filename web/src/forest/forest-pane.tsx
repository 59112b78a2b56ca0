import { memo, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { BlockId, NodeId, RootId } from "../../../src/core/base/ids.ts";
import type { ConversationSummary } from "../../../src/core/forest/list.ts";
import type { Bookmark, ForestNode } from "../../../src/core/forest/types.ts";
import { Icon } from "../ui/icons.tsx";
import { keptView, type Seen } from "../conversation/kept/kept-view.ts";
import { FolderChoice } from "../files/folder-choice.tsx";
import { FileList } from "../files/file-list.tsx";
import type { Files } from "../files/use-files.ts";
import { outlineOf, unfolded } from "../view/branches/outline.ts";
import type { Branches } from "../view/branches/path.ts";
import { layThreads } from "../view/branches/thread-layout.ts";
import { ArchivedList } from "./archived-list.tsx";
import { BookmarkList } from "./bookmark-list.tsx";
import { forestRows } from "./forest-rows.ts";
import { OutlineTree } from "./outline-tree.tsx";
import type { RowMarks } from "./row-marks.ts";
import { Overview } from "./overview.tsx";
import { RowList } from "../ui/list/row-list.tsx";
import { useGrowingList } from "../ui/list/use-list.ts";

/** Conversations, the branches of the open one, and the canvases. */
export const ForestPane = memo(function ForestPane(props: {
  readonly rootId: RootId | null;
  readonly branches: Branches;
  readonly path: readonly ForestNode[];
  readonly marks: RowMarks;
  readonly seen: Seen;
  readonly onShow: (nodeId: NodeId) => void;
  /** The bookmarks of the open conversation. */
  readonly bookmarks: readonly Bookmark[];
  readonly onBookmark: (bookmark: Bookmark) => void;
  /** The shown canvas; null while a file is shown. */
  readonly canvasId: BlockId | null;
  readonly files: Files;
  readonly onFile: (path: string) => void;
  /** Attaches a file to the message that is being written. */
  readonly onAttach: (file: File) => void;
  readonly onOpen: (rootId: RootId) => void;
  readonly onNew: () => void;
  readonly onRename: () => void;
  readonly onCanvas: (canvasId: BlockId) => void;
  readonly onNewCanvas: () => void;
}) {
  const { rootId, path, marks } = props;
  const { childrenByParent } = props.branches;
  const { filter, setFilter, rows, more, need, isLoading, onToggle } = useForestRows(rootId, props.branches);
  const layout = useMemo(() => layThreads({ childrenByParent }), [childrenByParent]);
  const pathIds = useMemo(() => new Set(path.map((node) => node.id)), [path]);

  return (
    <>
      <header className="pane-head forest-head">
        <h2 className="pane-title">Forest</h2>
        <button type="button" className="button small" onClick={props.onNew} title="New conversation (Alt+Shift+N)">
          <Icon name="plus" size={14} /> New conversation
        </button>
      </header>
      <FolderChoice files={props.files} />
      {layout.strands.length > 0 && <Overview layout={layout} path={pathIds} marks={marks} onShow={props.onShow} />}
      <div className="filter">
        <Icon name="search" size={14} />
        <input
          type="search"
          aria-label="Filter conversations"
          placeholder="Filter"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      </div>
      {rows.length === 0 ? (
        <p className="nothing" aria-busy={isLoading}>
          {isLoading ? "" : filter === "" ? "No conversations yet." : "No conversation title contains these words."}
        </p>
      ) : (
        <OutlineTree
          // Another filter begins at its first row.
          key={filter}
          rows={rows}
          more={more}
          onNeed={need}
          path={pathIds}
          marks={marks}
          seen={props.seen}
          onOpen={props.onOpen}
          onShow={props.onShow}
          onToggle={onToggle}
          onRename={props.onRename}
        />
      )}
      <ArchivedList rootId={rootId} onOpen={props.onOpen} />
      <BookmarkList bookmarks={props.bookmarks} onGo={props.onBookmark} />
      <CanvasList canvasId={props.canvasId} onCanvas={props.onCanvas} onNew={props.onNewCanvas} />
      <FileList files={props.files} onOpen={props.onFile} onAttach={props.onAttach} />
    </>
  );
});

/** Returns the rows of the tree: conversations that match the filter, the open one with its branches. */
function useForestRows(rootId: RootId | null, { nodesById, childrenByParent }: Branches) {
  const [filter, setFilter] = useState("");
  const [folded, setFolded] = useState<ReadonlySet<NodeId>>(new Set());
  const outline = useMemo(() => outlineOf({ nodesById, childrenByParent }), [nodesById, childrenByParent]);
  // Sorted by creation, so that the list does not reorder while it is read.
  const list = useGrowingList({ of: "conversations", archived: false, order: "created", filter: filter.trim() });
  const { entries, total, need, isLoading } = list;
  const unreadRoots = useUnreadRoots(entries, rootId);
  const rows = useMemo(
    () => forestRows(entries, total, rootId, unfolded(outline, folded), folded, unreadRoots),
    [entries, total, rootId, outline, folded, unreadRoots],
  );
  const onToggle = useCallback((nodeId: NodeId) => {
    setFolded((before) => {
      const after = new Set(before);
      if (!after.delete(nodeId)) after.add(nodeId);
      return after;
    });
  }, []);
  return { filter, setFilter, rows, more: total - entries.length, need, isLoading, onToggle };
}

function CanvasList(props: {
  readonly canvasId: BlockId | null;
  readonly onCanvas: (canvasId: BlockId) => void;
  readonly onNew: () => void;
}) {
  const scroller = useRef<HTMLElement>(null);
  const list = useGrowingList({ of: "canvases", filter: "" });
  return (
    <section ref={scroller} className="canvas-list" aria-label="Canvases">
      <header>
        <h3>Canvases</h3>
        <button type="button" className="icon-button" aria-label="New canvas" title="New canvas" onClick={props.onNew}>
          <Icon name="plus" size={15} />
        </button>
      </header>
      {list.total === 0 && !list.isLoading ? (
        <p className="nothing">No canvases yet.</p>
      ) : (
        <RowList scroller={scroller} list={list}>
          {(canvas) => (
            <button
              type="button"
              aria-current={canvas.id === props.canvasId ? "true" : undefined}
              onClick={() => props.onCanvas(canvas.id)}
            >
              <Icon name="document" size={15} />
              <span>{canvas.title}</span>
            </button>
          )}
        </RowList>
      )}
    </section>
  );
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
