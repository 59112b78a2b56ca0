import { useEffect, useState } from "react";
import type { BlockId, FolderId } from "../../../src/core/base/ids.ts";
import type { BlockHeader } from "../../../src/core/block/types.ts";
import type { KeptSide, ListedFile } from "../../../src/core/protocol/commands.ts";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { Refusal } from "../../../src/core/base/errors.ts";
import type { Result } from "../../../src/core/base/result.ts";
import { useObservable } from "../ui/use-observable.ts";
import { MergeDialog } from "./merge-dialog.tsx";
import { useApp } from "../ui/app-context.ts";
import { Icon } from "../ui/icons.tsx";
import { conflictChoices, conflictIn, placesOf, fileStateWords } from "./file-words.ts";

/** Delay after the last edit before the file's state is requested, and the interval until it is written. Milliseconds. */
const restMs = 300;
const againMs = 1_000;

/** A mark that shows whether the text is in the file. */
export function FileMark(props: { readonly replica: TextReplica; readonly onChange: () => void }) {
  const header = useObservable(props.replica.header);
  return header === null ? null : <KnownFileMark header={header} onChange={props.onChange} />;
}

function KnownFileMark(props: { readonly header: BlockHeader; readonly onChange: () => void }) {
  const { header, onChange } = props;
  const { folder } = header.metadata;
  const state = useFileState(header.id, header.version, typeof folder === "string" ? (folder as FolderId) : null);
  const conflict = conflictIn(header.metadata) !== null;
  const dirty = state?.dirty ?? false;
  useEffect(() => onChange(), [dirty, conflict, onChange]);
  const { words, hint, mark } = fileStateWords(state, conflict);
  return (
    <span className="file-state" data-state={mark} title={hint}>
      {words}
    </span>
  );
}

/** What a person decides about a file that another program changed or deleted. */
export function FileNotes({ path, replica }: { readonly path: string; readonly replica: TextReplica }) {
  const header = useObservable(replica.header);
  if (header === null) return null;
  return (
    <>
      <FileConflict path={path} header={header} replica={replica} />
      <FileGone path={path} header={header} />
    </>
  );
}

/** The choices for a file in conflict. */
function FileConflict(props: { readonly path: string; readonly header: BlockHeader; readonly replica: TextReplica }) {
  const { client, tell, announce } = useApp();
  const [busy, setBusy] = useState(false);
  const [isComparing, setComparing] = useState(false);
  const { header, path } = props;
  const conflict = conflictIn(header.metadata);
  if (conflict === null) return null;
  const decide = async (keep: KeptSide, label: string): Promise<void> => {
    setBusy(true);
    const ended = await client.call("file.resolve", { blockId: header.id, keep, hash: conflict.hash });
    setBusy(false);
    if (ended.ok) announce(`${label}: the conflict is resolved and ${path} is written.`);
    else tell(ended.error);
  };
  return (
    <div className="file-conflict" role="group" aria-label={`Conflict in ${path}`}>
      <p role="alert">
        <Icon name="alert" size={15} />
        <span>
          <strong>Another program changed this file too.</strong> {placesOf(conflict.lines)} Heddle can’t merge the
          changes. Choose which text to keep. Both texts are safe; nothing is written to the file until you choose.
        </span>
      </p>
      <button type="button" className="button small primary" disabled={busy} onClick={() => setComparing(true)}>
        Show both and merge…
      </button>
      {isComparing && <MergeDialog path={path} replica={props.replica} onClose={() => setComparing(false)} />}
      <ul>
        {conflictChoices.map(({ keep, label, says }) => (
          <li key={keep}>
            <button
              type="button"
              className="button small"
              disabled={busy}
              aria-describedby={`conflict-${keep}`}
              onClick={() => void decide(keep, label)}
            >
              {label}
            </button>
            <span id={`conflict-${keep}`}>{says}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Asks what becomes of a document whose file another program deleted. */
function FileGone(props: { readonly path: string; readonly header: BlockHeader }) {
  const { client, tell, announce } = useApp();
  const { header, path } = props;
  const { folder } = header.metadata;
  const folderId = typeof folder === "string" ? (folder as FolderId) : null;
  const state = useFileState(header.id, header.version, folderId);
  const [isBusy, setBusy] = useState(false);
  if (state?.gone !== true || state.dirty) return null;
  const act = async (asked: Promise<Result<unknown, Refusal>>, done: string): Promise<void> => {
    setBusy(true);
    const answer = await asked;
    setBusy(false);
    if (answer.ok) announce(done);
    else tell(answer.error);
  };
  const place = folderId === null ? { path } : { path, folderId };
  return (
    <div className="file-conflict" role="group" aria-label={`${path} was deleted on disk`}>
      <p role="alert">
        <Icon name="alert" size={15} />
        <span>
          <strong>Another program deleted this file.</strong> Its text is safe here. Write the file again, or move the
          document to the trash too? Typing writes it again as well.
        </span>
      </p>
      <div className="button-row">
        <button
          type="button"
          className="button small"
          disabled={isBusy}
          onClick={() => void act(client.call("file.bring-back", { blockId: header.id }), `${path} is written again.`)}
        >
          Write it again
        </button>
        <button
          type="button"
          className="button small"
          disabled={isBusy}
          onClick={() => void act(client.call("file.delete", place), `${path} is in the trash.`)}
        >
          Move to the trash
        </button>
      </div>
    </div>
  );
}

/** Returns the state of a block's file; requested again after every edit, until it is written. */
function useFileState(blockId: BlockId, version: number, folderId: FolderId | null): ListedFile | null {
  const { client } = useApp();
  // The list of files changes when another program deletes this one, or brings it back.
  const changes = useObservable(client.folders)?.folders.find(({ id }) => id === folderId)?.changes ?? 0;
  const [state, setState] = useState<ListedFile | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let stale = false;
    const read = async (): Promise<void> => {
      const listed = await client.call("file.list", { openedOnly: true, ...(folderId === null ? {} : { folderId }) });
      if (stale) return;
      if (!listed.ok) {
        // The folder is away: the text waits here.
        setState((known) => known && { ...known, dirty: true, problem: listed.error.message });
        timer = setTimeout(() => void read(), againMs);
        return;
      }
      const own = listed.value.files.find((file) => file.blockId === blockId) ?? null;
      setState(own);
      if (own !== null && (own.dirty || own.problem !== null) && !own.conflict)
        timer = setTimeout(() => void read(), againMs);
    };
    timer = setTimeout(() => void read(), restMs);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [client, blockId, version, folderId, changes]);
  return state;
}
