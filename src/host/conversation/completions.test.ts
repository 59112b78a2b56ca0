import { describe, expect, test } from "vitest";
import { must } from "../../core/base/assert.ts";
import type { NodeId, RootId, RunId } from "../../core/base/ids.ts";
import type { FeedRecord } from "../../core/turn/state/feed.ts";
import {
  accepted,
  calls,
  code,
  fails,
  info,
  otherInfo,
  says,
  lineOf,
  World,
} from "./queue/conversation.test-support.ts";

interface Asked {
  readonly nodeId: NodeId;
  readonly runIds: readonly RunId[];
}

async function ask(world: World, rootId: RootId, n: number): Promise<Asked> {
  const message = { rootId, parentNodeId: null, text: "hi", n };
  const { nodeId, runIds } = accepted(await world.conversations.messages.send(world.ada, message));
  return { nodeId: must(nodeId, "a message that was stored"), runIds };
}

/** A model that answers differently each time. */
function counting(): World["script"] {
  return (_request, turn) => [{ pauseMs: 100 }, ...says(`answer ${turn}`)];
}

describe("several replies to one message", () => {
  test("F-36 are siblings below one question, each in a run of its own", async () => {
    const world = await World.start({ script: counting() });
    const rootId = await world.newRoot();
    const { nodeId, runIds } = await ask(world, rootId, 3);
    expect(new Set(runIds).size).toBe(3);
    await world.rest();
    const answers = await world.store.children(rootId, nodeId);
    expect(answers.map(lineOf).toSorted()).toEqual([
      "assistant: answer 0",
      "assistant: answer 1",
      "assistant: answer 2",
    ]);
    expect(new Set(answers.map((node) => node.runId))).toEqual(new Set(runIds));
    expect(new Set(answers.map((node) => node.turnId)).size).toBe(3);
    expect(await world.store.nodes(rootId)).toHaveLength(4);
    expect(world.errors).toEqual([]);
  });

  test("F-36 L9 with equal text are one node that records each", async () => {
    const world = await World.start();
    const rootId = await world.newRoot();
    const { nodeId, runIds } = await ask(world, rootId, 5);
    await world.rest();
    const answers = await world.store.children(rootId, nodeId);
    expect(answers.map(lineOf)).toEqual(["assistant: hello"]);
    const [answer] = answers;
    expect(answer?.variants).toHaveLength(4);
    const spoke = [answer?.actor, ...(answer?.variants ?? []).map((variant) => variant.actor)];
    expect(new Set(spoke.map((actor) => actor?.type === "model" && actor.runId))).toEqual(new Set(runIds));
    for (const runId of runIds) {
      expect(await world.branch(runId)).toEqual(["user: hi", "assistant: hello"]);
      expect(await world.runState(runId)).toBe("idle");
    }
  });

  test("F-37 are independent: a failed reply reports its failure in its own run", async () => {
    const world = await World.start({
      script: (_request, turn) =>
        turn === 1 ? fails({ class: "auth", message: "No.", retryable: false }) : says(`answer ${turn}`),
    });
    const rootId = await world.newRoot();
    const { nodeId, runIds } = await ask(world, rootId, 3);
    await world.rest();
    expect(await world.store.children(rootId, nodeId)).toHaveLength(2);
    const states = await Promise.all(runIds.map((runId) => world.runState(runId)));
    expect(states.toSorted()).toEqual(["error", "idle", "idle"]);
  });

  test("F-38 void: with tools on, have their own calls and their own leases", async () => {
    const runsOfTools = new Set<RunId>();
    const world = await World.start({
      script: (request, turn) =>
        request.messages.length === 1 ? calls(`safe-${turn}`) : says(`done ${request.messages.length} ${turn}`),
    });
    const run = world.tools.run.bind(world.tools);
    world.tools.run = (call, context, signal) => {
      runsOfTools.add(context.runId);
      return run(call, context, signal);
    };
    const rootId = await world.newRoot();
    const { nodeId, runIds } = await ask(world, rootId, 2);
    await world.rest();
    expect([...runsOfTools].toSorted()).toEqual(runIds.toSorted());
    expect(await world.store.children(rootId, nodeId)).toHaveLength(2);
    for (const runId of runIds) {
      const [question, asking, result, answer] = await world.branch(runId);
      expect([question, asking, result]).toEqual([
        "user: hi",
        expect.stringMatching(/^assistant: \[call-safe-\d\]$/),
        expect.stringMatching(/^tool call-safe-\d: ok$/),
      ]);
      expect(answer).toMatch(/^assistant: done 3/);
    }
  });

  test("can be stopped one by one", async () => {
    const world = await World.start({ script: counting() });
    const rootId = await world.newRoot();
    const { nodeId, runIds } = await ask(world, rootId, 2);
    await world.clock.settle();
    const stopped = must(runIds[1], "a second run");
    accepted(await world.conversations.runs.cancel(world.ada, { runId: stopped, reason: "stopped" }));
    await world.rest();
    expect((await world.store.children(rootId, nodeId)).map(lineOf)).toEqual(["assistant: answer 0"]);
  });

  test("are stored and broadcast in one transaction with the question", async () => {
    const world = await World.start({ script: counting() });
    const rootId = await world.newRoot();
    const commits: number[] = [];
    const batches: FeedRecord[][] = [];
    const watcher = {
      snapshot: () => {},
      deliver: (records: readonly FeedRecord[]) => void batches.push([...records]),
    };
    accepted(await world.conversations.watch(rootId, 0, watcher));
    world.onCommit = (writes) => {
      commits.push(writes.filter((write) => write.type === "put-run").length);
      return null;
    };
    await ask(world, rootId, 4);
    expect(commits[0]).toBe(4);
    expect(batches[0]?.map(({ body }) => body.type)).toEqual([
      "root-changed",
      "node-added",
      ...Array.from({ length: 4 }, () => "run-changed"),
    ]);
    await world.rest();
  });

  test("wait together with the message that they answer", async () => {
    const world = await World.start({ script: counting() });
    const rootId = await world.newRoot();
    const { nodeId, runId } = await world.send(rootId, null, "first");
    const waiting = { rootId, parentNodeId: nodeId, text: "next", deliver: "queue", n: 2 } as const;
    expect(accepted(await world.conversations.messages.send(world.ada, waiting)).queued).toBe(true);
    await world.rest();
    const question = (await world.store.nodes(rootId)).find((node) => lineOf(node) === "user: next");
    expect(await world.store.children(rootId, must(question, "the message that waited").id)).toHaveLength(2);
    expect(await world.branch(runId)).toHaveLength(4);
  });

  test("are refused together by a full disk, which leaves no run behind", async () => {
    const world = await World.start();
    const rootId = await world.newRoot();
    world.onCommit = () => "STORE_FULL";
    const message = { rootId, parentNodeId: null, text: "hi", n: 3 };
    expect(code(await world.conversations.messages.send(world.ada, message))).toBe("STORE_FULL");
    world.onCommit = () => null;
    expect(accepted(await world.conversations.view(rootId)).runs).toEqual([]);
    expect(world.requests).toEqual([]);
  });

  test.each([0, 11, 1.5, Number.NaN])("%s of them are refused", async (n) => {
    const world = await World.start();
    const rootId = await world.newRoot();
    const message = { rootId, parentNodeId: null, text: "hi", n };
    expect(code(await world.conversations.messages.send(world.ada, message))).toBe("INVALID_PARAMS");
  });

  test("can be requested beside an existing reply", async () => {
    const world = await World.start({ script: counting() });
    const rootId = await world.newRoot();
    const { nodeId } = await ask(world, rootId, 1);
    await world.rest();
    const again = accepted(await world.conversations.messages.regenerate(world.ada, { nodeId, n: 2 }));
    expect(again.runIds).toHaveLength(2);
    await world.rest();
    expect(await world.store.children(rootId, nodeId)).toHaveLength(3);
  });
});

