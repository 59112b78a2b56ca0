import type { BlockId, NodeId, RootId, ToolCallId } from "../../../src/core/base/ids.ts";
import type { AskedMessage } from "../conversation/message/message-actions.ts";
import type { PageDialog, PageEntry } from "./page-entry.ts";
import { type Breadth, type PaneLayout, type PaneName, shownPanes } from "./pane-layout.ts";

/** The open conversation, or the one being created. */
export type Place =
  /** null opens the most recently changed one. */
  | { readonly type: "open"; readonly rootId: RootId | null }
  /** A new conversation is requested; `leftId` was open before. */
  | {
      readonly type: "creating";
      readonly request: number;
      readonly canvasId: BlockId | null;
      readonly leftId: RootId | null;
    }
  /** The server has created it, and the list of conversations does not contain it yet. */
  | { readonly type: "created"; readonly rootId: RootId; readonly canvasId: BlockId | null };

/** A message to scroll to, by its id or by a call in it. */
export interface Goal {
  readonly rootId: RootId;
  readonly what:
    | { readonly type: "node"; readonly nodeId: NodeId }
    | { readonly type: "call"; readonly callId: ToolCallId };
}

/** The navigation state of the page. */
export interface Navigation {
  readonly place: Place;
  /** The canvas that this page shows; beside a conversation that it has not shown yet, the one opened last. */
  readonly canvasId: BlockId | null;
  /** The conversation beside which the page shows this canvas, or none, whatever others choose for it meanwhile. */
  readonly shownIn: RootId | null;
  /** Whether the next question is not about the shown canvas. */
  readonly aside: boolean;
  /** Whether the person closed the last document, so that none is opened by itself. */
  readonly closed: boolean;
  readonly dialog: PageDialog;
  /** The question being edited. */
  readonly editingId: NodeId | null;
  /** Whether the title of the open conversation is being edited. */
  readonly renaming: boolean;
  readonly asked: AskedMessage | null;
  readonly goal: Goal | null;
  readonly layout: PaneLayout;
  /** The pane shown when there is room for one. */
  readonly front: PaneName;
}

export type NavigationAction =
  | { readonly type: "conversation-opened"; readonly rootId: RootId }
  | { readonly type: "conversation-wished"; readonly request: number; readonly canvasId: BlockId | null }
  | { readonly type: "conversation-created"; readonly request: number; readonly rootId: RootId }
  | { readonly type: "conversation-refused"; readonly request: number }
  | { readonly type: "conversation-listed"; readonly rootId: RootId }
  /** Nobody chose this conversation; it is shown because it changed last. */
  | { readonly type: "conversation-shown"; readonly rootId: RootId }
  | { readonly type: "canvas-opened"; readonly canvasId: BlockId; readonly rootId: RootId | null }
  /** Nobody chose this canvas; it is the conversation's own, or the one opened last where it has none. */
  | { readonly type: "canvas-shown"; readonly rootId: RootId; readonly canvasId: BlockId | null }
  /** The next question is about no canvas; it stays on the page. */
  | { readonly type: "canvas-put-aside" }
  /** The browser's Back or Forward returns to what the page showed. */
  | { readonly type: "entry-returned"; readonly entry: PageEntry }
  | { readonly type: "file-opened" }
  | { readonly type: "document-closed"; readonly rootId: RootId | null }
  | { readonly type: "goal-set"; readonly goal: Goal }
  | { readonly type: "goal-reached" }
  | { readonly type: "dialog-opened"; readonly dialog: Exclude<PageDialog, "none"> }
  | { readonly type: "dialog-closed" }
  | { readonly type: "edit-begun"; readonly nodeId: NodeId }
  | { readonly type: "edit-ended"; readonly nodeId: NodeId }
  | { readonly type: "rename-changed"; readonly renaming: boolean }
  | { readonly type: "question-changed"; readonly asked: AskedMessage | null }
  | { readonly type: "pane-fronted"; readonly pane: PaneName }
  | { readonly type: "pane-shown"; readonly pane: PaneName }
  | { readonly type: "pane-toggled"; readonly pane: PaneName }
  /** null shows all panes again. */
  | { readonly type: "pane-hidden"; readonly pane: PaneName | null }
  | { readonly type: "layout-changed"; readonly layout: PaneLayout };

