import { goOnText, instruct, summaryText } from "../step/instruct.ts";
import type { SettledState } from "../step/precheck.ts";
import type { TurnProgress } from "../state/state.ts";
import { compactAtRest } from "../step/compaction.ts";
import { failuresOf } from "../step/ending.ts";
import { save, step, type StateOf } from "../step/step.ts";
import { saveWaiting } from "../step/steers.ts";
import { absorbed, busy, noApproval, noQuestion, nothingToStop, type Row } from "../step/table.ts";

/** The progress of a turn that begins. */
function fresh(state: StateOf<SettledState["type"]>): TurnProgress {
  return { rounds: 0, asking: "reply", ...("failedCompactions" in state ? failuresOf(state) : {}) };
}

const settled: Row<SettledState["type"]> = {
  "message-sent": (state, { message, waiting }) =>
    step(
      { type: "awaiting", progress: fresh(state) },
      [waiting === undefined ? save(message) : saveWaiting({ id: waiting, message }), { type: "preempt-leases" }],
      [{ type: "prepare-request" }],
    ),
  "reply-requested": (state, { goOn }) =>
    step({ type: "awaiting", progress: fresh(state) }, goOn === true ? [instruct("go-on", goOnText)] : [], [
      { type: "prepare-request" },
    ]),
  "summary-requested": () =>
    step(
      { type: "awaiting", progress: { rounds: 0, asking: "wished-summary" } },
      [instruct("summary", summaryText([]))],
      [{ type: "prepare-request" }],
    ),
  "compaction-requested": (_state, { wish }) => compactAtRest(wish),
  "turn-cancelled": nothingToStop,
  "request-prepared": absorbed,
  "request-refused": absorbed,
  "compaction-due": absorbed,
  "compaction-finished": absorbed,
  "compaction-discarded": absorbed,
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
  "compaction-requested": busy,
};
