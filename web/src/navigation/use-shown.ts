import { useMemo } from "react";
import type { BlockId } from "../../../src/core/base/ids.ts";
import type { Conversation } from "../conversation/state/conversation.ts";
import { useConversation } from "../conversation/state/use-conversation.ts";
import { useWordsOfDeleted } from "../conversation/state/use-words-of-deleted.ts";
import type { OpenFile } from "../files/use-files.ts";
import { useList } from "../ui/list/use-list.ts";
import { useSelected } from "../ui/use-selected.ts";
import type { ShownRoot } from "../view/run/shown-root.ts";
import { type Navigation, rootIdOf } from "./navigation.ts";

/** The part of the workspace that the page shows. */
export interface Shown {
  readonly conversation: Conversation;
  /** null for none. */
  readonly root: ShownRoot | null;
  /** Why no conversation is shown yet: a new one is being created, or one is being fetched. */
  readonly opening: "new" | "known" | null;
  /** The canvas that this page shows; another page may show another one beside the same conversation. */
  readonly canvasId: BlockId | null;
  /** The canvas that the next question is about. */
  readonly worksOn: BlockId | null;
  /** null until it has been fetched. */
  readonly canvasTitle: string | null;
  /** The canvas's folder path; empty at the top. */
  readonly canvasFolder: string;
  /** The canvas as a file, if it is one. */
  readonly canvasFile: OpenFile | null;
  /** The wanted canvas when there is none of this id: it may be in the trash. */
  readonly unlistedCanvasId: BlockId | null;
}

export function useShown({ place, canvasId: lastCanvasId, shownIn, aside, closed }: Navigation): Shown {
  const rootId = rootIdOf(place);
  const found = useList(rootId === null ? null : { of: "conversation", id: rootId });
  const known = found?.entries[0];
  // A new conversation is awaited until the server lists it; no other is shown instead.
  const isNew = place.type === "creating" || (place.type === "created" && known === undefined);
  const isGone = rootId !== null && found !== null && known === undefined;
  const newest = useList(
    rootId === null || isGone ? { of: "conversations", archived: false, order: "updated", filter: "", count: 1 } : null,
  );
  const listed = isNew ? null : (known ?? newest?.entries[0] ?? null);
  const isFetching = !isNew && listed === null && (rootId !== null && !isGone ? found : newest) === null;
  const conversation = useConversation(listed?.id ?? null);
  const { stored } = useSelected(conversation.state, (state) => ({ stored: state.root }));
  const root = stored ?? listed;
  useWordsOfDeleted(rootId, isGone && listed !== null, conversation.draft);
  const isChosen = root !== null && shownIn === root.id;
  const own = isNew ? place.canvasId : (root?.canvasId ?? null);
  const canvas = useShownCanvas(
    isChosen ? lastCanvasId : (own ?? lastCanvasId),
    root === null && !isFetching && !closed,
  );
  const isAbout = isChosen ? !aside : own !== null;
  return {
    conversation,
    root,
    opening: isNew ? "new" : isFetching ? "known" : null,
    ...canvas,
    worksOn: isAbout ? (canvas.canvasId ?? canvas.unlistedCanvasId) : null,
  };
}

/** Returns the wanted canvas; without one, and without a conversation, the newest canvas. */
function useShownCanvas(
  wanted: BlockId | null,
  isAlone: boolean,
): Pick<Shown, "canvasId" | "canvasTitle" | "canvasFolder" | "canvasFile" | "unlistedCanvasId"> {
  const found = useList(wanted === null ? null : { of: "canvas", id: wanted });
  const isGone = wanted !== null && found !== null && found.entries.length === 0;
  const newest = useList(isAlone && (wanted === null || isGone) ? { of: "canvases", filter: "", count: 1 } : null);
  const canvas = found?.entries[0] ?? newest?.entries[0];
  const { id: blockId, filePath: path, fileFolderId: folderId } = canvas ?? {};
  const canvasFile = useMemo(
    (): OpenFile | null =>
      blockId === undefined || path === undefined || folderId === undefined ? null : { blockId, path, folderId },
    [blockId, path, folderId],
  );
  return {
    canvasFile,
    canvasId: canvas?.id ?? (isGone ? null : wanted),
    canvasTitle: canvas?.title ?? null,
    canvasFolder: canvas?.folderPath ?? "",
    unlistedCanvasId: isGone && canvas === undefined ? wanted : null,
  };
}
