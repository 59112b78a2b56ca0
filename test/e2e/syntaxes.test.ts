import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ForestRoot } from "../../src/core/forest/types.ts";
import { startMockProvider, type MockProvider } from "../../src/testing/mock-provider/server.ts";
import { describeModels, modelOf, textAuthor, tierOne } from "../process/text-models.ts";
import { torture } from "../scale.ts";
import { Api } from "./api.ts";
import { openApp, type AppPage } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "./server-process.ts";

let browser: Browser;
let server: ServerProcess;
let mock: MockProvider;
let folder: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  folder = await temporaryDirectory();
  const author = textAuthor(4);
  mock = await startMockProvider({
    api: "chat",
    strict: true,
    reply: (request, signal) => author.stream(request, signal),
  });
  await describeModels(folder.path, mock.url);
  const env = { HEDDLE_MODEL: "house/model" };
  [browser, server] = await Promise.all([launchBrowser(), startServerProcess({ dataDirectory: folder.path, env })]);
});

afterAll(async () => {
  await browser?.close();
  await server?.kill();
  await mock?.close();
  await folder?.remove();
});

async function openToolCalls(app: AppPage) {
  await app.page.keyboard.press("Control+K");
  await app.page.keyboard.type("tool calls");
  await app.page.getByRole("option", { name: /^Tool calls/ }).click();
  const dialog = app.page.getByRole("dialog", { name: "Tool calls" });
  await dialog.getByRole("heading", { name: "Try a syntax" }).waitFor();
  return dialog;
}

/** The messages as shown; a thought's duration is known only to the page that saw it. */
async function untimed(app: AppPage) {
  const messages = await app.messages();
  return messages.map(({ role, text }) => ({ role, text: text.replace(/Thought for [\d.]+ s/u, "Thought") }));
}

async function newestRoot(): Promise<ForestRoot> {
  const { conversations } = await new Api(server).get<{ conversations: readonly ForestRoot[] }>("/api/conversations");
  const [newest] = conversations.toSorted((a, b) => b.updatedAt - a.updatedAt);
  if (newest === undefined) throw new Error("there is no conversation");
  return newest;
}

// Each syntax takes long in the browser; `test/process` runs the main job in all of them every time.
const shown = torture > 1 ? tierOne : ["xml", "caret"];
const topics = [
  "rivers",
  "bridges",
  "ferries",
  "gardens",
  "towers",
  "lanterns",
  "harbours",
  "mills",
  "orchards",
  "wells",
  "clocks",
  "kites",
  "roofs",
];

