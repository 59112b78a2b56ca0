import { type Dispatch, type RefObject, useMemo } from "react";
import type { HeddleClient } from "../../../src/client/base/types.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import { focusedMessage, focusRegion, isDrawn, moveMessage } from "../browser/focus.ts";
import { changeSetting, currentSettings } from "../browser/settings.ts";
import type { CanvasHandle } from "../canvas/canvas-handle.ts";
import type { AskedMessage } from "../conversation/message/message-actions.ts";
import type { Conversation } from "../conversation/state/conversation.ts";
import type { NavigationAction } from "../navigation/navigation.ts";
import { paneNames } from "../navigation/pane-layout.ts";
import type { Commands } from "../navigation/use-commands.ts";
import type { Moves } from "../navigation/use-moves.ts";
import { askForTab, type TabStep } from "../ui/request/tab-request.ts";
import { useApp } from "../ui/app-context.ts";
import { useObservable } from "../ui/use-observable.ts";
import { useSelected } from "../ui/use-selected.ts";
import { lastSaid } from "../view/branches/hidden.ts";
import { splittableText } from "../view/branches/message-text.ts";
import { siblingsOf } from "../view/branches/path.ts";
import { questionAbove } from "../view/branches/questions.ts";
import { isActive } from "../view/run/shown-state.ts";

interface Page {
  readonly client: HeddleClient;
  readonly conversation: Conversation;
  readonly canvas: RefObject<CanvasHandle | null>;
  readonly moves: Moves;
  readonly dispatch: Dispatch<NavigationAction>;
}

/** The commands of the page: the same object until the set of available commands changes. */
export function usePageCommands(page: Omit<Page, "client">): Commands {
  const { client } = useApp();
  const { conversation, canvas, moves, dispatch } = page;
  const connection = useObservable(client.state).type;
  const { active } = useSelected(conversation.state, ({ run }) => ({ active: run !== null && isActive(run) }));
  const away = connection === "reconnecting" || connection === "offline";
  return useMemo((): Commands => {
    const whole = { client, conversation, canvas, moves, dispatch };
    return {
      ...pageCommands(whole),
      ...messageCommands(whole),
      ...branchCommands(whole),
      ...canvasCommands(whole),
      ...tabCommands,
      ...(active ? { cancel: conversation.cancel } : {}),
      ...(away ? { "reconnect-now": () => client.reconnectNow() } : {}),
    };
  }, [client, conversation, canvas, moves, dispatch, active, away]);
}

const tab = (step: TabStep) => () => {
  askForTab(step);
};

const tabCommands: Commands = {
  "next-tab": tab({ type: "next", by: 1 }),
  "previous-tab": tab({ type: "next", by: -1 }),
  "close-tab": tab({ type: "close", id: null }),
  "close-other-tabs": tab({ type: "close-others" }),
  "reopen-tab": tab({ type: "reopen" }),
  "tab-right": tab({ type: "move", by: 1 }),
  "tab-left": tab({ type: "move", by: -1 }),
};

const nextAuthors = { hidden: "subtle", subtle: "full", full: "hidden" } as const;
const nextTheme = { system: "light", light: "dark", dark: "contrast", contrast: "system" } as const;

function pageCommands({ moves, dispatch, conversation }: Page): Commands {
  const open = (dialog: Extract<NavigationAction, { readonly type: "dialog-opened" }>["dialog"]) => () =>
    dispatch({ type: "dialog-opened", dialog });
  return {
    palette: open("palette"),
    "open-document": open("open"),
    search: open("search"),
    help: open("help"),
    settings: open("settings"),
    "tool-calls": open("tool-calls"),
    trash: open("trash"),
    "new-canvas": open("canvas"),
    "focus-forest": () => moves.showPane("forest"),
    "focus-conversation": () => moves.showPane("conversation"),
    "focus-canvas": () => moves.showPane("canvas"),
    "next-region": () => focusRegion(1),
    "previous-region": () => focusRegion(-1),
    "toggle-pane": () => {
      const own = document.activeElement?.closest<HTMLElement>("[data-pane]")?.dataset["pane"];
      // Without a focused pane the key shows all panes again.
      dispatch({ type: "pane-hidden", pane: paneNames.find((name) => name === own) ?? null });
    },
    theme: () => changeSetting("theme", nextTheme[currentSettings().theme]),
    authors: () => changeSetting("authors", nextAuthors[currentSettings().authors]),
    "new-conversation": moves.newConversation,
    ...(conversation.rootId === null
      ? {}
      : {
          "rename-conversation": () => dispatch({ type: "rename-changed", renaming: true }),
          "archive-conversation": () => conversation.archive(conversation.state.get().root?.archived !== true),
          compact: () => conversation.compact(),
        }),
    compose: () => document.querySelector<HTMLElement>("[aria-label='Message']")?.focus(),
  };
}

