import { PrefixFold } from "../../../core/base/prefix-fold.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { editNote } from "../../../core/message/edit-note.ts";
import { wordsOfReply } from "../../../core/message/reply-words.ts";
import { textOf } from "../../../core/message/content.ts";
import type { UserMessage } from "../../../core/message/types.ts";
import type { Store } from "../../../core/port/store.ts";

/** Returns the message that informs the model of people's changes in its replies, in the order of the replies; none if none. */
export function editNotes(replies: readonly ForestNode[]): readonly UserMessage[] {
  const notes = replies.flatMap(({ message, edited }) => {
    if (message.role !== "assistant" || edited === undefined) return [];
    const names = edited.by.map(({ name }) => name);
    return editNote({ names, before: edited.original, after: wordsOfReply(message) }) ?? [];
  });
  const [first] = notes;
  if (first === undefined || notes.length === 1) return notes;
  return [{ ...first, content: [{ type: "text", text: notes.map(textOf).join("\n") }] }];
}

/** Returns the changed replies of a path that the model was not informed of. */
export function untoldOf(path: readonly ForestNode[]): readonly ForestNode[] {
  return untold.of(path);
}

const untold = new PrefixFold<ForestNode, readonly ForestNode[]>([], (before, rest) => {
  const note = rest.findLastIndex(isEditNote);
  const since = rest.slice(note + 1).filter(({ edited }) => edited !== undefined);
  return note !== -1 ? since : since.length === 0 ? before : before.concat(since);
});

/** Returns the last reply above the end of a turn under way, if the model was not informed that it was changed. */
export async function untoldInTurn(
  store: Pick<Store, "node">,
  head: ForestNode | null,
): Promise<readonly ForestNode[]> {
  for (let node = head; node !== null && !isEditNote(node);) {
    if (node.message.role === "assistant") return node.edited === undefined ? [] : [node];
    node = node.parentId === null ? null : await store.node(node.parentId);
  }
  return [];
}

function isEditNote({ message }: ForestNode): boolean {
  return message.role === "user" && message.instruction === "edit";
}
