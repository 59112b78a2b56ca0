import { useState } from "react";
import type { ListedFile } from "../../../src/core/protocol/commands.ts";
import { Icon } from "../ui/icons.tsx";
import { nameAndFolder } from "./file-words.ts";
import type { Files } from "./use-files.ts";

/** Number of files from which a search field is shown. */
const fieldFrom = 12;
/** Number of files rendered before the reader asks for more. */
const drawnMax = 60;

/** The files of the workspace folder, which open as documents. Renders nothing without a folder. */
export function FileList({ files, onOpen }: { readonly files: Files; readonly onOpen: (path: string) => void }) {
  const [all, setAll] = useState(false);
  const { listing, containing } = files;
  if (listing === null || listing.folder === null) return null;
  const shown = all ? listing.files : listing.files.slice(0, drawnMax);
  const hidden = listing.files.length - shown.length;
  return (
    <section className="canvas-list file-list" aria-label="Files">
      <header title={listing.folder}>
        <h3>Files</h3>
        <button
          type="button"
          className="icon-button"
          aria-label="Refresh the folder"
          title={`Refresh ${listing.folder}`}
          onClick={files.refresh}
        >
          <Icon name="again" size={14} />
        </button>
      </header>
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
              current={file.path === files.shown?.path}
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
