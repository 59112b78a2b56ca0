import { expect, test } from "vitest";
import type { KeyState, ProviderState } from "../../../src/core/protocol/base/provider-state.ts";
import { canRemoveKey, inOrder, keyWords, modelWords, windowIn, windowWords } from "./provider-words.ts";

test.each<[KeyState, string, boolean]>([
  [{ state: "none" }, "No key", false],
  [{ state: "not-needed" }, "Needs no key", false],
  [{ state: "other-address" }, "The stored key is for another address. Set it again", true],
  [{ state: "set", from: "app", ending: "abcd" }, "Key set here, ends in …abcd", true],
  [{ state: "set", from: "file", ending: null }, "Key set in keys.json", true],
  [{ state: "set", from: "environment", ending: "wxyz" }, "Key set in the environment, ends in …wxyz", false],
])("keyWords of %j gives: %s", (key, words, removable) => {
  expect([keyWords(key), canRemoveKey(key)]).toEqual([words, removable]);
});

const provider = (id: string, name: string, key: KeyState): ProviderState => ({
  id,
  name,
  key,
  open: key.state !== "none",
  address: `https://${id}.example`,
  models: [],
});

test("inOrder lists providers with a key first, then by name", () => {
  const none = { state: "none" } as const;
  const listed = inOrder([
    provider("openai", "OpenAI", none),
    provider("anthropic", "Anthropic", none),
    provider("mistral", "Mistral", { state: "set", from: "app", ending: null }),
    provider("local", "Local server", { state: "not-needed" }),
  ]);
  expect(listed.map(({ id }) => id)).toEqual(["local", "mistral", "anthropic", "openai"]);
});

test("modelWords describes a provider's models", () => {
  const model = (name: string) => ({ id: `x/${name}`, name, window: null, windowSet: false });
  expect(modelWords({ open: true, models: [] })).toBe("Any model that you name");
  expect(modelWords({ open: false, models: [] })).toBe("No models yet. Add one in the file below");
  expect(modelWords({ open: true, models: [model("Big")] })).toBe("Big");
  expect(modelWords({ open: true, models: ["Big", "Small", "Tiny"].map(model) })).toBe("Big and 2 more");
});

test.each<[string, number | null]>([
  ["8192", 8192],
  ["8,192", 8192],
  ["131 072", 131_072],
  ["255", null],
  ["many", null],
  ["", null],
  ["1e9", null],
])("14.15 the window %j is read in tokens", (typed, expected) => {
  expect(windowIn(typed)).toBe(expected);
});

test("14.15 a window is described with its source", () => {
  const model = { id: "a/b", name: "B", window: 4096, windowSet: true };
  expect(windowWords(model)).toMatch(/4.?096 tokens, set here/);
  expect(windowWords({ ...model, window: null, windowSet: false })).toBe("window unknown");
});
