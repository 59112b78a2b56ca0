import type { BlockId, RootId } from "../../../src/core/base/ids.ts";
import { isRecord } from "../browser/stored.ts";
import { type PaneName, paneNames } from "./pane-layout.ts";

const pageDialogs = [
  "none",
  "palette",
  "open",
  "search",
  "help",
  "settings",
  "keys",
  "canvas",
  "tool-calls",
  "activity",
  "trash",
] as const;
export type PageDialog = (typeof pageDialogs)[number];

/** What the browser's Back and Forward return to: an entry of the page's session history. */
export interface PageEntry {
  readonly rootId: RootId | null;
  readonly canvasId: BlockId | null;
  readonly dialog: PageDialog;
  /** The pane that a narrow page shows; null on a page with room for several. */
  readonly front: PaneName | null;
}

/** The entry that the page's history is at. */
export interface TopEntry extends PageEntry {
  /** Whether the entry before it is another page's. */
  readonly isFirst: boolean;
}

/** What is done with the history when the page shows something else than its top entry says. */
export type EntryStep = "none" | "push" | "replace" | "back";

/**
 * Returns how the page's history follows it. A dialog has an entry while it is open, so that Back closes it: closing it by another
 * way goes back, and what is opened from it takes its place.
 */
export function entryStep(top: TopEntry | null, now: PageEntry): EntryStep {
  if (top === null) return "replace";
  if (isSame(top, now)) return "none";
  if (top.dialog === "none") return "push";
  return isSame({ ...top, dialog: "none" }, now) && !top.isFirst ? "back" : "replace";
}

function isSame(a: PageEntry, b: PageEntry): boolean {
  return a.rootId === b.rootId && a.canvasId === b.canvasId && a.dialog === b.dialog && a.front === b.front;
}

/** Reads an entry that an earlier page of this tab may have made; undefined for anything else. */
export function readEntry(state: unknown): TopEntry | undefined {
  if (!isRecord(state)) return undefined;
  const { rootId, canvasId, dialog, front, isFirst } = state;
  const isId = (id: unknown): boolean => id === null || typeof id === "string";
  const known = pageDialogs.find((name) => name === dialog);
  if (!isId(rootId) || !isId(canvasId) || known === undefined) return undefined;
  return {
    rootId: rootId as RootId | null,
    canvasId: canvasId as BlockId | null,
    dialog: known,
    front: paneNames.find((name) => name === front) ?? null,
    isFirst: isFirst === true,
  };
}
