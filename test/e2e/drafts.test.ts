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
  [browser, server] = await Promise.all([launchBrowser(), startTestServer({ store: "memory" })]);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

const api = (): Api => new Api({ origin: server.url, token: server.token });
const storedText = (): Promise<string> => api().welcomeText();

/** How many open hunks each draft has. */
async function hunkCounts(): Promise<readonly number[]> {
  const { conversations } = await api().get<{ conversations: readonly { canvasId: string }[] }>("/api/conversations");
  const listed = await api().post<{ drafts: readonly { hunkIds: readonly string[] }[] }>("/api/commands/draft.list", {
    canvasId: conversations[0]?.canvasId ?? "",
  });
  return listed.drafts.map(({ hunkIds }) => hunkIds.length);
}

/** The text of the draft that was begun first. */
async function firstDraftText(): Promise<string> {
  const { conversations } = await api().get<{ conversations: readonly { canvasId: string }[] }>("/api/conversations");
  const canvasId = conversations[0]?.canvasId ?? "";
  const { drafts } = await api().post<{ drafts: readonly { draftId: string }[] }>("/api/commands/draft.list", {
    canvasId,
  });
  const draftId = drafts.map((each) => each.draftId).toSorted()[0] ?? "";
  return (await api().post<{ text: string }>("/api/commands/draft.read", { canvasId, draftId })).text;
}

async function ask(app: AppPage, text: string): Promise<void> {
  await app.send(text);
  await app.waitForState("idle");
}

test("17.8 17.9 K-26 K-27 two replies work on drafts; a person types meanwhile, compares them, takes a part and takes it back", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1400, height: 1000 } });
  const { page } = app;
  const before = await storedText();

  await page.getByRole("combobox", { name: "Replies" }).selectOption("2");
  await app.send("Add a section on rivers, then tighten the introduction");
  const strip = page.getByRole("region", { name: "Drafts" });
  await strip.getByText("2 drafts of this document wait").waitFor();
  expect(await page.getByRole("combobox", { name: "Replies" }).inputValue()).toBe("1");
  // The reply that is not shown may still be at work.
  await expect.poll(hunkCounts, { timeout: 30_000 }).toEqual([2, 2]);
  expect(await storedText()).toBe(before);
  await app.placeCaretAfter("This part is yours.");
  await app.type(" Mine.");
  await expect.poll(storedText).toContain("This part is yours. Mine.");

  await strip.getByRole("button", { name: "Compare and take" }).click();
  const dialog = page.getByRole("dialog", { name: /^Drafts of/ });
  await expect.poll(() => dialog.getByRole("radio", { name: /^Draft/ }).count()).toBe(2);
  // It opens at the draft of the branch that is shown; of two replies at once, either may have begun first.
  await dialog.getByRole("radio", { name: /^Draft 1/ }).check();
  await dialog
    .getByText(/^\+\d+ −\d+ lines/)
    .first()
    .waitFor();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole("radio", { name: "Text" }).click();
  const text = dialog.getByRole("region", { name: "Text of draft 1" });
  await expect.poll(() => text.textContent()).toMatch(/## Rivers/);
  await expect.poll(() => text.textContent()).toContain("Mine.");
  await dialog.getByRole("combobox").selectOption({ index: 1 });
  await dialog.getByRole("radio", { name: "Changes" }).click();
  await dialog.getByText("The texts are the same.").waitFor();
  await dialog.getByRole("combobox").selectOption({ index: 0 });
  // A window that becomes narrow, as a phone that is turned, keeps the comparison open.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator('.page[data-breadth="narrow"]').waitFor();
  await expect.poll(() => dialog.isVisible()).toBe(true);
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 1400, height: 1000 });
  await page.locator('.page[data-breadth="wide"]').waitFor();

  const part = dialog.getByRole("listitem").filter({ hasText: "## Rivers" });
  await part.getByRole("checkbox").check();
  await dialog.getByRole("button", { name: "Take 1 chosen part" }).click();
  await expect.poll(storedText).toContain("## Rivers");
  expect(await storedText()).toContain("This part is yours. Mine.");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Undo mine" }).click();
  await expect.poll(storedText).not.toContain("## Rivers");
  expect(await storedText()).toContain("This part is yours. Mine.");

  await strip.getByRole("button", { name: "Compare and take" }).click();
  await dialog.getByRole("radio", { name: /^Draft 2/ }).check();
  await dialog.getByRole("button", { name: "Take draft 2" }).click();
  await expect.poll(storedText).toContain("## Rivers");
  await strip.getByText("1 draft of this document waits").waitFor();
  await strip.getByRole("button", { name: "Compare and take" }).click();
  await dialog.getByRole("button", { name: "Drop draft 1" }).click();
  await strip.waitFor({ state: "detached" });
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("17.8 K-33 a person writes in a draft, another takes over, and the draft is taken with the words of all", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1400, height: 1000 } });
  const { page } = app;
  await page.getByRole("button", { name: "New conversation" }).click();
  await page.getByRole("combobox", { name: "Replies" }).selectOption("2");
  await app.send("Add a section on harbours");
  const strip = page.getByRole("region", { name: "Drafts" });
  await strip.getByText("2 drafts of this document wait").waitFor();
  await app.waitForState("idle");
  const before = await storedText();
  await strip.getByRole("button", { name: "Compare and take" }).click();
  const dialog = page.getByRole("dialog", { name: /^Drafts of/ });
  await dialog.getByRole("radio", { name: /^Draft 1/ }).check();
  await dialog.getByRole("radio", { name: "Write" }).click();
  const field = dialog.getByRole("textbox", { name: /^Text of draft 1 of / });
  await field.waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\nFrom the first window.");
  await page.keyboard.press("Control+z");
  await page.keyboard.type("\nFrom the first window.");

  const other = await openApp(browser, server.address, { viewport: { width: 1400, height: 1000 } });
  await other.app.page.evaluate(() => localStorage.setItem("heddle.name", "Bo"));
  await other.app.page.reload();
  await other.app.waitForConnection("live");
  const theirs = other.app.page.getByRole("dialog", { name: /^Drafts of/ });
  await other.app.page
    .getByRole("region", { name: "Drafts" })
    .getByRole("button", { name: "Compare and take" })
    .click();
  await theirs.getByRole("radio", { name: /^Draft 1/ }).check();
  await theirs.getByRole("radio", { name: "Write" }).click();
  const text = theirs.getByRole("textbox", { name: /^Text of draft 1 of / });
  await expect.poll(firstDraftText).toContain("From the first window.");
  await text.click();
  await other.app.page.keyboard.press("Control+End");
  // The second window shows what the first one wrote.
  await expect.poll(() => text.textContent()).toContain("From the first window.");
  // Who types last has the draft for a while.
  await page.bringToFront();
  await page.keyboard.type("!");
  await expect.poll(() => text.textContent()).toContain("From the first window.!");
  await other.app.page.bringToFront();
  await other.app.page.keyboard.press("Control+End");
  await other.app.page.keyboard.type("\nFrom the second.");
  await theirs
    .getByRole("alert")
    .getByText(/is writing in this draft, so your words were not put in/)
    .waitFor();
  await theirs.getByRole("button", { name: "Take over" }).click();
  await theirs.getByRole("alert").waitFor({ state: "detached" });
  await expect.poll(() => field.textContent()).toContain("From the second.");
  expect(await storedText()).toBe(before);

  await dialog.getByRole("button", { name: "Take draft 1" }).click();
  await expect.poll(storedText).toContain("From the first window.!\nFrom the second.");
  expect(await storedText()).toContain("## Harbours");
  await strip.getByRole("button", { name: "Compare and take" }).click();
  await dialog.getByRole("button", { name: "Drop draft 2" }).click();
  await strip.waitFor({ state: "detached" });
  expect([...app.complaints, ...other.app.complaints]).toEqual([]);
  await other.context.close();
  await context.close();
});

