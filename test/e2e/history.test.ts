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

/** Asks, and waits for the complete answer. */
async function ask(app: AppPage, text: string): Promise<void> {
  const replies = app.page.locator('article[data-role="assistant"]');
  const before = await replies.count();
  await app.send(text);
  await replies.nth(before).waitFor();
  await app.waitForState("idle");
}

test("17.13 17.17 a canvas update is a thin line in the thread; committed revisions can be compared and restored", async () => {
  const { app, context } = await openApp(browser, server.address);
  const { page } = app;
  const first = await storedText();

  // C-22: the update is not shown as a message but as a line that opens to the diff.
  await ask(app, "Add a section on testing");
  const line = page.locator('article[data-canvas-update="true"]');
  await line.waitFor();
  await expect.poll(async () => (await app.messages()).filter(({ role }) => role === "user")).toHaveLength(1);
  await expect.poll(() => line.locator("summary").textContent()).toMatch(/^Welcome · Scribe.* · \+\d+ −\d+$/);
  await line.locator("summary").click();
  await expect.poll(() => line.getByRole("region", { name: "Changes" }).textContent()).toContain("+## Testing");

  // Each line shows its author; the author's mark explains it and leads to the message.
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

  // The outline leads to a heading by keyboard alone, and a key explains the line there.
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
  await expect.poll(() => page.locator(".cm-blame").count()).toBe(0);

  // The model receives a person's edits once, with the next message.
  await app.placeCaretAfter("This part is yours.");
  await app.type(" Mine.");
  await expect.poll(storedText).toContain("This part is yours. Mine.");
  await ask(app, "What can you do?");
  await expect.poll(() => line.count()).toBe(2);
  const second = await storedText();

  // The keyboard opens the history; the newest revision is compared with the previous one.
  await page.keyboard.press("Control+Shift+H");
  const history = page.getByRole("dialog", { name: /^History of/ });
  await history.waitFor();
  const entries = history.getByRole("group", { name: "Versions, newest first" }).getByRole("radio");
  await expect.poll(() => entries.count()).toBeGreaterThanOrEqual(3);
  const change = history.getByRole("region", { name: "Changes" });
  await expect.poll(() => change.textContent()).toContain("Mine.");
  expect(await violations(page)).toEqual([]);

  // 17.17 The slider goes through versions and messages alike, and says what was said then.
  const slider = history.getByRole("slider", { name: "Moment of the document and the conversation" });
  await slider.press("Home");
  const moment = history.locator("[data-moment]");
  for (let steps = 0; steps < 3 && (await moment.textContent())?.endsWith("testing”") !== true; steps += 1)
    await slider.press("ArrowRight");
  await expect.poll(() => moment.textContent()).toMatch(/^r\d+, .*: “Add a section on testing”$/);
  await history.getByRole("radio", { name: "Text" }).click();
  await expect.poll(() => history.getByRole("region", { name: /^The text at r/ }).textContent()).not.toContain("Mine.");
  await history.getByRole("button", { name: "Continue from here" }).waitFor();
  await history.getByRole("radio", { name: "Changes" }).click();
  expect(await violations(page)).toEqual([]);

  // 17.17 A version is named, found among the named ones, and copied.
  await history.getByRole("radio", { name: /^r1 / }).check();
  await history.getByRole("button", { name: "Name this version" }).click();
  await history.getByRole("textbox", { name: "Name" }).fill("As it came");
  await page.keyboard.press("Enter");
  await history.getByRole("radio", { name: /^As it came r1 / }).waitFor();
  await history.getByRole("checkbox", { name: "Named versions only" }).check();
  await expect.poll(() => entries.count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  await history.getByRole("button", { name: "Copy as a new canvas" }).click();
  await page.getByText("The text is copied as “Welcome: As it came”.").first().waitFor({ state: "attached" });
  await history.getByRole("checkbox", { name: "Named versions only" }).uncheck();
  await expect.poll(() => entries.count()).toBeGreaterThanOrEqual(3);
  await history.getByRole("radio", { name: "Changes" }).click();

  // Arrows choose any two: here the oldest and the newest.
  await entries.first().focus();
  for (let down = await entries.count(); down > 1; down -= 1) await page.keyboard.press("ArrowDown");
  await history.getByRole("combobox").selectOption({ index: 1 });
  await expect.poll(() => change.textContent()).toContain("-## Testing");
  await history.getByRole("button", { name: "Restore r1" }).click();
  await expect.poll(storedText).toBe(first);
  await history.getByRole("radio", { name: /^Now unsaved version/ }).waitFor();
  await page.keyboard.press("Escape");
  await history.waitFor({ state: "detached" });

  // Restoring is an edit like any other.
  await page.getByRole("button", { name: "Undo mine" }).click();
  await expect.poll(storedText).toBe(second);
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("a suggestion survives a reload, is kept and rejected by keys or in the text, and each decision can be undone", async () => {
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

  // By keys: goes to the next hunk, keeps it, undoes that, rejects all, undoes that too.
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

  // A line that somebody changes meanwhile conflicts and says what to do; the other hunk is kept in place.
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
  "under %s a person and an agent write one document, and each undoes only their own edits",
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
      await expect.poll(() => app.answer()).toContain("As suggestions, which change nothing until you keep them");
      expect(await storedText()).not.toContain(topic);
      await page.getByRole("button", { name: "Keep 1 change" }).click();
    } else expect(await app.answer()).toMatch(/^[^]*I added the section/);
    await expect.poll(storedText).toContain(`## ${topic}`);
    // The reviewer undoes what was kept, the agent's turn what was written.
    await page
      .getByRole("button", { name: policy === "Suggest" ? "Undo mine" : "Undo agent's turn", exact: true })
      .click();
    if (policy !== "Suggest") await page.getByRole("button", { name: "Undo this turn" }).click();
    await expect.poll(storedText).not.toContain(topic);
    expect(await storedText()).toContain(`${policy} mine.`);
    if (policy === "Suggest") {
      await page.getByRole("button", { name: "Reject", exact: true }).last().click();
      await page.getByRole("region", { name: "Suggestions" }).waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Undo mine" }).click();
      await page.getByRole("button", { name: "Undo mine" }).click();
    } else {
      // 17.10 The undo of the turn is the last that the person did, so it is taken back first; then their own words.
      await page.getByRole("button", { name: "Undo mine" }).click();
      await expect.poll(storedText).toContain(topic);
      expect(await storedText()).toContain(`${policy} mine.`);
      await page.getByRole("button", { name: "Undo mine" }).click();
      await expect.poll(storedText).not.toContain(`${policy} mine.`);
      expect(await storedText()).toContain(topic);
      await page.getByRole("button", { name: "Undo agent's turn", exact: true }).click();
      await page.getByRole("button", { name: "Undo this turn" }).click();
    }
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
