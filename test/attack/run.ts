import { parseArgs } from "node:util";
import { attacked, beyond } from "./attacked.ts";
import { attacks } from "./attacks.ts";

// npm run attack -- NAME | all [--seconds N] [--short]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: "string", default: "8" }, short: { type: "boolean", default: false } },
});
const chosen = Object.entries(attacks).filter(([name]) => positionals.includes(name) || positionals.includes("all"));
const seconds = Number(values.seconds);
if (chosen.length === 0 || !(seconds > 0)) {
  console.error(`usage: npm run attack -- ${Object.keys(attacks).join("|")}|all [--seconds N] [--short]`);
  process.exit(2);
}
let failed = 0;
for (const [name, attack] of chosen) {
  const report = await attacked(name, { seconds, short: values.short });
  const { calm, p99Ms, slowestMs, memoryMb, descriptors, descriptorsAfter, keystrokes } = report;
  console.log(
    `${name}: ${attack.says}\n  keystrokes ${keystrokes}, p99 ${p99Ms.toFixed(1)} ms (before ${calm.p99Ms.toFixed(1)}), ` +
      `slowest ${slowestMs.toFixed(0)} ms (before ${calm.slowestMs.toFixed(0)}), ` +
      `memory +${memoryMb.toFixed(0)} MB, descriptors +${descriptors}, afterwards +${descriptorsAfter}`,
  );
  const problems = beyond(attack, report);
  for (const problem of problems) console.log(`  BEYOND ITS BOUND: ${problem}`);
  failed += problems.length > 0 ? 1 : 0;
}
process.exit(failed > 0 ? 1 : 0);
