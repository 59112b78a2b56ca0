import { isMac, shownKeys } from "../browser/keys.ts";
import { isLookedAt } from "../files/file-words.ts";
import type { MenuItem } from "../ui/menu/menu-items.tsx";
import type { Document, DocumentRow } from "./document-rows.ts";
import type { DocumentSteps } from "./use-document-steps.ts";

/** What the menu of a row can do. */
export interface MenuActs {
  readonly open: (row: DocumentRow) => void;
  readonly rename: (row: DocumentRow) => void;
  readonly move: (rows: readonly DocumentRow[]) => void;
  /** Creates a canvas in a document folder; null while the server is away. */
  readonly create: ((folderPath: string) => void) | null;
  /** Adds a document to what the next message is about. */
  readonly mention: (row: Document) => void;
  /** Shows who can see what a row is; null where one person owns everything. */
  readonly share: ((row: DocumentRow) => void) | null;
  readonly steps: DocumentSteps;
}

export function isDocument(row: DocumentRow): row is Document {
  return row.type === "canvas" || row.type === "file";
}

/** Returns what can be done with the chosen rows. */
export function documentMenu(rows: readonly DocumentRow[], acts: MenuActs): readonly MenuItem[] {
  const [row] = rows;
  if (row === undefined) return [];
  const { steps } = acts;
  const share =
    acts.share === null || rows.length > 1 || row.type === "file"
      ? []
      : [{ label: "Share…", run: () => acts.share?.(row) }];
  if (rows.length === 1 && row.type === "folder") {
    return [
      acts.create === null
        ? { label: "New document here", note: "offline", disabled: true, run: () => undefined }
        : { label: "New document here", run: () => acts.create?.(row.path) },
      { label: "Rename", note: "F2", run: () => acts.rename(row) },
      { label: "Move to…", note: "M", run: () => acts.move(rows) },
      ...share,
    ];
  }
  const documents = rows.filter(isDocument);
  const canvases = documents.filter(({ type }) => type === "canvas");
  const [first] = documents;
  if (first === undefined)
    return [
      { label: "Open or close", note: "Enter", run: () => acts.open(row) },
      ...(row.type === "archive" ? [] : share),
    ];
  const single = documents.length === 1;
  const isPinned = canvases.every((each) => each.type === "canvas" && each.canvas.pinned === true);
  const isArchived = canvases.every((each) => each.type === "canvas" && each.canvas.archived === true);
  return [
    ...(single ? [{ label: "Open", note: "Enter", run: () => acts.open(first) }] : []),
    ...(single ? [{ label: "Rename", note: "F2", run: () => acts.rename(first) }] : []),
    { label: "Move to…", note: "M", run: () => acts.move(documents) },
    ...share,
    ...(documents.every((each) => each.type === "canvas" || !isLookedAt(each.file.path))
      ? [{ label: "Duplicate", note: shownKeys("Mod+D", isMac()), run: () => steps.duplicate(documents) }]
      : []),
    ...(single && first.type === "file" ? [{ label: "Add to the message", run: () => acts.mention(first) }] : []),
    ...(canvases.length === documents.length
      ? [
          { label: isPinned ? "Unpin" : "Pin", run: () => steps.mark(canvases, { pinned: !isPinned }) },
          {
            label: isArchived ? "Take out of the archive" : "Archive",
            run: () => steps.mark(canvases, { archived: !isArchived }),
          },
        ]
      : []),
    { label: "Move to trash", note: "Del", run: () => steps.remove(documents) },
  ];
}
