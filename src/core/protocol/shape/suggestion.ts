import * as v from "valibot";
import type { DraftId, HunkId, SuggestionId } from "../../base/ids.ts";
import { hunkStates, suggestionReasons, type Suggestion } from "../../block/suggestion/suggestion.ts";
import { shown, count, described, jsonObject, madeId, sha256, time } from "../base/parts.ts";
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
        v.object({ type: v.literal("create"), path: shown("notes/new.md") }),
        v.object({
          type: v.literal("delete"),
          of: v.exactOptional(described(sha256, "SHA-256 of the text that a draft deletes.")),
        }),
        v.object({
          type: v.literal("update"),
          path: v.exactOptional(shown("notes/old.md", "Where the file would be moved.")),
          from: v.exactOptional(shown("notes/new.md", "Where a draft moves it from.")),
          collapsed: v.exactOptional(v.boolean()),
          excluded: v.exactOptional(v.boolean()),
          metadata: v.exactOptional(jsonObject),
        }),
      ]),
      "For a hunk without lines: it would delete the canvas, set its title or flags, or make or move the file.",
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
