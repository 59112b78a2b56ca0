import { expect, test } from "vitest";
import { scaled } from "../scale.ts";
import { differential } from "./differential.ts";
import { countHunks } from "./edits.ts";
import { generatedEdits } from "./generated-edits.ts";
import { historyEdits } from "./history-edits.ts";

test("Heddle applies and refuses real and generated hunks (whole, alone, shifted, on other versions) as git does, and every difference has a known cause", () => {
  const hunks = scaled(400, 10_000);
  const real = historyEdits(hunks / 2);
  const edits = [...real, ...generatedEdits(hunks - countHunks(real), 1)];
  const report = differential(edits);
  expect(report.hunks).toBeGreaterThanOrEqual(hunks);
  expect(report.unexplained).toEqual([]);
  expect(report.wrong).toEqual([]);
});
