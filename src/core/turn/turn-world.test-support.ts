import { assert, unreachable } from "../base/assert.ts";
import type { NodeId, RootId, RunId, ToolCallId } from "../base/ids.ts";
import { isNonEmpty } from "../base/non-empty.ts";
import { callPolicies } from "../forest/run-rules.ts";
import { checkRequest, checkTranscript } from "../message/transcript.ts";
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
import type { TurnContext } from "./state/context.ts";
import type { TurnEffect } from "./event/effect.ts";
import type { UnfinishedCall, ReplyFacts, TurnEvent } from "./event/event.ts";
import { boundaryEvents } from "./event/event.ts";
import type { Steer } from "./state/waiting.ts";
import { cancelReasons, type Asking, type CompactionWish, type ToolCall, type TurnState } from "./state/state.ts";
import type { SubAgent, SubAgentOutcome } from "./state/sub-agent.ts";
import type { SeededRandom } from "../../testing/seeded-random.ts";

interface ToolAtWork {
  readonly call: ToolCall;
  readonly approved: string | null;
  started: boolean;
}

/** A world around one run, as a host would hold it: what is open, and which events are due. */
export interface TurnWorld {
  readonly random: SeededRandom;
  readonly context: TurnContext;
  state: TurnState;
  path: Message[];
  /** What of the path is sent. */
  sent: Message[];
  /** The request whose stream is open. */
  openRequest: { readonly attempt: number; readonly asking: Asking } | null;
  readonly tools: Map<ToolCallId, ToolAtWork>;
  /** Calls that have had effects and may not run again. */
  readonly done: Set<ToolCallId>;
  /** Agents at work, and whether each was cancelled. */
  readonly agents: Map<RunId, { readonly cancelled: boolean }>;
  retryDue: number | null;
  expiryDue: ToolCallId | null;
  /** Messages that wait to steer the turn. */
  readonly waiting: Steer[];
  nextId: number;
  toolRuns: number;
  messages: number;
  compactions: number;
}

export function newWorld(random: SeededRandom, context: TurnContext): TurnWorld {
  return {
    random,
    context,
    state: { type: "idle" },
    path: [],
    sent: [],
    openRequest: null,
    tools: new Map(),
    done: new Set(),
    agents: new Map(),
    retryDue: null,
    expiryDue: null,
    waiting: [],
    nextId: 0,
    toolRuns: 0,
    messages: 0,
    compactions: 0,
  };
}

/** Performs an effect; throws when that breaks a law. */
export function carryOut(world: TurnWorld, effect: TurnEffect): void {
  switch (effect.type) {
    case "save-message":
      world.messages += 1;
      checkNotices(effect.message);
      if (effect.headMoves) {
        world.path.push(effect.message);
        world.sent.push(effect.message);
      } else checkBeside(world, effect.message);
      return;
    case "save-compaction":
      world.messages += 1;
      world.compactions += 1;
      world.path.push(effect.message);
      // In the midst of a turn nothing is kept as it is; else the newest message, a question.
      world.sent = [effect.message, ...(effect.compacts.messages === 0 ? [] : world.sent.slice(-1))];
      return;
    case "count-usage":
      return;
    case "request-model": {
      assert(world.openRequest === null, "two requests at once");
      assert(world.tools.size === 0, "asked while a tool runs");
      const { asking } = effect;
      // The request for a summary ends in an instruction that is no message of the branch.
      const wish: readonly Message[] = asking === "compaction" ? [userMessage(world.random)] : [];
      const sendable = checkRequest([...world.sent, ...wish]);
      assert(sendable.ok, "asked with a history that providers refuse");
      world.openRequest = { attempt: effect.attempt, asking: effect.asking };
      return;
    }
    case "abort-request":
      assert(world.openRequest !== null, "aborted a request that is not open");
      if (world.state.type === "failed") world.openRequest = null;
      return;
    case "run-tool":
      assert(!world.tools.has(effect.call.id), "ran a call that runs");
      assert(!world.done.has(effect.call.id), "ran a call twice that may run once");
      assert(effect.call.argumentsError === undefined, "ran a call with unreadable arguments");
      world.toolRuns += 1;
      world.tools.set(effect.call.id, { call: effect.call, approved: effect.approved, started: false });
      return;
    case "abort-tool":
      assert(world.tools.delete(effect.callId), "aborted a tool that does not run");
      return;
    case "answer-call":
      assert(world.tools.has(effect.callId), "answered a call that does not run");
      return;
    case "schedule-retry":
      assert(effect.delayMs >= 0 && effect.delayMs <= 60_000, "a wait out of bounds");
      world.retryDue = effect.attempt;
      return;
    case "schedule-expiry":
      world.expiryDue = effect.callId;
      return;
    case "await-sub-agent":
      assert(world.context.kind === "conversation", "a sub-agent set agents to work");
      assert(!world.agents.has(effect.agent.runId), "an agent is waited for twice");
      world.agents.set(effect.agent.runId, { cancelled: false });
      return;
    case "cancel-sub-agent":
      world.agents.set(effect.agent.runId, { cancelled: true });
      return;
    case "notify":
    case "switch-model":
    case "prepare-request":
    case "preempt-leases":
    case "release-leases":
      return;
    default:
      unreachable(effect);
  }
}

