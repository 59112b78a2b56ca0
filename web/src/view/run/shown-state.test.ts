import { runHead } from "./run-head.ts";
import { describe, expect, test } from "vitest";
import { runIn } from "../../../../src/client/watch/conversation.test-support.ts";
import type { ConnectionState, LiveBlock } from "../../../../src/client/base/types.ts";
import type { BlockId, DocumentId, RootId, RunId, ToolCallId } from "../../../../src/core/base/ids.ts";
import type { BlockKind } from "../../../../src/core/block/kinds.ts";
import type { TurnState } from "../../../../src/core/turn/state/state.ts";
import { describeState, shownState, type Situation } from "./shown-state.ts";

const live: ConnectionState = { type: "live", since: 0, reconnected: false };

function liveBlock(kind: BlockKind): LiveBlock {
  return {
    text: "…",
    header: {
      id: "b" as BlockId,
      documentId: "d" as DocumentId,
      parentId: null,
      role: "assistant",
      kind,
      status: "running",
      version: 1,
      metadata: {},
      collapsed: false,
      excluded: false,
      createdAt: 0,
      updatedAt: 0,
    },
  };
}

function label(
  state: TurnState,
  more: Partial<Situation & { queued: boolean; liveBlocks: readonly LiveBlock[] }> = {},
): string {
  const { queued = false, liveBlocks = [], ...rest } = more;
  const run = runHead(runIn(state, { since: 9_000, queued, liveBlocks }));
  const situation: Situation = {
    connection: live,
    now: 10_000,
    run,
    sending: false,
    busy: false,
    interrupted: false,
    charactersPerSecond: null,
    ...rest,
  };
  return describeState(shownState(situation), situation.now).label;
}

const call = (name: string) => ({ id: "c" as ToolCallId, name, parameters: {} });
const progress = { rounds: 0, asking: "reply" } as const;
const requesting = { type: "requesting", attempt: 1, retryAt: null, lastFailure: null, progress } as const;
const round = { pending: [call("bash")], running: [], arrived: [], completed: [], parallel: false } as const;

describe("the state line", () => {
  test("names each state of a run", () => {
    expect(label({ type: "idle" })).toBe("Ready");
    expect(label({ type: "idle" }, { queued: true })).toContain("Queued");
    expect(label({ type: "awaiting", progress })).toBe("Waiting for the model");
    expect(label(requesting)).toBe("Requesting");
    expect(label(requesting, { now: 24_000 })).toBe("Requesting · 15 s");
    expect(label({ ...requesting, attempt: 2 })).toBe("Requesting · attempt 2 of 3");
    expect(label({ ...requesting, attempt: 2, retryAt: 11_400 })).toBe("Requesting · attempt 2 of 3 · again in 1.4 s");
    expect(label(requesting, { liveBlocks: [liveBlock("thinking")] })).toBe("Thinking");
    expect(label(requesting, { liveBlocks: [liveBlock("text")], charactersPerSecond: 200 })).toBe(
      "Writing · about 50 tokens/s",
    );
    expect(label({ type: "cancelling", attempt: 1, reason: "stopped", progress })).toBe("Cancelling…");
    expect(label({ type: "cancelling", attempt: 1, reason: "control-taken", progress })).toBe("Taking control…");
    expect(label({ type: "error", kind: "network", detail: "network", message: "reset" })).toBe(
      "The provider gave no complete answer",
    );
  });

  test("tells an exhausted quota from a wish to slow down, though both are limits", () => {
    const error = { type: "error", kind: "rate-limit", message: "429" } as const;
    expect(label({ ...error, detail: "quota" })).toBe("The provider’s quota is used up");
    expect(label({ ...error, detail: "rate-limit" })).toBe("The provider is limiting requests");
  });

  test("says what a run waits for, and for how long it has worked", () => {
    const request = { callId: "c" as ToolCallId, argumentsHash: "a", reason: "tier", expiresAt: 0 } as const;
    const agent = { runId: "x" as RunId, rootId: "y" as RootId, task: "t", deadlineAt: 0, outcome: null };
    const done = { ...agent, outcome: { type: "failed", reason: "timed-out", message: "Late." } } as const;
    const two = { agents: [done, agent], callId: "c" as ToolCallId, ...round, progress } as const;
    expect(label({ type: "awaiting-approval", request, ...round, progress })).toBe("Waiting for you: may bash run?");
    const question = { question: "Which?", options: [], multiple: false };
    const asks = { type: "awaiting-answer", callId: "c" as ToolCallId, ...round, progress } as const;
    expect(label({ ...asks, questions: [question] })).toBe("Waiting for your answer");
    expect(label({ ...asks, questions: [question, question] })).toBe("Waiting for your answers to 2 questions");
    expect(label({ type: "awaiting-sub-agents", ...two })).toBe("Sub-agents 1 of 2 done");
    expect(label({ type: "awaiting-sub-agents", ...two }, { now: 84_000 })).toBe("Sub-agents 1 of 2 done · 1 min 15 s");
    expect(label({ type: "cancelling-sub-agents", reason: "stopped", ...two })).toBe(
      "Cancelling… · one sub-agent is ending",
    );
    expect(label({ type: "awaiting", progress: { rounds: 1, asking: "summary" } })).toContain("summarizing");
    expect(label({ type: "awaiting", progress: { rounds: 1, asking: "last-words" } })).toContain("final answer");
    expect(label({ type: "context-exhausted", summary: "s" })).toContain("continue in a new branch");
    expect(label({ type: "completed", result: "r", success: false, implicit: false })).toBe("Gave up");
    expect(label({ type: "failed", reason: "timed-out", message: "Too late." })).toBe("Too late.");
    const running = { type: "running-tools", ...round, progress, parallel: true } as const;
    const three = [
      call("a"),
      { ...call("b"), id: "d" as ToolCallId },
      { ...call("e"), id: "e" as ToolCallId },
    ] as const;
    const both = ["c" as ToolCallId, "d" as ToolCallId];
    expect(label({ ...running, pending: three, running: both })).toBe("2 tools at once, of 3");
    expect(label({ ...running, running: both.slice(0, 1) }, { now: 14_200 })).toBe("Tool: bash · 5 s");
  });

  test("counts the tools of a round, the running one included", () => {
    const done = "a" as ToolCallId;
    const state: TurnState = {
      ...round,
      type: "running-tools",
      progress,
      completed: [done],
      pending: [call("canvas_apply_patch"), call("canvas_check_in")],
      running: ["c" as ToolCallId],
    };
    expect(label(state)).toBe("Tool 2 of 3: canvas_apply_patch");
    expect(label({ ...state, completed: [], pending: [call("bash")] })).toBe("Tool: bash");
  });

  test("puts a lost connection before what a run was last known to do", () => {
    const connection: ConnectionState = { type: "reconnecting", attempt: 2, retryAt: 12_000, unsent: 3 };
    expect(label(requesting, { connection })).toBe("Reconnecting in 2.0 s · 3 edits waiting");
    expect(label(requesting, { connection: { ...connection, type: "offline", unsent: 0, retryAt: 40_000 } })).toBe(
      "Offline · trying again in 30 s",
    );
  });

  test("says for two seconds that the connection is back, then the run again", () => {
    expect(label(requesting, { connection: { type: "live", since: 8_500, reconnected: true } })).toBe("Reconnected");
    expect(label(requesting, { connection: { type: "live", since: 8_000, reconnected: true } })).toBe("Requesting");
  });

  test("says that a refused message is kept", () => {
    expect(label(requesting, { busy: true })).toContain("kept in the composer");
  });
});
