import { describe, expect, test } from "vitest";
import type { MemoryImage } from "../../../adapters/storage/memory/tables.ts";
import { must } from "../../../core/base/assert.ts";
import type { ActorId, RootId, RunId } from "../../../core/base/ids.ts";
import { textOf } from "../../../core/message/content.ts";
import { noUsage } from "../../../core/message/usage.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import {
  accepted,
  brokenBranches,
  brokenLine,
  calls,
  code,
  fails,
  type Journal,
  says,
  lineOf,
  World,
  type Script,
  type WorldOptions,
  type ScriptStep,
} from "../queue/conversation.test-support.ts";

/** Everything that outlives a process, as it was just before a commit. */
interface UnfinishedRun {
  readonly image: MemoryImage;
  readonly journal: Journal;
  readonly toolLog: readonly string[];
  readonly requests: number;
}

const textThenBreak: readonly ScriptStep[] = [
  { type: "text-start", index: 0 },
  { type: "text-delta", index: 0, text: "first words" },
  { pauseMs: 50 },
  ...fails(brokenLine),
];

/** A turn with everything in it: text that breaks off, a retry, tools of both kinds, one that fails, an answer. */
const eventful: Script = (request) => {
  const asked = request.messages.filter((message) => message.role === "tool").length;
  const first = request.messages[0];
  const branch = first === undefined ? "" : textOf(first);
  if (asked === 0) return calls(`slow-a-${branch}`, `fail-b-${branch}`, `safe-c-${branch}`);
  if (asked === 3) return calls(`d-${branch}`);
  return [
    { type: "text-start", index: 0 },
    { type: "text-delta", index: 0, text: "all " },
    { pauseMs: 100 },
    { type: "text-delta", index: 0, text: "done" },
    { type: "text-end", index: 0 },
    ...says().slice(-1),
  ];
};

/** Plays a scenario to its end and keeps what a crash before each commit would have left. */
async function remainsOf(
  script: Script,
  scenario: (world: World, rootId: RootId) => Promise<void>,
): Promise<readonly UnfinishedRun[]> {
  const world = await World.start({ script });
  const rootId = await world.newRoot();
  const remains: UnfinishedRun[] = [];
  const keep = (): null => {
    const { store, journal, tools, requests } = world;
    remains.push({ image: store.image(), journal: journal.copy(), toolLog: [...tools.log], requests: requests.length });
    return null;
  };
  world.onCommit = keep;
  await scenario(world, rootId);
  await world.rest();
  keep();
  return remains;
}

/** Starts again from what was left, waits until idle, and returns what is wrong with the outcome. */
async function faultsAfterRestart(
  left: UnfinishedRun,
  script: Script,
  how: Pick<WorldOptions, "restartsAfterMs"> = {},
): Promise<readonly string[]> {
  const { image, journal, toolLog } = left;
  const world = await World.start({ image, journal: journal.copy(), toolLog, script, ...how });
  const faults: string[] = [];
  // Whoever looks at a conversation opens it before its runs go on.
  if (how.restartsAfterMs !== undefined)
    for (const { id } of await world.store.roots()) await world.conversations.view(id);
  await restWithAnswers(world);
  for (const root of await world.store.roots()) {
    faults.push(...(await brokenBranches(world, root.id)));
    for (const run of await world.store.runs(root.id)) {
      if (!isSettled(run.state)) faults.push(`${run.id} is not idle but ${run.state.type}`);
      if ((await world.store.effects(run.id)).length > 0) faults.push(`${run.id} left effects`);
    }
    const feed = await world.store.feed(root.id, 0, 10_000);
    if (feed.some((record, at) => record.seq !== at + 1)) faults.push("the feed has a gap");
  }
  for (const entry of new Set(world.tools.log)) {
    const times = world.tools.log.filter((other) => other === entry).length;
    if (entry.startsWith("ran call-") && !entry.includes("safe") && times > 1) faults.push(`${entry} ${times} times`);
  }
  const running = [...world.journal.shownById.values()].filter((block) => block.status === "running");
  if (running.length > 0) faults.push(`${running.length} live blocks run on`);
  faults.push(...world.errors);
  // A conversation that survived can continue.
  for (const root of await world.store.roots()) {
    for (const run of await world.store.runs(root.id)) {
      world.script = () => says("still here");
      const full = run.state.type === "context-exhausted";
      const continued = full ? accepted(await world.conversations.runs.continue({ runId: run.id })) : null;
      await world.rest();
      const parentNodeId =
        continued === null ? run.headNodeId : ((await world.store.run(continued.runId))?.headNodeId ?? null);
      const message = { rootId: root.id, parentNodeId, text: "go on" };
      const sent = await world.conversations.messages.send(world.ada, message);
      await world.rest();
      if (!sent.ok) faults.push(`${run.id} accepts no message: ${sent.error.code}`);
      else if ((await world.branch(sent.value.runId)).at(-1) !== "assistant: still here")
        faults.push(`${run.id} gives no answer`);
    }
  }
  return faults;
}

