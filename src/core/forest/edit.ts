import type { Refusal } from "../base/errors.ts";
import { refusal } from "../base/errors.ts";
import type { Result } from "../base/result.ts";
import { err, ok } from "../base/result.ts";
import { toolUses } from "../message/content.ts";
import { isSameMessage, normalizeForComparison } from "../message/normalize.ts";
import type { Message } from "../message/types.ts";
import type { ForestNode } from "./types.ts";

/** What an edit of a message comes to. */
export type EditPlan =
  | { readonly type: "unchanged" }
  /** A branch: the new text stands beside the old one, below the same parent. */
  | { readonly type: "sibling"; readonly message: Message };

/** Decides what giving a node another text does. The node itself stays as it is; what is below it stays below it. */
export function planEdit(node: ForestNode, text: string): Result<EditPlan, Refusal> {
  const { message } = node;
  if (message.role === "tool" || (message.role === "assistant" && toolUses(message).length > 0)) {
    return err(refusal("MESSAGE_INVALID", { node_id: node.id }, "Tool calls and their results cannot be edited."));
  }
  const edited = { role: message.role, content: [{ type: "text", text }] } as const;
  if (normalizeForComparison(edited) === null) {
    return err(refusal("MESSAGE_INVALID", { node_id: node.id }, "A message cannot be empty."));
  }
  return ok(isSameMessage(message, edited) ? { type: "unchanged" } : { type: "sibling", message: edited });
}
