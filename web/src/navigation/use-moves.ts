import { type Dispatch, type RefObject, useMemo, useRef } from "react";
import type { BlockId, FolderId, NodeId, RootId } from "../../../src/core/base/ids.ts";
import type { Bookmark } from "../../../src/core/forest/types.ts";
import type { OriginPlace } from "../blame/origin-words.ts";
import { focusInto } from "../browser/focus.ts";
import type { CanvasHandle } from "../canvas/canvas-handle.ts";
import type { Files } from "../files/use-files.ts";
import { type AppServices, useApp } from "../ui/app-context.ts";
import type { Navigation, NavigationAction } from "./navigation.ts";
import type { PaneName } from "./pane-layout.ts";
import type { Shown } from "./use-shown.ts";

/** Navigation actions. Each is the same function until the page closes. */
export interface Moves {
  /** Opens a conversation with its canvas. */
  readonly openConversation: (rootId: RootId) => void;
  readonly newConversation: () => void;
  readonly openCanvas: (canvasId: BlockId) => void;
  /** Creates a canvas and opens it; resolves to whether it succeeded. */
  readonly createCanvas: (title: string) => Promise<boolean>;
  /** Opens a file of a folder; without one, of the folder whose files are listed. */
  readonly openFile: (path: string, folderId?: FolderId) => void;
  /** Leaves the page without a document. */
  readonly closeDocument: () => void;
  /** Puts the caret into a document as soon as its text is there. */
  readonly write: (id: BlockId) => void;
  /** Chooses the document that the next question is about, and shows it; null for none. */
  readonly workOn: (canvasId: BlockId | null) => void;
  /** null opens the conversation without a message. */
  readonly goToNode: (rootId: RootId, nodeId: NodeId | null) => void;
  readonly goToPlace: (place: OriginPlace) => void;
  readonly goToBookmark: (bookmark: Bookmark) => void;
  /** Shows a message of the open conversation. */
  readonly showNode: (nodeId: NodeId) => void;
  /** Shows and focuses a pane. */
  readonly showPane: (pane: PaneName) => void;
}

interface World {
  readonly app: AppServices;
  readonly shown: Shown;
  readonly navigation: Navigation;
  readonly dispatch: Dispatch<NavigationAction>;
  readonly files: Files;
  readonly canvas: RefObject<CanvasHandle | null>;
}

/** Returns the state at the time of a move. */
type Now = () => World;

export function useMoves(world: Omit<World, "app">): Moves {
  const app = useApp();
  const latest = useRef<World>({ ...world, app });
  latest.current = { ...world, app };
  return useMemo(() => {
    const now: Now = () => latest.current;
    const showPane = createShowPane(now);
    const canvasMoves = createCanvasMoves(now);
    return { ...createConversationMoves(now, showPane), ...canvasMoves, ...createNodeMoves(now), showPane };
  }, []);
}

function createConversationMoves(
  now: Now,
  showPane: Moves["showPane"],
): Pick<Moves, "openConversation" | "newConversation"> {
  let requests = 0;
  return {
    openConversation(rootId) {
      const { files, dispatch } = now();
      files.close();
      dispatch({ type: "conversation-opened", rootId });
    },
    newConversation() {
      const { app, shown, files, dispatch } = now();
      const { newFolderId: folderId } = files;
      if (isUntouched(shown) && (shown.root?.folderId ?? null) === folderId) {
        showPane("conversation");
        app.announce("This conversation is already new.");
        return;
      }
      const request = (requests += 1);
      const { canvasId } = shown;
      // The old conversation closes at once, because the next typing is for the new one.
      dispatch({ type: "conversation-wished", request, canvasId });
      void app.client.call("conversation.create", { canvasId, folderId }).then((result) => {
        const { place } = now().navigation;
        // The person may have opened something else meanwhile.
        if (place.type !== "creating" || place.request !== request) return;
        if (!result.ok) {
          dispatch({ type: "conversation-refused", request });
          return app.tell(result.error);
        }
        dispatch({ type: "conversation-created", request, rootId: result.value.rootId });
        app.announce("A new conversation is open.");
      });
    },
  };
}

