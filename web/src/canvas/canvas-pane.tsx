import { useCallback, useEffect, useImperativeHandle, useRef, useState, type Ref } from "react";
import type { Observable, TextReplica, WorkspaceView } from "../../../src/client/types.ts";
import type { Refusal } from "../../../src/core/base/errors.ts";
import type { BlockId, NodeId } from "../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import { useApp } from "../app/app-context.ts";
import { AuthorMark } from "../app/author.tsx";
import { Icon } from "../app/icons.tsx";
import { Menu } from "../app/menu.tsx";
import { changeSetting, type Settings, useSettings } from "../app/settings.ts";
import { useObservable } from "../app/use-observable.ts";
import { shortName } from "../view/words.ts";
import type { WritesElsewhere } from "./agent-place.ts";
import { FileConflict, FileMark } from "../files/file-state.tsx";
import { isMarkdown, nameAndFolder } from "../files/file-words.ts";
import type { OpenFile } from "../files/use-files.ts";
import type { CanvasEditor } from "./editor.ts";
import { HistoryDialog } from "./history-dialog.tsx";
import { LeaseChip } from "./lease-chip.tsx";
import { UndoButtons } from "./undo-buttons.tsx";
import { useReplica } from "./use-replica.ts";

/** What the keyboard and the palette can ask of the canvas. */
export interface CanvasHandle {
  focus(): void;
  togglePolicy(): void;
  takeControl(): void;
  undoTurn(): void;
  history(): void;
}

/** The live document. */
export function CanvasPane(props: {
  readonly ref: Ref<CanvasHandle>;
  readonly workspace: WorkspaceView;
  readonly canvasId: BlockId | null;
  /** Shown in place of the canvas; null for none. */
  readonly file: OpenFile | null;
  /** The file is written now, or is not, or is in conflict. */
  readonly onFileState: () => void;
  /** The message being written is to name a file. */
  readonly onMention: (path: string) => void;
  /** Messages of the open conversation, by which revisions are explained; and where to show one. */
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  readonly onNode: (nodeId: NodeId) => void;
  readonly onCanvas: (canvasId: BlockId) => void;
  readonly onNewCanvas: () => void;
}) {
  const { client } = useApp();
  const { file } = props;
  const shownId = file?.blockId ?? props.canvasId;
  const replica = useReplica(client, shownId);
  const summary =
    file === null
      ? (props.workspace.canvases.find((canvas) => canvas.id === props.canvasId) ?? null)
      : { id: file.blockId, title: file.path };
  const picker = (
    <Menu
      label={`${file === null ? "Canvas" : "File"}: ${summary?.title ?? "none"}. Choose a canvas`}
      title="Choose a canvas"
      className="quiet-button canvas-picker"
      face={
        <>
          <span className="pane-title">
            {file === null ? (summary?.title ?? "Canvas") : nameAndFolder(file.path).name}
          </span>
          <Icon name="chevron-down" size={14} />
        </>
      }
      items={[
        ...props.workspace.canvases.map((canvas) => ({
          label: canvas.title,
          checked: canvas.id === shownId,
          run: () => props.onCanvas(canvas.id),
        })),
        { label: "New canvas…", run: props.onNewCanvas },
      ]}
    />
  );
  if (shownId === null || summary === null) {
    return (
      <>
        <header className="pane-head">{picker}</header>
        <div className="empty">
          <h2>No canvas beside this conversation</h2>
          <p>
            {props.workspace.canvases.length > 0 && "Choose one above, or make a new one. "}A canvas is a document that
            you and agents write at the same time. Every character remembers who wrote it.
          </p>
          <button type="button" className="button primary" onClick={props.onNewCanvas}>
            <Icon name="plus" /> New canvas
          </button>
        </div>
      </>
    );
  }
  if (replica === null) {
    return (
      <>
        <header className="pane-head">{picker}</header>
        <div className="empty" aria-busy="true">
          <p>Fetching {summary.title}…</p>
        </div>
      </>
    );
  }
  return (
    <OpenCanvas
      key={replica.blockId}
      handle={props.ref}
      replica={replica}
      title={summary.title}
      file={file}
      onFileState={props.onFileState}
      onMention={props.onMention}
      nodesById={props.nodesById}
      onNode={props.onNode}
      picker={picker}
    />
  );
}

