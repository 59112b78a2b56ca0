import { type KeyboardEvent, memo, type RefObject, useEffect, useId, useRef, useState } from "react";
import type { NodeId, RootId } from "../../../src/core/base/ids.ts";
import { type ConversationSummary, conversationTitle } from "../../../src/core/forest/list.ts";
import { ContextMenu, type MenuPoint } from "../ui/menu/context-menu.tsx";
import { useRowHeight } from "../ui/list/row-height.ts";
import { useWindow } from "../ui/list/use-window.ts";
import type { MenuItem } from "../ui/menu/menu-items.tsx";
import type { Seen } from "../conversation/kept/kept-view.ts";
import type { ChoosableRow, ForestRow } from "./forest-rows.ts";
import { OutlineRowView } from "./outline-row.tsx";
import type { RowMarks } from "./row-marks.ts";

interface OutlineTreeProps {
  readonly rows: readonly ForestRow[];
  /** How many conversations there are below the last row, which are not fetched yet. */
  readonly more: number;
  /** Called with the number of rows that must be there. */
  readonly onNeed: (rows: number) => void;
  readonly path: ReadonlySet<NodeId>;
  readonly marks: RowMarks;
  readonly seen: Seen;
  readonly onOpen: (rootId: RootId) => void;
  readonly onShow: (nodeId: NodeId) => void;
  readonly onToggle: (nodeId: NodeId) => void;
  readonly onRename: (root: ConversationSummary, title: string) => void;
  /** What can be done with a conversation, besides renaming it here. */
  readonly menuOf: (root: ConversationSummary) => readonly MenuItem[];
  readonly onRemove: (root: ConversationSummary) => void;
}

/** The forest as a tree for the keyboard: arrows move and fold, Enter opens. */
export const OutlineTree = memo(function OutlineTree(props: OutlineTreeProps) {
  const { rows } = props;
  const rowHeight = useRowHeight();
  const count = rows.length + props.more;
  const tree = useRef<HTMLDivElement>(null);
  const treeId = useId();
  const window = useWindow(tree, count, rowHeight, props.onNeed);
  const { at, act, menu, setMenu, openMenu, renaming, setRenaming, onKeyDown } = useHandling(props, tree, rowHeight);
  useOpenInSight(tree, rows, rowHeight);

  return (
    <>
      <div
        ref={tree}
        className="outline"
        role="tree"
        aria-label="Conversations and branches"
        tabIndex={0}
        aria-activedescendant={rows[at] === undefined ? undefined : `${treeId}-${at}`}
        onKeyDown={onKeyDown}
      >
        <div className="outline-rows" role="presentation" style={{ blockSize: count * rowHeight }}>
          {rows.slice(window.from, window.to).map((row, offset) => {
            const index = window.from + offset;
            if (row.type === "group") {
              const style = { transform: `translateY(${index * rowHeight}px)`, blockSize: rowHeight };
              return (
                <div key={row.key} className="outline-group" style={style}>
                  {row.title}
                </div>
              );
            }
            return (
              <OutlineRowView
                key={row.key}
                id={`${treeId}-${index}`}
                row={row}
                top={index * rowHeight}
                height={rowHeight}
                renaming={row.key === renaming}
                onRename={(title) => {
                  setRenaming(null);
                  tree.current?.focus({ preventScroll: true });
                  if (title !== null && row.type === "root") props.onRename(row.root, title);
                }}
                onMenu={openMenu}
                active={index === at}
                onPath={row.type === "branch" && props.path.has(row.row.id)}
                running={row.type === "branch" && props.marks.running.has(row.row.endId)}
                failed={row.type === "branch" && props.marks.failed.has(row.row.endId)}
                unread={row.type === "root" ? row.unread : isUnread(row, props.seen, props.path)}
                onAct={act}
                onToggle={props.onToggle}
              />
            );
          })}
        </div>
      </div>
      {menu !== null && (
        <ContextMenu
          label={`What to do with ${conversationTitle(menu.root)}`}
          at={menu.at}
          items={[{ label: "Rename", note: "F2", run: () => setRenaming(menu.root.id) }, ...props.menuOf(menu.root)]}
          onClose={() => setMenu(null)}
        />
      )}
    </>
  );
});

