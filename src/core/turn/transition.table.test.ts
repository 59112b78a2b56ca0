import { describe, expect, test } from "vitest";
import type { NodeId } from "../base/ids.ts";
import { boundaryEvents, type TurnEvent } from "./event/event.ts";
import type { TurnState } from "./state/state.ts";
import { call, events, helper, id, states, taken, user, verdictLine, waiting, walked } from "./turn.test-support.ts";

/** A cancel has two columns, because its effect depends on the reason. */
type Column = TurnEvent["type"] | "control-taken";

const columns: { readonly [Name in Column]: TurnEvent } = {
  ...events,
  "control-taken": { type: "turn-cancelled", reason: "control-taken" },
};

/** The verdict on every event in a state that accepts none. */
const nothing: Record<Column, string> = {
  "message-sent": "absorbed",
  "reply-requested": "absorbed",
  "summary-requested": "absorbed",
  "compaction-requested": "absorbed",
  "turn-cancelled": "absorbed",
  "control-taken": "absorbed",
  "request-prepared": "absorbed",
  "request-refused": "absorbed",
  "compaction-due": "absorbed",
  "compaction-finished": "absorbed",
  "compaction-discarded": "absorbed",
  "response-finished": "absorbed",
  "response-failed": "absorbed",
  "retry-due": "absorbed",
  "tool-finished": "absorbed",
  "approval-needed": "absorbed",
  "approval-answered": "APPROVAL_CLOSED",
  "approval-expired": "absorbed",
  "question-asked": "absorbed",
  "question-answered": "QUESTION_CLOSED",
  "sub-agents-planned": "absorbed",
  "sub-agent-finished": "absorbed",
  "deadline-reached": "absorbed",
  "process-restarted": "absorbed",
};

const ofPeople = ["message-sent", "reply-requested", "summary-requested", "compaction-requested"] as const;

/** The same, except that requests of people are refused with a code. */
function refusing(code: string): Record<Column, string> {
  return { ...nothing, ...Object.fromEntries(ofPeople.map((column) => [column, code])) };
}

