import { lineWithAny, usePlaceAsked } from "../ui/request/place-request.ts";
import { useThreadAsked } from "../ui/request/thread-request.ts";
import { type ReactNode, type Ref, type RefObject, useCallback, useImperativeHandle, useRef, useState } from "react";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { BlockId, NodeId } from "../../../src/core/base/ids.ts";
import type { BlockHeader, EditPolicy } from "../../../src/core/block/types.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import { useApp } from "../ui/app-context.ts";
import { Icon } from "../ui/icons.tsx";
import { useKeptOpen } from "../ui/kept/use-kept-open.ts";
import { useMedia, useObservable } from "../ui/use-observable.ts";
import { useSelected } from "../ui/use-selected.ts";
import type { OriginPlace } from "../blame/origin-words.ts";
import { type Blame, useBlame } from "../blame/use-blame.ts";
import type { Intent, ShownThread } from "../comment/comment-words.ts";
import { SelectionBar } from "../comment/selection-bar.tsx";
import { type Comments, useComments } from "../comment/use-comments.ts";
import { DocumentStrips } from "../draft/document-strips.tsx";
import { FileNotes } from "../files/file-state.tsx";
import { isMarkdown } from "../files/file-words.ts";
import type { OpenFile } from "../files/use-files.ts";
import type { ReviewHandle } from "../review/review-panel.tsx";
import { type Review, useReview } from "../review/use-review.ts";
import { isForbidden, type OwnRole, readerWords } from "../view/words/own-role.ts";
import { shortName } from "../view/words/words.ts";
import type { CanvasEditor } from "../editor/editor.ts";
import { CanvasFoot } from "./canvas-foot.tsx";
import type { CanvasHandle } from "./canvas-handle.ts";
import { CanvasHead } from "./canvas-head.tsx";
import { CanvasNotes } from "./canvas-notes.tsx";
import { BlameCard, CommentsPanel, HistoryDialog, OutlinePanel, ReviewPanel } from "./lazy-canvas-parts.tsx";
import { DocumentMenu } from "./menu/document-menu.tsx";
import { nextPolicy } from "./policy-words.ts";
import { PrintedDocument } from "./printed-document.tsx";
import { usePictures } from "../pictures/use-pictures.ts";
import { type CanvasActions, useCanvasActions } from "./use-canvas-actions.ts";
import { type OpenEditor, useCanvasAnnouncements, useOpenEditor } from "./use-open-editor.ts";

interface OpenCanvasProps {
  readonly handle: Ref<CanvasHandle>;
  readonly replica: TextReplica;
  readonly role: OwnRole;
  readonly title: string;
  readonly file: OpenFile | null;
  readonly onFileState: () => void;
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  /** The messages of the shown branch. */
  readonly path: readonly ForestNode[];
  readonly onNode: (nodeId: NodeId) => void;
  readonly onPlace: (place: OriginPlace) => void;
  readonly picker: ReactNode;
}

/** What the document says of who may type; undefined: nothing. The rest of its header changes with each key. */
const givenPolicy = (header: BlockHeader | null) => ({ given: header?.policy });