/** Checks that a message has more than notices, which no model sees. */
function checkNotices({ content }: Message): void {
  const spoken = content.filter((block: ContentBlock) => block.type !== "notice");
  assert(spoken.length > 0, "a message holds nothing but a notice");
}

/** Checks that a message kept beside the branch is complete: its calls never get results. */
function checkBeside(world: TurnWorld, message: Message): void {
  assert(checkTranscript([...world.path, message]).ok, "kept beside the branch with open calls");
  assert(
    message.role === "assistant" && message.interrupted === true,
    "kept beside the branch without the interrupted mark",
  );
}

/** Draws the next event, with the messages that wait to steer it: mostly a due one; otherwise of people, a crash, or an impossible one. */
export function drawEvent(world: TurnWorld): TurnEvent {
  const event = drawPlainEvent(world);
  if (world.random.oneIn(6)) {
    const id = `node_${world.nextId}` as NodeId;
    world.nextId += 1;
    world.waiting.push({ id, message: userMessage(world.random) });
  }
  if (!boundaryEvents.has(event.type) || world.waiting.length === 0) return event;
  return { ...event, steers: [...world.waiting] } as TurnEvent;
}

function drawPlainEvent(world: TurnWorld): TurnEvent {
  const { random } = world;
  if (random.below(10) < 7) {
    const due = dueEvent(world);
    if (due !== null) return due;
  }
  switch (random.below(14)) {
    case 0:
    case 1:
      return { type: "message-sent", message: userMessage(random) };
    case 2:
      // The host asks again only where there is something to answer.
      return world.path.length > 0 && world.path.at(-1)?.role !== "assistant"
        ? { type: "reply-requested" }
        : { type: "request-prepared" };
    case 3:
      return { type: "turn-cancelled", reason: cancelReasons[random.below(cancelReasons.length)] ?? "stopped" };
    case 4:
      return restart(world);
    case 5:
      return { type: "retry-due", attempt: 1 + random.below(4) };
    case 6:
      return lateReply(world);
    case 7: {
      const id = strangerOf(world);
      return { type: "tool-finished", callId: id, result: result(id) };
    }
    case 8:
      return random.oneIn(2)
        ? { type: "approval-answered", callId: strangerOf(world), argumentsHash: "never", decision: "allow" }
        : { type: "question-answered", callId: strangerOf(world), answers: null };
    case 9:
      return world.path.length > 0 && random.oneIn(4) ? { type: "summary-requested" } : { type: "deadline-reached" };
    case 10:
      return { type: "sub-agent-finished", runId: `nobody-${random.below(3)}` as RunId, outcome: outcome(random) };
    case 11:
      return world.path.length > 0 ? { type: "compaction-requested", wish: wishOf(random) } : lateCompaction(world);
    case 12:
      return lateCompaction(world);
    default:
      return { type: "request-prepared" };
  }
}

/** Draws an event that is due and clears it. */
function dueEvent(world: TurnWorld): TurnEvent | null {
  const { random, state } = world;
  switch (state.type) {
    case "awaiting":
      if (state.progress.asking === "compaction" || (random.oneIn(6) && world.path.length > 1)) return due(world);
      return random.oneIn(20) ? { type: "request-refused", failure: failure(random) } : { type: "request-prepared" };
    case "awaiting-approval": {
      const { callId, argumentsHash } = state.request;
      if (world.expiryDue === callId && random.oneIn(3)) return { type: "approval-expired", callId };
      return { type: "approval-answered", callId, argumentsHash, decision: random.oneIn(3) ? "deny" : "allow" };
    }
    case "awaiting-answer": {
      if (state.running.length > 0 && random.oneIn(2)) return dueOfTool(world);
      const answers = random.oneIn(3) ? null : state.questions.map(() => ({ chosen: ["One"] }));
      return { type: "question-answered", callId: state.callId, answers };
    }
    case "awaiting-sub-agents":
    case "cancelling-sub-agents": {
      const [runId] = world.agents.keys();
      if (runId === undefined) return null;
      world.agents.delete(runId);
      return { type: "sub-agent-finished", runId, outcome: outcome(random) };
    }
    case "requesting":
    case "cancelling":
      return dueReply(world);
    case "running-tools":
      return dueOfTool(world);
    case "idle":
    case "error":
    case "context-exhausted":
    case "completed":
    case "failed":
      return null;
    default:
      return unreachable(state);
  }
}

