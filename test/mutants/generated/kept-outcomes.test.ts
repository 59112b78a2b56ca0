import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { KeptOutcomes } from "./kept-outcomes.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "heddle-kept-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a run that was cut finds the outcomes that it had", () => {
  const file = join(folder, "deep", "kept.jsonl");
  const before = new KeptOutcomes(file, ["sources", 1]);
  before.keep(3, { type: "found", by: "a.test.ts", late: false });
  before.keep(7, { type: "survived" });
  appendFileSync(file, "[8,{");

  const after = new KeptOutcomes(file, ["sources", 1]);
  expect(after.of(3)).toEqual({ type: "found", by: "a.test.ts", late: false });
  expect(after.of(7)).toEqual({ type: "survived" });
  expect(after.of(8)).toBeUndefined();
  after.keep(8, { type: "unreached" });
  expect(new KeptOutcomes(file, ["sources", 1]).of(8)).toEqual({ type: "unreached" });
});

test("outcomes of other sources or another draw are dropped", () => {
  const file = join(folder, "kept.jsonl");
  new KeptOutcomes(file, ["sources", 1]).keep(3, { type: "survived" });
  expect(new KeptOutcomes(file, ["sources", 2]).of(3)).toBeUndefined();
  expect(new KeptOutcomes(file, ["sources", 1]).of(3)).toBeUndefined();
});

test("without a file nothing is kept beyond the run", () => {
  const kept = new KeptOutcomes(undefined, []);
  kept.keep(1, { type: "survived" });
  expect(kept.of(1)).toEqual({ type: "survived" });
});
