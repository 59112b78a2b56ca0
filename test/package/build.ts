import type { TestProject } from "vitest/node";
import { run } from "../../scripts/command.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Whether dist/ holds what the sources say. */
    readonly built: boolean;
  }
}

/** Builds what is out of date, once before the tests that look at the built package; other tests run in any case. */
export default async function build(project: TestProject): Promise<void> {
  const code = await run(process.execPath, ["scripts/build.ts", "--if-stale"]);
  project.provide("built", code === 0);
}
