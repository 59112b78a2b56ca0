import type { Mutant } from "./mutant.ts";

const round = "src/core/turn/step/round.ts";
const rounds = "src/core/turn/rows/rows-of-rounds.ts";
const requests = "src/core/turn/rows/rows-of-requests.ts";
const agents = "src/core/turn/rows/rows-of-agents.ts";
const reply = "src/core/turn/step/reply.ts";
const walk = "src/core/turn/turn-walk.test.ts";

/** Defects of the turn machine that random walks detect by its laws alone. */
export const mutants: readonly Mutant[] = [
  {
    name: "a started call runs again after a crash",
    file: rounds,
    search: "return !tooOften && facts !== undefined && (!facts.started || facts.idempotent);",
    replacement: "return !tooOften && facts !== undefined;",
    test: walk,
  },
  {
    name: "a call of unknown state runs again after a crash",
    file: rounds,
    search: "return !tooOften && facts !== undefined && (!facts.started || facts.idempotent);",
    replacement: "return !tooOften && (facts === undefined || !facts.started || facts.idempotent);",
    test: walk,
  },
  {
    name: "results are stored in the order of arrival, not of the calls",
    file: round,
    search: "if (result === undefined) break;",
    replacement: "if (result === undefined) { rest.shift(); continue; }",
    test: walk,
  },
  {
    name: "a round continues beside a call that needs a person",
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
    name: "a cancel leaves waiting calls without results",
    file: round,
    search: "return round.pending.map((call) =>",
    replacement: "return round.pending.slice(0, 1).map((call) =>",
    test: walk,
  },
  {
    name: "a turn calls tools without limit",
    file: round,
    search: "progress.rounds >= context.roundsMax",
    replacement: "progress.rounds >= context.roundsMax + 1",
    test: walk,
  },
  {
    name: "calls get no results when the context is full",
    file: reply,
    search: 'if (isFull(facts)) return sumUp(reply, calls, refuse("context-full"));',
    replacement: "if (isFull(facts)) return sumUp(reply, calls, saved);",
    test: walk,
  },
  {
    name: "a stopped reply keeps its calls open",
    file: requests,
    search: "[save(kept, usage), ...calls.map((call) => save(resultOf(call)))]",
    replacement: "[save(kept, usage), ...calls.slice(1).map((call) => save(resultOf(call)))]",
    test: walk,
  },
  {
    name: "the wait for sub-agents ends with the first one",
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
    name: "a broken attempt's message keeps calls that nobody will answer",
    file: requests,
    search: 'const kept = partial === null || asking === "compaction" ? null : withoutToolUses(partial);',
    replacement: "const kept = partial;",
    test: walk,
  },
];
