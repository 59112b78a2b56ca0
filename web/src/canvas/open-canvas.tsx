import { type ReactNode, type Ref, useCallback, useEffect, useImperativeHandle, useRef, useState } from "react";
import type { Observable, TextReplica } from "../../../src/client/types.ts";
import type { NodeId } from "../../../src/core/base/ids.ts";
import type { EditPolicy } from "../../../src/core/block/types.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import { useApp } from "../ui/app-context.ts";
import { AuthorMark } from "../ui/author.tsx";
import { Icon } from "../ui/icons.tsx";
import { useSettings } from "../browser/settings.ts";
import { useMedia, useObservable } from "../ui/use-observable.ts";
import type { OriginPlace } from "../blame/origin-words.ts";
import { useBlame } from "../blame/use-blame.ts";
import { FileConflict } from "../files/file-state.tsx";
import { isMarkdown } from "../files/file-words.ts";
import type { OpenFile } from "../files/use-files.ts";
import type { ReviewHandle } from "../review/review-panel.tsx";
import type { ReviewAct } from "../review/suggestion-marks.ts";
import { useReview } from "../review/use-review.ts";
import { shortName } from "../view/words/words.ts";
import type { WritesElsewhere } from "../editor/agent-place.ts";
import { CanvasHead } from "./canvas-head.tsx";
import { CanvasNotes } from "./canvas-notes.tsx";
import type { CanvasHandle } from "./canvas-handle.ts";
import type { CanvasEditor } from "../editor/editor.ts";
import { BlameCard, HistoryDialog, OutlinePanel, ReviewPanel } from "./lazy-canvas-parts.tsx";
import { nextPolicy, policyWords } from "./policy-words.ts";
import { UndoButtons } from "./undo-buttons.tsx";
import { useEditor } from "../editor/use-editor.ts";

