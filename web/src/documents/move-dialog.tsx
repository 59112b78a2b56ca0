import { useId, useState } from "react";
import { tidyFolderPath } from "../../../src/core/forest/folder-path.ts";
import { nameAndFolder } from "../files/file-words.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useSending } from "../ui/use-sending.ts";
import { type DocumentRow, parentPath } from "./document-rows.ts";
import type { Destination } from "./use-document-steps.ts";

/** Asks for the folder to which documents are moved. */
export function MoveDialog(props: {
  readonly rows: readonly DocumentRow[];
  /** Folders that exist, to choose from. */
  readonly folders: readonly string[];
  readonly onMove: (to: Destination) => Promise<boolean>;
  readonly onClose: () => void;
}) {
  const { rows } = props;
  const [first] = rows;
  const [typed, setTyped] = useState(() => (first === undefined ? "" : folderOf(first)));
  const { sending, send } = useSending(props.onClose);
  const listId = useId();
  if (first === undefined) return null;
  const isFile = first.type === "file";
  const path = tidyFolderPath(typed);
  const to: Destination = isFile
    ? { type: "files", folderId: first.folderId, path }
    : { type: "canvases", folderPath: path };
  return (
    <Dialog
      title={rows.length === 1 ? "Move to a folder" : `Move ${rows.length} documents to a folder`}
      className="small-dialog"
      onClose={props.onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send(() => props.onMove(to));
        }}
      >
        <label className="field">
          <span>Folder</span>
          <input
            value={typed}
            list={listId}
            maxLength={400}
            spellCheck={false}
            placeholder="Leave empty for the top"
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        <datalist id={listId}>
          {props.folders.map((folder) => (
            <option key={folder} value={folder} />
          ))}
        </datalist>
        <p className="quiet">
          {isFile
            ? "The file moves on disk too. Folders that do not exist are made; nothing is overwritten."
            : "A new name makes a folder; use / for a folder in a folder."}
        </p>
        <div className="button-row end">
          <button type="submit" className="button primary" disabled={sending}>
            Move
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function folderOf(row: DocumentRow): string {
  if (row.type === "canvas") return row.canvas.folderPath ?? "";
  if (row.type === "folder") return parentPath(row.path);
  return row.type === "file" ? nameAndFolder(row.file.path).folder.replace(/\/$/u, "") : "";
}
