import { type Dispatch, memo, type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef } from "react";
import type { WorkspaceView } from "../../../src/client/base/types.ts";
import type { NodeId } from "../../../src/core/base/ids.ts";
import type { CanvasHandle } from "../canvas/canvas-handle.ts";
import { ConversationPane } from "../conversation/pane/conversation-pane.tsx";
import type { Presets } from "../conversation/ask/presets.ts";
import type { Files } from "../files/use-files.ts";
import type { CurrentDocument } from "../documents/use-document-tree.ts";
import { useImport } from "../documents/use-import.tsx";
import { CanvasPane, ForestPane } from "./lazy-panes.tsx";
import { marksOf, sameMarks } from "../forest/row-marks.ts";
import type { Navigation, NavigationAction } from "../navigation/navigation.ts";
import {
  type Breadth,
  gridColumns,
  type PaneLayout,
  type PaneName,
  paneNames,
  shownPanes,
} from "../navigation/pane-layout.ts";
import type { Moves } from "../navigation/use-moves.ts";
import type { Shown } from "../navigation/use-shown.ts";
import { Divider, PaneFrame } from "../shell/panes.tsx";
import { FileDrop } from "../shell/file-drop.tsx";
import { useSteady } from "../ui/use-observable.ts";
import { useSelected } from "../ui/use-selected.ts";
import { type Branches, fromTopmost } from "../view/branches/path.ts";

/** Props shared by all parts of the page. */
export interface PageProps {
  readonly workspace: WorkspaceView;
  readonly shown: Shown;
  readonly navigation: Navigation;
  readonly dispatch: Dispatch<NavigationAction>;
  readonly moves: Moves;
  readonly files: Files;
  readonly presets: Presets;
  readonly breadth: Breadth;
}

type PanesProps = PageProps & {
  readonly canvas: RefObject<CanvasHandle | null>;
  /** A message to scroll to once it is on the path. */
  readonly goalId: NodeId | null;
};

/** The visible panes, side by side. */
export function PagePanes(props: PanesProps) {
  const { navigation, dispatch, breadth } = props;
  const { layout } = navigation;
  const front = useHeldFront(navigation.front, breadth, dispatch);
  const panes = shownPanes(breadth, layout, front);
  const mainPane = panes.includes("conversation") ? "conversation" : panes.at(-1);
  const onLayout = useCallback((next: PaneLayout) => dispatch({ type: "layout-changed", layout: next }), [dispatch]);
  return (
    <div className="panes" style={{ gridTemplateColumns: gridColumns(panes, layout) }}>
      {panes.map((pane, index) => (
        <PaneFrame
          key={pane}
          name={pane}
          main={pane === mainPane}
          divider={
            index > 0 && (
              <Divider
                between={index === 1 && panes[0] === "forest" ? "forest" : "canvas"}
                layout={layout}
                onChange={onLayout}
              />
            )
          }
        >
          {contentOf(pane, props)}
        </PaneFrame>
      ))}
    </div>
  );
}

/** Returns the front pane; when the page becomes narrow while a dialog of a pane is open, that one. */
function useHeldFront(front: PaneName, breadth: Breadth, dispatch: Dispatch<NavigationAction>): PaneName {
  const before = useRef(breadth);
  const becameNarrow = breadth === "narrow" && before.current !== "narrow";
  const held = becameNarrow ? paneWithDialog() : null;
  useEffect(() => {
    before.current = breadth;
    if (held !== null && held !== front) dispatch({ type: "pane-fronted", pane: held });
  }, [breadth, held, front, dispatch]);
  return held ?? front;
}

function paneWithDialog(): PaneName | null {
  const name = document.querySelector("[data-pane] dialog[open]")?.closest("[data-pane]")?.getAttribute("data-pane");
  return paneNames.find((pane) => pane === name) ?? null;
}

function contentOf(pane: PaneName, props: PanesProps): ReactNode {
  switch (pane) {
    case "forest":
      return <ForestContent {...forestProps(props)} />;
    case "conversation":
      return <ConversationContent {...conversationProps(props)} />;
    case "canvas":
      return <CanvasContent {...canvasProps(props)} />;
  }
}

/** Props of a pane: single values, so that it renders again only when one of them changes. */
function forestProps({ shown, dispatch, moves, files }: PanesProps) {
  return {
    conversation: shown.conversation,
    canvasId: shown.canvasId,
    canvasFolder: shown.canvasFolder,
    file: files.shown ?? shown.canvasFile,
    dispatch,
    moves,
    files,
  };
}

const noTree: Branches = { nodesById: new Map(), childrenByParent: new Map() };

