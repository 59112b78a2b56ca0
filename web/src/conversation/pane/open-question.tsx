import type { NodeId } from "../../../../src/core/base/ids.ts";
import type { Bookmark, ForestNode } from "../../../../src/core/forest/types.ts";
import { useSelected } from "../../ui/use-selected.ts";
import { idsBelow } from "../../view/branches/message-text.ts";
import type { Branches } from "../../view/branches/path.ts";
import type { AskedMessage } from "../message/message-actions.ts";
import { MessageDialog } from "../message/message-dialogs.tsx";
import type { Conversation } from "../state/conversation.ts";
import type { TreeActions } from "../state/use-tree-actions.ts";

/** Shows the open question about a message. */
export function OpenQuestion(props: {
  readonly conversation: Conversation;
  readonly asked: AskedMessage;
  readonly tree: TreeActions;
  readonly onClose: () => void;
}) {
  const { node, question } = props.asked;
  const { tree, bookmarks } = useSelected(props.conversation.state, ({ tree, bookmarks }) => ({ tree, bookmarks }));
  if (tree === null) return null;
  return (
    <MessageDialog
      node={node}
      question={question}
      tree={props.tree}
      {...surroundings(tree, bookmarks, node)}
      onClose={props.onClose}
    />
  );
}

/** Returns what a deletion would delete. */
function surroundings(
  tree: Branches,
  bookmarks: readonly Bookmark[],
  { id }: ForestNode,
): { readonly belowCount: number; readonly markedBelow: readonly string[] } {
  const below = idsBelow(tree, id);
  const deleted = new Set<NodeId | null>([id, ...below]);
  const marked = bookmarks.filter(({ nodeId }) => nodeId !== null && deleted.has(nodeId));
  const isWhole = [id, ...below].every((each) => (tree.part?.childCounts.get(each) ?? 0) === 0);
  return {
    belowCount: isWhole ? below.length : Number.POSITIVE_INFINITY,
    markedBelow: marked.map(({ title }) => title),
  };
}
