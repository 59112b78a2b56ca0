import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Actor } from "../base/actor.ts";
import type { ActorId, NodeId, RootId, RunId, TurnId } from "../base/ids.ts";
import type { ForestNode } from "../forest/types.ts";
import type { Usage } from "../message/usage.ts";
import { costOf, costsOf } from "./cost.ts";
import type { ModelPrices } from "./prices.ts";

const usage = (inputTokens: number, outputTokens: number, cachedInputTokens = 0): Usage => ({
  inputTokens,
  outputTokens,
  cachedInputTokens,
  thinkingTokens: 0,
});

const tiered: ModelPrices = { input: 1, output: 5, longPrompt: { above: 200_000, input: 2, output: 10 } };

test("costOf several requests compares their average prompt length with the long-prompt threshold", () => {
  expect(costOf(usage(400_000, 0), tiered, 2)).toBeCloseTo(0.4, 12);
  expect(costOf(usage(400_002, 0), tiered, 2)).toBeCloseTo(0.800004, 12);
});

describe("costOf", () => {
  test.each<[string, Usage, ModelPrices, number]>([
    ["a million in", usage(1_000_000, 0), { input: 3, output: 15 }, 3],
    ["a million out", usage(0, 1_000_000), { input: 3, output: 15 }, 15],
    ["half of it cached", usage(1_000_000, 0, 500_000), { input: 3, output: 15, cachedInput: 0.3 }, 1.65],
    ["cached without a price of its own", usage(1_000_000, 0, 500_000), { input: 3, output: 15 }, 3],
    ["more cached than there was", usage(1_000_000, 0, 9_000_000), { input: 3, output: 15, cachedInput: 0.3 }, 0.3],
    [
      "some of it cached and some written to the cache",
      { ...usage(1_000_000, 0, 500_000), cacheWriteTokens: 400_000 },
      { input: 4, output: 20, cachedInput: 0.4, cacheWrite: 5 },
      0.2 + 2 + 0.4,
    ],
    [
      "written without a price of its own",
      { ...usage(1_000_000, 0), cacheWriteTokens: 9 },
      { input: 3, output: 15 },
      3,
    ],
    [
      "more written than there was",
      { ...usage(1_000_000, 0, 500_000), cacheWriteTokens: 9_000_000 },
      { input: 4, output: 20, cachedInput: 0, cacheWrite: 5 },
      2.5,
    ],
    ["a prompt as long as prompts may be", usage(200_000, 100_000), tiered, 0.2 + 0.5],
    ["a longer one, all of it", usage(200_001, 100_000), tiered, 0.400002 + 1],
    ["nothing", usage(0, 0), { input: 3, output: 15 }, 0],
  ])("%s", (_name, used, prices, expected) => {
    expect(costOf(used, prices)).toBeCloseTo(expected, 12);
  });
});

const model = (name: string, turn: string): Actor => ({
  type: "model",
  id: `agent_${name}` as ActorId,
  name,
  model: name,
  runId: "run" as RunId,
  turnId: turn as TurnId,
});

function node(id: string, given: Partial<ForestNode>): ForestNode {
  return {
    id: id as NodeId,
    rootId: "root" as RootId,
    parentId: null,
    prefixHash: id,
    message: { role: "assistant", content: [{ type: "text", text: "x" }] },
    actor: model("a/big", "turn1"),
    runId: null,
    turnId: null,
    usage: null,
    createdAt: 0,
    ...given,
  };
}

const prices: Readonly<Record<string, ModelPrices>> = {
  "a/big": { input: 10, output: 0 },
  "a/small": { input: 1, output: 0 },
};
const pricesOf = (id: string): ModelPrices | null => prices[id] ?? null;

describe("costsOf", () => {
  test("costsOf gives the cost per message and turn, by the model that was asked, including equal completions", () => {
    const costs = costsOf(
      [
        node("1", { usage: usage(100_000, 0) }),
        node("2", { usage: usage(100_000, 0), request: { model: "a/small" } }),
        node("3", {
          actor: model("a/big", "turn2"),
          usage: usage(100_000, 0),
          variants: [{ at: 1, actor: model("a/small", "turn3"), usage: usage(1_000_000, 0) }],
        }),
        node("4", { usage: usage(5, 5), actor: model("free/model", "turn4") }),
        node("5", {}),
        node("6", { usage: usage(5, 5), actor: { type: "person", id: "p" as ActorId, name: "Ada" } }),
      ],
      pricesOf,
    );
    expect([...costs.byNode]).toEqual([
      ["1", 1],
      ["2", 0.1],
      ["3", 2],
    ]);
    expect([...costs.byTurn]).toEqual([
      ["turn1", 1.1],
      ["turn2", 1],
      ["turn3", 1],
    ]);
    expect(costs.total).toBeCloseTo(3.1, 12);
    expect(costs.unpriced).toBe(1);
  });

  test("costsOf gives a total equal to the sum over messages and over turns", () => {
    const tokens = fc.nat(1_000_000);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(tokens, tokens, fc.constantFrom("a/big", "a/small", "other/x"), fc.constantFrom("t1", "t2"))),
        (made) => {
          const nodes = made.map(([input, cached, id, turn], at) =>
            node(String(at), { usage: usage(input, 3, cached), actor: model(id, turn) }),
          );
          const { total, byNode, byTurn, unpriced } = costsOf(nodes, pricesOf);
          const sum = (values: Iterable<number>): number => [...values].reduce((all, value) => all + value, 0);
          expect(sum(byNode.values())).toBeCloseTo(total, 6);
          expect(sum(byTurn.values())).toBeCloseTo(total, 6);
          expect(unpriced).toBe(made.filter(([, , id]) => id === "other/x").length);
        },
      ),
    );
  });
});
