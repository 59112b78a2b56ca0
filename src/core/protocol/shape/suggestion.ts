import * as v from "valibot";
import type { DraftId, HunkId, SuggestionId } from "../../base/ids.ts";
import { hunkStates, suggestionReasons, type Suggestion } from "../../block/suggestion/suggestion.ts";
import { shown, count, described, jsonObject, madeId, time } from "../base/parts.ts";
import { actor, suggestionAuthor } from "./actor.ts";
import { madeBlockId } from "./forest.ts";
import { agentNumber, opId, opSpan } from "./text.ts";

/** The id of a hunk in an answer. */
export const madeHunkId = madeId<HunkId>("sug_01.1");

/** The id of a draft in an answer. */
export const madeDraftId = madeId<DraftId>("draft_01");

const hunk = v.object({
  id: madeHunkId,
  state: v.picklist(hunkStates),
  startLine: count,
  endLine: count,
  oldText: shown("one\n", "The lines that would be replaced."),
  newText: shown("two\n", "The new lines."),
  contextBefore: shown("# Goals\n"),
  contextAfter: shown("three\n"),
  anchor: v.object({ own: v.array(opSpan), before: v.nullable(opId), after: v.nullable(opId) }),
  alsoBy: v.exactOptional(
    described(v.array(suggestionAuthor), "Others who wrote in these lines of a draft before, each once."),
  ),
  proposes: v.exactOptional(
    described(
      v.variant("type", [
        v.object({ type: v.literal("delete") }),
        v.object({
          type: v.literal("update"),
          collapsed: v.exactOptional(v.boolean()),
          excluded: v.exactOptional(v.boolean()),
          metadata: v.exactOptional(jsonObject),
        }),
      ]),
      "For a hunk without lines: it would delete the canvas, or set its title or flags.",
    ),
  ),
  decision: v.exactOptional(
    v.object({ unitId: shown("unit_01"), outcome: v.picklist(["kept", "rejected"]), by: actor, at: time }),
  ),
});

/** What one tool call of an agent would change in a canvas. */
export const suggestion: v.GenericSchema<unknown, Suggestion> = v.object({
  id: madeId<SuggestionId>("sug_01"),
  canvasId: madeBlockId,
  version: count,
  canvasVersion: described(count, "The version of the canvas that the suggestion was made for."),
  author: suggestionAuthor,
  replica: agentNumber,
  reason: v.picklist(suggestionReasons),
  draftId: v.exactOptional(
    described(madeDraftId, "The draft that it is a part of; absent for a suggestion to review."),
  ),
  inTrash: v.exactOptional(described(v.boolean(), "Whether its draft is in the trash, with the branch that wrote it.")),
  createdAt: time,
  hunks: v.array(hunk),
});
