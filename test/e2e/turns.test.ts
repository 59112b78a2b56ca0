import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Script } from "../../src/adapters/providers/scripted.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import { subAgentPrompt } from "../../src/host/conversation/sub-agents.ts";
import { startMockProvider, type MockProvider } from "../../src/testing/mock-provider/server.ts";
import { brain } from "../process/provider-bench.ts";
import { pathWithSandbox } from "../sandbox/programs.ts";
import { openApp, type AppPage } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "./server-process.ts";

// The things a turn waits for, as a person meets them: an approval, an answer, sub-agents, an end.

let browser: Browser;
let server: ServerProcess;
let provider: MockProvider;
let folders: readonly Awaited<ReturnType<typeof temporaryDirectory>>[];
let app: AppPage;
let context: BrowserContext;

beforeAll(async () => {
  folders = await Promise.all([temporaryDirectory(), temporaryDirectory()]);
  provider = await startMockProvider({ api: "anthropic", strict: true, reply: brain(decide) });
  const [data, work] = folders.map(({ path }) => path);
  [browser, server] = await Promise.all([
    launchBrowser(),
    startServerProcess({
      dataDirectory: data ?? "",
      args: ["--workspace", work ?? ""],
      env: { ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: "a-key-of-the-test", PATH: pathWithSandbox() },
    }),
  ]);
  ({ app, context } = await openApp(browser, server.url, { viewport: { width: 1400, height: 1000 } }));
  await app.page.getByRole("button", { name: "New conversation" }).click();
  await app.page.getByRole("heading", { name: "Ask for a change in Welcome" }).waitFor();
});

afterAll(async () => {
  await context?.close();
  await browser?.close();
  await server?.stop();
  await provider?.close();
  await Promise.all((folders ?? []).map((folder) => folder.remove()));
});

const question = {
  question: "Which of the two drafts stays?",
  options: [
    { label: "The first", description: "It is shorter.", preview: "# First" },
    { label: "The second", description: "It has the figures." },
  ],
};

