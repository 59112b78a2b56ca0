import * as v from "valibot";
import type { ThreadId } from "../../base/ids.ts";
import { commentUnitsMax } from "../../block/comment/thread-steps.ts";
import { onBlock, onThread } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { blockId, described, shown, textUpTo } from "../base/parts.ts";
import { opSpan } from "../shape/text.ts";
import { madeThreadId, thread, threadPlace } from "../shape/thread.ts";
import { trashEntry } from "../shape/trash.ts";

/** Runs of units of words that were cut and pasted. */
const pastedRunsMax = 4_096;

const threadId = v.pipe(
  v.string(),
  v.regex(/^c[0-9a-z]{1,20}$/),
  v.description("The id of a thread."),
  v.examples(["c4k9x2az"]),
  v.transform((id) => id as ThreadId),
);
const words = v.pipe(textUpTo(commentUnitsMax), v.nonEmpty(), v.description("Markdown."));
const seq = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.description("The number of a comment in its thread."));

const range = v.pipe(
  v.strictObject({
    units: v.exactOptional(
      v.pipe(
        v.array(opSpan),
        v.minLength(1),
        v.maxLength(512),
        v.description("The units of the range, as a replica of the text has them."),
      ),
    ),
    lines: v.exactOptional(
      v.pipe(v.string(), v.maxLength(100), v.description("`14`, `14-15` or an anchor, from 1."), v.examples(["14-15"])),
    ),
    quote: v.exactOptional(
      v.pipe(v.string(), v.nonEmpty(), v.maxLength(20_000), v.description("Words of the text, letter for letter.")),
    ),
    occurrence: v.exactOptional(
      v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.description("Which of several places with these words.")),
    ),
  }),
  v.description("The range; without it the whole document."),
);

const pastedUnits = (of: string) =>
  v.pipe(v.array(opSpan), v.minLength(1), v.maxLength(pastedRunsMax), v.description(of));

const one = v.object({ thread });
const placed = v.object({ thread, place: described(threadPlace, "null for the whole document.") });
const threadRefusals = ["COMMENT_NOT_FOUND", "IN_TRASH", "COMMENTS_FULL"] as const;
const rangeRefusals = [
  "BLOCK_NOT_FOUND",
  "QUOTE_NOT_FOUND",
  "QUOTE_AMBIGUOUS",
  "LINE_OUT_OF_RANGE",
  "ANCHOR_MISMATCH",
  "CONFLICT",
] as const;

export const commentCommands = {
  "comment.list": command({
    description: "Lists the threads of comments on a canvas or file, with their places, oldest first.",
    params: v.object({
      blockId,
      state: v.exactOptional(
        described(v.picklist(["open", "resolved", "all"]), "Which threads; only open ones by default."),
      ),
    }),
    access: onBlock("document.read"),
    answer: v.object({ threads: v.array(placed) }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH"],
  }),
  "comment.export": command({
    description:
      "Returns the text of a canvas or file, with its comments as footnotes or Critic marks, or without them.",
    params: v.object({
      blockId,
      comments: described(v.picklist(["none", "footnotes", "critic"]), "How comments are written."),
      resolved: v.exactOptional(described(v.boolean(), "Whether resolved threads are written too; by default not.")),
    }),
    access: onBlock("document.copy"),
    answer: v.object({
      text: shown("# Plan[^c4k9x2az]\n", "Markdown."),
      leftOut: described(v.array(madeThreadId), "Threads that Critic marks cannot express, such as those on code."),
    }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH"],
  }),
  "comment.add": command({
    description: "Begins a thread of comments on a range of a canvas or file, or on all of it.",
    params: v.object({ blockId, range: v.exactOptional(range), text: words }),
    access: onBlock("document.comment"),
    answer: one,
    refusals: [...rangeRefusals, "IN_TRASH", "COMMENTS_FULL"],
  }),
  "comment.reply": command({
    description: "Adds a comment to a thread; a resolved thread is open again.",
    params: v.object({ threadId, text: words }),
    access: onThread("document.comment"),
    answer: one,
    refusals: threadRefusals,
  }),
  "comment.edit": command({
    description: "Changes the text of one's own comment.",
    params: v.object({ threadId, seq, text: words }),
    access: onThread("document.comment"),
    answer: one,
    refusals: [...threadRefusals, "COMMENT_NOT_YOURS"],
  }),
  "comment.withdraw": command({
    description: "Deletes one's own comment; a placeholder remains where others have answered.",
    params: v.object({ threadId, seq }),
    access: onThread("document.comment"),
    answer: one,
    refusals: [...threadRefusals, "COMMENT_NOT_YOURS"],
  }),
  "comment.resolve": command({
    description: "Resolves a thread.",
    params: v.object({ threadId, text: v.exactOptional(described(words, "A last comment.")) }),
    access: onThread("document.resolve"),
    answer: one,
    refusals: threadRefusals,
  }),
  "comment.reopen": command({
    description: "Opens a resolved thread again.",
    params: v.object({ threadId }),
    access: onThread("document.resolve"),
    answer: one,
    refusals: threadRefusals,
  }),
  "comment.move": command({
    description: "Moves a thread to another range of its document, such as one whose text was deleted.",
    params: v.object({ threadId, range: v.exactOptional(range) }),
    access: onThread("document.move-thread"),
    answer: one,
    refusals: [...threadRefusals, ...rangeRefusals],
  }),
  "comment.paste": command({
    description:
      "Says that words which were cut are pasted here: threads whose words were all deleted go with them, also to another document.",
    params: v.object({
      blockId: described(blockId, "The document in which the words are pasted."),
      units: pastedUnits("The units of the words as they were pasted."),
      from: v.object({
        blockId: described(blockId, "The document from which the words were cut."),
        units: pastedUnits("The units of the words as they were cut, letter for letter."),
      }),
    }),
    access: ({ from }) => ["document.edit", { type: "block", id: from.blockId }],
    answer: v.object({ threads: described(v.array(thread), "The threads that moved.") }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH", "FORBIDDEN", "COMMENTS_FULL", "CONFLICT"],
  }),
  "comment.delete": command({
    description: "Moves a thread to the trash.",
    params: v.object({ threadId }),
    access: onThread("document.delete-thread"),
    answer: v.object({ entry: trashEntry }),
    refusals: threadRefusals,
  }),
};