/** Returns the message that a command acts on: the focused one, else the last visible message. */
function messageNode({ state }: Conversation): ForestNode | null {
  const { path } = state.get();
  const id = focusedMessage()?.dataset["nodeId"];
  return path.find((node) => node.id === id) ?? lastSaid(path) ?? null;
}

function messageCommands({ conversation, dispatch }: Page): Commands {
  const ask = (question: AskedMessage["question"]) => () => {
    const node = messageNode(conversation);
    if (node === null || (question === "split" && splittableText(node) === null)) return;
    dispatch({ type: "question-changed", asked: { node, question } });
  };
  return {
    bookmark: ask("bookmark"),
    "split-message": ask("split"),
    "delete-message": ask("delete"),
    "edit-message": () => {
      const node = messageNode(conversation);
      const question = node === null ? null : questionAbove(conversation.state.get().path, node.id);
      if (question !== null) dispatch({ type: "edit-begun", nodeId: question.id });
    },
    regenerate: () => {
      const node = messageNode(conversation);
      if (node !== null) conversation.regenerate(node);
    },
    "send-only": () => conversation.send({ ask: false }),
  };
}

function branchCommands({ conversation, moves }: Page): Commands {
  /** Shows another version of the nearest message, from the focused one upwards, that has several versions. */
  const step = (by: -1 | 1): void => {
    const { tree, path } = conversation.state.get();
    const node = messageNode(conversation);
    if (tree === null || node === null) return;
    const above = path.slice(0, path.indexOf(node) + 1);
    const fork = above.findLast((candidate) => siblingsOf(tree, candidate).ids.length > 1);
    if (fork !== undefined) conversation.showVersion(fork, by);
  };
  return {
    "next-message": () => moveMessage("next"),
    "previous-message": () => moveMessage("previous"),
    "first-message": () => {
      // The ends of a long conversation are rendered on demand.
      const first = conversation.state.get().path[0];
      if (first === undefined || isDrawn(first.id)) moveMessage("first");
      else moves.showNode(first.id);
    },
    "last-message": () => {
      const last = conversation.state.get().path.at(-1);
      if (last === undefined || isDrawn(last.id)) moveMessage("last");
      else moves.showNode(last.id);
    },
    "go-up": () => moveMessage("previous"),
    "previous-version": () => step(-1),
    "next-version": () => step(1),
    parent: () => {
      const { path } = conversation.state.get();
      const node = messageNode(conversation);
      const above = node === null ? null : questionAbove(path, node.parentId ?? node.id);
      if (above === null) return;
      if (isDrawn(above.id)) document.querySelector<HTMLElement>(`[data-node-id="${CSS.escape(above.id)}"]`)?.focus();
      else moves.showNode(above.id);
    },
    child: () => moveMessage("next"),
  };
}

function canvasCommands({ canvas }: Page): Commands {
  return {
    history: () => canvas.current?.history(),
    outline: () => canvas.current?.outline(),
    blame: () => changeSetting("blame", currentSettings().blame === "on" ? "off" : "on"),
    "explain-line": () => canvas.current?.explainLine(),
    "next-suggestion": () => canvas.current?.nextSuggestion(1),
    "previous-suggestion": () => canvas.current?.nextSuggestion(-1),
    "toggle-view": () => changeSetting("view", currentSettings().view === "live" ? "source" : "live"),
    comment: () => canvas.current?.comment("comment"),
    "ask-selection": () => canvas.current?.comment("ask"),
    "edit-selection": () => canvas.current?.comment("edit"),
    comments: () => canvas.current?.comments(),
    "toggle-policy": () => canvas.current?.togglePolicy(),
    "undo-turn": () => canvas.current?.undoTurn(),
    // Their keys belong to the text and to the lease; here for who looks for them by name.
    "undo-mine": () => canvas.current?.undoMine(),
    "redo-mine": () => canvas.current?.redoMine(),
    "take-control": () => canvas.current?.takeControl(),
  };
}