function OpenCanvas(props: {
  readonly handle: Ref<CanvasHandle>;
  readonly replica: TextReplica;
  readonly title: string;
  readonly file: OpenFile | null;
  readonly onFileState: () => void;
  readonly onMention: (path: string) => void;
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  readonly onNode: (nodeId: NodeId) => void;
  readonly picker: React.ReactNode;
}) {
  const { client, hues, tell, announce } = useApp();
  const { replica, title, file } = props;
  const { authors } = useSettings();
  const header = useObservable(replica.header);
  const lease = useObservable(replica.lease);
  const unconfirmed = useObservable(replica.unconfirmed);
  const refused = useObservable(replica.refused);
  const [blocked, setBlocked] = useState(0);
  const [looksBack, setLooksBack] = useState(false);
  const [elsewhere, setElsewhere] = useState<WritesElsewhere | null>(null);
  const policy = header?.policy ?? "live";
  const held = lease.held;
  const locked = policy === "lease" && held !== null;

  const takeControl = useCallback(() => {
    void client.call("canvas.take-control", { canvasId: replica.blockId }).then((result) => {
      if (!result.ok) return tell(result.error);
      setBlocked(0);
      announce("The canvas is yours.");
    });
  }, [client, replica, tell, announce]);
  const undoMine = useCallback(() => {
    void client.call("block.undo-mine", { blockId: replica.blockId }).then((result) => {
      if (!result.ok) tell(result.error);
    });
  }, [client, replica, tell]);
  const redoMine = useCallback(() => {
    void client.call("block.redo-mine", { blockId: replica.blockId }).then((result) => {
      if (!result.ok) tell(result.error);
    });
  }, [client, replica, tell]);
  const setPolicy = useCallback(
    (next: "live" | "lease") => {
      void client.call("canvas.set-policy", { canvasId: replica.blockId, policy: next }).then((result) => {
        if (!result.ok) tell(result.error);
      });
    },
    [client, replica, tell],
  );

  const host = useRef<HTMLDivElement>(null);
  const editor = useEditor(
    host,
    replica,
    { title, authors, markdown: file === null || isMarkdown(file.path) },
    {
      undo: undoMine,
      redo: redoMine,
      escape: () => {
        if (held === null) return false;
        takeControl();
        return true;
      },
      blocked: () => setBlocked(Date.now()),
      elsewhere: setElsewhere,
    },
  );
  useEffect(() => editor?.setWritable(!locked), [editor, locked]);
  useEffect(() => editor?.setAuthors(authors), [editor, authors]);
  useEffect(() => {
    if (!locked) setBlocked(0);
  }, [locked]);
  const holder = held?.holderName ?? null;
  useEffect(() => {
    if (holder === null) return;
    announce(locked ? `${holder} edits the canvas; you cannot type until it ends.` : `${holder} edits the canvas.`);
  }, [holder, locked, announce]);

  useImperativeHandle(
    props.handle,
    () => ({
      focus: () => editor?.focus(),
      togglePolicy: () => {
        if (file === null) setPolicy(policy === "live" ? "lease" : "live");
        else announce("Everybody may type in a file; edits merge.");
      },
      takeControl,
      history: () => {
        if (file === null) setLooksBack(true);
        else announce("Only canvases keep revisions.");
      },
      undoTurn: () => document.querySelector<HTMLButtonElement>(".split-button > button:first-child")?.click(),
    }),
    [editor, policy, setPolicy, takeControl, file, announce],
  );

  return (
    <>
      <header className="pane-head">
        {props.picker}
        <span
          className="revision"
          title={`Revision ${header?.version ?? 0}${unconfirmed > 0 ? `, ${unconfirmed} edits on their way` : ""}`}
        >
          r{header?.version ?? 0}
          {unconfirmed > 0 && <span className="unconfirmed" aria-hidden="true" />}
        </span>
        {file !== null && header !== null && <FileMark header={header} onChange={props.onFileState} />}
        <span className="spacer" />
        {file !== null && (
          <button
            type="button"
            className="quiet-button"
            title="Names this file in your message: the agent works on it then, and not on the conversation’s canvas"
            onClick={() => props.onMention(file.path)}
          >
            <Icon name="chat" size={15} /> Mention
          </button>
        )}
        {file === null && (
          <Segmented
            label="Who may type while an agent works"
            value={policy}
            options={[
              { value: "live", label: "Live", title: "Everybody may type; edits merge" },
              { value: "lease", label: "Lease", title: "While an agent works, the text is its own" },
            ]}
            onChange={setPolicy}
          />
        )}
        <Menu
          label={`Author marks: ${authors}`}
          title="Who wrote what"
          className="icon-button"
          align="end"
          face={<Icon name="people" />}
          items={authorChoices.map(({ value, label }) => ({
            label,
            checked: value === authors,
            run: () => changeSetting("authors", value),
          }))}
        />
      </header>
      <div className="canvas-body">
        {file !== null && header !== null && <FileConflict path={file.path} header={header} />}
        <div className="canvas-notes">
          <LeaseChip lease={lease} exclusive={locked} onTake={takeControl} />
          {locked && blocked > 0 && (
            <p className="blocked" key={blocked} role="alert">
              <Icon name="lock" size={14} /> {shortName(held.holderName)} is editing under an exclusive lease, so this
              key did nothing. Take control to type (Esc).
            </p>
          )}
          {refused !== null && <RefusedEdit refusal={refused} onDismiss={() => replica.dismissRefusal()} />}
        </div>
        <div className="editor-host" data-locked={locked} ref={host}>
          {editor === null && <p className="editor-waits">{replica.text()}</p>}
        </div>
        {elsewhere !== null && (
          <button
            type="button"
            className="writes-elsewhere"
            data-side={elsewhere.side}
            data-hue={hues.hueOf(elsewhere.actor.id)}
            onClick={() => editor?.showAgent()}
          >
            {shortName(elsewhere.actor.name)} edited {elsewhere.side} <Icon name="down" size={14} />
          </button>
        )}
      </div>
      <footer className="canvas-foot">
        <UndoButtons canvasId={replica.blockId} version={header?.version ?? 0} onUndo={undoMine} onRedo={redoMine} />
        <span className="spacer" />
        {file === null && (
          <button
            type="button"
            className="icon-button"
            aria-label="History"
            title="What was kept with each message: compare, restore"
            aria-haspopup="dialog"
            onClick={() => setLooksBack(true)}
          >
            <Icon name="history" size={15} />
          </button>
        )}
        <Here presence={replica.presence} />
      </footer>
      {looksBack && (
        <HistoryDialog
          canvasId={replica.blockId}
          title={title}
          nodesById={props.nodesById}
          onNode={props.onNode}
          onClose={() => setLooksBack(false)}
        />
      )}
    </>
  );
}