/** Which row has the focus, and what keys do with it. */
function useHandling(props: OutlineTreeProps, tree: RefObject<HTMLDivElement | null>, rowHeight: number) {
  const { rows } = props;
  const [renaming, setRenaming] = useState<string | null>(null);
  const [menu, setMenu] = useState<{ readonly root: ConversationSummary; readonly at: MenuPoint } | null>(null);
  const [focusKey, setFocusKey] = useState<string | null>(null);
  const at = focusedRow(rows, focusKey);
  const act = (row: ChoosableRow): void => {
    setFocusKey(row.key);
    if (row.type === "root") props.onOpen(row.root.id);
    else props.onShow(row.row.id);
  };
  const focus = (index: number): void => {
    // A group's name is passed over, downwards or upwards.
    const by = index < at ? -1 : 1;
    let to = Math.min(Math.max(index, 0), rows.length - 1);
    if (rows[to]?.type === "group") to += to === 0 ? 1 : by;
    const row = rows[to];
    if (row === undefined || row.type === "group") return;
    setFocusKey(row.key);
    if (tree.current !== null) scrollToRow(tree.current, to, rowHeight);
  };
  const openMenu = (root: ConversationSummary, point: MenuPoint): void => {
    setFocusKey(root.id);
    setMenu({ root, at: point });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[at];
    if (row === undefined || row.type === "group" || event.target !== event.currentTarget) return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const step = stepOf(event.key, row);
    if (step === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (step === "act") act(row);
    else if (step === "rename") setRenaming(row.key);
    else if (step === "menu" || step === "remove") {
      if (row.type !== "root") return;
      if (step === "remove") props.onRemove(row.root);
      else openMenu(row.root, pointOf(tree.current, at * rowHeight));
    } else if (step !== "toggle") focus(targetOf(step, rows, at));
    else if (row.type === "branch") props.onToggle(row.row.id);
  };

  return { at, act, menu, setMenu, openMenu, renaming, setRenaming, onKeyDown };
}

/** Scrolls to the open conversation when another is opened, and when its row comes into the list. */
function useOpenInSight(tree: RefObject<HTMLElement | null>, rows: readonly ForestRow[], rowHeight: number): void {
  const index = rows.findIndex((row) => row.type === "root" && row.open);
  const key = rows[index]?.key ?? null;
  const latest = useRef(index);
  latest.current = index;
  useEffect(() => {
    if (key !== null && tree.current !== null) scrollToRow(tree.current, latest.current, rowHeight);
  }, [tree, key, rowHeight]);
}

/** Returns the point below a row, for a menu that a key opened. */
function pointOf(scroller: HTMLElement | null, top: number): MenuPoint {
  const box = scroller?.getBoundingClientRect();
  return { x: (box?.left ?? 0) + 32, y: (box?.top ?? 0) + top - (scroller?.scrollTop ?? 0) + 28 };
}

/** Returns the place of the row with the focus: the open conversation until a key has moved it. */
function focusedRow(rows: readonly ForestRow[], focusKey: string | null): number {
  const found = rows.findIndex((row) => row.key === focusKey);
  if (found !== -1) return found;
  const open = rows.findIndex((row) => row.type === "root" && row.open);
  return open === -1 ? rows.findIndex(({ type }) => type !== "group") : open;
}

/** Scrolls by the smallest distance that shows the whole row. */
function scrollToRow(element: HTMLElement, index: number, rowHeight: number): void {
  const top = index * rowHeight;
  if (top < element.scrollTop) element.scrollTop = top;
  if (top + rowHeight > element.scrollTop + element.clientHeight)
    element.scrollTop = top + rowHeight - element.clientHeight;
}

type Step = "next" | "previous" | "first" | "last" | "parent" | "act" | "rename" | "toggle" | "menu" | "remove";

/** Returns the effect of a key at a row; null for a key that the tree does not handle. */
function stepOf(key: string, row: ChoosableRow): Step | null {
  const forks = row.type === "branch" && row.row.forks;
  switch (key) {
    case "ArrowDown":
    case "j":
      return "next";
    case "ArrowUp":
    case "k":
      return "previous";
    case "Home":
      return "first";
    case "End":
      return "last";
    case "Enter":
    case " ":
      return "act";
    case "F2":
      return row.type === "root" ? "rename" : null;
    case "ContextMenu":
      return "menu";
    case "Delete":
      return "remove";
    case "ArrowRight":
      if (forks && row.folded) return "toggle";
      return row.type === "root" && !row.open ? "act" : "next";
    case "ArrowLeft":
      return forks && !row.folded ? "toggle" : "parent";
    default:
      return null;
  }
}

function targetOf(
  step: Exclude<Step, "act" | "rename" | "toggle" | "menu" | "remove">,
  rows: readonly ForestRow[],
  at: number,
): number {
  switch (step) {
    case "next":
      return at + 1;
    case "previous":
      return at - 1;
    case "first":
      return 0;
    case "last":
      return rows.length - 1;
    case "parent": {
      const level = rows[at]?.level ?? 0;
      return rows.findLastIndex((above, index) => index < at && above.type !== "group" && above.level < level);
    }
  }
}

function isUnread(row: ChoosableRow, seen: Seen, path: ReadonlySet<NodeId>): boolean {
  if (row.type !== "branch" || path.has(row.row.endId)) return false;
  return row.row.newestAt > (seen.atByNode[row.row.endId] ?? seen.since);
}
