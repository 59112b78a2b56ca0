import { describe, expect, test } from "vitest";
import type { AssistantMessage, ToolMessage } from "../message/types.ts";
import { errorKind, type FailureClass, type ModelFailure } from "../model/failure.ts";
import { controlTakenNotice } from "./answer/control-taken.ts";
import type { SavedEffect } from "./event/effect.ts";
import type { TurnEvent } from "./event/event.ts";
import { acceptsCancel, acceptsMessage } from "./step/precheck.ts";
import type { ToolCall, TurnState } from "./state/state.ts";
import { transition } from "./transition.ts";
import {
  answer,
  asking,
  auth,
  call,
  events,
  id,
  inRound,
  messagesOf,
  network,
  outcomes,
  person,
  progress,
  result,
  round,
  runsOf,
  states,
  taken,
  verdictLine,
  waiting,
  walked,
} from "./turn.test-support.ts";

const controlTaken: TurnEvent = { type: "turn-cancelled", reason: "control-taken" };

describe("a message", () => {
  test("S-01 a message to an idle run is stored with the state, then the request is prepared and made", () => {
    expect(verdictLine(states.idle, events["message-sent"])).toBe(
      "awaiting: save-message, preempt-leases, then prepare-request",
    );
    expect(taken(states.awaiting, events["request-prepared"])).toEqual({
      type: "applied",
      state: { type: "requesting", attempt: 1, retryAt: null, lastFailure: null, progress },
      saved: [],
      performed: [{ type: "request-model", attempt: 1, asking: "reply" }],
    });
  });

  test.each([...Object.values(states), waiting])(
    "S-02 S-03 S-22 the prechecks of %j agree with the transition",
    (state) => {
      const check = acceptsMessage(state);
      const verdict = transition(state, events["message-sent"], person);
      expect(verdict.type === "refused" ? verdict.refusal : "ok").toEqual(check.ok ? "ok" : check.error);
      const cancel = acceptsCancel(state);
      const cancelled = transition(state, events["turn-cancelled"], person);
      expect(cancelled.type === "refused" ? cancelled.refusal : "ok").toEqual(cancel.ok ? "ok" : cancel.error);
    },
  );

  test.each(["auth", "rate-limit", "network", "invalid-request", "unknown"] as const)(
    "S-19 a message leads out of an error of kind %s",
    (kind) => {
      const failed: TurnState = { type: "error", kind, detail: "unknown", message: "It failed." };
      expect(taken(failed, events["message-sent"]).state).toEqual({ type: "awaiting", progress });
      expect(taken(failed, events["reply-requested"]).state).toEqual({ type: "awaiting", progress });
    },
  );
});

describe("an answer", () => {
  test("S-04 an answer of only text is stored once, and the run becomes idle", () => {
    const { state, saved } = taken(states.requesting, events["response-finished"]);
    expect(state).toEqual({ type: "idle" });
    expect(messagesOf(saved)).toEqual([answer]);
  });

  test("S-05 an empty answer leaves a notice and no message", () => {
    expect(verdictLine(states.requesting, { ...events["response-finished"], message: null })).toBe(
      "idle: notify, then release-leases",
    );
  });

  test("S-06 an answer with three calls runs only the first", () => {
    const { state, performed } = taken(states.requesting, {
      ...events["response-finished"],
      message: asking("a", "b", "c"),
    });
    expect(state).toEqual({
      type: "running-tools",
      ...round,
      pending: [call("a"), call("b"), call("c")],
      running: [id("a")],
      completed: [],
      progress: inRound,
    });
    expect(runsOf(performed)).toEqual(["a"]);
  });

  test("an answer to an attempt that is over is absorbed", () => {
    expect(verdictLine(waiting, { ...events["response-finished"], attempt: 1 })).toBe("absorbed");
    expect(verdictLine(waiting, { ...events["response-finished"], attempt: 2 })).toBe("absorbed");
    expect(verdictLine(states.cancelling, { ...events["response-failed"], attempt: 2 })).toBe("absorbed");
  });
});

