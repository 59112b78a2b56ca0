import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { Api } from "./api.ts";
import { type AppPage, openApp } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";

let browser: Browser;
let server: TestServer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-e2e-export-"));
  [browser, server] = await Promise.all([launchBrowser(), startTestServer({})]);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  rmSync(folder, { recursive: true });
});

/** Opens a conversation with a question in two versions; the second is shown, with its reply. */
async function opened(
  title: string,
  viewport = { width: 1280, height: 800 },
): Promise<{ app: AppPage; page: Page; close: () => Promise<void> }> {
  const api = new Api({ origin: server.url, token: server.token });
  const known = await api.get<{ conversations: readonly { title: string; canvasId: string }[] }>("/api/conversations");
  const canvasId = known.conversations.at(-1)?.canvasId ?? "";
  const { rootId } = await api.post<{ rootId: string }>("/api/commands/conversation.create", { title, canvasId });
  const say = (parent: string, role: string, text: string) =>
    api.post<{ id: string }>(`/api/nodes/${parent}/append`, {
      messages: [{ role, content: [{ type: "text", text }] }],
    });
  await say(rootId, "user", "Which plums?");
  const second = await say(rootId, "user", "Which **apples**?");
  await say(second.id, "assistant", "The early ones: *Klarapfel*.");
  const { app, context } = await openApp(browser, server.address, { viewport });
  await app.page.getByRole("treeitem", { name: title }).first().click();
  await expect.poll(() => app.answer()).toContain("Klarapfel");
  return { app, page: app.page, close: () => context.close() };
}

/** Chooses what the palette finds by these words. */
async function run(page: Page, words: string, label: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or run" }).fill(words);
  await page.getByRole("option", { name: label }).first().click();
}

async function saved(page: Page, act: () => Promise<void>): Promise<{ name: string; text: string }> {
  const download = page.waitForEvent("download");
  await act();
  const file = await download;
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
}

test("17.7 a conversation is saved, copied, read and printed from its menu", async () => {
  const { app, page, close } = await opened("Harvest: what/when?");
  const menu = page.getByRole("button", { name: "This conversation: read, copy, export" });
  const choose = async (label: string): Promise<void> => {
    await menu.click();
    await page.getByRole("menuitem", { name: label }).click();
  };
  const branch = await saved(page, () => choose("Save this branch as Markdown"));
  expect(branch.name).toBe("Harvest- what-when-.md");
  expect(branch.text).toContain("The early ones: *Klarapfel*.");
  expect(branch.text).not.toContain("plums");
  const whole = await saved(page, () => choose("Save all branches as JSON"));
  expect(whole.name).toBe("Harvest- what-when-.json");
  expect(JSON.stringify(JSON.parse(whole.text))).toContain("Which plums?");
  await choose("Read, print or save as PDF…");
  const reading = page.getByRole("dialog", { name: "Harvest: what/when?" });
  await reading.getByText("Klarapfel").waitFor();
  expect(await reading.locator("em", { hasText: "Klarapfel" }).count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");

  // A server that is away saves nothing, and says so.
  await page.route("**/api/nodes/*/export*", (route) => route.abort());
  await choose("Save this branch as Markdown");
  await page.getByText("The conversation did not arrive whole, so nothing was saved.").waitFor();
  await page.unroute("**/api/nodes/*/export*");
  expect(app.complaints).toEqual([]);
  await close();
});

test("17.14 the palette finds what the menus of the document and the conversation do, by the words people use", async () => {
  const { page, close } = await opened("Cellar");
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Search or run" });
  for (const [words, label] of [
    ["export", "Save as HTML"],
    ["pdf", "Read, print or save as PDF…"],
    ["print", "Read, print or save as PDF…"],
    ["replace", "Find and replace…"],
    ["download", "Save all branches as JSON"],
    ["import", "Import documents or an archive…"],
    ["chatgpt", "Import documents or an archive…"],
    ["budget", "Permissions and usage of this conversation…"],
    ["context", "What the model sees next…"],
    ["image", "Insert a picture…"],
    ["dark", "Theme: dark"],
    ["font", "Text size: large"],
    ["undo", "Undo mine"],
    ["take control", "Take control of the canvas"],
  ] as const) {
    await field.fill(words);
    await page.getByRole("option", { name: label }).first().waitFor({ timeout: 5_000 });
  }
  await page.keyboard.press("Escape");
  const html = await saved(page, () => run(page, "save html", "Save as HTML"));
  expect(html.text).toContain("<!doctype html>");
  const branch = await saved(page, () => run(page, "save branch", "Save this branch as Markdown"));
  expect(branch.text).toContain("Klarapfel");
  await run(page, "usage", "Permissions and usage of this conversation…");
  await page.getByRole("dialog").first().waitFor();
  await close();
});

test("17.7 documents are imported by a button, without a drop", async () => {
  const { app, page, close } = await opened("Import");
  const file = join(folder, "Trip to Ghent.md");
  writeFileSync(file, "# Ghent\n\nBoats at noon.\n");
  const chooser = page.waitForEvent("filechooser");
  await run(page, "upload markdown", "Import documents or an archive…");
  await (await chooser).setFiles([file]);
  await page.getByRole("textbox", { name: "Text of Trip to Ghent" }).waitFor();
  await expect.poll(() => app.canvasText()).toContain("Boats at noon.");
  const unknown = join(folder, "sound.wav");
  writeFileSync(unknown, "RIFF");
  const again = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Import documents or an archive" }).click();
  await (await again).setFiles([unknown]);
  const report = page.getByRole("dialog", { name: "What was imported" });
  await report.getByText("Nothing was made of it").waitFor();
  await close();
});

test("17.14 all suggestions are kept by name, from the palette", async () => {
  const { app, page, close } = await opened("Suggested");
  await page.getByRole("radio", { name: "Suggest" }).click();
  await page.getByRole("radio", { name: "Suggest", checked: true }).waitFor();
  await app.send("Add a section on testing, then tighten the introduction");
  await app.waitForState("idle");
  const review = page.getByRole("region", { name: "Suggestions" });
  await review.waitFor();
  expect(await app.canvasText()).not.toContain("Testing");
  await run(page, "accept", "Keep all suggestions");
  await expect.poll(() => app.canvasText()).toContain("Testing");
  await expect.poll(() => review.count()).toBe(0);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or run" }).fill("accept");
  await expect.poll(() => page.getByRole("option", { name: "Keep all suggestions" }).count()).toBe(0);
  await close();
});
