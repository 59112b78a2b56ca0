import { describe, expect, test } from "vitest";
import { must } from "../../../core/base/assert.ts";
import type { CallPolicy } from "../../../core/forest/run-rules.ts";
import type { RootId, RunId } from "../../../core/base/ids.ts";
import { accepted, brokenBranches, calls, says, World } from "../queue/conversation.test-support.ts";
import { stopGraceMs } from "../run/run-performer.ts";

async function asked(
  policy: CallPolicy | null,
  names: readonly string[],
): Promise<{ world: World; rootId: RootId; runId: RunId }> {
  const world = await World.start({ script: (_request, turn) => (turn === 0 ? calls(...names) : says("done")) });
  const rootId = await world.newRoot();
  if (policy !== null) accepted(await world.conversations.setRules({ rootId, callPolicy: policy }));
  const { runId } = await world.send(rootId, null, "hi");
  await world.clock.settle();
  return { world, rootId, runId };
}

describe("the policy for several calls of one reply", () => {
  const names = ["safe-a", "write-b", "safe-c"];
  test.each<[CallPolicy | null, readonly string[], readonly string[]]>([
    [null, ["ran call-safe-a", "ran call-write-b", "ran call-safe-c"], ["ok", "ok", "ok"]],
    ["serial-all", ["ran call-safe-a", "ran call-write-b", "ran call-safe-c"], ["ok", "ok", "ok"]],
    // The text after the first call is the model's guess at its result, and is not kept.
    ["serial-one", ["ran call-safe-a"], ["ok"]],
    ["parallel", ["ran call-safe-a", "ran call-write-b", "ran call-safe-c"], ["ok", "ok", "ok"]],
  ])("%s", async (policy, log, outcomes) => {
    const { world, rootId, runId } = await asked(policy, names);
    await world.rest();
    expect(world.tools.log).toEqual(log);
    expect((await world.branch(runId)).slice(2, -1)).toEqual(
      outcomes.map((outcome, at) => `tool call-${names[at] ?? ""}: ${outcome}`),
    );
    expect(await brokenBranches(world, rootId)).toEqual([]);
  });

  test("smart runs reads side by side and each write alone", async () => {
    const known = await World.start();
    known.tools.definitions = () =>
      ["safe", "write"].map((name) => ({
        name,
        description: "",
        inputSchema: { type: "object" },
        access: name === "safe" ? "read" : "write",
      }));
    const rootId = await known.newRoot();
    accepted(await known.conversations.setRules({ rootId, callPolicy: "smart" }));
    let turn = 0;
    const step = (index: number, id: string, name: string) =>
      [
        { type: "tool-call-start", index, id, name },
        { type: "tool-call-delta", index, text: "{}" },
        { type: "tool-call-end", index },
      ] as const;
    known.script = () =>
      turn++ === 0
        ? [
            ...step(0, "one", "safe"),
            ...step(1, "two", "safe"),
            ...step(2, "three", "write"),
            ...step(3, "four", "safe"),
          ]
        : says("done");
    const { runId } = await known.send(rootId, null, "hi");
    await known.rest();
    expect((await known.branch(runId)).slice(1)).toEqual([
      "assistant: [one] [two]",
      "tool one: ok",
      "tool two: ok",
      "assistant: done",
    ]);
  });

  test("of the server applies if the conversation has none", async () => {
    const world = await World.start({
      script: (_request, turn) => (turn === 0 ? calls("slow-a", "slow-b") : says("done")),
      toolCalls: { policy: "parallel" },
    });
    await world.send(await world.newRoot(), null, "hi");
    await world.clock.settle();
    expect(world.tools.log).toEqual(["ran call-slow-a", "ran call-slow-b"]);
  });
});

