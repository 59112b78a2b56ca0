import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RunId, ToolCallId } from "../base/ids.ts";
import type { AssistantMessage } from "../message/types.ts";
import type { CallPolicy } from "../forest/run-rules.ts";
import type { TurnEvent } from "./event/event.ts";
import type { TurnState } from "./state/state.ts";
import type { SubAgent, SubAgentOutcome } from "./state/sub-agent.ts";
import { transition } from "./transition.ts";
import {
  agent,
  asking,
  events,
  facts,
  id,
  outcomes,
  person,
  question,
  result,
  runsOf,
  states,
  taken,
  verdictLine,
  walked,
} from "./turn.test-support.ts";

const asked = (policy: CallPolicy, message: AssistantMessage, writes: readonly string[] = []): TurnEvent => ({
  ...events["response-finished"],
  message,
  facts: { ...facts, policy, writes: writes.map(id) },
});
const finished = (name: string): TurnEvent => ({ type: "tool-finished", callId: id(name), result: result(name) });
const onlyFirst = "Not run: only the first call of a reply is carried out here. Call it again if you still need it.";
const writeAlone =
  "Not run: a call that writes must be the first and only call of its reply. Call it again if you still need it.";

describe("several calls in one reply", () => {
  test("serial-one runs the first call and answers the others as skipped, in order", () => {
    const begun = taken(states.requesting, asked("serial-one", asking("a", "b", "c")));
    expect(runsOf(begun.performed)).toEqual(["a"]);
    const done = taken(begun.state, finished("a"));
    expect(outcomes(done.saved)).toEqual(["a ok: seen by a", `b skipped: ${onlyFirst}`, `c skipped: ${onlyFirst}`]);
    expect(done.state.type).toBe("awaiting");
  });

  test.each([
    ["reads run in sequence, and a write after them is skipped", ["c"], ["a", "b"], ["c"]],
    ["a write in first place runs alone", ["a"], ["a"], ["b", "c"]],
    ["calls after a skipped write are skipped too", ["b"], ["a"], ["b"]],
  ] as const)("smart: %s", (_name, writes, run, kept) => {
    let state: TurnState = states.requesting;
    let event = asked("smart", asking("a", "b", "c"), writes);
    const ran: string[] = [];
    const said: string[] = [];
    for (let step = taken(state, event); ; step = taken(state, event)) {
      state = step.state;
      said.push(...outcomes(step.saved));
      const [next] = runsOf(step.performed);
      if (next === undefined) break;
      ran.push(next);
      event = finished(next);
    }
    expect(ran.slice(0, run.length)).toEqual(run);
    for (const name of kept) expect(said).toContain(`${name} skipped: ${writeAlone}`);
    expect(said.slice(1).map((line) => line[0])).toEqual(["a", "b", "c"]);
  });

  test("parallel calls run at once, and their results are stored in call order", () => {
    const begun = taken(states.requesting, asked("parallel", asking("a", "b", "c")));
    expect(runsOf(begun.performed)).toEqual(["a", "b", "c"]);
    const second = taken(begun.state, finished("c"));
    expect(outcomes(second.saved)).toEqual([]);
    const third = taken(second.state, finished("a"));
    expect(outcomes(third.saved)).toEqual(["a ok: seen by a"]);
    const last = taken(third.state, finished("b"));
    expect(outcomes(last.saved)).toEqual(["b ok: seen by b", "c ok: seen by c"]);
    expect(last.state.type).toBe("awaiting");
  });

  test("S-10 cancelling parallel calls keeps results that have arrived, stops the others and ends the turn at once", () => {
    const begun = walked(states.requesting, [asked("parallel", asking("a", "b", "c")), finished("b")]);
    const { state, saved, performed } = taken(begun, events["turn-cancelled"]);
    expect(state).toEqual({ type: "idle" });
    expect(outcomes(saved)).toEqual([
      "a cancelled: Cancelled by user",
      "b ok: seen by b",
      "c cancelled: Cancelled by user",
    ]);
    expect(performed).toEqual([
      { type: "abort-tool", callId: id("a") },
      { type: "abort-tool", callId: id("c") },
    ]);
  });

  test("a parallel call that needs a person waits until it is alone, then asks", () => {
    const need: TurnEvent = { ...events["approval-needed"] };
    const begun = walked(states.requesting, [asked("parallel", asking("a", "b", "c")), need]);
    expect(begun).toMatchObject({ type: "running-tools", running: ["a", "c"] });
    const rest = taken(walked(begun, [finished("c")]), finished("a"));
    expect(runsOf(rest.performed)).toEqual(["b"]);
    expect(verdictLine(rest.state, need)).toBe("awaiting-approval, then schedule-expiry");
    const allowed = taken(taken(rest.state, need).state, events["approval-answered"]);
    expect(allowed.performed.at(-1)).toMatchObject({ type: "run-tool", approved: "aa" });
    expect(outcomes(taken(allowed.state, finished("b")).saved)).toEqual(["b ok: seen by b", "c ok: seen by c"]);
  });

  test("S-38 after a restart each parallel call is handled by its own stored facts", () => {
    const begun = walked(states.requesting, [asked("parallel", asking("a", "b", "c")), finished("c")]);
    const left = { started: true, idempotent: false, approved: null };
    const { state, saved, performed } = taken(begun, {
      ...events["process-restarted"],
      calls: [
        { ...left, callId: id("a") },
        { ...left, callId: id("b"), started: false },
      ],
    });
    expect(outcomes(saved)).toEqual([expect.stringContaining("a unknown:")]);
    expect(runsOf(performed)).toEqual(["b"]);
    expect(state).toMatchObject({ type: "running-tools", running: ["b"], completed: ["a"] });
  });

  test("S-38 a call without stored facts is not run twice", () => {
    const { saved } = taken(states["running-tools"], { ...events["process-restarted"], calls: [] });
    expect(outcomes(saved)).toEqual([expect.stringContaining("b unknown:")]);
  });
});

