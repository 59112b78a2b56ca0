import type { TestProject } from "vitest/node";
import { run } from "../../scripts/command.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Whether dist/ matches the sources. */
    readonly built: boolean;
  }
}

/** Rebuilds outdated parts once before the tests of the built package; other tests run in any case. */
export default async function build(project: TestProject): Promise<void> {
  const code = await run(process.execPath, ["scripts/build.ts", "--if-stale"]);
  project.provide("built", code === 0);
}