describe("tools", () => {
  test("S-07 each tool result is stored as it comes, and the last one leads back to the model", () => {
    const first = taken(states["running-tools"], events["tool-finished"]);
    expect(messagesOf(first.saved)).toEqual([result("b")]);
    expect(first.state).toEqual({
      ...states["running-tools"],
      pending: [call("c")],
      running: [id("c")],
      completed: [id("a"), id("b")],
    });
    expect(verdictLine(first.state, { type: "tool-finished", callId: id("c"), result: result("c") })).toBe(
      "awaiting: save-message, then prepare-request",
    );
  });

  test.each(["a", "c", "x"])("S-08 a result of %s, which does not run, is refused", (other) => {
    expect(
      verdictLine(states["running-tools"], { type: "tool-finished", callId: id(other), result: result(other) }),
    ).toBe("INVALID_TRANSITION");
  });

  test("S-08 a result that names another call than its event is refused", () => {
    expect(verdictLine(states["running-tools"], { ...events["tool-finished"], result: result("c") })).toBe(
      "INVALID_TRANSITION",
    );
  });

  test("S-09 a failed tool gives a result, and the next tool runs", () => {
    const { state, saved, performed } = taken(states["running-tools"], {
      ...events["tool-finished"],
      result: result("b", "error"),
    });
    expect(outcomes(saved)).toEqual(["b error: seen by b"]);
    expect(runsOf(performed)).toEqual(["c"]);
    expect(state.type).toBe("running-tools");
  });

  test("a call with unreadable arguments is answered without running, in its place", () => {
    const message: AssistantMessage = {
      role: "assistant",
      content: [
        { type: "tool-use", id: id("a"), name: "look", parameters: {}, argumentsError: "not JSON" },
        { type: "tool-use", id: id("b"), name: "look", parameters: {} },
        { type: "tool-use", id: id("c"), name: "look", parameters: {}, argumentsError: "not an object" },
      ],
    };
    const asked = taken(states.requesting, { ...events["response-finished"], message });
    expect(outcomes(asked.saved)).toEqual(["assistant", "a error: not JSON"]);
    expect(runsOf(asked.performed)).toEqual(["b"]);
    const done = taken(asked.state, events["tool-finished"]);
    expect(outcomes(done.saved)).toEqual(["b ok: seen by b", "c error: not an object"]);
    expect(done.state).toEqual({ type: "awaiting", progress: inRound });
  });

  test("S-40 a tool's output that mentions a cancel is ordinary output", () => {
    const spoken: ToolMessage = { ...result("b"), content: [{ type: "text", text: "[command cancelled]" }] };
    expect(verdictLine(states["running-tools"], { ...events["tool-finished"], result: spoken })).toBe(
      "running-tools: save-message, then run-tool",
    );
  });
});

