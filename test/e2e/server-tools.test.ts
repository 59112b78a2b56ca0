import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { noUsage } from "../../src/core/message/usage.ts";
import { textOf } from "../../src/core/message/content.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import { responsesApi } from "../../src/adapters/providers/openai-responses/api.ts";
import { appWithModel } from "./app-with-model.ts";
import { violations } from "./axe.ts";

// Tools that a provider runs itself, as a person sees them: switched, shown as steps, cited.

const address = "https://looms.example/history?page=2";
const citation = { type: "url_citation", url: address, title: "A history of looms", start_index: 0, end_index: 30 };

async function* reply({ messages }: ModelRequest): AsyncIterable<StreamPart> {
  const last = messages.at(-1);
  const said = last === undefined ? "" : textOf(last);
  let index = 0;
  yield { type: "response-started", id: "resp_1" };
  if (said.endsWith("Search.")) {
    const action = { type: "search", query: "first loom", sources: [{ type: "url", url: address }] };
    yield {
      type: "opaque",
      index: index++,
      api: responsesApi,
      raw: { type: "web_search_call", id: "ws_1", status: "completed", action },
    };
    const outputs = [{ type: "logs", logs: "1804" }];
    const code = { code: "print(1801 + 3)", container_id: "cntr_1", outputs };
    yield {
      type: "opaque",
      index: index++,
      api: responsesApi,
      raw: { type: "code_interpreter_call", id: "ci_1", status: "completed", ...code },
    };
  }
  yield { type: "text-start", index };
  yield {
    type: "text-delta",
    index,
    text: said.endsWith("Search.") ? "The Jacquard loom is of 1804." : "Nothing new.",
  };
  const annotations = said.endsWith("Search.")
    ? { native: { api: responsesApi, data: { annotations: [citation] } } }
    : {};
  yield { type: "text-end", index, ...annotations };
  yield { type: "finished", reason: "end-turn", usage: noUsage };
}

const opened = appWithModel({
  provider: { api: "responses", strict: true, reply },
  server: (url) => ({
    args: ["--model", "openai/gpt-5.4"],
    env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: "a-key-of-the-test" },
  }),
});

test("20.12 a provider's tools are switched for one conversation, shown as steps with sources, cited, and plain links for another model", async () => {
  const { app, provider } = opened();
  const { page } = app;
  const toolsSent = () => JSON.stringify(provider.requests.at(-1)?.body["tools"]);
  await page.getByRole("button", { name: "Permissions and usage of this conversation" }).click();
  const tools = page.getByRole("group", { name: "Tools of the provider" });
  await tools.getByRole("checkbox", { name: "Search the web" }).check();
  await tools.getByRole("checkbox", { name: "Run code" }).check();
  await screenshots("switched");
  await page.getByRole("button", { name: "Close" }).click();

  await app.send("Search.");
  await expect.poll(() => app.answer()).toContain("The Jacquard loom is of 1804.");
  await app.waitForState("idle");
  expect([toolsSent().includes('"web_search"'), toolsSent().includes('"code_interpreter"')]).toEqual([true, true]);
  await app.openSteps();
  const row = page.locator("article.reply").last();
  const search = row.locator("details", { hasText: "Searched the web: first loom" });
  const code = row.locator("details", { hasText: "Ran code at the provider" });
  await search.locator("summary").click();
  await code.locator("summary").click();
  await code.getByText("1804", { exact: true }).waitFor();
  await expect.poll(() => search.getByRole("link").getAttribute("href")).toBe(address);
  const cited = row.getByRole("link", { name: "A history of looms" });
  await expect.poll(() => cited.getAttribute("href")).toBe(address);
  await page.context().route("https://looms.example/**", (route) => route.fulfill({ body: "Looms" }));
  const [page2] = await Promise.all([page.context().waitForEvent("page"), cited.click()]);
  await page2.waitForURL(address);
  expect(await page2.evaluate(() => window.opener)).toBeNull();
  await page2.close();
  expect(await violations(page)).toEqual([]);
  await screenshots("steps");

  await page.getByRole("combobox", { name: "Model" }).selectOption("openai/gpt-5.4-mini");
  await expect.poll(() => page.locator(".usage-line").textContent()).toContain("gpt-5.4-mini");
  await app.send("And now?");
  await expect.poll(() => app.answer()).toContain("Nothing new.");
  const sent = JSON.stringify(provider.requests.at(-1)?.body["input"]);
  expect(sent).toContain(`The Jacquard loom is of 1804.\\n\\nSources: [A history of looms](<${address}>)`);
  expect(sent).not.toContain("url_citation");
  await page.getByRole("link", { name: "A history of looms" }).waitFor();

  await page.getByRole("button", { name: "New conversation" }).click();
  await app.send("Is anything switched on here?");
  await expect.poll(() => app.answer()).toContain("Nothing new.");
  expect(toolsSent()).not.toContain('"web_search"');
  expect(provider.rejections).toEqual([]);
  expect(app.complaints).toEqual([]);

  /** Shows the page in its looks, where screenshots are asked for. */
  async function screenshots(name: string): Promise<void> {
    const shots = process.env["HEDDLE_SCREENSHOTS"];
    if (shots === undefined) return;
    await mkdir(shots, { recursive: true });
    await page.screenshot({ path: join(shots, `${name}.png`) });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.screenshot({ path: join(shots, `${name}-dark.png`) });
    await page.emulateMedia({ colorScheme: "light" });
  }
});
