import { describe, expect, test } from "vitest";
import type { LanguageModel, ModelCatalogue } from "../../../core/port/language-model.ts";
import { fallbackOf, modelsOfTurn } from "./models-of-turn.ts";

const aliases: Readonly<Record<string, readonly string[]>> = { quick: ["a/one", "b/two"] };

/** A catalogue with these models, and the alias `quick`. */
function catalogue(...ids: readonly string[]): ModelCatalogue {
  return {
    list: () => [],
    find: (id) => (ids.includes(id) ? ({} as LanguageModel) : undefined),
    membersOf: (id) => aliases[id] ?? null,
  };
}

describe("the models of a turn", () => {
  const root = { model: "a/one", replies: { fallbacks: ["quick", "c/three"] } };
  const all = catalogue("a/one", "b/two", "c/three");
  test.each([
    ["are the conversation's model and its fallbacks, each once", all, {}, ["a/one", "b/two", "c/three"]],
    [
      "are the conversation's too where a message names its model",
      all,
      { model: "a/one" },
      ["a/one", "b/two", "c/three"],
    ],
    ["have no fallbacks where a message names another model", all, { model: "c/three" }, ["c/three"]],
    ["are those of an alias that a message names", all, { model: "quick" }, ["a/one", "b/two"]],
    ["pass over one without a key", catalogue("b/two"), {}, ["b/two"]],
    ["name the one asked for where none can be used", catalogue(), {}, ["a/one"]],
  ])("%s", (_name, models, settings, expected) => {
    expect(modelsOfTurn(models, root, settings)).toEqual(expected);
  });
  test("are one where the conversation has no fallbacks", () => {
    expect(modelsOfTurn(all, { model: "a/one" }, {})).toEqual(["a/one"]);
  });
});

test.each([
  ["a/one", { from: "a/one", to: "c/three" }],
  ["c/three", null],
  ["x/unknown", { from: "x/unknown", to: "a/one" }],
])("after %s the next model that can be used answers", (from, expected) => {
  const usable = catalogue("a/one", "c/three");
  expect(fallbackOf(usable, ["a/one", "b/two", "c/three"], from)).toEqual(expected);
});
