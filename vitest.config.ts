import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "web/src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "dist/**"],
    testTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: { name: "pure", isolate: false, include: ["src/core/**/*.test.ts", "src/client/**/*.test.ts"] },
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
          ],
        },
      },
    ],
  },
});