/** A canvas or a file whose text is here. */
export function OpenCanvas(props: {
  readonly handle: Ref<CanvasHandle>;
  readonly replica: TextReplica;
  readonly title: string;
  readonly file: OpenFile | null;
  readonly onFileState: () => void;
  readonly onMention: (path: string) => void;
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  readonly onNode: (nodeId: NodeId) => void;
  readonly onPlace: (place: OriginPlace) => void;
  readonly picker: ReactNode;
}) {
  const { client, hues, tell, announce } = useApp();
  const { replica, title, file } = props;
  const { authors, blame: blameSetting } = useSettings();
  const header = useObservable(replica.header);
  const lease = useObservable(replica.lease);
  const unconfirmed = useObservable(replica.unconfirmed);
  const refused = useObservable(replica.refused);
  const narrow = useMedia("(max-width: 719px)");
  const [blocked, setBlocked] = useState(0);
  const [looksBack, setLooksBack] = useState(false);
  const [outline, setOutline] = useState(false);
  const [elsewhere, setElsewhere] = useState<WritesElsewhere | null>(null);
  const policy = header?.policy ?? "live";
  const held = lease.held;
  const locked = policy === "lease" && held !== null;
  const markdown = file === null || isMarkdown(file.path);
  const review = useReview(replica);
  const reviewPanel = useRef<ReviewHandle>(null);
  const blame = useBlame(replica, props.nodesById, props.onPlace);

  const latestEditor = useRef<CanvasEditor | null>(null);
  const takeControl = useCallback(() => {
    void client.call("canvas.take-control", { canvasId: replica.blockId }).then((result) => {
      if (!result.ok) return tell(result.error);
      setBlocked(0);
      announce("The canvas is yours.");
      // The button that was pressed goes with the lease; what is typed next belongs to the text.
      if (leaseHasFocus()) latestEditor.current?.focus();
    });
  }, [client, replica, tell, announce]);
  const turnMine = useCallback(
    (command: "block.undo-mine" | "block.redo-mine") => {
      void client.call(command, { blockId: replica.blockId }).then((result) => {
        if (!result.ok) tell(result.error.code === "NOTHING_TO_UNDO" ? result.error.message : result.error);
      });
    },
    [client, replica, tell],
  );
  const undoMine = useCallback(() => turnMine("block.undo-mine"), [turnMine]);
  const redoMine = useCallback(() => turnMine("block.redo-mine"), [turnMine]);
  const setPolicy = useCallback(
    (next: EditPolicy) => {
      void client.call("canvas.set-policy", { canvasId: replica.blockId, policy: next }).then((result) => {
        if (!result.ok) return tell(result.error);
        announce(`${policyWords[next].label}: ${policyWords[next].title}.`);
      });
    },
    [client, replica, tell, announce],
  );

  const host = useRef<HTMLDivElement>(null);
  const { look, decide } = review;
  const editor = useEditor(
    host,
    replica,
    { title, authors, markdown },
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
      explain: blame.explain,
      pressed: blame.pressed,
      review: (act: ReviewAct) => {
        if (act.type === "look") return look(act.hunkId);
        if (act.type === "copy") {
          void navigator.clipboard.writeText(act.text).then(
            () => announce("What was suggested is copied."),
            () => tell("The browser did not let it be copied."),
          );
          return;
        }
        decide(act.type === "keep" ? "kept" : "rejected", [act.hunkId]);
        editor?.focus();
      },
    },
  );
  latestEditor.current = editor;
  useEffect(() => editor?.setWritable(!locked), [editor, locked]);
  useEffect(() => editor?.setAuthors(authors), [editor, authors]);
  useEffect(() => editor?.setBlame(blameSetting === "on"), [editor, blameSetting]);
  const { items, currentId } = review;
  useEffect(() => editor?.setReview({ items, currentId }), [editor, items, currentId]);
  // The reader is led to the suggestion that they look at, not to wherever its place moves afterwards.
  const latestItems = useRef(items);
  latestItems.current = items;
  const revealCurrent = useCallback(() => {
    const current = latestItems.current.find(({ hunk }) => hunk.id === currentId);
    if (current === undefined) return;
    const { startLine, endLine } = current.standing;
    // An insertion is shown behind the line before it, of which its buttons are nearer than those of the line behind.
    editor?.revealLine(startLine === endLine ? startLine : startLine + 1);
  }, [editor, currentId]);
  useEffect(() => {
    if (reviewing()) revealCurrent();
  }, [revealCurrent]);
  useEffect(() => {
    if (!locked) setBlocked(0);
  }, [locked]);
  const holder = held?.holderName ?? null;
  useEffect(() => {
    if (holder === null) return;
    announce(locked ? `${holder} edits the canvas; you cannot type until it ends.` : `${holder} edits the canvas.`);
  }, [holder, locked, announce]);
  const suggested = items.length;
  const toldOf = useRef(0);
  useEffect(() => {
    const more = suggested > toldOf.current;
    toldOf.current = suggested;
    if (more) announce(`${suggested} ${suggested === 1 ? "suggestion waits" : "suggestions wait"} for you.`);
  }, [suggested, announce]);

  useImperativeHandle(
    props.handle,
    () => ({
      focus: () => editor?.focus(),
      togglePolicy: () => {
        if (file === null) setPolicy(nextPolicy(policy));
        else announce("Everybody may type in a file; edits merge.");
      },
      takeControl,
      history: () => {
        if (file === null) setLooksBack(true);
        else announce("Only canvases keep revisions.");
      },
      outline: () => setOutline((open) => !open && markdown),
      explainLine: () => {
        const asked = editor?.explainLine() ?? null;
        if (asked === null) tell("Nobody has written in this line since the canvas was made.");
        else blame.show(asked.authors, asked.line);
      },
      nextSuggestion: (by) => {
        if (items.length === 0) tell("No suggestion waits in this canvas.");
        else reviewPanel.current?.step(by);
      },
      undoTurn: () => document.querySelector<HTMLButtonElement>(".split-button > button:first-child")?.click(),
    }),
    [editor, policy, setPolicy, takeControl, file, markdown, announce, tell, blame, items],
  );
  const closeCard = useCallback(() => {
    blame.close();
    editor?.focus();
  }, [blame, editor]);

  return (
    <>
      <CanvasHead
        picker={props.picker}
        header={header}
        unconfirmed={unconfirmed}
        policy={policy}
        onPolicy={setPolicy}
        outline={outline}
        onOutline={markdown ? () => setOutline(!outline) : null}
        file={file}
        onFileState={props.onFileState}
        onMention={props.onMention}
      />
      <div className="canvas-body">
        {file !== null && header !== null && <FileConflict path={file.path} header={header} />}
        <CanvasNotes
          lease={lease}
          policy={policy}
          blocked={blocked}
          onTake={takeControl}
          refused={refused}
          onDismiss={() => replica.dismissRefusal()}
        />
        <div className="editor-host" data-locked={locked} ref={host}>
          {editor === null && <p className="editor-waits">{replica.text()}</p>}
        </div>
        {outline && (
          <OutlinePanel
            replica={replica}
            title={title}
            editor={editor}
            closesOnChoice={narrow}
            onClose={() => setOutline(false)}
          />
        )}
        {blame.explained !== null && (
          <BlameCard
            explained={blame.explained}
            top={cardTop(host.current, editor?.lineBottom(blame.explained.line) ?? 0)}
            onPlace={(place) => {
              blame.close();
              props.onPlace(place);
            }}
            onClose={closeCard}
          />
        )}
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
      <ReviewPanel
        ref={reviewPanel}
        review={review}
        onUndo={undoMine}
        onEnter={() => {
          if (currentId !== null) look(currentId);
          revealCurrent();
        }}
        onLeave={() => editor?.focus()}
      />
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

/** Whether the reader goes through suggestions now. */
function reviewing(): boolean {
  const focused = document.activeElement;
  return focused !== null && focused.closest(".review") !== null;
}

/** Whether the focus is where the lease stands, or went with it. */
function leaseHasFocus(): boolean {
  const focused = document.activeElement;
  return focused === null || focused === document.body || focused.closest(".lease") !== null;
}

/** A card stands below its line, and higher where the frame ends. */
function cardTop(host: HTMLElement | null, lineBottom: number): number {
  const frame = host?.clientHeight ?? 0;
  return Math.max(8, Math.min(lineBottom + 4, frame - 160));
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
