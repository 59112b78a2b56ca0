import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { Api } from "./api.ts";
import { openApp, type AppPage } from "./app-page.ts";
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

const storedText = (): Promise<string> => new Api({ origin: server.url, token: server.token }).welcomeText();

/** Asks, and waits until the answer is there whole. */
async function ask(app: AppPage, text: string): Promise<void> {
  const replies = app.page.locator('article[data-role="assistant"]');
  const before = await replies.count();
  await app.send(text);
  await replies.nth(before).waitFor();
  await app.waitForState("idle");
}

test("what the agent was told of the canvas is a thin line; what was committed can be compared and restored", async () => {
  const { app, context } = await openApp(browser, server.address);
  const { page } = app;
  const first = await storedText();

  // C-22: no message, but a line that opens to the diff.
  await ask(app, "Add a section on testing");
  const line = page.locator('article[data-canvas-update="true"]');
  await line.waitFor();
  expect((await app.messages()).filter(({ role }) => role === "user")).toHaveLength(1);
  await expect.poll(() => line.locator("summary").textContent()).toMatch(/^Canvas r1 → r\d+ · Scribe.* · \+\d+ −\d+$/);
  await line.locator("summary").click();
  expect(await line.getByRole("region", { name: "Changes" }).textContent()).toContain("+## Testing");

  // Beside each line stands who wrote it; it says why, and leads to the message.
  await page.keyboard.press("Control+Shift+B");
  const mark = page.locator(".cm-blame .blame-model").first();
  await mark.hover();
  await expect
    .poll(() => mark.getAttribute("title"))
    .toMatch(/^Scribe.* · r\d+ · canvas_apply_patch, asked “Add a section on testing”$/);
  await mark.click();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest("article")?.textContent))
    .toContain("patch applied");

  // The outline goes to a heading by the keyboard alone; there the line explains itself by a key as well.
  await page.keyboard.press("Control+Shift+O");
  const outline = page.getByRole("navigation", { name: /^Outline of/ });
  await outline.waitFor();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator(".cm-activeLine").textContent()).toContain("## Testing");
  await page.keyboard.press("Control+Alt+B");
  const card = page.getByRole("dialog", { name: /^Why line \d+ is here$/ });
  await card.getByRole("button", { name: "Show the message" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await card.waitFor({ state: "detached" });
  await outline.getByRole("button", { name: "Close the outline" }).click();
  await page.keyboard.press("Control+Shift+B");
  expect(await page.locator(".cm-blame").count()).toBe(0);

  // A person's words are told with the next message, once.
  await app.placeCaretAfter("This part is yours.");
  await app.type(" Mine.");
  await expect.poll(storedText).toContain("This part is yours. Mine.");
  await ask(app, "What can you do?");
  await expect.poll(() => line.count()).toBe(2);
  const second = await storedText();

  // The keyboard opens the history; the newest is compared with the one before it.
  await page.keyboard.press("Control+Shift+H");
  const history = page.getByRole("dialog", { name: /^History of/ });
  await history.waitFor();
  const entries = history.getByRole("radio");
  await expect.poll(() => entries.count()).toBeGreaterThanOrEqual(3);
  const change = history.getByRole("region", { name: "Changes" });
  await expect.poll(() => change.textContent()).toContain("Mine.");
  expect(await violations(page)).toEqual([]);

  // Any two: the oldest, by the arrows, with the newest.
  await entries.first().focus();
  for (let down = await entries.count(); down > 1; down -= 1) await page.keyboard.press("ArrowDown");
  await history.getByRole("combobox").selectOption({ index: 1 });
  await expect.poll(() => change.textContent()).toContain("-## Testing");
  await history.getByRole("button", { name: "Restore r1" }).click();
  await expect.poll(storedText).toBe(first);
  await history.getByRole("radio", { name: /^Now unsaved version/ }).waitFor();
  await page.keyboard.press("Escape");
  await history.waitFor({ state: "detached" });

  // An edit like any other.
  await page.getByRole("button", { name: "Undo mine" }).click();
  await expect.poll(storedText).toBe(second);
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("what an agent suggests waits over a reload, is kept and rejected by keys or where it stands, and each decision is undone", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1400, height: 1600 } });
  const { page } = app;
  await page.getByRole("radio", { name: "Suggest" }).click();
  const before = await storedText();
  await ask(app, "Add a section on rivers, then tighten the introduction");
  await page.getByText("patch suggested").first().waitFor();
  expect(await storedText()).toBe(before);
  await page.reload();
  await app.waitForConnection("live");
  const review = page.getByRole("region", { name: "Suggestions" });
  const title = review.locator(".review-title");
  await expect.poll(() => title.textContent()).toBe("2 suggestions by Scribe");
  await title.click();
  await review
    .getByRole("button", { name: /^Keep the suggestion:/ })
    .nth(1)
    .waitFor();
  expect(await violations(page)).toEqual([]);

  // By keys: the next one, keep it, take that back, turn all down, take that back too.
  await page.keyboard.press("F7");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await page.keyboard.press("y");
  await expect.poll(storedText).toMatch(/^## Rivers$/m);
  await expect.poll(() => title.textContent()).toBe("1 suggestion by Scribe");
  await page.keyboard.press("Control+z");
  await expect.poll(storedText).toBe(before);
  await expect.poll(() => title.textContent()).toBe("2 suggestions by Scribe");
  await page.keyboard.press("Shift+N");
  await review.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo mine" }).click();
  await expect.poll(() => title.textContent()).toBe("2 suggestions by Scribe");

  // A line that somebody changes meanwhile conflicts, and says what to do; the other is kept where it stands.
  await app.placeCaretAfter("Heddle is a workspace");
  await app.type(" Indeed.");
  await expect.poll(() => title.textContent()).toBe("2 suggestions by Scribe, 1 in conflict");
  await app.editor.getByText("These lines changed after the suggestion").waitFor();
  await app.editor.getByRole("button", { name: /^Keep the suggestion:/ }).click();
  await expect.poll(storedText).toMatch(/^## Rivers$/m);
  expect(await storedText()).toContain("Indeed.");
  await expect.poll(() => title.textContent()).toBe("1 suggestion by Scribe, in conflict");
  await app.editor.getByRole("button", { name: /^Reject the suggestion:/ }).click();
  await review.waitFor({ state: "detached" });
  expect(app.complaints).toEqual([]);
  await context.close();
});

