import { expect, test } from "vitest";
import type { HunkId } from "../../base/ids.ts";
import { chooseOf } from "./review.ts";

test("a decision about hunks of which none is open any more names them", () => {
  const shown = ["a" as HunkId, "b" as HunkId];
  expect(chooseOf([], shown)).toMatchObject({
    ok: false,
    error: { code: "SUGGESTION_DECIDED", details: { hunk_ids: shown } },
  });
});
