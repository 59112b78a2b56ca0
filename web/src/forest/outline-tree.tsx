import { type KeyboardEvent, memo, useId, useRef, useState } from "react";
import type { NodeId, RootId } from "../../../src/core/base/ids.ts";
import { conversationTitle } from "../../../src/core/forest/list.ts";
import { Icon } from "../ui/icons.tsx";
import { useWindow } from "../ui/list/use-window.ts";
import type { Seen } from "../conversation/kept/kept-view.ts";
import { rowNote } from "../view/branches/outline.ts";
import type { ForestRow } from "./forest-rows.ts";
import type { RowMarks } from "./row-marks.ts";

/** Height of a row in pixels, equal to the style sheet's. */
const rowHeight = 30;

/** The forest as a tree for the keyboard: arrows move and fold, Enter opens. */
export const OutlineTree = memo(function OutlineTree(props: {
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
  readonly onRename: () => void;
}) {
  const { rows } = props;
  const count = rows.length + props.more;
  const tree = useRef<HTMLDivElement>(null);
  const treeId = useId();
  const [focusKey, setFocusKey] = useState<string | null>(null);
  const at = focusedRow(rows, focusKey);
  const window = useWindow(tree, count, rowHeight, props.onNeed);

  const act = (row: ForestRow): void => {
    setFocusKey(row.key);
    if (row.type === "root") props.onOpen(row.root.id);
    else props.onShow(row.row.id);
  };
  const focus = (index: number): void => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (row === undefined) return;
    setFocusKey(row.key);
    if (tree.current !== null) scrollToRow(tree.current, Math.max(0, rows.indexOf(row)));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[at];
    if (row === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = stepOf(event.key, row);
    if (step === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (step === "act") act(row);
    else if (step === "rename") props.onRename();
    else if (step !== "toggle") focus(targetOf(step, rows, at));
    else if (row.type === "branch") props.onToggle(row.row.id);
  };

  return (
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
          return (
            <OutlineRowView
              key={row.key}
              id={`${treeId}-${index}`}
              row={row}
              top={index * rowHeight}
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
  );
});

/** Returns the place of the row with the focus: the open conversation until a key has moved it. */
function focusedRow(rows: readonly ForestRow[], focusKey: string | null): number {
  const found = rows.findIndex((row) => row.key === focusKey);
  return found !== -1
    ? found
    : Math.max(
        0,
        rows.findIndex((row) => row.type === "root" && row.open),
      );
}

/** Scrolls by the smallest distance that shows the whole row. */
function scrollToRow(element: HTMLElement, index: number): void {
  const top = index * rowHeight;
  if (top < element.scrollTop) element.scrollTop = top;
  if (top + rowHeight > element.scrollTop + element.clientHeight)
    element.scrollTop = top + rowHeight - element.clientHeight;
}

type Step = "next" | "previous" | "first" | "last" | "parent" | "act" | "rename" | "toggle";

/** Returns the effect of a key at a row; null for a key that the tree does not handle. */
function stepOf(key: string, row: ForestRow): Step | null {
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
    case "ArrowRight":
      if (forks && row.folded) return "toggle";
      return row.type === "root" && !row.open ? "act" : "next";
    case "ArrowLeft":
      return forks && !row.folded ? "toggle" : "parent";
    default:
      return null;
  }
}

function targetOf(step: Exclude<Step, "act" | "rename" | "toggle">, rows: readonly ForestRow[], at: number): number {
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
      return rows.findLastIndex((above, index) => index < at && above.level < level);
    }
  }
}

const OutlineRowView = memo(function OutlineRowView(props: {
  readonly id: string;
  readonly row: ForestRow;
  readonly top: number;
  readonly active: boolean;
  readonly onPath: boolean;
  readonly running: boolean;
  readonly failed: boolean;
  readonly unread: boolean;
  readonly onAct: (row: ForestRow) => void;
  readonly onToggle: (nodeId: NodeId) => void;
}) {
  const { row } = props;
  const forks = row.type === "branch" && row.row.forks;
  const title = row.type === "root" ? conversationTitle(row.root) : row.row.title;
  const note = row.type === "root" ? "" : rowNote(row.row);
  return (
    <div
      id={props.id}
      role="treeitem"
      className={`outline-row ${row.type}`}
      aria-level={row.level}
      aria-selected={row.type === "root" ? row.open : props.onPath}
      aria-expanded={row.type === "root" ? row.open : forks ? !row.folded : undefined}
      aria-posinset={row.type === "root" ? row.place : row.row.place}
      aria-setsize={row.type === "root" ? row.of : row.row.of}
      data-active={props.active}
      data-on-path={props.onPath}
      style={{ transform: `translateY(${props.top}px)`, paddingInlineStart: indentOf(row.level) }}
      title={title}
      onClick={() => props.onAct(row)}
    >
      {row.type === "branch" && (
        <span
          className="outline-fold"
          data-forks={forks}
          onClick={(event) => {
            if (!forks) return;
            event.stopPropagation();
            props.onToggle(row.row.id);
          }}
        >
          {forks ? (
            <Icon name={row.folded ? "chevron-right" : "chevron-down"} size={13} />
          ) : (
            <span className="outline-leaf" />
          )}
        </span>
      )}
      {row.type === "root" && <Icon name="chat" size={15} />}
      <span className="outline-title">{title}</span>
      {row.type === "branch" && row.row.interrupted && <Icon name="stop" size={11} />}
      {note !== "" && <span className="outline-note">{note}</span>}
      {props.running && <RowSign kind="running" words="being written" />}
      {props.failed && <RowSign kind="failed" words="failed" />}
      {props.unread && !props.running && <RowSign kind="unread" words="unread" />}
    </div>
  );
});

/** Returns the indent of a level, which grows less with depth to leave room for titles. Pixels. */
function indentOf(level: number): number {
  const steps = level - 1;
  return 10 + Math.min(steps, 5) * 14 + Math.min(Math.max(0, steps - 5), 12) * 4;
}

function RowSign({ kind, words }: { readonly kind: "running" | "failed" | "unread"; readonly words: string }) {
  return (
    <span className={`row-mark ${kind}`} title={words}>
      <span className="visually-hidden">{words}</span>
    </span>
  );
}

function isUnread(row: ForestRow, seen: Seen, path: ReadonlySet<NodeId>): boolean {
  if (row.type !== "branch" || path.has(row.row.endId)) return false;
  return row.row.newestAt > (seen.atByNode[row.row.endId] ?? seen.since);
}
