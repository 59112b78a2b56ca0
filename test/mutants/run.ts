import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { Mutant } from "./mutant.ts";
import { SourceCopy } from "./source-copy.ts";

// node test/mutants/run.ts [LIST]... [--match TEXT]: applies each mutant to a copy of the sources; its test must fail.

const repository = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(repository, "test/mutants");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { match: { type: "string", default: "" } },
});
const lists = readdirSync(folder)
  .filter((name) => name.endsWith(".ts") && !["run.ts", "mutant.ts", "source-copy.ts", "generated.ts"].includes(name))
  .map((name) => name.slice(0, -3));
const unknown = positionals.filter((name) => !lists.includes(name));
if (unknown.length > 0) {
  console.error(`usage: node test/mutants/run.ts [${lists.join("|")}]... [--match TEXT]`);
  process.exit(2);
}

const mutants: Mutant[] = [];
for (const name of positionals.length === 0 ? lists : positionals) {
  const list = (await import(pathToFileURL(join(folder, `${name}.ts`)).href)) as {
    readonly mutants: readonly Mutant[];
  };
  mutants.push(...list.mutants.filter((mutant) => mutant.name.includes(values.match)));
}

const copy = new SourceCopy();
let survivors = 0;
try {
  for (const [key, mutant] of new Map(mutants.map((one) => [`${one.test} ${one.only ?? ""}`, one]))) {
    if (!runs(mutant)) throw new Error(`${key} fails without any defect`);
  }
  for (const mutant of mutants) {
    const survived = tryMutant(mutant);
    if (survived) survivors += 1;
    console.log(`${survived ? "SURVIVED" : "found   "}  ${mutant.name}  (${mutant.test})`);
  }
} finally {
  copy.remove();
}
console.log(`${mutants.length - survivors} of ${mutants.length} mutants found`);
process.exit(survivors === 0 ? 0 : 1);

/** Returns whether the test passes in spite of the defect. */
function tryMutant(mutant: Mutant): boolean {
  const mend = copy.plant(mutant);
  try {
    return runs(mutant);
  } finally {
    mend();
  }
}

function runs(mutant: Mutant): boolean {
  const vitest = join(repository, "node_modules/vitest/vitest.mjs");
  const only = mutant.only === undefined ? [] : ["-t", mutant.only];
  const done = spawnSync(process.execPath, [vitest, "run", mutant.test, "--bail", "1", ...only], {
    cwd: copy.folder,
    encoding: "utf8",
    timeout: 300_000,
    env: {
      NO_COLOR: "1",
      ...process.env,
      HEDDLE_TEST_DATA: process.env["HEDDLE_TEST_DATA"] ?? join(dirname(repository.replace(/\/$/, "")), "shared/data"),
    },
  });
  if (!/Tests .*\d+ (?:passed|failed)/.test(done.stdout)) {
    throw new Error(`${mutant.name}: its test could not be run\n${done.stdout}${done.stderr}`);
  }
  return done.status === 0;
}