describe("calls side by side", () => {
  test("take as long as the longest, and their results are stored in the order of the calls", async () => {
    const { world, rootId, runId } = await asked("parallel", ["slow-a", "quick-b", "slow-c"]);
    expect(world.tools.log).toEqual(["ran call-slow-a", "ran call-quick-b", "ran call-slow-c"]);
    // The second has answered; it waits for the first.
    const { state } = must(await world.store.run(runId), "a run");
    expect(state).toMatchObject({
      type: "running-tools",
      running: ["call-slow-a", "call-slow-c"],
      arrived: [{ tool_call_id: "call-quick-b" }],
      completed: [],
    });
    expect((await world.store.effects(runId)).map(({ effect }) => effect.type)).toEqual(["run-tool", "run-tool"]);
    await world.clock.advance(1_000);
    await world.rest();
    expect((await world.branch(runId)).slice(1)).toEqual([
      "assistant: [call-slow-a] [call-quick-b] [call-slow-c]",
      "tool call-slow-a: ok",
      "tool call-quick-b: ok",
      "tool call-slow-c: ok",
      "assistant: done",
    ]);
    expect(world.requests).toHaveLength(2);
    expect(await world.store.effects(runId)).toEqual([]);
    expect(await brokenBranches(world, rootId)).toEqual([]);
  });

  test("each show their output until their result is stored", async () => {
    const { world, rootId } = await asked("parallel", ["slow-a", "quick-b"]);
    const [run] = accepted(await world.conversations.view(rootId)).runs;
    const shown = (run?.liveBlocks ?? []).map((id) => world.journal.shownById.get(id)?.metadata["tool_call_id"]);
    expect(new Set(shown)).toEqual(new Set(["call-quick-b", "call-slow-a"]));
    await world.rest();
    expect(accepted(await world.conversations.view(rootId)).runs[0]?.liveBlocks).toEqual([]);
    expect([...world.journal.shownById.values()].map(({ status }) => status)).not.toContain("running");
  });

  test("S-39 all end within 100 ms of a cancel, even if none of them stops", async () => {
    const { world, rootId, runId } = await asked("parallel", ["slow-stuck-a", "slow-stuck-b", "slow-lingering-c"]);
    const cancelled = world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" });
    await world.clock.advance(100);
    accepted(await cancelled);
    const { nodeId } = await world.send(rootId, must(await world.store.run(runId), "a run").headNodeId, "and now?");
    await world.clock.settle();
    expect(nodeId).not.toBeNull();
    expect(world.requests).toHaveLength(2);
    expect((await world.branch(runId)).slice(2, 5)).toEqual([
      "tool call-slow-stuck-a: cancelled",
      "tool call-slow-stuck-b: cancelled",
      "tool call-slow-lingering-c: cancelled",
    ]);
    expect(await brokenBranches(world, rootId)).toEqual([]);
  });

  test("S-47 delay a server stop no longer than its limit, and are reported after the next start", async () => {
    const { world, rootId, runId } = await asked("parallel", ["slow-stuck-a", "slow-b"]);
    const closed = world.conversations.close();
    let over = false;
    void closed.then(() => (over = true));
    await world.clock.advance(stopGraceMs - 1);
    expect(over).toBe(false);
    await world.clock.advance(1);
    await closed;
    const later = await World.start({ image: world.store.image(), script: () => says("done") });
    await later.rest();
    expect((await later.branch(runId)).slice(2)).toEqual([
      "tool call-slow-stuck-a: unknown",
      "tool call-slow-b: unknown",
      "assistant: done",
    ]);
    expect(await brokenBranches(later, rootId)).toEqual([]);
  });

  test("S-47 that are just starting when the server stops do not start, or are ended too", async () => {
    const world = await World.start({
      script: (_request, turn) => (turn === 0 ? calls("slow-stuck-a") : says("done")),
    });
    const rootId = await world.newRoot();
    const closing: Promise<void>[] = [];
    world.onCommit = (writes) => {
      // The intent is on its way to the disk: the tool is about to start.
      if (writes.some(({ type }) => type === "start-effect")) closing.push(world.conversations.close());
      return null;
    };
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.advance(2 * stopGraceMs);
    await Promise.all(closing);
    expect(world.tools.aborted).toEqual(
      world.tools.log.filter((line) => line.startsWith("ran ")).map((line) => line.slice(4)),
    );
    const later = await World.start({ image: world.store.image(), script: () => says("done") });
    await later.rest();
    expect(await later.runState(runId)).toBe("idle");
  });

  test("let each other end when one of them needs a person, and then ask", async () => {
    const { world, rootId, runId } = await asked("parallel", ["out", "slow-b"]);
    expect(world.tools.log).toEqual(["ran call-slow-b"]);
    expect(await world.runState(runId)).toBe("running-tools");
    await world.clock.advance(1_000);
    const { state } = must(await world.store.run(runId), "a run");
    expect(state).toMatchObject({ type: "awaiting-approval", request: { callId: "call-out" } });
    if (state.type !== "awaiting-approval") return;
    // The result that waits for its place is shown until it is stored.
    expect(accepted(await world.conversations.view(rootId)).runs[0]?.liveBlocks).toHaveLength(1);
    const { callId, argumentsHash } = state.request;
    const answer = { runId, callId, argumentsHash, decision: "allow", remember: "once" } as const;
    accepted(await world.conversations.approvals.answer(world.ada, answer));
    await world.rest();
    expect((await world.branch(runId)).slice(2, 4)).toEqual(["tool call-out: ok", "tool call-slow-b: ok"]);
    expect([...world.journal.shownById.values()].map(({ status }) => status)).not.toContain("running");
    expect(await brokenBranches(world, rootId)).toEqual([]);
  });

  test("after a crash run again if they may, and otherwise are reported as unknown, each once", async () => {
    const { world, rootId, runId } = await asked("parallel", ["slow-a", "safe-b", "quick-c", "slow-d"]);
    const image = world.store.image();
    const later = await World.start({ image, toolLog: world.tools.log, script: () => says("done") });
    await later.rest();
    expect(later.tools.log).toEqual([...world.tools.log, "ran call-safe-b"]);
    expect((await later.branch(runId)).slice(2)).toEqual([
      "tool call-slow-a: unknown",
      "tool call-safe-b: ok",
      "tool call-quick-c: ok",
      "tool call-slow-d: unknown",
      "assistant: done",
    ]);
    expect(await brokenBranches(later, rootId)).toEqual([]);
    expect(await later.store.effects(runId)).toEqual([]);
  });

  test("that had no intent on disk run after a crash, and the others are not reported twice", async () => {
    const world = await World.start({
      script: (_request, turn) => (turn === 0 ? calls("slow-a", "slow-b", "slow-c") : says("done")),
    });
    const rootId = await world.newRoot();
    accepted(await world.conversations.setRules({ rootId, callPolicy: "parallel" }));
    let intents = 0;
    world.onCommit = (writes) =>
      writes.some(({ type }) => type === "start-effect") && (intents += 1) > 1 ? "STORE_FULL" : null;
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    expect(world.tools.log).toEqual(["ran call-slow-a"]);
    const later = await World.start({ image: world.store.image(), script: () => says("done") });
    await later.rest();
    expect(later.tools.log).toEqual(["ran call-slow-b", "ran call-slow-c"]);
    expect((await later.branch(runId)).slice(2, 5)).toEqual([
      "tool call-slow-a: unknown",
      "tool call-slow-b: ok",
      "tool call-slow-c: ok",
    ]);
    expect(await brokenBranches(later, rootId)).toEqual([]);
  });
});
