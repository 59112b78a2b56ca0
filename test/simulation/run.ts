import { parseArgs } from "node:util";
import { runTurnWalk } from "../../src/core/turn/turn-walk.test-support.ts";
import { runTextSession } from "../text/session.ts";
import { simulate, type SimulationReport } from "./simulate.ts";

// npm run sim [-- --text | --turns] [--seeds N] [--from S] [--seed S]: prints one line at the end; names a failing seed
// and stops. --text: only replicas of one text, against an oracle, 10,000 seeds by default. --turns: only the turn
// machine, in a world that answers late and crashes, 10,000 seeds of 100 events by default.

const { values } = parseArgs({
  options: {
    text: { type: "boolean", default: false },
    turns: { type: "boolean", default: false },
    seeds: { type: "string" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
  },
});
const from = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds ?? (values.text || values.turns ? 10_000 : 200)) : 1;
if (!Number.isInteger(from) || !Number.isInteger(count) || count < 1) {
  console.error("usage: npm run sim -- [--text | --turns] [--seeds N] [--from S] | --seed S");
  process.exit(2);
}
if (values.text) simulateTexts();
if (values.turns) simulateTurns();
const started = performance.now();
const reports: SimulationReport[] = [];
for (let seed = from; seed < from + count; seed += 1) {
  try {
    reports.push(await simulate(seed));
  } catch (problem) {
    console.error(problem);
    console.error(`replay: npm run sim -- --seed ${seed}`);
    process.exit(1);
  }
}
const sum = (pick: (report: SimulationReport) => number): number =>
  reports.reduce((total, report) => total + pick(report), 0);
console.log(
  `simulation: seeds ${from} to ${from + count - 1}: ${sum((r) => r.typed)} words typed, ${sum((r) => r.messages)} messages, ` +
    `${sum((r) => r.cuts)} cuts, ${sum((r) => r.crashes)} crashes, ${sum((r) => r.faults.unheard)} of them between a commit and its answer, ` +
    `${sum((r) => r.faults.full)} full disks, ${sum((r) => r.faults.jumps)} jumps of the clock, ${sum((r) => r.faults.broken)} broken replies, ${sum((r) => r.forgotten)} changes let go of, ${(sum((r) => r.lastedMs) / 60_000).toFixed(0)} minutes of life ` +
    `in ${((performance.now() - started) / 1000).toFixed(1)} s; nothing lost`,
);
process.exit(0);

function simulateTexts(): never {
  const sums = { replicas: 0, edits: 0, undone: 0, crashes: 0, compactions: 0 };
  const begun = performance.now();
  for (let seed = from; seed < from + count; seed += 1) {
    try {
      // Every fiftieth run is long enough for deep trees in the engine.
      const report = runTextSession(seed, seed % 50 === 0 ? 400 : undefined);
      for (const key of ["replicas", "edits", "undone", "crashes", "compactions"] as const) sums[key] += report[key];
    } catch (problem) {
      console.error(problem);
      console.error(`replay: npm run sim -- --text --seed ${seed}`);
      process.exit(1);
    }
  }
  console.log(
    `text simulation: seeds ${from} to ${from + count - 1}: ${sums.replicas} replicas, ${sums.edits} edits, ` +
      `${sums.undone} of them undo or redo, ${sums.crashes} crashes, ${sums.compactions} compactions ` +
      `in ${((performance.now() - begun) / 1000).toFixed(1)} s; every text is the oracle's`,
  );
  process.exit(0);
}

function simulateTurns(): never {
  const sums = { accepted: 0, refused: 0, restarts: 0, toolRuns: 0, messages: 0 };
  const begun = performance.now();
  for (let seed = from; seed < from + count; seed += 1) {
    try {
      const report = runTurnWalk(seed, 100);
      for (const key of ["accepted", "refused", "restarts", "toolRuns", "messages"] as const) sums[key] += report[key];
    } catch (problem) {
      console.error(problem);
      console.error(`replay: npm run sim -- --turns --seed ${seed}`);
      process.exit(1);
    }
  }
  console.log(
    `turn simulation: seeds ${from} to ${from + count - 1}: ${sums.accepted + sums.refused} events, ${sums.refused} refused, ` +
      `${sums.restarts} restarts, ${sums.toolRuns} calls run, ${sums.messages} messages ` +
      `in ${((performance.now() - begun) / 1000).toFixed(1)} s; every history is whole`,
  );
  process.exit(0);
}
