import * as v from "valibot";
import type { ThreadId } from "../../base/ids.ts";
import { threadStates, type Comment, type Thread } from "../../block/comment/thread.ts";
import { count, described, madeId, shown, time } from "../base/parts.ts";
import { actor } from "./actor.ts";
import { madeBlockId, madeRootId } from "./forest.ts";
import { opId, opSpan } from "./text.ts";

/** The id of a thread in an answer. */
export const madeThreadId = madeId<ThreadId>("c4k9x2az");

const comment: v.GenericSchema<unknown, Comment> = v.object({
  seq: described(count, "Its number in the thread, from 1."),
  actor,
  text: shown("Which loom?", "Markdown; empty once it was deleted."),
  at: time,
  editedAt: v.exactOptional(time),
  earlier: v.exactOptional(described(v.array(v.string()), "The texts before its edits, oldest first.")),
  deletedAt: v.exactOptional(time),
});

const anchor = v.object({
  own: described(
    v.array(
      v.object({
        spans: v.array(opSpan),
        joined: v.exactOptional(v.array(opSpan)),
        point: v.exactOptional(v.literal(true)),
      }),
    ),
    "The units of the range, in its newest place first; the newest with a unit in the text counts.",
  ),
  seam: described(
    v.object({ before: v.nullable(opId), after: v.nullable(opId) }),
    "The units beside the range when it was made or became empty.",
  ),
  quote: described(
    v.object({ text: shown("the loom"), length: count, before: v.string(), after: v.string() }),
    "The words of the range when it was made.",
  ),
});

/** A thread of comments on a document. */
export const thread: v.GenericSchema<unknown, Thread> = v.object({
  id: madeThreadId,
  blockId: madeBlockId,
  version: count,
  state: v.picklist(threadStates),
  anchor: described(v.nullable(anchor), "null for the whole document."),
  comments: v.tupleWithRest([comment], comment),
  events: v.array(v.object({ type: v.picklist(["resolved", "reopened", "moved"]), by: actor, at: time })),
  conversationId: v.exactOptional(described(madeRootId, "The conversation in which mentioned agents work.")),
  createdAt: time,
  deletedAt: v.exactOptional(time),
});

/** Where a thread is in its document. */
export const threadPlace = v.nullable(
  v.variant("type", [
    v.object({ type: v.literal("range"), from: count, to: count, rewritten: v.boolean() }),
    v.object({ type: v.literal("point"), at: count, rewritten: v.boolean() }),
    v.object({ type: v.literal("orphan"), at: count }),
  ]),
);