/** A canvas or a file with its text loaded. */
export function OpenCanvas(props: OpenCanvasProps) {
  const { replica, role, title, file } = props;
  const reads = readerWords(role);
  const { given } = useSelected(replica.header, givenPolicy);
  const { held } = useObservable(replica.lease);
  const [looksBack, setLooksBack] = useState(false);
  const [outline, setOutline] = useKeptOpen(`outline ${replica.blockId}`);
  const policy = given ?? "live";
  const locked = policy === "lease" && held !== null;
  const markdown = file === null || isMarkdown(file.path);
  const review = useReview(replica);
  const comments = useComments(replica);
  const reviewPanel = useRef<ReviewHandle>(null);
  const blame = useBlame(replica, props.nodesById, props.onPlace);
  const latest = useRef<CanvasEditor | null>(null);
  const actions = useCanvasActions(replica, latest, reads);
  const pictures = usePictures(file);
  const look = { title, markdown, path: file?.path ?? null, pictures, writable: !locked && reads === null, held };
  const open = useOpenEditor(replica, { ...look, review, comments, blame, actions, latest });
  const { editor } = open;
  useCanvasAnnouncements({ holder: held?.holderName ?? null, locked, suggested: review.items.length });
  const onHistory = useCallback(() => setLooksBack(true), []);
  const onOutline = useCallback(() => setOutline(!outline && markdown), [outline, setOutline, markdown]);
  const closeOutline = useCallback(() => setOutline(false), [setOutline]);
  usePlaces(replica, editor);
  useThread(comments, editor);
  // A file that agents may work on is a canvas too.
  const isShared = file === null || given !== undefined;
  const noComment = isForbidden(role, "commenter") ? reads : null;
  const comment = useBeginComment(replica, editor, comments, noComment);
  const parts = { editor, policy, isShared, actions, review, comments, comment, reviewPanel, blame };
  useHandle(props.handle, { ...parts, onHistory, onOutline });
  return (
    <>
      <CanvasHead
        {...{ replica, isShared, policy, reads, outline, comments, file }}
        picker={props.picker}
        onPolicy={actions.setPolicy}
        onOutline={markdown ? onOutline : null}
        onFileState={props.onFileState}
        menu={<DocumentMenu {...{ replica, title, markdown, editor, pictures }} />}
      />
      <CanvasBody {...props} {...{ open, reads, policy, locked, blame }} onTake={actions.takeControl}>
        <CommentLayer
          {...{ open, comments, title }}
          blockId={replica.blockId}
          mayComment={noComment === null}
          onIntent={comment}
        />
        {outline && <Outline replica={replica} title={title} editor={editor} onClose={closeOutline} />}
      </CanvasBody>
      <ReviewPanel
        ref={reviewPanel}
        review={review}
        onUndo={actions.undoMine}
        onEnter={() => {
          if (review.currentId !== null) review.look(review.currentId);
          open.revealCurrent();
        }}
        onLeave={() => editor?.focus()}
      />
      <PrintedDocument replica={replica} markdown={markdown} pictures={pictures.shown} />
      <CanvasFoot {...props} actions={actions} onHistory={isShared ? onHistory : null} />
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

/** Shows a thread when a search asks for it: in the list of comments, and its words in the text. */
function useThread(comments: Comments, editor: CanvasEditor | null): void {
  useThreadAsked((id) => {
    const found = comments.threads.find(({ thread }) => thread.id === id);
    if (found === undefined || editor === null) return false;
    comments.look(id);
    revealThread(found, editor);
    return true;
  });
}

function revealThread({ place }: ShownThread, editor: CanvasEditor | null): void {
  if (place !== null) editor?.revealPlace(place.type === "range" ? place.from : place.at);
}

/** Shows the lines of a patch when the conversation asks for them. */
function usePlaces(replica: TextReplica, editor: CanvasEditor | null): void {
  usePlaceAsked((lines) => {
    const line = editor === null ? null : lineWithAny(replica.text(), lines);
    if (line !== null) editor?.showLine(line);
    return line !== null;
  });
}

/** Returns how a comment on the selected words begins; without a selection it is about the whole document. */
function useBeginComment(
  replica: TextReplica,
  editor: CanvasEditor | null,
  { begin }: Comments,
  forbidden: string | null,
): (intent: Intent) => void {
  const { tell } = useApp();
  return useCallback(
    (intent) => {
      if (forbidden !== null) return tell(forbidden);
      const selected = editor?.selection() ?? null;
      const units = selected === null ? [] : replica.unitsOf(selected.from, selected.to);
      const quote = selected === null ? "" : replica.text().slice(selected.from, selected.to);
      begin({ intent, units, quote: quote.slice(0, 300) });
    },
    [replica, editor, begin, forbidden, tell],
  );
}

/** Provides the canvas commands to the shell. */
function useHandle(
  ref: Ref<CanvasHandle>,
  canvas: {
    readonly editor: CanvasEditor | null;
    readonly policy: EditPolicy;
    readonly isShared: boolean;
    readonly actions: CanvasActions;
    readonly review: Review;
    readonly comments: Comments;
    readonly comment: (intent: Intent) => void;
    readonly reviewPanel: RefObject<ReviewHandle | null>;
    readonly blame: Blame;
    readonly onHistory: () => void;
    readonly onOutline: () => void;
  },
): void {
  const { announce, tell } = useApp();
  const { editor, policy, isShared, actions, review, comments, comment, reviewPanel, blame, onHistory, onOutline } =
    canvas;
  const { items } = review;
  useImperativeHandle(
    ref,
    () => ({
      focus: () => {
        editor?.focus();
        return editor !== null;
      },
      togglePolicy: () => {
        if (isShared) actions.setPolicy(nextPolicy(policy));
        else announce("Everyone can type in this file. All edits merge.");
      },
      takeControl: actions.takeControl,
      undoMine: actions.undoMine,
      redoMine: actions.redoMine,
      history: () => {
        if (isShared) onHistory();
        else announce("No agent works on this file, so there are no versions of it.");
      },
      outline: onOutline,
      explainLine: () => {
        const asked = editor?.explainLine() ?? null;
        if (asked === null) tell("Nobody has changed this line since the canvas was created.");
        else blame.show(asked.authors, asked.line);
      },
      nextSuggestion: (by) => {
        if (items.length === 0) tell("This canvas has no suggestions.");
        else reviewPanel.current?.step(by);
      },
      comment,
      comments: () => {
        comments.show(!comments.listed, true);
        if (comments.listed) editor?.focus();
      },
      undoTurn: () => document.querySelector<HTMLButtonElement>(".split-button > button:first-child")?.click(),
    }),
    [
      editor,
      policy,
      isShared,
      actions,
      announce,
      tell,
      blame,
      items,
      comments,
      comment,
      reviewPanel,
      onHistory,
      onOutline,
    ],
  );
}

/** The text and the notes over it. */
function CanvasBody(
  props: OpenCanvasProps & {
    readonly open: OpenEditor;
    readonly reads: string | null;
    readonly policy: EditPolicy;
    readonly locked: boolean;
    readonly blame: Blame;
    readonly onTake: () => void;
    readonly children: ReactNode;
  },
) {
  const { hues } = useApp();
  const { replica, reads, file, blame, policy } = props;
  const { host, editor, blocked, elsewhere } = props.open;
  const lease = useObservable(replica.lease);
  const refused = useObservable(replica.refused);
  return (
    <>
      <DocumentStrips {...props} />
      <div className="canvas-body">
        {file !== null && <FileNotes path={file.path} replica={replica} />}
        <CanvasNotes
          lease={lease}
          policy={policy}
          reads={reads}
          blocked={blocked}
          onTake={props.onTake}
          refused={refused}
          onDismiss={() => replica.dismissRefusal()}
        />
        <div className="editor-host" data-locked={props.locked} ref={host}>
          {editor === null && <p className="editor-waits">{replica.text()}</p>}
        </div>
        {props.children}
        {blame.explained !== null && (
          <BlameCard
            explained={blame.explained}
            top={cardTop(host.current, editor?.lineBottom(blame.explained.line) ?? 0)}
            onPlace={(place) => {
              blame.close();
              props.onPlace(place);
            }}
            onClose={() => {
              blame.close();
              editor?.focus();
            }}
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
    </>
  );
}

/** The bar at the selected words, and the list of comments. */
function CommentLayer(props: {
  readonly open: OpenEditor;
  readonly comments: Comments;
  readonly blockId: BlockId;
  readonly title: string;
  readonly mayComment: boolean;
  readonly onIntent: (intent: Intent) => void;
}) {
  const { comments } = props;
  const { editor, selection } = props.open;
  const looked = comments.listed ? comments.threads.find(({ thread }) => thread.id === comments.currentId) : undefined;
  const place = looked?.place?.type === "range" ? looked.place : null;
  // The thread of these words is in front: the bar would cover it.
  const isLooked = place !== null && place.from === selection?.from && place.to === selection.to;
  // The words that are being commented on: the selection goes with the focus.
  const selectedAt = useRef(0);
  if (selection !== null) selectedAt.current = selection.from;
  return (
    <>
      {selection !== null && props.mayComment && comments.draft === null && !isLooked && (
        <SelectionBar selection={selection} onIntent={props.onIntent} />
      )}
      {comments.listed && (
        <CommentsPanel
          comments={comments}
          blockId={props.blockId}
          title={props.title}
          onShown={() => {
            const at = comments.draft === null ? place?.from : selectedAt.current;
            if (at !== undefined) editor?.revealPlace(at, "nearest");
          }}
          onReveal={(shown) => revealThread(shown, editor)}
          onLeave={() => editor?.focus()}
        />
      )}
    </>
  );
}

function Outline(props: {
  readonly replica: TextReplica;
  readonly title: string;
  readonly editor: CanvasEditor | null;
  readonly onClose: () => void;
}) {
  const narrow = useMedia("(max-width: 719px)");
  return <OutlinePanel {...props} closesOnChoice={narrow} />;
}

/** Returns the top of a card: below its line, or higher at the end of the frame. */
function cardTop(host: HTMLElement | null, lineBottom: number): number {
  const frame = host?.clientHeight ?? 0;
  return Math.max(8, Math.min(lineBottom + 4, frame - 160));
}
