import type { BlockId, RootId } from "../base/ids.ts";
import type { ForestRoot } from "./types.ts";

/** A conversation as lists show it. */
export type ConversationSummary = Pick<
  ForestRoot,
  "id" | "slug" | "title" | "model" | "canvasId" | "folderId" | "archived" | "createdAt" | "updatedAt"
>;

/** A canvas as lists show it. */
export interface CanvasSummary {
  readonly id: BlockId;
  readonly title: string;
  readonly createdAt: number;
}

/** Which entries of a list are watched: the first `count` of those whose title has all words of `filter`, or a single one. */
export type List =
  | {
      readonly of: "conversations";
      readonly archived: boolean;
      /** Newest first, by this time. */
      readonly order: "created" | "updated";
      readonly filter: string;
      readonly count: number;
    }
  /** Newest first. */
  | { readonly of: "canvases"; readonly filter: string; readonly count: number }
  | { readonly of: "conversation"; readonly id: RootId }
  | { readonly of: "canvas"; readonly id: BlockId };

/** What a list of each kind holds. */
export interface ListEntries {
  readonly conversations: ConversationSummary;
  readonly canvases: CanvasSummary;
  readonly conversation: ConversationSummary;
  readonly canvas: CanvasSummary;
}

export type ListEntry = ListEntries[List["of"]];

/** A name for the list; equal for equal lists. */
export function listKey(list: List): string {
  switch (list.of) {
    case "conversations":
      return JSON.stringify([list.of, list.archived, list.order, list.filter, list.count]);
    case "canvases":
      return JSON.stringify([list.of, list.filter, list.count]);
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

export function conversationSummary(root: ForestRoot): ConversationSummary {
  const { id, slug, title, model, canvasId, folderId, archived, createdAt, updatedAt } = root;
  return {
    id,
    slug,
    title,
    model,
    canvasId,
    ...(folderId === undefined ? {} : { folderId }),
    archived,
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

/** Puts the newest first; ids decide between equal times. */
export const compareByCreated = (a: CanvasSummary, b: CanvasSummary): number =>
  b.createdAt - a.createdAt || compareIds(a.id, b.id);

export const orders: Readonly<
  Record<"created" | "updated", (a: ConversationSummary, b: ConversationSummary) => number>
> = {
  created: (a, b) => b.createdAt - a.createdAt || compareIds(a.id, b.id),
  updated: (a, b) => b.updatedAt - a.updatedAt || compareIds(a.id, b.id),
};

function compareIds(a: string, b: string): number {
  return a < b ? 1 : a > b ? -1 : 0;
}
