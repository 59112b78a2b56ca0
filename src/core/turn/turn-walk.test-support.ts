import { assert, unreachable } from "../base/assert.ts";
import type { ToolCallId } from "../base/ids.ts";
import { stableDeepEqual } from "../base/json.ts";
import { isNonEmpty } from "../base/non-empty.ts";
import { reasonOf } from "../base/reason.ts";
import { checkRequest, checkTranscript, openCalls } from "../message/transcript.ts";
import type {
  AssistantContentBlock,
  AssistantMessage,
  ContentBlock,
  Message,
  ToolMessage,
  UserMessage,
} from "../message/types.ts";
import { noUsage } from "../message/usage.ts";
import { failureClasses, type ModelFailure } from "../model/failure.ts";
import type { TurnEffect } from "./effect.ts";
import type { TurnEvent } from "./event.ts";
import { acceptsMessage, isAtRest } from "./precheck.ts";
import type { ToolCall, TurnState } from "./state.ts";
import { transition } from "./transition.ts";
import { seededRandom, type SeededRandom } from "../../testing/seeded-random.ts";

/** What a walk came by, so that a test can tell that it got around. */
export interface TurnWalkReport {
  readonly accepted: number;
  readonly refused: number;
  readonly restarts: number;
  readonly cancelsWhileRunning: number;
  /** Calls answered with STALE_EPOCH because a person took control. */
  readonly callsRefused: number;
  readonly toolRuns: number;
  readonly messages: number;
}

/** Everything a walk remembers: the machine, and the world as a host would hold it. */
interface World {
  readonly random: SeededRandom;
  state: TurnState;
  path: Message[];
  /** The attempt whose stream is open. */
  openRequest: number | null;
  runningTool: { readonly call: ToolCall; started: boolean } | null;
  retryDue: number | null;
  nextCall: number;
  readonly report: { -readonly [Key in keyof TurnWalkReport]: number };
}

/**
 * Drives the turn machine through `events` random events: what a world would send, what comes late, what never should
 * come, and crashes at any point. Throws with the seed at the first law that does not hold.
 */
export function runTurnWalk(seed: number, events: number): TurnWalkReport {
  const world: World = {
    random: seededRandom(seed),
    state: { type: "idle" },
    path: [],
    openRequest: null,
    runningTool: null,
    retryDue: null,
    nextCall: 0,
    report: { accepted: 0, refused: 0, restarts: 0, cancelsWhileRunning: 0, callsRefused: 0, toolRuns: 0, messages: 0 },
  };
  for (let at = 0; at < events; at += 1) {
    const event = drawEvent(world);
    try {
      takeEvent(world, event);
    } catch (problem) {
      const told = reasonOf(problem);
      throw new Error(`turn walk, seed ${seed}, event ${at} (${event.type} in ${world.state.type}): ${told}`, {
        cause: problem,
      });
    }
  }
  return world.report;
}

function takeEvent(world: World, event: TurnEvent): void {
  const before = JSON.stringify(world.state);
  const step = transition(world.state, event);
  assert(stableDeepEqual(step, transition(world.state, event)), "the same input gave two answers");
  assert(JSON.stringify(world.state) === before, "the state given was changed");
  if (event.type === "message-sent") {
    const check = acceptsMessage(world.state);
    assert(check.ok === step.ok, "the precheck disagrees with the transition");
    if (!check.ok && !step.ok) assert(check.error.code === step.error.code, "the precheck has another code");
  }
  if (!step.ok) {
    world.report.refused += 1;
    return;
  }
  world.report.accepted += 1;
  if (event.type === "turn-cancelled" && world.state.type === "running-tools") world.report.cancelsWhileRunning += 1;
  const { state, effects } = step.value;
  if (event.type === "turn-cancelled" && event.reason === "control-taken") checkControlTaken(world, effects);
  assert(stableDeepEqual(JSON.parse(JSON.stringify(state)), state), "the state does not survive JSON");
  checkOrder(effects);
  const saved = effects.filter((effect) => effect.type === "save-state");
  const changed = !stableDeepEqual(state, world.state);
  assert(!changed || saved.length === 1, "a changed state was not saved once");
  assert(
    saved.every((effect) => stableDeepEqual(effect.state, state)),
    "another state was saved than was reached",
  );
  if (!isAtRest(world.state) && isAtRest(state)) {
    assert(
      effects.some((effect) => effect.type === "release-leases" || effect.type === "preempt-leases"),
      "a turn ended and kept its leases",
    );
  }
  world.state = state;
  for (const effect of effects) carryOut(world, effect);
  const open = openCalls(world.path);
  assert(open.ok, `broken history: ${JSON.stringify(open)}`);
  if (state.type === "running-tools") {
    const pending = state.pending.map((call) => call.id);
    assert(
      stableDeepEqual(
        open.value.map((call) => call.id),
        pending,
      ),
      "the open calls are not the pending ones",
    );
    assert(world.runningTool !== null, "no tool runs");
  } else {
    const whole = checkTranscript(world.path);
    assert(whole.ok, `history not whole in ${state.type}: ${JSON.stringify(whole)}`);
  }
}

