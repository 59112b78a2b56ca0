import { setTimeout as delay } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scaled } from "../scale.ts";
import { launchBrowser } from "./browser.ts";
import { Api } from "./api.ts";
import { openApp } from "./app-page.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "./server-process.ts";

let browser: Browser;
let server: ServerProcess;
let folder: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  folder = await temporaryDirectory();
  [browser, server] = await Promise.all([launchBrowser(), startServerProcess({ dataDirectory: folder.path })]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await folder?.remove();
});

const storedText = (): Promise<string> => new Api(server).welcomeText();

test("a person and the scribe write one document together, without a key", async () => {
  const { app, context } = await openApp(browser, server.url);
  const before = await storedText();

  // Asks, and types in another paragraph while the steps and edits appear.
  await app.send("Add a section on testing, then tighten the introduction");
  await app.page.getByRole("button", { name: "Take control" }).waitFor();
  await app.placeCaretAfter("This part is yours.");
  await app.type(" And these are my own words.", 30);
  await app.waitForState("idle");
  const folded = app.page.locator(".folded-rows");
  await expect.poll(() => folded.first().textContent()).toMatch(/\d+ steps · \+\d+ −\d+/);
  await app.openSteps();
  const patch = app.page.locator(".tool-line", { hasText: "patch applied" }).first();
  await patch.click();
  await app.page.locator(".tool-details .diff .diff-row[data-type=added]").first().waitFor();
  await app.page.getByRole("button", { name: "Show in the document" }).first().click();
  await app.page.locator(".cm-editor.cm-focused").waitFor();
  await app.page.getByRole("button", { name: "Back to the conversation" }).click();
  await expect.poll(() => app.page.evaluate(() => document.activeElement?.textContent)).toBe("Show in the document");
  await patch.click();
  const steps = (await app.messages()).map(({ text }) => text).join("\n");
  expect(steps).toMatch(/started editing/);
  expect(steps).toMatch(/read lines \d/);
  expect(steps).toMatch(/patch applied/);
  const written = await storedText();
  expect(written).toContain("This part is yours. And these are my own words.");
  expect(written).toMatch(/^## Testing$/m);
  expect(written).not.toContain("at one and the same time. This document, which you are reading right now,");

  // The changes of the agent's turn can be viewed; undoing the turn removes its edits and keeps the person's words.
  await app.page.getByRole("button", { name: "Turns of agents" }).click();
  await app.page.getByRole("menuitem", { name: /^What Scribe changed/ }).click();
  const change = app.page.getByRole("dialog", { name: /^What Scribe changed/ });
  const lines = change.getByRole("region", { name: "Changes" });
  await expect.poll(() => lines.textContent()).toContain("+## Testing");
  await expect.poll(() => lines.textContent()).not.toContain("+This part is yours");
  await app.page.keyboard.press("Escape");
  await app.page.getByRole("button", { name: "Undo agent's turn", exact: true }).click();
  await change.getByText(/^Asked: “Add a section on testing/).waitFor();
  await change.getByRole("button", { name: "Undo this turn" }).click();
  await expect
    .poll(storedText)
    .toBe(before.replace("This part is yours.", "This part is yours. And these are my own words."));

  // Editing the question makes a branch; both branches stay.
  const question = app.page.locator('article[data-role="user"]').first();
  await question.hover();
  await question.getByRole("button", { name: "Edit message" }).click();
  await app.page.getByRole("textbox", { name: "Edit message" }).fill("Add a section on gardens");
  await app.page.getByRole("button", { name: "Send as new branch" }).click();
  await expect.poll(storedText, { timeout: 30_000 }).toMatch(/^## Gardens$/m);
  await app.waitForState("idle");
  await expect.poll(() => question.textContent()).toContain("2/2");
  await expect.poll(() => app.answer()).toMatch(/gardens/i);
  await question.getByRole("button", { name: "Previous version" }).click();
  await expect.poll(async () => (await app.messages())[0]?.text).toContain("tighten the introduction");
  await expect.poll(() => app.answer()).toMatch(/testing/i);

  // A reload shows the same.
  const shown = { messages: (await app.messages()).map(({ role }) => role), text: await app.canvasText() };
  await app.page.reload();
  await app.waitForConnection("live");
  await expect.poll(async () => (await app.messages()).map(({ role }) => role)).toEqual(shown.messages);
  await expect.poll(() => app.canvasText()).toBe(shown.text);
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("Take control stops the agent's writes at once, and its later writes are refused as STALE_EPOCH", async () => {
  const { app, context } = await openApp(browser, server.url);
  await app.page.getByRole("button", { name: "New conversation" }).click();
  await expect.poll(() => app.messages()).toEqual([]);
  await app.send("Add a section on rivers, then add a section on bridges, then add a section on ferries");
  const takeControl = app.page.getByRole("button", { name: "Take control" });
  await takeControl.waitFor();
  await takeControl.click();
  await expect.poll(() => takeControl.count()).toBe(0);
  // The next keys go into the text, not to the page's shortcuts.
  await expect.poll(() => app.editor.evaluate((text) => text.matches(":focus"))).toBe(true);
  const taken = await storedText();
  await app.placeCaretAfter("This part is yours.");
  await app.type(" Mine.");
  // Where it is said depends on what the agent was doing: in its reply, as the answer to its call, or between the two.
  await app.page.getByText("STALE_EPOCH").first().waitFor();
  await app.waitForState("idle", "cancelled");
  // Waits longer than the agent needs for a step: no further edit of it may arrive.
  await delay(1_500);
  expect(await storedText()).toBe(taken.replace("This part is yours. And these are my own words.", "$& Mine."));
  await context.close();
});

// A few in an ordinary run; under torture a hundred, enough for a 95th percentile.
const takings = scaled(2, 100);

test(
  "C-12: under Lease a key is explained, and Take control makes the text editable within 150 ms, with no later edit of the agent",
  { timeout: 60_000 + takings * 10_000 },
  async ({ annotate }) => {
    const { app, context } = await openApp(browser, server.url);
    const { page } = app;
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.getByRole("radio", { name: "Lease" }).click();
    const took: number[] = [];
    const percentile = (share: number): number =>
      took.toSorted((a, b) => a - b)[Math.ceil(took.length * share) - 1] ?? 0;
    const slowest = (): number => percentile(0.95);
    // A busy machine is slow now and then; more takings are then measured, until a 95th percentile means something.
    for (let index = 0; index < takings || (index < 20 && slowest() > 150); index += 1) {
      await app.send(`Add a section on ponds ${index}, then add a section on lakes, then add a section on seas`);
      await page.locator(".editor-host[data-locked=true]").waitFor();
      await app.editor.click();
      await app.type("k");
      await page.getByText("so that key did nothing").waitFor();
      await watchForControl(page);
      // Alternates between the key and the button.
      if (index % 2 === 0) await page.keyboard.press("Escape");
      else await page.getByRole("button", { name: "Take control" }).click();
      took.push(await controlTookMs(page));
      const taken = await storedText();
      expect(taken).not.toMatch(/^k|k$/m);
      await app.placeCaretAfter("This part is yours.");
      // On its own line: a line that grows soon exceeds the page's width, and then the End key does not reach its end.
      await page.keyboard.press("Enter");
      await app.type(`mine ${index}`);
      await app.waitForState("idle", "cancelled");
      const typed = taken.replace(/^This part is yours\..*$/m, (line) => `${line}\nmine ${index}`);
      await expect.poll(storedText).toBe(typed);
    }
    expect(slowest(), `milliseconds: ${took.map(Math.round).join(" ")}`).toBeLessThanOrEqual(150);
    const [half, most, longest] = [0.5, 0.95, 1].map((share) => `${Math.round(percentile(share))} ms`);
    await annotate(
      `control taken ${took.length} times: editable after ${half} (median), ${most} (p95), ${longest} (slowest)`,
    );
    expect(app.complaints).toEqual([]);
    await context.close();
  },
);

/** Records when a person takes control, by key or by press, and when the text becomes editable. */
async function watchForControl(page: Page): Promise<void> {
  await page.evaluate(() => {
    const content = document.querySelector(".editor-host")?.shadowRoot?.querySelector(".cm-content") ?? null;
    if (content === null) throw new Error("the editor is on the page");
    let began: number | null = null;
    const note = (event: Event): void => {
      if (event instanceof KeyboardEvent && event.key !== "Escape") return;
      began ??= event.timeStamp;
    };
    addEventListener("keydown", note, { capture: true, once: true });
    addEventListener("pointerdown", note, { capture: true, once: true });
    delete document.body.dataset["controlTookMs"];
    const watch = new MutationObserver(() => {
      if (began === null || content.getAttribute("aria-readonly") === "true") return;
      watch.disconnect();
      document.body.dataset["controlTookMs"] = String(performance.now() - began);
    });
    watch.observe(content, { attributes: true });
  });
}

async function controlTookMs(page: Page): Promise<number> {
  await page.locator("body[data-control-took-ms]").waitFor();
  return Number(await page.locator("body").getAttribute("data-control-took-ms"));
}