/** Waits until idle; answers for people: allows what is asked and declines to answer questions. */
async function restWithAnswers(world: World): Promise<void> {
  const { conversations, ada, store, clock } = world;
  for (let left = 20; left > 0; left -= 1) {
    for (let ticks = 0; ticks < 12; ticks += 1) await clock.advance(1_000);
    const runs = (await Promise.all((await store.roots()).map(({ id }) => store.runs(id)))).flat();
    for (const { id: runId, state } of runs) {
      if (state.type === "awaiting-approval") {
        const { callId, argumentsHash } = state.request;
        const answer = { runId, callId, argumentsHash, decision: "allow", remember: "once" } as const;
        accepted(await conversations.approvals.answer(ada, answer));
      }
      if (state.type === "awaiting-answer") {
        accepted(await conversations.runs.answerQuestion(ada, { runId, callId: state.callId, answers: null }));
      }
    }
    if (runs.every(({ state }) => isSettled(state))) break;
  }
  await world.rest();
}

/** Calls side by side, of which one reaches outside and one asks a person; then a reply that fills the window. */
const waiting: Script = (request) => {
  const results = request.messages.filter((message) => message.role === "tool").length;
  const question = { questions: [{ question: "Which?", options: [{ label: "a" }, { label: "b" }] }] };
  const [first] = request.messages;
  if (first !== undefined && textOf(first).includes("<earlier-branch")) return says("here");
  if (results === 0) {
    return [
      ...calls("out-a", "slow-b", "safe-c").slice(0, -1),
      { type: "tool-call-start", index: 9, id: "call-ask", name: "ask_user" },
      { type: "tool-call-delta", index: 9, text: JSON.stringify(question) },
      { type: "tool-call-end", index: 9 },
      { type: "finished", reason: "tool-use", usage: noUsage },
    ];
  }
  if (request.toolChoice === "none") return says("All of it in short.");
  const usage = { ...noUsage, inputTokens: 95_000 };
  return calls("out-d").map((step) => ("type" in step && step.type === "finished" ? { ...step, usage } : step));
};

describe("S-38 R4 R5 a crash before any commit leaves a conversation that can continue, and no tool runs twice", () => {
  test.each<[string, Script, (world: World, rootId: RootId) => Promise<void>]>([
    ["in a turn with tools", eventful, async (world, rootId) => void (await world.send(rootId, null, "hi"))],
    [
      "in a turn with a retry",
      (_request, turn) => (turn === 0 ? textThenBreak : says("whole")),
      async (world, rootId) => void (await world.send(rootId, null, "hi")),
    ],
    [
      "around a cancel of a reply",
      () => [
        { type: "text-start", index: 0 },
        { type: "text-delta", index: 0, text: "half" },
        { pauseMs: 5_000 },
        ...says("never"),
      ],
      async (world, rootId) => {
        const { runId } = await world.send(rootId, null, "hi");
        await world.clock.advance(10);
        await world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" });
      },
    ],
    [
      "around a cancel of a tool, with a message waiting",
      (request) => (request.messages.length === 1 ? calls("slow-a", "slow-b") : says("fine")),
      async (world, rootId) => {
        const { nodeId, runId } = await world.send(rootId, null, "hi");
        await world.clock.advance(10);
        accepted(
          await world.conversations.messages.send(world.ada, {
            rootId,
            parentNodeId: nodeId,
            text: "next",
            deliver: "queue",
          }),
        );
        await world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" });
      },
    ],
    [
      "with two branches at work",
      eventful,
      async (world, rootId) => {
        await world.send(rootId, null, "one");
        await world.clock.advance(300);
        await world.send(rootId, null, "two");
      },
    ],
    [
      "in a turn that asks people, and fills the window",
      waiting,
      async (world, rootId) => {
        accepted(await world.conversations.setRules({ rootId, callPolicy: "parallel", compaction: { at: "off" } }));
        const { runId } = await world.send(rootId, null, "hi");
        await restWithAnswers(world);
        const { nodeId } = accepted(await world.conversations.runs.continue({ runId }));
        await world.send(rootId, nodeId, "and now?");
        await world.rest();
      },
    ],
  ])("%s", async (_name, script, scenario) => {
    const remains = await remainsOf(script, scenario);
    expect(remains.length).toBeGreaterThan(5);
    const faults: string[] = [];
    for (const [at, left] of remains.entries()) {
      for (const fault of await faultsAfterRestart(left, script)) faults.push(`before commit ${at}: ${fault}`);
      const later = await faultsAfterRestart(left, script, { restartsAfterMs: 500 });
      for (const fault of later) faults.push(`before commit ${at}, going on later: ${fault}`);
    }
    expect(faults).toEqual([]);
  });
});

