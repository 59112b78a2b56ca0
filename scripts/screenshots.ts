import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { createScribe } from "../src/adapters/providers/scribe/scribe.ts";
import { launchBrowser } from "../test/e2e/browser.ts";
import { startMockProvider } from "../src/testing/mock-provider/server.ts";
import { Api } from "../test/e2e/api.ts";
import { AppPage, openApp } from "../test/e2e/app-page.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "../test/e2e/server-process.ts";
import { repository, run } from "./command.ts";

// Makes the screenshots of docs/screenshots from the real app on the real server: node scripts/screenshots.ts

const folder = join(repository, "docs/screenshots");
const wide = { viewport: { width: 1440, height: 900 }, colorScheme: "light" } as const;

await mkdir(folder, { recursive: true });
if ((await run(process.execPath, ["scripts/build.ts", "--web-if-stale"])) !== 0) process.exit(1);
const data = await temporaryDirectory();
const scribe = createScribe(() => Promise.resolve());
const provider = await startMockProvider({
  api: "anthropic",
  strict: true,
  apiKey: "the-right-key",
  reply: (request, signal) => scribe.stream(request, signal),
});
const server = await startServerProcess({
  dataDirectory: data.path,
  env: { ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: "a-wrong-key", HEDDLE_MODEL: "scripted/scribe" },
});
const browser = await launchBrowser();
try {
  await firstRunAndWork(browser, server);
  await refusal(browser, server);
  await darkAndNarrow(browser, server);
  await error(browser, server);
} finally {
  await browser.close();
  await server.stop();
  await provider.close();
  await data.remove();
}

async function firstRunAndWork(browser: Browser, server: ServerProcess): Promise<void> {
  const { app, context } = await openApp(browser, server.url, wide);
  await take(app, "first-run");
  await app.send("Add a section on testing after the introduction, then tighten the introduction");
  await app.page.getByText("patch applied").first().waitFor();
  await app.editor.getByText("Things to try").waitFor();
  await app.placeCaretAfter("Things to try");
  await app.type(" this week", 40);
  await take(app, "agent-at-work");
  await app.waitForState("idle");
  await context.close();
}

async function refusal(browser: Browser, server: ServerProcess): Promise<void> {
  const { app, context } = await openApp(browser, server.url, wide);
  await newConversation(app);
  await app.send("Add a section on rivers, then add a section on bridges");
  await app.page.getByText("I'll look for").first().waitFor();
  await app.page.getByRole("button", { name: "Take control" }).click();
  await app.page.getByText("STALE_EPOCH").first().waitFor();
  await take(app, "refusal");
  await context.close();
}

async function darkAndNarrow(browser: Browser, server: ServerProcess): Promise<void> {
  const dark = await openApp(browser, server.url, { ...wide, colorScheme: "dark" });
  await take(dark.app, "dark");
  await dark.context.close();
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 });
  const narrow = new AppPage(await context.newPage());
  await narrow.page.goto(server.url);
  await narrow.waitForConnection("live");
  await narrow.page.getByRole("treeitem", { name: "Welcome" }).or(narrow.page.locator("article")).first().waitFor();
  await take(narrow, "narrow");
  await context.close();
}

async function error(browser: Browser, server: ServerProcess): Promise<void> {
  const api = new Api(server);
  const { conversations } = await api.get<{ conversations: readonly { canvasId: string }[] }>("/api/conversations");
  await api.post("/api/commands/conversation.create", {
    title: "With a wrong key",
    model: "anthropic/claude-opus-4-8",
    canvasId: conversations[0]?.canvasId ?? null,
  });
  const { app, context } = await openApp(browser, server.url, wide);
  await app.page.getByRole("treeitem", { name: "With a wrong key" }).click();
  await app.send("Tighten the introduction");
  await app.waitForState("error");
  await take(app, "error");
  await context.close();
}

async function newConversation(app: AppPage): Promise<void> {
  await app.page.getByRole("button", { name: "New conversation" }).click();
  await delay(500);
}

async function take(app: AppPage, name: string): Promise<void> {
  await delay(300);
  await app.page.screenshot({ path: join(folder, `${name}.png`) });
  console.log(`docs/screenshots/${name}.png`);
}
