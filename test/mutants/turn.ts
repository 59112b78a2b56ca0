import type { Mutant } from "./mutant.ts";

const round = "src/core/turn/round.ts";
const rounds = "src/core/turn/rows-of-rounds.ts";
const requests = "src/core/turn/rows-of-requests.ts";
const agents = "src/core/turn/rows-of-agents.ts";
const reply = "src/core/turn/reply.ts";
const walk = "src/core/turn/turn-walk.test.ts";

/** Defects of the turn machine that random walks find by their laws alone. */
export const mutants: readonly Mutant[] = [
  {
    name: "a call that had started is run again after a crash",
    file: rounds,
    search: "return !tooOften && facts !== undefined && (!facts.started || facts.idempotent);",
    replacement: "return !tooOften && facts !== undefined;",
    test: walk,
  },
  {
    name: "a call of which nothing is known is run again after a crash",
    file: rounds,
    search: "return !tooOften && facts !== undefined && (!facts.started || facts.idempotent);",
    replacement: "return !tooOften && (facts === undefined || !facts.started || facts.idempotent);",
    test: walk,
  },
  {
    name: "results are stored as they come, whatever was asked for first",
    file: round,
    search: "if (result === undefined) break;",
    replacement: "if (result === undefined) { rest.shift(); continue; }",
    test: walk,
  },
  {
    name: "a round goes on beside a call that needs a person",
    file: rounds,
    search: "state.running.length > 1",
    replacement: "state.running.length > 9",
    test: walk,
  },
  {
    name: "calls with unreadable arguments run",
    file: round,
    search: 'if (call.argumentsError !== undefined) answers.push(syntheticResult(call, "arguments-invalid"));',
    replacement: "",
    test: walk,
  },
  {
    name: "a cancel leaves the calls that wait without results",
    file: round,
    search: "return round.pending.map((call) =>",
    replacement: "return round.pending.slice(0, 1).map((call) =>",
    test: walk,
  },
  {
    name: "a turn calls tools without end",
    file: round,
    search: "progress.rounds >= context.roundsMax",
    replacement: "progress.rounds >= context.roundsMax + 1",
    test: walk,
  },
  {
    name: "the calls of a full context have no results",
    file: reply,
    search: 'if (isFull(facts)) return sumUp(reply, calls, refuse("context-full"));',
    replacement: "if (isFull(facts)) return sumUp(reply, calls, saved);",
    test: walk,
  },
  {
    name: "a reply that was stopped keeps its calls open",
    file: requests,
    search: "[save(kept, usage), ...calls.map((call) => save(resultOf(call)))]",
    replacement: "[save(kept, usage), ...calls.slice(1).map((call) => save(resultOf(call)))]",
    test: walk,
  },
  {
    name: "the wait for sub-agents ends with the first of them",
    file: agents,
    search: "atWork(agents).length > 0 ?",
    replacement: "atWork(agents).length === agents.length ?",
    test: walk,
  },
  {
    name: "a late answer to an earlier attempt counts",
    file: requests,
    search: "return state.retryAt === null && event.attempt === state.attempt;",
    replacement: "return state.retryAt === null;",
    test: walk,
  },
  {
    name: "what a broken attempt had shown keeps calls that nobody will answer",
    file: requests,
    search: "const kept = partial === null ? null : withoutToolUses(partial);",
    replacement: "const kept = partial;",
    test: walk,
  },
];