const table: Record<TurnState["type"], Record<Column, string>> = {
  idle: {
    ...nothing,
    "message-sent": "awaiting: save-message, preempt-leases, then prepare-request",
    "reply-requested": "awaiting, then prepare-request",
    "summary-requested": "awaiting: save-message, then prepare-request",
    "compaction-requested": "awaiting, then prepare-request",
    "turn-cancelled": "NOTHING_TO_CANCEL",
    "control-taken": "NOTHING_TO_CANCEL",
  },
  awaiting: {
    ...refusing("AGENT_BUSY"),
    "compaction-requested": "awaiting",
    "turn-cancelled": "idle: preempt-leases",
    "control-taken": "idle: notify, preempt-leases",
    "request-prepared": "requesting 1, then request-model",
    "request-refused": "error, then release-leases",
    "compaction-due": "requesting 1, then request-model",
    "process-restarted": "awaiting, then prepare-request",
  },
  requesting: {
    ...refusing("AGENT_BUSY"),
    "compaction-requested": "requesting 1",
    "turn-cancelled": "cancelling: preempt-leases, then abort-request",
    "control-taken": "cancelling: notify, preempt-leases, then abort-request",
    "response-finished": "idle: save-message, then release-leases",
    "response-failed": "requesting 2: notify, then schedule-retry",
    "retry-due": "INVALID_TRANSITION",
    "process-restarted": "requesting 1, then request-model",
  },
  "running-tools": {
    ...refusing("AGENT_BUSY"),
    "compaction-requested": "running-tools",
    "turn-cancelled": "idle: save-message, save-message, preempt-leases, then abort-tool",
    "control-taken": "idle: save-message, save-message, notify, preempt-leases, then abort-tool",
    "tool-finished": "running-tools: save-message, then run-tool",
    "approval-needed": "awaiting-approval, then schedule-expiry",
    "question-asked": "awaiting-answer",
    "sub-agents-planned": "awaiting-sub-agents, then await-sub-agent",
    "process-restarted": "running-tools: save-message, then run-tool",
  },
  "awaiting-approval": {
    ...refusing("AWAITING_APPROVAL"),
    "compaction-requested": "awaiting-approval",
    "turn-cancelled": "idle: save-message, save-message, preempt-leases",
    "control-taken": "idle: save-message, save-message, notify, preempt-leases",
    "approval-answered": "running-tools, then run-tool",
    "approval-expired": "running-tools: save-message, then run-tool",
    "process-restarted": "awaiting-approval, then schedule-expiry",
  },
  "awaiting-answer": {
    ...refusing("AWAITING_USER_RESPONSE"),
    "compaction-requested": "awaiting-answer",
    "turn-cancelled": "idle: save-message, save-message, preempt-leases",
    "control-taken": "idle: save-message, save-message, notify, preempt-leases",
    "question-answered": "running-tools: save-message, then run-tool",
  },
  "awaiting-sub-agents": {
    ...refusing("AGENT_BUSY"),
    "compaction-requested": "awaiting-sub-agents",
    "turn-cancelled": "cancelling-sub-agents: preempt-leases, then cancel-sub-agent",
    "control-taken": "cancelling-sub-agents: notify, preempt-leases, then cancel-sub-agent",
    "sub-agent-finished": "running-tools: save-message, then run-tool",
    "process-restarted": "awaiting-sub-agents, then await-sub-agent",
  },
  cancelling: {
    ...refusing("CANCELLATION_IN_PROGRESS"),
    "control-taken": "cancelling: notify",
    "response-finished": "idle: save-message, then release-leases",
    "response-failed": "idle, then release-leases",
    "process-restarted": "idle, then release-leases",
  },
  "cancelling-sub-agents": {
    ...refusing("CANCELLATION_IN_PROGRESS"),
    "control-taken": "cancelling-sub-agents: notify",
    "sub-agent-finished": "idle: save-message, save-message, then release-leases",
    "process-restarted": "cancelling-sub-agents, then cancel-sub-agent",
  },
  error: {
    ...nothing,
    "message-sent": "awaiting: save-message, preempt-leases, then prepare-request",
    "reply-requested": "awaiting, then prepare-request",
    "summary-requested": "awaiting: save-message, then prepare-request",
    "compaction-requested": "awaiting, then prepare-request",
    "turn-cancelled": "NOTHING_TO_CANCEL",
    "control-taken": "NOTHING_TO_CANCEL",
  },
  "context-exhausted": {
    ...refusing("CONTEXT_EXHAUSTED"),
    "turn-cancelled": "NOTHING_TO_CANCEL",
    "control-taken": "NOTHING_TO_CANCEL",
  },
  completed: {
    ...refusing("CONVERSATION_ENDED"),
    "turn-cancelled": "NOTHING_TO_CANCEL",
    "control-taken": "NOTHING_TO_CANCEL",
  },
  failed: {
    ...refusing("CONVERSATION_ENDED"),
    "turn-cancelled": "NOTHING_TO_CANCEL",
    "control-taken": "NOTHING_TO_CANCEL",
  },
};

describe("every state and event", () => {
  const rows = Object.values(states).flatMap(({ type }) =>
    (Object.keys(columns) as Column[]).map((column) => [type, column, table[type][column]] as const),
  );
  test.each(rows)("I1 I2 S-35 %s + %s → %s", (state, event, expected) => {
    expect(verdictLine(states[state], columns[event])).toBe(expected);
  });
});

/** The verdicts that differ where a message waits to steer the turn: all others ignore it. */
const steered: Partial<Record<TurnState["type"], Partial<Record<Column, string>>>> = {
  awaiting: { "request-prepared": "awaiting: save-message, preempt-leases, then prepare-request" },
  requesting: {
    "response-finished": "awaiting: save-message, save-message, preempt-leases, then prepare-request",
    "process-restarted": "requesting 1: save-message, preempt-leases, then request-model",
  },
};