/** Who takes control is told, and the first open call to the canvas is refused for good. */
function checkControlTaken(world: World, effects: readonly TurnEffect[]): void {
  const { state } = world;
  const knew = state.type === "cancelling" && state.reason === "control-taken";
  assert(effects.some((effect) => effect.type === "notify") !== knew, "took control and was not told, or told twice");
  if (state.type !== "running-tools") return;
  const refused = effects.flatMap((effect) =>
    effect.type === "save-message" && effect.message.role === "tool" && isStale(effect.message)
      ? [effect.message.tool_call_id]
      : [],
  );
  const first = state.pending.find((call) => call.name.startsWith("canvas_"));
  if (first !== undefined) world.report.callsRefused += 1;
  assert(stableDeepEqual(refused, first === undefined ? [] : [first.id]), "another call than the canvas's was refused");
}

function isStale(message: ToolMessage): boolean {
  return message.content.some((block) => block.type === "text" && block.text.includes('"STALE_EPOCH"'));
}

/** What is stored comes before what is performed. */
function checkOrder(effects: readonly TurnEffect[]): void {
  const stored = effects.map((effect) => isStored(effect));
  assert(
    !stored.includes(true, stored.indexOf(false) === -1 ? stored.length : stored.indexOf(false)),
    "performed before stored",
  );
}

function isStored(effect: TurnEffect): boolean {
  switch (effect.type) {
    case "save-message":
    case "save-state":
    case "notify":
    case "preempt-leases":
      return true;
    case "prepare-request":
    case "request-model":
    case "abort-request":
    case "run-tool":
    case "abort-tool":
    case "schedule-retry":
    case "release-leases":
      return false;
    default:
      return unreachable(effect);
  }
}

function carryOut(world: World, effect: TurnEffect): void {
  switch (effect.type) {
    case "save-message":
      world.report.messages += 1;
      checkNotices(effect.message);
      if (effect.headMoves) world.path.push(effect.message);
      else checkBeside(world, effect.message);
      return;
    case "request-model": {
      assert(world.openRequest === null, "two requests at once");
      const sendable = checkRequest(world.path);
      assert(sendable.ok, `asked with a history that providers refuse: ${JSON.stringify(sendable)}`);
      world.openRequest = effect.attempt;
      return;
    }
    case "abort-request":
      assert(world.openRequest !== null, "aborted a request that is not open");
      return;
    case "run-tool":
      assert(world.runningTool === null, "two tools at once");
      assert(effect.call.argumentsError === undefined, "ran a call with unreadable arguments");
      world.report.toolRuns += 1;
      world.runningTool = { call: effect.call, started: false };
      return;
    case "abort-tool":
      assert(world.runningTool?.call.id === effect.callId, "aborted a tool that does not run");
      world.runningTool = null;
      return;
    case "schedule-retry":
      assert(effect.delayMs >= 0 && effect.delayMs <= 60_000, "a wait out of bounds");
      world.retryDue = effect.attempt;
      return;
    case "save-state":
    case "notify":
    case "prepare-request":
    case "preempt-leases":
    case "release-leases":
      return;
    default:
      unreachable(effect);
  }
}

/** A message of remarks alone would have nothing left for a model. */
function checkNotices({ content }: Message): void {
  const spoken = content.filter((block: ContentBlock) => block.type !== "notice");
  assert(spoken.length > 0, "a message holds nothing but a notice");
}

/** What is kept beside the branch must stand by itself: nobody will ever answer a call in it. */
function checkBeside(world: World, message: Message): void {
  const beside = checkTranscript([...world.path, message]);
  assert(beside.ok, `kept beside the branch with open calls: ${JSON.stringify(beside)}`);
  assert(message.role === "assistant" && message.interrupted === true, "kept beside the branch without a mark");
}

