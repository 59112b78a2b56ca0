import { describe, expect, test } from "vitest";
import type { JsonObject } from "../base/json.ts";
import type { AssistantMessage } from "../message/types.ts";
import type { TurnEvent } from "./event.ts";
import { cancelledSummaryText, noSummaryText } from "./instruct.ts";
import type { Asking, TurnState } from "./state.ts";
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
} from "./turn.test-support.ts";

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

describe("a context that fills up", () => {
  test.each([
    [null, "running-tools"],
    [0.5, "running-tools"],
    [0.8999, "running-tools"],
    [0.9, "awaiting"],
    [1.2, "awaiting"],
  ])("S-31 at %j the calls of a reply lead to %s", (contextUsed, type) => {
    expect(taken(requesting("reply"), replied(asking("a", "b"), contextUsed)).state.type).toBe(type);
  });

  test("S-31 the calls are not run, are answered, and are named in the wish for a summary", () => {
    const { state, saved } = taken(requesting("reply"), replied(asking("a", "b"), 0.93));
    expect(state).toEqual({ type: "awaiting", progress: { rounds: 0, asking: "summary" } });
    expect(outcomes(saved)).toEqual([
      "assistant",
      "a skipped: Not run: the context is full.",
      "b skipped: Not run: the context is full.",
      "told: summary",
    ]);
    expect(JSON.stringify(saved)).toContain("These calls were not run: look.");
    expect(taken(state, events["request-prepared"]).performed.at(-1)).toMatchObject({ asking: "summary" });
  });

  test("S-31 an answer in words stands, and is summed up after it", () => {
    expect(outcomes(taken(requesting("reply"), replied(answer, 0.9)).saved)).toEqual(["assistant", "told: summary"]);
  });

  test.each([
    [0.8, []],
    [0.81, [expect.stringContaining("81 %")]],
    [null, []],
  ])("people are warned above 80 %: at %j", (contextUsed, expected) => {
    const event = replied(answer, contextUsed);
    expect(notices(requesting("reply"), event)).toEqual(expected);
    const known = { ...event, facts: { ...facts, contextUsed, contextTold: true } };
    expect(notices(requesting("reply"), known)).toEqual([]);
  });

  test.each([
    ["the model's words", [replied(answer)], "hi"],
    ["a fixed text where it says nothing", [replied(null)], noSummaryText],
    ["its words where it calls what it was not offered", [replied(asking("a"))], noSummaryText],
    ["a fixed text where the request fails for good", [{ ...events["response-failed"], failure: auth }], noSummaryText],
    [
      "the same after the last attempt",
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
      "another where a person stops it",
      [events["turn-cancelled"], { ...events["response-failed"], partial: answer }],
      cancelledSummaryText,
    ],
  ] as const)("S-32 the summary is %s, and no message is taken afterwards", (_name, sent, summary) => {
    const state = walked(requesting("summary"), sent);
    expect(state).toEqual({ type: "context-exhausted", summary });
    expect(verdictLine(state, events["message-sent"])).toBe("CONTEXT_EXHAUSTED");
  });

  test("a summary that a person wished for and stopped, or that failed, leaves the branch as it was", () => {
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

  test("S-30 leads to one request without tools, whose answer ends the turn", () => {
    expect(used(0)).toEqual({ type: "awaiting", progress: { rounds: 1, asking: "reply" } });
    expect(used(1)).toEqual({ type: "awaiting", progress: { rounds: 2, asking: "last-words" } });
    const last = walked(used(1), [events["request-prepared"]], short);
    expect(walked(last, [replied(answer)], short)).toEqual({ type: "idle" });
  });

  test("calls of that answer are not run, and people are told", () => {
    const { state, saved } = taken(requesting("last-words", 2), replied(asking("b")), short);
    expect(state).toEqual({ type: "idle" });
    expect(outcomes(saved)).toEqual(["assistant", "b skipped: Not run: no such tool was offered for this reply."]);
    expect(notices(requesting("last-words", 2), replied(asking("b")))).toEqual([
      expect.stringContaining("without an end"),
    ]);
  });

  test.each([
    ["its words", replied(answer), { type: "completed", result: "hi", success: true, implicit: true }],
    ["a failure where it says nothing", replied(null), { type: "failed", reason: "turn-limit" }],
  ])("S-30 of a sub-agent comes to %s", (_name, event, expected) => {
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
  ])("S-28 submits %j, and that is its end", (parameters, state) => {
    const end = taken(requesting("reply"), replied(submit(parameters)), helper);
    expect(end.state).toEqual(state);
    expect(outcomes(end.saved)).toEqual(["assistant", "s ok: Submitted."]);
    expect(verdictLine(end.state, replied(answer), helper)).toBe("absorbed");
  });

  test("S-28 that submits beside another call runs neither and is asked again", () => {
    const { state, saved } = taken(requesting("reply"), replied(both), helper);
    expect(state).toEqual({ type: "awaiting", progress: { rounds: 1, asking: "reply" } });
    expect(outcomes(saved)).toEqual([
      "assistant",
      expect.stringContaining("s error: Not run: submit_result stands alone"),
      expect.stringContaining("a error: Not run: submit_result stands alone"),
    ]);
  });

  test.each([{}, { result: "" }, { result: 3 }, { result: "x", more: 1 }])(
    "that submits %j is told what is wrong and asked again",
    (parameters) => {
      const { state, saved } = taken(requesting("reply"), replied(submit(parameters)), helper);
      expect(state.type).toBe("awaiting");
      expect(outcomes(saved)[1]).toMatch(/^s error: submit_result was not run/);
    },
  );

  test("S-29 that answers in words is asked once to submit; then its words count, and say that they do", () => {
    const nudged = taken(requesting("reply"), replied(answer), helper);
    expect(outcomes(nudged.saved)).toEqual(["assistant", "told: submission"]);
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

  test("whose context is full fails at once, with every call answered", () => {
    const { state, saved } = taken(requesting("reply"), replied(asking("a"), 0.95), helper);
    expect(state).toMatchObject({ type: "failed", reason: "context-exhausted" });
    expect(outcomes(saved)).toEqual(["assistant", "a skipped: Not run: the context is full."]);
  });

  test("whose context is full and who answers in words has answered", () => {
    expect(taken(requesting("reply"), replied(answer, 0.95), helper).state).toMatchObject({ implicit: true });
  });

  test("S-30 whose time is over while a tool runs fails at once, without waiting for it", () => {
    const { state, saved, performed } = taken(states["running-tools"], events["deadline-reached"], helper);
    expect(state).toMatchObject({ type: "failed", reason: "timed-out" });
    expect(outcomes(saved)).toEqual([
      "b cancelled: Stopped: the time of this agent is over.",
      "c cancelled: Stopped: the time of this agent is over.",
    ]);
    expect(performed).toContainEqual({ type: "abort-tool", callId: id("b") });
  });

  test("S-26 that is cancelled has failed", () => {
    expect(taken(states["running-tools"], events["turn-cancelled"], helper).state).toMatchObject({
      type: "failed",
      reason: "cancelled",
    });
  });

  test("whose request fails for good has failed, with the kind of its error", () => {
    expect(taken(states.requesting, { ...events["response-failed"], failure: auth }, helper).state).toEqual({
      type: "failed",
      reason: "auth",
      message: "The key was refused.",
    });
  });

  test("submit_result is a call like any other in a conversation", () => {
    expect(taken(requesting("reply"), replied(submit({ result: "R" }))).state.type).toBe("running-tools");
  });
});

test("a budget that is used up is said before anything is asked", () => {
  const failure = { class: "budget", message: "The budget is used up.", retryable: false } as const;
  expect(taken(states.awaiting, { type: "request-refused", failure }).state).toEqual({
    type: "error",
    kind: "rate-limit",
    detail: "budget",
    message: "The budget is used up.",
  });
});
