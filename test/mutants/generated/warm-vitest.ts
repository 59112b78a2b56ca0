import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { createVitest, type TestCase } from "vitest/node";
import { repository } from "../../tidy/source-files.ts";

// A vitest that stays, with all mutants woven into the sources it serves: node warm-vitest.ts WOVEN-SOURCES-FILE, with an
// IPC channel. A message is one run; it is answered when the run is over.

/** A run to make. */
export interface RunRequest {
  readonly mutant: number;
  /** The test file, from the repository's root; the first test that fails ends the run. */
  readonly test: string;
  /** The ids of the tests to run; all of the file where it is undefined. */
  readonly ids: readonly string[] | undefined;
  readonly limitMs: number;
  readonly reachedFile: string;
}

/** What came of a run. */
export interface RunReport {
  readonly passed: boolean;
  /** The name of the first test that failed, or the error that did. */
  readonly failure: string;
  /** The id of that test; undefined for an error of no test. */
  readonly id?: string;
  /** Whether the test took longer than it may. */
  readonly late?: boolean;
}

const woven = new Map(
  Object.entries(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Readonly<Record<string, string>>),
);

const vitest = await createVitest(
  "test",
  {
    config: false,
    root: repository,
    watch: false,
    pool: "threads",
    isolate: false,
    fileParallelism: false,
    maxWorkers: 1,
    // The woven sources stay out of the caches of other runs, and theirs out of this one.
    fsModuleCache: false,
    cache: false,
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    setupFiles: ["test/laws.ts", "test/mutants/generated/setup.ts"],
    reporters: [{}],
    expect: { poll: { timeout: 4000 } },
  },
  {
    plugins: [
      {
        name: "heddle-mutants",
        enforce: "pre",
        transform: (_code: string, id: string) => woven.get(id.slice(repository.length)),
      },
    ],
  },
);
const project = vitest.getRootProject();

process.on("message", (request: RunRequest) => void run(request).then((report) => process.send?.(report)));
process.on("disconnect", () => process.exit());
process.send?.("ready");

async function run({ mutant, test, ids, limitMs, reachedFile }: RunRequest): Promise<RunReport> {
  project.provide("mutant", mutant);
  project.provide("limitMs", limitMs);
  project.provide("reachedFile", reachedFile);
  const specification = project.createSpecification(
    repository + test,
    ids === undefined ? undefined : { testIds: [...ids] },
  );
  const done = await vitest.runTestSpecifications([specification]);
  // A vitest that stays reports the files of earlier runs too.
  for (const module of done.testModules.filter(({ moduleId }) => moduleId === specification.moduleId)) {
    for (const one of module.children.allTests("failed")) return failed(one);
    if (!module.ok()) return { passed: false, failure: module.errors()[0]?.message ?? "The file could not be run." };
  }
  const [error] = done.unhandledErrors;
  return { passed: error === undefined, failure: error === undefined ? "" : inspect(error) };
}

function failed(test: TestCase): RunReport {
  const late = test.result().errors?.some(({ message }) => /timed out|time of this mutant/.test(message)) === true;
  return { passed: false, failure: test.fullName, id: test.id, late };
}
