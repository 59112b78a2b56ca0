import { expect, test } from "vitest";
import { scaled } from "../scale.ts";
import { differential } from "./differential.ts";
import { countHunks } from "./edits.ts";
import { generatedEdits } from "./generated-edits.ts";
import { historyEdits } from "./history-edits.ts";

test("real hunks and generated ones, whole, alone, shifted and on other versions: what git applies and refuses we do too, and every difference has a cause", () => {
  const hunks = scaled(1_000);
  const real = historyEdits(hunks / 2);
  const edits = [...real, ...generatedEdits(hunks - countHunks(real), 1)];
  const report = differential(edits);
  expect(report.hunks).toBeGreaterThanOrEqual(hunks);
  expect(report.unexplained).toEqual([]);
  expect(report.wrong).toEqual([]);
});
