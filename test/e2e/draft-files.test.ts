import { readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Script } from "../../src/adapters/providers/scripted.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import { startMockProvider, type MockProvider } from "../../src/testing/mock-provider/server.ts";
import { brain } from "../process/provider-bench.ts";
import { openApp } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "./server-process.ts";

let browser: Browser;
let server: ServerProcess;
let provider: MockProvider;
let directories: readonly Awaited<ReturnType<typeof temporaryDirectory>>[];
let folder = "";
const contexts: BrowserContext[] = [];

beforeAll(async () => {
  directories = await Promise.all([temporaryDirectory(), temporaryDirectory()]);
  folder = realpathSync(directories[1]?.path ?? "");
  for (const name of ["notes.md", "gone.md"]) writeFileSync(join(folder, name), `# ${name}\n`);
  provider = await startMockProvider({ api: "anthropic", strict: true, reply: brain(decide) });
  [browser, server] = await Promise.all([
    launchBrowser(),
    startServerProcess({
      dataDirectory: directories[0]?.path ?? "",
      args: ["--workspace", folder],
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

const steps = [
  { name: "write_file", parameters: { path: "plan.md", content: "# Plan\n\nFirst.\n" } },
  { name: "move_file", parameters: { path: "notes.md", to: "old/notes.md" } },
  { name: "delete_file", parameters: { path: "gone.md" } },
] as const;

/** Makes a file, moves one and deletes one. */
function decide({ messages }: ModelRequest): Script[number] {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const step = steps[messages.slice(asked).filter(({ role }) => role === "tool").length];
  return step === undefined ? [{ type: "text", text: "Sorted." }] : [{ type: "tool-call", ...step }];
}

function disk(): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name).slice(folder.length + 1)] : []))
    .toSorted();
}

test("17.8 K-35 two replies make, move and delete files in drafts; a part of one is taken, then the rest at once", async () => {
  const { app, context } = await openApp(browser, server.url, { viewport: { width: 1400, height: 1000 } });
  contexts.push(context);
  const { page } = app;
  await page.getByRole("combobox", { name: "Replies" }).selectOption("2");
  await app.send("Sort my files");
  const strip = page.getByRole("region", { name: "Drafts" });
  await strip.getByText("A draft of this branch waits, with other documents").waitFor();
  await app.waitForState("idle");
  expect(disk()).toEqual(["gone.md", "notes.md"]);

  await strip.getByRole("button", { name: "Compare and take" }).click();
  const dialog = page.getByRole("dialog", { name: /^Drafts of/ });
  const part = (words: string) => dialog.getByRole("listitem").filter({ hasText: words });
  await part("Deletes gone.md").waitFor();
  await part("Moves notes.md to old/notes.md").waitFor();
  await part("Creates plan.md").getByText("Show what changes").click();
  await expect.poll(() => part("Creates plan.md").textContent()).toContain("First.");
  expect(await violations(page)).toEqual([]);

  await part("Deletes gone.md").getByRole("checkbox").check();
  await dialog.getByRole("button", { name: "Take 1 chosen part" }).click();
  await expect.poll(disk).toEqual(["notes.md"]);
  await part("Deletes gone.md").waitFor({ state: "detached" });

  // Another program made the file meanwhile: nothing is taken, and both are there.
  writeFileSync(join(folder, "plan.md"), "theirs\n");
  await dialog.getByRole("button", { name: /^Take draft \d in 2 documents$/ }).click();
  await dialog
    .getByRole("alert")
    .getByText(/There is a file at plan\.md now/)
    .waitFor();
  expect(readFileSync(join(folder, "plan.md"), "utf8")).toBe("theirs\n");
  await part("Moves notes.md to old/notes.md").getByRole("checkbox").check();
  await dialog.getByRole("button", { name: "Take 1 chosen part" }).click();
  await expect.poll(disk).toEqual(["old/notes.md", "plan.md"]);
  expect(readFileSync(join(folder, "old/notes.md"), "utf8")).toBe("# notes.md\n");
  expect(app.complaints).toEqual([]);
});
