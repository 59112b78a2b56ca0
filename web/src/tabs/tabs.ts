import type { BlockId } from "../../../src/core/base/ids.ts";
import { isRecord } from "../browser/stored.ts";

/** An open document. */
export interface Tab {
  readonly id: BlockId;
  readonly title: string;
  /** Where it lies: document folder or folder of files; "" at the top. */
  readonly folder: string;
  /** Whether an agent changed it while another document was shown. */
  readonly unread: boolean;
}

/** The open documents of a window. */
export interface Tabs {
  /** In the order of the strip. */
  readonly tabs: readonly Tab[];
  /** The document that is shown, or being opened; null for none. */
  readonly activeId: BlockId | null;
  /** The document that the next one takes the place of: it was only looked at. */
  readonly previewId: BlockId | null;
  /** The open documents, shown last first. */
  readonly recent: readonly BlockId[];
  /** Documents that were closed, last first. */
  readonly closed: readonly BlockId[];
}

export type TabsAction =
  /** A document is on the page now. */
  | { readonly type: "shown"; readonly id: BlockId; readonly title: string; readonly folder: string }
  /** No document is on the page. */
  | { readonly type: "none-shown" }
  /** A document was asked for; it arrives later. */
  | { readonly type: "asked"; readonly id: BlockId }
  | { readonly type: "named"; readonly id: BlockId; readonly title: string; readonly folder: string }
  /** The person works on it, so that it stays open. */
  | { readonly type: "kept"; readonly id: BlockId }
  /** An agent changed it. */
  | { readonly type: "changed"; readonly id: BlockId }
  /** `to` is a place on the strip, from 0. */
  | { readonly type: "moved"; readonly id: BlockId; readonly to: number }
  | { readonly type: "closed"; readonly id: BlockId }
  /** It is in the trash: it is closed, and not among those that open again. */
  | { readonly type: "deleted"; readonly id: BlockId };

export const noTabs: Tabs = { tabs: [], activeId: null, previewId: null, recent: [], closed: [] };

const closedMax = 20;

/** Returns the open documents after an action; the same object when nothing changes. Pure. */
export function nextTabs(state: Tabs, action: TabsAction): Tabs {
  switch (action.type) {
    case "shown":
      return shown(state, action);
    case "none-shown":
      return state.activeId === null ? state : { ...state, activeId: null };
    case "asked":
      return state.activeId === action.id ? state : { ...state, activeId: action.id };
    case "named":
      return changed(state, action.id, { title: action.title, folder: action.folder });
    case "kept":
      return state.previewId === action.id ? { ...state, previewId: null } : state;
    case "changed":
      return state.activeId === action.id ? state : changed(state, action.id, { unread: true });
    case "moved":
      return moved(state, action.id, action.to);
    case "closed":
      return without(state, action.id, [action.id, ...state.closed.filter((id) => id !== action.id)]);
    case "deleted":
      return without(
        state,
        action.id,
        state.closed.filter((id) => id !== action.id),
      );
  }
}

/** Returns the document to show when one is closed: the one shown before it; null when it is the only one. */
export function shownAfter({ tabs, recent }: Tabs, closedId: BlockId): BlockId | null {
  const left = tabs.filter(({ id }) => id !== closedId);
  return recent.find((id) => left.some((tab) => tab.id === id)) ?? left[0]?.id ?? null;
}

/** Returns the document some places further on the strip, around its ends; null when there is no other. */
export function neighbourOf({ tabs, activeId }: Tabs, by: 1 | -1): BlockId | null {
  const at = tabs.findIndex(({ id }) => id === activeId);
  const next = tabs.at(at === -1 ? 0 : (at + by) % tabs.length)?.id ?? null;
  return next === activeId ? null : next;
}

/** Returns whether another open document has the same name, so that the folder tells them apart. */
export function isNamedTwice(tabs: readonly Tab[], { id, title }: Tab): boolean {
  return tabs.some((tab) => tab.id !== id && tab.title === title);
}

function shown(state: Tabs, { id, title, folder }: Extract<TabsAction, { readonly type: "shown" }>): Tabs {
  const recent = [id, ...state.recent.filter((other) => other !== id)];
  const closed = state.closed.filter((other) => other !== id);
  const active = { ...state, activeId: id, recent, closed };
  if (state.tabs.some((tab) => tab.id === id)) return changed(active, id, { title, folder, unread: false });
  const tab: Tab = { id, title, folder, unread: false };
  const preview = state.tabs.findIndex((other) => other.id === state.previewId);
  if (preview !== -1) {
    return {
      ...active,
      tabs: state.tabs.with(preview, tab),
      previewId: id,
      recent: recent.filter((other) => other !== state.previewId),
    };
  }
  // A new one is put beside the one it was opened from.
  const beside = state.tabs.findIndex((other) => other.id === state.recent[0]);
  return {
    ...active,
    tabs: state.tabs.toSpliced(beside === -1 ? state.tabs.length : beside + 1, 0, tab),
    previewId: id,
  };
}

function changed(state: Tabs, id: BlockId, change: Partial<Tab>): Tabs {
  const at = state.tabs.findIndex((tab) => tab.id === id);
  const tab = state.tabs[at];
  if (tab === undefined) return state;
  const next = { ...tab, ...change };
  const isSame = next.title === tab.title && next.folder === tab.folder && next.unread === tab.unread;
  return isSame ? state : { ...state, tabs: state.tabs.with(at, next) };
}

function moved(state: Tabs, id: BlockId, to: number): Tabs {
  const tab = state.tabs.find((each) => each.id === id);
  if (tab === undefined) return state;
  const others = state.tabs.filter((each) => each !== tab);
  const place = Math.max(0, Math.min(to, others.length));
  const kept = nextTabs(state, { type: "kept", id });
  return state.tabs[place] === tab ? kept : { ...kept, tabs: others.toSpliced(place, 0, tab) };
}

function without(state: Tabs, id: BlockId, closed: readonly BlockId[]): Tabs {
  if (!state.tabs.some((tab) => tab.id === id)) return state;
  return {
    tabs: state.tabs.filter((tab) => tab.id !== id),
    activeId: state.activeId === id ? null : state.activeId,
    previewId: state.previewId === id ? null : state.previewId,
    recent: state.recent.filter((other) => other !== id),
    closed: closed.slice(0, closedMax),
  };
}

/** Reads open documents that a browser stored; undefined when they cannot be read. */
export function readTabs(value: unknown): Tabs | undefined {
  if (!isRecord(value) || !Array.isArray(value["tabs"])) return undefined;
  const tabs = value["tabs"].flatMap((each: unknown): readonly Tab[] => {
    if (!isRecord(each) || typeof each["id"] !== "string" || typeof each["title"] !== "string") return [];
    const folder = typeof each["folder"] === "string" ? each["folder"] : "";
    return [{ id: each["id"] as BlockId, title: each["title"], folder, unread: each["unread"] === true }];
  });
  const idIn = (id: unknown): BlockId | null => tabs.find((tab) => tab.id === id)?.id ?? null;
  const ids = (list: unknown): readonly BlockId[] =>
    Array.isArray(list) ? list.filter((id: unknown): id is BlockId => typeof id === "string") : [];
  return {
    tabs,
    activeId: idIn(value["activeId"]),
    previewId: idIn(value["previewId"]),
    recent: ids(value["recent"]).filter((id) => idIn(id) !== null),
    closed: ids(value["closed"]).slice(0, closedMax),
  };
}
