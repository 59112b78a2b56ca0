import { type Dispatch, useCallback, useEffect, useRef } from "react";
import type { HeddleClient, WorkspaceView } from "../../../src/client/base/types.ts";
import type { RootId } from "../../../src/core/base/ids.ts";
import { conversationTitle } from "../../../src/core/forest/list.ts";
import type { CanvasHandle } from "../canvas/canvas-handle.ts";
import { usePresets } from "../conversation/ask/presets.ts";
import { useFiles } from "../files/use-files.ts";
import type { Navigation, NavigationAction } from "../navigation/navigation.ts";
import type { Breadth } from "../navigation/pane-layout.ts";
import { useKeyboard } from "../navigation/use-commands.ts";
import { useGoal } from "../navigation/use-goal.ts";
import { useMoves } from "../navigation/use-moves.ts";
import type { PageEntry } from "../navigation/page-entry.ts";
import { usePageHistory } from "../navigation/use-page-history.ts";
import { useNavigation } from "../navigation/use-navigation.ts";
import { type Shown, useShown } from "../navigation/use-shown.ts";
import { useReviewAsked } from "../review/review-request.ts";
import { TopBar } from "../shell/top-bar.tsx";
import { useApp } from "../ui/app-context.ts";
import { useMedia, useObservable } from "../ui/use-observable.ts";
import { askedConversations } from "../notify/asked-conversations.ts";
import { useSettings } from "../browser/settings.ts";
import { Notifier, TabKeeper } from "./lazy-panes.tsx";
import { OpenDialog } from "./open-dialog.tsx";
import { PageFoot } from "./page-foot.tsx";
import { PagePanes, type PageProps } from "./page-panes.tsx";
import { usePageCommands } from "./use-page-commands.ts";

/** The whole page after the workspace has loaded. Messages and typing render in child components only. */
export function Workspace({ workspace, name }: { readonly workspace: WorkspaceView; readonly name: string }) {
  const { client } = useApp();
  const live = useObservable(client.state).type === "live";
  const settings = useSettings();
  const wide = useMedia("(min-width: 1100px)");
  const narrow = useMedia("(max-width: 719px)");
  const breadth: Breadth = narrow ? "narrow" : wide ? "wide" : "medium";
  const presets = usePresets(live);
  const canvas = useRef<CanvasHandle>(null);
  const [navigation, dispatch] = useNavigation(breadth);
  const shown = useShown(navigation);
  const { conversation } = shown;
  const files = useFiles(live, shown.root?.folderId ?? null);
  const moves = useMoves({ shown, navigation, dispatch, files, canvas });
  const goalId = useGoal(navigation.goal, conversation);
  const commands = usePageCommands({ conversation, canvas, moves, dispatch });
  useKeyboard(commands);
  useReviewAsked(() => {
    moves.showPane("canvas");
    canvas.current?.nextSuggestion(1);
  });
  useTitle(shown);
  useLook(client);
  useAsked(moves.goToNode);
  useArrival(shown, navigation, dispatch);
  useFirstCanvas(shown, navigation, dispatch);
  usePageHistory(entryOf(shown, navigation, breadth), dispatch);
  const openPalette = useCallback(() => dispatch({ type: "dialog-opened", dialog: "palette" }), [dispatch]);
  const openHelp = useCallback(() => dispatch({ type: "dialog-opened", dialog: "help" }), [dispatch]);
  const openSettings = useCallback(() => dispatch({ type: "dialog-opened", dialog: "settings" }), [dispatch]);
  const page = { workspace, shown, navigation, dispatch, moves, files, presets, breadth };
  return (
    <div className="page" data-breadth={breadth}>
      <TopBar people={workspace.people} onPalette={openPalette} onHelp={openHelp} onSettings={openSettings} />
      <PagePanes {...page} canvas={canvas} goalId={goalId} />
      <PageFoot {...page} />
      <OpenDialog {...page} commands={commands} name={name} live={live} />
      <KeptTabs {...page} />
      {settings.notifications === "on" && <Notifier onOpen={(rootId) => moves.goToNode(rootId, null)} />}
    </div>
  );
}

/** Notes which documents are open. */
function KeptTabs({ shown, moves, files }: Pick<PageProps, "shown" | "moves" | "files">) {
  const file = files.shown ?? shown.canvasFile;
  return (
    <TabKeeper
      shownId={file?.blockId ?? shown.canvasId}
      title={file?.path ?? shown.canvasTitle}
      folder={shown.canvasFolder}
      isFile={file !== null}
      onCanvas={moves.openCanvas}
      onFile={moves.openFile}
      onNone={moves.closeDocument}
      onWrite={moves.write}
    />
  );
}

function useTitle({ root }: Shown): void {
  const title = root === null ? null : conversationTitle(root);
  useEffect(() => {
    document.title = title === null ? "Heddle" : `${title} · Heddle`;
  }, [title]);
}

/** Tells the server whether the page lies in front. */
function useLook(client: HeddleClient): void {
  useEffect(() => {
    const look = (): void => client.look(document.visibilityState === "visible");
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [client]);
}

/** Goes to the conversation that a pressed notification asks for: in this page's address, or of the service worker. */
function useAsked(goToNode: (rootId: RootId, nodeId: null) => void): void {
  const latest = useRef(goToNode);
  latest.current = goToNode;
  useEffect(() => askedConversations((rootId) => latest.current(rootId, null)), []);
}

/** Focuses the composer when a new conversation arrives in the list; the page stays with the conversation that it shows. */
function useArrival({ opening, root }: Shown, { place }: Navigation, dispatch: Dispatch<NavigationAction>): void {
  const listedId = place.type === "created" && opening === null ? place.rootId : null;
  useEffect(() => {
    if (listedId === null) return;
    dispatch({ type: "conversation-listed", rootId: listedId });
    document.querySelector<HTMLElement>("[aria-label='Message']")?.focus();
  }, [listedId, dispatch]);
  const shownId = place.type === "open" && place.rootId === null ? (root?.id ?? null) : null;
  useEffect(() => {
    if (shownId !== null) dispatch({ type: "conversation-shown", rootId: shownId });
  }, [shownId, dispatch]);
}

/** Keeps the canvas that a conversation is shown with first, and has the next question be about what the page shows. */
function useFirstCanvas(
  { opening, root, conversation, worksOn }: Shown,
  { shownIn, canvasId: lastCanvasId }: Navigation,
  dispatch: Dispatch<NavigationAction>,
): void {
  const rootId = opening === null && root !== null ? root.id : null;
  const canvasId = root?.canvasId ?? null;
  const hasCanvas = (canvasId ?? lastCanvasId) !== null;
  useEffect(() => {
    if (rootId !== null && rootId !== shownIn && hasCanvas) dispatch({ type: "canvas-shown", rootId, canvasId });
  }, [rootId, shownIn, hasCanvas, canvasId, dispatch]);
  useEffect(() => {
    if (rootId !== null) conversation.lookAt(worksOn);
  }, [rootId, conversation, worksOn]);
}

/** What the page shows, for its history; null while a conversation is created, fetched or gets its first canvas. */
function entryOf(
  { opening, root, canvasId, unlistedCanvasId }: Shown,
  { shownIn, canvasId: lastCanvasId, dialog, front }: Navigation,
  breadth: Breadth,
): PageEntry | null {
  const rootId = root?.id ?? null;
  const isFirst = root !== null && shownIn !== rootId && (root.canvasId ?? lastCanvasId) !== null;
  if (opening !== null || isFirst) return null;
  return { rootId, canvasId: canvasId ?? unlistedCanvasId, dialog, front: breadth === "narrow" ? front : null };
}
