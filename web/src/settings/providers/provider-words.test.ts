import { expect, test } from "vitest";
import type { KeyState, ProviderState } from "../../../../src/core/protocol/base/provider-state.ts";
import {
  canRemoveKey,
  inOrder,
  keyWords,
  modelWords,
  testWords,
  tickedModels,
  windowIn,
  windowWords,
} from "./provider-words.ts";

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
  addressFrom: "heddle",
  added: false,
  chosen: false,
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
  expect(modelWords({ open: false, models: [] })).toBe("No models yet. Set a key to see them");
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

test("17.15 a test says in a sentence whether a provider works, and why not", () => {
  const model = { id: "x/a", name: "A", window: null, syntax: "native", proposedSyntax: null, from: "server" } as const;
  expect(testWords({ problem: null, models: [model] })).toBe("It works. It has 1 model.");
  expect(testWords({ problem: null, models: [] })).toContain("lists no models");
  const problem = { class: "auth", message: "X refused the key (401)." } as const;
  expect(testWords({ problem, models: [] })).toBe("X refused the key (401).");
});

test("17.15 models are ticked where they are offered, offered ones first, and found by any word of name or id", () => {
  const own = {
    ...provider("x", "X", { state: "not-needed" }),
    models: [{ id: "x/org/b", name: "Zeta", window: null, windowSet: false }],
  };
  const found = [
    { id: "x/a", name: "Alpha" },
    { id: "x/org/b", name: "org/b" },
  ];
  expect(tickedModels(own, found, "")).toEqual([
    { model: "org/b", name: "org/b", isOffered: true },
    { model: "a", name: "Alpha", isOffered: false },
  ]);
  expect(tickedModels(own, found, "ALP x/").map(({ model }) => model)).toEqual(["a"]);
});
