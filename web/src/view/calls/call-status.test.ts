import { describe, expect, test } from "vitest";
import type { RootId, RunId, ToolCallId } from "../../../../src/core/base/ids.ts";
import type { ToolCall, TurnState } from "../../../../src/core/turn/state/state.ts";
import { callStatuses } from "./call-status.ts";

const first: ToolCall = { id: "a" as ToolCallId, name: "bash", parameters: {} };
const second: ToolCall = { id: "b" as ToolCallId, name: "ask_user", parameters: {} };
const progress = { rounds: 1, asking: "reply" } as const;
const round = { pending: [first, second], running: [], arrived: [], completed: [], parallel: false, progress } as const;
const request = { callId: first.id, argumentsHash: "", reason: "tier", expiresAt: 0 } as const;
const agent = { runId: "x" as RunId, rootId: "y" as RootId, task: "t", deadlineAt: 0, outcome: null };

describe("a call without a result, in a run that", () => {
  test.each<[string, TurnState | null, readonly (string | undefined)[]]>([
    ["runs it", { type: "running-tools", ...round, running: [first.id] }, ["running", "its-turn"]],
    ["runs both", { type: "running-tools", ...round, running: [first.id, second.id] }, ["running", "running"]],
    ["asks whether it may run", { type: "awaiting-approval", ...round, request }, ["approval", "its-turn"]],
    [
      "waits for answers",
      {
        type: "awaiting-answer",
        ...round,
        callId: second.id,
        questions: [{ question: "?", options: [], multiple: false }],
      },
      ["its-turn", "answer"],
    ],
    [
      "waits for its agents",
      { type: "awaiting-sub-agents", ...round, callId: first.id, agents: [agent] },
      ["running", "its-turn"],
    ],
    ["rests", { type: "idle" }, [undefined, undefined]],
    ["is not there", null, [undefined, undefined]],
  ])("%s", (_name, state, expected) => {
    const statuses = callStatuses(state);
    expect([first, second].map(({ id }) => statuses.get(id))).toEqual(expected);
  });
});