describe("an approval", () => {
  const open = states["awaiting-approval"];

  test("an allowed approval runs the call with the allowed hash", () => {
    const { state, performed } = taken(open, events["approval-answered"]);
    expect(state).toMatchObject({ type: "running-tools", running: ["b"] });
    expect(performed.at(-1)).toMatchObject({ type: "run-tool", approved: "aa" });
  });

  test.each([
    ["another call", { callId: id("c") }],
    ["other arguments", { argumentsHash: "bb" }],
  ])("an approval for %s does not apply to this call", (_name, other) => {
    expect(verdictLine(open, { ...events["approval-answered"], ...other })).toBe("APPROVAL_CLOSED");
  });

  test("the first answer to an approval wins: the second finds it closed", () => {
    const allowed = walked(open, [events["approval-answered"]]);
    expect(verdictLine(allowed, { ...events["approval-answered"], decision: "deny" })).toBe("APPROVAL_CLOSED");
    expect(verdictLine(allowed, events["approval-expired"])).toBe("absorbed");
  });

  test.each([
    [
      "denied",
      { ...events["approval-answered"], decision: "deny" },
      "b denied: Not run: a person did not allow this call.",
    ],
    [
      "denied with a note",
      { ...events["approval-answered"], decision: "deny", note: "use the copy" },
      "b denied: Not run: a person did not allow this call. They say: use the copy",
    ],
    ["not answered in time", events["approval-expired"], expect.stringContaining("b denied: Not run: nobody allowed")],
  ] as const)("an approval that is %s becomes a result, and the next call runs", (_name, event, line) => {
    const { saved, performed } = taken(open, event);
    expect(outcomes(saved)).toEqual([line]);
    expect(runsOf(performed)).toEqual(["c"]);
  });

  test("a cancelled approval leaves its call unexecuted", () => {
    expect(outcomes(taken(open, events["turn-cancelled"]).saved)).toEqual([
      "b cancelled: Cancelled by user before execution",
      "c skipped: Skipped due to cancellation",
    ]);
  });
});

