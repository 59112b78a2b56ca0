import { useCallback, useEffect, useId, useState } from "react";
import type { BlockId, NodeId } from "../../../../src/core/base/ids.ts";
import type { CanvasHashes, NamedRevision } from "../../../../src/core/block/canvas-revision.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { titleUnitsMax } from "../../../../src/core/protocol/base/limits.ts";
import type { CommandAnswer } from "../../../../src/core/protocol/commands.ts";
import { useApp } from "../../ui/app-context.ts";
import { AuthorMark } from "../../ui/author.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icons.tsx";
import { TextView, viewChoices, type ViewChoice } from "../../draft/text-view.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { HistoryScrubber } from "../../draft/history-scrubber.tsx";
import { DiffView } from "../../diff/diff-view.tsx";
import { countOf } from "../../view/branches/hidden.ts";
import {
  authorsOf,
  entryBefore,
  historyEntries,
  occasionOf,
  titleOfEntry,
  type HistoryEntry,
} from "../../view/branches/revisions.ts";
import { type Moment, momentsOf, placeOfEntry } from "../../draft/time-axis.ts";
import { momentLabel } from "../../view/words/undo-label.ts";
import { VersionName } from "./version-name.tsx";

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

/** The committed revisions of a canvas: list, name, compare any two, restore one as a new revision, copy one. */
export function HistoryDialog(props: HistoryProps) {
  const { canvasId } = props;
  const [named, setNamed] = useState(false);
  const { hashes, page, problem, setProblem, load, showOlder } = useRevisions(canvasId, named);
  const [chosenId, setChosenId] = useState<string>();
  const [baseId, setBaseId] = useState<string | null>(null);
  const restore = useRestore(canvasId, setProblem, () => {
    setChosenId(undefined);
    setBaseId(null);
    void load();
  });
  const all = hashes === null ? [] : historyEntries(hashes, page.revisions);
  const entries = named ? all.filter(({ label }) => label !== null) : all;
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
      {named && hashes !== null && chosen === null && <NoneNamed onAll={() => setNamed(false)} />}
      {chosen !== null && (
        <div className="history-body">
          <HistoryList
            named={named}
            onNamed={setNamed}
            entries={entries}
            chosen={chosen}
            nodesById={props.nodesById}
            onChoose={setChosenId}
            onOlder={page.more ? showOlder : null}
          />
          <section className="history-change" aria-label={`Comparison of ${titleOfEntry(chosen)}`}>
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
              onNamed={(revisionId) => {
                setChosenId(revisionId);
                void load();
              }}
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
function useRevisions(canvasId: BlockId, named: boolean) {
  const { client } = useApp();
  const [hashes, setHashes] = useState<CanvasHashes | null>(null);
  const [page, setPage] = useState<{ readonly revisions: readonly NamedRevision[]; readonly more: boolean }>({
    revisions: [],
    more: false,
  });
  const [problem, setProblem] = useState<string | null>(null);
  const load = useCallback(async (): Promise<void> => {
    const [hashed, listed] = await Promise.all([
      client.call("canvas.hashes", { canvasId }),
      client.call("canvas.revisions", { canvasId, named, limit: pageSize }),
    ]);
    if (!hashed.ok) return setProblem(hashed.error.message);
    if (!listed.ok) return setProblem(listed.error.message);
    setHashes(hashed.value);
    setPage(listed.value);
  }, [client, canvasId, named]);
  useEffect(() => void load(), [load]);
  const showOlder = (): void => {
    const beforeVersion = page.revisions.at(-1)?.version;
    if (beforeVersion === undefined) return;
    void client.call("canvas.revisions", { canvasId, named, beforeVersion, limit: pageSize }).then((result) => {
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

function NoneNamed({ onAll }: { readonly onAll: () => void }) {
  return (
    <p className="quiet">
      No version has a name.{" "}
      <button type="button" className="quiet-button" onClick={onAll}>
        Show all versions
      </button>
    </p>
  );
}

interface EntriesProps {
  readonly entries: readonly HistoryEntry[];
  readonly chosen: HistoryEntry;
  readonly nodesById: HistoryProps["nodesById"];
  readonly onChoose: (key: string) => void;
}

/** The revisions, all or those with a name, and the way to older ones. */
function HistoryList(
  props: EntriesProps & {
    readonly named: boolean;
    readonly onNamed: (named: boolean) => void;
    readonly onOlder: (() => void) | null;
  },
) {
  return (
    <div className="history-list">
      <label className="history-named">
        <input type="checkbox" checked={props.named} onChange={(event) => props.onNamed(event.target.checked)} /> Named
        versions only
      </label>
      <Entries {...props} />
      {props.onOlder !== null && (
        <button type="button" className="quiet-button" onClick={props.onOlder}>
          Show older
        </button>
      )}
      {props.entries.every(({ revisionId }) => revisionId === null) && (
        <p className="quiet">
          Heddle keeps a version with each message, if the canvas has changed by then, and each one that you name.
        </p>
      )}
    </div>
  );
}

/** The list of revisions. */
function Entries(props: EntriesProps) {
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
              <strong>{entry.label ?? entry.name}</strong> {entry.label !== null && `${entry.name} `}
              {authorsOf(entry)}
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
    readonly onNamed: (revisionId: string) => void;
  },
) {
  const { chosen, moment } = props;
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
      <BaseChoice {...props} />
      <span className="spacer" />
      <VersionName key={keyOf(chosen)} canvasId={props.canvasId} entry={chosen} onNamed={props.onNamed} />
      <CopyButton {...props} />
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

/** The version that the chosen one is compared with. */
function BaseChoice(props: {
  readonly entries: readonly HistoryEntry[];
  readonly chosen: HistoryEntry;
  readonly base: HistoryEntry | null;
  readonly onBase: (key: string) => void;
}) {
  const { entries, chosen, base } = props;
  const selectId = useId();
  return (
    <span className="compared">
      <label htmlFor={selectId}>{titleOfEntry(chosen)} compared with</label>
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
              {titleOfEntry(entry)} · {authorsOf(entry)} · {momentLabel(entry.at, Date.now())}
            </option>
          ))}
      </select>
    </span>
  );
}

/** Copies the text of a version into a document of its own. */
function CopyButton(props: { readonly canvasId: BlockId; readonly title: string; readonly chosen: HistoryEntry }) {
  const { client, tell, announce } = useApp();
  const { canvasId, chosen } = props;
  const copy = (): void => {
    const title = `${props.title}: ${chosen.label ?? chosen.name}`.slice(0, titleUnitsMax);
    const then = chosen.revisionId === null ? {} : { revisionId: chosen.revisionId };
    void client.call("canvas.duplicate", { canvasId, title, ...then }).then((result) => {
      if (!result.ok) return tell(result.error);
      announce(`The text is copied as “${title}”. It is in the list of documents.`);
    });
  };
  return (
    <button
      type="button"
      className="quiet-button"
      title="Makes a new document with this text. This one stays as it is."
      onClick={copy}
    >
      Copy as a new canvas
    </button>
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
