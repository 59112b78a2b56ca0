import { describe, expect, test } from "vitest";
import { buildCatalogue, type ProviderConfig } from "../catalogue.ts";
import { readPublishedModels } from "./published-models.ts";
import { simulatedClock } from "../../../testing/simulated-clock.ts";

const deps = {
  fetch: () => Promise.reject(new Error("no network")),
  clock: simulatedClock(),
  sleep: () => Promise.resolve(),
};

const cost = { input: 7, output: 70, cache_read: 0.7, context_over_200k: { input: 14, output: 140 } };
const file = {
  anthropic: {
    id: "anthropic",
    models: {
      "claude-opus-4-8": { name: "Published", cost, limit: { context: 300_000, output: 9_000 } },
      "claude-of-tomorrow": { reasoning: true, tool_call: false, modalities: { input: ["text"] }, cost },
    },
  },
};

function infoOf(config: ProviderConfig, id: string): unknown {
  const read = readPublishedModels(JSON.stringify(file));
  if (!read.ok) throw new Error(read.error);
  return buildCatalogue({ keys: { anthropic: "k" }, published: read.value, ...config }, deps).find(id)?.info;
}

describe("a file in the form of models.dev", () => {
  test("replaces the prices and limits that Heddle knows", () => {
    expect(infoOf({}, "anthropic/claude-opus-4-8")).toMatchObject({
      contextTokensMax: 300_000,
      outputTokensMax: 9_000,
      prices: { input: 7, output: 70, cachedInput: 0.7, longPrompt: { above: 200_000, input: 14, output: 140 } },
    });
  });

  test("describes models that Heddle does not know", () => {
    expect(infoOf({}, "anthropic/claude-of-tomorrow")).toMatchObject({
      thinking: true,
      tools: false,
      vision: false,
      prices: { input: 7 },
    });
  });

  test("yields to what a person wrote into models.json", () => {
    const entries = [
      { provider: "anthropic", id: "claude-opus-4-8", contextTokensMax: 5, prices: { input: 1, output: 2 } },
    ];
    expect(infoOf({ entries }, "anthropic/claude-opus-4-8")).toMatchObject({
      contextTokensMax: 5,
      prices: { input: 1, output: 2 },
    });
  });

  test.each([
    ["{", "invalid JSON"],
    ["[]", "must be an object"],
    ['{"models":[]}', "names no provider"],
  ])("that holds %s is refused with a reason", (text, reason) => {
    expect(readPublishedModels(text)).toMatchObject({ ok: false, error: expect.stringContaining(reason) as unknown });
  });

  test("leaves out prices and limits of another kind", () => {
    const models = { m: { cost: { input: -1, output: "2" }, limit: { context: "many", output: 0 } } };
    expect(readPublishedModels(JSON.stringify({ p: { models } }))).toEqual({
      ok: true,
      value: new Map([["p", [{ model: "m" }]]]),
    });
  });
});
