import { parseArgs } from "node:util";
import { fuzzAcp } from "./fuzz-acp.ts";
import { fuzzMcp } from "./fuzz-mcp.ts";
import { fuzzSyntax } from "./fuzz-syntax.ts";
import { fuzzProviders } from "./fuzz-providers.ts";
import { fuzzText } from "./fuzz-text.ts";

// npm run fuzz -- text|syntax|providers|acp|mcp [--count N] [--seed S]; syntax also --only PATTERN, of dialect and law

const targets = { text: fuzzText, syntax: fuzzSyntax, providers: fuzzProviders, acp: fuzzAcp, mcp: fuzzMcp } as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
  },
});
const target = Object.entries(targets).find(([name]) => name === positionals[0]);
const count = Number(values.count);
const seed = Number(values.seed);
if (
  target === undefined ||
  !Number.isInteger(count) ||
  !Number.isInteger(seed) ||
  (values.only !== undefined && target[0] !== "syntax")
) {
  console.error(
    `usage: npm run fuzz -- ${Object.keys(targets).join("|")} [--count N] [--seed S]; of syntax also --only PATTERN`,
  );
  process.exit(2);
}
const [name, fuzz] = target;
const started = performance.now();
const report = await fuzz(count, seed, values.only);
console.log(
  `fuzz ${name}: seeds ${seed} to ${seed + count - 1} in ${((performance.now() - started) / 1000).toFixed(1)} s`,
);
console.log(JSON.stringify(report));
