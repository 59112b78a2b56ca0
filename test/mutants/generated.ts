import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { sourceFiles } from "../tidy/source-files.ts";
import { findCandidates, type Candidate } from "./generated/candidates.ts";
import { equalMutants, isAbout } from "./generated/equal.ts";
import { KeptOutcomes } from "./generated/kept-outcomes.ts";
import { nearestTests } from "./generated/nearest-tests.ts";
import { TestWorker } from "./generated/test-worker.ts";
import { Trials, type Outcome } from "./generated/trials.ts";
import { weave } from "./generated/weave.ts";

// node test/mutants/generated.ts [--count N] [--seed S] [--only FOLDER] [--part FOLDER] [--tests FOLDER] [--workers N]
// [--budget SECONDS] [--kept FILE]: draws N small defects of the sources and tries each on the tests that reach it. The sources on
// the disk stay as they are: all drawn mutants are compiled in at once, and one is switched on for each run. FOLDER may be several
// with commas between, or files, or lines: src/core/a.ts:12:. `--only` draws from FOLDER alone; `--part` draws from all and tries
// what lies in FOLDER, so that one draw can be tried in parts. The budget is how much of the tests that reach a mutant is tried on
// it, by the time that they take without it: more on a busy machine. A mutant that survived as far as the budget went is told apart
// from one that all tests let pass; neither counts as found. What came of each is written to `--kept` as it comes, and a run of the
// same sources and draw goes on from there: it tries what is left, and again what no test found where the tests have changed. Exits with 1 where fewer than `leastFound` of those that are not equal are found.

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    part: { type: "string", default: "" },
    tests: { type: "string", default: "" },
    workers: { type: "string", default: String(availableParallelism()) },
    budget: { type: "string", default: "30" },
    kept: { type: "string" },
  },
});

const leastFound = 0.85;

const mutated = /^src\/(?:core|host\/(?:base|command|conversation|document|lease|replica|server|tool))\//;
const notSource = /\.(?:test|test-support|bench)\.ts$/;
/** Tests that start programs, look at the sources, or hold something to the clock. */
const notTried =
  /^(?:test\/(?:e2e|process|package|power-cut|sandbox|tidy|golden|extending|patch|mutants|postgres)|test\/providers\/abort|src\/adapters\/(?:shell|mcp)|src\/host\/(?:cli|mcp-servers)|src\/host\/server\/.*hostile-push)/;

interface Drawn extends Candidate {
  readonly id: number;
}

const started = performance.now();
const files = sourceFiles();
const candidates = files
  .filter(({ path }) => mutated.test(path) && !notSource.test(path))
  .flatMap(({ path, text }) => findCandidates(path, text));
const stale = equalMutants.filter((entry) => !candidates.some((candidate) => isAbout(entry, candidate)));
for (const { file, before, after } of stale) console.log(`NO LONGER THERE  ${file}: ${before} → ${after}`);

const drawn = draw(
  candidates.filter(({ file, line }) => isIn(`${file}:${line}:`, values.only)),
  Number(values.count),
  Number(values.seed),
).filter(({ file, line }) => isIn(`${file}:${line}:`, values.part));
const tried = drawn.filter((mutant) => !equalMutants.some((entry) => isAbout(entry, mutant)));

const tests = files
  .filter(({ path }) => /^(?:src|test)\/.*\.test\.ts$/.test(path) && !notTried.test(path))
  .filter(({ imports }) => !imports.some((path) => path.startsWith("test/postgres/")))
  .map(({ path }) => path)
  .filter((path) => isIn(path, values.tests));
const nearest = nearestTests(files, tests);
const folder = mkdtempSync(join(tmpdir(), "heddle-generated-"));
const wovenFile = join(folder, "woven.json");
writeFileSync(wovenFile, JSON.stringify(Object.fromEntries(wovenSources(tried))));
const workers = Array.from({ length: Math.max(1, Number(values.workers)) }, () => new TestWorker(wovenFile));

const trials = new Trials({ folder, budgetMs: Number(values.budget) * 1_000 });
const { kept: _file, workers: _workers, part: _part, budget, ...drawing } = values;
const textsOf = (isWanted: (path: string) => boolean): ReadonlyMap<string, string> =>
  new Map(files.filter(({ path }) => isWanted(path)).map(({ path, text }) => [path, text]));
