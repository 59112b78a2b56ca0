import { expect, test } from "vitest";
import type { TurnState } from "../../../core/turn/state/state.ts";
import { states } from "../../../core/turn/turn.test-support.ts";
import { activityKeyOf, possibleActivities } from "./activity-keys.ts";

const keysIn = (state: TurnState): readonly string[] => [...possibleActivities(state)];
const idle = (state: TurnState): boolean =>
  ["idle", "error", "context-exhausted", "completed", "failed"].includes(state.type);

test("a turn under way has a deadline, and one that is over has nothing", () => {
  for (const state of Object.values(states))
    expect([state.type, keysIn(state).includes("deadline")]).toEqual([state.type, !idle(state)]);
  for (const state of Object.values(states).filter(idle)) expect(keysIn(state)).toEqual([]);
});

test("a state has the activities of what it waits for", () => {
  expect([states.awaiting, states.requesting, states.cancelling].map((state) => keysIn(state)[0])).toEqual([
    "request",
    "request",
    "request",
  ]);
  expect(keysIn({ ...states["running-tools"], running: ["a", "b"] as never })).toEqual([
    "tool/a",
    "tool/b",
    "deadline",
  ]);
  const { request } = states["awaiting-approval"];
  expect(keysIn(states["awaiting-approval"])).toEqual([`expiry/${request.callId}`, "deadline"]);
  expect(keysIn(states["awaiting-answer"])).toEqual(["deadline"]);
});

test("a state waits for the sub-agents that have not reported", () => {
  const [first] = states["awaiting-sub-agents"].agents;
  const agents = [
    { ...first, runId: "one", outcome: null },
    { ...first, runId: "two", outcome: { type: "failed", reason: "unknown", message: "No." } },
  ] as never;
  expect(keysIn({ ...states["awaiting-sub-agents"], agents })).toEqual(["agent/one", "deadline"]);
});

test("an effect belongs to the activity that it starts or ends by itself", () => {
  const key = (effect: object): unknown => activityKeyOf(effect as never);
  expect([
    key({ type: "request-model" }),
    key({ type: "run-tool", call: { id: "c" } }),
    key({ type: "schedule-expiry", callId: "c" }),
    key({ type: "cancel-sub-agent", agent: { runId: "r" } }),
    key({ type: "abort-tool", callId: "c" }),
    key({ type: "abort-request" }),
    key({ type: "release-leases" }),
  ]).toEqual(["request", "tool/c", "expiry/c", "agent/r", null, null, null]);
});
