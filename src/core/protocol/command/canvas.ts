import * as v from "valibot";
import type { NamedRevision } from "../../block/canvas-revision.ts";
import { editPolicies } from "../../block/types.ts";
import { onCanvas, onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { folderPath } from "../base/folder-path.ts";
import { hunksNamedMax, messageUnitsMax, revisionsPageMax, titleUnitsMax } from "../base/limits.ts";
import { shown, canvasId, count, described, draftId, hunkId, nothing, textUpTo, time, title } from "../base/parts.ts";
import { actor } from "../shape/actor.ts";
import { madeBlockId, madeNodeId, madeRunId } from "../shape/forest.ts";
import { madeRevisionId, reviewedAnswer } from "../shape/reviewed.ts";
import { madeDraftId, madeHunkId, suggestion } from "../shape/suggestion.ts";

const revisionId = v.pipe(
  v.string(),
  v.regex(/^\d{1,15}(?:d\d{1,15})?-[0-9a-f]{8}$/),
  v.description("Id of a revision: version and hash; of a draft’s text, the draft’s version between them."),
  v.examples(["12-9f86d081"]),
);
const policy = described(v.picklist(editPolicies), "How people and agents share the canvas.");
const policyAnswer = v.object({ policy });
const sha256Text = shown("2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae");

const hashed = v.object({ hash: sha256Text, revisionId: madeRevisionId, at: time });

/** The text of a canvas as stored with a message. */
export const canvasRevision: v.GenericSchema<unknown, NamedRevision> = v.object({
  canvasId: madeBlockId,
  revisionId: madeRevisionId,
  version: count,
  hash: described(sha256Text, "SHA-256 of the text."),
  actor: described(actor, "Who made the last change before it."),
  alsoBy: described(v.array(shown("Bo")), "Names of others who changed the text since the revision before."),
  nodeId: described(
    v.nullable(madeNodeId),
    "The message with which the text was stored; null where a person named it.",
  ),
  at: time,
  draftId: v.exactOptional(described(madeDraftId, "The draft whose text it is; absent for the text that all share.")),
  draftVersion: v.exactOptional(described(count, "How many texts of the draft were stored with this one.")),
  name: described(v.nullable(shown("Sent to the press")), "What a person called it; null without a name."),
});

const reviewed = v.object({
  canvasId,
  hunkIds: v.exactOptional(
    v.pipe(
      v.array(hunkId),
      v.minLength(1),
      v.maxLength(hunksNamedMax),
      v.description("The hunks to decide, all or none; without this, every hunk that can be decided."),
    ),
  ),
  asFarAsPossible: v.exactOptional(
    described(v.boolean(), "Whether to decide the named hunks that can be decided and leave the others."),
  ),
});

const reviewRefusals = [
  "BLOCK_NOT_FOUND",
  "IN_TRASH",
  "SUGGESTION_CONFLICT",
  "SUGGESTION_DECIDED",
  "SUGGESTION_NOT_FOUND",
  "CANVAS_LEASED",
] as const;

export const canvasCommands = {
  "canvas.create": command({
    description: "Creates a canvas.",
    params: v.object({
      title,
      text: v.exactOptional(described(textUpTo(messageUnitsMax), "The initial text of the canvas.")),
      folderPath: v.exactOptional(folderPath),
      readsComments: v.exactOptional(
        described(
          v.boolean(),
          "Whether footnotes that an export made of comments, and Critic marks, become comments instead of text.",
        ),
      ),
    }),
    access: onWorkspace("workspace.create"),
    answer: v.object({ canvasId: madeBlockId }),
    refusals: ["CANVAS_UNAVAILABLE", "BLOCK_TOO_LARGE", "COMMENTS_FULL"],
  }),
  "canvas.duplicate": command({
    description: "Creates a canvas with the text of another, in the same document folder.",
    params: v.object({
      canvasId,
      title: v.exactOptional(described(title, "Defaults to the title with “copy” added.")),
      revisionId: v.exactOptional(
        described(revisionId, "Copies the text of this revision; without it, the text as it is now."),
      ),
    }),
    access: onWorkspace("workspace.manage"),
    answer: v.object({ canvasId: madeBlockId }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH", "BLOCK_TOO_LARGE", "CANVAS_UNAVAILABLE", "VERSION_UNKNOWN"],
  }),
  "canvas.arrange": command({
    description:
      "Renames a canvas, moves it to a document folder, pins it or archives it; a field left out keeps its value.",
    params: v.object({
      canvasId,
      title: v.exactOptional(described(title, "The new title.")),
      folderPath: v.exactOptional(folderPath),
      pinned: v.exactOptional(described(v.boolean(), "Whether lists show it first.")),
      archived: v.exactOptional(described(v.boolean(), "true: lists leave it out; false: they show it again.")),
    }),
    access: onCanvas("document.edit"),
    answer: nothing,
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH", "INVALID_PARAMS"],
  }),
  "canvas.move-folder": command({
    description:
      "Moves a document folder with all canvases in it to another path, or renames it; a folder that exists there takes them in.",
    params: v.object({
      from: described(folderPath, "The folder; not the top."),
      to: described(folderPath, "Its new path, not inside itself; empty moves its canvases to the top."),
    }),
    access: onWorkspace("workspace.manage"),
    answer: v.object({ moved: described(count, "How many canvases were moved.") }),
    refusals: ["INVALID_PARAMS"],
  }),
  "canvas.set-policy": command({
    description: "Sets how people and agents share a canvas.",
    params: v.object({ canvasId, policy }),
    access: onCanvas("document.edit"),
    answer: nothing,
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH", "SETTING_LOCKED"],
  }),
  "canvas.default-policy": command({
    description: "Returns the policy of new canvases.",
    params: nothing,
    access: onWorkspace("workspace.see"),
    answer: policyAnswer,
  }),
  "canvas.set-default-policy": command({
    description: "Sets the policy of new canvases.",
    params: v.object({ policy }),
    access: onWorkspace("workspace.set"),
    answer: policyAnswer,
  }),
  "canvas.take-control": command({
    description: "Takes control of a canvas: cancels the run that holds its lease, which writes nothing more.",
    params: v.object({ canvasId }),
    access: onCanvas("document.edit"),
    answer: v.object({
      epoch: described(v.number(), "The new epoch."),
      cancelledRunId: described(v.nullable(madeRunId), "The cancelled run; null if no run held the canvas."),
    }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH"],
  }),
  "canvas.hashes": command({
    description: "Returns the hashes of a canvas's current text and of its last committed text.",
    params: v.object({ canvasId }),
    access: onCanvas("document.read"),
    answer: v.object({
      draft: hashed,
      committed: described(v.nullable(hashed), "null before the first message about the canvas."),
    }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH"],
  }),
  "canvas.revisions": command({
    description: "Lists the committed revisions of a canvas, newest first.",
    params: v.object({
      canvasId,
      named: v.exactOptional(described(v.boolean(), "true: only those that have a name.")),
      draftId: v.exactOptional(
        described(draftId, "Lists the texts of this draft, as stored with messages of its branch."),
      ),
      beforeVersion: v.exactOptional(
        described(count, "Only revisions of earlier versions; with a draft, of earlier versions of the draft."),
      ),
      limit: v.exactOptional(
        v.pipe(
          v.number(),
          v.integer(),
          v.minValue(1),
          v.maxValue(revisionsPageMax),
          v.description("The maximum number of revisions; 100 by default."),
        ),
      ),
    }),
    access: onCanvas("document.read"),
    answer: v.object({
      revisions: v.array(canvasRevision),
      more: described(v.boolean(), "Whether there are older revisions."),
    }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH"],
  }),
  "canvas.name-version": command({
    description:
      "Gives a version of a canvas a name, which lists show, and keeps its text from then on; an empty name removes it.",
    params: v.object({
      canvasId,
      revisionId: described(v.nullable(revisionId), "A committed revision; null commits the text as it is now."),
      name: v.pipe(
        v.string(),
        v.trim(),
        v.maxLength(titleUnitsMax),
        v.description("The name; empty removes the one that the version has."),
        v.examples(["Sent to the press"]),
      ),
    }),
    access: onCanvas("document.edit"),
    answer: v.object({ revisionId: madeRevisionId }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH", "VERSION_UNKNOWN", "CANVAS_UNAVAILABLE", "INVALID_PARAMS"],
  }),
  "canvas.compare": command({
    description: "Returns a unified diff between two revisions of a canvas.",
    params: v.object({
      canvasId,
      from: described(v.nullable(revisionId), "A revision; null for the text as it is now."),
      to: described(v.nullable(revisionId), "A revision; null for the text as it is now."),
    }),
    access: onCanvas("document.read"),
    answer: v.object({
      from: madeRevisionId,
      to: madeRevisionId,
      diff: shown("@@ -1 +1 @@\n-one\n+two\n"),
      truncated: described(v.boolean(), "Whether the diff was cut because it was too long."),
    }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH", "VERSION_UNKNOWN"],
  }),
  "canvas.restore": command({
    description: "Restores the text of a revision, as an edit that can be undone.",
    params: v.object({ canvasId, revisionId }),
    access: onCanvas("document.edit"),
    answer: v.object({ version: count, revisionId: madeRevisionId }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH", "VERSION_UNKNOWN", "CANVAS_LEASED"],
  }),
  "canvas.text": command({
    description: "Returns the text of a canvas, now or at a revision.",
    params: v.object({
      canvasId,
      revisionId: described(v.nullable(revisionId), "A revision; null for the text as it is now."),
    }),
    access: onCanvas("document.read"),
    answer: v.object({ revisionId: madeRevisionId, text: shown("one\n", "The text.") }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH", "VERSION_UNKNOWN"],
  }),
  "canvas.bring": command({
    description:
      "Brings the text of a revision here as a suggestion: keeping all of its hunks makes the canvas exactly that text; it takes the place of what the same person brought before.",
    params: v.object({ canvasId, revisionId }),
    access: onCanvas("document.edit"),
    answer: v.object({ hunkIds: described(v.array(madeHunkId), "Its hunks; empty if the text is the same.") }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH", "VERSION_UNKNOWN", "REVIEW_FULL"],
  }),
  "canvas.suggestions": command({
    description: "Lists the open suggestions of agents for a canvas, oldest first.",
    params: v.object({
      canvasId,
      decided: v.exactOptional(
        described(v.boolean(), "Whether to include the newest 200 decided suggestions, as far as they are stored."),
      ),
    }),
    access: onCanvas("document.read"),
    answer: v.object({ suggestions: v.array(suggestion) }),
    refusals: ["BLOCK_NOT_FOUND", "IN_TRASH"],
  }),
  "canvas.keep-hunks": command({
    description: "Keeps suggested hunks: applies them to the canvas, as one step that can be undone.",
    params: reviewed,
    access: onCanvas("document.edit"),
    answer: reviewedAnswer,
    refusals: reviewRefusals,
  }),
  "canvas.reject-hunks": command({
    description: "Rejects suggested hunks, as one step that can be undone.",
    params: reviewed,
    access: onCanvas("document.edit"),
    answer: reviewedAnswer,
    refusals: reviewRefusals,
  }),
};