const authorChoices: readonly { readonly value: Settings["authors"]; readonly label: string }[] = [
  { value: "hidden", label: "Hide authors" },
  { value: "subtle", label: "Mark agents and others" },
  { value: "full", label: "Mark every author" },
];

interface EditorActions {
  readonly undo: () => void;
  readonly redo: () => void;
  readonly escape: () => boolean;
  readonly blocked: () => void;
  readonly elsewhere: (elsewhere: WritesElsewhere | null) => void;
}

/** The editor, once its code has come. A new title, setting or action does not make a new one. */
function useEditor(
  host: React.RefObject<HTMLDivElement | null>,
  replica: TextReplica,
  look: { readonly title: string; readonly authors: Settings["authors"]; readonly markdown: boolean },
  actions: EditorActions,
): CanvasEditor | null {
  const { client, hues, tell } = useApp();
  const [editor, setEditor] = useState<CanvasEditor | null>(null);
  const latest = useRef({ look, actions });
  latest.current = { look, actions };
  useEffect(() => {
    let ended = false;
    let made: CanvasEditor | null = null;
    const missing = (): void => tell("The editor could not be fetched. Reload the page when the server answers again.");
    import("./editor.ts").then(({ CanvasEditor }) => {
      if (ended || host.current === null) return;
      const { title, authors, markdown } = latest.current.look;
      const ports = {
        replica,
        hues,
        title,
        markdown,
        selfId: () => client.actor.get()?.id ?? null,
        undo: () => latest.current.actions.undo(),
        redo: () => latest.current.actions.redo(),
        escape: () => latest.current.actions.escape(),
        blocked: () => latest.current.actions.blocked(),
        elsewhere: (elsewhere: WritesElsewhere | null) => latest.current.actions.elsewhere(elsewhere),
      };
      made = new CanvasEditor(host.current, ports, authors);
      setEditor(made);
    }, missing);
    return () => {
      ended = true;
      made?.destroy();
      setEditor(null);
    };
  }, [replica, hues, client, host, tell]);
  return editor;
}

function RefusedEdit(props: { readonly refusal: Refusal; readonly onDismiss: () => void }) {
  return (
    <div className="refused-edit" role="alert">
      <Icon name="alert" size={15} />
      <p>
        <code>{props.refusal.code}</code> {props.refusal.message} Your edit was taken back from the text.
      </p>
      <button type="button" className="icon-button" aria-label="Dismiss" onClick={props.onDismiss}>
        <Icon name="close" size={14} />
      </button>
    </div>
  );
}

function Here({
  presence,
}: {
  readonly presence: Observable<TextReplica["presence"] extends Observable<infer Value> ? Value : never>;
}) {
  const others = useObservable(presence);
  if (others.length === 0) return null;
  return (
    <ul className="here" aria-label="Also in this canvas">
      {others.map((other) => (
        <li key={other.clientId} title={other.actor.name}>
          <AuthorMark actor={other.actor} size={20} />
          <span className="visually-hidden">{other.actor.name}</span>
        </li>
      ))}
    </ul>
  );
}

function Segmented<Value extends string>(props: {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string; readonly title: string }[];
  readonly onChange: (value: Value) => void;
}) {
  return (
    <div className="segmented" role="radiogroup" aria-label={props.label}>
      {props.options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === props.value}
          tabIndex={option.value === props.value ? 0 : -1}
          title={option.title}
          onClick={() => props.onChange(option.value)}
          onKeyDown={(event) => {
            const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
            if (step === undefined) return;
            event.preventDefault();
            const at = props.options.findIndex((candidate) => candidate.value === props.value);
            const next = props.options[(at + step + props.options.length) % props.options.length];
            if (next !== undefined) props.onChange(next.value);
          }}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
