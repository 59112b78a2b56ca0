import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../base/json.ts";
import type { AssistantMessage } from "../../message/types.ts";
import type { TurnEvent } from "../event/event.ts";
import { cancelledSummaryText, noSummaryText } from "./instruct.ts";
import type { Asking, TurnState } from "../state/state.ts";
import {
  answer,
  asking,
  auth,
  events,
  facts,
  helper,
  id,
  network,
  outcomes,
  person,
  result,
  states,
  taken,
  verdictLine,
  walked,
} from "../turn.test-support.ts";

const requesting = (wish: Asking, rounds = 0): TurnState => ({
  ...states.requesting,
  progress: { rounds, asking: wish },
});
const replied = (message: AssistantMessage | null, contextUsed: number | null = null): TurnEvent => ({
  ...events["response-finished"],
  message,
  facts: { ...facts, contextUsed },
});
const notices = (state: TurnState, event: TurnEvent): readonly string[] =>
  taken(state, event).saved.flatMap((effect) => (effect.type === "notify" ? [effect.notice] : []));

describe("a full context", () => {
  test.each([
    [null, "running-tools"],
    [0.5, "running-tools"],
    [0.8999, "running-tools"],
    [0.9, "awaiting"],
    [1.2, "awaiting"],
  ])("S-31 a context filled to %j turns a reply with calls into %s", (contextUsed, type) => {
    expect(taken(requesting("reply"), replied(asking("a", "b"), contextUsed)).state.type).toBe(type);
  });

  test("S-31 calls in a full context are skipped, answered, and named in the request for a summary", () => {
    const { state, saved } = taken(requesting("reply"), replied(asking("a", "b"), 0.93));
    expect(state).toEqual({ type: "awaiting", progress: { rounds: 0, asking: "summary" } });
    expect(outcomes(saved)).toEqual([
      "assistant",
      "a skipped: Not run: the context is full.",
      "b skipped: Not run: the context is full.",
      "instruction: summary",
    ]);
    expect(JSON.stringify(saved)).toContain("These calls were not run: look.");
    expect(taken(state, events["request-prepared"]).performed.at(-1)).toMatchObject({ asking: "summary" });
  });

  test("S-31 an answer in words to a full context is kept and a summary follows", () => {
    expect(outcomes(taken(requesting("reply"), replied(answer, 0.9)).saved)).toEqual([
      "assistant",
      "instruction: summary",
    ]);
  });

  test.each([
    [0.8, []],
    [0.81, [expect.stringContaining("81 %")]],
    [null, []],
  ])("people are warned above 80 % of the window: at %j", (contextUsed, expected) => {
    const event = replied(answer, contextUsed);
    expect(notices(requesting("reply"), event)).toEqual(expected);
    const known = { ...event, facts: { ...facts, contextUsed, contextWarned: true } };
    expect(notices(requesting("reply"), known)).toEqual([]);
  });

  test.each([
    ["the model's text", [replied(answer)], "hi"],
    ["a fixed text when the model says nothing", [replied(null)], noSummaryText],
    ["a fixed text when the model only calls a tool that was not offered", [replied(asking("a"))], noSummaryText],
    [
      "a fixed text when the request fails permanently",
      [{ ...events["response-failed"], failure: auth }],
      noSummaryText,
    ],
    [
      "a fixed text after the last attempt",
      [
        { ...events["response-failed"], failure: network },
        { type: "retry-due", attempt: 2 },
        { ...events["response-failed"], failure: network, attempt: 2 },
        { type: "retry-due", attempt: 3 },
        { ...events["response-failed"], failure: network, attempt: 3 },
      ],
      noSummaryText,
    ],
    [
      "another fixed text when a person stops it",
      [events["turn-cancelled"], { ...events["response-failed"], partial: answer }],
      cancelledSummaryText,
    ],
  ] as const)("S-32 the summary is %s, and no message is accepted afterwards", (_name, sent, summary) => {
    const state = walked(requesting("summary"), sent);
    expect(state).toEqual({ type: "context-exhausted", summary });
    expect(verdictLine(state, events["message-sent"])).toBe("CONTEXT_EXHAUSTED");
  });

  test("a requested summary that is stopped or fails leaves the branch unchanged", () => {
    const wished = walked(states.idle, [events["summary-requested"], events["request-prepared"]]);
    expect(wished).toMatchObject({ type: "requesting", progress: { asking: "wished-summary" } });
    expect(walked(wished, [events["turn-cancelled"], events["response-failed"]])).toEqual({ type: "idle" });
    expect(walked(wished, [{ ...events["response-failed"], failure: auth }]).type).toBe("error");
    expect(walked(wished, [replied(answer)])).toEqual({ type: "context-exhausted", summary: "hi" });
  });
});

describe("the last round of a turn", () => {
  const short = { ...person, roundsMax: 2 };
  const finished: TurnEvent = { type: "tool-finished", callId: id("a"), result: result("a") };
  const used = (contextRounds: number, context = short): TurnState =>
    walked(requesting("reply", contextRounds), [replied(asking("a")), finished], context);

  test("S-30 the last tool round is followed by one request without tools, whose answer ends the turn", () => {
    expect(used(0)).toEqual({ type: "awaiting", progress: { rounds: 1, asking: "reply" } });
    expect(used(1)).toEqual({ type: "awaiting", progress: { rounds: 2, asking: "last-words" } });
    const last = walked(used(1), [events["request-prepared"]], short);
    expect(walked(last, [replied(answer)], short)).toEqual({ type: "idle" });
  });

  test("calls in the answer to the last request are not run, and people are notified", () => {
    const { state, saved } = taken(requesting("last-words", 2), replied(asking("b")), short);
    expect(state).toEqual({ type: "idle" });
    expect(outcomes(saved)).toEqual(["assistant", "b skipped: Not run: no such tool was offered for this reply."]);
    expect(notices(requesting("last-words", 2), replied(asking("b")))).toEqual([
      expect.stringContaining("without finishing"),
    ]);
  });

  test.each([
    ["its words", replied(answer), { type: "completed", result: "hi", success: true, implicit: true }],
    ["a failure when it says nothing", replied(null), { type: "failed", reason: "turn-limit" }],
  ])("S-30 the last request of a sub-agent ends it with %s", (_name, event, expected) => {
    expect(taken(requesting("last-words", 3), event, helper).state).toMatchObject(expected);
  });
});

