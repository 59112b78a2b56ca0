import { parseArgs } from "node:util";
import { differential, differentialTable } from "./differential.ts";
import { countHunks } from "./edits.ts";
import { generatedEdits } from "./generated-edits.ts";
import { historyEdits } from "./history-edits.ts";
import { mutationTable, mutationText } from "./mutation-table.ts";

// node test/patch/run.ts [--hunks N] [--mutants N] [--seed S]: compares the patch engine with git, and tries spoiled
// patches by kind.

const { values } = parseArgs({
  options: {
    hunks: { type: "string", default: "20000" },
    mutants: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
  },
});
const [hunks, mutants, seed] = [Number(values.hunks), Number(values.mutants), Number(values.seed)];
if (![hunks, mutants, seed].every((number) => Number.isInteger(number) && number > 0)) {
  console.error("usage: node test/patch/run.ts [--hunks N] [--mutants N] [--seed S]");
  process.exit(2);
}
const real = historyEdits(hunks);
const generated = generatedEdits(Math.max(1_000, hunks - countHunks(real)), seed);
const edits = [...real, ...generated];
const report = differential(edits);
const rows = mutationTable(edits, mutants, seed);
for (const trial of [...report.unexplained, ...report.wrong].slice(0, 3)) console.error(`${trial}\n`);
for (const { name, example } of rows) if (example !== undefined) console.error(`${name}: ${example}\n`);
console.log(`${countHunks(real)} hunks of this repository's history, the others generated from seed ${seed}`);
console.log(differentialTable(report));
console.log(mutationText(rows));
const holds = report.wrong.length === 0 && report.unexplained.length === 0 && rows.every((row) => row.holds);
process.exit(holds ? 0 : 1);
