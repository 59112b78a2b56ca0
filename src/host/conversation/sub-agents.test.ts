import { describe, expect, test } from "vitest";
import { must } from "../../core/base/assert.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { RootId, RunId } from "../../core/base/ids.ts";
import { textOf } from "../../core/message/content.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import { noUsage } from "../../core/message/usage.ts";
import { isSettled } from "../../core/turn/step/precheck.ts";
import type { ForestRoot } from "../../core/forest/types.ts";
import {
  accepted,
  brokenBranches,
  calls,
  code,
  otherInfo,
  says,
  World,
  type Script,
  type ScriptStep,
} from "./queue/conversation.test-support.ts";
import { subAgentPrompt } from "./sub-agents.ts";

/** One call with arguments. */
function callOf(name: string, parameters: JsonObject, id = `call-${name}`): readonly ScriptStep[] {
  return [
    { type: "tool-call-start", index: 0, id, name },
    { type: "tool-call-delta", index: 0, text: JSON.stringify(parameters) },
    { type: "tool-call-end", index: 0 },
    { type: "finished", reason: "tool-use", usage: noUsage },
  ];
}

const spawn = (...tasks: readonly string[]): readonly ScriptStep[] =>
  callOf("spawn_sub_agents", { tasks: tasks.map((task) => ({ task })) });
const submit = (result: string): readonly ScriptStep[] => callOf("submit_result", { result });

/** Returns the task of the sub-agent that asks; null for the conversation that started it. */
function taskOf(request: ModelRequest): string | null {
  const [first] = request.messages;
  return request.system.startsWith(subAgentPrompt) && first !== undefined ? textOf(first) : null;
}

/** A conversation that starts a sub-agent for each task, and says "thanks" when it receives their results. */
function family(
  tasks: readonly string[],
  agent: (task: string, request: ModelRequest) => readonly ScriptStep[],
): Script {
  return (request) => {
    const task = taskOf(request);
    if (task !== null) return agent(task, request);
    return request.messages.some(({ role }) => role === "tool") ? says("thanks") : spawn(...tasks);
  };
}

const hasAnswered = (request: ModelRequest): boolean => request.messages.some(({ role }) => role === "tool");

async function agentsOf(world: World): Promise<readonly ForestRoot[]> {
  return (await world.store.roots()).filter(({ parent }) => parent !== undefined);
}

async function asked(world: World): Promise<{ readonly rootId: RootId; readonly runId: RunId }> {
  const rootId = await world.newRoot();
  const { runId } = await world.send(rootId, null, "Look around.");
  return { rootId, runId };
}

/** Returns the sub-agents' results as the conversation received them. */
async function resultsOf(world: World, rootId: RootId): Promise<readonly JsonObject[]> {
  const nodes = await world.store.nodes(rootId);
  const result = must(
    nodes.map(({ message }) => message).find((message) => message.role === "tool"),
    "a result",
  );
  return (JSON.parse(textOf(result)) as { results: readonly JsonObject[] }).results;
}

