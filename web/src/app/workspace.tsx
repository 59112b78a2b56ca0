import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { WorkspaceView } from "../../../src/client/types.ts";
import type { BlockId, NodeId, RootId } from "../../../src/core/base/ids.ts";
import type { Bookmark } from "../../../src/core/forest/types.ts";
import type { OriginPlace } from "../blame/origin-words.ts";
import type { CanvasHandle } from "../canvas/canvas-handle.ts";
import { CanvasPane } from "../canvas/canvas-pane.tsx";
import { type AskedMessage, ConversationPane } from "../conversation/pane/conversation-pane.tsx";
import { StateLine } from "../conversation/pane/state-line.tsx";
import { UsageLine } from "../conversation/pane/usage-line.tsx";
import { questionAbove } from "../view/branches/questions.ts";
import { useConversation } from "../conversation/state/use-conversation.ts";
import { useWordsOfDeleted } from "../conversation/state/use-words-of-deleted.ts";
import { useFiles } from "../files/use-files.ts";
import { ForestPane } from "../forest/forest-pane.tsx";
import { marksOf, sameMarks } from "../forest/row-marks.ts";
import { useReviewAsked } from "../review/review-request.ts";
import { splittableText } from "../view/branches/message-text.ts";
import { isActive } from "../view/run/shown-state.ts";
import { lastSaid } from "../view/branches/hidden.ts";
import { type Branches, siblingsOf } from "../view/branches/path.ts";
import { useApp } from "../ui/app-context.ts";
import { CanvasDialog } from "../shell/canvas-dialog.tsx";
import { focusedMessage, focusInto, focusRegion, isDrawn, moveMessage } from "../browser/focus.ts";
import { HelpDialog } from "../palette/help-dialog.tsx";
import {
  gridColumns,
  type PaneLayout,
  type PaneName,
  paneNames,
  shownPanes,
  storedLayout,
} from "../shell/pane-layout.ts";
import { PaneToggles, TabBar, togglePane } from "../shell/pane-bars.tsx";
import { Divider, PaneFrame } from "../shell/panes.tsx";
import { searchMessages } from "../palette/message-search.ts";
import { Palette } from "../palette/palette.tsx";
import { paletteItems } from "../palette/palette-items.ts";
import { SettingsDialog } from "../settings/lazy-settings-dialog.tsx";
import { changeSetting, useSettings } from "../browser/settings.ts";
import { usePresets } from "../conversation/state/presets.ts";
import { readText, Stored } from "../browser/stored.ts";
import { TopBar } from "../shell/top-bar.tsx";
import { type Commands, useKeyboard } from "../navigation/use-commands.ts";
import { useGoal } from "../navigation/use-goal.ts";
import { useMedia, useObservable, useSteady } from "../ui/use-observable.ts";
import { ToolCallsDialog } from "../syntax/lazy-tool-calls-dialog.tsx";
import { conversationTitle } from "../view/words/conversation-title.ts";

const lastRoot = new Stored("root", readText, "");
const lastCanvas = new Stored("canvas", readText, "");

const nextAuthors = { hidden: "subtle", subtle: "full", full: "hidden" } as const;
const nextTheme = { system: "light", light: "dark", dark: "contrast", contrast: "system" } as const;

const noBookmarks: readonly Bookmark[] = [];
const noNodes: Branches["nodesById"] = new Map();
const noChildren: Branches["childrenByParent"] = new Map();

/** A conversation that was asked for: without an id until the server has made it. */
interface WishedConversation {
  readonly canvasId: BlockId | null;
  readonly rootId: RootId | null;
}

type OpenDialog = "none" | "palette" | "search" | "help" | "settings" | "keys" | "canvas" | "tool-calls";