describe("K-45 a message that waits to steer", () => {
  const steer = { id: "node_1" as NodeId, message: user };
  const bringing = (event: TurnEvent): TurnEvent =>
    boundaryEvents.has(event.type) ? ({ ...event, steers: [steer] } as TurnEvent) : event;
  const rows = Object.values(states).flatMap(({ type }) =>
    (Object.keys(columns) as Column[]).map(
      (column) => [type, column, steered[type]?.[column] ?? table[type][column]] as const,
    ),
  );
  test.each(rows)("%s + %s → %s", (state, event, expected) => {
    expect(verdictLine(states[state], bringing(columns[event]))).toBe(expected);
  });

  test("is taken at a due retry, whose attempt counts on", () => {
    const event = bringing({ type: "retry-due", attempt: 2 });
    expect(verdictLine(waiting, event)).toBe("requesting 2: save-message, preempt-leases, then request-model");
  });

  const last = { pending: [call("b")], running: [], arrived: [], completed: [], parallel: false } as const;
  test.each([
    [{ ...states["running-tools"], ...last, running: [id("b")] }, events["tool-finished"]],
    [{ ...states["awaiting-approval"], ...last }, { ...events["approval-answered"], decision: "deny" } as const],
    [{ ...states["awaiting-approval"], ...last }, events["approval-expired"]],
    [{ ...states["awaiting-answer"], ...last }, events["question-answered"]],
    [{ ...states["awaiting-sub-agents"], ...last }, events["sub-agent-finished"]],
    [{ ...states["running-tools"], ...last, running: [id("b")] }, events["process-restarted"]],
  ])("is taken after the last result of a round", (state, event) => {
    expect(verdictLine(state, bringing(event))).toBe(
      "awaiting: save-message, save-message, preempt-leases, then prepare-request",
    );
    expect(verdictLine(state, bringing(event), helper)).not.toContain("preempt-leases");
  });

  test.each(["last-words", "summary", "wished-summary"] as const)(
    "is not taken by a turn that asks for %s",
    (asking) => {
      const progress = { rounds: 1, asking };
      expect(verdictLine({ ...states.awaiting, progress }, bringing(events["request-prepared"]))).toContain(
        "request-model",
      );
      const finished = verdictLine({ ...states.requesting, progress }, bringing(events["response-finished"]));
      expect(finished).toContain("release-leases");
    },
  );

  test("K-55 has an empty reply to it asked for once more, with the same history, and then no more", () => {
    const empty = { ...events["response-finished"], message: null };
    const first = taken(states.awaiting, bringing(events["request-prepared"])).state;
    const asked = walked(first, [events["request-prepared"]]);
    expect(verdictLine(asked, empty)).toBe("awaiting, then prepare-request");
    const again = walked(asked, [empty, events["request-prepared"]]);
    expect(verdictLine(again, empty)).toBe("idle: notify, then release-leases");
  });
});

describe("a sub-agent", () => {
  const own: Partial<Record<TurnState["type"], Partial<Record<Column, string>>>> = {
    awaiting: {
      "turn-cancelled": "failed: preempt-leases",
      "control-taken": "failed: notify, preempt-leases",
      "request-refused": "failed, then release-leases",
      "deadline-reached": "failed, then release-leases",
    },
    requesting: {
      "response-finished": "awaiting: save-message, save-message, then prepare-request",
      "deadline-reached": "failed, then abort-request, release-leases",
    },
    "running-tools": {
      "turn-cancelled": "failed: save-message, save-message, preempt-leases, then abort-tool",
      "control-taken": "failed: save-message, save-message, notify, preempt-leases, then abort-tool",
      "sub-agents-planned": "INVALID_TRANSITION",
      "deadline-reached": "failed: save-message, save-message, then abort-tool, release-leases",
    },
    "awaiting-approval": {
      "turn-cancelled": "failed: save-message, save-message, preempt-leases",
      "control-taken": "failed: save-message, save-message, notify, preempt-leases",
      "deadline-reached": "failed: save-message, save-message, then release-leases",
    },
    "awaiting-answer": {
      "turn-cancelled": "failed: save-message, save-message, preempt-leases",
      "control-taken": "failed: save-message, save-message, notify, preempt-leases",
      "deadline-reached": "failed: save-message, save-message, then release-leases",
    },
    cancelling: {
      "response-finished": "failed: save-message, then release-leases",
      "response-failed": "failed, then release-leases",
      "process-restarted": "failed, then release-leases",
    },
    "cancelling-sub-agents": {
      "sub-agent-finished": "failed: save-message, save-message, then release-leases",
    },
  };
  const rows = Object.values(states).flatMap(({ type }) =>
    (Object.keys(columns) as Column[]).map(
      (column) => [type, column, own[type]?.[column] ?? table[type][column]] as const,
    ),
  );
  test.each(rows)("S-30 %s + %s → %s", (state, event, expected) => {
    expect(verdictLine(states[state], columns[event], helper)).toBe(expected);
  });
});
