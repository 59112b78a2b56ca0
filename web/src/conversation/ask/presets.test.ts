import { expect, test } from "vitest";
import { activePreset, draftOf, emptyDraft, presetIn, presetWords } from "./presets.ts";

test("F-44 presetIn reads a preset back from its form, and leaves empty fields to the conversation", () => {
  const wild = { name: "wild", n: 5, temperature: 1.2, maxTokens: 1024 };
  expect(presetIn(draftOf(wild))).toEqual({ preset: wild });
  expect(presetIn({ ...emptyDraft, name: " plain " })).toEqual({ preset: { name: "plain" } });
  expect(presetIn({ ...emptyDraft, name: "cool", temperature: "0,5" })).toEqual({
    preset: { name: "cool", temperature: 0.5 },
  });
});

test.each([
  ["no name", { ...emptyDraft, n: "3" }, "name"],
  ["too many replies", { ...emptyDraft, name: "a", n: "11" }, "1 to 10"],
  ["half a reply", { ...emptyDraft, name: "a", n: "1.5" }, "1 to 10"],
  ["too hot", { ...emptyDraft, name: "a", temperature: "3" }, "0 (predictable) to 2"],
  ["no number", { ...emptyDraft, name: "a", temperature: "warm" }, "0 (predictable) to 2"],
  ["no tokens", { ...emptyDraft, name: "a", maxTokens: "0" }, "whole number"],
])("presetIn explains an invalid draft: %s", (_name, draft, said) => {
  const read = presetIn(draft);
  expect("problem" in read && read.problem).toContain(said);
});

test("presetWords describes a preset", () => {
  expect(presetWords({ name: "wild", n: 5, temperature: 1.2 })).toBe("5 replies, temperature 1.2");
  expect(presetWords({ name: "plain" })).toBe("nothing set");
  expect(activePreset({ presets: [{ name: "wild" }], active: "wild" })).toEqual({ name: "wild" });
  expect(activePreset({ presets: [{ name: "wild" }], active: null })).toBe(null);
});
