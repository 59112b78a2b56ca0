import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { Api } from "./api.ts";
import { openApp } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";

let browser: Browser;
let server: TestServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startTestServer({ store: "sqlite" })]);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

test("17.5 Markdown is drawn in place, opens where the caret is, and its source is one key away", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1400, height: 1000 } });
  const { page, editor } = app;
  const stored = (): Promise<string> => new Api({ origin: server.url, token: server.token }).welcomeText();
  await editor.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(
    "# Plan\n\nSome **bold**, *lean* and `code`, a [link](https://example.org).\n\n- [ ] first\n- second\n\n> Quoted.\n\n| a | b |\n|---|---|\n| **1** | 2 |\n\n---\n\nThe end.",
  );
  const source = await app.canvasText();
  await page.keyboard.press("Control+Alt+r");

  // The marks are gone, but for the caret's line; nothing of the text has changed.
  const table = editor.locator(".live-table table");
  await table.waitFor();
  const drawn = await editor.innerText();
  for (const words of ["Plan", "Some bold, lean and code, a link.", "Quoted.", "The end."])
    expect(drawn).toContain(words);
  for (const mark of ["# ", "**", "`", "example.org", "> ", "|"]) expect(drawn).not.toContain(mark);
  expect(await table.locator("td").allInnerTexts()).toEqual(["1", "2"]);
  expect(await violations(page)).toEqual([]);
  const folder = process.env["HEDDLE_SCREENSHOTS"];
  for (const colorScheme of ["light", "dark"] as const) {
    if (folder === undefined) break;
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${folder}/live-${colorScheme}.png` });
  }

  // A box is ticked in the text.
  await editor.getByRole("checkbox", { name: "first" }).click();
  await expect.poll(stored).toContain("- [x] first");

  // Arrow keys go through a table line by line, as in its source, both ways.
  await page.keyboard.press("Control+End");
  const lines: string[] = [];
  for (let step = 0; step < 8; step += 1) {
    await page.keyboard.press("ArrowUp");
    lines.push(await editor.locator(".cm-activeLine").innerText());
  }
  expect(lines.map((line) => line.trim())).toEqual([
    "",
    "---",
    "",
    "| **1** | 2 |",
    "|---|---|",
    "| a | b |",
    "",
    "> Quoted.",
  ]);
  for (let step = 0; step < 4; step += 1) await page.keyboard.press("ArrowDown");
  expect(await editor.locator(".cm-activeLine").innerText()).toBe("| **1** | 2 |");

  // What is typed in an opened table is in the text; the source comes back with the key.
  await page.keyboard.press("End");
  await app.type(" 3 |");
  await page.keyboard.press("Control+Alt+r");
  await expect
    .poll(() => app.canvasText())
    .toBe(source.replace("[ ]", "[x]").replace("| **1** | 2 |", "| **1** | 2 | 3 |"));
  expect(app.complaints).toEqual([]);
  await context.close();
});
