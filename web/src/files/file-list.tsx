import { useState } from "react";
import type { FolderId } from "../../../src/core/base/ids.ts";
import type { ListedFile } from "../../../src/core/protocol/commands.ts";
import { Icon } from "../ui/icons.tsx";
import { nameAndFolder } from "./file-words.ts";
import type { Files } from "./use-files.ts";

/** Number of files from which a search field is shown. */
const fieldFrom = 12;
/** Number of files rendered before the reader asks for more. */
const drawnMax = 60;

/** The files of a folder, which open as documents. Renders nothing without a folder. */
export function FileList({ files, onOpen }: { readonly files: Files; readonly onOpen: (path: string) => void }) {
  const [all, setAll] = useState(false);
  const { listing, containing, folders, folderId } = files;
  const folder = folders.find(({ id }) => id === folderId);
  if (folder === undefined) return null;
  if (folder.away !== null || listing === null || listing.folder === null) {
    return (
      <section className="canvas-list file-list" aria-label="Files">
        <ListHead files={files} />
        {folder.away !== null && (
          <p className="nothing" role="status">
            The folder {folder.path} is away: {folder.away}. Nothing is read or written there until it is back.
          </p>
        )}
      </section>
    );
  }
  const shown = all ? listing.files : listing.files.slice(0, drawnMax);
  const hidden = listing.files.length - shown.length;
  return (
    <section className="canvas-list file-list" aria-label="Files">
      <ListHead files={files} />
      {(containing !== "" || listing.truncated || listing.files.length >= fieldFrom) && (
        <div className="filter">
          <Icon name="search" size={14} />
          <input
            type="search"
            aria-label="Find a file"
            placeholder="Find a file"
            value={containing}
            onChange={(event) => files.setContaining(event.target.value)}
          />
        </div>
      )}
      {listing.files.length === 0 ? (
        <p className="nothing">
          {containing === "" ? "The folder has no files yet." : "No file path contains this text."}
        </p>
      ) : (
        <ul>
          {shown.map((file) => (
            <FileRow
              key={file.path}
              file={file}
              current={file.path === files.shown?.path && files.shown.folderId === files.folderId}
              onOpen={() => onOpen(file.path)}
            />
          ))}
        </ul>
      )}
      {hidden > 0 && (
        <button type="button" className="quiet-button" onClick={() => setAll(true)}>
          Show {hidden} more
        </button>
      )}
      {hidden === 0 && listing.truncated && (
        <p className="nothing">There are more files. Type part of a path to find one.</p>
      )}
    </section>
  );
}

/** The title of the list, and the choice of another folder. */
function ListHead({ files }: { readonly files: Files }) {
  const { folders, folderId, listing } = files;
  const path = listing?.folder ?? folders.find(({ id }) => id === folderId)?.path ?? "";
  return (
    <header title={path}>
      <h3>Files</h3>
      {folders.length > 1 && folderId !== null && (
        <select
          className="folder-select"
          aria-label="Folder of the list"
          value={folderId}
          onChange={({ target: { value } }) => files.setFolderId(value as FolderId)}
        >
          {folders.map(({ id, name, path: at }) => (
            <option key={id} value={id} title={at}>
              {name}
            </option>
          ))}
        </select>
      )}
      <button
        type="button"
        className="icon-button"
        aria-label="Refresh the folder"
        title={`Refresh ${path}`}
        onClick={files.refresh}
      >
        <Icon name="again" size={14} />
      </button>
    </header>
  );
}

function FileRow(props: { readonly file: ListedFile; readonly current: boolean; readonly onOpen: () => void }) {
  const { path, dirty, conflict, problem } = props.file;
  const { name, folder } = nameAndFolder(path);
  return (
    <li>
      <button
        type="button"
        title={problem === null ? path : `${path}: ${problem}`}
        aria-current={props.current ? "true" : undefined}
        onClick={props.onOpen}
      >
        <Icon name={conflict || problem !== null ? "alert" : "document"} size={15} />
        <span className="file-name">
          {name}
          {folder !== "" && <span className="file-folder"> {folder}</span>}
        </span>
        {conflict ? (
          <span className="file-mark bad">conflict</span>
        ) : problem !== null ? (
          <span className="file-mark bad">{dirty ? "can’t be saved" : "can’t be read"}</span>
        ) : (
          dirty && <span className="file-mark">saving…</span>
        )}
      </button>
    </li>
  );
}
