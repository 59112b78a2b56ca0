import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Reach } from "./reach.ts";
import type { TestWorker } from "./test-worker.ts";
import type { RunReport } from "./warm-vitest.ts";

/** What came of the tests that reach a mutant. */
export type Outcome =
  | { readonly type: "found"; readonly by: string; readonly late: boolean }
  /** Every test that reaches it passed. */
  | { readonly type: "survived" }
  | { readonly type: "unreached" }
  /** Those that were tried passed; these test files may reach it too, and were not tried: the budget was used up. */
  | { readonly type: "out-of-budget"; readonly left: readonly string[]; readonly spentMs: number };

/** A test file as it runs without any mutant on. */
interface Baseline {
  /** Until its first test begins. */
  readonly loadMs: number;
  readonly testsById: ReadonlyMap<string, { readonly ms: number; readonly mutants: ReadonlySet<number> }>;
  readonly byAll: ReadonlySet<number>;
}

/** Tests of one file that reach a mutant. */
interface Reaching {
  readonly test: string;
  /** Undefined for all tests of the file. */
  readonly ids: readonly string[] | undefined;
  readonly ms: number;
}

/** Tries mutants on the tests that reach them, and no others: it knows of each test which mutants it reaches. */
export class Trials {
  readonly #folder: string;
  readonly #budgetMs: number;
  readonly #baselines = new Map<string, Promise<Baseline | undefined>>();
  /** The test files with a test that fails when the tests before it are left out. */
  readonly #dependent = new Set<string>();
  /** Of tests that failed with a mutant, whether they pass alone and without it. */
  readonly #passesAlone = new Map<string, Promise<boolean>>();
  readonly #failing = new Map<string, string>();

  constructor({ folder, budgetMs }: { readonly folder: string; readonly budgetMs: number }) {
    this.#folder = folder;
    this.#budgetMs = budgetMs;
  }

  /** The test files that fail without any mutant, by the first failure. */
  get failing(): ReadonlyMap<string, string> {
    return this.#failing;
  }

  /** Tries a mutant on the tests of these files, in this order, as far as the budget goes; on the first that reach it always. */
  async try(mutant: number, tests: readonly string[], worker: TestWorker): Promise<Outcome> {
    let spentMs = 0;
    const left: string[] = [];
    for (const test of tests) {
      // What is left over of the budget goes to tests that are known, rather than to finding out about further ones.
      if (left.length > 0 && !this.#baselines.has(test)) {
        left.push(test);
        continue;
      }
      const baseline = await this.#baselineOf(test, worker);
      if (baseline === undefined) continue;
      const reaching = this.#reaching(test, baseline, mutant);
      if (reaching === undefined) continue;
      const affordable = this.#affordable(baseline, reaching, spentMs);
      if (affordable !== reaching) left.push(test);
      if (affordable === undefined) continue;
      spentMs += affordable.ms;
      const report = await this.#run(mutant, affordable, worker);
      if (report === "timeout" || !report.passed) {
        const by = report === "timeout" ? test : `${test} > ${report.failure}`;
        return { type: "found", by, late: report === "timeout" || report.late === true };
      }
    }
    if (left.length > 0) return { type: "out-of-budget", left, spentMs };
    return spentMs > 0 ? { type: "survived" } : { type: "unreached" };
  }

  /** Returns as many of the tests, the shortest first, as the budget has left: one at least while nothing is spent. */
  #affordable(baseline: Baseline, reaching: Reaching, spentMs: number): Reaching | undefined {
    const { test, ids, ms } = reaching;
    const leftMs = this.#budgetMs - spentMs;
    if (ms <= leftMs || (ids === undefined && spentMs === 0)) return reaching;
    const msOfTest = (id: string): number => baseline.testsById.get(id)?.ms ?? 0;
    const taken: string[] = [];
    let takenMs = baseline.loadMs;
    for (const id of (ids ?? []).toSorted((a, b) => msOfTest(a) - msOfTest(b))) {
      if (takenMs + msOfTest(id) > leftMs && (spentMs > 0 || taken.length > 0)) break;
      taken.push(id);
      takenMs += msOfTest(id);
    }
    return taken.length === 0 ? undefined : { test, ids: taken, ms: takenMs };
  }

  /** Runs the tests with the mutant on; a failure that shows without it too makes all tests of the file run. */
  async #run(mutant: number, reaching: Reaching, worker: TestWorker): Promise<RunReport | "timeout"> {
    const { test, ids, ms } = reaching;
    const report = await worker.run({ mutant, test, ids, limitMs: 5000 + 4 * ms, reachedFile: "" });
    if (ids === undefined || report === "timeout" || report.passed) return report;
    const alone = report.id === undefined ? ids : [report.id];
    if (await this.#doesPass({ test, ids: alone, ms }, worker)) return report;
    this.#dependent.add(test);
    const all = await this.#baselineOf(test, worker);
    return this.#run(mutant, { test, ids: undefined, ms: all === undefined ? ms : msOf(all) }, worker);
  }

  #doesPass({ test, ids, ms }: Reaching, worker: TestWorker): Promise<boolean> {
    const key = `${test} ${ids?.join(" ")}`;
    let known = this.#passesAlone.get(key);
    if (known === undefined) {
      known = worker
        .run({ mutant: 0, test, ids, limitMs: 5000 + 4 * ms, reachedFile: "" })
        .then((report) => report !== "timeout" && report.passed);
      this.#passesAlone.set(key, known);
    }
    return known;
  }

  #reaching(test: string, baseline: Baseline, mutant: number): Reaching | undefined {
    const ids = [...baseline.testsById].filter(([, { mutants }]) => mutants.has(mutant)).map(([id]) => id);
    if (!baseline.byAll.has(mutant)) {
      if (ids.length === 0) return undefined;
      if (!this.#dependent.has(test)) return { test, ids, ms: msOf(baseline, ids) };
    }
    return { test, ids: undefined, ms: msOf(baseline) };
  }

  /**
   * Runs a test file without any mutant on, when a mutant first asks for it; undefined where it fails. Most mutants are
   * found by the nearest test, so that most of the tests far from all drawn mutants never run.
   */
  #baselineOf(test: string, worker: TestWorker): Promise<Baseline | undefined> {
    let baseline = this.#baselines.get(test);
    if (baseline === undefined) this.#baselines.set(test, (baseline = this.#measure(test, worker)));
    return baseline;
  }

  async #measure(test: string, worker: TestWorker): Promise<Baseline | undefined> {
    const reachedFile = join(this.#folder, test.replaceAll("/", "_"));
    const before = performance.now();
    const report = await worker.run({ mutant: 0, test, ids: undefined, limitMs: 120_000, reachedFile });
    const ms = performance.now() - before;
    if (report === "timeout" || !report.passed) {
      this.#failing.set(test, report === "timeout" ? report : report.failure);
      return undefined;
    }
    const { byAll, byTest } = JSON.parse(readFileSync(reachedFile, "utf8")) as Reach;
    const testsById = new Map(byTest.map(([id, reach]) => [id, { ms: reach.ms, mutants: new Set(reach.mutants) }]));
    const inTests = byTest.reduce((sum, [, reach]) => sum + reach.ms, 0);
    return { loadMs: Math.max(0, ms - inTests), testsById, byAll: new Set(byAll) };
  }
}

function msOf({ loadMs, testsById }: Baseline, ids: readonly string[] = [...testsById.keys()]): number {
  return ids.reduce((sum, id) => sum + (testsById.get(id)?.ms ?? 0), loadMs);
}