/** Returns the state after an action; the same object when nothing changes. Pure. */
export function navigate(state: Navigation, action: NavigationAction, breadth: Breadth): Navigation {
  switch (action.type) {
    case "conversation-opened":
    case "conversation-wished":
    case "conversation-created":
    case "conversation-refused":
    case "conversation-listed":
    case "conversation-shown":
      return withPlace(state, action, breadth);
    case "canvas-opened": {
      const { canvasId, rootId } = action;
      return fronted({ ...state, canvasId, shownIn: rootId, aside: false, closed: false }, "canvas", breadth);
    }
    case "canvas-shown": {
      // It stays, whatever others change from now on.
      if (state.shownIn === action.rootId) return state;
      const { rootId: shownIn, canvasId } = action;
      return { ...state, canvasId: canvasId ?? state.canvasId, shownIn, aside: canvasId === null };
    }
    case "entry-returned":
      return returned(state, action.entry);
    case "canvas-put-aside":
      return { ...state, aside: true };
    case "file-opened":
      return fronted({ ...state, closed: false }, "canvas", breadth);
    case "document-closed":
      return { ...state, canvasId: null, shownIn: action.rootId, aside: false, closed: true };
    case "goal-set":
      return fronted({ ...state, goal: action.goal }, "conversation", breadth);
    case "goal-reached":
      return { ...state, goal: null };
    case "dialog-opened":
      return { ...state, dialog: action.dialog };
    case "dialog-closed":
      return { ...state, dialog: "none" };
    case "edit-begun":
      return { ...state, editingId: action.nodeId };
    case "edit-ended":
      // Another question may be in the form by now.
      return state.editingId === action.nodeId ? { ...state, editingId: null } : state;
    case "rename-changed":
      return { ...state, renaming: action.renaming };
    case "question-changed":
      return { ...state, asked: action.asked };
    case "pane-fronted":
    case "pane-shown":
    case "pane-toggled":
    case "pane-hidden":
    case "layout-changed":
      return withPanes(state, action, breadth);
  }
}

type PlaceAction = Extract<NavigationAction, { readonly type: `conversation-${string}` }>;

function withPlace(state: Navigation, action: PlaceAction, breadth: Breadth): Navigation {
  const { place } = state;
  switch (action.type) {
    case "conversation-opened":
      return opened(state, { type: "open", rootId: action.rootId }, breadth);
    case "conversation-wished": {
      const { request, canvasId } = action;
      return { ...state, place: { type: "creating", request, canvasId, leftId: rootIdOf(place) } };
    }
    case "conversation-created":
      // The person may have opened something else meanwhile.
      if (place.type !== "creating" || place.request !== action.request) return state;
      return opened(state, { type: "created", rootId: action.rootId, canvasId: place.canvasId }, breadth);
    case "conversation-refused":
      if (place.type !== "creating" || place.request !== action.request) return state;
      return { ...state, place: { type: "open", rootId: place.leftId } };
    case "conversation-listed":
      // The conversation has arrived; if it is deleted later, the page does not wait for it again.
      if (place.type !== "created" || place.rootId !== action.rootId) return state;
      return { ...state, place: { type: "open", rootId: place.rootId } };
    case "conversation-shown":
      // It stays, whatever others change from now on.
      if (place.type !== "open" || place.rootId !== null) return state;
      return { ...state, place: { type: "open", rootId: action.rootId } };
  }
}

/** Returns the state as an entry has it; what is not in entries stays. */
function returned(state: Navigation, { rootId, canvasId, dialog, front }: PageEntry): Navigation {
  const place: Place = rootId === rootIdOf(state.place) ? state.place : { type: "open", rootId };
  const isSame = place === state.place && canvasId === state.canvasId && rootId === state.shownIn;
  const canvas = isSame ? {} : { canvasId, shownIn: rootId, aside: canvasId === null, closed: canvasId === null };
  const forms = place === state.place ? {} : { editingId: null, renaming: false };
  return { ...state, ...forms, ...canvas, place, dialog, front: front ?? state.front };
}

function opened(state: Navigation, place: Place, breadth: Breadth): Navigation {
  return fronted({ ...state, place, editingId: null, renaming: false }, "conversation", breadth);
}

/** Returns the id of the requested conversation. */
export function rootIdOf(place: Place): RootId | null {
  return place.type === "creating" ? place.leftId : place.rootId;
}

type PaneAction = Extract<NavigationAction, { readonly type: `pane-${string}` | "layout-changed" }>;

function withPanes(state: Navigation, action: PaneAction, breadth: Breadth): Navigation {
  const { layout } = state;
  switch (action.type) {
    case "pane-fronted":
      return { ...state, front: action.pane };
    case "pane-shown":
      return { ...state, front: action.pane, layout: without(layout, action.pane) };
    case "pane-toggled": {
      const panes = shownPanes(breadth, layout, state.front);
      if (!panes.includes(action.pane)) return { ...state, front: action.pane, layout: without(layout, action.pane) };
      // The last pane stays.
      return panes.length > 1 ? { ...state, layout: hiding(layout, action.pane) } : state;
    }
    case "pane-hidden":
      return {
        ...state,
        layout: action.pane === null ? { ...layout, hidden: [] } : hiding(layout, action.pane),
      };
    case "layout-changed":
      return { ...state, layout: action.layout };
  }
}

function without(layout: PaneLayout, pane: PaneName): PaneLayout {
  return layout.hidden.includes(pane) ? { ...layout, hidden: layout.hidden.filter((other) => other !== pane) } : layout;
}

function hiding(layout: PaneLayout, pane: PaneName): PaneLayout {
  return layout.hidden.includes(pane) ? layout : { ...layout, hidden: [...layout.hidden, pane] };
}

/** Brings a pane to the front of a page with room for one. */
function fronted(state: Navigation, front: PaneName, breadth: Breadth): Navigation {
  return breadth === "narrow" ? { ...state, front } : state;
}
