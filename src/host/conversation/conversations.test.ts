import { describe, expect, test } from "vitest";
import type { BlockId, NodeId, RequestId, RootId, RunId } from "../../core/base/ids.ts";
import { ok } from "../../core/base/result.ts";
import { conversationRoundsMax } from "../../core/turn/state/context.ts";
import {
  accepted,
  brokenBranches,
  brokenLine,
  calls,
  code,
  fails,
  says,
  lineOf,
  otherInfo,
  World,
} from "./queue/conversation.test-support.ts";
import { Once } from "../base/once.ts";
import type { CreatedConversation, SentMessage } from "./base/types.ts";

const requestId = "request-1" as RequestId;

function onceIn({ store, clock }: World): Once {
  return new Once(store, { clock, logger: { info() {}, warn() {}, error() {} } });
}

describe("a message", () => {
  test("S-01 S-04 is stored, answered by the model, and the run is idle", async () => {
    const world = await World.start();
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    expect(await world.branch(runId)).toEqual(["user: hi", "assistant: hello"]);
    expect(await world.runState(runId)).toBe("idle");
    expect(await world.store.effects(runId)).toEqual([]);
    expect(world.errors).toEqual([]);
  });

  test("carries the conversation so far, the system prompt and the tools to the model", async () => {
    const world = await World.start();
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    const head = (await world.store.run(runId))?.headNodeId ?? null;
    const second = await world.send(rootId, head, "and?");
    await world.clock.settle();
    expect(second.runId).toBe(runId);
    expect(world.requests.map((request) => request.messages.map((message) => message.role))).toEqual([
      ["user"],
      ["user", "assistant", "user"],
    ]);
    expect(world.requests[1]).toMatchObject({
      model: "scripted",
      system: expect.stringMatching(/^Be brief\.\n\n/),
      maxTokens: 1_000,
    });
    expect(world.requests[1]?.tools.map((tool) => tool.name)).toEqual(["slow", "ask_user", "spawn_sub_agents"]);
  });

  test("names the author of each node, and its turn", async () => {
    const world = await World.start({ script: (_request, turn) => (turn === 0 ? calls("look") : says("done")) });
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    const nodes = await world.store.nodes(rootId);
    expect(nodes.map((node) => [node.message.role, node.actor.type, node.actor.name])).toEqual([
      ["user", "person", "Ada"],
      ["assistant", "model", "Scripted"],
      ["tool", "model", "Scripted"],
      ["assistant", "model", "Scripted"],
    ]);
    expect(new Set(nodes.map((node) => node.turnId)).size).toBe(1);
    expect(nodes.every((node) => node.runId === runId)).toBe(true);
    expect(nodes[2]?.actor).toMatchObject({ toolCallId: "call-look" });
  });

  test("gives an unnamed conversation its title", async () => {
    const world = await World.start();
    const rootId = await world.newRoot();
    await world.send(rootId, null, "  Where do\nthe swallows go? ");
    expect((await world.store.root(rootId))?.title).toBe("Where do the swallows go?");
  });

  test("S-02 to a busy branch is refused, and changes nothing but the leases", async () => {
    const world = await World.start({ script: () => [{ pauseMs: 1_000 }, ...says("hello")] });
    const rootId = await world.newRoot();
    const { nodeId, runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    world.leases.leased.add(runId);
    const before = await world.store.run(runId);
    const again = await world.conversations.messages.send(world.ada, { rootId, parentNodeId: nodeId, text: "hey" });
    expect(code(again)).toBe("AGENT_BUSY");
    expect(await world.store.run(runId)).toEqual(before);
    expect(world.tools.log).toEqual(["preempted"]);
    expect((await world.store.lease("canvas" as BlockId))?.epoch).toBe(1);
    await world.rest();
    expect(await world.branch(runId)).toEqual(["user: hi", "assistant: hello"]);
  });

  test("preempts the leases of all runs of its conversation in its own transaction", async () => {
    const world = await World.start({ script: () => [{ pauseMs: 1_000 }, ...says("hello")] });
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    world.leases.leased.add(runId);
    const commits: string[][] = [];
    world.onCommit = (writes) => {
      commits.push(writes.map((write) => write.type));
      return null;
    };
    await world.send(rootId, null, "another branch");
    expect(commits[0]).toEqual(expect.arrayContaining(["put-node", "put-run", "preempt-lease"]));
    expect(world.tools.log).toEqual(["preempted"]);
  });

  test("with `queue` waits and is sent on idle, as its author's", async () => {
    const world = await World.start({ script: () => [{ pauseMs: 1_000 }, ...says("hello")] });
    const rootId = await world.newRoot();
    const { nodeId, runId } = await world.send(rootId, null, "hi");
    const waiting = { rootId, parentNodeId: nodeId, text: "next", deliver: "queue" } as const;
    expect(accepted(await world.conversations.messages.send(world.ada, waiting))).toEqual({
      nodeId: null,
      runId,
      runIds: [runId],
      queued: true,
      waitingId: expect.any(String),
    });
    await world.rest();
    expect(await world.branch(runId)).toEqual(["user: hi", "assistant: hello", "user: next", "assistant: hello"]);
    expect((await world.store.nodes(rootId)).map((node) => node.actor.name)).toEqual([
      "Ada",
      "Scripted",
      "Ada",
      "Scripted",
    ]);
    expect(await world.store.waiting(runId)).toEqual([]);
  });

  test("T-43 sent twice while the agent works is two messages, each with its own turn", async () => {
    const world = await World.start({ script: () => [{ pauseMs: 1_000 }, ...says("hello")] });
    const rootId = await world.newRoot();
    const { nodeId, runId } = await world.send(rootId, null, "hi");
    for (const text of ["next", "and more"]) {
      const waiting = { rootId, parentNodeId: nodeId, text, deliver: "queue" } as const;
      expect(accepted(await world.conversations.messages.send(world.ada, waiting))).toMatchObject({
        runId,
        queued: true,
      });
    }
    await world.rest();
    const said = await world.branch(runId);
    expect(said).toEqual([
      "user: hi",
      "assistant: hello",
      "user: next",
      "assistant: hello",
      "user: and more",
      "assistant: hello",
    ]);
    expect(world.requests).toHaveLength(3);
  });

  test("C-38 sent twice with one request id is one turn, also after a restart", async () => {
    const world = await World.start();
    const rootId = await world.newRoot();
    const message = { rootId, parentNodeId: null, text: "hi" };
    const request = { clientId: "page", requestId, asked: message };
    const send = (at: World) =>
      onceIn(at).run<SentMessage>(request, (remember) => at.conversations.messages.send(at.ada, message, remember));
    const first = await send(world);
    const second = await send(world);
    await world.clock.settle();
    expect(second).toEqual(first);
    const later = await World.start({ image: world.store.image(), journal: world.journal.copy() });
    expect(await send(later)).toEqual(first);
    expect((await later.store.nodes(rootId)).map(lineOf)).toEqual(["user: hi", "assistant: hello"]);
  });

  test.each([
    ["to an unknown conversation", { rootId: "nowhere" as RootId }, "ROOT_NOT_FOUND"],
    ["F-03 to an unknown message", { parentNodeId: "nowhere" as NodeId }, "NODE_NOT_FOUND"],
    ["F-08 of blanks", { text: " \n" }, "MESSAGE_INVALID"],
  ])("%s is refused and leaves nothing", async (_name, change, expected) => {
    const world = await World.start();
    const rootId = await world.newRoot();
    const message = { rootId, parentNodeId: null, text: "hi", ...change };
    expect(code(await world.conversations.messages.send(world.ada, message))).toBe(expected);
    expect(await world.store.nodes(rootId)).toEqual([]);
    expect(await world.store.runs(rootId)).toEqual([]);
  });

  test("F-04 with the same text at the same place shares its node, and gets a reply of its own", async () => {
    const world = await World.start({ script: (_request, turn) => says(`hello ${turn}`) });
    const rootId = await world.newRoot();
    await world.send(rootId, null, "hi");
    await world.clock.settle();
    await world.send(rootId, null, "hi");
    await world.clock.settle();
    const nodes = await world.store.nodes(rootId);
    expect(nodes.map(lineOf)).toEqual(["user: hi", "assistant: hello 0", "assistant: hello 1"]);
    expect(nodes.map((node) => node.parentId)).toEqual([null, nodes[0]?.id, nodes[0]?.id]);
  });

  test("F-13 sent fifty times at once below one parent becomes fifty children", async () => {
    const world = await World.start();
    const rootId = await world.newRoot();
    await Promise.all(Array.from({ length: 50 }, (_, at) => world.send(rootId, null, `question ${at}`)));
    await world.clock.settle();
    expect(await world.store.children(rootId, null)).toHaveLength(50);
    expect(await world.store.nodes(rootId)).toHaveLength(100);
    expect(world.errors).toEqual([]);
  });
});

describe("a reply", () => {
  test("streams into live blocks, which close when its node is stored", async () => {
    const world = await World.start({
      script: () => [
        { type: "thinking-start", index: 0 },
        { type: "thinking-delta", index: 0, text: "hm" },
        { type: "thinking-end", index: 0, signature: "s" },
        { type: "text-start", index: 1 },
        { type: "text-delta", index: 1, text: "hel" },
        { pauseMs: 1_000 },
        { type: "text-delta", index: 1, text: "lo" },
        { type: "text-end", index: 1 },
        {
          type: "finished",
          reason: "end-turn",
          usage: { inputTokens: 1, outputTokens: 2, cachedInputTokens: 0, thinkingTokens: 1 },
        },
      ],
    });
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    const [status] = accepted(await world.conversations.view(rootId)).runs;
    expect(status?.liveBlocks).toHaveLength(2);
    const shown = [...world.journal.shownById.values()];
    expect(shown.map((block) => [block.kind, block.text, block.status])).toEqual([
      ["thinking", "hm", "running"],
      ["text", "hel", "running"],
    ]);
    expect(shown[0]?.metadata).toMatchObject({ run_id: runId, model: "scripted", provider: "test" });
    await world.rest();
    expect(shown.map((block) => [block.text, block.status])).toEqual([
      ["hm", "done"],
      ["hello", "done"],
    ]);
    const { nodes, runs } = accepted(await world.conversations.view(rootId));
    expect(nodes.at(-1)?.usage).toMatchObject({ outputTokens: 2 });
    expect(runs[0]?.liveBlocks).toEqual([]);
  });

  test("S-05 that is empty leaves a notice and no message", async () => {
    const world = await World.start({ script: () => says(" ") });
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    expect(await world.branch(runId)).toEqual(["user: hi"]);
    const feed = await world.store.feed(rootId, 0, 100);
    expect(feed.flatMap(({ body }) => (body.type === "notice" ? [body.text] : []))).toHaveLength(1);
  });

  test("S-15 that breaks off is requested again after 1 s and 2 s, each time from the question", async () => {
    const world = await World.start({
      script: (_request, turn) =>
        turn < 2
          ? [
              { type: "text-start", index: 0 },
              { type: "text-delta", index: 0, text: `part ${turn}` },
              ...fails(brokenLine),
            ]
          : says("whole"),
    });
    const rootId = await world.newRoot();
    const { nodeId, runId } = await world.send(rootId, null, "hi");
    await world.clock.advance(999);
    expect(world.requests).toHaveLength(1);
    await world.clock.advance(1);
    expect(world.requests).toHaveLength(2);
    await world.clock.advance(1_999);
    expect(world.requests).toHaveLength(2);
    await world.clock.advance(1);
    expect(await world.branch(runId)).toEqual(["user: hi", "assistant: whole"]);
    const beside = await world.store.children(rootId, nodeId);
    expect(beside.map(lineOf)).toEqual([
      "assistant: part 0 (interrupted)",
      "assistant: part 1 (interrupted)",
      "assistant: whole",
    ]);
    expect(new Set(world.requests.map((request) => JSON.stringify(request.messages))).size).toBe(1);
  });

  test("S-15 that fails three times is an error, and can be retried", async () => {
    const world = await World.start({ script: () => fails(brokenLine) });
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.advance(3_000);
    expect((await world.store.run(runId))?.state).toMatchObject({
      type: "error",
      kind: "network",
      message: "Failed after 3 attempts: The line broke.",
    });
    world.script = () => says("at last");
    expect(code(await world.conversations.runs.retry(world.ada, { runId }))).toBe("ok");
    await world.clock.settle();
    expect(await world.branch(runId)).toEqual(["user: hi", "assistant: at last"]);
    expect(code(await world.conversations.runs.retry(world.ada, { runId }))).toBe("MESSAGE_INVALID");
  });

  test("of a model that is no longer available is an error with the model's name", async () => {
    const world = await World.start();
    const rootId = await world.newRoot();
    const root = await world.store.root(rootId);
    if (root !== null) await world.store.commit([{ type: "put-root", root: { ...root, model: "gone/away" } }]);
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    expect((await world.store.run(runId))?.state).toMatchObject({
      type: "error",
      message: expect.stringContaining("gone/away"),
    });
  });
});

describe("tools", () => {
  test("F-41 are called for a limited number of rounds; then the model may say one more thing, and a person decides", async () => {
    const world = await World.start({ script: (_request, turn) => calls(`quick-${turn}`) });
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "hi");
    await world.rest();
    expect(world.requests).toHaveLength(conversationRoundsMax + 1);
    expect(world.requests.slice(0, -1).every(({ toolChoice }) => toolChoice === undefined)).toBe(true);
    expect(world.requests.at(-1)?.toolChoice).toBe("none");
    const stopped = await world.store.run(runId);
    expect(stopped?.state).toEqual({ type: "idle" });
    const feed = await world.store.feed(rootId, 0, 100_000);
    const notices = feed.flatMap(({ body }) => (body.type === "notice" ? [body.text] : []));
    expect(notices).toEqual([expect.stringContaining(`called tools ${conversationRoundsMax} times`)]);
    expect(await brokenBranches(world, rootId)).toEqual([]);
    world.script = () => says("done");
    await world.send(rootId, stopped?.headNodeId ?? null, "go on");
    await world.rest();
    expect((await world.branch(runId)).at(-1)).toBe("assistant: done");
  });

  test("S-07 F-39 F-40 run one after another, each result stored before the next call; a tool that throws gives an error", async () => {
    const world = await World.start({
      script: (_request, turn) => (turn === 0 ? calls("slow-a", "fail-b", "break-c") : says("done")),
    });
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    expect(world.tools.log).toEqual(["ran call-slow-a"]);
    expect(await world.branch(runId)).toHaveLength(2);
    await world.clock.advance(1_000);
    expect(world.tools.log).toEqual(["ran call-slow-a", "ran call-fail-b", "ran call-break-c"]);
    expect(await world.branch(runId)).toEqual([
      "user: hi",
      "assistant: [call-slow-a] [call-fail-b] [call-break-c]",
      "tool call-slow-a: ok",
      "tool call-fail-b: error",
      "tool call-break-c: error",
      "assistant: done",
    ]);
    expect(world.requests).toHaveLength(2);
    const results = [...world.journal.shownById.values()].filter((block) => block.kind === "tool_result");
    expect(results.map((block) => [block.metadata["tool_name"], block.status])).toEqual([
      ["slow-a", "done"],
      ["fail-b", "done"],
      ["break-c", "done"],
    ]);
  });

  test("R5 the intent is on disk before a tool starts", async () => {
    const world = await World.start({ script: (_request, turn) => (turn === 0 ? calls("slow") : says("done")) });
    const rootId = await world.newRoot();
    const seen: (readonly [string, number])[] = [];
    world.onCommit = (writes) => {
      for (const write of writes) if (write.type === "start-effect") seen.push([write.id, world.tools.log.length]);
      return null;
    };
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    expect(seen.map(([, ran]) => ran)).toEqual([0]);
    expect(world.tools.log).toEqual(["ran call-slow"]);
    expect((await world.store.effects(runId)).map((effect) => effect.startedAt)).toEqual([world.clock.now()]);
  });
});