describe("a restart", () => {
  const restartAt = async (
    script: Script,
    ms: number,
    second: Script = script,
  ): Promise<{ world: World; runId: RunId; rootId: RootId }> => {
    const first = await World.start({ script });
    const rootId = await first.newRoot();
    const { runId } = await first.send(rootId, null, "hi");
    await first.clock.advance(ms);
    const { store, journal, tools } = first;
    const world = await World.start({
      image: store.image(),
      journal: journal.copy(),
      toolLog: tools.log,
      script: second,
    });
    return { world, runId, rootId };
  };

  test("while requesting, with nothing shown, asks again", async () => {
    const { world, runId, rootId } = await restartAt(
      () => [{ pauseMs: 5_000 }, ...says("late")],
      100,
      () => says("new"),
    );
    await world.rest();
    expect(await world.branch(runId)).toEqual(["user: hi", "assistant: new"]);
    expect(await world.store.nodes(rootId)).toHaveLength(2);
  });

  test("of a node that takes over lets people come back before runs go on, unless somebody asks a run for something", async () => {
    const first = await World.start({ script: () => [{ pauseMs: 5_000 }, ...says("late")] });
    const runs = [];
    for (const text of ["one", "two"]) {
      const rootId = await first.newRoot();
      runs.push({ rootId, ...(await first.send(rootId, null, text)) });
    }
    await first.clock.advance(100);
    const { store, journal } = first;
    const left = { image: store.image(), journal: journal.copy(), script: () => says("new") };
    const world = await World.start({ ...left, opensAfterMs: 200, restartsAfterMs: 500 });
    const [one, two] = [must(runs[0], "two runs"), must(runs[1], "two runs")];
    let seen: readonly string[] | null = null;
    void world.conversations.view(one.rootId).then((view) => (seen = accepted(view).nodes.map(lineOf)));
    await world.clock.advance(199);
    expect(seen).toBeNull();
    await world.clock.advance(1);
    expect(seen).toEqual(["user: one"]);
    accepted(await world.conversations.runs.cancel(world.ada, { runId: two.runId, reason: "stopped" }));
    await world.clock.advance(299);
    const asked = (): readonly string[] => world.requests.flatMap(({ messages }) => messages.map(textOf));
    expect(asked()).not.toContain("one");
    expect(await world.runState(one.runId)).toBe("requesting");
    expect(await world.runState(two.runId)).toBe("idle");
    await world.clock.advance(1);
    await world.rest();
    expect(await world.branch(one.runId)).toEqual(["user: one", "assistant: new"]);
    expect(await world.branch(two.runId)).toEqual(["user: two"]);
  });

  test("while requesting, with something shown, keeps it beside the new reply", async () => {
    const half: Script = () => [
      { type: "thinking-start", index: 0 },
      { type: "thinking-delta", index: 0, text: "hm" },
      { type: "text-start", index: 1 },
      { type: "text-delta", index: 1, text: "half " },
      { pauseMs: 5_000 },
    ];
    const { world, runId, rootId } = await restartAt(half, 100, () => says("whole"));
    await world.rest();
    expect((await world.store.nodes(rootId)).map(lineOf)).toEqual([
      "user: hi",
      "assistant: half (interrupted)",
      "assistant: whole",
    ]);
    expect(await world.branch(runId)).toEqual(["user: hi", "assistant: whole"]);
    expect([...world.journal.shownById.values()].map((block) => block.status)).toEqual(["error", "error", "done"]);
  });

  test("B-41 while a tool runs that may not run twice gives it an unknown outcome and continues", async () => {
    const script: Script = (request) => (request.messages.length === 1 ? calls("slow-a", "slow-b") : says("done"));
    const { world, runId } = await restartAt(script, 100);
    await world.rest();
    expect(await world.branch(runId)).toEqual([
      "user: hi",
      "assistant: [call-slow-a] [call-slow-b]",
      "tool call-slow-a: unknown",
      "tool call-slow-b: ok",
      "assistant: done",
    ]);
    expect(world.tools.log).toEqual(["ran call-slow-a", "ran call-slow-b"]);
  });

  test("S-36 after a restart adds nothing to the first recovery", async () => {
    const script: Script = (request) => (request.messages.length === 1 ? calls("slow-a", "slow-b") : says("done"));
    const { world, runId, rootId } = await restartAt(script, 1_100);
    await world.rest();
    const after = await world.store.nodes(rootId);
    expect(after.map(lineOf).slice(2, 4)).toEqual(["tool call-slow-a: ok", "tool call-slow-b: unknown"]);
    const again = await World.start({ image: world.store.image(), script });
    await again.rest();
    expect(await again.store.nodes(rootId)).toEqual(after);
    expect(await again.runState(runId)).toBe("idle");
  });

  test("while an idempotent tool runs repeats the call", async () => {
    const script: Script = (request) => (request.messages.length === 1 ? calls("safe-a") : says("done"));
    const { world, runId } = await restartAt(script, 100);
    await world.rest();
    expect(await world.branch(runId)).toEqual([
      "user: hi",
      "assistant: [call-safe-a]",
      "tool call-safe-a: ok",
      "assistant: done",
    ]);
  });

  test("sends the queued message as its author's", async () => {
    const first = await World.start({ script: () => [{ pauseMs: 5_000 }, ...says("late")] });
    const rootId = await first.newRoot();
    const { nodeId, runId } = await first.send(rootId, null, "hi");
    const bob = { type: "person", id: "bob" as ActorId, name: "Bob" } as const;
    accepted(
      await first.conversations.messages.send(bob, { rootId, parentNodeId: nodeId, text: "next", deliver: "queue" }),
    );
    expect((await first.store.waiting(runId)).map(({ actor }) => actor)).toEqual([bob]);
    const world = await World.start({ image: first.store.image(), journal: first.journal.copy() });
    await world.rest();
    expect((await world.store.nodes(rootId)).map(({ actor }) => actor.name)).toEqual([
      "Ada",
      "Scripted",
      "Bob",
      "Scripted",
    ]);
    expect(await world.branch(runId)).toEqual(["user: hi", "assistant: hello", "user: next", "assistant: hello"]);
  });

  test("an orderly stop is like a crash that lost nothing", async () => {
    const world = await World.start({ script: () => [{ pauseMs: 5_000 }, ...says("late")] });
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    await world.conversations.close();
    expect(await world.runState(runId)).toBe("requesting");
    const message = { rootId, parentNodeId: null, text: "more" };
    expect(code(await world.conversations.messages.send(world.ada, message))).toBe("SHUTTING_DOWN");
    expect(world.clock.timers).toBe(0);
    const again = await World.start({ image: world.store.image(), journal: world.journal.copy() });
    await again.rest();
    expect(await again.branch(runId)).toEqual(["user: hi", "assistant: hello"]);
  });
});

