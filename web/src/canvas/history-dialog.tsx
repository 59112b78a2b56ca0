import { useCallback, useEffect, useId, useState } from "react";
import type { BlockId, NodeId } from "../../../src/core/base/ids.ts";
import type { CanvasHashes, CanvasRevision } from "../../../src/core/block/canvas-revision.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import type { CommandAnswer } from "../../../src/core/protocol/commands.ts";
import { useApp } from "../ui/app-context.ts";
import { AuthorMark } from "../ui/author.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { TextView, viewChoices, type ViewChoice } from "../draft/text-view.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { HistoryScrubber } from "../draft/history-scrubber.tsx";
import { DiffView } from "../diff/diff-view.tsx";
import { countOf } from "../view/branches/hidden.ts";
import { authorsOf, entryBefore, historyEntries, occasionOf, type HistoryEntry } from "../view/branches/revisions.ts";
import { type Moment, momentsOf, placeOfEntry } from "../draft/time-axis.ts";
import { momentLabel } from "../view/words/undo-label.ts";

const pageSize = 50;
const now = "now";

interface HistoryProps {
  readonly canvasId: BlockId;
  readonly title: string;
  /** Messages of the open conversation, which explain revisions. */
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  readonly onNode: (nodeId: NodeId) => void;
  readonly onClose: () => void;
}

/** The committed revisions of a canvas: list, compare any two, restore one as a new revision. */
export function HistoryDialog(props: HistoryProps) {
  const { canvasId } = props;
  const { hashes, page, problem, setProblem, load, showOlder } = useRevisions(canvasId);
  const [chosenId, setChosenId] = useState<string>();
  const [baseId, setBaseId] = useState<string | null>(null);
  const restore = useRestore(canvasId, setProblem, () => {
    setChosenId(undefined);
    setBaseId(null);
    void load();
  });
  const entries = hashes === null ? [] : historyEntries(hashes, page.revisions);
  const chosen = entries.find((entry) => keyOf(entry) === chosenId) ?? entries[0] ?? null;
  const moments = momentsOf(entries, props.nodesById);
  /** The moment of the slider; another version chosen in the list moves it. */
  const [placed, setPlaced] = useState<number | null>(null);
  const own = chosen === null ? 0 : placeOfEntry(moments, chosen);
  const place = placed !== null && moments[placed]?.entry === chosen ? placed : own;
  const [view, setView] = useState<ViewChoice>("changes");
  const wished = entries.find((entry) => baseId !== null && keyOf(entry) === baseId && entry !== chosen);
  const base = chosen === null ? null : (wished ?? entryBefore(entries, chosen));
  return (
    <Dialog title={`History of ${props.title}`} className="history" onClose={props.onClose}>
      {problem !== null && (
        <p className="history-problem" role="alert">
          <Icon name="alert" size={14} /> {problem}
        </p>
      )}
      {hashes === null && problem === null && <p aria-busy="true">Loading the history…</p>}
      {chosen !== null && (
        <div className="history-body">
          <div className="history-list">
            <Entries entries={entries} chosen={chosen} nodesById={props.nodesById} onChoose={setChosenId} />
            {page.more && (
              <button type="button" className="quiet-button" onClick={showOlder}>
                Show older
              </button>
            )}
            {page.revisions.length === 0 && (
              <p className="quiet">Heddle keeps a version with each message, if the canvas has changed by then.</p>
            )}
          </div>
          <section className="history-change" aria-label={`Comparison of ${chosen.name}`}>
            <HistoryScrubber
              moments={moments}
              place={place}
              onPlace={(next) => {
                const entry = moments[next]?.entry;
                if (entry === undefined) return;
                setPlaced(next);
                setChosenId(keyOf(entry));
              }}
            />
            <HistoryBar
              {...props}
              entries={entries}
              chosen={chosen}
              base={base}
              moment={moments[place] ?? null}
              view={view}
              onView={setView}
              onBase={setBaseId}
              onRestore={restore}
            />
            {view === "text" && <TextThen canvasId={canvasId} entry={chosen} />}
            {view === "changes" && base !== null && <Change canvasId={canvasId} from={base} to={chosen} />}
          </section>
        </div>
      )}
    </Dialog>
  );
}