describe("the settings of a reply", () => {
  test("F-44 come from the request first, then the active preset, then the conversation", async () => {
    const world = await World.start({ script: counting() });
    const rootId = await world.newRoot();
    const { presets } = world.conversations;
    accepted(await presets.put({ name: "wild", n: 2, temperature: 1.5, maxTokens: 50 }));
    const send = async (wish: object): Promise<void> => {
      const message = { rootId, parentNodeId: null, text: "hi", ...wish };
      accepted(await world.conversations.messages.send(world.ada, message));
      await world.rest();
    };
    await send({});
    accepted(await presets.activate("wild"));
    await send({});
    await send({ n: 1, temperature: 0, maxTokens: 20 });
    await send({ n: 1, maxTokens: 1_000_000 });
    accepted(await presets.activate(null));
    await send({});
    const asked = world.requests.map(({ maxTokens, temperature }) => [maxTokens, temperature]);
    expect(asked).toEqual([
      [1_000, undefined],
      [50, 1.5],
      [50, 1.5],
      [20, 0],
      [1_000, 1.5],
      [1_000, undefined],
    ]);
  });

  test("F-44 an unknown preset is refused with the names of the known presets; deleting the active preset leaves none active", async () => {
    const { presets } = (await World.start()).conversations;
    accepted(await presets.put({ name: "calm", temperature: 0 }));
    const refused = await presets.activate("wild");
    expect(refused).toMatchObject({ ok: false, error: { code: "NOT_FOUND", details: { presets: ["calm"] } } });
    accepted(await presets.activate("calm"));
    accepted(await presets.put({ name: "calm", temperature: 0.1 }));
    expect(await presets.list()).toEqual({ presets: [{ name: "calm", temperature: 0.1 }], active: "calm" });
    expect(accepted(await presets.remove("calm"))).toEqual({ presets: [], active: null });
    expect(code(await presets.remove("calm"))).toBe("NOT_FOUND");
  });

  test("an unreadable preset does not hide the others", async () => {
    const world = await World.start();
    const { presets } = world.conversations;
    const value = { presets: [{ name: "calm", temperature: 0 }, { name: "odd", n: 1_000 }, 7], active: "odd" };
    accepted(await world.store.commit([{ type: "put-meta", key: "presets", value }]));
    expect(await presets.list()).toEqual({ presets: [{ name: "calm", temperature: 0 }], active: null });
    accepted(await presets.put({ name: "wild", temperature: 1 }));
    expect((await presets.list()).presets.map(({ name }) => name)).toEqual(["calm", "wild"]);
  });

  test("another model answers one turn at any node, and the conversation keeps its own model", async () => {
    const world = await World.start({ script: counting() });
    const rootId = await world.newRoot();
    const { nodeId, runIds } = await ask(world, rootId, 1);
    await world.rest();
    const other = await world.conversations.messages.regenerate(world.ada, { nodeId, model: otherInfo.id });
    await world.rest();
    const [first, second] = await world.store.children(rootId, nodeId);
    expect(first?.request).toMatchObject({
      model: info.id,
      tools: ["slow", "ask_user", "spawn_sub_agents"],
      stop: "end-turn",
    });
    expect(second?.actor).toMatchObject({ name: otherInfo.name, runId: accepted(other).runId });
    expect(second?.request?.model).toBe(otherInfo.id);
    const onward = { rootId, parentNodeId: second?.id ?? null, text: "go on" };
    accepted(await world.conversations.messages.send(world.ada, onward));
    await world.rest();
    expect(world.requests.map((request) => request.model)).toEqual(["scripted", "voice", "scripted"]);
    expect((await world.store.root(rootId))?.model).toBe(info.id);
    expect(runIds).toHaveLength(1);
    const unknown = await world.conversations.messages.regenerate(world.ada, { nodeId, model: "no/model" });
    expect(code(unknown)).toBe("MODEL_NOT_FOUND");
  });

  test("a queued message, and a turn resumed after a crash, keep the settings of their request", async () => {
    const world = await World.start({ script: counting() });
    const rootId = await world.newRoot();
    const { nodeId } = await world.send(rootId, null, "first");
    const waiting = {
      rootId,
      parentNodeId: nodeId,
      text: "next",
      deliver: "queue",
      temperature: 0.25,
      model: otherInfo.id,
    } as const;
    accepted(await world.conversations.messages.send(world.ada, waiting));
    await world.clock.advance(150);
    expect(world.requests).toHaveLength(2);
    const after = await World.start({ image: world.store.image(), journal: world.journal.copy(), script: counting() });
    await after.rest();
    for (const request of [world.requests[1], after.requests[0]]) {
      expect(request).toMatchObject({ temperature: 0.25, model: "voice" });
    }
  });
});
