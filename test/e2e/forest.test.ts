import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noUsage } from "../../src/core/message/usage.ts";
import type { LanguageModel, ModelCatalogue, ModelInfo } from "../../src/core/port/language-model.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { openApp, type AppPage } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";

let browser: Browser;
let server: TestServer;

/** Two models that give another reply each time, word by word. */
function catalogue(): ModelCatalogue {
  let said = 0;
  const modelNamed = (id: string, name: string): LanguageModel => {
    const info: ModelInfo = {
      id,
      name,
      contextTokensMax: 100_000,
      outputTokensMax: 1_000,
      tools: false,
      thinking: false,
      local: true,
    };
    return {
      info,
      api: "scripted",
      async *stream() {
        said += 1;
        const text = `${name} says swallow number ${said}.`;
        yield { type: "text-start", index: 0 };
        for (const word of text.split(/(?<= )/)) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          yield { type: "text-delta", index: 0, text: word };
        }
        yield { type: "text-end", index: 0 };
        yield { type: "finished", reason: "end-turn", usage: noUsage };
      },
    };
  };
  const models = [modelNamed("test/ada", "Ada"), modelNamed("test/bob", "Bob")];
  return { list: () => models.map(({ info }) => info), find: (id) => models.find(({ info }) => info.id === id) };
}

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startTestServer({ catalogue: catalogue() })]);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

async function choose(app: AppPage, role: "user" | "assistant", item: string | RegExp): Promise<void> {
  const message = app.page.locator(`article[data-role="${role}"]`).last();
  await message.hover();
  await message.getByRole("button", { name: "More actions for this message" }).click();
  await app.page.getByRole("menuitem", { name: item }).click();
}

test("17.14 F-47 several replies are shown together, another model adds one, and a message is bookmarked, split, deleted and found", async () => {
  const { app, context } = await openApp(browser, server.address);
  const { page } = app;

  // Three replies at once.
  await page.getByRole("combobox", { name: "Replies" }).selectOption("3");
  await app.send("How many swallows make a summer?");
  const reply = page.locator('article[data-role="assistant"]');
  await reply.getByText("1/3").or(reply.getByText("2/3")).or(reply.getByText("3/3")).first().waitFor();
  await app.waitForState("idle");
  await page.getByRole("combobox", { name: "Replies" }).selectOption("1");

  // Another model for this reply.
  await choose(app, "assistant", /^Reply by Bob/);
  await page.getByRole("article", { name: "Bob, writing" }).waitFor();
  await reply.getByText(/^Bob says swallow number/).waitFor();
  await reply.getByText("4/4").waitFor();
  await app.waitForState("idle");

  // The bookmark is shown at the message and in the forest, and leads back to the message.
  await choose(app, "assistant", "Bookmark…");
  await page.getByRole("textbox", { name: "Title" }).fill("the answer");
  await page.getByRole("button", { name: "Save the bookmark" }).click();
  const bookmark = page.getByRole("region", { name: "Bookmarks" }).getByRole("button", { name: "the answer" });
  await bookmark.waitFor();
  await reply.getByRole("button", { name: "Previous version" }).click();
  await reply.getByText("3/4").waitFor();
  await bookmark.click();
  await reply.getByText("4/4").waitFor();

  // Adds tags, and splits at the caret.
  await choose(app, "user", "Tags…");
  await page.getByRole("textbox", { name: "Tags, with commas between" }).fill("birds, counting");
  await page.getByRole("button", { name: "Save the tags" }).click();
  const question = page.locator('article[data-role="user"]');
  await question.getByText("counting").waitFor();
  await choose(app, "user", "Split…");
  await page.getByRole("textbox", { name: /^Place the cursor/ }).press("Control+Home");
  for (let moved = 0; moved < 9; moved += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.type("nothing");
  await page.getByRole("button", { name: "Split here" }).click();
  await expect
    .poll(() => question.locator(".message-words").allTextContents())
    .toEqual(["How many", "swallows make a summer?"]);
  expect(await violations(page)).toEqual([]);

  // A search for words leads to a message in another conversation.
  await page.getByRole("button", { name: "New conversation" }).first().click();
  await expect.poll(() => app.messages()).toEqual([]);
  await page.keyboard.press("Control+Shift+F");
  await page.getByRole("combobox", { name: "Search everything" }).fill("bob swallow num");
  const find = page.getByRole("option", { name: /Bob says swallow number/ });
  await find.waitFor();
  expect(await violations(page)).toEqual([]);
  await find.click();
  await reply.getByText(/^Bob says swallow number/).waitFor();

  // The dialog lists what a deletion includes.
  await choose(app, "assistant", "Delete…");
  await page.getByText("Bookmarks that are deleted too: the answer.").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await expect.poll(() => bookmark.count()).toBe(0);
  await expect.poll(async () => (await app.messages()).at(-1)?.text).not.toContain("Bob says");
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("16.1 a page draws and fetches the rows that are looked at, of however many conversations there are", async () => {
  const { workspace } = server;
  const { conversations } = workspace;
  const canvasId = (await workspace.canvases())[0]?.id ?? null;
  for (let number = 0; number < 260; number += 1) await conversations.create({ title: `Talk ${number}`, canvasId });
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1280, height: 800 } });
  const tree = app.page.getByRole("tree", { name: "Conversations and branches" });
  const rows = tree.getByRole("treeitem");
  await rows.filter({ hasText: /^Talk 259$/ }).waitFor();
  await expect.poll(() => rows.count()).toBeLessThan(80);
  await tree.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await rows.filter({ hasText: /^Talk 0$/ }).waitFor();
  await expect.poll(() => rows.count()).toBeLessThan(80);
  await app.page.getByLabel("Filter conversations and documents").fill("205 TALK");
  await rows.filter({ hasText: /^Talk 205$/ }).waitFor();
  await expect.poll(() => rows.count()).toBe(1);
  // A name that was not fetched is found by the palette.
  await app.page.getByLabel("Filter conversations and documents").fill("");
  await app.page.keyboard.press("Control+k");
  await app.page.keyboard.type("talk 131");
  await app.page.getByRole("option", { name: "Talk 131" }).click();
  await app.page.getByRole("heading", { name: "Talk 131" }).waitFor();
  // The page hears of a rename of a row far below.
  const far = (await conversations.list()).find(({ title }) => title === "Talk 131");
  if (far !== undefined) await conversations.rename({ rootId: far.id, title: "Renamed elsewhere" });
  await app.page.getByRole("heading", { name: "Renamed elsewhere" }).waitFor();
  await context.close();
});