test.each(["Lease", "Suggest"])(
  "under %s a person and an agent write one document, and each takes back only their own",
  async (policy) => {
    const { app, context } = await openApp(browser, server.address, { viewport: { width: 1400, height: 1600 } });
    const { page } = app;
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.getByRole("radio", { name: policy }).click();
    const before = await storedText();
    const topic = `${policy} lakes`;
    await ask(app, `Add a section on ${topic}`);
    await app.placeCaretAfter("This part is yours.");
    await app.type(` ${policy} mine.`);
    await expect.poll(storedText).toContain(`${policy} mine.`);
    if (policy === "Suggest") {
      expect(await app.answer()).toContain("As suggestions, which change nothing until you keep them");
      expect(await storedText()).not.toContain(topic);
      await page.getByRole("button", { name: "Keep 1 change" }).click();
    } else expect(await app.answer()).toMatch(/^[^]*I added the section/);
    await expect.poll(storedText).toContain(`## ${topic}`);
    // What was kept is the reviewer's to take back, what was written is the agent's.
    await page
      .getByRole("button", { name: policy === "Suggest" ? "Undo mine" : "Undo agent's turn", exact: true })
      .click();
    await expect.poll(storedText).not.toContain(topic);
    expect(await storedText()).toContain(`${policy} mine.`);
    if (policy === "Suggest") {
      await page.getByRole("button", { name: "Reject", exact: true }).last().click();
      await page.getByRole("region", { name: "Suggestions" }).waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Undo mine" }).click();
    }
    await page.getByRole("button", { name: "Undo mine" }).click();
    await expect.poll(storedText).toBe(before);
    expect(app.complaints).toEqual([]);
    await context.close();
  },
);

test("the history fits a phone", async () => {
  const { app, context } = await openApp(browser, server.address);
  await app.page.setViewportSize({ width: 390, height: 780 });
  await app.page.locator(".tab-bar button", { hasText: "Canvas" }).click();
  await app.page.getByRole("button", { name: "History" }).click();
  const history = app.page.getByRole("dialog", { name: /^History of/ });
  await expect.poll(() => history.getByRole("radio").count()).toBeGreaterThan(1);
  await history.getByRole("radio").nth(1).check();
  await history.getByRole("region", { name: "Changes" }).waitFor();
  const wider = await app.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(wider).toBeLessThanOrEqual(0);
  expect(await violations(app.page)).toEqual([]);
  await context.close();
});
