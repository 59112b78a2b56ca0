import { describe, expect, test } from "vitest";
import type { TurnEvent } from "./event.ts";
import type { TurnState } from "./state.ts";
import { events, helper, states, told } from "./turn.test-support.ts";

/** A cancel is two columns: what it does depends on why. */
type Column = TurnEvent["type"] | "control-taken";

const columns: { readonly [Name in Column]: TurnEvent } = {
  ...events,
  "control-taken": { type: "turn-cancelled", reason: "control-taken" },
};

/** What every event does in a state that takes none. */
const nothing: Record<Column, string> = {
  "message-sent": "absorbed",
  "reply-requested": "absorbed",
  "summary-requested": "absorbed",
  "turn-cancelled": "absorbed",
  "control-taken": "absorbed",
  "request-prepared": "absorbed",
  "request-refused": "absorbed",
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

const ofPeople = ["message-sent", "reply-requested", "summary-requested"] as const;

/** The same but for people who want something, who are told why not. */
function refusing(code: string): Record<Column, string> {
  return { ...nothing, ...Object.fromEntries(ofPeople.map((column) => [column, code])) };
}

const table: Record<TurnState["type"], Record<Column, string>> = {
  idle: {
    ...nothing,
    "message-sent": "awaiting: save-message, preempt-leases, save-state, prepare-request",
    "reply-requested": "awaiting: save-state, prepare-request",
    "summary-requested": "awaiting: save-message, save-state, prepare-request",
    "turn-cancelled": "NOTHING_TO_CANCEL",
    "control-taken": "NOTHING_TO_CANCEL",
  },
  awaiting: {
    ...refusing("AGENT_BUSY"),
    "turn-cancelled": "idle: preempt-leases, save-state",
    "control-taken": "idle: notify, preempt-leases, save-state",
    "request-prepared": "requesting 1: save-state, request-model",
    "request-refused": "error: save-state, release-leases",
    "process-restarted": "awaiting: save-state, prepare-request",
  },
  requesting: {
    ...refusing("AGENT_BUSY"),
    "turn-cancelled": "cancelling: preempt-leases, save-state, abort-request",
    "control-taken": "cancelling: notify, preempt-leases, save-state, abort-request",
    "response-finished": "idle: save-message, save-state, release-leases",
    "response-failed": "requesting 2: notify, save-state, schedule-retry",
    "retry-due": "INVALID_TRANSITION",
    "process-restarted": "requesting 1: save-state, request-model",
  },
  "running-tools": {
    ...refusing("AGENT_BUSY"),
    "turn-cancelled": "idle: save-message, save-message, preempt-leases, save-state, abort-tool",
    "control-taken": "idle: save-message, save-message, notify, preempt-leases, save-state, abort-tool",
    "tool-finished": "running-tools: save-message, save-state, run-tool",
    "approval-needed": "awaiting-approval: save-state, schedule-expiry",
    "question-asked": "awaiting-answer: save-state",
    "sub-agents-planned": "awaiting-sub-agents: save-state, await-sub-agent",
    "process-restarted": "running-tools: save-message, save-state, run-tool",
  },
  "awaiting-approval": {
    ...refusing("AWAITING_APPROVAL"),
    "turn-cancelled": "idle: save-message, save-message, preempt-leases, save-state",
    "control-taken": "idle: save-message, save-message, notify, preempt-leases, save-state",
    "approval-answered": "running-tools: save-state, run-tool",
    "approval-expired": "running-tools: save-message, save-state, run-tool",
    "process-restarted": "awaiting-approval: schedule-expiry",
  },
  "awaiting-answer": {
    ...refusing("AWAITING_USER_RESPONSE"),
    "turn-cancelled": "idle: save-message, save-message, preempt-leases, save-state",
    "control-taken": "idle: save-message, save-message, notify, preempt-leases, save-state",
    "question-answered": "running-tools: save-message, save-state, run-tool",
  },
  "awaiting-sub-agents": {
    ...refusing("AGENT_BUSY"),
    "turn-cancelled": "cancelling-sub-agents: preempt-leases, save-state, cancel-sub-agent",
    "control-taken": "cancelling-sub-agents: notify, preempt-leases, save-state, cancel-sub-agent",
    "sub-agent-finished": "running-tools: save-message, save-state, run-tool",
    "process-restarted": "awaiting-sub-agents: await-sub-agent",
  },
  cancelling: {
    ...refusing("CANCELLATION_IN_PROGRESS"),
    "control-taken": "cancelling: notify, save-state",
    "response-finished": "idle: save-message, save-state, release-leases",
    "response-failed": "idle: save-state, release-leases",
    "process-restarted": "idle: save-state, release-leases",
  },
  "cancelling-sub-agents": {
    ...refusing("CANCELLATION_IN_PROGRESS"),
    "control-taken": "cancelling-sub-agents: notify, save-state",
    "sub-agent-finished": "idle: save-message, save-message, save-state, release-leases",
    "process-restarted": "cancelling-sub-agents: cancel-sub-agent",
  },
  error: {
    ...nothing,
    "message-sent": "awaiting: save-message, preempt-leases, save-state, prepare-request",
    "reply-requested": "awaiting: save-state, prepare-request",
    "summary-requested": "awaiting: save-message, save-state, prepare-request",
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
    expect(told(states[state], columns[event])).toBe(expected);
  });
});

describe("a sub-agent", () => {
  const own: Partial<Record<TurnState["type"], Partial<Record<Column, string>>>> = {
    awaiting: {
      "turn-cancelled": "failed: preempt-leases, save-state",
      "control-taken": "failed: notify, preempt-leases, save-state",
      "request-refused": "failed: save-state, release-leases",
      "deadline-reached": "failed: save-state, release-leases",
    },
    requesting: {
      "response-finished": "awaiting: save-message, save-message, save-state, prepare-request",
      "deadline-reached": "failed: save-state, abort-request, release-leases",
    },
    "running-tools": {
      "turn-cancelled": "failed: save-message, save-message, preempt-leases, save-state, abort-tool",
      "control-taken": "failed: save-message, save-message, notify, preempt-leases, save-state, abort-tool",
      "sub-agents-planned": "INVALID_TRANSITION",
      "deadline-reached": "failed: save-message, save-message, save-state, abort-tool, release-leases",
    },
    "awaiting-approval": {
      "turn-cancelled": "failed: save-message, save-message, preempt-leases, save-state",
      "control-taken": "failed: save-message, save-message, notify, preempt-leases, save-state",
      "deadline-reached": "failed: save-message, save-message, save-state, release-leases",
    },
    "awaiting-answer": {
      "turn-cancelled": "failed: save-message, save-message, preempt-leases, save-state",
      "control-taken": "failed: save-message, save-message, notify, preempt-leases, save-state",
      "deadline-reached": "failed: save-message, save-message, save-state, release-leases",
    },
    cancelling: {
      "response-finished": "failed: save-message, save-state, release-leases",
      "response-failed": "failed: save-state, release-leases",
      "process-restarted": "failed: save-state, release-leases",
    },
    "cancelling-sub-agents": {
      "sub-agent-finished": "failed: save-message, save-message, save-state, release-leases",
    },
  };
  const rows = Object.values(states).flatMap(({ type }) =>
    (Object.keys(columns) as Column[]).map(
      (column) => [type, column, own[type]?.[column] ?? table[type][column]] as const,
    ),
  );
  test.each(rows)("S-30 %s + %s → %s", (state, event, expected) => {
    expect(told(states[state], columns[event], helper)).toBe(expected);
  });
});