/** Makes the call that the last question names, and answers with its result. */
function decide({ messages, system }: ModelRequest): Script[number] {
  const last = messages.at(-1);
  const text = (last?.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("");
  if (system.includes(subAgentPrompt))
    return [{ type: "tool-call", name: "submit_result", parameters: { result: `Looked: ${text.slice(0, 20)}` } }];
  if (last?.role === "tool") return [{ type: "text", text: `It says: ${text}` }];
  if (text.includes("Append")) {
    const command = "echo one more line >> log.txt";
    return [{ type: "tool-call", name: "bash", parameters: { command } }];
  }
  if (text.includes("Ask me")) return [{ type: "tool-call", name: "ask_user", parameters: { questions: [question] } }];
  if (text.includes("Send two")) {
    const tasks = [{ task: "Look north of the harbour" }, { task: "Look south of the harbour" }];
    return [{ type: "tool-call", name: "spawn_sub_agents", parameters: { tasks } }];
  }
  return [{ type: "text", text: "A summary of it all." }];
}

test("a call waits for approval with its exact action shown; a denial gives its reason, an allowed call runs once", async () => {
  const { page } = app;
  await page.getByRole("button", { name: "Permissions and usage of this conversation" }).click();
  await page.getByRole("radio", { name: "Every call" }).click();
  await page
    .locator("input[name=approvals]:checked")
    .and(page.getByRole("radio", { name: "Every call" }))
    .waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  // The focus returns to its place, also the first time, when the dialog's code loads late.
  const opener = page.getByRole("button", { name: "Permissions and usage of this conversation" });
  expect(await opener.evaluate((button) => button === document.activeElement)).toBe(true);
  const card = page.locator("[data-card=approval]");

  await app.send("Append a line to the log.");
  await app.waitForState("approval");
  await expect.poll(() => card.textContent()).toContain("echo one more line >> log.txt");
  await expect.poll(() => card.textContent()).toContain("where a tool runs commands, exactly this command");
  await expect.poll(() => page.getByTestId("state-line").textContent()).toBe("Waiting for you: may bash run?");
  const asking = page.locator(".tool-row[data-stage=asking] .tool-sentence");
  await expect.poll(() => asking.textContent()).toBe("run echo one more line >> log.txt · waiting for you");
  await page.reload();
  await card.waitFor();
  expect(await violations(page)).toEqual([]);
  await card.getByRole("textbox").fill("Not on a Friday.");
  await card.getByRole("button", { name: "Deny" }).click();
  await app.waitForState("idle");
  await expect
    .poll(async () => (await app.messages()).at(-1)?.text)
    .toContain("did not allow this call. They say: Not on a Friday.");

  await app.send("Append it all the same.");
  await card.getByRole("button", { name: "Always allow" }).click();
  await app.waitForState("idle");
  await app.send("Append once more.");
  await app.waitForState("idle");
  expect(readFileSync(join(folders[1]?.path ?? "", "log.txt"), "utf8")).toBe("one more line\none more line\n");
  await page.getByRole("button", { name: "Permissions and usage of this conversation" }).click();
  await page.getByRole("button", { name: "Ask again" }).waitFor();
  await page.getByRole("button", { name: "Close" }).click();
});

test("a question is answered with an option, words and a note, and the model reads them", async () => {
  const { page } = app;
  await app.send("Ask me.");
  await app.waitForState("question");
  const card = page.locator("[data-card=question]");
  // Words that were not sent when the question ended can still be copied; the next question's words are separate.
  await card.getByPlaceholder("Your own answer").fill("Neither: write a third.");
  await page.getByRole("button", { name: "Cancel" }).click();
  const left = page.getByRole("region", { name: "What you typed" });
  await left.getByText("Neither: write a third.").waitFor();
  expect(await violations(page)).toEqual([]);
  await left.getByRole("button", { name: "Dismiss" }).click();
  await left.waitFor({ state: "detached" });
  await app.send("Ask me.");
  await app.waitForState("question");
  await expect.poll(() => card.getByRole("button", { name: "Answer" }).isDisabled()).toBe(true);
  await card.getByRole("radio", { name: "The first" }).check();
  await card.getByRole("region", { name: "Preview of The first" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await card.getByPlaceholder("Add a note").fill("by noon");
  await card.getByRole("button", { name: "Answer" }).click();
  await app.waitForState("idle");
  const said = (await app.messages()).at(-1)?.text ?? "";
  expect(said).toContain("Which of the two drafts stays? = The first");
  expect(said).toContain("note: by noon");
});

test("sub-agents are listed, a branch is summarised and continued, and the conversation is deleted", async () => {
  const { page } = app;
  await app.send("Send two to look.");
  const approval = page.locator("[data-card=approval]");
  await approval.getByRole("button", { name: "Allow once" }).click();
  await app.waitForState("idle");
  await expect.poll(async () => (await app.messages()).at(-1)?.text).toContain("Looked: Look south");

  await page.getByRole("button", { name: "Permissions and usage of this conversation" }).click();
  await page.getByRole("heading", { name: "Usage", exact: true }).waitFor();
  await page.getByRole("button", { name: "Summarize and continue in a new branch" }).click();
  await app.waitForState("exhausted");
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Continue in a new branch" }).click();
  await page.getByText("Continues a branch whose context was full").waitFor();
  await app.send("And now?");
  await app.waitForState("idle");
  await expect
    .poll(async () => (await app.messages()).map(({ role }) => role))
    .toEqual(["user", "canvas", "user", "assistant"]);

  await page.getByRole("button", { name: "Permissions and usage of this conversation" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await expect.poll(() => page.getByText("And now?").count()).toBe(0);
  // The page goes to another conversation and keeps its connection.
  await page.getByRole("heading", { name: "Ask for a change in Welcome" }).waitFor();
  await expect.poll(() => page.getByTestId("connection").getAttribute("data-state")).toBe("live");
  expect(provider.rejections).toEqual([]);
  expect(app.complaints).toEqual([]);
});