function drawEvent(world: World): TurnEvent {
  const { random } = world;
  // Most events are what the world owes the machine; the rest are people, crashes and nonsense.
  if (random.below(10) < 7) {
    const due = dueEvent(world);
    if (due !== null) return due;
  }
  switch (random.below(9)) {
    case 0:
    case 1:
      return { type: "message-sent", message: userMessage(random) };
    case 2:
      // The host asks again only where there is something to answer.
      return world.path.length > 0 && world.path.at(-1)?.role !== "assistant"
        ? { type: "reply-requested" }
        : { type: "request-prepared" };
    case 3:
      return { type: "turn-cancelled", reason: random.oneIn(2) ? "stopped" : "control-taken" };
    case 4:
      return restart(world);
    case 5:
      return { type: "retry-due", attempt: 1 + random.below(4) };
    case 6: {
      // A late answer: an attempt that is not open any more, or of an earlier turn.
      const attempt = 4 + random.below(3);
      return random.oneIn(2)
        ? { type: "response-finished", attempt, message: reply(world), usage: noUsage }
        : { type: "response-failed", attempt, failure: failure(random), partial: reply(world), now: 0 };
    }
    case 7: {
      const late = `call-${random.below(world.nextCall + 1) - 1}` as ToolCallId;
      const current = world.runningTool?.call.id === late;
      return { type: "tool-finished", callId: late, result: result(current ? ("stranger" as ToolCallId) : late) };
    }
    default:
      return { type: "request-prepared" };
  }
}

/** What the world owes the machine now; clears it from the world's books. */
function dueEvent(world: World): TurnEvent | null {
  const { random, state } = world;
  if (state.type === "awaiting") return { type: "request-prepared" };
  if (world.openRequest !== null) {
    const attempt = world.openRequest;
    world.openRequest = null;
    if (state.type === "cancelling" && !random.oneIn(3)) {
      const cancelled: ModelFailure = { class: "cancelled", message: "Cancelled.", retryable: false };
      return { type: "response-failed", attempt, failure: cancelled, partial: reply(world), now: 0 };
    }
    return random.oneIn(3)
      ? { type: "response-failed", attempt, failure: failure(random), partial: reply(world), now: random.below(1_000) }
      : { type: "response-finished", attempt, message: reply(world), usage: noUsage };
  }
  if (world.retryDue !== null && state.type === "requesting") {
    const attempt = world.retryDue;
    world.retryDue = null;
    return { type: "retry-due", attempt };
  }
  if (world.runningTool !== null) {
    if (!world.runningTool.started) {
      world.runningTool.started = true;
      return null;
    }
    const { id } = world.runningTool.call;
    world.runningTool = null;
    return { type: "tool-finished", callId: id, result: result(id) };
  }
  return null;
}

function restart(world: World): TurnEvent {
  const partial = world.openRequest === null ? null : reply(world);
  const toolStarted = world.runningTool?.started ?? false;
  world.openRequest = null;
  world.runningTool = null;
  world.retryDue = null;
  world.report.restarts += 1;
  return {
    type: "process-restarted",
    partial,
    toolStarted,
    toolIdempotent: world.random.oneIn(3),
    now: world.random.below(100_000),
  };
}

function userMessage(random: SeededRandom): UserMessage {
  return { role: "user", content: [{ type: "text", text: `question ${random.below(1_000)}` }] };
}

function reply(world: World): AssistantMessage | null {
  const { random } = world;
  const content: AssistantContentBlock[] = [];
  if (random.oneIn(3)) content.push({ type: "thinking", text: "thought", signature: "signed" });
  if (!random.oneIn(3)) content.push({ type: "text", text: `answer ${random.below(1_000)}` });
  for (let calls = random.oneIn(2) ? random.below(5) : 0; calls > 0; calls -= 1) content.push(toolUse(world));
  return isNonEmpty(content) ? { role: "assistant", content } : null;
}

function toolUse(world: World): AssistantContentBlock {
  const id = `call-${world.nextCall}` as ToolCallId;
  world.nextCall += 1;
  const name = world.random.oneIn(2) ? "canvas_apply_patch" : "tool";
  const use = { type: "tool-use", id, name, parameters: {} } as const;
  return world.random.oneIn(5) ? { ...use, argumentsError: "not JSON" } : use;
}

function result(id: ToolCallId): ToolMessage {
  return { role: "tool", tool_call_id: id, tool_name: "tool", content: [{ type: "text", text: "" }], outcome: "ok" };
}

function failure(random: SeededRandom): ModelFailure {
  const retryable = !random.oneIn(3);
  const base = { class: random.pick(failureClasses), message: "It failed.", retryable };
  return random.oneIn(3) ? { ...base, retryAfterMs: random.below(200_000) } : base;
}