describe("R9 a full disk", () => {
  test("refuses a message, and accepts it when there is space again", async () => {
    const world = await World.start();
    const rootId = await world.newRoot();
    world.onCommit = () => "STORE_FULL";
    const message = { rootId, parentNodeId: null, text: "hi" };
    expect(code(await world.conversations.messages.send(world.ada, message))).toBe("STORE_FULL");
    expect(await world.store.runs(rootId)).toEqual([]);
    world.onCommit = () => null;
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    expect(await world.branch(runId)).toEqual(["user: hi", "assistant: hello"]);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
    "from commit %i of a turn on delays the turn until there is space, and runs nothing twice",
    async (from) => {
      const script: Script = (request) => (request.messages.length === 1 ? calls("slow-a", "b") : says("done"));
      const world = await World.start({ script });
      const rootId = await world.newRoot();
      let commits = 0;
      let full = true;
      world.onCommit = () => {
        commits += 1;
        return full && commits > from ? "STORE_FULL" : null;
      };
      const { runId } = await world.send(rootId, null, "hi");
      await world.clock.advance(5_000);
      full = false;
      await world.clock.advance(5_000);
      expect(await world.branch(runId)).toEqual([
        "user: hi",
        "assistant: [call-slow-a] [call-b]",
        "tool call-slow-a: ok",
        "tool call-b: ok",
        "assistant: done",
      ]);
      expect(world.tools.log).toEqual(["ran call-slow-a", "ran call-b"]);
    },
  );

  test("that has no room for a reply does not keep a person from stopping it", async () => {
    const world = await World.start({
      script: (request) => (request.messages.length === 1 ? says("long") : says("done")),
    });
    const rootId = await world.newRoot();
    // Small rows still fit.
    world.onCommit = (writes) =>
      writes.some((write) => write.type === "put-node" && write.node.message.role === "assistant")
        ? "STORE_FULL"
        : null;
    const { nodeId, runId } = await world.send(rootId, null, "hi");
    await world.clock.advance(5_000);
    expect(await world.runState(runId)).toBe("requesting");
    expect(code(await world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" }))).toBe("ok");
    await world.clock.advance(5_000);
    expect(await world.runState(runId)).toBe("idle");
    expect(await world.branch(runId)).toEqual(["user: hi"]);
    world.onCommit = () => null;
    const again = await world.send(rootId, nodeId, "and now?");
    await world.clock.settle();
    expect(await world.branch(again.runId)).toEqual(["user: hi", "user: and now?", "assistant: long"]);
  });
});
