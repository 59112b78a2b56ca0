import { expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { must } from "../base/assert.ts";
import type { RootId, RunId } from "../base/ids.ts";
import { stableDeepEqual } from "../base/json.ts";
import type { Message } from "../message/types.ts";
import { runTurnWalk, type TakenEvent } from "./turn-walk.test-support.ts";
import { asking, events, helper, person, result, user } from "./turn.test-support.ts";
import type { TurnContext } from "./state/context.ts";
import type { TurnEvent } from "./event/event.ts";
import {
  isKeptEvent,
  keepEvent,
  knownBlocks,
  removedBlockText,
  restoreEvent,
  markOf,
  type RunEventRecord,
} from "./event/run-event.ts";
import type { TurnState } from "./state/state.ts";
import { Replay, traceHeader, traceLines, type ReplayedEvent } from "./trace.ts";
import { transition } from "./transition.ts";

const rootId = "root_1" as RootId;
const header = traceHeader({ rootId, at: 5 });

interface Recorded {
  readonly context: TurnContext;
  readonly events: RunEventRecord[];
  /** The messages of the run's nodes. */
  readonly messages: Message[];
  /** The machine's verdict on each event. */
  readonly verdicts: ReplayedEvent["verdict"]["type"][];
}

/** Records every event of a walk, run by run, as a host stores them, refused ones included. */
function recorded(seed: number, count: number): readonly Recorded[] {
  const steps: TakenEvent[] = [];
  runTurnWalk(seed, count, (taken) => steps.push(taken));
  const runs: Recorded[] = [];
  let expected: TurnState | null = null;
  for (const { state: before, event, context } of steps) {
    if (expected === null || !stableDeepEqual(expected, before)) {
      runs.push({ context, events: [], messages: [], verdicts: [] });
    }
    const run = must(runs.at(-1), "a run was begun");
    const verdict = transition(before, event, context);
    expected = verdict.type === "applied" ? verdict.state : before;
    run.verdicts.push(verdict.type);
    for (const effect of verdict.type === "applied" ? verdict.saved : []) {
      if (effect.type === "save-message") run.messages.push(effect.message);
    }
    const runId = `run_${runs.length}` as RunId;
    run.events.push({ runId, seq: run.events.length + 1, at: 7, event: keepEvent(event), state: markOf(expected) });
  }
  return runs;
}

/** Returns the value after a round trip through JSON. */
function stored<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

function linesOf({ context, events: taken, messages }: Omit<Recorded, "verdicts">): readonly string[] {
  const run = { runId: "run_1" as RunId, rootId, model: "m/1", context, events: stored(taken) };
  return [header, ...traceLines(run, knownBlocks(stored(messages)))];
}

/** Feeds a trace to the machine; a refusal throws. */
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
    if (verdict.type === "applied") ({ state } = verdict);
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

test("a trace of any walk replays to the recorded states and refusals", () => {
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

test("keepEvent drops the text of messages, and restoreEvent gets it back from the nodes", () => {
  for (const event of Object.values(events)) {
    const kept: unknown = stored(keepEvent(event));
    expect([event.type, isKeptEvent(kept)]).toEqual([event.type, true]);
    expect(JSON.stringify(kept)).not.toContain("content");
  }
  const lines = traceOf(round, [user, asking("a", "b"), result("a")]);
  expect(replay(lines).map(({ event }) => event)).toEqual(round);
  expect(JSON.stringify(round.map((event) => keepEvent(event)))).not.toContain("hello");
});

test("a replay marks edited and deleted messages as lost and still compares the types of states", () => {
  const steps = replay(traceOf(round, [user]));
  expect(steps.map(({ lost, differsFrom }) => [lost, differsFrom])).toEqual([
    [0, null],
    [0, null],
    [2, null],
    [1, null],
  ]);
  expect(JSON.stringify(steps[3]?.event)).toContain(removedBlockText);
  expect(steps[2]?.state).toMatchObject({ type: "running-tools", pending: [{ id: "a", parameters: {} }, { id: "b" }] });
});

test.each(["thinking", "notice", "refusal", "text"])("in the place of a lost %s block is one that says so", (type) => {
  const said = {
    type: "message-sent",
    message: { role: "user", content: [{ type, text: "x" }] },
  } as unknown as TurnEvent;
  const { event, lost } = restoreEvent(stored(keepEvent(said)), knownBlocks([]));
  const content = [{ type, text: removedBlockText }];
  expect([lost, event]).toEqual([1, { type: "message-sent", message: { role: "user", content } }]);
});

test.each([
  ["type", '"type":"running-tools"', '"type":"idle"'],
  ["content", '"state":{"type":"running-tools","hash":"', '"state":{"type":"running-tools","hash":"0'],
])("a replay shows a state that differs in its %s, with the recorded one", (_name, recordedAs, instead) => {
  const lines = traceOf(round, [user, asking("a", "b"), result("a")]);
  const changed = lines.with(4, must(lines[4], "a fifth line").replace(recordedAs, instead));
  expect(changed).not.toEqual(lines);
  const differing = replay(changed).filter(({ differsFrom }) => differsFrom !== null);
  expect(differing).toMatchObject([{ line: 5, seq: 3, state: { type: "running-tools" } }]);
});

test("a sub-agent's run is replayed in a sub-agent's context", () => {
  const sent = [events["message-sent"], events["deadline-reached"]];
  expect(replay(traceOf(sent, [user], helper)).map(({ state }) => state.type)).toEqual(["awaiting", "failed"]);
  expect(replay(traceOf(sent, [user])).map(({ verdict }) => verdict.type)).not.toEqual(["applied", "applied"]);
});

const [, runLine = "", eventLine = ""] = traceOf(round, [user, asking("a", "b"), result("a")]);

test.each<[string, readonly string[], number, string]>([
  ["no JSON", [header, "{"], 2, "not JSON"],
  ["something else", ['{"a":1}'], 1, "type"],
  ["no beginning", [runLine], 1, "heddle-trace"],
  ["two beginnings", [header, "", header], 3, "only one first line"],
  ["another version", [header.replace('"version":1', '"version":9')], 1, "version 1"],
  ["events without a run", [header, eventLine], 2, "run"],
  ["an unknown kind of run", [header, runLine.replace("conversation", "committee")], 2, "context.kind"],
  ["an unknown event", [header, runLine, eventLine.replace("message-sent", "message-lost")], 3, "event.type"],
  ["an event with a missing field", [header, runLine, eventLine.replace('"role":"user",', "")], 3, "event.message"],
  ["an invalid number", [header, runLine, eventLine.replace('"seq":1', '"seq":-1')], 3, "seq"],
])("a trace with %s is refused with its line", (_name, lines, line, words) => {
  const replaying = new Replay();
  const refused = lines.map((text) => replaying.take(text)).find((step) => !step.ok);
  expect(refused).toMatchObject({ ok: false, error: { code: "TRACE_INVALID", details: { line } } });
  expect(JSON.stringify(refused)).toContain(words);
});

test("an empty file is not a trace", () => {
  const replaying = new Replay();
  expect(replaying.take("")).toEqual({ ok: true, value: null });
  expect(replaying.end()).toMatchObject({ ok: false, error: { code: "TRACE_INVALID" } });
});
