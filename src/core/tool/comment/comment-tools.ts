import * as v from "valibot";
import type { BlockId, ThreadId } from "../../base/ids.ts";
import { commentUnitsMax } from "../../block/comment/thread-steps.ts";
import { documentReach } from "../base/reach.ts";
import type { ToolSpec } from "../base/types.ts";

const canvasId = v.exactOptional(
  v.pipe(
    v.string(),
    v.nonEmpty(),
    v.description("Default: this conversation's canvas."),
    v.transform((id) => id as BlockId),
  ),
);
const commentId = v.pipe(
  v.string(),
  v.nonEmpty(),
  v.maxLength(40),
  v.description("As comment_list shows it."),
  v.transform((id) => id as ThreadId),
);
const words = v.pipe(v.string(), v.nonEmpty(), v.maxLength(commentUnitsMax));
const lines = v.exactOptional(v.pipe(v.string(), v.maxLength(100), v.description("`14`, `14-15` or an anchor.")));

export const commentList = {
  name: "comment_list",
  description: "Lists comments on the canvas: id, lines, state, the words they are about, who said what.",
  input: v.strictObject({
    canvas_id: canvasId,
    state: v.exactOptional(v.pipe(v.picklist(["open", "resolved", "all"]), v.description("Default open."))),
    lines,
    after: v.exactOptional(v.pipe(commentId, v.description("Go on behind this one."))),
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const commentAdd = {
  name: "comment_add",
  description: "Comments on words of the canvas without changing it. Needs no lease.",
  input: v.strictObject({
    canvas_id: canvasId,
    lines,
    quote: v.exactOptional(
      v.pipe(v.string(), v.nonEmpty(), v.maxLength(5_000), v.description("The words, copied exactly.")),
    ),
    occurrence: v.exactOptional(
      v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.description("Which one, where they occur several times.")),
    ),
    text: words,
  }),
  access: "write",
  reach: documentReach,
  idempotent: false,
  inDraft: "held",
} as const satisfies ToolSpec;

export const commentReply = {
  name: "comment_reply",
  description: "Answers a comment; a resolved one is open again.",
  input: v.strictObject({ comment_id: commentId, text: words }),
  access: "write",
  reach: documentReach,
  idempotent: false,
  inDraft: "held",
} as const satisfies ToolSpec;

export const commentResolve = {
  name: "comment_resolve",
  description: "Resolves a comment of your own conversation; others' are for people.",
  input: v.strictObject({
    comment_id: commentId,
    text: v.exactOptional(v.pipe(words, v.description("A last answer."))),
    reopen: v.exactOptional(v.pipe(v.boolean(), v.description("Open it again instead."))),
  }),
  access: "write",
  reach: documentReach,
  idempotent: true,
  inDraft: "held",
} as const satisfies ToolSpec;

/** The comment tools, in the order in which a model sees them. */
export const commentTools = [
  commentList,
  commentAdd,
  commentReply,
  commentResolve,
] as const satisfies readonly ToolSpec[];