const ForestContent = memo(function ForestContent(props: ReturnType<typeof forestProps>) {
  const { conversation, files, file, moves, canvasId, canvasFolder } = props;
  const { tree, path, runs, seen, bookmarks } = useSelected(conversation.state, (state) => ({
    tree: state.tree ?? noTree,
    path: state.path,
    runs: state.runs,
    seen: state.seen,
    bookmarks: state.bookmarks,
  }));
  const marks = useSteady(marksOf(runs), sameMarks);
  const topmost = useMemo(() => fromTopmost(tree), [tree]);
  const document = useMemo((): CurrentDocument | null => {
    if (file !== null) return { type: "file", folderId: file.folderId, path: file.path };
    return canvasId === null ? null : { type: "canvas", id: canvasId, folderPath: canvasFolder };
  }, [file, canvasId, canvasFolder]);
  const onWrite = useCallback(() => moves.showPane("canvas"), [moves]);
  const onAttach = useCallback(
    (file: File) => {
      conversation.attachments.add([file]);
      moves.showPane("conversation");
    },
    [conversation, moves],
  );
  return (
    <ForestPane
      rootId={conversation.rootId}
      branches={topmost}
      path={path}
      marks={marks}
      seen={seen}
      onShow={conversation.show}
      bookmarks={bookmarks}
      onBookmark={moves.goToBookmark}
      document={document}
      files={files}
      onFile={moves.openFile}
      onAttach={onAttach}
      onOpen={moves.openConversation}
      onNew={moves.newConversation}
      onCanvas={moves.openCanvas}
      onWrite={onWrite}
    />
  );
});

function conversationProps({ workspace, shown, navigation, dispatch, moves, presets, goalId }: PanesProps) {
  const { conversation, root, opening, canvasId, canvasTitle, worksOn } = shown;
  const { editingId, renaming, asked } = navigation;
  return {
    workspace,
    conversation,
    root,
    opening,
    canvasId,
    canvasTitle,
    worksOn,
    onWorkOn: moves.workOn,
    editingId,
    renaming,
    asked,
    dispatch,
    onNew: moves.newConversation,
    presets,
    goalId,
  };
}

const ConversationContent = memo(function ConversationContent(props: ReturnType<typeof conversationProps>) {
  const { dispatch, goalId, ...rest } = props;
  const onEdit = useCallback((nodeId: NodeId) => dispatch({ type: "edit-begun", nodeId }), [dispatch]);
  const onEdited = useCallback((nodeId: NodeId) => dispatch({ type: "edit-ended", nodeId }), [dispatch]);
  const onRenaming = useCallback((renaming: boolean) => dispatch({ type: "rename-changed", renaming }), [dispatch]);
  const onAsk = useCallback((asked: Navigation["asked"]) => dispatch({ type: "question-changed", asked }), [dispatch]);
  const onGoal = useCallback(() => dispatch({ type: "goal-reached" }), [dispatch]);
  const onKeys = useCallback(() => dispatch({ type: "dialog-opened", dialog: "keys" }), [dispatch]);
  return (
    <FileDrop words="Drop to attach to the message" onFiles={rest.conversation.attachments.add}>
      <ConversationPane
        {...rest}
        goal={goalId}
        onGoal={onGoal}
        onEdit={onEdit}
        onEdited={onEdited}
        onRenaming={onRenaming}
        onAsk={onAsk}
        onKeys={onKeys}
      />
    </FileDrop>
  );
});

function canvasProps({ shown, dispatch, moves, files, canvas }: PanesProps) {
  const { conversation, canvasTitle, unlistedCanvasId } = shown;
  const canvasId = shown.canvasId ?? unlistedCanvasId;
  const listed = shown.canvasId !== null;
  return {
    conversation,
    canvasId,
    canvasTitle,
    listed,
    dispatch,
    moves,
    file: files.shown ?? shown.canvasFile,
    onFileState: files.refresh,
    canvas,
  };
}

const CanvasContent = memo(function CanvasContent(props: ReturnType<typeof canvasProps>) {
  const { conversation, moves, dispatch } = props;
  const { nodesById, path } = useSelected(conversation.state, ({ tree, path: shown }) => ({
    nodesById: (tree ?? noTree).nodesById,
    path: shown,
  }));
  const onNewCanvas = useCallback(() => dispatch({ type: "dialog-opened", dialog: "canvas" }), [dispatch]);
  const { take, report } = useImport(moves.openCanvas);
  return (
    <FileDrop words="Drop to make documents; drop pictures on the text" onFiles={take}>
      <CanvasPane
        ref={props.canvas}
        canvasId={props.canvasId}
        canvasTitle={props.canvasTitle}
        listed={props.listed}
        file={props.file}
        onFileState={props.onFileState}
        nodesById={nodesById}
        path={path}
        onNode={moves.showNode}
        onPlace={moves.goToPlace}
        onCanvas={moves.openCanvas}
        onNewCanvas={onNewCanvas}
      />
      {report}
    </FileDrop>
  );
});
