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
  await waitForStillness(page);
  const results = await page.evaluate<AxeResults>(`axe.run(document.querySelector("dialog:modal") ?? document, {
    resultTypes: ["violations"],
    ...(matchMedia("(prefers-color-scheme: dark)").matches ? { runOnly: ["color-contrast"] } : {}),
  })`);
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(" ")}: ${failureSummary ?? ""}`),
  );
}

/**
 * Waits until nothing on the page fades or moves any more, also in shadow trees: half-faded words have colours that no
 * theme names. What moves for ever, such as a sign that work goes on, is not waited for.
 */
async function waitForStillness(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const isMoving = (root: Document | ShadowRoot): boolean =>
      root
        .getAnimations()
        .some(
          ({ effect, pending, playState }) =>
            (pending || playState === "running") && effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY,
        ) || [...root.querySelectorAll("*")].some(({ shadowRoot }) => shadowRoot !== null && isMoving(shadowRoot));
    while (isMoving(document)) await new Promise(requestAnimationFrame);
  });
}
