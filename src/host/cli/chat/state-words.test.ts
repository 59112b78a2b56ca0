import { expect, test } from "vitest";
import type { BlockId, DocumentId, RootId, RunId, ToolCallId } from "../../../core/base/ids.ts";
import type { TurnState } from "../../../core/turn/state/state.ts";
import type { SubAgent } from "../../../core/turn/state/sub-agent.ts";
import { runIn } from "../../../client/watch/conversation.test-support.ts";
import type { ConnectionState, LiveBlock } from "../../../client/base/types.ts";
import { connectionLabel, stateLabel } from "./words.ts";

const progress = { rounds: 0, asking: "reply" } as const;
const call = (name: string) => ({ id: name as ToolCallId, name, parameters: { path: "notes.md" } });
const round = {
  pending: [call("read_files"), call("bash")],
  running: [] as readonly ToolCallId[],
  arrived: [],
  completed: ["done" as ToolCallId],
  parallel: false,
  progress,
} as const;
const agent = (name: string, isDone: boolean): SubAgent => ({
  runId: name as RunId,
  rootId: name as RootId,
  task: name,
  deadlineAt: 0,
  outcome: isDone ? { type: "completed", result: "1", success: true, implicit: false } : null,
});
const question = { question: "Which?", options: [], multiple: false };
const request = { callId: "bash" as ToolCallId, argumentsHash: "0", reason: "tier", expiresAt: 0 } as const;

const states: {
  readonly [Type in TurnState["type"]]: readonly (readonly [Extract<TurnState, { type: Type }>, string])[];
} = {
  idle: [[{ type: "idle" }, "Ready"]],
  awaiting: [
    [{ type: "awaiting", progress }, "Waiting for the model"],
    [
      { type: "awaiting", progress: { rounds: 200, asking: "last-words" } },
      "Waiting for the model · last words, without tools",
    ],
  ],
  requesting: [
    [{ type: "requesting", attempt: 1, retryAt: null, lastFailure: null, progress }, "Requesting"],
    [{ type: "requesting", attempt: 2, retryAt: null, lastFailure: null, progress }, "Requesting · attempt 2 of 3"],
    [
      { type: "requesting", attempt: 2, retryAt: 1_400, lastFailure: "Over\u001bloaded", progress },
      "Requesting · attempt 2 of 3 · again in 1.4 s · Over\\u001bloaded",
    ],
    [
      { type: "requesting", attempt: 1, retryAt: null, lastFailure: null, progress: { rounds: 1, asking: "summary" } },
      "Requesting · a summary",
    ],
  ],
  "running-tools": [
    [{ type: "running-tools", ...round, running: ["read_files" as ToolCallId] }, "Tool 2 of 3: read_files notes.md"],
    [{ type: "running-tools", ...round, running: ["bash" as ToolCallId] }, "Tool 3 of 3: bash notes.md"],
    [
      { type: "running-tools", ...round, running: ["read_files" as ToolCallId, "bash" as ToolCallId], parallel: true },
      "Tool 2 of 3: read_files notes.md and 1 more",
    ],
  ],
  "awaiting-approval": [[{ type: "awaiting-approval", ...round, request }, "Awaiting approval: bash"]],
  "awaiting-answer": [
    [{ type: "awaiting-answer", ...round, callId: request.callId, questions: [question] }, "Awaiting your answer"],
    [
      { type: "awaiting-answer", ...round, callId: request.callId, questions: [question, question] },
      "Awaiting your answers · 2 questions",
    ],
  ],
  "awaiting-sub-agents": [
    [
      { type: "awaiting-sub-agents", ...round, callId: request.callId, agents: [agent("a", true), agent("b", false)] },
      "Sub-agents 1 of 2 done",
    ],
  ],
  cancelling: [
    [{ type: "cancelling", attempt: 1, reason: "stopped", progress }, "Cancelling…"],
    [{ type: "cancelling", attempt: 1, reason: "control-taken", progress }, "Taking control…"],
  ],
  "cancelling-sub-agents": [
    [
      {
        type: "cancelling-sub-agents",
        ...round,
        callId: request.callId,
        reason: "stopped",
        agents: [agent("a", false)],
      },
      "Cancelling… · Sub-agents 0 of 1 done",
    ],
  ],
  error: [[{ type: "error", kind: "auth", detail: "auth", message: "No." }, "Error · The provider refused the key"]],
  "context-exhausted": [
    [{ type: "context-exhausted", summary: "All." }, "Summed up · /continue goes on in a new branch"],
  ],
  completed: [[{ type: "completed", result: "1", success: true, implicit: false }, "Completed"]],
  failed: [[{ type: "failed", reason: "timed-out", message: "Late." }, "Failed · timed-out"]],
};

function live(kind: "text" | "thinking" | "tool_call"): LiveBlock {
  const header = {
    id: "root_1/1/1" as BlockId,
    documentId: "root_1" as DocumentId,
    parentId: null,
    role: "assistant",
    kind,
    status: "running",
    version: 1,
    metadata: { tool_name: "bash" },
    collapsed: false,
    excluded: false,
    createdAt: 0,
    updatedAt: 0,
  } as const;
  return { header, text: "" };
}

test.each(Object.values(states).flat())("stateLabel shows a run in %j as: %s", (state, label) => {
  expect(stateLabel(runIn(state), 0)).toBe(label);
});

test("stateLabel shows what streams, and a waiting message as queued", () => {
  const state: TurnState = { type: "requesting", attempt: 1, retryAt: null, lastFailure: null, progress };
  expect(
    (["thinking", "text", "tool_call"] as const).map((kind) =>
      stateLabel(runIn(state, { liveBlocks: [live(kind)] }), 0),
    ),
  ).toEqual(["Thinking", "Writing", "Writing a call · bash"]);
  expect(stateLabel(runIn({ type: "idle" }, { queued: true }), 0)).toContain("Queued");
});

test.each<[ConnectionState, string | null]>([
  [{ type: "connecting" }, "Connecting…"],
  [{ type: "live", since: 0, reconnected: false }, null],
  [{ type: "reconnecting", attempt: 1, retryAt: 500, unsent: 0 }, "Reconnecting in 0.5 s"],
  [{ type: "offline", attempt: 4, retryAt: 8_000, unsent: 2 }, "Offline · trying again in 8.0 s · 2 unsent"],
  [{ type: "refused", refusal: { code: "FORBIDDEN", message: "No." } }, "Refused"],
])("connectionLabel shows a connection that is %j as: %s", (state, label) => {
  expect(connectionLabel(state, 0)).toBe(label);
});
