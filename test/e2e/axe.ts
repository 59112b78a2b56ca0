import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

let source: Promise<string> | null = null;

/**
 * Returns axe's findings about the current page, one line per place; empty when there are none. The dark theme differs
 * from the light one in its colours alone, so only their contrast is examined there. While a dialog is open, only it can be
 * reached, so only it is examined.
 */
export async function violations(page: Page): Promise<readonly string[]> {
  source ??= readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const loaded = await page.evaluate("typeof axe");
  if (loaded === "undefined") await page.evaluate(await source);
  const results = await page.evaluate<AxeResults>(`axe.run(document.querySelector("dialog:modal") ?? document, {
    resultTypes: ["violations"],
    ...(matchMedia("(prefers-color-scheme: dark)").matches ? { runOnly: ["color-contrast"] } : {}),
  })`);
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(" ")}: ${failureSummary ?? ""}`),
  );
}
