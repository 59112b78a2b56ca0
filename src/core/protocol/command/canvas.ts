import * as v from "valibot";
import type { CanvasRevision } from "../../block/canvas-revision.ts";
import { editPolicies } from "../../block/types.ts";
import { readsCanvas, readsWorkspace, writesCanvas, writesWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { hunksNamedMax, messageUnitsMax, revisionsPageMax } from "../base/limits.ts";
import { shown, canvasId, count, described, hunkId, nothing, textUpTo, time, title } from "../base/parts.ts";
import { actor } from "../shape/actor.ts";
import { madeBlockId, madeNodeId, madeRunId } from "../shape/forest.ts";
import { madeHunkId, suggestion } from "../shape/suggestion.ts";

const revisionId = v.pipe(
  v.string(),
  v.regex(/^\d{1,15}-[0-9a-f]{8}$/),
  v.description("Id of a revision: version and hash."),
  v.examples(["12-9f86d081"]),
);
const policy = described(v.picklist(editPolicies), "How people and agents share the canvas.");
const policyAnswer = v.object({ policy });
const sha256Text = shown("2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae");
const madeRevisionId = v.pipe(v.string(), v.examples(["12-9f86d081"]));

const hashed = v.object({ hash: sha256Text, revisionId: madeRevisionId, at: time });

/** A text of a canvas that was committed with a message. */
export const canvasRevision: v.GenericSchema<unknown, CanvasRevision> = v.object({
  canvasId: madeBlockId,
  revisionId: madeRevisionId,
  version: count,
  hash: described(sha256Text, "SHA-256 of the text."),
  actor: described(actor, "Who made the last change before it."),
  alsoBy: described(v.array(shown("Bo")), "Names of others who changed the text since the revision before."),
  nodeId: described(madeNodeId, "The message with which the text was committed."),
  at: time,
});

const reviewed = v.object({
  canvasId,
  hunkIds: v.exactOptional(
    v.pipe(
      v.array(hunkId),
      v.minLength(1),
      v.maxLength(hunksNamedMax),
      v.description("These hunks, all or none; without them, all that can be decided."),
    ),
  ),
  asFarAsPossible: v.exactOptional(
    described(v.boolean(), "Whether of the named hunks those are decided that can be, and the others left."),
  ),
});

const reviewedAnswer = v.object({
  version: described(count, "The version of the canvas after it."),
  revisionId: madeRevisionId,
  hunkIds: described(v.array(madeHunkId), "The hunks that were decided."),
  conflicts: described(v.array(madeHunkId), "The hunks that stay open, because their lines have changed."),
});
const reviewRefusals = [
  "BLOCK_NOT_FOUND",
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
      text: v.exactOptional(described(textUpTo(messageUnitsMax), "The text that the canvas begins with.")),
    }),
    access: writesWorkspace,
    answer: v.object({ canvasId: madeBlockId }),
    refusals: ["CANVAS_UNAVAILABLE", "BLOCK_TOO_LARGE"],
  }),
  "canvas.set-policy": command({
    description: "Sets how people and agents share a canvas.",
    params: v.object({ canvasId, policy }),
    access: writesCanvas,
    answer: nothing,
    refusals: ["BLOCK_NOT_FOUND"],
  }),
  "canvas.default-policy": command({
    description: "Returns the policy that new canvases begin with.",
    params: nothing,
    access: readsWorkspace,
    answer: policyAnswer,
  }),
  "canvas.set-default-policy": command({
    description: "Sets the policy that new canvases begin with.",
    params: v.object({ policy }),
    access: writesWorkspace,
    answer: policyAnswer,
  }),
  "canvas.take-control": command({
    description:
      "Takes a canvas from the agent that holds its lease: its run is cancelled, and nothing more of it is written.",
    params: v.object({ canvasId }),
    access: writesCanvas,
    answer: v.object({
      epoch: described(v.number(), "The epoch from now on."),
      cancelledRunId: described(v.nullable(madeRunId), "The run that was cancelled; null where none was at work."),
    }),
    refusals: ["BLOCK_NOT_FOUND"],
  }),
  "canvas.hashes": command({
    description: "Returns the hashes of a canvas's text as it is written and as it was committed last.",
    params: v.object({ canvasId }),
    access: readsCanvas,
    answer: v.object({
      draft: hashed,
      committed: described(v.nullable(hashed), "null before the first message about the canvas."),
    }),
    refusals: ["BLOCK_NOT_FOUND"],
  }),
  "canvas.revisions": command({
    description: "Lists the committed revisions of a canvas, newest first.",
    params: v.object({
      canvasId,
      beforeVersion: v.exactOptional(described(count, "Only revisions of earlier versions.")),
      limit: v.exactOptional(
        v.pipe(
          v.number(),
          v.integer(),
          v.minValue(1),
          v.maxValue(revisionsPageMax),
          v.description("The most revisions; 100 by default."),
        ),
      ),
    }),
    access: readsCanvas,
    answer: v.object({
      revisions: v.array(canvasRevision),
      more: described(v.boolean(), "Whether there are older ones."),
    }),
    refusals: ["BLOCK_NOT_FOUND"],
  }),
  "canvas.compare": command({
    description: "Returns a unified diff from one revision of a canvas to another.",
    params: v.object({
      canvasId,
      from: described(v.nullable(revisionId), "A revision; null for the text as it is now."),
      to: described(v.nullable(revisionId), "A revision; null for the text as it is now."),
    }),
    access: readsCanvas,
    answer: v.object({
      from: madeRevisionId,
      to: madeRevisionId,
      diff: shown("@@ -1 +1 @@\n-one\n+two\n"),
      truncated: described(v.boolean(), "Whether the diff was too long to send whole."),
    }),
    refusals: ["BLOCK_NOT_FOUND", "VERSION_UNKNOWN"],
  }),
  "canvas.restore": command({
    description: "Gives a canvas the text of a revision again, as an edit that is undone like any other.",
    params: v.object({ canvasId, revisionId }),
    access: writesCanvas,
    answer: v.object({ version: count, revisionId: madeRevisionId }),
    refusals: ["BLOCK_NOT_FOUND", "VERSION_UNKNOWN", "CANVAS_LEASED"],
  }),
  "canvas.suggestions": command({
    description: "Lists what agents suggest for a canvas and a person has still to decide, oldest first.",
    params: v.object({
      canvasId,
      decided: v.exactOptional(
        described(v.boolean(), "Whether the newest 200 decided suggestions are listed too, as far as they are kept."),
      ),
    }),
    access: readsCanvas,
    answer: v.object({ suggestions: v.array(suggestion) }),
    refusals: ["BLOCK_NOT_FOUND"],
  }),
  "canvas.keep-hunks": command({
    description: "Makes suggested hunks in the canvas, as one step that is undone like an edit.",
    params: reviewed,
    access: writesCanvas,
    answer: reviewedAnswer,
    refusals: reviewRefusals,
  }),
  "canvas.reject-hunks": command({
    description: "Turns suggested hunks down, as one step that is undone like an edit.",
    params: reviewed,
    access: writesCanvas,
    answer: reviewedAnswer,
    refusals: reviewRefusals,
  }),
};