/** Returns whether the open conversation has no messages and no title. */
function isUntouched({ root, opening, conversation }: Shown): boolean {
  const { tree, sending, run } = conversation.state.get();
  return root?.title === "" && tree?.nodesById.size === 0 && sending === null && run === null && opening === null;
}

function createCanvasMoves(
  now: Now,
): Omit<
  Moves,
  "openConversation" | "newConversation" | "goToNode" | "goToPlace" | "goToBookmark" | "showNode" | "showPane"
> {
  const rootId = (): RootId | null => now().shown.root?.id ?? null;
  const openCanvas = (canvasId: BlockId): void => {
    const { app, shown, files, dispatch } = now();
    // What the page shows stays at hand: another text is not here without a connection.
    if (app.client.state.get().type !== "live" && canvasId !== shown.canvasId)
      return app.tell("You are offline. Other documents open once you are connected again.");
    files.close();
    dispatch({ type: "canvas-opened", canvasId, rootId: rootId() });
  };
  return {
    openCanvas,
    workOn(canvasId) {
      if (canvasId === null) now().dispatch({ type: "canvas-put-aside" });
      else openCanvas(canvasId);
    },
    async createCanvas(title) {
      const { app } = now();
      const result = await app.client.call("canvas.create", { title });
      if (result.ok) {
        openCanvas(result.value.canvasId);
        focusText(now, result.value.canvasId);
      } else app.tell(result.error);
      return result.ok;
    },
    closeDocument() {
      const { files, dispatch } = now();
      files.close();
      dispatch({ type: "document-closed", rootId: rootId() });
    },
    write: (id) => focusText(now, id),
    openFile(path, folderId) {
      const { files, dispatch } = now();
      dispatch({ type: "file-opened" });
      void files.open(path, folderId).then((file) => {
        // A conversation works in one folder; a file of another is only looked at.
        if (file !== null && now().shown.root?.folderId === file.folderId)
          dispatch({ type: "canvas-opened", canvasId: file.blockId, rootId: rootId() });
      });
    },
  };
}

/** How often, once a frame, the text of a new canvas is looked for. */
const looksMax = 120;

/** Puts the caret into a document once its text is there. */
function focusText(now: Now, id: BlockId): void {
  let looks = 0;
  const look = (): void => {
    const { canvas, shown, files } = now();
    if ((files.shown?.blockId ?? shown.canvasId) === id && canvas.current?.focus() === true) return;
    looks += 1;
    if (looks < looksMax) requestAnimationFrame(look);
  };
  look();
}

function createNodeMoves(now: Now): Pick<Moves, "goToNode" | "goToPlace" | "goToBookmark" | "showNode"> {
  const goToNode = (rootId: RootId, nodeId: NodeId | null): void => {
    const { shown, dispatch } = now();
    if (nodeId === null || rootId !== shown.root?.id) dispatch({ type: "conversation-opened", rootId });
    if (nodeId !== null) dispatch({ type: "goal-set", goal: { rootId, what: { type: "node", nodeId } } });
  };
  return {
    goToNode,
    goToPlace({ rootId, nodeId, callId }) {
      goToNode(rootId, nodeId);
      if (nodeId === null && callId !== null)
        now().dispatch({ type: "goal-set", goal: { rootId, what: { type: "call", callId } } });
    },
    goToBookmark: ({ rootId, nodeId }) => goToNode(rootId, nodeId),
    showNode(nodeId) {
      const { root } = now().shown;
      if (root !== null) goToNode(root.id, nodeId);
    },
  };
}

function createShowPane(now: Now): Moves["showPane"] {
  return (pane) => {
    now().dispatch({ type: "pane-shown", pane });
    const enter = (): void => {
      const { canvas } = now();
      if (pane === "canvas" && canvas.current?.focus() === true) return;
      const region = document.querySelector<HTMLElement>(`[data-pane=${pane}]`);
      if (region !== null) focusInto(region);
    };
    // The next typing belongs there; a hidden pane is mounted only after the next render.
    if (document.querySelector(`[data-pane=${pane}]`) === null) requestAnimationFrame(enter);
    else enter();
  };
}
