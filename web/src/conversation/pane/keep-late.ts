import type { NodeId } from "../../../../src/core/base/ids.ts";
import type { AppServices } from "../../ui/app-context.ts";
import { onceFound } from "../../ui/once-found.ts";
import { isEditable } from "../../view/branches/is-editable.ts";
import { wordsOf } from "../../view/words/words.ts";
import { unsentEdit } from "../message/edit-form.tsx";
import type { MessageActions } from "../message/message-actions.ts";
import type { Conversation } from "../state/conversation.ts";
import type { ConversationState } from "../state/conversation-state.ts";

/** Puts words that came too late for a reply behind its own, in an edit of it, and opens that edit. */
export function createKeepLate(
  { state }: Pick<Conversation, "state">,
  onEdit: (nodeId: NodeId) => void,
  tell: AppServices["tell"],
): MessageActions["keepLate"] {
  return (words, nodeId) => {
    if (nodeId === null) return tell(`The reply ended without a message before your last words arrived: ${words}`);
    // The end of a reply is heard of before its message is here; an edit without the reply's words would replace them.
    const find = ({ tree }: ConversationState) => tree?.nodesById.get(nodeId);
    onceFound(state, find, (node) => {
      if (!isEditable(node)) return tell(`The reply ended before your last words arrived: ${words}`);
      const kept = unsentEdit(nodeId);
      kept.set(`${kept.get() || wordsOf(node.message)}${words}`);
      onEdit(nodeId);
      tell("The reply ended before your last words arrived. They are in an edit of the reply: save it to keep them.");
    });
  };
}
