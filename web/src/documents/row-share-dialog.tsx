import { ShareDialog } from "../share/share-dialog.tsx";
import type { SharedThing } from "../share/share-panel.tsx";
import type { DocumentRow } from "./document-rows.ts";

/** Who can see what a row is, and giving them roles. */
export function RowShareDialog({ row, onClose }: { readonly row: DocumentRow; readonly onClose: () => void }) {
  const shared = sharedBy(row);
  return shared === null ? null : <ShareDialog {...shared} onClose={onClose} />;
}

function sharedBy(row: DocumentRow): { readonly thing: SharedThing; readonly title: string } | null {
  switch (row.type) {
    case "canvas":
      return { thing: { type: "document", id: row.canvas.id }, title: row.canvas.title };
    case "folder":
      return { thing: { type: "folder-path", path: row.path }, title: row.title };
    case "disk":
      return { thing: { type: "folder", id: row.folder.id }, title: row.folder.name };
    case "directory":
      return { thing: { type: "folder", id: row.folderId, path: row.path }, title: row.title };
    // A file that nobody has opened is no document yet; it is shared from its menu once it is open.
    case "file":
    case "archive":
    case "more":
    case "note":
      return null;
  }
}
