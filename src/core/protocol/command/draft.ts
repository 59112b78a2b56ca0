import * as v from "valibot";
import type { BlockId, DraftId } from "../../base/ids.ts";
import { onCanvas, onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { draftChangesMax, hunksNamedMax, messageUnitsMax } from "../base/limits.ts";
import { canvasId, count, described, draftId, hunkId, sha256, shown, textUpTo, time } from "../base/parts.ts";
import { suggestionAuthor } from "../shape/actor.ts";
import { madeBlockId } from "../shape/forest.ts";
import { madeDraftId, madeHunkId } from "../shape/suggestion.ts";
import { reviewedAnswer } from "../shape/reviewed.ts";

const hunkIds = v.pipe(v.array(hunkId), v.minLength(1), v.maxLength(hunksNamedMax));

const writer = described(
  v.nullable(v.object({ name: shown("Ada"), isAgent: v.boolean(), isYou: v.boolean() })),
  "Who writes in it now; null where nobody does.",
);

/** A draft of a canvas over the text as it is now. */
const draft = v.object({
  draftId: madeDraftId,
  authors: described(v.array(suggestionAuthor), "Who wrote it, each once."),
  hunkIds: described(v.array(madeHunkId), "Its open hunks, in text order."),
  conflicts: described(v.array(madeHunkId), "Those of them whose words others have changed since."),
  lateHunkIds: described(v.array(madeHunkId), "Hunks of agents’ writes that came after a person began to write in it."),
  writer,
  linesAdded: count,
  linesRemoved: count,
  touchedAt: time,
});

/** A document in which a draft has parts. */
const draftDocument = v.object({
  canvasId: madeBlockId,
  title: described(v.nullable(v.string()), "The canvas’s title, or the file’s path in the draft."),
  does: described(v.picklist(["edits", "creates", "moves", "deletes"]), "What becomes of the file with the draft."),
  from: described(v.nullable(v.string()), "The path that the draft moves it from."),
  hunkIds: described(v.array(madeHunkId), "Its open parts."),
  conflicts: described(v.array(madeHunkId), "Those of them whose words others have changed since."),
  linesAdded: count,
  linesRemoved: count,
});

export const draftCommands = {
  "draft.documents": command({
    description:
      "Lists the documents in which a draft has open parts, with the files that it makes, moves and deletes.",
    params: v.object({ draftId }),
    access: onWorkspace("workspace.see"),
    answer: v.object({ documents: v.array(draftDocument) }),
    refusals: [],
  }),
  "draft.list": command({
    description: "Lists the open drafts of a canvas, oldest first.",
    params: v.object({ canvasId }),
    access: onCanvas("document.read"),
    answer: v.object({ drafts: v.array(draft) }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH"],
  }),
  "draft.read": command({
    description: "Returns a canvas's text as a draft has it, and the text that everybody shares.",
    params: v.object({ canvasId, draftId }),
    access: onCanvas("document.read"),
    answer: v.object({
      text: shown("two\n", "The text of the draft."),
      hash: described(sha256, "SHA-256 of that text."),
      shared: shown("one\n", "The text that everybody shares."),
      version: described(count, "The version of the shared text."),
      writer,
    }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH", "DRAFT_ENDED", "DRAFT_NOT_FOUND"],
  }),
  "draft.write": command({
    description:
      "Changes a draft as a person types in it, one person at a time; an agent’s lease on the draft ends with the first change, and what the agent writes later waits beside the draft.",
    params: v.object({
      canvasId,
      draftId,
      baseHash: described(sha256, "SHA-256 of the draft’s text that the changes refer to."),
      base: v.exactOptional(
        described(
          textUpTo(messageUnitsMax),
          "That text, where others may have written since: both are merged by words.",
        ),
      ),
      changes: v.pipe(
        v.array(v.object({ from: count, to: count, insert: textUpTo(messageUnitsMax) })),
        v.maxLength(draftChangesMax),
        v.description("Changes to that text, in order, in UTF-16 units."),
        v.examples([[{ from: 4, to: 7, insert: "zwei" }]]),
      ),
      lateHunkIds: v.exactOptional(described(hunkIds, "Late writes to put into the draft.")),
      takesOver: v.exactOptional(described(v.boolean(), "Whether to write although another person does.")),
    }),
    access: onCanvas("document.edit"),
    answer: v.object({
      hash: described(sha256, "SHA-256 of the draft’s text now."),
      text: described(v.nullable(v.string()), "The draft’s text, where it is not what the changes make of that text."),
    }),
    refusals: [
      "BLOCK_NOT_FOUND",
      "IN_TRASH",
      "BLOCK_TOO_LARGE",
      "CONFLICT",
      "DRAFT_ENDED",
      "DRAFT_NOT_FOUND",
      "INVALID_PARAMS",
      "LOCK_NOT_AVAILABLE",
      "REVIEW_FULL",
      "STALE_EPOCH",
      "SUGGESTION_NOT_FOUND",
      "TEXT_MALFORMED",
    ],
  }),
  "draft.take": command({
    description:
      "Takes a draft, or named hunks of one or several drafts, into the text that everybody shares, as one step that can be undone; without named hunks it takes what has no conflict and says what is left.",
    params: v.pipe(
      v.object({
        canvasId,
        draftId: v.exactOptional(draftId),
        alsoIn: v.exactOptional(
          described(
            v.pipe(v.array(canvasId), v.minLength(1), v.maxLength(hunksNamedMax)),
            "Other documents to take the draft, or the named hunks, in: all of them in one step, or none.",
          ),
        ),
        hunkIds: v.exactOptional(described(hunkIds, "The hunks to take, all or none of them.")),
        overruled: v.exactOptional(
          described(hunkIds, "Hunks in conflict whose words replace what others wrote in their lines."),
        ),
      }),
      v.check((wish) => wish.draftId !== undefined || wish.hunkIds !== undefined, "a draft, or hunks"),
      v.examples([{ canvasId: "doc_1/1/1" as BlockId, draftId: "draft_01" as DraftId }]),
    ),
    access: onCanvas("document.edit"),
    answer: v.object({
      ...reviewedAnswer.entries,
      others: v.exactOptional(
        described(
          v.array(v.object({ canvasId: madeBlockId, ...reviewedAnswer.entries })),
          "The same of each other document.",
        ),
      ),
    }),
    refusals: [
      "BLOCK_NOT_FOUND",
      "IN_TRASH",
      "BLOCK_TOO_LARGE",
      "FILE_CHANGED",
      "FOLDER_AWAY",
      "FOLDER_READ_ONLY",
      "FORBIDDEN",
      "SUGGESTION_CONFLICT",
      "SUGGESTION_DECIDED",
      "SUGGESTION_NOT_FOUND",
    ],
  }),
  "draft.drop": command({
    description: "Drops a draft, as a step that can be undone; nothing of it changes the text.",
    params: v.object({ canvasId, draftId }),
    access: onCanvas("document.edit"),
    answer: reviewedAnswer,
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH", "SUGGESTION_NOT_FOUND", "CANVAS_LEASED"],
  }),
};
