import { expect, test } from "vitest";
import type { Actor } from "../base/actor.ts";
import type { ActorId, NodeId, RunId, TurnId } from "../base/ids.ts";
import { addSpent, nothingSpent, spentOn, usageWith } from "./spent.ts";

const by = (model: string, turn: string): Actor => ({
  type: "model",
  id: "a" as ActorId,
  name: model,
  model,
  runId: "run" as RunId,
  turnId: turn as TurnId,
});
const usage = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  cachedInputTokens: 1,
  thinkingTokens: 2,
});
const pricesOf = (model: string) => (model === "a/paid" ? { input: 1_000_000, output: 2_000_000 } : null);

test("20.16 spentOn gives the cost of each message and of each UTC day, variants on the day they came", () => {
  const day = (date: string): number => Date.parse(`${date}T23:30:00Z`);
  const nodes = [
    {
      id: "n1" as NodeId,
      createdAt: day("2026-11-20"),
      usage: usage(10, 1),
      actor: by("a/paid", "one"),
      turnId: null,
      variants: [{ at: day("2026-11-21"), actor: by("a/paid", "two"), usage: usage(20, 2) }],
    },
    { id: "n2" as NodeId, createdAt: day("2026-11-21"), usage: usage(30, 3), actor: by("a/paid", "two"), turnId: null },
  ];
  const { byDay, byNode, total } = spentOn(nodes, pricesOf, [{ model: "a/paid", usage: usage(1, 1), requests: 1 }]);
  expect([...byDay].map(([date, { dollars, requests }]) => [date, dollars, requests])).toEqual([
    ["2026-11-20", 12, 1],
    ["2026-11-21", 24 + 36, 2],
  ]);
  expect([...byNode].map(([id, { dollars }]) => [id, dollars])).toEqual([
    ["n1", 36],
    ["n2", 36],
  ]);
  // What a deleted message cost counts in the total alone.
  expect(total.dollars).toBe(12 + 24 + 36 + 3);
});

test("spentOn gives the usage in total, by turn and by model, including equal completions", () => {
  const nodes = [
    { usage: null, actor: { type: "person", id: "p" as ActorId, name: "Ada" } as const, turnId: null },
    {
      usage: usage(10, 1),
      actor: by("a/paid", "one"),
      turnId: "one" as TurnId,
      variants: [{ at: 1, actor: by("b/free", "two"), usage: usage(20, 2) }],
    },
    { usage: usage(30, 3), actor: by("b/free", "two"), turnId: "two" as TurnId, request: { model: "a/paid" } },
  ];
  const spent = spentOn(nodes, pricesOf);
  expect(spent.total).toEqual({
    usage: { inputTokens: 60, outputTokens: 6, cachedInputTokens: 3, thinkingTokens: 6 },
    dollars: 12 + 36,
    requests: 3,
    unpriced: 1,
  });
  expect(
    [...spent.byTurn].map(
      ([
        turn,
        {
          usage: { inputTokens },
        },
      ]) => [turn, inputTokens],
    ),
  ).toEqual([
    ["one", 10],
    ["two", 50],
  ]);
  expect([...spent.byModel].map(([model, { requests, dollars }]) => [model, requests, dollars])).toEqual([
    ["a/paid", 2, 48],
    ["b/free", 1, 0],
  ]);
  const sum = [...spent.byTurn.values()].reduce(addSpent, nothingSpent);
  expect(sum).toEqual(spent.total);
});

test("spentOn counts the usage of deleted messages in the total and by model, but not by turn", () => {
  const nodes = [
    { usage: usage(10, 1), actor: by("a/paid", "one"), turnId: "one" as TurnId },
    {
      usage: usage(30, 3),
      actor: by("b/free", "two"),
      turnId: "two" as TurnId,
      variants: [{ at: 1, actor: by("a/paid", "two"), usage: usage(20, 2) }],
    },
  ];
  const whole = spentOn(nodes, pricesOf);
  const deleted = usageWith(usageWith([], nodes.slice(0, 1)), nodes.slice(1));
  expect(deleted.map(({ model, requests }) => [model, requests])).toEqual([
    ["a/paid", 2],
    ["b/free", 1],
  ]);
  const after = spentOn([], pricesOf, deleted);
  expect([after.total, after.byModel, after.byTurn.size]).toEqual([whole.total, whole.byModel, 0]);
  const half = spentOn(nodes.slice(1), pricesOf, usageWith([], nodes.slice(0, 1)));
  expect([half.total, half.byTurn.size]).toEqual([whole.total, 1]);
});

test("spentOn adds up cache writes and prices deleted usage at the average prompt length of its requests", () => {
  const tiered = () => ({
    input: 1_000_000,
    output: 0,
    cacheWrite: 3_000_000,
    longPrompt: { above: 10, input: 0, output: 0 },
  });
  const written = { ...usage(9, 0), cachedInputTokens: 0, cacheWriteTokens: 4 };
  const nodes = [1, 2, 3].map(() => ({ usage: written, actor: by("a/paid", "one"), turnId: "one" as TurnId }));
  const expected = {
    usage: { ...written, inputTokens: 27, cacheWriteTokens: 12, thinkingTokens: 6 },
    dollars: 15 + 36,
  };
  expect(spentOn(nodes, tiered).total).toMatchObject(expected);
  expect(spentOn([], tiered, usageWith([], nodes)).total).toMatchObject(expected);
});
