import type { BlockId, FolderId, RootId } from "../base/ids.ts";
import type { ForestRoot } from "./types.ts";

/** What happens in a conversation: a turn is under way, a turn waits for a person, or the last turn failed. */
export type ConversationActivity = "running" | "waits" | "failed";

/** A conversation as lists show it. */
export interface ConversationSummary extends Pick<
  ForestRoot,
  | "id"
  | "slug"
  | "title"
  | "model"
  | "canvasId"
  | "folderId"
  | "archived"
  | "pinned"
  | "tags"
  | "createdAt"
  /** When its settings or its messages last changed. */
  | "updatedAt"
> {
  /** Absent: nothing happens. */
  readonly activity?: ConversationActivity;
}

/** A canvas as lists show it. */
export interface CanvasSummary {
  readonly id: BlockId;
  readonly title: string;
  /** Its document folder: names joined by `/`. Absent: at the top. */
  readonly folderPath?: string;
  /** A canvas that is a file: its folder of the machine and its path there. Lists of canvases leave it out. */
  readonly fileFolderId?: FolderId;
  readonly filePath?: string;
  readonly pinned?: true;
  readonly archived?: true;
  readonly createdAt: number;
  /** When it last changed, to the minute, so that typing changes no list. */
  readonly updatedAt?: number;
}

/** A document folder as lists show it. It exists by the canvases in it. */
export interface CanvasFolder {
  /** Its folder path. */
  readonly id: string;
  /** The last name of the path. */
  readonly title: string;
  readonly createdAt: number;
  /** How many canvases it holds that are not archived, at any depth. */
  readonly count: number;
}

/** How a list is ordered; what is pinned comes first. */
export const listOrders = ["created", "updated", "title"] as const;
export type ListOrder = (typeof listOrders)[number];

/** Which entries of a list are watched: the first `count` of those whose title has all words of `filter`, or a single one. */
export type List =
  | {
      readonly of: "conversations";
      readonly archived: boolean;
      /** Newest first by this time, or by title. */
      readonly order: ListOrder;
      readonly filter: string;
      /** Only conversations with this tag. */
      readonly tag?: string;
      readonly count: number;
    }
  | {
      readonly of: "canvases";
      readonly filter: string;
      readonly count: number;
      /** Absent: newest first. */
      readonly order?: ListOrder;
      /** Only canvases in this document folder itself; empty for those at the top. */
      readonly folderPath?: string;
      /** Absent: those that are not archived. */
      readonly archived?: boolean;
    }
  /** All document folders, by their paths. */
  | { readonly of: "canvas-folders" }
  | { readonly of: "conversation"; readonly id: RootId }
  | { readonly of: "canvas"; readonly id: BlockId };

/** What a list of each kind holds. */
export interface ListEntries {
  readonly conversations: ConversationSummary;
  readonly canvases: CanvasSummary;
  readonly "canvas-folders": CanvasFolder;
  readonly conversation: ConversationSummary;
  readonly canvas: CanvasSummary;
}

export type ListEntry = ListEntries[List["of"]];

/** A name for the list; equal for equal lists. */
export function listKey(list: List): string {
  switch (list.of) {
    case "conversations":
      return JSON.stringify([list.of, list.archived, list.order, list.filter, list.count, list.tag ?? null]);
    case "canvases": {
      const { filter, count, order = "created", folderPath = null, archived = false } = list;
      return JSON.stringify([list.of, filter, count, order, folderPath, archived]);
    }
    case "canvas-folders":
      return JSON.stringify([list.of]);
    case "conversation":
    case "canvas":
      return JSON.stringify([list.of, list.id]);
  }
}

/** What a conversation is called; one that has not been given a title yet is a new one. */
export function conversationTitle({ title }: Pick<ForestRoot, "title">): string {
  const trimmed = title.trim();
  return trimmed === "" ? "New conversation" : trimmed;
}

/** `last` is when a message was last added, and what happens now. */
export function conversationSummary(
  root: ForestRoot,
  last: { readonly at: number; readonly activity: ConversationActivity | null } = { at: 0, activity: null },
): ConversationSummary {
  const { id, slug, title, model, canvasId, folderId, archived, pinned, tags, createdAt } = root;
  const { activity } = last;
  const updatedAt = Math.max(root.updatedAt, last.at);
  return {
    id,
    slug,
    title,
    model,
    canvasId,
    ...(folderId === undefined ? {} : { folderId }),
    archived,
    ...(pinned === undefined ? {} : { pinned }),
    ...(tags === undefined ? {} : { tags }),
    ...(activity === null ? {} : { activity }),
    createdAt,
    updatedAt,
  };
}

/** Returns a test for titles that have all words of a filter, whatever their case. */
export function titleFilter(filter: string): (title: string) => boolean {
  const words = filter
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  return (title) => {
    if (words.length === 0) return true;
    const lower = title.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}

interface Ordered {
  readonly id: string;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt?: number;
  readonly pinned?: true;
}

type Comparison = (a: Ordered, b: Ordered) => number;

const byTime: Record<ListOrder, Comparison> = {
  created: (a, b) => b.createdAt - a.createdAt,
  updated: (a, b) => (b.updatedAt ?? b.createdAt) - (a.updatedAt ?? a.createdAt),
  title: (a, b) => compareTitles(a.title, b.title),
};

/** Puts what is pinned first, then follows the order; ids decide between equals. */
export const orders: Readonly<Record<ListOrder, Comparison>> = {
  created: pinnedFirst(byTime.created),
  updated: pinnedFirst(byTime.updated),
  title: pinnedFirst(byTime.title),
};

function pinnedFirst(then: Comparison): Comparison {
  return (a, b) => Number(b.pinned ?? false) - Number(a.pinned ?? false) || then(a, b) || compareIds(a.id, b.id);
}

/** Compares titles the same way in every process: ignoring case, by code units. */
function compareTitles(a: string, b: string): number {
  const [low, lowOther] = [a.toLowerCase(), b.toLowerCase()];
  return low < lowOther ? -1 : low > lowOther ? 1 : 0;
}

function compareIds(a: string, b: string): number {
  return a < b ? 1 : a > b ? -1 : 0;
}