describe("branches", () => {
  const talk = async (): Promise<{ world: World; rootId: RootId; nodeId: NodeId; runId: RunId }> => {
    const world = await World.start({ script: (_request, turn) => says(`answer ${turn}`) });
    const rootId = await world.newRoot();
    const sent = await world.send(rootId, null, "hi");
    await world.clock.settle();
    return { world, rootId, ...sent };
  };

  test("an edited question is a sibling of the first, with a reply of its own", async () => {
    const { world, rootId, nodeId } = await talk();
    const edited = accepted(await world.conversations.messages.edit(world.ada, { nodeId, text: "hello" }));
    await world.clock.settle();
    expect(await world.branch(edited.runId)).toEqual(["user: hello", "assistant: answer 1"]);
    expect((await world.store.children(rootId, null)).map(lineOf)).toEqual(["user: hi", "user: hello"]);
  });

  test("an edited answer is a sibling of the first, and the conversation continues from it", async () => {
    const { world, rootId, runId } = await talk();
    const answer = (await world.store.run(runId))?.headNodeId as NodeId;
    const edited = accepted(await world.conversations.messages.edit(world.ada, { nodeId: answer, text: "better" }));
    expect(await world.branch(edited.runId)).toEqual(["user: hi", "assistant: better"]);
    expect(world.requests).toHaveLength(1);
    const next = await world.send(rootId, edited.nodeId, "go on");
    await world.clock.settle();
    expect(next.runId).toBe(edited.runId);
    expect(await world.branch(next.runId)).toEqual([
      "user: hi",
      "assistant: better",
      expect.stringContaining("user: Ada changed your reply above: +1 −2 words."),
      "user: go on",
      "assistant: answer 1",
    ]);
  });

  test("F-20 an edit without a change adds no question", async () => {
    const { world, rootId, nodeId } = await talk();
    expect(accepted(await world.conversations.messages.edit(world.ada, { nodeId, text: "hi" })).nodeId).toBe(nodeId);
    await world.clock.settle();
    expect(await world.store.children(rootId, null)).toHaveLength(1);
  });

  test("another reply is a sibling of the first", async () => {
    const { world, rootId, nodeId, runId } = await talk();
    const answer = (await world.store.run(runId))?.headNodeId as NodeId;
    const again = accepted(await world.conversations.messages.regenerate(world.ada, { nodeId: answer }));
    await world.clock.settle();
    expect(await world.branch(again.runId)).toEqual(["user: hi", "assistant: answer 1"]);
    expect(await world.store.children(rootId, nodeId)).toHaveLength(2);
    expect(await world.branch(runId)).toEqual(["user: hi", "assistant: answer 0"]);
  });

  test("a message of a branch that is being written cannot be edited", async () => {
    const { world, rootId, nodeId, runId } = await talk();
    const answer = (await world.store.run(runId))?.headNodeId as NodeId;
    world.script = () => [{ pauseMs: 1_000 }, ...says("late")];
    await world.send(rootId, answer, "more");
    expect(code(await world.conversations.messages.edit(world.ada, { nodeId, text: "x" }))).toBe("BRANCH_BUSY");
    await world.rest();
    expect(code(await world.conversations.messages.edit(world.ada, { nodeId, text: "x" }))).toBe("ok");
  });

  test("a message to the middle of a current turn is refused as busy", async () => {
    const world = await World.start({
      script: (_request, turn) => (turn === 0 ? calls("slow-a", "slow-b") : says("done")),
    });
    const rootId = await world.newRoot();
    const { nodeId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    for (const node of await world.store.nodes(rootId)) {
      const message = { rootId, parentNodeId: node.id, text: "hey" };
      expect(code(await world.conversations.messages.send(world.ada, message))).toBe("AGENT_BUSY");
    }
    await world.rest();
    const inside = { rootId, parentNodeId: (await world.store.children(rootId, nodeId))[0]?.id ?? null, text: "hey" };
    expect(code(await world.conversations.messages.send(world.ada, inside))).toBe("TOOL_RESULT_UNPAIRED");
  });

  test("two branches run at the same time", async () => {
    const world = await World.start({ script: () => [{ pauseMs: 1_000 }, ...says("hello")] });
    const rootId = await world.newRoot();
    const one = await world.send(rootId, null, "one");
    const two = await world.send(rootId, null, "two");
    await world.clock.settle();
    expect([await world.runState(one.runId), await world.runState(two.runId)]).toEqual(["requesting", "requesting"]);
    await world.clock.advance(1_000);
    expect([await world.runState(one.runId), await world.runState(two.runId)]).toEqual(["idle", "idle"]);
  });
});

describe("settings", () => {
  test("setModel changes the model for the next turn and refuses unknown models", async () => {
    const world = await World.start();
    const rootId = await world.newRoot();
    await world.send(rootId, null, "one");
    await world.rest();
    expect(code(await world.conversations.setModel({ rootId, model: "no/such" }))).toBe("MODEL_NOT_FOUND");
    expect(code(await world.conversations.setModel({ rootId, model: otherInfo.id }))).toBe("ok");
    await world.send(rootId, null, "two");
    await world.rest();
    expect(world.requests.map(({ model }) => model)).toEqual(["scripted", "voice"]);
  });

  test("watchers of the list are told a new model, title and canvas once each", async () => {
    const world = await World.start();
    const rootId = await world.newRoot();
    const received: string[] = [];
    world.conversations.watchSummaries((root) => received.push(`${root.title} ${root.canvasId}`));
    expect(code(await world.conversations.setModel({ rootId, model: "test/scripted" }))).toBe("ok");
    expect(code(await world.conversations.rename({ rootId, title: " " }))).toBe("INVALID_PARAMS");
    expect(code(await world.conversations.rename({ rootId, title: "Swallows" }))).toBe("ok");
    await world.conversations.setCanvas({ rootId, canvasId: "canvas" as BlockId });
    expect(received).toEqual([" null", "Swallows null", "Swallows canvas"]);
  });
});

test("C-38 creating a conversation twice with one request id creates it once", async () => {
  const world = await World.start();
  const once = onceIn(world);
  const made = await Promise.all(
    [1, 2, 3].map(() =>
      once.run<CreatedConversation>({ clientId: "page", requestId, asked: { title: "One" } }, async (remember) => {
        const root = await world.conversations.create({ title: "One" }, remember);
        return root.ok ? ok({ rootId: root.value.id }) : root;
      }),
    ),
  );
  expect(new Set(made.map((each) => accepted(each).rootId)).size).toBe(1);
  expect(await world.store.roots()).toHaveLength(1);
});

test("a listener of the list that throws keeps no other from hearing of a conversation", async () => {
  const world = await World.start();
  const heard: string[] = [];
  world.conversations.watchSummaries(() => {
    throw new Error("a bug");
  });
  world.conversations.watchSummaries(({ id }) => void heard.push(id));
  const rootId = await world.newRoot();
  expect(heard).toEqual([rootId]);
  expect(world.errors).toEqual(["root-listener-failed"]);
});
