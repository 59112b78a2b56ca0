import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

let source: Promise<string> | null = null;

/** What axe holds against a page as it stands: a line for each place; empty is what a test wants to see. */
export async function violations(page: Page): Promise<readonly string[]> {
  source ??= readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const loaded = await page.evaluate("typeof axe");
  if (loaded === "undefined") await page.evaluate(await source);
  const results = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(" ")}: ${failureSummary ?? ""}`),
  );
}
