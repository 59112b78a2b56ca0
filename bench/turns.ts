import type { TurnEvent } from "../src/core/turn/event/event.ts";
import type { TurnState } from "../src/core/turn/state/state.ts";
import { answer, asking, events, id, person, result } from "../src/core/turn/turn.test-support.ts";
import { runTurnWalk, type TakenEvent } from "../src/core/turn/turn-walk.test-support.ts";
import { transition } from "../src/core/turn/transition.ts";
import { noGoal, type Bench, type BenchRow } from "./harness/bench.ts";
import { interleave, median, ratioOf } from "./harness/interleave.ts";
import { openXstateTurn } from "./subjects/xstate-turn.ts";

const pace = { warmUpMs: 200, sampleMs: 200 };
const goalPerSecond = 500_000;

const bench: Bench = {
  name: "turns",
  question: "How many events does the turn machine decide in a second, on one core?",
  async run({ rounds, peer }) {
    const taken: TakenEvent[] = [];
    for (let seed = 1; seed <= 200; seed += 1) runTurnWalk(seed, 100, (each) => void taken.push(each));
    const xstate = await openXstateTurn(peer);
    const [walk, turn, theirs] = interleave(
      rounds,
      [
        { name: "heddle", run: () => decideAll(taken) },
        { name: "heddle, a turn", run: turnsOf(1000) },
        { name: "xstate, a turn", run: () => xstate(1000) },
      ],
      pace,
    );
    if (walk === undefined || turn === undefined || theirs === undefined) return [];
    const perSecond = median(walk.roundsMs.map((ms) => (taken.length / ms) * 1000));
    const eventsPerRun = 1000 * turnEvents.length;
    const row = (subject: string, ms: number, ratio: number | null): BenchRow => ({
      work: "a question, one call, an answer",
      subject,
      value: (eventsPerRun / ms) * 1000,
      unit: "events/s",
      ratio,
      ...noGoal,
    });
    return [
      {
        work: "random walks through every state",
        subject: "heddle",
        value: perSecond,
        unit: "events/s",
        ratio: null,
        goal: `>= ${goalPerSecond}`,
        holds: perSecond >= goalPerSecond,
      },
      row("heddle", turn.cpuMs, null),
      row("xstate", theirs.cpuMs, ratioOf(turn, theirs)),
    ];
  },
};

export default bench;

function decideAll(taken: readonly TakenEvent[]): number {
  let accepted = 0;
  for (const { state, event, context } of taken)
    if (transition(state, event, context).type !== "refused") accepted += 1;
  return accepted;
}

const turnEvents: readonly TurnEvent[] = [
  events["message-sent"],
  events["request-prepared"],
  { ...events["response-finished"], message: asking("b") },
  { type: "tool-finished", callId: id("b"), result: result("b") },
  events["request-prepared"],
  { ...events["response-finished"], message: answer },
];

function turnsOf(count: number): () => number {
  return () => {
    let state: TurnState = { type: "idle" };
    let effects = 0;
    for (let turn = 0; turn < count; turn += 1) {
      for (const event of turnEvents) {
        const verdict = transition(state, event, person);
        if (verdict.type !== "applied") throw new Error(verdict.type);
        ({ state } = verdict);
        effects += verdict.saved.length + verdict.performed.length;
      }
    }
    return effects;
  };
}
