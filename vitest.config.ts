import { defineConfig } from "vitest/config";

// `npm run torture` tries every law on more cases; its tests may take as much longer.
const scale = Math.max(1, Number(process.env["HEDDLE_TORTURE"] ?? "1"));

/** Suites without a platform share one module graph; whatever opens files, sockets or browsers runs isolated. */
export default defineConfig({
  test: {
    testTimeout: 60_000 * scale,
    hookTimeout: 60_000 * scale,
    exclude: ["**/node_modules/**", "dist/**"],
    projects: [
      {
        extends: true,
        test: {
          name: "pure",
          isolate: false,
          include: ["src/core/**/*.test.ts", "src/client/**/*.test.ts", "web/src/**/*.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "host",
          include: [
            "src/adapters/**/*.test.ts",
            "src/host/**/*.test.ts",
            "src/testing/**/*.test.ts",
            "test/**/*.test.ts",
            "bench/**/*.test.ts",
          ],
          exclude: ["test/package/**"],
          // The one PostgreSQL of a run, started by the first test that needs it.
          globalSetup: "test/postgres/global-setup.ts",
        },
      },
      {
        extends: true,
        // What others get: these look at the built package, so it is built first.
        test: {
          name: "package",
          include: ["test/package/**/*.test.ts"],
          globalSetup: "test/package/build.ts",
          setupFiles: "test/package/require-build.ts",
        },
      },
    ],
  },
});
