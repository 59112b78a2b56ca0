import { goOnText, instruct, summaryText } from "../step/instruct.ts";
import type { SettledState } from "../step/precheck.ts";
import type { TurnProgress } from "../state/state.ts";
import { save, step } from "../step/step.ts";
import { saveWaiting } from "../step/steers.ts";
import { absorbed, busy, noApproval, noQuestion, nothingToStop, type Row } from "../step/table.ts";

const fresh: TurnProgress = { rounds: 0, asking: "reply" };

const settled: Row<SettledState["type"]> = {
  "message-sent": (_state, { message, waiting }) =>
    step(
      { type: "awaiting", progress: fresh },
      [waiting === undefined ? save(message) : saveWaiting({ id: waiting, message }), { type: "preempt-leases" }],
      [{ type: "prepare-request" }],
    ),
  "reply-requested": (_state, { goOn }) =>
    step({ type: "awaiting", progress: fresh }, goOn === true ? [instruct("go-on", goOnText)] : [], [
      { type: "prepare-request" },
    ]),
  "summary-requested": () =>
    step(
      { type: "awaiting", progress: { rounds: 0, asking: "wished-summary" } },
      [instruct("summary", summaryText([]))],
      [{ type: "prepare-request" }],
    ),
  "turn-cancelled": nothingToStop,
  "request-prepared": absorbed,
  "request-refused": absorbed,
  "response-finished": absorbed,
  "response-failed": absorbed,
  "retry-due": absorbed,
  "tool-finished": absorbed,
  "approval-needed": absorbed,
  "approval-answered": noApproval,
  "approval-expired": absorbed,
  "question-asked": absorbed,
  "question-answered": noQuestion,
  "sub-agents-planned": absorbed,
  "sub-agent-finished": absorbed,
  "deadline-reached": absorbed,
  "process-restarted": absorbed,
};

/** Waits for a person. */
export const idle: Row<"idle"> = settled;
export const failedRequest: Row<"error"> = settled;

/** Ignores every event: the run has ended permanently. */
export const ended: Row<"context-exhausted" | "completed" | "failed"> = {
  ...settled,
  "message-sent": busy,
  "reply-requested": busy,
  "summary-requested": busy,
};