describe("a sub-agent", () => {
  const submit = (parameters: JsonObject, name = "s"): AssistantMessage => ({
    role: "assistant",
    content: [{ type: "tool-use", id: id(name), name: "submit_result", parameters }],
  });
  const both: AssistantMessage = { ...answer, content: [...submit({ result: "R" }).content, ...asking("a").content] };

  test.each([
    [{ result: " Found it. " }, { type: "completed", result: "Found it.", success: true, implicit: false }],
    [
      { result: "No.", success: false },
      { type: "completed", result: "No.", success: false, implicit: false },
    ],
  ])("S-28 a sub-agent that submits %j ends", (parameters, state) => {
    const end = taken(requesting("reply"), replied(submit(parameters)), helper);
    expect(end.state).toEqual(state);
    expect(outcomes(end.saved)).toEqual(["assistant", "s ok: Submitted."]);
    expect(verdictLine(end.state, replied(answer), helper)).toBe("absorbed");
  });

  test("S-28 a sub-agent that calls submit_result beside another call runs neither and is asked again", () => {
    const { state, saved } = taken(requesting("reply"), replied(both), helper);
    expect(state).toEqual({ type: "awaiting", progress: { rounds: 1, asking: "reply" } });
    expect(outcomes(saved)).toEqual([
      "assistant",
      expect.stringContaining("s error: Not run: submit_result must be the only call"),
      expect.stringContaining("a error: Not run: submit_result must be the only call"),
    ]);
  });

  test.each([{}, { result: "" }, { result: 3 }, { result: "x", more: 1 }])(
    "a sub-agent that submits %j is informed of the mistake and asked again",
    (parameters) => {
      const { state, saved } = taken(requesting("reply"), replied(submit(parameters)), helper);
      expect(state.type).toBe("awaiting");
      expect(outcomes(saved)[1]).toMatch(/^s error: submit_result was not run/);
    },
  );

  test("S-29 a sub-agent that answers in words is asked once to submit, then its words become an implicit result", () => {
    const nudged = taken(requesting("reply"), replied(answer), helper);
    expect(outcomes(nudged.saved)).toEqual(["assistant", "instruction: submission"]);
    const again = walked(nudged.state, [events["request-prepared"]], helper);
    expect(again).toMatchObject({ type: "requesting", progress: { asking: "submission" } });
    expect(walked(again, [replied(answer)], helper)).toEqual({
      type: "completed",
      result: "hi",
      success: true,
      implicit: true,
    });
    expect(walked(again, [replied(submit({ result: "R" }))], helper)).toMatchObject({ result: "R", implicit: false });
    expect(walked(again, [replied(null)], helper)).toMatchObject({ type: "failed" });
  });

  test("a sub-agent with a full context fails at once, with every call answered", () => {
    const { state, saved } = taken(requesting("reply"), replied(asking("a"), 0.95), helper);
    expect(state).toMatchObject({ type: "failed", reason: "context-exhausted" });
    expect(outcomes(saved)).toEqual(["assistant", "a skipped: Not run: the context is full."]);
  });

  test("a sub-agent with a full context that answers in words has completed", () => {
    expect(taken(requesting("reply"), replied(answer, 0.95), helper).state).toMatchObject({ implicit: true });
  });

  test("S-30 a sub-agent whose time ends while a tool runs fails at once, without waiting for the tool", () => {
    const { state, saved, performed } = taken(states["running-tools"], events["deadline-reached"], helper);
    expect(state).toMatchObject({ type: "failed", reason: "timed-out" });
    expect(outcomes(saved)).toEqual([
      "b cancelled: Stopped: this agent's time is over.",
      "c cancelled: Stopped: this agent's time is over.",
    ]);
    expect(performed).toContainEqual({ type: "abort-tool", callId: id("b") });
  });

  test("S-26 a cancelled sub-agent has failed", () => {
    expect(taken(states["running-tools"], events["turn-cancelled"], helper).state).toMatchObject({
      type: "failed",
      reason: "cancelled",
    });
  });

  test("a sub-agent whose request fails permanently has failed, with the kind of the error", () => {
    expect(taken(states.requesting, { ...events["response-failed"], failure: auth }, helper).state).toEqual({
      type: "failed",
      reason: "auth",
      message: "The key was refused.",
    });
  });

  test("submit_result is an ordinary call in a conversation", () => {
    expect(taken(requesting("reply"), replied(submit({ result: "R" }))).state.type).toBe("running-tools");
  });
});

test("a used-up budget is reported before any request", () => {
  const failure = { class: "budget", message: "The budget is used up.", retryable: false } as const;
  expect(taken(states.awaiting, { type: "request-refused", failure }).state).toEqual({
    type: "error",
    kind: "rate-limit",
    detail: "budget",
    message: "The budget is used up.",
  });
});
