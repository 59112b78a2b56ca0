import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { sourceFiles } from "../tidy/source-files.ts";
import { findCandidates, type Candidate } from "./generated/candidates.ts";
import { equalMutants, isAbout } from "./generated/equal.ts";
import { nearestTests } from "./generated/nearest-tests.ts";
import { TestWorker } from "./generated/test-worker.ts";
import { weave } from "./generated/weave.ts";

// node test/mutants/generated.ts [--count N] [--seed S] [--only FOLDER] [--workers N] [--budget SECONDS]: draws N small
// defects of the sources and tries each on the tests that reach it. The sources on the disk stay as they are: all drawn mutants
// are compiled in at once, and one is switched on for each run. Exits with 1 where fewer than `leastFound` of those that are not
// equal are found.

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    workers: { type: "string", default: String(availableParallelism()) },
    budget: { type: "string", default: "30" },
  },
});

const leastFound = 0.85;
/** How much of the covering tests is tried on one mutant, by the time that they take without any: more on a busy machine. */
const budgetMs = Number(values.budget) * 1_000;

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
  candidates.filter(({ file }) => file.startsWith(values.only)),
  Number(values.count),
  Number(values.seed),
);
const equal = drawn.filter((mutant) => equalMutants.some((entry) => isAbout(entry, mutant)));
const tried = drawn.filter((mutant) => !equal.includes(mutant));

const tests = files
  .filter(({ path }) => /^(?:src|test)\/.*\.test\.ts$/.test(path) && !notTried.test(path))
  .filter(({ imports }) => !imports.some((path) => path.startsWith("test/postgres/")))
  .map(({ path }) => path);
const nearest = nearestTests(files, tests);
const folder = mkdtempSync(join(tmpdir(), "heddle-generated-"));
const wovenFile = join(folder, "woven.json");
writeFileSync(wovenFile, JSON.stringify(Object.fromEntries(wovenSources(tried))));
const workers = Array.from({ length: Math.max(1, Number(values.workers)) }, () => new TestWorker(wovenFile));

/** How long a test file takes without any mutant on, and which mutants it reaches. */
interface Baseline {
  readonly ms: number;
  readonly reached: ReadonlySet<number>;
}

const baselines = new Map<string, Promise<Baseline | undefined>>();
const survivors: Drawn[] = [];
let timedOut = 0;
try {
  let done = 0;
  await each(tried, async (mutant, worker) => {
    const outcome = await tryMutant(mutant, worker);
    if (outcome !== "found") {
      survivors.push(mutant);
      console.log(
        `${outcome === "survived" ? "SURVIVED " : "UNREACHED"} ${mutant.file}:${mutant.line}: ${mutant.before} → ${mutant.after}`,
      );
    }
    done += 1;
    if (done % 50 === 0) console.error(`${done} of ${tried.length}, ${survivors.length} survived, ${seconds()} s`);
  });
} finally {
  for (const worker of workers) worker.stop();
  rmSync(folder, { recursive: true, force: true });
}
const found = tried.length - survivors.length;
const share = tried.length === 0 ? 1 : found / tried.length;
console.log(
  `${drawn.length} of ${candidates.length} mutants drawn with seed ${values.seed}: ${found} found (${timedOut} by the time limit), ` +
    `${survivors.length} survived, ${equal.length} equal; ${(share * 100).toFixed(1)} % found, ${seconds()} s`,
);
process.exit(share >= leastFound && stale.length === 0 ? 0 : 1);

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
 * Runs a test file without any mutant on, when a mutant first asks for it; undefined where it fails. Most mutants are found
 * by the nearest test, so that most of the tests far from all drawn mutants never run.
 */
function baselineOf(test: string, worker: TestWorker): Promise<Baseline | undefined> {
  let baseline = baselines.get(test);
  if (baseline === undefined) baselines.set(test, (baseline = measure(test, worker)));
  return baseline;
}

async function measure(test: string, worker: TestWorker): Promise<Baseline | undefined> {
  const reachedFile = join(folder, test.replaceAll("/", "_"));
  const before = performance.now();
  const report = await worker.run({ mutant: 0, test, limitMs: 120_000, reachedFile });
  const ms = performance.now() - before;
  if (report === "timeout" || !report.passed) {
    console.log(`FAILS WITHOUT A MUTANT  ${test}: ${report === "timeout" ? report : report.failure}`);
    return undefined;
  }
  return { ms, reached: new Set(JSON.parse(readFileSync(reachedFile, "utf8")) as readonly number[]) };
}

/**
 * Tries a mutant on the tests that reach it, nearest first, as far as the budget goes; on the nearest one always. A mutant
 * that none of them reaches survives too.
 */
async function tryMutant(mutant: Drawn, worker: TestWorker): Promise<"found" | "survived" | "unreached"> {
  let spentMs = 0;
  for (const test of nearest.get(mutant.file) ?? []) {
    const baseline = await baselineOf(test, worker);
    if (baseline?.reached.has(mutant.id) !== true) continue;
    if (spentMs > 0 && spentMs + baseline.ms > budgetMs) continue;
    spentMs += baseline.ms;
    const report = await worker.run({ mutant: mutant.id, test, limitMs: 5000 + 4 * baseline.ms, reachedFile: "" });
    if (report === "timeout") timedOut += 1;
    if (report === "timeout" || !report.passed) return "found";
  }
  return spentMs > 0 ? "survived" : "unreached";
}

/** Gives each of a list to the next worker that is free. */
async function each<Item>(
  list: readonly Item[],
  work: (item: Item, worker: TestWorker) => Promise<void>,
): Promise<void> {
  const left = [...list];
  await Promise.all(
    workers.map(async (worker) => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item, worker);
    }),
  );
}

function seconds(): number {
  return Math.round((performance.now() - started) / 1000);
}
