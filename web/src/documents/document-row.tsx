import { type DragEvent, memo, type MouseEvent, useEffect } from "react";
import { isLookedAt } from "../files/file-words.ts";
import type { ListedFile } from "../../../src/core/protocol/commands.ts";
import type { MenuPoint } from "../ui/menu/context-menu.tsx";
import { Icon, type IconName } from "../ui/icons.tsx";
import { NameField } from "../ui/list/name-field.tsx";
import { indentOf } from "../ui/list/indent.ts";
import type { DocumentRow } from "./document-rows.ts";

/** One line of the tree of documents. */
export const DocumentRowView = memo(function DocumentRowView(props: {
  readonly id: string;
  readonly row: DocumentRow;
  readonly top: number;
  readonly height: number;
  readonly active: boolean;
  readonly selected: boolean;
  readonly current: boolean;
  readonly target: boolean;
  readonly renaming: boolean;
  /** Called with the typed name; null: it was given up. */
  readonly onRename: (name: string | null) => void;
  readonly onMore: (of: string, have: number) => void;
  readonly onClick: (event: MouseEvent) => void;
  readonly onMenu: (at: MenuPoint) => void;
  readonly onDragStart: (event: DragEvent) => void;
}) {
  const { row, onMore } = props;
  // The row for canvases that are not fetched asks for them when it is scrolled to.
  useEffect(() => {
    if (row.type === "more") onMore(row.of, row.have);
  }, [row, onMore]);
  const style = {
    transform: `translateY(${props.top}px)`,
    blockSize: props.height,
    paddingInlineStart: indentOf(row.level),
  };
  if (row.type === "note" || row.type === "more") {
    return (
      <div className="outline-row document-note" style={style} title={row.type === "note" ? row.words : undefined}>
        {row.type === "note" ? row.words : "…"}
      </div>
    );
  }
  const isOpenable = "open" in row;
  return (
    <div
      id={props.id}
      role="treeitem"
      className={`outline-row document-row ${row.type}`}
      aria-level={row.level}
      aria-selected={props.selected}
      aria-current={props.current ? "true" : undefined}
      aria-expanded={isOpenable ? row.open : undefined}
      data-active={props.active}
      data-current={props.current}
      data-target={props.target}
      data-key={row.key}
      style={style}
      title={titleOf(row)}
      draggable={!props.renaming && (row.type === "canvas" || row.type === "file" || row.type === "folder")}
      onDragStart={props.onDragStart}
      onClick={props.onClick}
    >
      <span className="outline-fold">
        {isOpenable && <Icon name={row.open ? "chevron-down" : "chevron-right"} size={13} />}
      </span>
      <Icon name={iconOf(row)} size={15} />
      {props.renaming ? (
        <NameField name={nameIn(row)} onDone={props.onRename} />
      ) : (
        <span className="outline-title">{nameIn(row)}</span>
      )}
      <RowNote row={row} />
      {!props.renaming && row.type !== "disk" && row.type !== "archive" && row.type !== "directory" && (
        <span
          className="row-menu"
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            const box = event.currentTarget.getBoundingClientRect();
            props.onMenu({ x: box.left, y: box.bottom });
          }}
        >
          <Icon name="more" size={15} />
        </span>
      )}
    </div>
  );
});

function RowNote({ row }: { readonly row: DocumentRow }) {
  if (row.type === "folder" || row.type === "archive") return <span className="outline-note">{row.count}</span>;
  if (row.type === "canvas" && row.canvas.pinned === true) {
    return (
      <span className="outline-note" title="Pinned">
        <Icon name="pin" size={12} />
        <span className="visually-hidden">pinned</span>
      </span>
    );
  }
  return row.type === "file" ? <FileNote file={row.file} /> : null;
}

function FileNote({ file: { dirty, conflict, problem, gone } }: { readonly file: ListedFile }) {
  if (conflict) return <span className="file-mark bad">conflict</span>;
  if (problem !== null) return <span className="file-mark bad">{dirty ? "can’t be saved" : "can’t be read"}</span>;
  if (gone) return <span className="file-mark bad">deleted on disk</span>;
  return dirty ? <span className="file-mark">saving…</span> : null;
}

function iconOf(row: DocumentRow): IconName {
  switch (row.type) {
    case "file":
      if (row.file.conflict || row.file.problem !== null) return "alert";
      return isLookedAt(row.file.path) ? "eye" : "document";
    case "archive":
      return "archive";
    case "canvas":
      return "document";
    case "folder":
    case "directory":
    case "disk":
    case "more":
    case "note":
      return "folder";
  }
}

function nameIn(row: DocumentRow): string {
  switch (row.type) {
    case "canvas":
      return row.canvas.title;
    case "disk":
      return row.folder.name;
    case "archive":
      return "Archived documents";
    case "note":
    case "more":
      return "";
    case "folder":
    case "directory":
    case "file":
      return row.title;
  }
}

function titleOf(row: DocumentRow): string {
  if (row.type === "file") return row.file.problem === null ? row.file.path : `${row.file.path}: ${row.file.problem}`;
  return row.type === "disk" ? row.folder.path : nameIn(row);
}
