import { existsSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Script } from "../../src/adapters/providers/scripted.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import { startMockProvider, type MockProvider } from "../../src/testing/mock-provider/server.ts";
import { brain } from "../process/provider-bench.ts";
import { openApp, type AppPage } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "./server-process.ts";

let browser: Browser;
let server: ServerProcess;
let provider: MockProvider;
let directories: readonly Awaited<ReturnType<typeof temporaryDirectory>>[];
let [first, second] = ["", ""];
const contexts: BrowserContext[] = [];

beforeAll(async () => {
  directories = await Promise.all([temporaryDirectory(), temporaryDirectory(), temporaryDirectory()]);
  [first, second] = [realpathSync(directories[1]?.path ?? ""), realpathSync(directories[2]?.path ?? "")];
  writeFileSync(join(first, "notes.md"), "of the first\n");
  writeFileSync(join(second, "notes.md"), "of the second\n");
  writeFileSync(join(second, "AGENTS.md"), "Always sign with S.\n");
  provider = await startMockProvider({ api: "anthropic", strict: true, reply: brain(decide) });
  [browser, server] = await Promise.all([
    launchBrowser(),
    startServerProcess({
      dataDirectory: directories[0]?.path ?? "",
      args: ["--workspace", first],
      env: { ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: "a-key-of-the-test" },
    }),
  ]);
});

afterAll(async () => {
  for (const context of contexts) await context.close();
  await browser?.close();
  await server?.stop();
  await provider?.close();
  await Promise.all((directories ?? []).map((directory) => directory.remove()));
});

/** Writes the file that the message names; the text says whether AGENTS.md was in the prompt. */
function decide({ messages, system }: ModelRequest): Script[number] {
  const last = messages.at(-1);
  const text = (last?.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("");
  if (last?.role === "tool") return [{ type: "text", text: `Answered: ${text}` }];
  const signed = system.includes("Always sign with S.") ? " S" : "";
  const [, path = "made.md", word = ""] = /write (\S+) (\S+)/i.exec(text) ?? [];
  return [{ type: "tool-call", name: "write_file", parameters: { path, content: `${word}${signed}\n` } }];
}

async function page(): Promise<AppPage> {
  const opened = await openApp(browser, server.url, { viewport: { width: 1280, height: 900 } });
  contexts.push(opened.context);
  return opened.app;
}

test("14.11 a conversation in each of two folders, worked on at once", async () => {
  const [one, two] = [await page(), await page()];
  const filesOf = ({ page: of }: AppPage) => of.getByRole("tree", { name: "Documents" });
  const folderOfNew = two.page.getByLabel("New conversations work in");
  await folderOfNew.selectOption("Add a folder…");
  await two.page.getByLabel("Path on the machine that runs Heddle").fill(second);
  await two.page.getByRole("button", { name: "Add the folder" }).click();
  await expect.poll(() => folderOfNew.locator("option:checked").textContent()).toBe(basename(second));
  for (const { page: of } of [one, two]) await of.getByRole("button", { name: "New conversation" }).click();
  await two.page.locator(".folder-chip", { hasText: basename(second) }).waitFor();
  await one.page.locator(".folder-chip", { hasText: basename(first) }).waitFor();
  await filesOf(two).getByRole("treeitem", { name: "AGENTS.md" }).waitFor();

  await Promise.all([one.send("write shared.md one"), two.send("write shared.md two")]);
  await Promise.all([one, two].map(({ page: of }) => of.getByText("Answered:").first().waitFor({ timeout: 30_000 })));
  expect([readFileSync(join(first, "shared.md"), "utf8"), readFileSync(join(second, "shared.md"), "utf8")]).toEqual([
    "one\n",
    "two S\n",
  ]);

  // The list follows what agents made, and what another program makes, without a click.
  for (const app of [one, two]) await filesOf(app).getByRole("treeitem", { name: "shared.md" }).waitFor();
  writeFileSync(join(second, "from-outside.md"), "x\n");
  await filesOf(two).getByRole("treeitem", { name: "from-outside.md" }).waitFor();
  await expect.poll(() => filesOf(one).getByRole("treeitem", { name: "from-outside.md" }).count()).toBe(0);

  await filesOf(two).getByRole("treeitem", { name: "notes.md" }).click();
  await two.page.getByRole("textbox", { name: "Text of notes.md" }).waitFor();
  expect(await two.canvasText()).toContain("of the second");
  expect(await violations(two.page)).toEqual([]);
  await two.page.getByRole("button", { name: "Settings" }).click();
  const settings = two.page.getByRole("dialog", { name: "Settings" });
  await settings.getByText("AGENTS.md: 20 bytes, about 5 tokens, in every request").waitFor();
  expect(await violations(two.page)).toEqual([]);
  // A folder has another name in Heddle; on disk it stays.
  const name = settings.getByRole("textbox", { name: "Name in Heddle" }).last();
  const before = await name.inputValue();
  for (const wanted of ["Second folder", before]) {
    await name.fill(wanted);
    await name.press("Enter");
    await settings.getByRole("region", { name: `Folder ${wanted}` }).waitFor();
  }
  expect(existsSync(second)).toBe(true);
  await two.page.keyboard.press("Escape");
  expect([...one.complaints, ...two.complaints]).toEqual([]);
});

test("14.11 a folder that goes away says so, and nothing is written until it is back", async () => {
  const app = contexts[1]?.pages()[0];
  if (app === undefined) throw new Error("the second page is open");
  const moved = `${second}-moved`;
  renameSync(second, moved);
  try {
    await app.locator(".folder-chip", { hasText: "away" }).waitFor({ timeout: 20_000 });
    await app.getByText("is away: nothing is at its path").first().waitFor();
    await app.getByRole("textbox", { name: "Message", exact: true }).fill("write late.md late");
    await app.getByRole("button", { name: "Send", exact: true }).click();
    await app.getByText("FOLDER_AWAY").first().waitFor({ timeout: 30_000 });
    expect([existsSync(second), existsSync(join(moved, "late.md"))]).toEqual([false, false]);
  } finally {
    renameSync(moved, second);
  }
  await app.locator(".folder-chip", { hasText: "away" }).waitFor({ state: "detached", timeout: 20_000 });
});
