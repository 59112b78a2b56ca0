import { parseArgs } from "node:util";
import { simulate, type SimulationReport } from "./simulate.ts";

// npm run sim [-- --seeds N] [--from S] [--seed S]: one line at the end; a seed that fails is named and ends the run.

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "200" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
  },
});
const from = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
if (!Number.isInteger(from) || !Number.isInteger(count) || count < 1) {
  console.error("usage: npm run sim -- [--seeds N] [--from S] | --seed S");
  process.exit(2);
}
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
    `${sum((r) => r.cuts)} cuts, ${sum((r) => r.crashes)} crashes, ${(sum((r) => r.lastedMs) / 60_000).toFixed(0)} minutes of life ` +
    `in ${((performance.now() - started) / 1000).toFixed(1)} s; nothing lost`,
);
process.exit(0);
