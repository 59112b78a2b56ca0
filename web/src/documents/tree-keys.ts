import type { DocumentRow } from "./document-rows.ts";
import type { Destination } from "./use-document-steps.ts";

const moves = ["next", "previous", "first", "last", "parent"] as const;
type Move = (typeof moves)[number];

/** What a key does at a row. */
export type KeyStep =
  | Move
  | "act"
  | "rename"
  | "remove"
  | "duplicate"
  | "move"
  | "undo"
  | "select"
  | "select-all"
  | "toggle"
  | "menu";

/** The fields of a key event that the tree needs. */
interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** Returns the effect of a key; null for one that the tree does not handle. */
export function keyStep(event: Key, row: DocumentRow): KeyStep | null {
  if (event.altKey) return null;
  if (event.ctrlKey || event.metaKey) return withControl(event);
  const isOpen = "open" in row && row.open;
  switch (event.key) {
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
      return "act";
    case " ":
      return "select";
    case "F2":
      return "rename";
    case "Delete":
    case "Backspace":
      return "remove";
    case "m":
      return "move";
    case "ArrowRight":
      return "open" in row && !row.open ? "toggle" : "next";
    case "ArrowLeft":
      return isOpen ? "toggle" : "parent";
    case "ContextMenu":
      return "menu";
    case "F10":
      return event.shiftKey ? "menu" : null;
    default:
      return null;
  }
}

function withControl({ key, shiftKey }: Key): KeyStep | null {
  if (shiftKey) return null;
  switch (key.toLowerCase()) {
    case "a":
      return "select-all";
    case "d":
      return "duplicate";
    case "z":
      return "undo";
    default:
      return null;
  }
}

/** Whether a step goes to another row. */
export function isMove(step: KeyStep): step is Move {
  return moves.some((move) => move === step);
}

/** Returns the place of the row that a key goes to. */
export function siblingOf(step: Move, rows: readonly DocumentRow[], at: number): number {
  switch (step) {
    case "next":
      return Math.min(at + 1, rows.length - 1);
    case "previous":
      return Math.max(at - 1, 0);
    case "first":
      return 0;
    case "last":
      return rows.length - 1;
    case "parent": {
      const level = rows[at]?.level ?? 0;
      const above = rows.findLastIndex((row, index) => index < at && row.level < level);
      return above === -1 ? 0 : above;
    }
  }
}

/** Whether a row has a name that people may change here. */
export function hasName({ type }: DocumentRow): boolean {
  return type === "canvas" || type === "file" || type === "folder";
}

/** Returns where dragged rows go when they are dropped on a row (null: below all rows); null where they cannot go. */
export function destinationOf(row: DocumentRow | null, dragged: readonly DocumentRow[]): Destination | null {
  const isOfFiles = dragged.length > 0 && dragged.every(({ type }) => type === "file");
  const isOfCanvases = dragged.length > 0 && dragged.every(({ type }) => type === "canvas" || type === "folder");
  if (isOfCanvases && dragged.some((each) => each === row)) return null;
  switch (row?.type) {
    case undefined:
      return isOfCanvases ? { type: "canvases", folderPath: "" } : null;
    case "folder":
      return isOfCanvases ? { type: "canvases", folderPath: row.path } : null;
    case "canvas":
      return isOfCanvases ? { type: "canvases", folderPath: row.canvas.folderPath ?? "" } : null;
    case "disk":
      return isOfFiles ? { type: "files", folderId: row.folder.id, path: "" } : null;
    case "directory":
      return isOfFiles ? { type: "files", folderId: row.folderId, path: row.path } : null;
    case "file":
    case "archive":
    case "more":
    case "note":
      return null;
  }
}