describe("a cancel", () => {
  test("S-10 S-23 a cancel while a tool runs gives every pending call one result at once", () => {
    const { state, saved, performed } = taken(states["running-tools"], events["turn-cancelled"]);
    expect(state).toEqual({ type: "idle" });
    expect(outcomes(saved)).toEqual(["b cancelled: Cancelled by user", "c skipped: Skipped due to cancellation"]);
    expect(performed.at(-1)).toEqual({ type: "abort-tool", callId: id("b") });
  });

  test("S-11 a cancel wins over a tool that completes afterwards", () => {
    const { state } = taken(states["running-tools"], events["turn-cancelled"]);
    expect(verdictLine(state, events["tool-finished"])).toBe("absorbed");
  });

  test("S-12 a cancel while requesting keeps the shown part as interrupted and answers its complete calls", () => {
    const { state } = taken(states.requesting, events["turn-cancelled"]);
    const closed = taken(state, { ...events["response-failed"], partial: asking("a", "b") });
    expect(closed.state).toEqual({ type: "idle" });
    expect(outcomes(closed.saved)).toEqual([
      "assistant, interrupted",
      "a cancelled: Cancelled by user before execution",
      "b cancelled: Cancelled by user before execution",
    ]);
    expect(verdictLine(closed.state, events["response-finished"])).toBe("absorbed");
  });

  test("S-12 a cancel wins over an answer that completes just after it: its calls do not run", () => {
    const { saved } = taken(states.cancelling, { ...events["response-finished"], message: asking("a") });
    expect(outcomes(saved)).toEqual(["assistant, interrupted", "a cancelled: Cancelled by user before execution"]);
  });

  test("S-13 a second cancel is absorbed", () => {
    expect(verdictLine(states.cancelling, events["turn-cancelled"])).toBe("absorbed");
  });

  test("S-14 a cancel of an idle run is refused with a clear message", () => {
    const verdict = transition(states.idle, events["turn-cancelled"], person);
    expect(verdict.type === "refused" && verdict.refusal.message).toBe("There is nothing to cancel.");
  });

  test("a cancel while a retry waits ends the turn at once, and the timer is absorbed", () => {
    expect(verdictLine(waiting, events["turn-cancelled"])).toBe("idle: preempt-leases");
    expect(verdictLine(states.idle, { type: "retry-due", attempt: 2 })).toBe("absorbed");
  });
});

