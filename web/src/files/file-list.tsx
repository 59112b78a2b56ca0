import { type KeyboardEvent, useId, useState } from "react";
import type { FolderId } from "../../../src/core/base/ids.ts";
import type { ListedFile } from "../../../src/core/protocol/commands.ts";
import { Icon, type IconName } from "../ui/icons.tsx";
import { FilePreview } from "./file-preview.tsx";
import { isLookedAt, nameAndFolder } from "./file-words.ts";
import { MoveFileDialog } from "./move-file-dialog.tsx";
import { useFileSteps } from "./use-file-steps.ts";
import type { Files } from "./use-files.ts";

/** Number of files from which a search field is shown. */
const fieldFrom = 12;
/** Number of files rendered before the reader asks for more. */
const drawnMax = 60;

interface FileListProps {
  readonly files: Files;
  readonly onOpen: (path: string) => void;
  /** Attaches a file to the message that is being written. */
  readonly onAttach: (file: File) => void;
}

/** The files of a folder, which open as documents. Renders nothing without a folder. */
export function FileList({ files, onOpen, onAttach }: FileListProps) {
  const [all, setAll] = useState(false);
  const [looking, setLooking] = useState<string | null>(null);
  const [moving, setMoving] = useState<string | null>(null);
  const steps = useFileSteps(files, onOpen, onAttach);
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
        <ul
          onKeyDown={(event) => {
            if (!isUndo(event)) return;
            event.preventDefault();
            steps.undo();
          }}
        >
          {shown.map((file) => (
            <FileRow
              key={file.path}
              file={file}
              current={file.path === files.shown?.path && files.shown.folderId === files.folderId}
              onOpen={() => (isLookedAt(file.path) ? setLooking(file.path) : onOpen(file.path))}
              onAttach={() => steps.attach(file.path)}
              onMove={() => setMoving(file.path)}
              onRemove={() => steps.remove(file.path)}
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
      {looking !== null && folderId !== null && (
        <FilePreview folderId={folderId} path={looking} onAttach={onAttach} onClose={() => setLooking(null)} />
      )}
      {moving !== null && (
        <MoveFileDialog path={moving} onMove={(to) => steps.move(moving, to)} onClose={() => setMoving(null)} />
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

/** Whether a key asks to undo: Ctrl+Z, on a Mac Command+Z. */
function isUndo({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === "z" && (ctrlKey || metaKey) && !shiftKey && !altKey;
}

interface FileRowProps {
  readonly file: ListedFile;
  readonly current: boolean;
  readonly onOpen: () => void;
  readonly onAttach: () => void;
  readonly onMove: () => void;
  readonly onRemove: () => void;
}

function FileRow({ file, current, onOpen, onAttach, onMove, onRemove }: FileRowProps) {
  const { path, conflict, problem } = file;
  const { name, folder } = nameAndFolder(path);
  const nameId = useId();
  // Only text files become documents, which can be moved and restored.
  const canMove = !isLookedAt(path);
  return (
    <li className="file-row">
      <button
        type="button"
        title={problem === null ? path : `${path}: ${problem}`}
        aria-current={current ? "true" : undefined}
        onClick={onOpen}
      >
        <Icon name={conflict || problem !== null ? "alert" : isLookedAt(path) ? "eye" : "document"} size={15} />
        <span className="file-name" id={nameId}>
          {name}
          {folder !== "" && <span className="file-folder"> {folder}</span>}
        </span>
        <FileRowMark file={file} />
      </button>
      {canMove && (
        <>
          <FileAct
            label="Attach to the message"
            title="Attach to the message, with the text as it is now"
            icon="plus"
            nameId={nameId}
            onAct={onAttach}
          />
          <FileAct
            label="Rename or move"
            title="Rename or move, on disk too"
            icon="pencil"
            nameId={nameId}
            onAct={onMove}
          />
          <FileAct
            label="Delete"
            title="Delete: the file leaves the disk and goes to the trash"
            icon="close"
            nameId={nameId}
            onAct={onRemove}
          />
        </>
      )}
    </li>
  );
}

/** A small button of a file's row. */
function FileAct(props: {
  readonly label: string;
  readonly title: string;
  readonly icon: IconName;
  /** Element with the file's name. */
  readonly nameId: string;
  readonly onAct: () => void;
}) {
  return (
    <button
      type="button"
      className="file-act"
      aria-label={props.label}
      aria-describedby={props.nameId}
      title={props.title}
      onClick={props.onAct}
    >
      <Icon name={props.icon} size={13} />
    </button>
  );
}

function FileRowMark({ file: { dirty, conflict, problem, gone } }: { readonly file: ListedFile }) {
  if (conflict) return <span className="file-mark bad">conflict</span>;
  if (problem !== null) return <span className="file-mark bad">{dirty ? "can’t be saved" : "can’t be read"}</span>;
  if (gone) return <span className="file-mark bad">deleted on disk</span>;
  return dirty ? <span className="file-mark">saving…</span> : null;
}
