import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { AppPage, openApp } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";
import { holdFrames } from "./held-frames.ts";

let browser: Browser;
let server: TestServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startTestServer()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** Pastes as a person does: the clipboard's content into the focused element. */
async function paste({ page }: AppPage, text: string): Promise<void> {
  await page.evaluate((words) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", words);
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    const taken = document.activeElement?.dispatchEvent(event) === false;
    if (!taken) document.execCommand("insertText", false, words);
  }, text);
}

const questions = async (app: AppPage): Promise<readonly string[]> =>
  app.page.locator('article[data-role="user"] .message-words').allTextContents();

test("F-47 Ctrl+Enter sends and asks, Ctrl+Shift+Enter only sends, and Enter in the empty field asks later", async () => {
  const { app, context } = await openApp(browser, server.address);
  const { page } = app;
  await app.composer.fill("Keep this in mind.");
  await page.keyboard.press("Control+Shift+Enter");
  await expect.poll(() => questions(app)).toEqual(["Keep this in mind."]);
  await app.composer.fill("And this.");
  await page.keyboard.press("Control+Shift+Enter");
  await expect.poll(() => questions(app)).toEqual(["Keep this in mind.", "And this."]);
  await expect.poll(() => page.locator('article[data-role="assistant"]').count()).toBe(0);

  await page.getByRole("button", { name: "Ask for a reply" }).waitFor();
  await app.composer.press("Enter");
  await page.locator('article[data-role="assistant"][data-node-id]').first().waitFor();
  await app.waitForState("idle");
  expect(await questions(app)).toEqual(["Keep this in mind.", "And this."]);

  await app.composer.fill("Summarise the document");
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => questions(app)).toHaveLength(3);
  await app.waitForState("idle");
  await expect.poll(() => page.locator('article[data-role="assistant"][data-node-id]').count()).toBeGreaterThan(1);
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("F-47 a long paste into the empty field becomes the first message, and can be moved into the text", async () => {
  const { app, context } = await openApp(browser, server.address);
  const { page } = app;
  await page.getByRole("button", { name: "New conversation" }).first().click();
  await page.getByRole("heading", { name: /^Ask/ }).waitFor();
  const long = "A swallow is no summer. ".repeat(30);
  await app.composer.focus();
  await paste(app, long);
  const chip = page.getByRole("group", { name: "Pasted text" });
  await chip.waitFor();
  expect(await violations(page)).toEqual([]);
  await expect.poll(() => app.composer.inputValue()).toBe("");

  await chip.getByRole("button", { name: "Insert into the message" }).click();
  await expect.poll(() => app.composer.inputValue()).toBe(long);
  await app.composer.fill("");
  await paste(app, long);
  // The paste survives a reload, as the draft does.
  await page.reload();
  await chip.waitFor();
  await app.composer.fill("What is this about?");
  await page.keyboard.press("Enter");
  await expect.poll(() => questions(app)).toEqual([long.trim(), "What is this about?"]);
  await app.waitForState("idle");

  // When the field has text, a paste of any length becomes part of it.
  await app.composer.fill("See: ");
  await paste(app, long);
  await expect.poll(() => app.composer.inputValue()).toContain("See: A swallow");
  await expect.poll(() => chip.count()).toBe(0);
  expect(app.complaints).toEqual([]);
  await context.close();
});

const holdCommands = (page: Page, command: string) => holdFrames(page, (message) => message.command === command);

test("words that the server refuses return once to the composer of their own conversation, after any number of visits elsewhere", async () => {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const app = new AppPage(await context.newPage());
  const { page } = app;
  const sends = await holdCommands(page, "message.send");
  await page.goto(server.address);
  await page.getByRole("button", { name: "New conversation" }).first().click();
  await page.getByRole("heading", { name: /^Ask/ }).waitFor();
  await app.composer.fill("A place to come back to.");
  await page.keyboard.press("Control+Shift+Enter");
  await expect.poll(() => questions(app)).toEqual(["A place to come back to."]);
  const comeBack = () => page.getByRole("treeitem", { name: "A place to come back to." }).first().click();
  const sending = page.getByRole("article", { name: /^Sending/ });

  await app.send("These words.");
  await sending.waitFor();
  await page.getByRole("button", { name: "New conversation" }).first().click();
  await page.getByRole("heading", { name: /^Ask/ }).waitFor();
  await comeBack();
  await sending.waitFor();
  await app.composer.fill("And these, typed since.");
  expect(sends.held()).toBe(1);
  sends.refuse();
  await expect.poll(() => app.composer.inputValue()).toBe("These words.\n\nAnd these, typed since.");
  await expect.poll(() => sending.count()).toBe(0);

  // The next page gets the words back when this page ends before the answer.
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await sending.waitFor();
  await page.reload();
  await expect.poll(() => app.composer.inputValue()).toBe("These words.\n\nAnd these, typed since.");
  await app.composer.fill("These alone.");
  await page.reload();
  await expect.poll(() => app.composer.inputValue()).toBe("These alone.");
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("the words of an edit are sent once and are restored after Escape, a reload or a refusal", async () => {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const app = new AppPage(await context.newPage());
  const { page } = app;
  const edits = await holdCommands(page, "message.edit");
  await page.goto(server.address);
  await page.getByRole("button", { name: "New conversation" }).first().click();
  await page.getByRole("heading", { name: /^Ask/ }).waitFor();
  await app.composer.fill("First words.");
  await page.keyboard.press("Control+Shift+Enter");
  const field = page.getByRole("textbox", { name: "Edit message" });
  const edit = async (): Promise<void> => {
    await page.locator('article[data-role="user"][data-node-id]').focus();
    await page.keyboard.press("e");
  };
  await edit();
  await field.fill("Better words.");
  await field.press("Escape");
  await edit();
  await expect.poll(() => field.inputValue()).toBe("Better words.");
  await page.reload();
  await edit();
  await expect.poll(() => field.inputValue()).toBe("Better words.");

  await field.press("Enter");
  await field.press("Enter");
  await expect.poll(() => edits.held()).toBe(1);
  edits.refuse();
  await page.getByText("STORE_FULL").first().waitFor();
  await field.press("Enter");
  await expect.poll(() => edits.held()).toBe(1);
  edits.refuse();
  await page.getByRole("button", { name: "Discard edit" }).click();
  await edit();
  await expect.poll(() => field.inputValue()).toBe("First words.");
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("a slow server is asked nothing twice, and no message is sent to a place that nobody has seen", async () => {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const app = new AppPage(await context.newPage());
  const { page } = app;
  const asked = await holdCommands(page, "message.regenerate");
  await page.goto(server.address);
  await page.getByRole("button", { name: "New conversation" }).first().click();
  await page.getByRole("heading", { name: /^Ask/ }).waitFor();
  await app.composer.fill("Is anybody there?");
  await page.keyboard.press("Control+Shift+Enter");
  await page.getByRole("button", { name: "Ask for a reply" }).waitFor();
  await app.composer.press("Enter");
  await app.composer.press("Enter");
  await expect.poll(() => asked.held()).toBe(1);
  asked.refuse();
  await page.getByText("STORE_FULL").first().waitFor();
  await app.composer.press("Enter");
  await expect.poll(() => asked.held()).toBe(1);
  await context.close();

  // Another browser opens the conversation before its messages have arrived.
  const elsewhere = await browser.newContext({ reducedMotion: "reduce" });
  const late = new AppPage(await elsewhere.newPage());
  const watches = await holdFrames(late.page, ({ type }) => type === "watch-conversation");
  await late.page.goto(server.address);
  await late.page.getByRole("heading", { name: "Is anybody there?" }).waitFor();
  await late.composer.fill("I am.");
  await late.page.keyboard.press("Control+Shift+Enter");
  await late.page.getByRole("article", { name: "Sending…" }).waitFor();
  watches.release();
  await expect.poll(() => questions(late)).toEqual(["Is anybody there?"]);
  await late.page.getByText("messages that you have not read").first().waitFor();
  await expect.poll(() => late.composer.inputValue()).toBe("I am.");
  await late.composer.press("Control+Shift+Enter");
  await expect.poll(() => questions(late)).toEqual(["Is anybody there?", "I am."]);
  await elsewhere.close();
});

test("words being written in a conversation that somebody deletes move to the conversation shown instead", async () => {
  const { app, context } = await openApp(browser, server.address);
  const { page } = app;
  await page.getByRole("button", { name: "New conversation" }).first().click();
  await page.getByRole("heading", { name: /^Ask/ }).waitFor();
  await app.composer.fill("Here for a moment.");
  await page.keyboard.press("Control+Shift+Enter");
  await expect.poll(() => questions(app)).toEqual(["Here for a moment."]);
  await app.composer.fill("half a thought");
  const { store, conversations } = server.workspace;
  const root = (await store.roots()).find(({ title }) => title === "Here for a moment.");
  expect(await conversations.delete(root?.id as never)).toMatchObject({ ok: true });
  await page.getByText("was deleted").first().waitFor();
  await expect.poll(() => app.composer.inputValue()).toContain("half a thought");
  await page.reload();
  await expect.poll(() => app.composer.inputValue()).toContain("half a thought");
  await app.composer.fill("");
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("a dialog keeps what is typed until the server has accepted it", async () => {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const app = new AppPage(await context.newPage());
  const { page } = app;
  const made = await holdCommands(page, "canvas.create");
  await page.goto(server.address);
  await page.getByRole("tree", { name: "Documents" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("new canvas");
  await page.keyboard.press("Enter");
  const title = page.getByRole("textbox", { name: "Title", exact: true });
  await title.fill("Letters home");
  await title.press("Enter");
  await title.press("Enter");
  await expect.poll(() => made.held()).toBe(1);
  made.refuse();
  await page.getByText("STORE_FULL").first().waitFor();
  await expect.poll(() => title.inputValue()).toBe("Letters home");
  made.release();
  await title.press("Enter");
  await title.waitFor({ state: "detached" });
  await page
    .getByRole("button", { name: /Letters home/ })
    .first()
    .waitFor();
  await context.close();
});

test("the page asks before closing with unsaved text, and shows the text when the server no longer accepts the page", async () => {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const app = new AppPage(await context.newPage());
  const { page } = app;
  const pushes = await holdFrames(page, ({ type }) => type === "push");
  await page.goto(server.address);
  await app.editor.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("Words for the train.");
  await expect.poll(() => pushes.held()).toBe(1);
  pushes.refuse();
  await page.getByText("Your edits are kept on this page").waitFor();
  const asked = page.waitForEvent("dialog");
  await page.close({ runBeforeUnload: true });
  const question = await asked;
  expect(question.type()).toBe("beforeunload");
  await question.dismiss();

  pushes.garble();
  await page.getByRole("heading", { name: "This page is out of date" }).waitFor();
  const words = page.getByRole("region", { name: "What you typed" });
  await expect.poll(() => words.locator("pre").textContent()).toBe("Words for the train.");
  expect(await violations(page)).toEqual([]);
  await context.close();
});

test("F-47 Escape goes from the field to the last message and up to its parent, and Alt with arrows changes between siblings", async () => {
  const { app, context } = await openApp(browser, server.address);
  const { page } = app;
  await page.getByRole("button", { name: "New conversation" }).first().click();
  await page.getByRole("heading", { name: /^Ask/ }).waitFor();
  await app.send("Who are you?");
  await page.locator('article[data-role="assistant"][data-node-id]').first().waitFor();
  await app.waitForState("idle");
  await app.composer.fill("half a thought");
  await app.composer.press("Escape");
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-role"));
  await expect.poll(focused).toBe("assistant");
  await page.keyboard.press("Escape");
  await expect.poll(focused).toBe("user");
  await page.keyboard.press("Escape");
  await expect.poll(focused).toBe("user");
  await expect.poll(() => app.composer.inputValue()).toBe("half a thought");

  await page.keyboard.press("e");
  await page.getByRole("textbox", { name: "Edit message" }).fill("What can you do?");
  await page.keyboard.press("Enter");
  await page.locator(".versions-count", { hasText: "2/2" }).waitFor();
  await app.waitForState("idle");
  await page.locator('article[data-role="user"]').first().focus();
  await page.keyboard.press("Alt+ArrowUp");
  await page.locator(".versions-count", { hasText: "1/2" }).waitFor();
  expect(await questions(app)).toEqual(["Who are you?"]);
  await page.keyboard.press("Alt+ArrowDown");
  await expect.poll(() => questions(app)).toEqual(["What can you do?"]);
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("F-47 the page scrolls to a single new message; for several new messages it stays and offers a choice", async () => {
  const { app, context } = await openApp(browser, server.address);
  const { page } = app;
  await page.getByRole("button", { name: "New conversation" }).first().click();
  await page.getByRole("heading", { name: /^Ask/ }).waitFor();
  await app.composer.fill("Begin here.");
  await page.keyboard.press("Control+Shift+Enter");
  await expect.poll(() => questions(app)).toEqual(["Begin here."]);
  const parent = await page.locator('article[data-role="user"]').getAttribute("data-node-id");
  const call = async (text: string, below: string | null): Promise<string> => {
    const node = await server.workspace.store.node(below as never);
    const added = await server.workspace.conversations.messages.add(
      { type: "system", id: "test" as never, name: "Test" },
      {
        rootId: node?.rootId as never,
        parentNodeId: below as never,
        messages: [{ role: "assistant", content: [{ type: "text", text }] }],
      },
    );
    if (!added.ok) throw new Error(added.error.message);
    return added.value.nodeId ?? "";
  };
  const only = await call("The only one.", parent);
  await page.getByText("The only one.").waitFor();

  // Two messages arrive while another conversation is open; on return the page finds both at once.
  await page.getByRole("button", { name: "New conversation" }).first().click();
  await page.getByRole("heading", { name: /^Ask/ }).waitFor();
  await call("One of two.", only);
  await call("Two of two.", only);
  await page.getByRole("treeitem", { name: "Begin here." }).first().click();
  await page.getByText("2 new messages follow this one").waitFor();
  await expect.poll(() => page.locator("article[data-node-id]").count()).toBe(2);
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Show message 2 of 2" }).click();
  await page.locator("article").getByText("Two of two.").waitFor();
  await page.locator(".versions-count", { hasText: "2/2" }).waitFor();
  await context.close();
});

test("F-44 a preset is created, chosen, changed and cleared in the app", async () => {
  const { app, context } = await openApp(browser, server.address);
  const { page } = app;
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: "New preset" }).click();
  const form = page.getByRole("form", { name: "New preset" });
  await form.getByRole("textbox", { name: "Name" }).fill("wild");
  await form.getByRole("textbox", { name: "Replies at once" }).fill("11");
  await form.getByRole("button", { name: "Save the preset" }).click();
  await page.getByRole("alert").getByText("from 1 to 10").waitFor();
  // Neither a selection dragged out of the dialog nor a press beside it discards what is typed.
  await form.getByRole("textbox", { name: "Name" }).hover();
  await page.mouse.down();
  await page.mouse.move(3, 3);
  await page.mouse.up();
  await page.mouse.click(3, 3);
  await expect.poll(() => form.getByRole("textbox", { name: "Name" }).inputValue()).toBe("wild");
  await form.getByRole("textbox", { name: "Replies at once" }).fill("2");
  await form.getByRole("button", { name: "Save the preset" }).click();
  await page.getByText("2 replies").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("radio", { name: "wild" }).check();
  await expect.poll(async () => (await server.workspace.conversations.presets.list()).active).toBe("wild");
  await page.keyboard.press("Escape");

  // The composer shows the values in force, which the preset decides.
  await expect
    .poll(() => page.getByRole("combobox", { name: "Replies" }).locator("option:checked").textContent())
    .toContain("×2");
  await page.getByRole("button", { name: "New conversation" }).first().click();
  await page.getByRole("heading", { name: /^Ask/ }).waitFor();
  await app.send("Who are you?");
  await app.waitForState("idle");
  await expect.poll(() => page.getByRole("combobox", { name: "Preset" }).inputValue()).toBe("wild");

  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Edit the preset wild" }).click();
  await page.getByRole("textbox", { name: "Name" }).last().fill("calm");
  await page.getByRole("textbox", { name: "Temperature, 0 to 2" }).fill("0.2");
  await page.getByRole("button", { name: "Save the preset" }).click();
  await expect
    .poll(() => server.workspace.conversations.presets.list())
    .toEqual({ presets: [{ name: "calm", n: 2, temperature: 0.2 }], active: "calm" });
  await page.getByRole("radio", { name: "None" }).check();
  await expect.poll(async () => (await server.workspace.conversations.presets.list()).active).toBe(null);
  await page.getByRole("button", { name: "Delete the preset calm" }).click();
  await expect.poll(async () => (await server.workspace.conversations.presets.list()).presets).toEqual([]);
  expect(app.complaints).toEqual([]);
  await context.close();
});
