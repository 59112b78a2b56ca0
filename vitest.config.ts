import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import LongestFirst from "./test/longest-first.ts";

// `npm run torture` tries every law on more cases; its tests may take as much longer.
const scale = Math.max(1, Number(process.env["HEDDLE_TORTURE"] ?? "1"));

/** These hold something to milliseconds of the clock, so nothing else of the run goes on beside them. */
const timed = [
  "src/adapters/mcp/connect.test.ts",
  "src/core/text/update-codec.test.ts",
  "src/host/conversation/run/compaction-speed.test.ts",
  "src/host/server/live/hostile-push.test.ts",
  "test/e2e/main-job.test.ts",
  "test/process/nodes.test.ts",
  "test/providers/abort.test.ts",
  "test/sandbox/ends.test.ts",
];

/** These open files and sockets of their own, close them again, and change nothing that all of a process share. */
const tidy = ["src/adapters/**/*.test.ts", "src/host/**/*.test.ts", "test/providers/**/*.test.ts"];
/** These do change such things, race with threads of their own, or need a database. */
const untidy = [
  "src/adapters/{files,hints,mcp}/**/*.test.ts",
  "src/adapters/storage/*.test.ts",
  "src/adapters/storage/postgres/**/*.test.ts",
  "src/host/{cli,mcp-servers}/**/*.test.ts",
  "src/host/data/process-lock.test.ts",
  "src/host/server/api/telemetry.test.ts",
];

/** These start programs and browsers of their own and drive them from outside. */
const outside = ["test/{e2e,process}/**/*.test.ts"];

/**
 * What has to happen within a time may fail where the machine itself pauses: such a test is tried again once, and the
 * end of the run names it with its first error. A law is never tried again.
 */
const retry = 1;

/** The one PostgreSQL of a run, started by the first test that needs it. */
const postgres = "test/postgres/global-setup.ts";

/** Suites that leave nothing behind share one module graph, which is loaded once a worker; others run isolated. */
export default defineConfig({
  test: {
    testTimeout: 60_000 * scale,
    // What a browser or a server brings about takes as long as the machine is busy.
    expect: { poll: { timeout: 20_000 * scale } },
    hookTimeout: 60_000 * scale,
    exclude: ["**/node_modules/**", "dist/**"],
    // Also where there are only two processors: a test with a server or a browser waits more than it computes.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    setupFiles: "test/laws.ts",
    // Hundreds of processes and threads start from the same sources: what one has compiled, the next ones take.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "dist/.build/compiled-for-tests") },
    projects: [
      {
        extends: true,
        test: {
          name: "pure",
          isolate: false,
          include: ["src/core/**/*.test.ts", "src/client/**/*.test.ts", "web/src/**/*.test.ts"],
          exclude: timed,
        },
      },
      {
        extends: true,
        test: {
          name: "host",
          include: [...untidy, "src/testing/**/*.test.ts", "test/**/*.test.ts", "bench/**/*.test.ts"],
          exclude: ["test/package/**", "test/providers/**", ...outside, ...timed],
          globalSetup: postgres,
        },
      },
      {
        extends: true,
        test: {
          name: "outside",
          isolate: false,
          // What each step waits for is bounded in the tests; all steps together take as long as the machine is busy.
          testTimeout: 180_000 * scale,
          hookTimeout: 180_000 * scale,
          retry,
          include: outside,
          exclude: timed,
          globalSetup: postgres,
          setupFiles: ["test/laws.ts", "test/e2e/failed-pages.ts"],
        },
      },
      {
        extends: true,
        test: { name: "light", isolate: false, include: tidy, exclude: [...untidy, ...timed], globalSetup: postgres },
      },
      {
        extends: true,
        test: {
          name: "timed",
          include: timed,
          retry,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          globalSetup: postgres,
        },
      },
      {
        extends: true,
        // What others get: these look at the built package, so it is built first.
        test: {
          name: "package",
          include: ["test/package/**/*.test.ts"],
          globalSetup: "test/package/build.ts",
          setupFiles: ["test/laws.ts", "test/package/require-build.ts"],
        },
      },
    ],
  },
});