describe("a question", () => {
  const open = states["awaiting-answer"];
  const answered = (answers: Extract<TurnEvent, { type: "question-answered" }>["answers"]): TurnEvent => ({
    ...events["question-answered"],
    answers,
  });

  test("S-34 an answered question gives one line per question, with notes and the chosen preview", () => {
    const more = { ...question, question: "How?", options: [{ label: "So", preview: "## So" }, { label: "Not so" }] };
    const two: TurnState = { ...open, questions: [question, more] };
    const { saved } = taken(two, answered([{ chosen: ["my own words"] }, { chosen: ["So"], note: " soon " }]));
    expect(outcomes(saved)).toEqual(["b ok: Which? = my own words\nHow? = So\nnote: soon\npreview of So:\n## So"]);
  });

  test("S-34 a declined or cancelled question tells the model to use its own judgement", () => {
    const line = "b denied: The person declined to answer. Use your own judgement.";
    const declined = taken(open, answered(null));
    expect(outcomes(declined.saved)).toEqual([line]);
    expect(runsOf(declined.performed)).toEqual(["c"]);
    const cancelled = taken(open, events["turn-cancelled"]);
    expect(outcomes(cancelled.saved)).toEqual([line, "c skipped: Skipped due to cancellation"]);
    expect(cancelled.state).toEqual({ type: "idle" });
  });

  test.each([
    ["too few answers", answered([]), "INVALID_PARAMS"],
    ["an empty answer", answered([{ chosen: [] }]), "INVALID_PARAMS"],
    ["an answer to another call", { ...answered(null), callId: id("c") } as TurnEvent, "QUESTION_CLOSED"],
  ])("%s changes nothing", (_name, event, code) => {
    expect(verdictLine(open, event)).toBe(code);
  });
});

describe("a program of a running call that asks", () => {
  const asks: TurnEvent = { ...events["question-asked"], asker: "files" };
  const open = taken(states["running-tools"], asks).state;

  test("waits for a person while its call runs, and gets the answers", () => {
    expect(open).toMatchObject({ type: "awaiting-answer", running: ["b"], asker: "files" });
    const answered = taken(open, events["question-answered"]);
    expect(answered.state).toEqual(states["running-tools"]);
    expect(answered.performed).toEqual([{ type: "answer-call", callId: "b", answers: [{ chosen: ["One"] }] }]);
    const declined = taken(open, { ...events["question-answered"], answers: null });
    expect(declined.performed).toEqual([{ type: "answer-call", callId: "b", answers: null }]);
  });

  test("may end its call without an answer", () => {
    const { state, performed } = taken(open, events["tool-finished"]);
    expect(state.type).toBe("running-tools");
    expect(runsOf(performed)).toEqual(["c"]);
  });

  test("is stopped with its call by a cancel, and lost with it in a restart", () => {
    const stopped = taken(open, events["turn-cancelled"]);
    expect(stopped.performed).toContainEqual({ type: "abort-tool", callId: "b" });
    expect(outcomes(stopped.saved)[0]).toBe("b cancelled: Cancelled by user");
    const begun = [{ callId: "b" as ToolCallId, started: true, idempotent: false, approved: null }];
    const again = taken(open, { ...events["process-restarted"], calls: begun });
    expect(outcomes(again.saved)[0]).toContain("b unknown");
  });

  test("keeps its question while calls beside it end, and defers those that need somebody", () => {
    const beside = { ...states["running-tools"], running: ["b", "c"], parallel: true } as unknown as TurnState;
    const asked = taken(beside, asks).state;
    const ended = taken(asked, { ...events["tool-finished"], callId: "c", result: result("c") } as TurnEvent);
    expect(ended.state).toMatchObject({ type: "awaiting-answer", running: ["b"], arrived: [{ tool_call_id: "c" }] });
    const request = { ...events["approval-needed"].request, callId: "c" };
    const deferred = taken(asked, { type: "approval-needed", request } as TurnEvent);
    expect(deferred.state).toMatchObject({ type: "awaiting-answer", running: ["b"], arrived: [] });
  });

  test("takes an empty answer only to an optional question", () => {
    const empty = { ...events["question-answered"], answers: [{ chosen: [] }] } as TurnEvent;
    expect(verdictLine(open, empty)).toBe("INVALID_PARAMS");
    const optional = taken(states["running-tools"], {
      ...asks,
      questions: [{ ...question, optional: true }],
    }).state;
    expect(taken(optional, empty).performed).toEqual([{ type: "answer-call", callId: "b", answers: [{ chosen: [] }] }]);
  });
});

