import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Script } from "../../src/adapters/providers/scripted.ts";
import { textOf } from "../../src/core/message/content.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import type { MockProvider } from "../../src/testing/mock-provider/server.ts";
import { brain } from "../process/provider-bench.ts";
import type { AppPage } from "./app-page.ts";
import { appWithModel } from "./app-with-model.ts";
import { violations } from "./axe.ts";

// What a model sees of a conversation: summed up at the limit, pruned by a person, shown part by part. And words for a call
// that waits, an edit taken back, the archive.

let app: AppPage;
let provider: MockProvider;

const long = "word after word ".repeat(100);
const question = { question: "Which harbour?", options: [{ label: "The old one" }, { label: "The new one" }] };

function decide({ messages }: ModelRequest): Script[number] {
  const last = messages.at(-1);
  const said = last === undefined ? "" : textOf(last);
  if (last?.role === "tool") return [{ type: "text", text: `I heard: ${said}` }];
  if (said.includes("Later requests hold your summary")) return [{ type: "text", text: "Goal: a tale of a fox." }];
  if (said.endsWith("Ask me.")) return [{ type: "tool-call", name: "ask_user", parameters: { questions: [question] } }];
  if (said.endsWith("Search.")) return [{ type: "tool-call", name: "kernel_search", parameters: { query: "fox" } }];
  return [
    {
      type: "text",
      text: said.endsWith("Be brief.")
        ? "The fox sleeps."
        : `Tale ${/Question (\d+)/.exec(said)?.[1] ?? "of nobody"}. ${long}`,
    },
  ];
}

const opened = appWithModel({
  provider: { api: "chat", strict: true, reply: brain(decide) },
  server: (url) => ({
    args: ["--context-window", "8000", "--model", "local/small"],
    env: { HEDDLE_OPENAI_BASE_URL: `${url}/v1`, HEDDLE_OPENAI_MODEL: "small" },
  }),
});

beforeAll(() => {
  ({ app, provider } = opened());
});

/** Shows the page in its looks, where screenshots are asked for. */
async function screenshots(name: string): Promise<void> {
  const shots = process.env["HEDDLE_SCREENSHOTS"];
  if (shots === undefined) return;
  const { page } = app;
  await mkdir(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 400, height: 800 });
  await page.screenshot({ path: join(shots, `${name}-dark-narrow.png`) });
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1400, height: 900 });
}

const sent = (): string => JSON.stringify(provider.requests.at(-1)?.body);

test("14.21 14.8 a small window: the summary has its row, the originals come back, a message is left out, and the context view shows it", async () => {
  const { page } = app;
  const row = page.locator("article[data-role=summary]");
  for (let turn = 0; turn < 12 && (await row.count()) === 0; turn += 1) {
    await app.send(`Question ${turn}. ${long}`);
    await expect.poll(() => app.answer()).toContain(`Tale ${turn}.`);
    await app.waitForState("idle");
  }
  await row.getByText(/The model reads a summary instead of the \d+ messages above/).waitFor();
  expect(sent()).toContain("Goal: a tale of a fox.");
  expect(sent()).not.toContain("Question 0.");
  await row.locator("summary").click();
  await row.getByRole("region", { name: "Text of the summary" }).getByText("Goal: a tale of a fox.").waitFor();
  expect(await violations(page)).toEqual([]);
  await row.scrollIntoViewIfNeeded();
  await screenshots("summary");

  await row.getByRole("button", { name: "Use the original messages" }).click();
  await row.getByText("not in use: the model reads the original messages").waitFor();
  await row.getByRole("button", { name: "Use the summary" }).click();
  await row.getByText("The model reads a summary").waitFor();

  await app.send("And now? Be brief.");
  await expect.poll(() => app.answer()).toContain("The fox sleeps.");
  await app.waitForState("idle");
  const reply = page.locator("article[data-role=assistant]").last();
  await reply.getByRole("button", { name: "More actions for this message" }).click();
  await page.getByRole("menuitem", { name: "Leave out for the model" }).click();
  await reply.getByText("Left out of what the model sees").waitFor();

  await page.getByRole("button", { name: "What the model sees next" }).click();
  const dialog = page.getByRole("dialog", { name: "What the model sees next" });
  await dialog.getByText(/About .* of 8,000 tokens/).waitFor();
  const parts = dialog.getByRole("list", { name: "Parts of the request" });
  await parts.getByText("Summary of earlier messages").waitFor();
  const leftOut = dialog.getByRole("region", { name: "Left out" });
  await leftOut.getByText("Left out by a person").waitFor();
  await leftOut.getByText(/\d+ messages replaced by the summary/).click();
  await leftOut.getByText(/Question 0\./).waitFor();
  expect(await violations(page)).toEqual([]);
  await screenshots("context");
  await leftOut.getByRole("button", { name: "Include again" }).click();
  await expect.poll(() => leftOut.getByText("Left out by a person").count()).toBe(0);
  await dialog.getByRole("button", { name: "Close" }).click();
  expect(provider.rejections).toEqual([]);
});

test("14.22 14.18 14.10 words for a question or a call that waits are its answer or its denial; an edit is undone; the archive", async () => {
  const { page } = app;
  await app.send("Ask me.");
  await app.waitForState("question");
  await app.composer.fill("Neither of them.");
  await page.getByRole("button", { name: "Send as the answer" }).click();
  await expect.poll(() => app.answer()).toContain("Neither of them.");
  await expect.poll(() => app.composer.inputValue()).toBe("");

  await page.getByRole("button", { name: "Permissions and usage of this conversation" }).click();
  await page.getByRole("radio", { name: "Every call" }).click();
  await page.getByRole("button", { name: "Close" }).click();
  await app.send("Search.");
  await app.waitForState("approval");
  await app.composer.fill("Look in the index instead.");
  const deny = page.getByRole("button", { name: "Deny the call with these words" });
  await deny.waitFor();
  expect(await violations(page)).toEqual([]);
  await screenshots("deny");
  await deny.click();
  await expect.poll(() => app.answer()).toContain("They say: Look in the index instead.");
  await app.waitForState("idle");

  await page.getByRole("button", { name: "Edit reply" }).last().click();
  const field = page.getByRole("textbox", { name: "Edit reply" });
  await field.fill("The fox runs.");
  await field.press("Control+Enter");
  await page.getByText("The reply is changed.").waitFor();
  await expect.poll(() => app.answer()).toContain("The fox runs.");
  await screenshots("edited");
  await page.getByRole("button", { name: "Undo", exact: true }).last().click();
  await expect.poll(() => app.answer()).toContain("They say: Look in the index instead.");
  await expect.poll(() => page.getByText("edited by").count()).toBe(0);
  await screenshots("undone");

  await page.getByRole("button", { name: "Archive the conversation" }).click();
  const archived = page.getByText("Archived conversations (1)");
  await archived.click();
  await page.locator(".archived-list button").click();
  await page.getByRole("button", { name: "Take the conversation out of the archive" }).click();
  await archived.waitFor({ state: "detached" });
  expect(provider.rejections).toEqual([]);
  expect(app.complaints).toEqual([]);
});
