import type { WorkspaceView } from "../../../src/client/types.ts";
import type { BlockId } from "../../../src/core/base/ids.ts";
import type { ForestRoot } from "../../../src/core/forest/types.ts";
import type { Conversation } from "../conversation/state/conversation.ts";
import { useConversation } from "../conversation/state/use-conversation.ts";
import { useWordsOfDeleted } from "../conversation/state/use-words-of-deleted.ts";
import { useSelected } from "../ui/use-selected.ts";
import { type Navigation, rootIdOf } from "./navigation.ts";

/** What the page shows of the workspace now. */
export interface Shown {
  readonly conversation: Conversation;
  /** The open conversation as its own feed has it, else as the list has it; null for none. */
  readonly root: ForestRoot | null;
  /** Whether a new conversation is on its way. */
  readonly opening: boolean;
  /** The canvas beside the conversation: the one that it works on. */
  readonly canvasId: BlockId | null;
  readonly canvasTitle: string | null;
}

export function useShown(workspace: WorkspaceView, { place, canvasId: lastCanvasId }: Navigation): Shown {
  const rootId = rootIdOf(place);
  const known = workspace.roots.find(({ id }) => id === rootId);
  // A new one is waited for until it is in the list; no other is shown in its place.
  const opening = place.type === "creating" || (place.type === "created" && known === undefined);
  const listed = opening ? null : (known ?? newest(workspace));
  const conversation = useConversation(listed?.id ?? null);
  const { own } = useSelected(conversation.state, (state) => ({ own: state.root }));
  const root = own ?? listed;
  useWordsOfDeleted(rootId, known === undefined && listed !== null, conversation.draft);
  const wanted = (opening ? place.canvasId : root?.canvasId) ?? lastCanvasId;
  const canvas =
    workspace.canvases.find(({ id }) => id === wanted) ?? (root === null ? workspace.canvases[0] : undefined);
  return { conversation, root, opening, canvasId: canvas?.id ?? null, canvasTitle: canvas?.title ?? null };
}

/** The conversation that was changed last. */
function newest({ roots }: WorkspaceView): ForestRoot | null {
  return roots
    .filter((root) => !root.archived)
    .reduce<ForestRoot | null>((best, root) => (best === null || root.updatedAt > best.updatedAt ? root : best), null);
}
