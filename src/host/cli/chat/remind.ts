import type { NodeId } from "../../../core/base/ids.ts";
import { isTextBlock } from "../../../core/message/guards.ts";
import type { ConversationView } from "../../../client/base/types.ts";
import { clipped } from "./cell-width.ts";
import type { Face } from "./face.ts";
import { safeLine, safeText } from "../base/safe-text.ts";
import { excerpt } from "./tree-lines.ts";

/** How many lines of the last reply are shown when a conversation is opened again. */
const remindedLinesMax = 12;

/** Shows the last messages of the branch that ends at `head`; nothing for a conversation without messages. */
export function remind(face: Face, view: ConversationView, head: NodeId | null): void {
  if (view.nodesById.size === 0) return;
  face.aside(`${safeLine(view.root.title)} · ${safeLine(view.root.slug)} · ${safeLine(view.root.model)}`);
  const path = [];
  for (let id = head; id !== null; id = view.nodesById.get(id)?.parentId ?? null) {
    const node = view.nodesById.get(id);
    if (node === undefined) break;
    path.push(node);
  }
  const asked = path.find(({ message }) => message.role === "user" && message.update === undefined);
  const replied = path.find(({ message }) => message.role === "assistant");
  if (asked !== undefined) face.line(`${safeLine(asked.actor.name)}: ${clipped(excerpt(asked), 200)}`, "bold");
  const lines = (replied?.message.content ?? [])
    .filter(isTextBlock)
    .flatMap(({ text }) => safeText(text).trim().split("\n"));
  for (const line of lines.slice(0, remindedLinesMax)) face.line(line);
  if (lines.length > remindedLinesMax) face.aside(`… ${lines.length - remindedLinesMax} more lines`);
}
