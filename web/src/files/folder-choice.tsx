import { useState } from "react";
import type { FolderId } from "../../../src/core/base/ids.ts";
import { AddFolder } from "./add-folder.tsx";
import type { Files } from "./use-files.ts";

const none = "none";
const another = "another";

/** Chooses the folder that the next new conversation works in. Renders nothing where there are no folders and none can be added. */
export function FolderChoice({ files }: { readonly files: Files }) {
  const [adding, setAdding] = useState(false);
  const { folders, canAdd, newFolderId, setNewFolderId } = files;
  if (folders.length === 0 && !canAdd) return null;
  return (
    <div className="folder-choice">
      <label>
        <span aria-hidden="true">New ones work in</span>
        <select
          aria-label="New conversations work in"
          value={newFolderId ?? none}
          onChange={({ target: { value } }) => {
            if (value === another) setAdding(true);
            else setNewFolderId(value === none ? null : (value as FolderId));
          }}
        >
          {folders.map(({ id, name, path, away }) => (
            <option key={id} value={id} title={path} disabled={away !== null}>
              {away === null ? name : `${name} (away)`}
            </option>
          ))}
          <option value={none}>No folder</option>
          {canAdd && <option value={another}>Add a folder…</option>}
        </select>
      </label>
      {adding && (
        <AddFolder
          onAdded={(folderId) => {
            setNewFolderId(folderId);
            setAdding(false);
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </div>
  );
}
