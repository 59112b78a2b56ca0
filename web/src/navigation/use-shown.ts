import type { WorkspaceView } from "../../../src/client/base/types.ts";
import type { BlockId } from "../../../src/core/base/ids.ts";
import type { ForestRoot } from "../../../src/core/forest/types.ts";
import type { Conversation } from "../conversation/state/conversation.ts";
import { useConversation } from "../conversation/state/use-conversation.ts";
import { useWordsOfDeleted } from "../conversation/state/use-words-of-deleted.ts";
import { useSelected } from "../ui/use-selected.ts";
import { type Navigation, rootIdOf } from "./navigation.ts";

/** The part of the workspace that the page shows. */
export interface Shown {
  readonly conversation: Conversation;
  /** The open conversation from its own feed, else from the list; null for none. */
  readonly root: ForestRoot | null;
  /** Whether a new conversation is being created. */
  readonly opening: boolean;
  /** The conversation's canvas. */
  readonly canvasId: BlockId | null;
  readonly canvasTitle: string | null;
  /** The conversation's canvas when no list has it: it may be in the trash. */
  readonly unlistedCanvasId: BlockId | null;
}

export function useShown(workspace: WorkspaceView, { place, canvasId: lastCanvasId }: Navigation): Shown {
  const rootId = rootIdOf(place);
  const known = workspace.roots.find(({ id }) => id === rootId);
  // A new conversation is awaited until it is in the list; no other is shown instead.
  const opening = place.type === "creating" || (place.type === "created" && known === undefined);
  const listed = opening ? null : (known ?? newest(workspace));
  const conversation = useConversation(listed?.id ?? null);
  const { own } = useSelected(conversation.state, (state) => ({ own: state.root }));
  const root = own ?? listed;
  useWordsOfDeleted(rootId, known === undefined && listed !== null, conversation.draft);
  const wanted = (opening ? place.canvasId : root?.canvasId) ?? lastCanvasId;
  const canvas =
    workspace.canvases.find(({ id }) => id === wanted) ?? (root === null ? workspace.canvases[0] : undefined);
  return {
    conversation,
    root,
    opening,
    canvasId: canvas?.id ?? null,
    canvasTitle: canvas?.title ?? null,
    unlistedCanvasId: canvas === undefined ? (wanted ?? null) : null,
  };
}

/** Returns the most recently changed conversation. */
function newest({ roots }: WorkspaceView): ForestRoot | null {
  return roots
    .filter((root) => !root.archived)
    .reduce<ForestRoot | null>((best, root) => (best === null || root.updatedAt > best.updatedAt ? root : best), null);
}
