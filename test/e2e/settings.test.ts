import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256Hex } from "../../src/core/base/hash.ts";
import { canonicalJson } from "../../src/core/base/json.ts";
import { startMockProvider, type MockProvider } from "../../src/testing/mock-provider/server.ts";
import { brain } from "../process/provider-bench.ts";
import { openApp } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "./server-process.ts";
import { writeFile, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const key = "sk-test-0123456789-wxyz";
let browser: Browser;
let server: ServerProcess;
let provider: MockProvider;
let folder: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  folder = await temporaryDirectory();
  provider = await startMockProvider({
    api: "chat",
    apiKey: key,
    models: ["big", "small"],
    reply: brain(() => [{ type: "text", text: "The key is right." }]),
  });
  await mkdir(folder.path, { recursive: true });
  const models = [
    {
      provider: "house",
      id: "big",
      name: "Big",
      api: "openai-chat",
      base_url: provider.url,
      prices: { input: 3, output: 15 },
    },
    { provider: "house", id: "small", name: "Small" },
  ];
  await writeFile(join(folder.path, "models.json"), JSON.stringify({ models }));
  await writeServers(folder.path);
  [browser, server] = await Promise.all([
    launchBrowser(),
    startServerProcess({
      dataDirectory: folder.path,
      env: { HEDDLE_MODEL: "scripted/scribe", XDG_CONFIG_HOME: join(folder.path, "config") },
    }),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await provider?.close();
  await folder?.remove();
});

test("a token is made in the settings, opens the API until it is revoked there, and is shown once", async () => {
  const { app, context } = await openApp(browser, server.url, { viewport: { width: 1280, height: 800 } });
  const { page } = app;
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByRole("textbox", { name: "Name of the program" }).fill("Loom");
  await page.getByRole("checkbox", { name: "Write documents and conversations" }).uncheck();
  await page.getByRole("button", { name: "Make the token" }).click();
  const token = (await page.locator("[data-token]").textContent()) ?? "";
  const read = async () => {
    const answer = await fetch(new URL("/api/tools", server.url), { headers: { authorization: `Bearer ${token}` } });
    return answer.status;
  };
  expect([token.slice(0, 4), token.length, await read()]).toEqual(["hdl_", 47, 200]);
  const listed = page.getByRole("list", { name: "Tokens" });
  await expect.poll(() => listed.textContent()).toContain("Loomreads, everywhere, until revoked");
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Revoke the token Loom" }).click();
  await expect.poll(read).toBe(401);
  await context.close();
});

test("a key is set in the settings, adds its models, shows only its ending, and is removed again", async () => {
  const { app, context } = await openApp(browser, server.url, { viewport: { width: 1280, height: 800 } });
  const { page } = app;
  await page.getByRole("button", { name: "Settings" }).click();
  const house = page.locator('[data-provider="house"]');
  const anthropic = page.locator('[data-provider="anthropic"]');
  await expect.poll(() => anthropic.locator(".provider-key").textContent()).toBe("No key");
  await expect.poll(() => page.locator(".places").first().textContent()).toContain(folder.path);
  await house.locator("summary").last().click();
  await expect.poll(() => house.locator(".provider-models").last().textContent()).toContain("house/small");

  await house.getByRole("textbox", { name: "Key for house" }).fill(key);
  await house.getByRole("button", { name: "Set key" }).click();
  await expect.poll(() => house.locator(".provider-key").textContent()).toBe("Key set here, ends in …wxyz");
  await expect.poll(() => house.getByRole("textbox", { name: "Key for house" }).inputValue()).toBe("");
  expect(await page.content()).not.toContain("0123456789");
  await anthropic.getByRole("textbox", { name: "Key for Anthropic" }).fill("sk-ant-0123456789-abcd");
  await anthropic.getByRole("button", { name: "Set key" }).click();
  await expect.poll(() => anthropic.locator(".provider-key").textContent()).toBe("Key set here, ends in …abcd");
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");

  const choice = page.getByRole("combobox", { name: "Model" });
  await expect.poll(() => choice.locator("option").allTextContents()).toContain("Claude Opus 4.8");
  await choice.selectOption("house/big");
  await expect.poll(() => page.locator(".usage-line").textContent()).toContain("house/big");
  await app.send("Is the key right?");
  await page.getByText("The key is right.", { exact: true }).waitFor();
  await app.waitForState("idle");
  // Three dollars per million tokens in, fifteen per million out: less than a hundredth of a cent.
  await expect.poll(() => page.locator(".usage-cost").textContent()).toMatch(/\$0\.000/);
  await expect
    .poll(() => page.locator(".message-usage").last().textContent())
    .toMatch(/^\d+ tokens? · (?:< )?\$0\.000/);
  expect(provider.requests.at(-1)?.headers["authorization"]).toBe(`Bearer ${key}`);

  await page.getByRole("button", { name: "Settings" }).click();
  await anthropic.getByRole("button", { name: "Remove the key for Anthropic" }).click();
  await expect.poll(() => anthropic.locator(".provider-key").textContent()).toBe("No key");
  await page.keyboard.press("Escape");
  await expect.poll(() => choice.locator("option").allTextContents()).not.toContain("Claude Opus 4.8");
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("17.15 a server of one's own is tested and added in three fields, and an MCP server in three: at once in every window", async () => {
  const { app, context } = await openApp(browser, server.url, { viewport: { width: 1280, height: 800 } });
  const other = await context.newPage();
  await other.goto(server.url);
  const { page } = app;
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Add a server of your own…" }).click();
  const form = page.getByRole("form", { name: "Add a server of your own" });
  await form.getByRole("textbox", { name: "Name" }).fill("Mine");
  await form.getByRole("textbox", { name: "Address" }).fill(provider.url);
  await form.getByRole("textbox", { name: "Key" }).fill("sk-wrong-0123456789");
  await form.getByRole("button", { name: "Test" }).click();
  await form.getByRole("alert").getByText("refused the key (401)").waitFor();
  await form.getByRole("textbox", { name: "Key" }).fill(key);
  await form.getByRole("button", { name: "Test" }).click();
  await form.getByText("It works.").waitFor();
  expect(await violations(page)).toEqual([]);
  await form.getByRole("button", { name: "Add", exact: true }).click();
  const mine = page.locator('[data-provider="mine"]');
  await expect.poll(() => mine.locator(".provider-key").textContent()).toBe("Key set here, ends in …wxyz");
  await mine.getByText("Choose models…").click();
  await mine.getByRole("searchbox").fill("house-model");
  await mine.getByRole("button", { name: "Offer “house-model”" }).click();
  // The other window offers it without having been reloaded.
  const options = other.getByRole("combobox", { name: "Model" }).locator("option");
  const offered = async (): Promise<string> => (await options.allTextContents()).join("\n");
  await expect.poll(offered).toContain("house-model");
  await page.getByRole("combobox", { name: "New conversations use" }).selectOption("mine/house-model");

  await page.getByRole("button", { name: "Add an MCP server…" }).click();
  const tools = page.getByRole("form", { name: "Add an MCP server" });
  const fixture = join(import.meta.dirname, "../../src/adapters/mcp/fixture-server.test-support.ts");
  await tools.getByRole("textbox", { name: "Name", exact: true }).fill("added");
  await tools.getByRole("textbox", { name: "Command or address" }).fill(`"${process.execPath}" '${fixture}'`);
  await tools.getByRole("textbox", { name: "Variables or headers" }).fill("no value");
  await tools.getByRole("button", { name: "Add server" }).click();
  await tools.getByRole("alert").getByText("NAME=value").waitFor();
  await tools.getByRole("textbox", { name: "Variables or headers" }).fill("NOTE=a-secret-value");
  await tools.getByRole("button", { name: "Add server" }).click();
  const added = page.locator('[data-mcp-server="added"]');
  await expect.poll(() => added.locator(".provider-key").textContent()).toMatch(/^Ready, \d+ tools$/);
  expect(await page.content()).not.toContain("a-secret-value");
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Remove added" }).click();
  await expect.poll(() => added.count()).toBe(0);
  await page.getByRole("button", { name: "Remove Mine" }).click();
  await expect.poll(offered).not.toContain("house-model");
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("the palette changes the look by the words people use, and a reload keeps it from the first paint", async () => {
  const { app, context } = await openApp(browser, server.url, { viewport: { width: 1700, height: 900 } });
  const { page } = app;
  const choose = async (words: string, label: string): Promise<void> => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search or run" }).fill(words);
    await page.getByRole("option", { name: label }).click();
  };
  await choose("font bigger", "Text size: very large");
  await choose("night", "Theme: dark");
  await choose("layout", "Width of text: whole pane");
  await choose("add server", "MCP servers");
  await page.getByRole("heading", { name: "MCP servers" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+Shift+f");
  const search = page.getByRole("dialog", { name: "Search everything" });
  await search.getByRole("combobox").fill("welcome");
  await search.getByRole("button", { name: "Documents" }).click();
  const find = search.getByRole("option").first();
  await find.locator("mark").first().waitFor();
  expect((await find.locator("mark").first().textContent())?.toLowerCase()).toBe("welcome");
  expect(await violations(page)).toEqual([]);
  await search.getByRole("button", { name: "Comments" }).click();
  await search.getByText("Nothing contains these words.").waitFor();
  await page.keyboard.press("Escape");
  const sizeOf = (): Promise<string> => app.editor.evaluate((content) => getComputedStyle(content).fontSize);
  expect(await sizeOf()).toBe("22px");
  await page.reload();
  const look = await page.evaluate(() => ({ ...document.documentElement.dataset }));
  expect(look).toMatchObject({ theme: "dark", textSize: "huge", face: "sans", measure: "full" });
  await app.editor.waitFor();
  expect(await sizeOf()).toBe("22px");
  const manifest = await page.evaluate(async () => {
    const href = document.querySelector<HTMLLinkElement>('link[rel="manifest"]')?.href ?? "";
    const answer = await fetch(href);
    return {
      type: answer.headers.get("content-type"),
      icons: ((await answer.json()) as { icons: unknown[] }).icons.length,
    };
  });
  expect(manifest).toEqual({ type: "application/manifest+json", icons: 2 });
  expect(await violations(page)).toEqual([]);
  await page.screenshot({ path: join(tmpdir(), "heddle-look-dark.png") });
  expect(app.complaints).toEqual([]);
  await context.close();
});

/** One MCP server that runs and whose tool `echo` has changed, and one that fails. */
async function writeServers(path: string): Promise<void> {
  const fixture = join(import.meta.dirname, "../../src/adapters/mcp/fixture-server.test-support.ts");
  const house = { command: process.execPath, args: [fixture] };
  const servers = { house, gone: { command: "/nowhere/at-all" } };
  await writeFile(join(path, "mcp.json"), JSON.stringify({ mcpServers: servers }), { mode: 0o600 });
  const reach = sha256Hex(canonicalJson({ type: "stdio", ...house, env: {}, cwd: null }));
  const state = { house: { reach, tools: { echo: "0".repeat(64) } } };
  await writeFile(join(path, "mcp-state.json"), JSON.stringify(state));
}

test("71 the settings show each MCP server's status, why one failed, and a changed tool that waits for acceptance", async () => {
  const { app, context } = await openApp(browser, server.url, { viewport: { width: 1280, height: 800 } });
  const { page } = app;
  await page.getByRole("button", { name: "Settings" }).click();
  const house = page.locator('[data-mcp-server="house"]');
  const gone = page.locator('[data-mcp-server="gone"]');
  await expect
    .poll(() => house.locator(".provider-key").textContent())
    .toMatch(/^Ready, \d+ tools; 1 changed and not offered$/);
  await house.locator("summary").first().click();
  await expect.poll(() => gone.textContent()).toContain("does not exist");
  await expect.poll(() => house.locator(".mcp-changed").textContent()).toContain("Says it again.");
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Accept the new description of house_echo" }).click();
  await expect.poll(() => house.locator(".provider-key").textContent()).toMatch(/^Ready, \d+ tools$/);
  await page.getByRole("button", { name: "Switch off house" }).click();
  await expect.poll(() => house.locator(".provider-key").textContent()).toBe("Switched off");
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("14.19 a conversation's system prompt, thinking, tools and fallbacks are set in the app, and the model is asked so", async () => {
  const { app, context } = await openApp(browser, server.url, { viewport: { width: 1280, height: 900 } });
  const { page } = app;
  await page.getByRole("button", { name: "Permissions and usage of this conversation" }).click();
  const prompt = page.getByRole("textbox", { name: "System prompt" });
  await prompt.fill("You are a pirate.");
  // What is written is still there when the dialog was closed before it was set.
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Permissions and usage of this conversation" }).click();
  await expect.poll(() => prompt.inputValue()).toBe("You are a pirate.");
  await page.getByRole("textbox", { name: "Name for this prompt" }).fill("pirate");
  await page.getByRole("button", { name: "Save under this name" }).click();
  await page.getByRole("combobox", { name: "Named prompts" }).waitFor();
  await page.getByRole("button", { name: "Set the prompt" }).click();
  await page.getByText("System prompt set").waitFor({ state: "attached" });
  await page.getByRole("combobox", { name: "Thinking" }).selectOption("high");
  await page.getByText("Thinking set").waitFor({ state: "attached" });
  await page.getByRole("checkbox", { name: "Run commands in the folder" }).uncheck();
  await page.getByText("Tools set").waitFor({ state: "attached" });
  const models = page.getByRole("combobox", { name: "When the model does not answer" });
  await models.fill("no/where");
  await page.getByRole("button", { name: "Set", exact: true }).click();
  await page.getByText("There is no provider").first().waitFor();
  await models.fill("scripted/scribe");
  await page.getByRole("button", { name: "Set", exact: true }).click();
  await page.getByText("Fallbacks set").waitFor({ state: "attached" });
  expect(await violations(page)).toEqual([]);
  await page.reload();
  const answer = await page.evaluate(async (token) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch("/api/roots", { headers })).json();
  }, server.token);
  expect(answer.roots).toContainEqual(
    expect.objectContaining({
      systemPrompt: "You are a pirate.",
      replies: { thinking: "high", toolsOff: ["shell"], fallbacks: ["scripted/scribe"] },
    }),
  );
  await context.close();
});
