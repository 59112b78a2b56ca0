import type { JsonObject } from "../../src/core/base/json.ts";
import type { RunId } from "../../src/core/base/ids.ts";
import { textOf } from "../../src/core/message/content.ts";
import { noUsage } from "../../src/core/message/usage.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import { isSettled } from "../../src/core/turn/step/precheck.ts";
import {
  brokenLine,
  fails,
  says,
  type Script,
  type ScriptStep,
  type World,
} from "../../src/host/conversation/queue/conversation.test-support.ts";
import { subAgentPrompt } from "../../src/host/conversation/sub-agents.ts";
import { seededRandom, type SeededRandom } from "../../src/testing/seeded-random.ts";

/** The behaviour of its tools, by name: `safe` ones may run twice, `out` ones need a person. */
const tools = ["slow", "slow", "safe", "fail", "write", "out", "break"] as const;

/** How many times a branch may call tools before it is answered in words. */
const callsMax = 8;

/**
 * A model that always gives the same reply to the same history: its reply is drawn from the seed and from the history
 * so far. Only whether a line breaks depends on how often it has been asked.
 */
export function scriptOf(seed: number): Script {
  return (request, turn) => {
    const said = request.messages.map(spoken).join("\n");
    const random = seededRandom(hashOf(`${seed}\n${request.system}\n${said}`));
    const results = request.messages.filter(({ role }) => role === "tool").length;
    if (turn % 3 === 0 && random.oneIn(4)) return broken(random);
    if (request.system.startsWith(subAgentPrompt)) return ofAgent(random, results);
    return results >= callsMax || random.oneIn(3) ? inWords(random) : inCalls(random);
  };
}

function ofAgent(random: SeededRandom, results: number): readonly ScriptStep[] {
  if (results < 2 && random.oneIn(2)) return callsOf([[random.pick(tools), {}]], random);
  return random.oneIn(4) ? says("all is well") : callsOf([["submit_result", { result: "found it" }]], random);
}

function inWords(random: SeededRandom): readonly ScriptStep[] {
  return [
    { type: "text-start", index: 0 },
    { type: "text-delta", index: 0, text: "so " },
    { pauseMs: random.pick([0, 30, 200]) },
    { type: "text-delta", index: 0, text: `it is ${random.below(100)}` },
    { type: "text-end", index: 0 },
    { type: "finished", reason: "end-turn", usage: noUsage },
  ];
}

function inCalls(random: SeededRandom): readonly ScriptStep[] {
  const count = 1 + random.below(3);
  return callsOf(
    Array.from({ length: count }, () => callFrom(random)),
    random,
  );
}

type Call = readonly [name: string, parameters: JsonObject];

function callFrom(random: SeededRandom): Call {
  switch (random.below(8)) {
    case 0:
      return ["ask_user", { questions: [{ question: "Which?", options: [{ label: "One" }, { label: "Two" }] }] }];
    case 1: {
      const tasks = Array.from({ length: 1 + random.below(3) }, (_, at) => ({
        task: `task ${at} of ${random.below(1_000)}`,
        time_limit_seconds: random.pick([2, 60]),
      }));
      return ["spawn_sub_agents", { tasks }];
    }
    default:
      return [random.pick(tools), {}];
  }
}

function callsOf(calls: readonly Call[], random: SeededRandom): readonly ScriptStep[] {
  const id = random.below(1_000_000_000);
  return [
    ...calls.flatMap(([name, parameters], index): readonly ScriptStep[] => [
      { type: "tool-call-start", index, id: `call-${name}-${id}-${index}`, name },
      { type: "tool-call-delta", index, text: JSON.stringify(parameters) },
      { type: "tool-call-end", index },
    ]),
    { type: "finished", reason: "tool-use", usage: noUsage },
  ];
}

function broken(random: SeededRandom): readonly ScriptStep[] {
  const shown: readonly ScriptStep[] = [
    { type: "text-start", index: 0 },
    { type: "text-delta", index: 0, text: "half a sen" },
    { pauseMs: 20 },
  ];
  return [...(random.oneIn(2) ? shown : []), ...fails(brokenLine)];
}

function spoken(message: ModelRequest["messages"][number]): string {
  return message.role === "tool" ? `${message.tool_call_id} ${message.outcome}` : `${message.role} ${textOf(message)}`;
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}

/**
 * A person who answers every question, the same each time, and stops a turn now and then. Continues until everything is
 * idle, or `roundsMax` half seconds have passed; true when everything is idle.
 */
export async function liveWith(world: World, seed: number, roundsMax: number): Promise<boolean> {
  for (let round = 0; round < roundsMax; round += 1) {
    await world.clock.advance(500);
    const waiting = (await everyRun(world)).filter(({ state }) => !isSettled(state));
    if (waiting.length === 0) return true;
    for (const run of waiting) await answer(world, run, seed);
  }
  return false;
}

export async function everyRun(world: World): ReturnType<World["store"]["runs"]> {
  const roots = await world.store.roots();
  return (await Promise.all(roots.map(({ id }) => world.store.runs(id)))).flat();
}

async function answer(
  { conversations, ada }: World,
  { id: runId, state }: { readonly id: RunId; readonly state: Awaited<ReturnType<typeof everyRun>>[number]["state"] },
  seed: number,
): Promise<void> {
  if (state.type === "awaiting-approval") {
    const { callId, argumentsHash } = state.request;
    const decision = hashOf(`${seed} ${callId}`) % 3 === 0 ? "deny" : "allow";
    await conversations.approvals.answer(ada, { runId, callId, argumentsHash, decision, remember: "once" });
  }
  if (state.type === "awaiting-answer") {
    const { callId, questions } = state;
    const answers = hashOf(`${seed} ${callId}`) % 3 === 0 ? null : questions.map(() => ({ chosen: ["One"] }));
    await conversations.runs.answerQuestion(ada, { runId, callId, answers });
  }
}
