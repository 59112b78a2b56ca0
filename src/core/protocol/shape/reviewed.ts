import * as v from "valibot";
import { count, described } from "../base/parts.ts";
import { madeHunkId } from "./suggestion.ts";

/** The id of a revision in an answer. */
export const madeRevisionId = v.pipe(v.string(), v.examples(["12-9f86d081"]));

/** The result of a review step. */
export const reviewedAnswer = v.object({
  version: described(count, "The version of the canvas afterwards."),
  revisionId: madeRevisionId,
  hunkIds: described(v.array(madeHunkId), "The decided hunks."),
  conflicts: described(v.array(madeHunkId), "The hunks that stay open because their lines have changed."),
});