/** The revisions of a canvas, a page at a time, newest first. */
function useRevisions(canvasId: BlockId) {
  const { client } = useApp();
  const [hashes, setHashes] = useState<CanvasHashes | null>(null);
  const [page, setPage] = useState<{ readonly revisions: readonly CanvasRevision[]; readonly more: boolean }>({
    revisions: [],
    more: false,
  });
  const [problem, setProblem] = useState<string | null>(null);
  const load = useCallback(async (): Promise<void> => {
    const [hashed, listed] = await Promise.all([
      client.call("canvas.hashes", { canvasId }),
      client.call("canvas.revisions", { canvasId, limit: pageSize }),
    ]);
    if (!hashed.ok) return setProblem(hashed.error.message);
    if (!listed.ok) return setProblem(listed.error.message);
    setHashes(hashed.value);
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
  return { hashes, page, problem, setProblem, load, showOlder };
}

function useRestore(
  canvasId: BlockId,
  onProblem: (problem: string | null) => void,
  onRestored: () => void,
): (entry: HistoryEntry) => void {
  const { client, announce } = useApp();
  return ({ revisionId, name }) => {
    if (revisionId === null) return;
    onProblem(null);
    void client.call("canvas.restore", { canvasId, revisionId }).then((result) => {
      if (!result.ok) return onProblem(result.error.message);
      announce(`${name} is restored as r${result.value.version}. “Undo mine” reverts this.`);
      onRestored();
    });
  };
}

/** The list of revisions. */
function Entries(props: {
  readonly entries: readonly HistoryEntry[];
  readonly chosen: HistoryEntry;
  readonly nodesById: HistoryProps["nodesById"];
  readonly onChoose: (key: string) => void;
}) {
  const group = useId();
  return (
    <fieldset>
      <legend className="visually-hidden">Versions, newest first</legend>
      {props.entries.map((entry) => (
        <label key={keyOf(entry)} className="history-entry">
          <input
            type="radio"
            name={group}
            value={keyOf(entry)}
            checked={entry === props.chosen}
            onChange={() => props.onChoose(keyOf(entry))}
          />
          {entry.actor !== null && <AuthorMark actor={entry.actor} size={20} />}
          <span className="history-words">
            <span>
              <strong>{entry.name}</strong> {authorsOf(entry)}
              {entry.current && entry.revisionId !== null && <span className="quiet"> · current</span>}
            </span>
            <span className="quiet">
              {momentLabel(entry.at, Date.now())} {occasionOf(entry, props.nodesById)}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** The revision to compare with, and the actions on the chosen revision. */
function HistoryBar(
  props: HistoryProps & {
    readonly entries: readonly HistoryEntry[];
    readonly chosen: HistoryEntry;
    readonly base: HistoryEntry | null;
    readonly moment: Moment | null;
    readonly view: ViewChoice;
    readonly onView: (view: ViewChoice) => void;
    readonly onBase: (key: string) => void;
    readonly onRestore: (entry: HistoryEntry) => void;
  },
) {
  const { entries, chosen, base, moment } = props;
  const selectId = useId();
  const { client, tell, announce } = useApp();
  const nodeId = moment?.node?.id ?? chosen.nodeId;
  const { revisionId } = chosen;
  const fork = (to: NodeId): void => {
    if (revisionId === null) return;
    void client.call("canvas.bring", { canvasId: props.canvasId, revisionId }).then((result) => {
      if (!result.ok) return tell(result.error);
      props.onNode(to);
      props.onClose();
      announce("The text of then waits as suggestions. Your next message begins a branch here.");
    });
  };
  return (
    <div className="history-bar">
      <Segmented label="View" value={props.view} options={viewChoices} onChange={props.onView} />
      <label htmlFor={selectId}>{chosen.name} compared with</label>
      <select
        id={selectId}
        value={base === null ? "" : keyOf(base)}
        onChange={(event) => props.onBase(event.target.value)}
      >
        {base === null && <option value="">nothing (this is the first version)</option>}
        {entries
          .filter((entry) => entry !== chosen)
          .map((entry) => (
            <option key={keyOf(entry)} value={keyOf(entry)}>
              {entry.name} · {authorsOf(entry)} · {momentLabel(entry.at, Date.now())}
            </option>
          ))}
      </select>
      <span className="spacer" />
      {nodeId !== null && props.nodesById.has(nodeId) && (
        <button
          type="button"
          className="quiet-button"
          onClick={() => {
            props.onNode(nodeId);
            props.onClose();
          }}
        >
          Show the message
        </button>
      )}
      {nodeId !== null && props.nodesById.has(nodeId) && revisionId !== null && !chosen.current && (
        <button
          type="button"
          className="button"
          title="Goes to this message, below which your next one begins a branch, and brings this text back as suggestions"
          onClick={() => fork(nodeId)}
        >
          Continue from here
        </button>
      )}
      <button
        type="button"
        className="button"
        disabled={chosen.revisionId === null || chosen.current}
        title="Adds this text as a new version. Nothing is lost."
        onClick={() => props.onRestore(chosen)}
      >
        Restore {chosen.revisionId === null ? "" : chosen.name}
      </button>
    </div>
  );
}

/** The whole text of a version, for reading. */
function TextThen({ canvasId, entry }: { readonly canvasId: BlockId; readonly entry: HistoryEntry }) {
  const { client } = useApp();
  const { revisionId, name } = entry;
  const [text, setText] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let stale = false;
    setText(null);
    setProblem(null);
    void client.call("canvas.text", { canvasId, revisionId }).then((result) => {
      if (stale) return;
      if (result.ok) setText(result.value.text);
      else setProblem(result.error.message);
    });
    return () => {
      stale = true;
    };
  }, [client, canvasId, revisionId]);
  if (problem !== null) return <p role="alert">{problem}</p>;
  return text === null ? <p aria-busy="true">Fetching…</p> : <TextView text={text} label={`The text at ${name}`} />;
}

/** The difference between two revisions. */
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
  if (change.diff === "") return <p className="quiet">The texts are the same.</p>;
  const { added, removed } = countOf(change.diff);
  return (
    <>
      <p className="quiet" aria-live="polite">
        {added} {added === 1 ? "line" : "lines"} added, {removed} removed
        {change.truncated && "; only the first ones are shown"}
      </p>
      <DiffView diff={change.diff} />
    </>
  );
}

function keyOf({ revisionId }: HistoryEntry): string {
  return revisionId ?? now;
}