const isTest = (path: string): boolean => path.endsWith(".test.ts");
const kept = new KeptOutcomes(values.kept, {
  sources: [drawing, ...textsOf((path) => !isTest(path) && path !== "test/mutants/generated/equal.ts")],
  tests: textsOf(isTest),
  budgetMs: Number(budget) * 1_000,
});
const outcomes = new Map<Drawn, Outcome>();
const keptBefore = tried.filter(({ id }) => kept.of(id) !== undefined).length;
try {
  await each(tried, async (mutant, worker) => {
    const before = kept.of(mutant.id);
    const outcome = before ?? (await trials.try(mutant.id, nearest.get(mutant.file) ?? [], worker));
    if (before === undefined) kept.keep(mutant.id, outcome);
    outcomes.set(mutant, outcome);
    if (outcome.type !== "found") console.log(shown(mutant, outcome));
    if (outcomes.size % 50 === 0)
      console.error(`${outcomes.size} of ${tried.length}, ${found()} found, ${seconds()} s`);
  });
} finally {
  for (const worker of workers) worker.stop();
  rmSync(folder, { recursive: true, force: true });
}
for (const [test, failure] of trials.failing) console.log(`FAILS WITHOUT A MUTANT  ${test}: ${failure}`);
const folders = Map.groupBy(drawn, ({ file }) => file.split("/").slice(0, 3).join("/"));
for (const [name, mutants] of folders) console.log(`${name}: ${counted(mutants)}`);
const share = tried.length === 0 ? 1 : found() / tried.length;
console.log(
  `seed ${values.seed}, of ${candidates.length} mutants: ${counted(drawn)}; ${(share * 100).toFixed(1)} % found, ` +
    `${keptBefore} known from an earlier run, ${seconds()} s`,
);
process.exit(share >= leastFound && stale.length === 0 ? 0 : 1);

/** How many of those tried so far were found. */
function found(): number {
  return [...outcomes.values()].filter(({ type }) => type === "found").length;
}

/** What came of some of the drawn mutants, in numbers. */
function counted(mutants: readonly Drawn[]): string {
  const all = mutants.flatMap((mutant) => outcomes.get(mutant) ?? []);
  const of = (type: Outcome["type"]): number => all.filter((outcome) => outcome.type === type).length;
  const late = all.filter((outcome) => outcome.type === "found" && outcome.late).length;
  return (
    `${mutants.length} drawn, ${of("found")} found (${late} by the time limit), ${of("survived")} survived, ` +
    `${of("unreached")} unreached, ${of("out-of-budget")} out of budget, ${mutants.length - all.length} equal`
  );
}

function shown({ file, line, before, after }: Drawn, outcome: Exclude<Outcome, { type: "found" }>): string {
  const change = `${file}:${line}: ${before} → ${after}`;
  switch (outcome.type) {
    case "survived":
      return `SURVIVED   ${change}`;
    case "unreached":
      return `UNREACHED  ${change}`;
    case "out-of-budget": {
      const spent = Math.round(outcome.spentMs / 1_000);
      const left = `passed for ${spent} s; ${outcome.left.length} test files left, first ${outcome.left[0]}`;
      return `NO BUDGET  ${change}  (${left})`;
    }
  }
}

function isIn(path: string, folders: string): boolean {
  return folders.split(",").some((folder) => path.startsWith(folder));
}

/** Draws without putting back; the numbers follow the order of the sources, as `weave` needs it. */
function draw(from: readonly Candidate[], count: number, seed: number): readonly Drawn[] {
  const random = seededRandom(seed);
  const pool = from.map((_candidate, index) => index);
  const taken: number[] = [];
  while (taken.length < count && pool.length > 0) taken.push(...pool.splice(random.below(pool.length), 1));
  const ordered = new Set(taken.toSorted((a, b) => a - b));
  return from
    .filter((_candidate, index) => ordered.has(index))
    .map((candidate, index) => ({ ...candidate, id: index + 1 }));
}

/** The sources that have mutants, by their absolute paths' ends, with all of them woven in. */
function wovenSources(mutants: readonly Drawn[]): ReadonlyMap<string, string> {
  const byFile = Map.groupBy(mutants, ({ file }) => file);
  return new Map(
    files.flatMap(({ path, text }) => {
      const inFile = byFile.get(path);
      return inFile === undefined ? [] : [[path, weave(text, inFile)] as const];
    }),
  );
}

/**
 * Gives each of a list to the next worker that is free. Every second worker begins at the end: mutants side by side wait for
 * the same baselines.
 */
async function each<Item>(
  list: readonly Item[],
  work: (item: Item, worker: TestWorker) => Promise<void>,
): Promise<void> {
  const left = [...list];
  await Promise.all(
    workers.map(async (worker, index) => {
      const next = (): Item | undefined => (index % 2 === 0 ? left.shift() : left.pop());
      for (let item = next(); item !== undefined; item = next()) await work(item, worker);
    }),
  );
}

function seconds(): number {
  return Math.round((performance.now() - started) / 1000);
}