function dueReply(world: TurnWorld): TurnEvent | null {
  const { random, state, openRequest, retryDue } = world;
  if (openRequest !== null) {
    const { attempt } = openRequest;
    world.openRequest = null;
    if (state.type === "cancelling" && !random.oneIn(3)) {
      const cancelled: ModelFailure = { class: "cancelled", message: "Cancelled.", retryable: false };
      return { type: "response-failed", attempt, failure: cancelled, partial: reply(world), now: 0 };
    }
    if (random.oneIn(3)) {
      return { type: "response-failed", attempt, failure: failure(random), partial: reply(world), now: 0 };
    }
    if (openRequest.asking === "compaction" && !random.oneIn(8)) return compacted(world, attempt);
    const message = reply(world);
    return { type: "response-finished", attempt, message, usage: noUsage, facts: factsOf(random, message) };
  }
  if (retryDue === null || state.type !== "requesting") return null;
  world.retryDue = null;
  return { type: "retry-due", attempt: retryDue };
}

/** Draws an event of a running tool: it needs somebody first, or has its effects, then it reports. */
function dueOfTool(world: TurnWorld): TurnEvent | null {
  const { random } = world;
  const tool = [...world.tools.values()][random.below(Math.max(1, world.tools.size))];
  if (tool === undefined) return null;
  const { id } = tool.call;
  if (!tool.started && tool.approved === null) {
    const needs = needOf(world, id);
    if (needs !== null) {
      world.tools.delete(id);
      return needs;
    }
  }
  if (!tool.started) {
    tool.started = true;
    world.done.add(id);
    return null;
  }
  if (world.state.type === "running-tools" && random.oneIn(6)) {
    const questions = [{ question: "Which?", options: [], multiple: false }] as const;
    return { type: "question-asked", callId: id, questions, asker: "files" };
  }
  world.tools.delete(id);
  return { type: "tool-finished", callId: id, result: result(id) };
}

function needOf(world: TurnWorld, callId: ToolCallId): TurnEvent | null {
  const { random } = world;
  const options = [{ label: "One" }, { label: "Two" }];
  switch (random.below(8)) {
    case 0:
      return {
        type: "approval-needed",
        request: { callId, argumentsHash: `hash of ${callId}`, reason: "tier", expiresAt: 9_000 },
      };
    case 1:
      return { type: "question-asked", callId, questions: [{ question: "Which?", options, multiple: false }] };
    case 2: {
      if (world.context.kind === "sub-agent") return null;
      const agents = Array.from({ length: 1 + random.below(10) }, () => newAgent(world));
      return isNonEmpty(agents) ? { type: "sub-agents-planned", callId, agents } : null;
    }
    default:
      return null;
  }
}

function newAgent(world: TurnWorld): SubAgent {
  world.nextId += 1;
  const name = `agent-${world.nextId}`;
  return { runId: name as RunId, rootId: `root-${name}` as RootId, task: "look", deadlineAt: 60_000, outcome: null };
}

/** Draws the beginning of a compaction. */
function due(world: TurnWorld): TurnEvent {
  const { random, path } = world;
  const midTurn = path.at(-1)?.role !== "user";
  const overflow = random.oneIn(3) ? { tokens: 9_000, window: 8_000 } : null;
  return { type: "compaction-due", by: random.oneIn(2) ? "share" : "person", messages: path.length, midTurn, overflow };
}

/** Draws the end of a request for a summary. */
function compacted(world: TurnWorld, attempt: number): TurnEvent {
  const { random, state, sent } = world;
  if (random.oneIn(4)) {
    const reason = random.oneIn(2) ? "no-words" : "not-smaller";
    return { type: "compaction-discarded", attempt, reason, usage: noUsage };
  }
  const midTurn = "progress" in state && state.progress.compaction?.midTurn === true;
  return {
    type: "compaction-finished",
    attempt,
    message: { ...userMessage(random), instruction: "compaction" },
    compacts: {
      through: null,
      messages: midTurn || sent.at(-1)?.role !== "user" ? 0 : 1,
      tokensBefore: 9,
      tokensAfter: 1,
      by: "share",
      model: "m/m",
    },
    canvas: null,
    usage: noUsage,
  };
}

