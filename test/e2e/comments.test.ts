import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { boxOf, openApp } from "./app-page.ts";
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

test("17.3 17.4 comment on selected words by keyboard alone, in two windows: ask, answer, follow, resolve", async () => {
  const [{ app, context }, other] = await Promise.all([
    openApp(browser, server.address, { viewport: { width: 1400, height: 900 } }),
    openApp(browser, server.address, { viewport: { width: 1400, height: 900 } }),
  ]);
  const { page } = app;
  const picture = async (name: string): Promise<void> => {
    const folder = process.env["HEDDLE_SCREENSHOTS"];
    if (folder === undefined) return;
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}/comments-${name}-${colorScheme}.png` });
    }
    await page.emulateMedia({ colorScheme: null });
  };
  // Words are selected by keyboard; the bar is at them.
  await app.editor.click();
  await page.keyboard.press("Control+End");
  await app.type("\nThe brown fox jumps.");
  await page.keyboard.press("Home");
  for (const word of ["brown", "fox"])
    await page.keyboard.press(word === "fox" ? "Control+Shift+ArrowRight" : "Control+ArrowRight");
  await page.keyboard.press("Control+Shift+ArrowRight");
  const bar = page.getByRole("toolbar", { name: "Selected words" });
  await bar.waitFor();
  expect(await violations(page)).toEqual([]);
  await picture("bar");
  await page.keyboard.press("Control+Alt+m");
  await page.getByRole("textbox", { name: /^Comment\./ }).waitFor();
  await app.type("Is it a fox?");
  await page.keyboard.press("Enter");

  // The other window has the thread and its mark, and answers.
  const marked = page.locator(".comment-range");
  await marked.waitFor();
  await other.app.page.locator(".comment-margin").hover();
  // Pressed, not released: the mark may move on between the two.
  await other.app.page.mouse.down();
  await other.app.page.getByRole("textbox", { name: "Answer" }).waitFor();
  await other.app.page.mouse.up();
  await other.app.page.getByRole("textbox", { name: "Answer" }).fill("It is.");
  await other.app.page.keyboard.press("Enter");
  const thread = page.getByRole("listitem", { name: /^Comment on / });
  await expect.poll(() => thread.textContent()).toContain("It is.");
  await picture("thread");
  expect(await violations(page)).toEqual([]);

  // The words move, go, and come back.
  const words = await marked.textContent();
  await app.editor.click();
  await page.keyboard.press("Control+Home");
  await app.type("First. ");
  await expect.poll(() => marked.textContent()).toBe(words);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await expect.poll(() => thread.textContent()).toContain("On deleted text");
  await page.keyboard.press("Control+z");
  await expect.poll(() => marked.textContent()).toBe(words);

  // An agent that is asked about words answers in the thread.
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Shift+Home");
  await page.keyboard.press("Control+Alt+a");
  await page.getByRole("textbox", { name: /^Ask the agent/ }).waitFor();
  await app.type("What do you see?");
  await page.keyboard.press("Enter");
  const asked = page.locator("[data-thread][data-current=true]");
  await expect.poll(() => asked.textContent()).toContain("@agent What do you see?");
  await expect.poll(() => asked.locator(".comment").count(), { timeout: 20_000 }).toBe(2);
  // It answers the words alone, not the lines that they are about.
  expect(await asked.textContent()).not.toContain("The lines now");
  await picture("answered");
  // The conversation of the comment is archived, and hides nothing of the others.
  const shown = await boxOf(page.getByRole("treeitem", { name: "Welcome" }).first());
  const archived = await boxOf(page.getByText(/^Archived conversations/));
  expect(shown.y + shown.height).toBeLessThanOrEqual(archived.y);

  // 17.14 A comment that a search finds opens its thread.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or run" }).fill("Search everything");
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: /^Search/ }).fill("fox");
  const hit = page.getByRole("option", { name: /Comment on / }).first();
  await hit.click();
  const found = page.locator("[data-thread][data-current=true]");
  await expect.poll(() => found.textContent()).toContain("Is it a fox?");
  await page.locator("[data-thread]").filter({ hasText: "What do you see?" }).first().click();

  // Resolved threads leave the text and the list.
  await asked.getByRole("button", { name: "Resolve" }).press("Enter");
  await expect.poll(() => marked.count()).toBe(1);
  await thread.filter({ hasText: "It is." }).getByRole("button", { name: "Resolve" }).press("Enter");
  await expect.poll(() => marked.count()).toBe(0);
  await page.keyboard.press("Escape");
  expect([...app.complaints, ...other.app.complaints]).toEqual([]);
  await Promise.all([context.close(), other.context.close()]);
});

test("K-06 K-08 comments go with words that are cut and pasted, come home by undo, and stay with a copy", async () => {
  const { workspace } = server;
  const author = await workspace.ownAuthor("test");
  for (const title of ["Field", "Meadow"]) await workspace.createCanvas(author, { title, text: "" });
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1400, height: 900 } });
  const { page } = app;
  const open = async (title: string): Promise<void> => {
    await page.getByRole("tree", { name: "Documents" }).getByRole("treeitem", { name: title }).click();
    await page.getByRole("textbox", { name: `Text of ${title}` }).click();
    await page.keyboard.press("Control+Home");
  };
  const marked = page.locator(".comment-range");
  const keys = async (...pressed: readonly string[]): Promise<void> => {
    for (const key of pressed) await page.keyboard.press(key);
  };

  await open("Field");
  await app.type("The brown fox jumps.\nIt lands.\n");
  await keys("Control+Home", "Shift+End", "Control+Alt+m");
  await page.getByRole("textbox", { name: /^Comment\./ }).waitFor();
  await app.type("Is it a fox?");
  await keys("Enter");
  await expect.poll(() => marked.allTextContents()).toEqual(["The brown fox jumps."]);

  // A copy takes no comment along.
  await page.getByRole("textbox", { name: "Text of Field" }).click();
  await keys("Control+Home", "Shift+End", "Control+c", "Control+End", "Control+v");
  await expect.poll(() => app.canvasText()).toBe("The brown fox jumps.\nIt lands.\nThe brown fox jumps.");
  expect(await marked.count()).toBe(1);
  await keys("Shift+Home", "Delete");

  // Cut, it waits with its words; pasted, it is there. A pause ends an undo step.
  await page.waitForTimeout(1_200);
  await keys("Control+Home", "Shift+End", "Control+x");
  await expect.poll(() => marked.count()).toBe(0);
  await page.waitForTimeout(1_200);
  await keys("Control+End", "Control+v");
  await expect.poll(() => marked.allTextContents()).toEqual(["The brown fox jumps."]);
  expect(await app.canvasText()).toBe("\nIt lands.\nThe brown fox jumps.");

  // Undone twice, it is home.
  await keys("Control+z");
  await expect.poll(() => marked.count()).toBe(0);
  await keys("Control+z");
  await expect.poll(() => app.canvasText()).toBe("The brown fox jumps.\nIt lands.\n");
  await expect.poll(() => marked.allTextContents()).toEqual(["The brown fox jumps."]);

  // Into another document.
  await keys("Control+Home", "Shift+End", "Control+x");
  await expect.poll(() => marked.count()).toBe(0);
  await open("Meadow");
  await keys("Control+v");
  await expect.poll(() => marked.allTextContents()).toEqual(["The brown fox jumps."]);
  await open("Field");
  await expect.poll(() => app.canvasText()).toBe("\nIt lands.\n");
  expect(await marked.count()).toBe(0);
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("17.4 17.10 words of a comment or an answer are kept until they are sent or discarded: out of sight, in another pane, after a reload", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1400, height: 900 } });
  const { page } = app;
  const begin = async (): Promise<void> => {
    await app.editor.click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Shift+End");
    await page.keyboard.press("Control+Alt+m");
    await page.getByRole("textbox", { name: /^Comment\./ }).waitFor();
  };
  const field = page.getByRole("textbox", { name: /^Comment\./ });
  const words = (): Promise<string> => field.inputValue();
  await app.editor.click();
  await page.keyboard.press("Control+Home");
  await app.type("Boats leave at noon.\n");
  await begin();
  await app.type("Half a thought");
  await page.keyboard.press("Escape");
  expect(await words()).toBe("Half a thought");
  await page.keyboard.press("Control+Alt+c");
  await expect.poll(() => field.count()).toBe(0);
  await page.keyboard.press("Control+Alt+c");
  await expect.poll(words).toBe("Half a thought");

  // A phone shows one pane at a time.
  await page.setViewportSize({ width: 390, height: 800 });
  const go = (pane: string): Promise<void> => page.getByRole("button", { name: pane, exact: true }).click();
  await go("Chat");
  await expect.poll(() => field.count()).toBe(0);
  await go("Canvas");
  await expect.poll(words).toBe("Half a thought");
  await page.setViewportSize({ width: 1400, height: 900 });

  await page.reload();
  await expect.poll(words).toBe("Half a thought");
  expect(await page.locator(".comments-panel [data-current=true] .comment-quote").textContent()).toBe(
    "Boats leave at noon.",
  );
  await field.press("Enter");
  const thread = page.locator("[data-thread]").filter({ hasText: "Half a thought" });
  await thread.waitFor();

  // Sent words do not come back; what is cancelled does not either.
  await begin();
  expect(await words()).toBe("");
  await app.type("Second thread");
  await field.press("Enter");
  await page.locator("[data-thread]").filter({ hasText: "Second thread" }).waitFor();
  await begin();
  await app.type("Never mind");
  await page.getByRole("button", { name: "Cancel" }).click();
  await begin();
  expect(await words()).toBe("");
  await page.keyboard.press("Escape");

  // An answer waits while another thread is looked at.
  await thread.click();
  await thread.getByRole("textbox", { name: "Answer" }).fill("An answer begun");
  await page.locator("[data-thread]").filter({ hasText: "Second thread" }).click();
  await expect.poll(() => thread.getByRole("textbox", { name: "Answer" }).count()).toBe(0);
  await thread.getByRole("button", { name: "Go on with your answer" }).click();
  const answer = thread.getByRole("textbox", { name: "Answer" });
  await expect.poll(() => answer.inputValue()).toBe("An answer begun");

  // Too long a text is not cut: it says how much is too much.
  await answer.fill("x".repeat(16_005));
  await thread.getByRole("alert").getByText("5 too many").waitFor();
  expect((await answer.inputValue()).length).toBe(16_005);
  expect(await violations(page)).toEqual([]);
  await answer.fill("An answer");
  await answer.press("Enter");
  await expect.poll(() => thread.locator(".comment").count()).toBe(2);
  expect(app.complaints).toEqual([]);
  await context.close();
});
