import { describe, expect, test } from "vitest";
import type { ToolCallId } from "../../../core/base/ids.ts";
import type { TurnState } from "../../../core/turn/state/state.ts";
import { calls, says, World } from "../queue/conversation.test-support.ts";
import { restartsElapsedTime } from "./elapsed-time.ts";

const progress = { rounds: 0, asking: "reply" } as const;
const id = (name: string) => name as ToolCallId;
const requesting = (attempt: number, retryAt: number | null): TurnState => {
  return { type: "requesting", attempt, retryAt, lastFailure: null, progress };
};
const tools = (...running: readonly string[]): TurnState => ({
  type: "running-tools",
  pending: [{ id: id("a"), name: "t", parameters: {} }],
  running: running.map(id),
  arrived: [],
  completed: [],
  parallel: true,
  progress,
});

describe("the elapsed time of a run", () => {
  test.each<[string, TurnState, TurnState, boolean]>([
    ["restarts when the run starts other work", { type: "idle" }, { type: "awaiting", progress }, true],
    [
      "restarts when the run is idle in another state",
      { type: "idle" },
      { type: "context-exhausted", summary: "" },
      true,
    ],
    ["continues while the run stays idle", { type: "idle" }, { type: "idle" }, false],
    ["restarts for another attempt", requesting(1, null), requesting(2, null), true],
    ["restarts for the delay before an attempt", requesting(2, null), requesting(2, 5), true],
    ["continues during the same attempt", requesting(2, null), requesting(2, null), false],
    ["restarts for the next call", tools("a"), tools("b"), true],
    ["continues when one of several calls ends", tools("a", "b"), tools("b"), false],
  ])("%s", (_name, before, after, expected) => {
    expect(restartsElapsedTime(before, after)).toBe(expected);
  });

  test("the feed reports since when a run is in its state, also after a restart", async () => {
    const world = await World.start({ script: (_request, turn) => (turn === 0 ? calls("slow-a", "slow-b") : says()) });
    const rootId = await world.newRoot();
    const began = world.clock.now();
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.advance(400);
    expect((await world.store.run(runId))?.stateSince).toBe(began);
    await world.clock.advance(900);
    const view = await world.conversations.view(rootId);
    expect(view.ok && view.value.runs[0]?.since).toBe(began + 1_000);
    expect((await (await World.start({ image: world.store.image() })).store.run(runId))?.stateSince).toBeTypeOf(
      "number",
    );
  });
});
