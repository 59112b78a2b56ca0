import { assert, unreachable } from "../base/assert.ts";
import { stableDeepEqual } from "../base/json.ts";
import { reasonOf } from "../base/reason.ts";
import { checkTranscript, openCalls } from "../message/transcript.ts";
import type { ToolMessage } from "../message/types.ts";
import { seededRandom } from "../../testing/seeded-random.ts";
import type { TurnContext } from "./state/context.ts";
import type { SavedEffect } from "./event/effect.ts";
import type { TurnEvent } from "./event/event.ts";
import { acceptsCancel, acceptsMessage, isSettled } from "./step/precheck.ts";
import type { ToolRound, TurnState } from "./state/state.ts";
import { openIn } from "./step/round.ts";
import { step, type TurnStep } from "./step/step.ts";
import { transition } from "./transition.ts";
import { carryOut, drawEvent, newWorld, type TurnWorld } from "./turn-world.test-support.ts";

/** What a walk reached, so that a test can check its coverage. */
export interface TurnWalkReport {
  accepted: number;
  refused: number;
  restarts: number;
  cancelsWhileRunning: number;
  /** Calls answered with STALE_EPOCH because a person took control. */
  callsRefused: number;
  toolRuns: number;
  messages: number;
  /** Waiting messages that turns took. */
  steers: number;
  /** Compaction nodes. */
  compactions: number;
  /** How often each state was reached. */
  readonly reached: Partial<Record<TurnState["type"], number>>;
}

/** The input of the machine at one step of a walk. */
export interface TakenEvent {
  readonly state: TurnState;
  readonly event: TurnEvent;
  readonly context: TurnContext;
}

/**
 * Drives the turn machine through `events` random events: expected ones, late ones, impossible
 * ones, and crashes at any point. Throws with the seed at the first broken law.
 */
export function runTurnWalk(seed: number, events: number, onEvent?: (taken: TakenEvent) => void): TurnWalkReport {
  const random = seededRandom(seed);
  const roundsMax = 1 + random.below(6);
  const kind = seed % 4 === 0 ? "sub-agent" : "conversation";
  let world = newWorld(random, { kind, roundsMax });
  const report: TurnWalkReport = {
    accepted: 0,
    refused: 0,
    restarts: 0,
    cancelsWhileRunning: 0,
    callsRefused: 0,
    toolRuns: 0,
    messages: 0,
    steers: 0,
    compactions: 0,
    reached: {},
  };
  for (let at = 0; at < events; at += 1) {
    const event = drawEvent(world);
    onEvent?.({ state: world.state, event, context: world.context });
    try {
      takeEvent(world, event, report);
    } catch (problem) {
      const reason = reasonOf(problem);
      throw new Error(`turn walk, seed ${seed}, event ${at} (${event.type} in ${world.state.type}): ${reason}`, {
        cause: problem,
      });
    }
    // A world that has ended permanently, or has run long, is replaced by a new one.
    const { type } = world.state;
    const over = type === "context-exhausted" || type === "completed" || type === "failed";
    if ((over && random.oneIn(4)) || (isSettled(world.state) && world.path.length > 40)) {
      report.toolRuns += world.toolRuns;
      report.messages += world.messages;
      report.compactions += world.compactions;
      world = newWorld(random, world.context);
    }
  }
  report.toolRuns += world.toolRuns;
  report.messages += world.messages;
  report.compactions += world.compactions;
  return report;
}

function takeEvent(world: TurnWorld, event: TurnEvent, report: TurnWalkReport): void {
  const { context } = world;
  const before = JSON.stringify(world.state);
  const verdict = transition(world.state, event, context);
  assert(stableDeepEqual(verdict, transition(world.state, event, context)), "the same input gave two answers");
  assert(JSON.stringify(world.state) === before, "the state given was changed");
  checkPrechecks(world.state, event, verdict);
  if (event.type === "process-restarted") report.restarts += 1;
  if (verdict.type === "refused") {
    report.refused += 1;
    return;
  }
  report.accepted += 1;
  const { state, saved, performed } = verdict.type === "applied" ? verdict : step(world.state);
  if (event.type === "turn-cancelled") {
    if (world.state.type === "running-tools") report.cancelsWhileRunning += 1;
    if (event.reason === "control-taken") checkControlTaken(world.state, saved, report);
  }
  if (verdict.type === "applied") checkStep(world.state, verdict);
  if (verdict.type === "applied") checkSteers(world, event, verdict, report);
  report.reached[state.type] = (report.reached[state.type] ?? 0) + 1;
  world.state = state;
  for (const effect of [...saved, ...performed]) carryOut(world, effect);
  checkWorld(world);
}

function checkPrechecks(state: TurnState, event: TurnEvent, verdict: ReturnType<typeof transition>): void {
  if (event.type !== "message-sent" && event.type !== "turn-cancelled") return;
  const check = event.type === "message-sent" ? acceptsMessage(state) : acceptsCancel(state);
  assert(check.ok === (verdict.type !== "refused"), "the precheck disagrees with the transition");
  if (check.ok || verdict.type !== "refused") return;
  assert(check.error.code === verdict.refusal.code, "the precheck has another code");
}