describe("taking control", () => {
  const refused = expect.stringMatching(
    /^\{"ok":false,"code":"STALE_EPOCH","message":"A person took control/,
  ) as string;
  const patch = (name: string): ToolCall => ({ ...call(name), name: "canvas_apply_patch" });
  const said = (saved: readonly SavedEffect[]): readonly string[] =>
    saved.flatMap((effect) => (effect.type === "notify" ? [effect.notice] : []));

  test.each([
    ["of the running canvas call", [patch("b"), patch("c")], ["b cancelled", "c skipped"], 0],
    ["of the next canvas call", [call("b"), patch("c"), patch("d")], ["b cancelled", "c cancelled", "d skipped"], 1],
    ["of no call when none is to a canvas", [call("b"), call("c")], ["b cancelled", "c skipped"], -1],
  ] as const)("taking control while a tool runs puts STALE_EPOCH into the result %s", (_name, pending, ended, at) => {
    const running: TurnState = { ...states["running-tools"], pending, completed: [] };
    const { state, saved } = taken(running, controlTaken);
    expect(state).toEqual({ type: "idle" });
    const results = outcomes(saved);
    expect(results.map((line) => line.slice(0, line.indexOf(":")))).toEqual(ended);
    const words = results.map((line) => line.slice(line.indexOf(": ") + 2));
    for (const [place, text] of words.entries()) {
      if (place === at) expect(text).toEqual(refused);
      else expect(text).toBe(place === 0 ? "Cancelled by user" : "Skipped due to cancellation");
    }
    expect(said(saved)).toEqual([controlTakenNotice]);
  });

  test("taking control during a reply gives a notice at once and under the reply, and refuses its first canvas call", () => {
    const { state, saved } = taken(states.requesting, controlTaken);
    expect(said(saved)).toEqual([controlTakenNotice]);
    const use = { type: "tool-use", id: id("a"), name: "canvas.grep", parameters: {} } as const;
    const partial: AssistantMessage = { ...answer, content: [...answer.content, use, { ...use, id: id("b") }] };
    for (const closing of [
      { ...events["response-failed"], partial },
      { ...events["response-finished"], message: partial },
      { ...events["process-restarted"], partial },
    ]) {
      const closed = taken(state, closing);
      const [reply] = messagesOf(closed.saved);
      const notice = { type: "notice", text: controlTakenNotice };
      expect(reply).toEqual({ ...partial, content: [...partial.content, notice], interrupted: true });
      expect(outcomes(closed.saved).slice(1)).toEqual([
        expect.stringContaining('a cancelled: {"ok":false,"code":"STALE_EPOCH"'),
        "b cancelled: Cancelled by user before execution",
      ]);
    }
  });

  test("taking control before anything was shown leaves no message", () => {
    const { state } = taken(states.requesting, controlTaken);
    expect(messagesOf(taken(state, events["response-failed"]).saved)).toEqual([]);
  });

  test("taking control of a reply that is being stopped still gives the notice under it, once", () => {
    const { state } = taken(states.cancelling, controlTaken);
    expect(state).toEqual({ ...states.cancelling, reason: "control-taken" });
    expect(verdictLine(state, controlTaken)).toBe("absorbed");
    expect(verdictLine(state, events["turn-cancelled"])).toBe("absorbed");
  });
});

describe("a failure", () => {
  const failing = (attempt: number, failure: ModelFailure, partial: AssistantMessage | null = null) =>
    taken(
      { type: "requesting", attempt, retryAt: null, lastFailure: null, progress },
      { type: "response-failed", attempt, failure, partial, now: 10_000 },
    );

  test.each([
    [1, {}, 1_000],
    [2, {}, 2_000],
    [1, { retryAfterMs: 7_500 }, 7_500],
    [1, { retryAfterMs: 0 }, 0],
    [1, { retryAfterMs: 600_000 }, 60_000],
  ])("S-15 a failure at attempt %i with %j waits %i ms", (attempt, wish, delayMs) => {
    const { state, performed } = failing(attempt, { ...network, ...wish });
    expect(state).toEqual({
      type: "requesting",
      attempt: attempt + 1,
      retryAt: 10_000 + delayMs,
      lastFailure: "The line broke.",
      progress,
    });
    expect(performed.at(-1)).toEqual({ type: "schedule-retry", attempt: attempt + 1, delayMs });
  });

  test("S-15 a failure at attempt 3 is an error with its cause and kind", () => {
    expect(failing(3, network).state).toEqual({
      type: "error",
      kind: "network",
      detail: "network",
      message: "Failed after 3 attempts: The line broke.",
    });
  });

  test("S-16 a retry timer of another attempt is refused; the current one asks again", () => {
    expect(verdictLine(waiting, { type: "retry-due", attempt: 1 })).toBe("INVALID_TRANSITION");
    expect(verdictLine(waiting, { type: "retry-due", attempt: 2 })).toBe("requesting 2, then request-model");
  });

  test.each(["auth", "invalid-request", "content-filter", "context-length", "quota", "transcript"] as const)(
    "S-17 a failure of class %s is an error at once",
    (detail: FailureClass) => {
      const message = "It failed.";
      expect(failing(1, { class: detail, message, retryable: false }).state).toEqual({
        type: "error",
        kind: errorKind(detail),
        detail,
        message,
      });
    },
  );

  test.each([
    ["that is retried", 1, network],
    ["that is final", 1, auth],
  ])("a failure %s keeps the shown part beside the branch, without its calls", (_name, attempt, failure) => {
    const partial: AssistantMessage = {
      role: "assistant",
      content: [{ type: "text", text: "hi" }, ...asking("a").content],
    };
    const [saved] = failing(attempt, failure, partial).saved;
    expect(saved).toEqual({
      type: "save-message",
      message: { ...answer, interrupted: true },
      usage: null,
      headMoves: false,
    });
  });

  test("a failure that showed only a call keeps nothing", () => {
    expect(messagesOf(failing(1, network, asking("a")).saved)).toEqual([]);
  });
});

describe("a restart of the process", () => {
  const restarted = events["process-restarted"];

  test("a restart while requesting, with nothing shown, asks again at the same attempt", () => {
    const second: TurnState = { ...waiting, retryAt: null };
    const again = { ...second, progress: { ...progress, restarts: 1 } };
    expect(taken(second, restarted)).toEqual({
      type: "applied",
      state: again,
      saved: [],
      performed: [{ type: "request-model", attempt: 2, asking: "reply" }],
    });
  });

  test("a restart while requesting, with something shown, keeps it beside the branch and asks again", () => {
    const { state, saved, performed } = taken(states.requesting, { ...restarted, partial: answer });
    expect(state).toEqual({ ...states.requesting, progress: { ...progress, restarts: 1 } });
    expect(saved).toEqual([
      { type: "save-message", message: { ...answer, interrupted: true }, usage: null, headMoves: false },
    ]);
    expect(performed).toEqual([{ type: "request-model", attempt: 1, asking: "reply" }]);
  });

  test.each([
    [1_000, 4_000],
    [9_000, 0],
    [-3_600_000, 60_000],
  ])("a restart while a retry waits until 5 s keeps waiting: at %i ms for %i ms", (now, delayMs) => {
    expect(taken(waiting, { ...restarted, now }).performed).toEqual([{ type: "schedule-retry", attempt: 2, delayMs }]);
  });

  test("S-38 a started tool that may not run twice gets an unknown outcome after a restart, and the next one runs", () => {
    const { saved, performed } = taken(states["running-tools"], restarted);
    expect(outcomes(saved)).toEqual([
      "b unknown: The process stopped while this tool was running; its effects are unknown. Check before repeating.",
    ]);
    expect(runsOf(performed)).toEqual(["c"]);
  });

  test.each([
    ["had not started", { started: false }],
    ["is idempotent", { idempotent: true }],
    ["was allowed by a person but had not started", { started: false, approved: "aa" }],
  ])("S-38 a tool that %s runs again after a restart", (_name, facts) => {
    const left = { callId: id("b"), started: true, idempotent: false, approved: null, ...facts };
    const { state, saved, performed } = taken(states["running-tools"], { ...restarted, calls: [left] });
    expect(state).toEqual({ ...states["running-tools"], progress: { ...inRound, restarts: 1 } });
    expect(saved).toEqual([]);
    expect(performed).toEqual([{ type: "run-tool", call: call("b"), approved: left.approved }]);
  });

  test("a restart while cancelling finishes the cancel", () => {
    const { state, saved } = taken(states.cancelling, { ...restarted, partial: answer });
    expect(state).toEqual({ type: "idle" });
    expect(outcomes(saved)).toEqual(["assistant, interrupted"]);
  });

  test.each([
    ["while a request is open", states.requesting],
    ["while it is prepared", states.awaiting],
  ])("S-37 repeated restarts %s without progress end the turn; a person can restart it", (_name, from) => {
    const stops = (count: number): TurnState =>
      walked(
        from,
        Array.from({ length: count }, () => restarted),
      );
    expect(stops(4).type).toBe(from.type);
    const ended = stops(5);
    expect(ended).toMatchObject({ type: "error", message: expect.stringContaining("stopped 5 times in a row") });
    expect(walked(ended, [events["reply-requested"], restarted]).type).toBe("awaiting");
  });

  test("S-37 the count of restarts is reset by any progress", () => {
    const four = Array.from({ length: 4 }, () => restarted);
    const asked = { ...events["response-finished"], message: asking("b") };
    const inTools = walked(states.requesting, [...four, asked]);
    const left = { callId: id("b"), started: false, idempotent: false, approved: null };
    const stopped = { ...restarted, calls: [left] };
    const again = walked(inTools, [stopped, stopped, stopped, stopped, events["tool-finished"], ...four]);
    expect(again.type).toBe("awaiting");
  });

  test("S-37 a call during which the process stops repeatedly is not run again, even if idempotent", () => {
    const left = { callId: id("b"), started: true, idempotent: true, approved: null };
    const stopped = { ...restarted, calls: [left] };
    const four = walked(states["running-tools"], [stopped, stopped, stopped, stopped]);
    const { saved } = taken(four, stopped);
    expect(outcomes(saved)).toEqual([expect.stringContaining("b unknown:")]);
  });
});