/** The whole page once the workspace is here. */
export function Workspace({ workspace, name }: { readonly workspace: WorkspaceView; readonly name: string }) {
  const { client, tell, announce } = useApp();
  const settings = useSettings();
  const connection = useObservable(client.state);
  const live = connection.type === "live";
  const presets = usePresets(live);
  const files = useFiles(live);
  const [rootId, setRootId] = useState<RootId | null>(() => lastRoot.get() as RootId);
  const [ownCanvas, setOwnCanvas] = useState<BlockId | null>(() => lastCanvas.get() as BlockId);
  const [wished, setWished] = useState<WishedConversation | null>(null);
  const latestWish = useRef(wished);
  latestWish.current = wished;
  const [dialog, setDialog] = useState<OpenDialog>("none");
  const [editingId, setEditingId] = useState<NodeId | null>(null);
  const [renaming, setRenaming] = useState(false);
  const [asked, setAsked] = useState<AskedMessage | null>(null);
  const [layout, setLayout] = useState(() => storedLayout.get());
  const [front, setFront] = useState<PaneName>("conversation");
  const canvas = useRef<CanvasHandle>(null);

  const known = workspace.roots.find((candidate) => candidate.id === rootId);
  // A new one is waited for until it is in the list; no other is shown in its place.
  const opening = wished !== null && workspace.roots.every((candidate) => candidate.id !== wished.rootId);
  const root = opening ? null : (known ?? newest(workspace));
  const model = useConversation(root?.id ?? null);
  const shownRoot = model.view?.root ?? root;
  useWordsOfDeleted(rootId, known === undefined && root !== null, model);
  // The canvas beside a conversation is the one it works on.
  const wanted = (opening ? wished.canvasId : shownRoot?.canvasId) ?? ownCanvas;
  const canvasId =
    workspace.canvases.find((candidate) => candidate.id === wanted)?.id ??
    (shownRoot === null ? (workspace.canvases[0]?.id ?? null) : null);
  const canvasTitle = workspace.canvases.find((candidate) => candidate.id === canvasId)?.title ?? null;

  const wide = useMedia("(min-width: 1100px)");
  const narrow = useMedia("(max-width: 719px)");
  const breadth = narrow ? "narrow" : wide ? "wide" : "medium";
  const panes = shownPanes(breadth, layout, front);

  const changeLayout = useCallback((next: PaneLayout) => {
    setLayout(next);
    storedLayout.set(next);
  }, []);
  const openRoot = useCallback(
    (id: RootId) => {
      setRootId(id);
      lastRoot.set(id);
      setWished(null);
      setEditingId(null);
      setRenaming(false);
      if (breadth === "narrow") setFront("conversation");
    },
    [breadth],
  );
  const showPane = useCallback(
    (pane: PaneName): void => {
      setFront(pane);
      if (layout.hidden.includes(pane)) {
        changeLayout({ ...layout, hidden: layout.hidden.filter((other) => other !== pane) });
      }
      const enter = (): void => {
        if (pane === "canvas" && canvas.current !== null) return canvas.current.focus();
        const region = document.querySelector<HTMLElement>(`[data-pane=${pane}]`);
        if (region !== null) focusInto(region);
      };
      // What is typed next goes there; a pane that was hidden is on the page only after the next drawing.
      if (document.querySelector(`[data-pane=${pane}]`) === null) requestAnimationFrame(enter);
      else enter();
    },
    [layout, changeLayout],
  );
  const { open: openFile, close: closeFile } = files;
  const openCanvas = useCallback(
    (id: BlockId) => {
      closeFile();
      setOwnCanvas(id);
      lastCanvas.set(id);
      if (breadth === "narrow") setFront("canvas");
      if (shownRoot === null || shownRoot.canvasId === id) return;
      void client.call("conversation.set-canvas", { rootId: shownRoot.id, canvasId: id }).then((result) => {
        if (!result.ok) tell(result.error);
      });
    },
    [breadth, client, shownRoot, tell, closeFile],
  );
  const showFile = useCallback(
    (path: string) => {
      openFile(path);
      if (breadth === "narrow") setFront("canvas");
    },
    [breadth, openFile],
  );
  // A conversation is opened with the canvas that it works on.
  const openConversation = useCallback(
    (id: RootId) => {
      closeFile();
      openRoot(id);
    },
    [closeFile, openRoot],
  );
  const { view, sending, run: shownRun } = model;
  const untouched =
    shownRoot?.title === "" && view?.nodesById.size === 0 && sending === null && shownRun === null && !opening;
  const newConversation = useCallback(() => {
    if (untouched && shownRoot.canvasId === canvasId) {
      showPane("conversation");
      announce("This conversation is new already.");
      return;
    }
    // The old conversation goes at once: what is typed next is meant for the new one.
    const wish = { canvasId, rootId: null };
    setWished(wish);
    void client.call("conversation.create", { canvasId }).then((result) => {
      const stillWished = latestWish.current === wish;
      // Whoever has gone elsewhere meanwhile stays there.
      if (!stillWished) return;
      if (!result.ok) {
        setWished(null);
        return tell(result.error);
      }
      openRoot(result.value.rootId);
      setWished({ canvasId, rootId: result.value.rootId });
      announce("A new conversation is open.");
    });
  }, [client, canvasId, untouched, shownRoot, openRoot, showPane, tell, announce]);
  const { nodeId: goalId, seek } = useGoal(model);
  const goToNode = useCallback(
    (id: RootId, nodeId: NodeId | null) => {
      if (id !== shownRoot?.id) openRoot(id);
      if (nodeId !== null) seek({ rootId: id, what: { type: "node", nodeId } });
      if (breadth === "narrow") setFront("conversation");
    },
    [shownRoot, openRoot, breadth, seek],
  );
  const goToPlace = useCallback(
    ({ rootId: id, nodeId, callId }: OriginPlace) => {
      goToNode(id, nodeId);
      if (nodeId === null && callId !== null) seek({ rootId: id, what: { type: "call", callId } });
    },
    [goToNode, seek],
  );
  const goToBookmark = useCallback(({ rootId: id, nodeId }: Bookmark) => goToNode(id, nodeId), [goToNode]);
  const onGoal = useCallback(() => seek(null), [seek]);
  const shownRootId = shownRoot?.id ?? null;
  const showNode = useCallback(
    (nodeId: NodeId) => {
      if (shownRootId !== null) goToNode(shownRootId, nodeId);
    },
    [shownRootId, goToNode],
  );
  const newCanvas = useCallback(() => setDialog("canvas"), []);
  const rename = useCallback(() => setRenaming(true), []);
  const makeCanvas = async (title: string): Promise<boolean> => {
    const result = await client.call("canvas.create", { title });
    if (result.ok) openCanvas(result.value.canvasId);
    else tell(result.error);
    return result.ok;
  };

  useReviewAsked(() => {
    showPane("canvas");
    canvas.current?.nextSuggestion(1);
  });

  const commands = useMemo((): Commands => {
    const run = model.run;
    const active = run !== null && isActive(run);
    const messageNode = () => {
      const id = focusedMessage()?.dataset["nodeId"];
      return model.path.find((node) => node.id === id) ?? lastSaid(model.path) ?? null;
    };
    const question = () => {
      const node = messageNode();
      return node === null ? null : questionAbove(model.path, node.id);
    };
    const ask = (question: AskedMessage["question"]): void => {
      const node = messageNode();
      if (node !== null && (question !== "split" || splittableText(node) !== null)) setAsked({ node, question });
    };
    /** The nearest message, from the focused one upwards, that has others beside it. */
    const step = (by: -1 | 1): void => {
      const view = model.view;
      const node = messageNode();
      if (view === null || node === null) return;
      const above = model.path.slice(0, model.path.indexOf(node) + 1);
      const fork = above.findLast((candidate) => siblingsOf(view, candidate).ids.length > 1);
      if (fork !== undefined) model.showVersion(fork, by);
    };
    return {
      palette: () => setDialog("palette"),
      search: () => setDialog("search"),
      help: () => setDialog("help"),
      settings: () => setDialog("settings"),
      "tool-calls": () => setDialog("tool-calls"),
      "focus-forest": () => showPane("forest"),
      "focus-conversation": () => showPane("conversation"),
      "focus-canvas": () => showPane("canvas"),
      "next-region": () => focusRegion(1),
      "previous-region": () => focusRegion(-1),
      "toggle-pane": () => {
        const own = document.activeElement?.closest<HTMLElement>("[data-pane]")?.dataset["pane"];
        const pane = paneNames.find((name) => name === own);
        // From nowhere in particular the key brings everything back.
        changeLayout({ ...layout, hidden: pane === undefined ? [] : [...layout.hidden, pane] });
      },
      theme: () => changeSetting("theme", nextTheme[settings.theme]),
      authors: () => changeSetting("authors", nextAuthors[settings.authors]),
      "new-conversation": newConversation,
      "new-canvas": newCanvas,
      compose: () => document.querySelector<HTMLElement>("[aria-label='Message']")?.focus(),
      "next-message": () => moveMessage("next"),
      "previous-message": () => moveMessage("previous"),
      "first-message": () => {
        // The beginning of a long conversation is drawn when somebody wants to see it.
        const first = model.path[0];
        if (first === undefined || isDrawn(first.id)) moveMessage("first");
        else showNode(first.id);
      },
      "last-message": () => moveMessage("last"),
      "previous-version": () => step(-1),
      "next-version": () => step(1),
      parent: () => {
        const node = messageNode();
        const above = node === null ? null : questionAbove(model.path, node.parentId ?? node.id);
        if (above !== null) document.querySelector<HTMLElement>(`[data-node-id="${CSS.escape(above.id)}"]`)?.focus();
      },
      child: () => moveMessage("next"),
      bookmark: () => ask("bookmark"),
      "split-message": () => ask("split"),
      "delete-message": () => ask("delete"),
      "edit-message": () => setEditingId(question()?.id ?? null),
      regenerate: () => {
        const node = messageNode();
        if (node !== null) model.regenerate(node);
      },
      history: () => canvas.current?.history(),
      outline: () => canvas.current?.outline(),
      blame: () => changeSetting("blame", settings.blame === "on" ? "off" : "on"),
      "explain-line": () => canvas.current?.explainLine(),
      "next-suggestion": () => canvas.current?.nextSuggestion(1),
      "previous-suggestion": () => canvas.current?.nextSuggestion(-1),
      "toggle-policy": () => canvas.current?.togglePolicy(),
      "undo-turn": () => canvas.current?.undoTurn(),
      "go-up": () => moveMessage("previous"),
      "send-only": () => model.send({ ask: false }),
      ...(shownRoot === null ? {} : { "rename-conversation": () => setRenaming(true) }),
      ...(active ? { cancel: model.cancel } : {}),
      ...(connection.type === "reconnecting" || connection.type === "offline"
        ? { "reconnect-now": () => client.reconnectNow() }
        : {}),
    };
  }, [
    model,
    layout,
    settings,
    shownRoot,
    connection.type,
    newConversation,
    newCanvas,
    client,
    changeLayout,
    showPane,
    showNode,
  ]);
  useKeyboard(commands);

  const title = shownRoot === null ? null : conversationTitle(shownRoot);
  useEffect(() => {
    document.title = title === null ? "Heddle" : `${title} · Heddle`;
  }, [title]);

  // What the forest shows changes with messages, not with every letter of a reply.
  const nodesById = model.view?.nodesById ?? noNodes;
  const childrenByParent = model.view?.childrenByParent ?? noChildren;
  const branches = useMemo(() => ({ nodesById, childrenByParent }), [nodesById, childrenByParent]);
  const marks = useSteady(marksOf(model.view?.runs ?? []), sameMarks);

  const opened = wished !== null && !opening;
  useEffect(() => {
    if (!opened) return;
    // The wish has come true: one that is deleted later is not waited for again.
    setWished(null);
    document.querySelector<HTMLElement>("[aria-label='Message']")?.focus();
  }, [opened]);

  const body: Record<PaneName, ReactNode> = {
    forest: (
      <ForestPane
        workspace={workspace}
        rootId={model.rootId}
        branches={branches}
        path={model.path}
        marks={marks}
        seen={model.seen}
        onShow={model.show}
        bookmarks={model.view?.bookmarks ?? noBookmarks}
        onBookmark={goToBookmark}
        canvasId={files.shown === null ? canvasId : null}
        files={files}
        onFile={showFile}
        onOpen={openConversation}
        onNew={newConversation}
        onRename={rename}
        onCanvas={openCanvas}
        onNewCanvas={newCanvas}
      />
    ),
    conversation: (
      <ConversationPane
        model={model}
        root={shownRoot}
        opening={opening}
        workspace={workspace}
        presets={presets}
        canvasTitle={canvasTitle}
        editingId={editingId}
        onEditing={setEditingId}
        renaming={renaming}
        onRenaming={setRenaming}
        asked={asked}
        onAsk={setAsked}
        goal={goalId}
        onGoal={onGoal}
        onNew={newConversation}
        onKeys={() => setDialog("keys")}
      />
    ),
    canvas: (
      <CanvasPane
        ref={canvas}
        workspace={workspace}
        canvasId={canvasId}
        file={files.shown}
        onFileState={files.refresh}
        onMention={(path) => {
          model.setDraft(`${model.draft}${/\S$/u.test(model.draft) ? " " : ""}\`${path}\` `);
          showPane("conversation");
        }}
        nodesById={nodesById}
        onNode={showNode}
        onPlace={goToPlace}
        onCanvas={openCanvas}
        onNewCanvas={newCanvas}
      />
    ),
  };
  const mainPane = panes.includes("conversation") ? "conversation" : panes.at(-1);
  return (
    <div className="page" data-breadth={breadth}>
      <TopBar
        people={workspace.people}
        onPalette={() => setDialog("palette")}
        onHelp={() => setDialog("help")}
        onSettings={() => setDialog("settings")}
      />
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
                  onChange={changeLayout}
                />
              )
            }
          >
            {body[pane]}
          </PaneFrame>
        ))}
      </div>
      <footer className="status-bar" data-region="status" aria-label="State" tabIndex={-1}>
        {breadth !== "narrow" && (
          <PaneToggles panes={panes} onToggle={(pane) => togglePane({ pane, panes, layout, changeLayout, setFront })} />
        )}
        <StateLine model={model} />
        {shownRoot !== null && (
          <UsageLine
            modelId={shownRoot.model}
            models={workspace.models}
            path={model.path}
            nodesById={model.view?.nodesById ?? null}
          />
        )}
      </footer>
      {breadth === "narrow" && <TabBar front={front} onFront={setFront} />}
      {(dialog === "palette" || dialog === "search") && (
        <Palette
          items={paletteItems({
            workspace,
            commands,
            presets,
            files: files.listing?.files ?? [],
            onFile: showFile,
            onRoot: openRoot,
            onCanvas: openCanvas,
            onModel: model.setModel,
          })}
          searching={dialog === "search"}
          onSearch={(words) => searchMessages(client, words, { roots: workspace.roots, onNode: goToNode })}
          onClose={() => setDialog("none")}
        />
      )}
      {dialog === "help" && <HelpDialog onClose={() => setDialog("none")} />}
      {(dialog === "settings" || dialog === "keys") && (
        <SettingsDialog
          atKeys={dialog === "keys"}
          name={name}
          live={connection.type === "live"}
          presets={presets}
          onToolCalls={() => setDialog("tool-calls")}
          onClose={() => setDialog("none")}
        />
      )}
      {dialog === "tool-calls" && (
        <ToolCallsDialog
          root={shownRoot}
          model={workspace.models.find((candidate) => candidate.id === shownRoot?.model) ?? null}
          live={connection.type === "live"}
          onClose={() => setDialog("none")}
        />
      )}
      {dialog === "canvas" && <CanvasDialog onMake={makeCanvas} onClose={() => setDialog("none")} />}
    </div>
  );
}

function newest(workspace: WorkspaceView) {
  const open = workspace.roots.filter((root) => !root.archived);
  return open.reduce<(typeof open)[number] | null>(
    (best, root) => (best === null || root.updatedAt > best.updatedAt ? root : best),
    null,
  );
}