test("17.8 a draft that somebody else drops while a person writes in it is said to be gone, and the others are shown", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1400, height: 1000 } });
  const { page } = app;
  await page.getByRole("button", { name: "New conversation" }).click();
  await page.getByRole("combobox", { name: "Replies" }).selectOption("2");
  await app.send("Add a section on mills");
  const strip = page.getByRole("region", { name: "Drafts" });
  await strip.getByText("2 drafts of this document wait").waitFor();
  await app.waitForState("idle");
  await strip.getByRole("button", { name: "Compare and take" }).click();
  const dialog = page.getByRole("dialog", { name: /^Drafts of/ });
  await dialog.getByRole("radio", { name: /^Draft 2/ }).check();
  await dialog.getByRole("radio", { name: "Write" }).click();
  await dialog.getByRole("textbox", { name: /^Text of draft 2 of / }).waitFor();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\nMine.");

  const { conversations } = await api().get<{ conversations: readonly { canvasId: string }[] }>("/api/conversations");
  const canvasId = conversations[0]?.canvasId ?? "";
  const listed = async () =>
    (await api().post<{ drafts: readonly { draftId: string }[] }>("/api/commands/draft.list", { canvasId })).drafts
      .map(({ draftId }) => draftId)
      .toSorted();
  const [, draftId = ""] = await listed();
  await expect
    .poll(async () => (await api().post<{ text: string }>("/api/commands/draft.read", { canvasId, draftId })).text)
    .toContain("Mine.");
  await api().post("/api/commands/draft.drop", { canvasId, draftId });
  await dialog.getByRole("alert").filter({ hasText: "Draft 2 is gone: it was taken or dropped." }).waitFor();
  await expect.poll(() => dialog.getByRole("radio", { name: /^Draft/ }).count()).toBe(1);
  await dialog.getByRole("radio", { name: "Text" }).waitFor();
  expect(await dialog.getByText("Comparing…").count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Drop draft 1" }).click();
  await strip.waitFor({ state: "detached" });
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("17.8 K-37 on another branch the document stays, is shown as it was there, and brought back as suggestions", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1400, height: 1000 } });
  const { page } = app;
  await page.getByRole("button", { name: "New conversation" }).click();
  await ask(app, "Add a section on gardens");
  await expect.poll(storedText).toContain("## Gardens");
  const question = page.locator('article[data-role="user"]').first();
  await question.hover();
  await question.getByRole("button", { name: "Edit message" }).click();
  await page.getByRole("textbox", { name: "Edit message" }).fill("Add a section on bridges");
  await page.keyboard.press("Enter");
  await expect.poll(storedText).toContain("## Bridges");
  await app.waitForState("idle");
  const now = await storedText();

  await question.getByRole("button", { name: "Previous version" }).click();
  const strip = page.getByRole("region", { name: "This branch’s text" });
  await strip.getByText(/^Another branch changed this document since: \+\d+ −\d+ lines$/).waitFor();
  expect(await storedText()).toBe(now);
  await strip.getByRole("button", { name: "Show it as it was here" }).click();
  const then = page.getByRole("dialog", { name: /as it was here/ });
  const text = then.getByRole("region", { name: "The text as it was here" });
  await expect.poll(() => text.textContent()).toContain("## Gardens");
  await expect.poll(() => text.textContent()).not.toContain("## Bridges");
  expect(await violations(page)).toEqual([]);
  await then.getByRole("button", { name: "Bring it here" }).click();
  const review = page.getByRole("region", { name: "Suggestions" });
  await review.getByRole("button", { name: /^Keep \d+ changes?$/ }).click();
  await expect.poll(storedText).not.toContain("## Bridges");

  // The branch is copied below the other one.
  await question.getByRole("button", { name: "Next version" }).click();
  const menu = { name: "More actions for this message" };
  await question.hover();
  await question.getByRole("button", menu).click();
  await page.getByRole("menuitem", { name: "Copy the branch from here" }).click();
  await question.getByRole("button", { name: "Previous version" }).click();
  const reply = page.locator('article[data-role="assistant"]').last();
  await reply.hover();
  await reply.getByRole("button", menu).click();
  await page.getByRole("menuitem", { name: "Put the copied branch below" }).click();
  await expect.poll(async () => (await app.messages()).filter(({ role }) => role === "user").length).toBe(2);
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("17.8 K-37 K-38 a branch whose draft was dropped is shown as its draft was, and brought back as suggestions", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1400, height: 1000 } });
  const { page } = app;
  await page.getByRole("button", { name: "New conversation" }).click();
  await page.getByRole("combobox", { name: "Replies" }).selectOption("2");
  await app.send("Add a section on lighthouses");
  const drafts = page.getByRole("region", { name: "Drafts" });
  await drafts.getByText("2 drafts of this document wait").waitFor();
  await app.waitForState("idle");
  await expect.poll(hunkCounts, { timeout: 30_000 }).toEqual([1, 1]);
  const strip = page.getByRole("region", { name: "This branch’s text" });
  expect(await strip.count()).toBe(0);
  await drafts.getByRole("button", { name: "Compare and take" }).click();
  await page
    .getByRole("dialog", { name: /^Drafts of/ })
    .getByRole("button", { name: "Drop both" })
    .click();
  await drafts.waitFor({ state: "detached" });
  expect(await storedText()).not.toContain("## Lighthouses");

  const words = /^In its draft, this branch had another text of this document: \+\d+ −\d+ lines$/;
  await strip.getByText(words).waitFor();
  await strip.getByRole("button", { name: "Show it as it was here" }).click();
  const then = page.getByRole("dialog", { name: /as it was here/ });
  const text = then.getByRole("region", { name: "The text as it was here" });
  await expect.poll(() => text.textContent()).toContain("## Lighthouses");
  expect(await violations(page)).toEqual([]);
  await then.getByRole("button", { name: "Bring it here" }).click();
  const review = page.getByRole("region", { name: "Suggestions" });
  await review
    .getByRole("button", { name: /^Keep \d+ changes?$|^Keep$/ })
    .first()
    .click();
  await expect.poll(storedText).toContain("## Lighthouses");
  expect(app.complaints).toEqual([]);
  await context.close();
});
