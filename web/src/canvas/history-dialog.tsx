import { useCallback, useEffect, useId, useState } from "react";
import type { BlockId, NodeId } from "../../../src/core/base/ids.ts";
import type { CanvasHashes, CanvasRevision } from "../../../src/core/block/canvas-revision.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import type { CommandAnswer } from "../../../src/core/protocol/commands.ts";
import { useApp } from "../ui/app-context.ts";
import { AuthorMark } from "../ui/author.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { DiffView } from "../diff/diff-view.tsx";
import { countOf } from "../view/branches/hidden.ts";
import { authorsOf, entryBefore, historyEntries, occasionOf, type HistoryEntry } from "../view/branches/revisions.ts";
import { momentLabel } from "../view/words/undo-label.ts";

const pageSize = 50;
const now = "now";

/** What was committed of a canvas: list, compare any two, restore one as a new revision. */
export function HistoryDialog(props: {
  readonly canvasId: BlockId;
  readonly title: string;
  /** Messages of the open conversation, by which revisions are explained. */
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  readonly onNode: (nodeId: NodeId) => void;
  readonly onClose: () => void;
}) {
  const { client, announce } = useApp();
  const { canvasId } = props;
  const [hashes, setHashes] = useState<CanvasHashes | null>(null);
  const [page, setPage] = useState<{ readonly revisions: readonly CanvasRevision[]; readonly more: boolean }>({
    revisions: [],
    more: false,
  });
  const [chosenId, setChosenId] = useState<string>();
  const [baseId, setBaseId] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const names = { list: useId(), base: useId() };

  const load = useCallback(async (): Promise<void> => {
    const [told, listed] = await Promise.all([
      client.call("canvas.hashes", { canvasId }),
      client.call("canvas.revisions", { canvasId, limit: pageSize }),
    ]);
    if (!told.ok) return setProblem(told.error.message);
    if (!listed.ok) return setProblem(listed.error.message);
    setHashes(told.value);
    setPage(listed.value);
  }, [client, canvasId]);
  useEffect(() => void load(), [load]);

  const showOlder = (): void => {
    const beforeVersion = page.revisions.at(-1)?.version;
    if (beforeVersion === undefined) return;
    void client.call("canvas.revisions", { canvasId, beforeVersion, limit: pageSize }).then((result) => {
      if (!result.ok) return setProblem(result.error.message);
      setPage({ revisions: [...page.revisions, ...result.value.revisions], more: result.value.more });
    });
  };

  const entries = hashes === null ? [] : historyEntries(hashes, page.revisions);
  const chosen = entries.find((entry) => keyOf(entry) === chosenId) ?? entries[0] ?? null;
  const base =
    chosen === null
      ? null
      : (entries.find((entry) => baseId !== null && keyOf(entry) === baseId && entry !== chosen) ??
        entryBefore(entries, chosen));

  const restore = (entry: HistoryEntry): void => {
    const { revisionId } = entry;
    if (revisionId === null) return;
    setProblem(null);
    void client.call("canvas.restore", { canvasId, revisionId }).then((result) => {
      if (!result.ok) return setProblem(result.error.message);
      announce(`The canvas is at ${entry.name} again, as r${result.value.version}. “Undo mine” takes it back.`);
      setChosenId(undefined);
      setBaseId(null);
      void load();
    });
  };

  return (
    <Dialog title={`History of ${props.title}`} className="history" onClose={props.onClose}>
      {problem !== null && (
        <p className="history-problem" role="alert">
          <Icon name="alert" size={14} /> {problem}
        </p>
      )}
      {hashes === null && problem === null && <p aria-busy="true">Fetching the history…</p>}
      {chosen !== null && (
        <div className="history-body">
          <div className="history-list">
            <fieldset>
              <legend className="visually-hidden">Revisions, newest first</legend>
              {entries.map((entry) => (
                <label key={keyOf(entry)} className="history-entry">
                  <input
                    type="radio"
                    name={names.list}
                    value={keyOf(entry)}
                    checked={entry === chosen}
                    onChange={() => setChosenId(keyOf(entry))}
                  />
                  {entry.actor !== null && <AuthorMark actor={entry.actor} size={20} />}
                  <span className="history-words">
                    <span>
                      <strong>{entry.name}</strong> {authorsOf(entry)}
                      {entry.current && entry.revisionId !== null && <span className="quiet"> · as it is now</span>}
                    </span>
                    <span className="quiet">
                      {momentLabel(entry.at, Date.now())} {occasionOf(entry, props.nodesById)}
                    </span>
                  </span>
                </label>
              ))}
            </fieldset>
            {page.more && (
              <button type="button" className="quiet-button" onClick={showOlder}>
                Show older
              </button>
            )}
            {page.revisions.length === 0 && (
              <p className="quiet">A revision is kept with each message that finds the canvas changed.</p>
            )}
          </div>
          <section className="history-change" aria-label={`What changed in ${chosen.name}`}>
            <div className="history-bar">
              <label htmlFor={names.base}>{chosen.name} compared with</label>
              <select
                id={names.base}
                value={base === null ? "" : keyOf(base)}
                onChange={(event) => setBaseId(event.target.value)}
              >
                {base === null && <option value="">nothing: it is the first</option>}
                {entries
                  .filter((entry) => entry !== chosen)
                  .map((entry) => (
                    <option key={keyOf(entry)} value={keyOf(entry)}>
                      {entry.name} · {authorsOf(entry)} · {momentLabel(entry.at, Date.now())}
                    </option>
                  ))}
              </select>
              <span className="spacer" />
              {chosen.nodeId !== null && props.nodesById.has(chosen.nodeId) && (
                <button
                  type="button"
                  className="quiet-button"
                  onClick={() => {
                    if (chosen.nodeId !== null) props.onNode(chosen.nodeId);
                    props.onClose();
                  }}
                >
                  Show the message
                </button>
              )}
              <button
                type="button"
                className="button"
                disabled={chosen.revisionId === null || chosen.current}
                title="The text of this revision, as a new one. Nothing is lost."
                onClick={() => restore(chosen)}
              >
                Restore {chosen.revisionId === null ? "" : chosen.name}
              </button>
            </div>
            {base !== null && <Change canvasId={canvasId} from={base} to={chosen} />}
          </section>
        </div>
      )}
    </Dialog>
  );
}

/** How one text became another. */
function Change(props: { readonly canvasId: BlockId; readonly from: HistoryEntry; readonly to: HistoryEntry }) {
  const { client } = useApp();
  const { canvasId } = props;
  const [from, to] = [props.from.revisionId, props.to.revisionId];
  const [change, setChange] = useState<CommandAnswer<"canvas.compare"> | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let stale = false;
    setChange(null);
    setProblem(null);
    void client.call("canvas.compare", { canvasId, from, to }).then((result) => {
      if (stale) return;
      if (result.ok) setChange(result.value);
      else setProblem(result.error.message);
    });
    return () => {
      stale = true;
    };
  }, [client, canvasId, from, to]);
  if (problem !== null) return <p role="alert">{problem}</p>;
  if (change === null) return <p aria-busy="true">Comparing…</p>;
  if (change.diff === "") return <p className="quiet">No line differs.</p>;
  const { added, removed } = countOf(change.diff);
  return (
    <>
      <p className="quiet" aria-live="polite">
        {added} {added === 1 ? "line" : "lines"} added, {removed} removed
        {change.truncated && "; only the first of them are shown"}
      </p>
      <DiffView diff={change.diff} />
    </>
  );
}

function keyOf({ revisionId }: HistoryEntry): string {
  return revisionId ?? now;
}