/** Draws an event of a compaction that is not open. */
function lateCompaction(world: TurnWorld): TurnEvent {
  return world.random.oneIn(2) ? compacted(world, 4) : due({ ...world, state: { type: "idle" } });
}

function wishOf(random: SeededRandom): CompactionWish {
  return random.oneIn(2) ? {} : { focus: `names ${random.below(3)}` };
}

/** Draws a late answer: of an attempt that is no longer open, or of an earlier turn. */
function lateReply(world: TurnWorld): TurnEvent {
  const { random } = world;
  const attempt = 4 + random.below(3);
  const message = reply(world);
  return random.oneIn(2)
    ? { type: "response-finished", attempt, message, usage: noUsage, facts: factsOf(random, message) }
    : { type: "response-failed", attempt, failure: failure(random), partial: message, now: 0 };
}

/** Draws a call that does not run now. */
function strangerOf(world: TurnWorld): ToolCallId {
  const id = `call-${world.random.below(world.nextId + 1)}` as ToolCallId;
  return world.tools.has(id) ? ("stranger" as ToolCallId) : id;
}

/** Restarts the process: nothing open survives, and the stored facts say what had started. */
function restart(world: TurnWorld): TurnEvent {
  const { random } = world;
  const partial = world.openRequest === null ? null : reply(world);
  const calls = [...world.tools.values()].flatMap(({ call, started, approved }): readonly UnfinishedCall[] => {
    const idempotent = random.oneIn(3);
    if (idempotent) world.done.delete(call.id);
    return random.oneIn(10) ? [] : [{ callId: call.id, started, idempotent, approved }];
  });
  world.openRequest = null;
  world.tools.clear();
  world.agents.clear();
  world.retryDue = null;
  world.expiryDue = null;
  return { type: "process-restarted", partial, calls, now: random.below(100_000) };
}

function userMessage(random: SeededRandom): UserMessage {
  return { role: "user", content: [{ type: "text", text: `question ${random.below(1_000)}` }] };
}

function reply(world: TurnWorld): AssistantMessage | null {
  const { random } = world;
  const content: AssistantContentBlock[] = [];
  if (random.oneIn(3)) content.push({ type: "thinking", text: "thought", signature: "signed" });
  if (!random.oneIn(3)) content.push({ type: "text", text: `answer ${random.below(1_000)}` });
  for (let calls = random.oneIn(2) ? random.below(5) : 0; calls > 0; calls -= 1) content.push(toolUse(world));
  return isNonEmpty(content) ? { role: "assistant", content } : null;
}

function toolUse(world: TurnWorld): AssistantContentBlock {
  world.nextId += 1;
  const id = `call-${world.nextId}` as ToolCallId;
  const name = world.random.pick(["canvas_apply_patch", "canvas_apply_patch", "tool", "submit_result"] as const);
  const parameters = name === "submit_result" ? { result: "found" } : {};
  const use = { type: "tool-use", id, name, parameters } as const;
  return world.random.oneIn(5) ? { ...use, argumentsError: "not JSON" } : use;
}

function factsOf(random: SeededRandom, message: AssistantMessage | null): ReplyFacts {
  const ids = (message?.content ?? []).flatMap((block) => (block.type === "tool-use" ? [block.id] : []));
  return {
    policy: random.pick(callPolicies),
    writes: ids.filter(() => random.oneIn(2)),
    contextUsed: random.oneIn(12) ? 0.9 + random.below(20) / 100 : random.oneIn(2) ? random.below(90) / 100 : null,
    contextWarned: random.oneIn(2),
    compacts: random.oneIn(3),
  };
}

function outcome(random: SeededRandom): SubAgentOutcome {
  return random.oneIn(3)
    ? { type: "failed", reason: "timed-out", message: "Too late." }
    : { type: "completed", result: "found", success: true, implicit: random.oneIn(4) };
}

function result(id: ToolCallId): ToolMessage {
  return { role: "tool", tool_call_id: id, tool_name: "tool", content: [{ type: "text", text: "" }], outcome: "ok" };
}

function failure(random: SeededRandom): ModelFailure {
  const retryable = !random.oneIn(3);
  const base = { class: random.pick(failureClasses), message: "It failed.", retryable };
  return random.oneIn(3) ? { ...base, retryAfterMs: random.below(200_000) } : base;
}
