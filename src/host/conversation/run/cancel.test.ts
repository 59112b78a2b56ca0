import { describe, expect, test } from "vitest";
import type { RootId } from "../../../core/base/ids.ts";
import { controlTakenNotice } from "../../../core/turn/answer/control-taken.ts";
import { brokenLine, calls, code, fails, says, World } from "../queue/conversation.test-support.ts";

describe("a cancel", () => {
  test("S-12 while the reply streams keeps the shown part", async () => {
    const world = await World.start({
      script: () => [
        { type: "text-start", index: 0 },
        { type: "text-delta", index: 0, text: "half a " },
        { pauseMs: 60_000 },
        ...says("never"),
      ],
    });
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    expect(code(await world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" }))).toBe("ok");
    await world.clock.settle();
    expect(await world.branch(runId)).toEqual(["user: hi", "assistant: half a (interrupted)"]);
    expect(await world.runState(runId)).toBe("idle");
    expect(code(await world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" }))).toBe(
      "NOTHING_TO_CANCEL",
    );
  });

  test("S-12 of a stream that ignores its abort ends after 100 ms", async () => {
    const world = await World.start({ script: () => [{ pauseMs: 60_000, deaf: true }, ...says("never")] });
    const rootId = await world.newRoot();
    const { nodeId, runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    await world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" });
    await world.clock.advance(99);
    expect(await world.runState(runId)).toBe("cancelling");
    const message = { rootId, parentNodeId: nodeId, text: "more" };
    expect(code(await world.conversations.messages.send(world.ada, message))).toBe("CANCELLATION_IN_PROGRESS");
    await world.clock.advance(1);
    expect(await world.runState(runId)).toBe("idle");
    await world.rest();
    expect(await world.branch(runId)).toEqual(["user: hi"]);
  });

  test("S-10 S-11 while a tool runs stops it, answers every call, and drops late output", async () => {
    const world = await World.start({ script: () => calls("slow-a", "slow-b") });
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    world.leases.leased.add(runId);
    await world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" });
    await world.rest();
    expect(await world.branch(runId)).toEqual([
      "user: hi",
      "assistant: [call-slow-a] [call-slow-b]",
      "tool call-slow-a: cancelled",
      "tool call-slow-b: skipped",
    ]);
    expect(world.tools.log).toEqual(["ran call-slow-a", "preempted", "stopped call-slow-a"]);
    expect(await world.runState(runId)).toBe("idle");
    expect(await world.store.effects(runId)).toEqual([]);
    expect([...world.journal.shownById.values()].every((block) => block.status !== "running")).toBe(true);
  });

  test.each([
    ["lingering", 60],
    ["stuck", 100],
  ])("S-39 of a %s tool is followed by nothing until the tool has ended, for at most %i ms", async (how, ms) => {
    const world = await World.start({
      script: (request) => (request.messages.length === 1 ? calls(`slow-${how}`) : says("fine")),
    });
    const rootId = await world.newRoot();
    const { nodeId, runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    const next = { rootId, parentNodeId: nodeId, text: "next", deliver: "interrupt" } as const;
    const cancelled = world.conversations.messages.send(world.ada, next);
    await world.clock.advance(ms - 1);
    expect(world.requests).toHaveLength(1);
    await world.clock.advance(1);
    expect(code(await cancelled)).toBe("ok");
    await world.clock.settle();
    expect(await world.branch(runId)).toEqual([
      "user: hi",
      `assistant: [call-slow-${how}]`,
      `tool call-slow-${how}: cancelled`,
      "user: next",
      "assistant: fine",
    ]);
  });

  test("abandons a tool that does not end, and its late answer does not count for a later call with the same id", async () => {
    const world = await World.start({ script: () => calls("stuck") });
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    const cancelled = world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" });
    await world.clock.advance(5_000);
    await cancelled;
    await world.send(rootId, (await world.store.run(runId))?.headNodeId ?? null, "again");
    await world.clock.advance(999_000);
    expect(world.tools.log).toEqual(["ran call-stuck", "ran call-stuck", "stopped call-stuck"]);
    expect(await world.runState(runId)).toBe("running-tools");
    expect((await world.branch(runId)).at(-1)).toBe("assistant: [call-stuck]");
  });

  test("that takes control during a canvas call leaves STALE_EPOCH in the conversation, also for the model", async () => {
    const world = await World.start({
      script: (request) => (request.messages.length === 1 ? calls("canvas_apply_patch", "slow") : says("fine")),
    });
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    await world.conversations.runs.cancel(world.ada, { runId, reason: "control-taken" });
    await world.rest();
    expect(await world.branch(runId)).toEqual([
      "user: hi",
      "assistant: [call-canvas_apply_patch] [call-slow]",
      "tool call-canvas_apply_patch: cancelled",
      "tool call-slow: skipped",
    ]);
    expect(await noticesOf(world, rootId)).toEqual([controlTakenNotice]);
    await world.send(rootId, (await world.store.run(runId))?.headNodeId ?? null, "go on");
    await world.rest();
    const [, , result] = world.requests.at(-1)?.messages ?? [];
    expect(result).toMatchObject({ role: "tool", outcome: "cancelled", synthetic: true });
    expect(JSON.stringify(result)).toContain("STALE_EPOCH");
  });

  test("that takes control while the reply streams is noted under the reply, and no model reads the note", async () => {
    const world = await World.start({
      script: (_request, turn) =>
        turn > 0
          ? says("fine")
          : [
              { type: "text-start", index: 0 },
              { type: "text-delta", index: 0, text: "half a " },
              { pauseMs: 60_000, deaf: true },
              ...says("never"),
            ],
    });
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    await world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" });
    // A person who takes control while the stream is closing gets the notice, and the stream is still awaited.
    await world.conversations.runs.cancel(world.ada, { runId, reason: "control-taken" });
    expect(await world.runState(runId)).toBe("cancelling");
    await world.rest();
    expect(await world.branch(runId)).toEqual(["user: hi", "assistant: half a (interrupted)"]);
    const head = (await world.store.run(runId))?.headNodeId ?? null;
    const shown = head === null ? null : await world.store.node(head);
    expect(shown?.message.content.at(-1)).toEqual({ type: "notice", text: controlTakenNotice });
    expect(await noticesOf(world, rootId)).toEqual([controlTakenNotice]);
    await world.send(rootId, head, "go on");
    await world.rest();
    expect(world.requests).toHaveLength(2);
    expect(JSON.stringify(world.requests.at(-1))).not.toContain("STALE_EPOCH");
  });

  test("during the delay of a retry ends the turn, and the timer does nothing", async () => {
    const world = await World.start({ script: () => fails(brokenLine) });
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    await world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" });
    expect(world.clock.timers).toBe(0);
    expect(await world.runState(runId)).toBe("idle");
  });
});

/** Returns the notices of the conversation's feed, in order. */
async function noticesOf(world: World, rootId: RootId): Promise<readonly string[]> {
  const feed = await world.store.feed(rootId, 0, 1_000);
  return feed.flatMap(({ body }) => (body.type === "notice" ? [body.text] : []));
}
