import { expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { must } from "../base/assert.ts";
import type { RootId, RunId } from "../base/ids.ts";
import { stableDeepEqual } from "../base/json.ts";
import type { Message } from "../message/types.ts";
import { runTurnWalk, type TakenEvent } from "./turn-walk.test-support.ts";
import { asking, events, helper, person, result, user } from "./turn.test-support.ts";
import type { TurnContext } from "./context.ts";
import type { TurnEvent } from "./event.ts";
import { isKeptEvent, keepEvent, knownBlocks, lostText, markOf, type RunEventRecord } from "./run-event.ts";
import type { TurnState } from "./state.ts";
import { Replay, traceHeader, traceLines, type ReplayedEvent } from "./trace.ts";
import { transition } from "./transition.ts";

const rootId = "root_1" as RootId;
const header = traceHeader({ rootId, at: 5 });

interface Recorded {
  readonly context: TurnContext;
  readonly events: RunEventRecord[];
  /** What the run's nodes say. */
  readonly messages: Message[];
  /** What the machine made of each event. */
  readonly verdicts: ReplayedEvent["verdict"]["type"][];
}

/** Every event that a walk gave the machine, run by run, as a host stores them: also those that were refused. */
function recorded(seed: number, count: number): readonly Recorded[] {
  const heard: TakenEvent[] = [];
  runTurnWalk(seed, count, (taken) => heard.push(taken));
  const runs: Recorded[] = [];
  let expected: TurnState | null = null;
  for (const { state: before, event, context } of heard) {
    if (expected === null || !stableDeepEqual(expected, before)) {
      runs.push({ context, events: [], messages: [], verdicts: [] });
    }
    const run = must(runs.at(-1), "a run was begun");
    const verdict = transition(before, event, context);
    expected = verdict.type === "taken" ? verdict.state : before;
    run.verdicts.push(verdict.type);
    for (const effect of verdict.type === "taken" ? verdict.saved : []) {
      if (effect.type === "save-message") run.messages.push(effect.message);
    }
    const runId = `run_${runs.length}` as RunId;
    run.events.push({ runId, seq: run.events.length + 1, at: 7, event: keepEvent(event), state: markOf(expected) });
  }
  return runs;
}

/** As it comes back from a disk. */
function stored<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

function linesOf({ context, events: taken, messages }: Omit<Recorded, "verdicts">): readonly string[] {
  const run = { runId: "run_1" as RunId, rootId, model: "m/1", context, events: stored(taken) };
  return [header, ...traceLines(run, knownBlocks(stored(messages)))];
}

/** What the machine makes of the events of a trace; a refusal throws. */
function replay(lines: readonly string[]): readonly ReplayedEvent[] {
  const replaying = new Replay();
  const steps = lines.map((line) => {
    const step = replaying.take(line);
    if (!step.ok) throw new Error(step.error.message);
    return step.value;
  });
  return steps.filter((step) => step?.type === "event");
}

function traceOf(
  sent: readonly TurnEvent[],
  messages: readonly Message[],
  context: TurnContext = person,
): readonly string[] {
  let state: TurnState = { type: "idle" };
  const taken = sent.map((event, index): RunEventRecord => {
    const verdict = transition(state, event, context);
    if (verdict.type === "taken") ({ state } = verdict);
    return { runId: "run_1" as RunId, seq: index + 1, at: 7, event: keepEvent(event), state: markOf(state) };
  });
  return linesOf({ context, events: taken, messages: [...messages] });
}

const round: readonly TurnEvent[] = [
  events["message-sent"],
  events["request-prepared"],
  { ...events["response-finished"], message: asking("a", "b") },
  { ...events["tool-finished"], result: result("a"), callId: result("a").tool_call_id },
];

test("a trace of any walk replays to the states that were recorded, and to the same refusals", () => {
  let count = 0;
  let refused = 0;
  let absorbed = 0;
  for (let seed = 1; seed <= scaled(30); seed += 1) {
    for (const run of recorded(seed, 200)) {
      const steps = replay(linesOf(run));
      expect(steps.map(({ differsFrom }) => differsFrom).filter((mark) => mark !== null)).toEqual([]);
      expect(steps.map(({ state }) => state.type)).toEqual(run.events.map(({ state }) => state.type));
      expect(steps.map(({ verdict }) => verdict.type)).toEqual(run.verdicts);
      count += steps.length;
      refused += steps.filter(({ verdict }) => verdict.type === "refused").length;
      absorbed += steps.filter(({ verdict }) => verdict.type === "absorbed").length;
    }
  }
  expect(count).toBe(scaled(30) * 200);
  expect([refused > 100, absorbed > 100]).toEqual([true, true]);
});

test("an event is kept without what its messages say, and comes back whole from the nodes that say it", () => {
  for (const event of Object.values(events)) {
    const kept: unknown = stored(keepEvent(event));
    expect([event.type, isKeptEvent(kept)]).toEqual([event.type, true]);
    expect(JSON.stringify(kept)).not.toContain("content");
  }
  const lines = traceOf(round, [user, asking("a", "b"), result("a")]);
  expect(replay(lines).map(({ event }) => event)).toEqual(round);
  expect(JSON.stringify(round.map((event) => keepEvent(event)))).not.toContain("hello");
});

test("where a message was edited or deleted since, the trace says so and the kinds of states are still compared", () => {
  const steps = replay(traceOf(round, [user]));
  expect(steps.map(({ lost, differsFrom }) => [lost, differsFrom])).toEqual([
    [0, null],
    [0, null],
    [2, null],
    [1, null],
  ]);
  expect(JSON.stringify(steps[3]?.event)).toContain(lostText);
  expect(steps[2]?.state).toMatchObject({ type: "running-tools", pending: [{ id: "a", parameters: {} }, { id: "b" }] });
});

test.each([
  ["type", '"type":"running-tools"', '"type":"idle"'],
  ["content", '"state":{"type":"running-tools","hash":"', '"state":{"type":"running-tools","hash":"0'],
])("a state that differs in its %s is shown with what was recorded", (_name, recordedAs, instead) => {
  const lines = traceOf(round, [user, asking("a", "b"), result("a")]);
  const changed = lines.with(4, must(lines[4], "a fifth line").replace(recordedAs, instead));
  expect(changed).not.toEqual(lines);
  const differing = replay(changed).filter(({ differsFrom }) => differsFrom !== null);
  expect(differing).toMatchObject([{ line: 5, seq: 3, state: { type: "running-tools" } }]);
});

test("a sub-agent's run is replayed as one", () => {
  const sent = [events["message-sent"], events["deadline-reached"]];
  expect(replay(traceOf(sent, [user], helper)).map(({ state }) => state.type)).toEqual(["awaiting", "failed"]);
  expect(replay(traceOf(sent, [user])).map(({ verdict }) => verdict.type)).not.toEqual(["taken", "taken"]);
});

const [, runLine = "", eventLine = ""] = traceOf(round, [user, asking("a", "b"), result("a")]);

test.each<[string, readonly string[], number, string]>([
  ["no JSON", [header, "{"], 2, "no JSON"],
  ["something else", ['{"a":1}'], 1, "type"],
  ["no beginning", [runLine], 1, "heddle-trace"],
  ["two beginnings", [header, "", header], 3, "once"],
  ["another version", [header.replace('"version":1', '"version":9')], 1, "version 1"],
  ["events without a run", [header, eventLine], 2, "run"],
  ["a run that is none", [header, runLine.replace("conversation", "committee")], 2, "context.kind"],
  ["an event that is none", [header, runLine, eventLine.replace("message-sent", "message-lost")], 3, "event.type"],
  ["an event that lacks something", [header, runLine, eventLine.replace('"role":"user",', "")], 3, "event.message"],
  ["a number that is none", [header, runLine, eventLine.replace('"seq":1', '"seq":-1')], 3, "seq"],
])("a file with %s is refused with its line", (_name, lines, line, words) => {
  const replaying = new Replay();
  const refused = lines.map((text) => replaying.take(text)).find((step) => !step.ok);
  expect(refused).toMatchObject({ ok: false, error: { code: "TRACE_INVALID", details: { line } } });
  expect(JSON.stringify(refused)).toContain(words);
});

test("a file that holds nothing is no trace", () => {
  const replaying = new Replay();
  expect(replaying.take("")).toEqual({ ok: true, value: null });
  expect(replaying.end()).toMatchObject({ ok: false, error: { code: "TRACE_INVALID" } });
});