describe("sub-agents", () => {
  test("S-24 S-28 work side by side in conversations of their own, and are reported in the order of their tasks", async () => {
    const world = await World.start({
      script: family(["north", "south"], (task, request) =>
        hasAnswered(request) || task === "south" ? submit(`${task} is fine`) : calls(`slow-${task}`),
      ),
    });
    const { rootId, runId } = await asked(world);
    await world.clock.settle();
    expect(await world.runState(runId)).toBe("awaiting-sub-agents");
    await world.rest();
    expect(await world.runState(runId)).toBe("idle");
    expect(await resultsOf(world, rootId)).toEqual([
      { agent: 1, task: "north", status: "completed", result: "north is fine" },
      { agent: 2, task: "south", status: "completed", result: "south is fine" },
    ]);
    expect((await world.branch(runId)).at(-1)).toBe("assistant: thanks");
    for (const { id } of await world.store.roots()) expect(await brokenBranches(world, id)).toEqual([]);
    expect(world.errors).toEqual([]);
  });

  test("14.10 work with the model that their task names, and none starts where it does not exist", async () => {
    const world = await World.start({
      script: (request) => {
        if (taskOf(request) !== null) return submit("done");
        return request.messages.some(({ role }) => role === "tool")
          ? says("thanks")
          : callOf("spawn_sub_agents", { tasks: [{ task: "north", model: otherInfo.id }, { task: "south" }] });
      },
    });
    await asked(world);
    await world.rest();
    const models = new Map((await agentsOf(world)).map(({ title, model }) => [title, model]));
    expect(models.get("north")).toBe(otherInfo.id);
    expect(models.get("south")).not.toBe(otherInfo.id);
    const asking = (await Promise.all((await agentsOf(world)).map(({ id }) => world.store.nodes(id)))).flat();
    expect(asking.find(({ request }) => request?.model === otherInfo.id)).toBeDefined();

    const wrong = await World.start({
      script: (request) =>
        request.messages.some(({ role }) => role === "tool")
          ? says("thanks")
          : callOf("spawn_sub_agents", { tasks: [{ task: "north", model: "no/such" }] }),
    });
    const { rootId } = await asked(wrong);
    await wrong.rest();
    expect(await agentsOf(wrong)).toEqual([]);
    const refused = (await wrong.store.nodes(rootId)).find(({ message }) => message.role === "tool");
    expect(refused === undefined ? "" : textOf(refused.message)).toContain("there is no model");
  });

  test("are in no list, cause no notifications, and accept no message of a person", async () => {
    const world = await World.start({ script: family(["north"], () => submit("done")) });
    const received: string[] = [];
    world.conversations.watchSummaries((root) => void received.push(root.id));
    const { rootId } = await asked(world);
    await world.rest();
    const agent = must((await agentsOf(world))[0], "an agent");
    expect((await world.conversations.list()).map(({ id }) => id)).toEqual([rootId]);
    expect(received).not.toContain(agent.id);
    const send = { rootId: agent.id, parentNodeId: null, text: "hello" };
    expect(code(await world.conversations.messages.send(world.ada, send))).toBe("CONVERSATION_ENDED");
    const view = accepted(await world.conversations.view(agent.id));
    expect(view.root).toMatchObject({ parent: { rootId }, canvasId: null, cwd: "/tmp" });
    const { nodeId } = { nodeId: must(view.nodes[0], "a message").id };
    for (const refused of [
      await world.conversations.messages.regenerate(world.ada, { nodeId }),
      await world.conversations.messages.edit(world.ada, { nodeId, text: "other" }),
      await world.conversations.messages.delete({ nodeId }),
      await world.conversations.runs.retry(world.ada, { runId: must(view.runs[0], "a run").runId }),
    ]) {
      expect(code(refused)).toBe("CONVERSATION_ENDED");
    }
  });

  test("S-29 are not offered tools to start sub-agents or ask people, and learn so when they try", async () => {
    const offered: (readonly string[])[] = [];
    const world = await World.start({
      script: family(["north"], (_task, request) => {
        offered.push((request.tools ?? []).map(({ name }) => name));
        return hasAnswered(request) ? submit("no") : spawn("deeper");
      }),
    });
    await asked(world);
    await world.rest();
    expect(offered[0]).toEqual(["slow", "submit_result"]);
    expect(await agentsOf(world)).toHaveLength(1);
  });

  test("S-29 that answer in words are asked once to submit; then their words count", async () => {
    const world = await World.start({ script: family(["north"], () => says("all is fine")) });
    const { rootId } = await asked(world);
    await world.rest();
    expect(await resultsOf(world, rootId)).toEqual([
      { agent: 1, task: "north", status: "completed", result: "all is fine", implicit: true },
    ]);
  });

  test("S-30 that run out of time have failed, whatever they are doing, and the others count", async () => {
    const script: Script = (request) => {
      const task = taskOf(request);
      if (task !== null) return task === "quick" ? submit("ok") : calls("slow-stuck");
      if (hasAnswered(request)) return says("thanks");
      return callOf("spawn_sub_agents", { tasks: [{ task: "endless", time_limit_seconds: 5 }, { task: "quick" }] });
    };
    const world = await World.start({ script });
    const { rootId, runId } = await asked(world);
    await world.clock.advance(4_900);
    expect(await world.runState(runId)).toBe("awaiting-sub-agents");
    await world.clock.advance(300);
    expect(await world.runState(runId)).toBe("idle");
    expect(await resultsOf(world, rootId)).toMatchObject([
      { status: "failed", reason: "timed-out" },
      { status: "completed", result: "ok" },
    ]);
  });

  test("S-26 S-27 all end on a cancel, and then the turn ends; every call has its result", async () => {
    const world = await World.start({ script: family(["north", "south"], () => calls("slow-a")) });
    const { rootId, runId } = await asked(world);
    await world.clock.advance(500);
    accepted(await world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" }));
    await world.clock.advance(150);
    expect(await world.runState(runId)).toBe("idle");
    expect(await resultsOf(world, rootId)).toMatchObject([
      { status: "failed", reason: "cancelled" },
      { status: "failed", reason: "cancelled" },
    ]);
    for (const { id } of await world.store.roots()) expect(await brokenBranches(world, id)).toEqual([]);
  });

  test("that a person stops have failed, and the conversation continues", async () => {
    const world = await World.start({ script: family(["north"], () => calls("slow-a")) });
    const { rootId, runId } = await asked(world);
    await world.clock.advance(500);
    const agent = must((await agentsOf(world))[0], "an agent");
    const [run] = await world.store.runs(agent.id);
    accepted(await world.conversations.runs.cancel(world.ada, { runId: must(run, "a run").id, reason: "stopped" }));
    await world.rest();
    expect(await world.runState(runId)).toBe("idle");
    expect(await resultsOf(world, rootId)).toMatchObject([{ status: "failed", reason: "cancelled" }]);
  });

  test.each([
    ["no task", []],
    ["eleven tasks", Array.from({ length: 11 }, (_, at) => `task ${at}`)],
    ["an empty task", [" "]],
  ])("S-24 %s starts no sub-agent, and the model learns why", async (_name, tasks) => {
    const world = await World.start({ script: family(tasks, () => submit("never")) });
    const { runId } = await asked(world);
    await world.rest();
    expect(await agentsOf(world)).toEqual([]);
    expect(await world.branch(runId)).toContain("tool call-spawn_sub_agents: error");
  });

  test("beyond the turn's budget are not started", async () => {
    const world = await World.start({
      script: family(["a", "b", "c"], () => submit("never")),
    });
    const rootId = await world.newRoot();
    accepted(await world.conversations.setRules({ rootId, budget: { subAgents: 2 } }));
    const { runId } = await world.send(rootId, null, "Look around.");
    await world.rest();
    expect(await agentsOf(world)).toEqual([]);
    expect(await world.branch(runId)).toContain("tool call-spawn_sub_agents: error");
  });

  test("of a refused call do not count against the budget, and those of a call with the same id do", async () => {
    const world = await World.start({
      script: (request) => {
        if (taskOf(request) !== null) return submit("done");
        const results = request.messages.filter(({ role }) => role === "tool").length;
        return [spawn("a", "b", "c", "d"), spawn("a", "b"), spawn("c", "d"), spawn("c")][results] ?? says("thanks");
      },
    });
    const rootId = await world.newRoot();
    accepted(await world.conversations.setRules({ rootId, budget: { subAgents: 3 } }));
    const { runId } = await world.send(rootId, null, "Look around.");
    await world.rest();
    const results = (await world.branch(runId)).filter((line) => line.startsWith("tool"));
    expect(results).toEqual(["error", "ok", "error", "ok"].map((how) => `tool call-spawn_sub_agents: ${how}`));
    expect(await agentsOf(world)).toHaveLength(3);
  });

  test("S-25 S-38 after a crash at any commit end once each, and the conversation receives each result", async () => {
    const script = family(["north", "south"], (task, request) =>
      hasAnswered(request) ? submit(`${task} is fine`) : calls(`safe-${task}`),
    );
    const world = await World.start({ script });
    const images: { readonly image: ReturnType<World["store"]["image"]>; readonly journal: World["journal"] }[] = [];
    world.onCommit = () => {
      images.push({ image: world.store.image(), journal: world.journal.copy() });
      return null;
    };
    const { runId } = await asked(world);
    await world.rest();
    expect(images.length).toBeGreaterThan(20);
    for (const { image, journal } of images) {
      const after = await World.start({ image, journal, script });
      await after.rest();
      const run = await after.store.run(runId);
      if (run === null || (await after.branch(runId)).length === 0) continue;
      expect(isSettled(run.state)).toBe(true);
      expect(await resultsOf(after, run.rootId)).toMatchObject([
        { result: "north is fine" },
        { result: "south is fine" },
      ]);
      expect(await agentsOf(after)).toHaveLength(2);
      for (const { id } of await after.store.roots()) expect(await brokenBranches(after, id)).toEqual([]);
      await after.conversations.close();
    }
  });
});
