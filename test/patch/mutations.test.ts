import { expect, test } from "vitest";
import { generatedEdits } from "./generated-edits.ts";
import { historyEdits } from "./history-edits.ts";
import { mutationTable, mutationText } from "./mutation-table.ts";

test("of 10,000 spoiled patches none is applied wrongly, and each kind reaches the specification's rate", () => {
  const rows = mutationTable([...historyEdits(1_000), ...generatedEdits(1_000, 2)], 10_000, 1);
  expect(rows.reduce((sum, { tried }) => sum + tried, 0)).toBeGreaterThanOrEqual(10_000);
  expect(rows.flatMap(({ name, example }) => (example === undefined ? [] : [`${name}: ${example}`]))).toEqual([]);
  expect(rows.filter(({ holds }) => !holds).length, mutationText(rows)).toBe(0);
});