describe("sub-agents", () => {
  const done = (name: string, outcome: SubAgentOutcome = completed): TurnEvent => ({
    type: "sub-agent-finished",
    runId: name as RunId,
    outcome,
  });
  const completed: SubAgentOutcome = { type: "completed", result: "Found it.", success: true, implicit: false };
  const planned = (agents: readonly SubAgent[]): TurnEvent => ({
    ...events["sub-agents-planned"],
    agents: agents as [SubAgent],
  });

  test("S-24 sub-agents may end in any order: none is lost, and the last one continues the turn", () => {
    const orders = fc
      .integer({ min: 1, max: 10 })
      .chain((count) => fc.shuffledSubarray([...Array(count).keys()], { minLength: count }));
    fc.assert(
      fc.property(orders, (order) => {
        const agents = order.toSorted((a, b) => a - b).map((number) => agent(`x${number}`));
        let { state } = taken(states["running-tools"], planned(agents));
        for (const [at, number] of order.entries()) {
          if (state.type !== "awaiting-sub-agents") throw new Error(`it is ${state.type}`);
          expect(state.agents.filter(({ outcome }) => outcome === null)).toHaveLength(order.length - at);
          state = taken(state, done(`x${number}`)).state;
        }
        expect(state).toMatchObject({ type: "running-tools", running: ["c"], completed: ["a", "b"] });
      }),
    );
  });

  test.each([
    ["eleven agents", Array.from({ length: 11 }, (_, at) => agent(`x${at}`))],
    ["two agents with one id", [agent("x"), agent("x")]],
    ["an agent that has already ended", [{ ...agent("x"), outcome: completed }]],
  ])("S-24 %s are not started", (_name, agents) => {
    expect(verdictLine(states["running-tools"], planned(agents))).toBe("INVALID_TRANSITION");
  });

  test("S-24 the end of an unknown agent is refused, and a repeated end counts once", () => {
    const two = taken(states["running-tools"], planned([agent("x"), agent("y")])).state;
    expect(verdictLine(two, done("z"))).toBe("INVALID_TRANSITION");
    expect(verdictLine(walked(two, [done("x")]), done("x"))).toBe("absorbed");
  });

  test("S-24 the result lists each agent in the order of the tasks, failures included", () => {
    const two = taken(states["running-tools"], planned([agent("x"), agent("y")])).state;
    const failed: SubAgentOutcome = { type: "failed", reason: "timed-out", message: "Too late." };
    const { saved } = taken(walked(two, [done("y")]), done("x", failed));
    const [line] = outcomes(saved);
    expect(JSON.parse(line?.slice("b ok: ".length) ?? "")).toEqual({
      results: [
        { agent: 1, task: "task of x", status: "failed", reason: "timed-out", message: "Too late." },
        { agent: 2, task: "task of y", status: "completed", result: "Found it." },
      ],
    });
  });

  test("S-26 S-27 a cancel stops each agent, ends after the last one and answers every call", () => {
    const two = walked(states["running-tools"], [planned([agent("x"), agent("y"), agent("z")]), done("y")]);
    const cancelled = taken(two, events["turn-cancelled"]);
    expect(cancelled.performed.flatMap((e) => (e.type === "cancel-sub-agent" ? [e.agent.runId] : []))).toEqual([
      "x",
      "z",
    ]);
    const cancelledOutcome: SubAgentOutcome = { type: "failed", reason: "cancelled", message: "Cancelled." };
    const one = taken(cancelled.state, done("z", cancelledOutcome));
    expect(one.state.type).toBe("cancelling-sub-agents");
    const { state, saved } = taken(one.state, done("x", cancelledOutcome));
    expect(state).toEqual({ type: "idle" });
    const [first, second] = outcomes(saved);
    expect(first).toMatch(/^b cancelled: .*Found it\./);
    expect(second).toBe("c skipped: Skipped due to cancellation");
  });

  test("after a restart the running agents are awaited again", () => {
    const two = walked(states["running-tools"], [planned([agent("x"), agent("y")]), done("y")]);
    expect(taken(two, events["process-restarted"]).performed).toEqual([
      { type: "await-sub-agent", callId: id("b"), agent: agent("x") },
    ]);
    const stopped = walked(two, [events["turn-cancelled"]]);
    expect(taken(stopped, events["process-restarted"]).performed).toEqual([
      { type: "cancel-sub-agent", agent: agent("x") },
    ]);
  });

  test("S-25 an agent's end before the agents are planned is absorbed", () => {
    expect(transition(states["running-tools"], done("x"), person)).toEqual({ type: "absorbed" });
  });
});
