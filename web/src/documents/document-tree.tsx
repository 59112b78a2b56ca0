import {
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { dragType, type NamedDocument } from "./named-document.ts";
import { ContextMenu, type MenuPoint } from "../ui/menu/context-menu.tsx";
import { useRowHeight } from "../ui/list/row-height.ts";
import { useWindow } from "../ui/list/use-window.ts";
import type { Document, DocumentRow } from "./document-rows.ts";
import { DocumentRowView } from "./document-row.tsx";
import { documentMenu, isDocument, type MenuActs } from "./document-menu.ts";
import { destinationOf, hasName, isMove, keyStep, type KeyStep, siblingOf } from "./tree-keys.ts";
import { type Choice, chosen, nothingSelected, type RowSelection, within } from "./selection.ts";
import type { Destination, DocumentSteps } from "./use-document-steps.ts";
import type { DocumentTreeState } from "./use-document-tree.ts";

interface DocumentTreeProps {
  readonly tree: DocumentTreeState;
  /** The key of the open document. */
  readonly current: string | null;
  readonly steps: DocumentSteps;
  readonly onOpen: (row: Document) => void;
  /** A row whose name is being typed, by its key. */
  readonly renaming: string | null;
  readonly onRenaming: (key: string | null) => void;
  /** Called after the name of a document that was just made is typed. */
  readonly onNamed: (row: DocumentRow) => void;
  readonly onMove: (rows: readonly DocumentRow[]) => void;
  /** null: one person owns everything. */
  readonly onShare: ((row: DocumentRow) => void) | null;
  readonly onCreate: ((folderPath: string) => void) | null;
  readonly onMention: (row: Document) => void;
}

/** Canvases and files as one tree: opened, named, moved and deleted by mouse and by keys. */
export function DocumentTree(props: DocumentTreeProps) {
  const { tree, current, renaming } = props;
  const { rows } = tree;
  const scroller = useRef<HTMLDivElement>(null);
  const treeId = useId();
  const rowHeight = useRowHeight();
  const window = useWindow(scroller, rows.length, rowHeight, nothing);
  const handling = useHandling(props, scroller, rowHeight);
  const { at, selection, choose, act, setMenu } = handling;
  const [target, setTarget] = useState<string | null>(null);
  useCurrentInSight(scroller, current, rows, rowHeight);
  const drop = useDrop({ rows, selection, steps: props.steps, setTarget });
  const viewOf = (row: DocumentRow, index: number) => (
    <DocumentRowView
      key={row.key}
      id={`${treeId}-${index}`}
      row={row}
      top={index * rowHeight}
      height={rowHeight}
      active={index === at}
      selected={selection.keys.has(row.key)}
      current={row.key === current}
      target={row.key === target}
      renaming={row.key === renaming}
      onRename={(name) => handling.rename(row, name)}
      onMore={tree.more}
      onClick={(event) => {
        const how = choiceOf(event);
        choose(row, how);
        if (how === "alone") act(row);
      }}
      onMenu={(point) => handling.openMenu(row, point)}
      onDragStart={(event) => drop.onDragStart(event, row)}
    />
  );
  return (
    <>
      <div
        ref={scroller}
        className="outline document-tree"
        role="tree"
        aria-label="Documents"
        aria-multiselectable="true"
        tabIndex={0}
        aria-activedescendant={rows[at] === undefined ? undefined : `${treeId}-${at}`}
        onKeyDown={handling.onKeyDown}
        onContextMenu={(event) => {
          const row = rows.find(({ key }) => key === keyAt(event.target));
          event.preventDefault();
          if (row !== undefined) handling.openMenu(row, { x: event.clientX, y: event.clientY });
        }}
        onDragOver={drop.onDragOver}
        onDrop={drop.onDrop}
        onDragLeave={() => setTarget(null)}
      >
        <div className="outline-rows" role="presentation" style={{ blockSize: rows.length * rowHeight }}>
          {rows.slice(window.from, window.to).map((row, offset) => viewOf(row, window.from + offset))}
        </div>
      </div>
      {handling.menu !== null && (
        <ContextMenu
          label="What to do with it"
          at={handling.menu}
          items={handling.menuItems()}
          onClose={() => setMenu(null)}
        />
      )}
    </>
  );
}

/** What is chosen in the tree, and what keys and menus do with it. */
function useHandling(props: DocumentTreeProps, scroller: RefObject<HTMLDivElement | null>, rowHeight: number) {
  const { tree, current, steps } = props;
  const { rows } = tree;
  const keys = useMemo(() => rows.map(({ key }) => key), [rows]);
  const place = useRef(0);
  const [state, setSelection] = useState(nothingSelected);
  const [menu, setMenu] = useState<MenuPoint | null>(null);
  const selection = within(state, keys, place.current);
  const at = Math.max(0, keys.indexOf(selection.at ?? current ?? ""));
  place.current = at;
  const picked = (): readonly DocumentRow[] =>
    rows.filter(({ key }, index) => (selection.keys.size > 1 ? selection.keys.has(key) : index === at));
  const act = (row: DocumentRow): void => {
    if (isDocument(row)) props.onOpen(row);
    else tree.toggle(row);
  };
  const choose = (row: DocumentRow, how: Choice): void => setSelection((before) => chosen(before, row.key, how, keys));
  const acts: MenuActs = {
    open: act,
    rename: (row) => props.onRenaming(row.key),
    move: props.onMove,
    create: props.onCreate,
    mention: props.onMention,
    share: props.onShare,
    steps,
  };
  /** What a key does that changes only what is chosen; false for another step. */
  const moves = (step: KeyStep, row: DocumentRow, extend: boolean): boolean => {
    if (step === "select") choose(row, "also");
    else if (step === "select-all")
      setSelection({ ...selection, keys: new Set(rows.filter(isDocument).map(({ key }) => key)) });
    else if (isMove(step)) {
      const to = rows[siblingOf(step, rows, at)];
      if (to === undefined) return true;
      choose(to, extend ? "range" : "alone");
      scrollToRow(scroller.current, rows.indexOf(to), rowHeight);
    } else return false;
    return true;
  };
  const perform = (step: KeyStep, row: DocumentRow): void => {
    if (step === "act") act(row);
    else if (step === "toggle") tree.toggle(row);
    else if (step === "undo") steps.undo();
    else if (step === "menu") setMenu(pointOf(scroller.current, at * rowHeight));
    else if (step === "move") props.onMove(picked());
    else if (step === "remove") steps.remove(picked().filter(isDocument));
    else if (step === "duplicate") steps.duplicate(picked().filter(isDocument));
    else if (step === "rename" && hasName(row)) props.onRenaming(row.key);
  };
  return {
    at,
    selection,
    choose,
    act,
    menu,
    setMenu,
    menuItems: () => documentMenu(picked(), acts),
    openMenu(row: DocumentRow, point: MenuPoint) {
      if (!selection.keys.has(row.key)) choose(row, "alone");
      setMenu(point);
    },
    rename(row: DocumentRow, name: string | null) {
      props.onRenaming(null);
      scroller.current?.focus({ preventScroll: true });
      if (name !== null) void steps.rename(row, name).then(() => props.onNamed(row));
    },
    onKeyDown: (event: KeyboardEvent) => {
      const row = rows[at];
      if (row === undefined || event.target !== event.currentTarget) return;
      const step = keyStep(event, row);
      if (step === null) return;
      event.preventDefault();
      event.stopPropagation();
      if (!moves(step, row, event.shiftKey)) perform(step, row);
    },
  };
}

const nothing = (): void => undefined;

function choiceOf(event: MouseEvent): Choice {
  if (event.shiftKey) return "range";
  return event.ctrlKey || event.metaKey ? "also" : "alone";
}

/** Scrolls to the open document when another is opened, and when its row comes into the tree. */
function useCurrentInSight(
  scroller: { readonly current: HTMLElement | null },
  current: string | null,
  rows: readonly DocumentRow[],
  rowHeight: number,
): void {
  const index = rows.findIndex(({ key }) => key === current);
  const isThere = index !== -1;
  const latest = useRef(index);
  latest.current = index;
  useEffect(() => {
    if (isThere) scrollToRow(scroller.current, latest.current, rowHeight);
  }, [scroller, current, isThere, rowHeight]);
}

/** Dragging rows within the tree, and out of it by their names. */
function useDrop(world: {
  readonly rows: readonly DocumentRow[];
  readonly selection: RowSelection;
  readonly steps: DocumentSteps;
  readonly setTarget: (key: string | null) => void;
}) {
  const { rows, selection, steps, setTarget } = world;
  const dragged = useRef<readonly DocumentRow[]>([]);
  const targetOf = (event: DragEvent): { readonly key: string | null; readonly to: Destination } | null => {
    if (!event.dataTransfer.types.includes(dragType)) return null;
    const row = rows.find(({ key }) => key === keyAt(event.target));
    const to = destinationOf(row ?? null, dragged.current);
    return to === null ? null : { key: row?.key ?? null, to };
  };
  return {
    onDragStart(event: DragEvent, row: DocumentRow) {
      const many = selection.keys.has(row.key) ? rows.filter(({ key }) => selection.keys.has(key)) : [row];
      dragged.current = many;
      event.dataTransfer.setData(dragType, JSON.stringify(many.filter(isDocument).map(draggedDocument)));
      event.dataTransfer.effectAllowed = "copyMove";
    },
    onDragOver: (event: DragEvent) => {
      const found = targetOf(event);
      setTarget(found?.key ?? null);
      if (found === null) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "move";
    },
    onDrop: (event: DragEvent) => {
      const found = targetOf(event);
      setTarget(null);
      if (found === null) return;
      event.preventDefault();
      void steps.move(dragged.current, found.to);
    },
  };
}

/** What a drag says of a document to other parts of the page. */
function draggedDocument(row: Document): NamedDocument {
  if (row.type === "canvas") return { type: "canvas", id: row.canvas.id, title: row.canvas.title };
  return { type: "file", folderId: row.folderId, path: row.file.path };
}

function keyAt(target: EventTarget): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>("[data-key]")?.dataset["key"] : undefined;
}

/** Scrolls by the smallest distance that shows the whole row. */
function scrollToRow(element: HTMLElement | null, index: number, rowHeight: number): void {
  if (element === null || index < 0) return;
  const top = index * rowHeight;
  if (top < element.scrollTop) element.scrollTop = top;
  if (top + rowHeight > element.scrollTop + element.clientHeight)
    element.scrollTop = top + rowHeight - element.clientHeight;
}

/** Returns the point below a row, for a menu that a key opened. */
function pointOf(scroller: HTMLElement | null, top: number): MenuPoint {
  const box = scroller?.getBoundingClientRect();
  return { x: (box?.left ?? 0) + 32, y: (box?.top ?? 0) + top - (scroller?.scrollTop ?? 0) + 28 };
}