test.each(shown.map((syntax, at) => [syntax, topics[at] ?? "boats"] as const))(
  "the main job in the app with calls in %s: thought, called, shown and written while a person types",
  async (syntax, topic) => {
    const { app, context } = await openApp(browser, server.url);
    await app.page.getByRole("button", { name: "New conversation" }).first().click();
    await expect.poll(() => app.messages()).toEqual([]);
    if (modelOf(syntax) === "house/templated") {
      await app.page.getByRole("combobox", { name: "Model" }).selectOption("house/templated");
    } else {
      const dialog = await openToolCalls(app);
      await dialog.getByLabel("In this conversation").selectOption(syntax);
      await expect.poll(async () => (await newestRoot()).toolSyntax).toBe(syntax);
      await app.page.keyboard.press("Escape");
    }
    await app.send(`Add a section on ${topic}`);
    await app.page.getByRole("button", { name: "Take control" }).waitFor();
    await app.placeCaretAfter("This part is yours.");
    await app.type(` Mine beside ${syntax}.`, 20);
    await app.waitForState("idle");

    const text = await new Api(server).textOf((await newestRoot()).canvasId ?? "");
    expect(text).toContain(` Mine beside ${syntax}.`);
    expect(text.toLowerCase()).toContain(`\n## ${topic}\n`);
    await app.openSteps();
    const said = await untimed(app);
    const words = said.map((message) => message.text).join("\n");
    expect(words).toMatch(/started editing[\s\S]*patch applied[\s\S]*finished editing/);
    expect(words).not.toMatch(/<\/?(?:tool|param|invoke|function|arg|think)|\^\^\^|<\||\[TOOL|｜/);
    await app.page.locator("details.thinking, .thinking").first().waitFor();
    const badges = await app.page.locator(".tool-syntax").allTextContents();
    expect(new Set(badges)).toEqual(new Set(syntax === "native" ? [] : [syntax]));

    // The details of a call appear behind it, also after a reload.
    const grep = app.page.locator(".tool-row", { hasText: "canvas_grep" }).first();
    const parameters = async (): Promise<readonly string[]> => {
      await grep.getByRole("button").first().click();
      return grep.getByRole("region", { name: "Arguments of canvas_grep" }).locator("dt, dd").allTextContents();
    };
    const called = await parameters();
    expect(await violations(app.page)).toEqual([]);
    expect(called).toEqual(expect.arrayContaining(["lease_id", "query"]));
    await app.page.reload();
    await app.waitForConnection("live");
    await app.page.locator(".folded-rows").first().waitFor();
    await app.openSteps();
    // Until the Markdown reader has loaded, the words are shown unformatted.
    await expect.poll(() => untimed(app)).toEqual(said);
    expect(await parameters()).toEqual(called);
    expect(app.complaints).toEqual([]);
    expect(mock.rejections).toEqual([]);
    await context.close();
  },
);

test("the lab says, by keyboard and to a screen reader, what a pasted reply would do and why not", async () => {
  const { app, context } = await openApp(browser, server.url);
  await app.page.getByRole("button", { name: "Settings" }).click();
  await app.page.getByRole("button", { name: "Choose or try a syntax…" }).click();
  const dialog = app.page.getByRole("dialog", { name: "Tool calls" });
  await dialog.getByRole("combobox", { name: "Syntax", exact: true }).selectOption("caret");
  const reply = dialog.getByRole("textbox", { name: "A model’s reply" });
  await reply.fill("I look.\n^^^canvas_grep\nlease_id: l\nquery: a word\n^^^\n");
  const rows = dialog.getByRole("list", { name: "What was recognised" });
  await expect.poll(() => dialog.getByRole("status").textContent()).toBe("One call would run.");
  await expect
    .poll(() => rows.getByRole("listitem").allTextContents())
    .toEqual(["Line 1TextI look.", "Line 2Callcanvas_greplease_idlquerya word"]);
  expect(await violations(app.page)).toEqual([]);

  await reply.fill("see ^^^canvas_check_out\n\n^^^canvas_read_lines\nlease_id: l\nstart_line: one\n^^^\n");
  await expect.poll(() => dialog.getByRole("status").textContent()).toBe("No call would run; 2 items would not.");
  expect((await rows.textContent()) ?? "").toMatch(/first column[\s\S]*start_line/);

  // A dialect of one's own parses as it is typed.
  await dialog.getByRole("combobox", { name: "Syntax", exact: true }).selectOption({ label: "A dialect of your own…" });
  const data = dialog.getByRole("textbox", { name: "The dialect as data" });
  const mine = { id: "mine", title: "Mine", calls: "json", call: ["[DO]", "[END]"], prompt: "Call." };
  await reply.fill('[DO]{"name": "canvas_grep", "arguments": {"lease_id": "l", "query": "a"}}[END]');
  await data.fill(JSON.stringify({ ...mine, calls: "no" }, null, 2));
  await expect.poll(() => dialog.getByRole("status").first().textContent()).toContain("line 4: calls: must be");
  await data.fill(JSON.stringify(mine));
  await expect.poll(() => dialog.getByRole("status").last().textContent()).toBe("One call would run.");
  expect(await violations(app.page)).toEqual([]);
  await dialog.getByRole("combobox", { name: "Syntax", exact: true }).selectOption("caret");
  await reply.fill("");

  // Half of a reply looks like a reply that was cut off, unless the person says otherwise.
  await dialog.getByRole("button", { name: "Insert an example" }).click();
  await expect.poll(() => dialog.getByRole("status").textContent()).toBe("One call would run.");
  await dialog.getByRole("checkbox", { name: "The reply was cut off" }).check();
  await expect.poll(() => rows.textContent()).toContain("the reply ended inside the call");
  expect(await violations(app.page)).toEqual([]);
  await app.page.keyboard.press("Escape");
  await expect.poll(() => dialog.count()).toBe(0);
  expect(app.complaints).toEqual([]);
  await context.close();
});
