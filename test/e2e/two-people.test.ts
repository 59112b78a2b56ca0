import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createScribe } from "../../src/adapters/providers/scribe/scribe.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { Api } from "./api.ts";
import { AppPage, showSource } from "./app-page.ts";
import { launchBrowser } from "./browser.ts";

let browser: Browser;
let server: TestServer;

// No agent goes on before all are at work; then slowly enough that both people type meanwhile.
const allAtWork = Promise.withResolvers<void>();
const scribe = createScribe(async (delayMs) => {
  await allAtWork.promise;
  await new Promise((resolve) => setTimeout(resolve, delayMs * 2));
});

beforeAll(async () => {
  const catalogue = {
    list: () => [scribe.info],
    find: (id: string) => (id === scribe.info.id ? scribe : undefined),
  };
  [browser, server] = await Promise.all([launchBrowser(), startTestServer({ store: "sqlite", catalogue })]);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

interface Person {
  readonly app: AppPage;
  readonly context: BrowserContext;
}

/** Opens the app in a browser of somebody who has given their name. */
async function arrive(name: string): Promise<Person> {
  // Tall enough that the editor renders every line.
  const context = await browser.newContext({ viewport: { width: 1400, height: 3200 }, reducedMotion: "reduce" });
  await showSource(context);
  await context.addInitScript((given) => {
    if (window.top === window) localStorage.setItem("heddle.name", given);
  }, name);
  const app = new AppPage(await context.newPage());
  await app.page.goto(server.address);
  await app.waitForConnection("live");
  await app.editor.waitFor();
  return { app, context };
}

/** What the card at the line that holds these words says of who wrote it. */
async function authorOf(app: AppPage, words: string): Promise<string> {
  await app.placeCaretAfter(words);
  await app.page.keyboard.press("Control+Alt+b");
  const card = app.page.getByRole("dialog", { name: /^Why line \d+ is here$/ });
  await card.waitFor();
  const said = (await card.textContent()) ?? "";
  await app.page.keyboard.press("Escape");
  await card.waitFor({ state: "detached" });
  return said;
}

const storedText = (): Promise<string> => new Api({ origin: server.url, token: server.token }).welcomeText();

test("17 two people and two agents write, comment, review and undo in one document at once, and each word keeps its author", async () => {
  const [ada, bo] = await Promise.all([arrive("Ada"), arrive("Bo")]);
  const { page } = bo.app;
  const before = await storedText();

  // Ada's agent writes in the document, and two replies to Bo each in a draft of it.
  await page.getByRole("button", { name: "New conversation" }).click();
  await page.getByRole("heading", { name: "Ask for a change in Welcome" }).waitFor();
  await page.getByRole("combobox", { name: "Replies" }).selectOption("2");
  await Promise.all([
    ada.app.send("Add a section on rivers, then add a section on gardens"),
    bo.app.send("Add a section on lanterns"),
  ]);
  await expect.poll(async () => (await server.workspace.store.unsettledRuns()).length).toBe(3);
  allAtWork.resolve();

  // Each is named to the other.
  for (const [{ app }, other] of [
    [ada, "Bo"],
    [bo, "Ada"],
  ] as const)
    await app.page.getByRole("list", { name: "People here" }).getByText(other, { exact: true }).waitFor();

  // Meanwhile both type, in two lines, and comment on what they see.
  await Promise.all([
    (async () => {
      await ada.app.placeCaretAfter("This part is yours.");
      await ada.app.type(" Ada was here, word by word.", 40);
    })(),
    (async () => {
      await bo.app.placeCaretAfter("# Welcome");
      await page.keyboard.press("Enter");
      await bo.app.type("Bo begins a line of his own.", 40);
      await page.keyboard.press("Shift+Home");
      await page.keyboard.press("Control+Alt+m");
      await page.getByRole("textbox", { name: /^Comment\./ }).waitFor();
      await bo.app.type("Shall this stay?");
      await page.keyboard.press("Enter");
    })(),
  ]);
  // Where the other types, their name is at the caret.
  await bo.app.editor.locator(".remote-caret", { hasText: "Ada" }).waitFor({ state: "attached" });
  const marked = ada.app.page.locator(".comment-range");
  await expect.poll(() => marked.allTextContents()).toEqual(["Bo begins a line of his own."]);
  await ada.app.page.locator(".comment-margin").click();
  const thread = ada.app.page.getByRole("listitem", { name: /^Comment on / });
  await ada.app.page.getByRole("textbox", { name: "Answer" }).fill("It stays.");
  await ada.app.page.keyboard.press("Enter");
  await expect.poll(() => page.getByRole("listitem", { name: /^Comment on / }).textContent()).toContain("It stays.");
  for (const name of ["Ada", "Bo"]) await expect.poll(() => thread.textContent()).toContain(name);

  // All are done: nothing is lost, and the drafts wait beside it.
  await Promise.all([ada.app.waitForState("idle"), bo.app.waitForState("idle")]);
  const strip = page.getByRole("region", { name: "Drafts" });
  await strip.getByText("2 drafts of this document wait").waitFor();
  const whole = await storedText();
  for (const line of [
    "Bo begins a line of his own.",
    "This part is yours. Ada was here, word by word.",
    "## Rivers",
    "## Gardens",
  ])
    expect(whole.split("\n")).toContain(line);
  expect(whole).not.toContain("## Lanterns");
  const withoutTyped = whole.replace("Bo begins a line of his own.\n", "").replace(" Ada was here, word by word.", "");
  expect(withoutTyped.startsWith(before.trimEnd())).toBe(true);

  // Bo reviews: he takes one draft, part of it in Ada's sight, and drops the other.
  await strip.getByRole("button", { name: "Compare and take" }).click();
  const dialog = page.getByRole("dialog", { name: /^Drafts of/ });
  await dialog.getByRole("radio", { name: /^Draft 1/ }).check();
  await dialog.getByRole("button", { name: "Take draft 1" }).click();
  await expect.poll(() => ada.app.canvasText()).toContain("## Lanterns");
  await strip.getByText("1 draft of this document waits").waitFor();
  await strip.getByRole("button", { name: "Compare and take" }).click();
  await dialog.getByRole("button", { name: /^Drop draft/ }).click();
  await strip.waitFor({ state: "detached" });
  const taken = await storedText();
  const left = taken.split("\n");
  expect(whole.split("\n").filter((line) => !left.includes(line))).toEqual([]);
  for (const { app } of [ada, bo])
    await expect.poll(async () => (await app.canvasText()).trimEnd()).toBe(taken.trimEnd());
  expect(await marked.allTextContents()).toEqual(["Bo begins a line of his own."]);

  // In both windows each line is of whoever wrote it.
  for (const { app } of [ada, bo]) await app.page.getByRole("button", { name: "Close the comments" }).click();
  expect(await authorOf(ada.app, "Bo begins a line")).toContain("Bo");
  expect(await authorOf(ada.app, "This part is yours.")).toContain("You");
  expect(await authorOf(bo.app, "This part is yours.")).toContain("Ada");
  expect(await authorOf(ada.app, "## Gardens")).toContain("Add a section on rivers");
  expect(await authorOf(ada.app, "## Lanterns")).toMatch(/Scribe.*kept by Bo/);

  // Bo lets an agent suggest, and Ada keeps it by a key.
  await page.getByRole("radio", { name: "Suggest" }).click();
  await bo.app.send("Add a section on harbours");
  await ada.app.page.getByRole("region", { name: "Suggestions" }).getByText("1 suggestion by Scribe").waitFor();
  expect(await storedText()).toBe(taken);
  await ada.app.page.keyboard.press("F7");
  await ada.app.page.keyboard.press("y");
  await expect.poll(() => bo.app.canvasText()).toContain("## Harbours");
  await bo.app.waitForState("idle");

  // Ada takes back all that her agent wrote, and nothing that anybody else did.
  const lines = await storedText();
  await ada.app.page.getByRole("button", { name: "Undo agent's turn", exact: true }).click();
  const change = ada.app.page.getByRole("dialog", { name: /^What Scribe changed/ });
  await change.getByText(/^Asked: “Add a section on rivers/).waitFor();
  await change.getByRole("button", { name: "Undo this turn" }).click();
  await expect.poll(storedText).not.toContain("## Gardens");
  const kept = (await storedText()).split("\n");
  const gone = lines.split("\n").filter((line) => !kept.includes(line));
  expect(gone.filter((line) => line.startsWith("#"))).toEqual(["## Rivers", "## Gardens"]);
  for (const { app } of [ada, bo])
    await expect.poll(async () => (await app.canvasText()).trimEnd()).toBe(kept.join("\n").trimEnd());
  expect([...ada.app.complaints, ...bo.app.complaints]).toEqual([]);
  await Promise.all([ada.context.close(), bo.context.close()]);
});
