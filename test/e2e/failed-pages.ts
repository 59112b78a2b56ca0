import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterEach } from "vitest";
import { repository } from "../tidy/source-files.ts";
import { openBrowsers } from "./browser.ts";

/** Where a failed browser test leaves a picture of each page that was open. */
const folder = join(repository, "dist/.build/failed-pages");

/** As much of a page as a log bears. */
const charactersOfPage = 6_000;

// What a page looked like is gone when a test on another machine has failed, so the log of the test says it.
afterEach(async ({ task }) => {
  if (task.result?.state !== "fail") return;
  const pages = [...openBrowsers].flatMap((browser) => browser.contexts()).flatMap((context) => context.pages());
  for (const [index, page] of pages.entries()) {
    const name = `${task.file.name.replaceAll(/\W+/g, "-")}-${index + 1}`;
    const text = `page ${index + 1} was ${await described(page, name)}`;
    task.result.errors?.push({ name: "Page", message: text, stack: text });
  }
});

async function described(page: Page, name: string): Promise<string> {
  const address = page.url().replace(/#.*/, "");
  try {
    await mkdir(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${name}.png`), timeout: 10_000 });
    const shown = await page.locator("body").ariaSnapshot({ timeout: 10_000 });
    return `${address}\n${shown.slice(0, charactersOfPage)}`;
  } catch (error) {
    return `${address}, which did not answer: ${String(error)}`;
  }
}