function checkStep(before: TurnState, { state: after, saved, performed }: TurnStep): void {
  const effects = [...saved, ...performed];
  assert(stableDeepEqual(JSON.parse(JSON.stringify(after)), after), "the state does not survive JSON");
  assert(effects.length > 0 || !stableDeepEqual(after, before), "a step changes nothing and orders nothing");
  if (!isSettled(before) && isSettled(after)) {
    assert(
      effects.some((effect) => effect.type === "release-leases" || effect.type === "preempt-leases"),
      "a turn ended and kept its leases",
    );
  }
}

/** Checks that waiting messages are taken all together, in their order, and where the model is asked next. */
function checkSteers(
  world: TurnWorld,
  event: TurnEvent,
  { state, saved, performed }: TurnStep,
  report: TurnWalkReport,
): void {
  const taken = saved.flatMap((effect) => (effect.type === "save-message" ? (effect.waiting ?? []) : []));
  if (taken.length === 0) return;
  const brought = "steers" in event ? (event.steers ?? []) : [];
  assert(
    stableDeepEqual(
      taken,
      brought.map(({ id }) => id),
    ),
    "other messages were taken than wait",
  );
  assert(state.type === "awaiting" || state.type === "requesting", "messages were taken and the model is not asked");
  assert(state.progress.rounds === 0 && state.progress.asking === "reply", "rounds are not counted afresh");
  assert(
    performed.some(({ type }) => type === "prepare-request" || type === "request-model"),
    "nothing is asked",
  );
  assert(
    saved.some(({ type }) => type === "preempt-leases"),
    "messages were taken and the leases kept",
  );
  assert(world.context.kind === "conversation", "a sub-agent took a message");
  world.waiting.splice(0);
  report.steers += taken.length;
}

/** Checks that the history and the world's records agree with the state. */
function checkWorld(world: TurnWorld): void {
  const { state, path } = world;
  const open = openCalls(path);
  assert(open.ok, "broken history");
  if (!("pending" in state)) {
    assert(checkTranscript(path).ok, `history not whole in ${state.type}`);
    assert(world.tools.size === 0 || isSettled(state), "a tool runs without the state knowing it");
    return;
  }
  assert(
    stableDeepEqual(
      open.value.map((call) => call.id),
      state.pending.map((call) => call.id),
    ),
    "the open calls are not the pending ones",
  );
  checkRound(world, state);
}

function checkRound(world: TurnWorld, state: Extract<TurnState, ToolRound>): void {
  const { context, tools } = world;
  const open = openIn(state).map((call) => call.id);
  assert(state.progress.rounds >= 1 && state.progress.rounds <= context.roundsMax, "a round beyond the last");
  assert(
    state.arrived.every((message) => state.pending.some((call) => call.id === message.tool_call_id)),
    "a result of a call that is not open",
  );
  assert(state.pending[0].id === open[0], "a result waits for nothing");
  assert(
    state.running.every((id) => open.includes(id)),
    "a call runs that has its result",
  );
  assert(stableDeepEqual(state.running.toSorted(), [...tools.keys()].toSorted()), "other calls run than are known to");
  switch (state.type) {
    case "running-tools":
      assert(state.running.length > 0, "no tool runs");
      assert(state.parallel || state.running.length === 1, "tools run side by side that may not");
      return;
    case "awaiting-approval":
      assert(state.running.length === 0 && open.includes(state.request.callId), "asks about a call that is not open");
      return;
    case "awaiting-answer":
      assert(open.includes(state.callId), "a call asks that is not open");
      assert(state.running.includes(state.callId) === (state.asker !== undefined), "a call asks and does not run");
      assert(state.asker !== undefined || state.running.length === 0, "a call runs beside a question");
      assert(state.parallel || state.running.length <= 1, "tools run side by side that may not");
      return;
    case "awaiting-sub-agents":
    case "cancelling-sub-agents": {
      const working = state.agents.filter(({ outcome }) => outcome === null).map(({ runId }) => runId);
      assert(working.length > 0, "waits for nobody");
      assert(
        stableDeepEqual(working.toSorted(), [...world.agents.keys()].toSorted()),
        "waits for other agents than work",
      );
      return;
    }
    default:
      unreachable(state);
  }
}

/** Checks that a person who takes control is notified, and that the first open canvas call is refused permanently. */
function checkControlTaken(state: TurnState, saved: readonly SavedEffect[], report: TurnWalkReport): void {
  const knew = "reason" in state && state.reason === "control-taken";
  assert(
    saved.some((effect) => effect.type === "notify") !== knew,
    "took control and was not notified, or notified twice",
  );
  if (state.type !== "running-tools") return;
  const refused = saved.flatMap((effect) =>
    effect.type === "save-message" && effect.message.role === "tool" && isStale(effect.message)
      ? [effect.message.tool_call_id]
      : [],
  );
  const first = openIn(state).find((call) => call.name.startsWith("canvas_"));
  if (first !== undefined) report.callsRefused += 1;
  assert(stableDeepEqual(refused, first === undefined ? [] : [first.id]), "another call than the canvas's was refused");
}

function isStale(message: ToolMessage): boolean {
  return message.content.some((block) => block.type === "text" && block.text.includes('"STALE_EPOCH"'));
}
