import { run, runTool } from "./command.ts";

// Every check that does not run the product: format, types, lint, unused code, layers, and the same of the walks.

const steps: readonly (readonly [string, () => Promise<number>])[] = [
  ["form", () => runTool("oxfmt/bin/oxfmt", ["--check", "."])],
  ["types", () => runTool("typescript/bin/tsc", ["-b"])],
  ["types of the examples, against what is built", () => runTool("typescript/bin/tsc", ["-p", "examples"])],
  ["types of tests, scripts and benchmarks", () => runTool("typescript/bin/tsc", ["-p", "test"])],
  ["types of the web app", () => runTool("typescript/bin/tsc", ["-p", "web"])],
  ["lint", () => runTool("oxlint/bin/oxlint", ["--type-aware", "--deny-warnings"])],
  ["unused code and dependencies", () => runTool("knip/bin/knip.js", ["--no-progress"])],
  ["layers", () => runTool("vitest/vitest.mjs", ["run", "--reporter=./test/reporter.ts", "test/tidy"])],
  ["the walks of docs/extending.md", () => run(process.execPath, ["scripts/walks.ts"])],
];

const failed: string[] = [];
for (const [name, step] of steps) {
  console.log(`\ncheck: ${name}`);
  if ((await step()) !== 0) failed.push(name);
}
console.log(failed.length === 0 ? "\ncheck: clean" : `\ncheck: failed: ${failed.join("; ")}`);
process.exit(failed.length === 0 ? 0 : 1);
