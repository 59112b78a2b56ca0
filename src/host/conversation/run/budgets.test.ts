import { describe, expect, test } from "vitest";
import { StoreAwayError } from "../../../adapters/storage/shared/store-error.ts";
import { must } from "../../../core/base/assert.ts";
import type { NodeId, RootId, RunId } from "../../../core/base/ids.ts";
import type { Budget } from "../../../core/forest/run-rules.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { noUsage } from "../../../core/message/usage.ts";
import {
  accepted,
  brokenBranches,
  calls,
  code,
  info,
  otherInfo,
  says,
  World,
} from "../queue/conversation.test-support.ts";
import { budgetFailure } from "./spending.ts";

const metered = (name: string | null) =>
  (name === null ? says("done") : calls(name)).map((step) =>
    "type" in step && step.type === "finished"
      ? { ...step, usage: { ...noUsage, inputTokens: 900, outputTokens: 100 } }
      : step,
  );

async function asked(budget: Budget | null, rounds: number, server?: Budget) {
  const world = await World.start({
    script: (_request, turn) => metered(turn < rounds ? `safe-${turn}` : null),
    prices: { input: 1_000, output: 1_000 },
    ...(server === undefined ? {} : { rules: { budget: server } }),
  });
  const rootId = await world.newRoot();
  if (budget !== null) accepted(await world.conversations.setRules({ rootId, budget }));
  const { runId } = await world.send(rootId, null, "hi");
  await world.rest();
  return { world, rootId, runId };
}

async function stateOf(world: World, runId: RunId) {
  return must(await world.store.run(runId), "a run").state;
}

describe("a budget", () => {
  test.each<[string, Budget, number, RegExp]>([
    ["of tokens", { tokens: 2_000 }, 2, /2000 tokens/],
    ["of tokens, exceeded by a reply", { tokens: 1_500 }, 2, /1500 tokens/],
    ["of money", { dollars: 3 }, 3, /3 US dollars/],
    ["of steps", { steps: 1 }, 1, /1 request to models in one turn/],
    ["of steps, among others", { steps: 4, tokens: 1_000_000, dollars: 1_000 }, 4, /4 requests/],
  ])("%s ends a turn before the first request beyond it", async (_name, budget, requests, words) => {
    const { world, rootId, runId } = await asked(budget, 50);
    expect(world.requests).toHaveLength(requests);
    expect(await stateOf(world, runId)).toMatchObject({
      type: "error",
      kind: "rate-limit",
      detail: "budget",
      message: expect.stringMatching(words),
    });
    expect(await brokenBranches(world, rootId)).toEqual([]);
  });

  test.each<[string, Error, string]>([
    [
      "that cannot be read while the database is away is read again",
      new StoreAwayError("the database is away"),
      "idle",
    ],
    ["that cannot be read at all ends the turn with the reason", new Error("the page is damaged"), "error"],
  ])("%s", async (_name, problem, state) => {
    const world = await World.start({ script: () => metered(null), rules: { budget: { steps: 4 } } });
    const rootId = await world.newRoot();
    let failures = 0;
    world.onCommit = () => {
      world.onRead = (query) => {
        if (query !== "path" || failures > 0) return;
        failures += 1;
        throw problem;
      };
      return null;
    };
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.advance(10);
    expect(world.requests).toEqual([]);
    expect(await stateOf(world, runId)).toMatchObject(
      state === "error" ? { type: "error", message: expect.stringContaining("damaged") } : { type: "awaiting" },
    );
    await world.rest();
    expect(failures).toBe(1);
    expect(await stateOf(world, runId)).toMatchObject({ type: state });
    expect(world.requests).toHaveLength(state === "idle" ? 1 : 0);
  });

  test("that is raised lets the turn be retried from where it ended", async () => {
    const { world, rootId, runId } = await asked({ steps: 2 }, 3);
    accepted(await world.conversations.setRules({ rootId, budget: { tokens: 100_000 } }));
    accepted(await world.conversations.runs.retry(world.ada, { runId }));
    await world.rest();
    expect(await stateOf(world, runId)).toEqual({ type: "idle" });
  });

  test.each<[string, (world: World, nodes: readonly ForestNode[]) => Promise<void>]>([
    [
      "deletes the paid messages",
      async (world, [, reply]) => {
        const { id } = must(reply, "a reply");
        accepted(await world.conversations.messages.delete({ nodeId: id }));
      },
    ],
    [
      "deletes a call in the middle",
      async (world, [, reply]) => {
        const { id } = must(reply, "a reply");
        accepted(await world.conversations.messages.delete({ nodeId: id, reparent: true }));
      },
    ],
    [
      "overwrites the last answer",
      async (world, nodes) => {
        const { id } = must(nodes.at(-1), "a reply");
        const content = [{ type: "text", text: "mine" }] as const;
        accepted(await world.conversations.messages.rewrite(world.ada, { nodeId: id, content }));
      },
    ],
  ])("is not restored to a person who %s", async (_name, act) => {
    const { world, rootId, runId } = await asked({ tokens: 2_000 }, 1);
    const before = accepted(await world.conversations.usage(rootId));
    expect(before.left.tokens).toBe(0);
    await act(world, await world.store.nodes(rootId));
    const after = accepted(await world.conversations.usage(rootId));
    expect([after.total, after.models, after.left]).toEqual([before.total, before.models, before.left]);
    expect(after.turns.reduce((sum, { requests }) => sum + requests, 0)).toBeLessThan(2);
    const { headNodeId } = must(await world.store.run(runId), "a run");
    await world.send(rootId, headNodeId, "again");
    await world.rest();
    expect(world.requests).toHaveLength(2);
    expect(must(await world.store.root(rootId), "a root").budget).toEqual({ tokens: 2_000 });
  });

  test("of steps counts each turn separately", async () => {
    const { world, rootId, runId } = await asked({ steps: 2 }, 1);
    expect(await stateOf(world, runId)).toEqual({ type: "idle" });
    const { headNodeId } = must(await world.store.run(runId), "a run");
    await world.send(rootId, headNodeId, "again");
    await world.rest();
    expect(await stateOf(world, runId)).toEqual({ type: "idle" });
    expect(world.requests).toHaveLength(3);
  });

  test("of the server applies until the conversation has its own, even an unlimited one", async () => {
    const { world, rootId, runId } = await asked(null, 5, { steps: 1 });
    expect(await stateOf(world, runId)).toMatchObject({ detail: "budget" });
    accepted(await world.conversations.setRules({ rootId, budget: {} }));
    accepted(await world.conversations.runs.retry(world.ada, { runId }));
    await world.rest();
    expect(await stateOf(world, runId)).toEqual({ type: "idle" });
  });

  test("is used up by sub-agents too, and a sub-agent's budget is its parent's", async () => {
    const { world, rootId, runId } = await asked({ tokens: 5_000 }, 0);
    const root = must(await world.store.root(rootId), "a root");
    const { budget: _none, ...plain } = root;
    const helper = { ...plain, id: "root_helper" as RootId, slug: "helper", parent: { rootId, runId } };
    const run = must(await world.store.run(runId), "a run");
    const [, reply] = await world.store.nodes(rootId);
    const usage4 = { ...noUsage, inputTokens: 3_900, outputTokens: 100 };
    const node = {
      ...must(reply, "a reply"),
      id: "node_helper" as NodeId,
      rootId: helper.id,
      parentId: null,
      usage: usage4,
    };
    await world.store.commit([
      { type: "put-root", root: helper },
      { type: "put-node", node },
    ]);
    const context = {
      run: { ...run, rootId: helper.id },
      root: helper,
      turn: { runId, turnId: must(run.turnId, "a turn"), model: info.id },
    };
    const models = { list: () => [info], find: () => undefined };
    expect(await budgetFailure({ store: world.store, models }, context)).toMatchObject({ class: "budget" });
    await world.send(rootId, run.headNodeId, "and now?");
    await world.rest();
    expect(await stateOf(world, runId)).toMatchObject({ detail: "budget" });
    const usage = accepted(await world.conversations.usage(rootId));
    expect(usage.total.requests).toBe(2);
    expect(usage.subAgents.usage).toEqual(usage4);
    expect(usage.left).toEqual({ tokens: 0, dollars: null });
  });
});

describe("the usage of a conversation", () => {
  test("is reported in total, by turn and by model, with what the budget leaves", async () => {
    const { world, rootId, runId } = await asked({ tokens: 10_000, dollars: 2.5 }, 1);
    const { headNodeId } = must(await world.store.run(runId), "a run");
    world.script = () => metered(null);
    accepted(
      await world.conversations.messages.send(world.ada, {
        rootId,
        parentNodeId: headNodeId,
        text: "you now",
        model: otherInfo.id,
      }),
    );
    await world.rest();
    const usage = accepted(await world.conversations.usage(rootId));
    expect(usage.total).toEqual({
      usage: { ...noUsage, inputTokens: 2_700, outputTokens: 300 },
      dollars: 2,
      requests: 3,
      unpriced: 1,
    });
    expect(usage.turns.map(({ requests, dollars }) => [requests, dollars])).toEqual([
      [2, 2],
      [1, 0],
    ]);
    expect(usage.models.map(({ model, requests }) => [model, requests])).toEqual([
      [info.id, 2],
      [otherInfo.id, 1],
    ]);
    expect(usage.left).toEqual({ tokens: 7_000, dollars: 0.5 });
    expect(code(await world.conversations.usage("root_none" as RootId))).toBe("ROOT_NOT_FOUND");
  });
});
