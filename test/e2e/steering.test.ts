import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Script } from "../../src/adapters/providers/scripted.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import type { MockProvider } from "../../src/testing/mock-provider/server.ts";
import { brain } from "../process/provider-bench.ts";
import type { AppPage } from "./app-page.ts";
import { appWithModel } from "./app-with-model.ts";
import { violations } from "./axe.ts";

// A person writes while an agent works: the messages wait above the composer, and go where the person says.

let app: AppPage;
let provider: MockProvider;
/** Lets the model begin its reply. */
let goOn = (): void => {};

/** Lists blocks before it answers a question; answers with the last words it read. */
function decide({ messages }: ModelRequest): Script[number] {
  const last = messages.at(-1);
  const words = (last?.content ?? []).flatMap((block) => (block.type === "text" ? [block.text] : []));
  if (words.join("").startsWith("Look")) {
    return [{ type: "tool-call", name: "block_list", parameters: {} }];
  }
  return [{ type: "text", text: `I read: ${words.at(-1) ?? "nothing"}` }];
}

const answer = brain(decide);
const opened = appWithModel({
  provider: {
    api: "anthropic",
    strict: true,
    async *reply(request, signal) {
      // Messages of people in a row are one; the last of them counts.
      const last = request.messages.at(-1)?.content.at(-1);
      if (last?.type === "text" && /(?:Look for the harbour|slowly)\.$/.test(last.text)) {
        await new Promise<void>((resolve) => {
          goOn = resolve;
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      }
      yield* answer(request, signal);
    },
  },
});

beforeAll(() => {
  ({ app, provider } = opened());
});

async function screenshot(name: string): Promise<void> {
  const shots = process.env["HEDDLE_SCREENSHOTS"];
  if (shots === undefined) return;
  await mkdir(shots, { recursive: true });
  await app.page.screenshot({ path: join(shots, `${name}.png`) });
}

const words = async (): Promise<readonly string[]> =>
  (await app.messages()).filter(({ role }) => role !== "canvas").map(({ role, text }) => `${role}: ${text}`);

test("14.22 a steered run: what waits is shown, edited, moved and withdrawn, and goes where it was meant to", async () => {
  const { page } = app;
  const rows = page.getByRole("list", { name: "Messages that wait for the agent" }).getByRole("listitem");
  await app.send("Look for the harbour.");
  await app.waitForState("requesting");

  await app.composer.fill("Only the new one.");
  await app.composer.press("Enter");
  await rows.getByText("Waits for the agent’s next step").waitFor();
  await app.composer.fill("Then make a list.");
  await app.composer.press("Alt+Enter");
  await rows.getByText("Waits until the agent has finished").waitFor();
  await app.composer.fill("Never mind the boats.");
  await page.getByRole("button", { name: "When the agent gets this message" }).click();
  await page.getByRole("menuitem", { name: "When the agent has finished" }).click();
  await expect.poll(() => rows.count()).toBe(3);
  expect(await violations(page)).toEqual([]);
  await screenshot("waiting");

  await rows.nth(0).getByRole("button", { name: "Edit" }).click();
  const field = page.getByRole("textbox", { name: "Edit the waiting message" });
  await rows.getByText("Held while you edit it").waitFor();
  await field.fill("Only the old one.");
  expect(await violations(page)).toEqual([]);
  await screenshot("waiting-edited");
  await field.press("Enter");
  await rows.nth(0).getByText("Only the old one.").waitFor();
  await rows.nth(0).getByText("Waits for the agent’s next step").waitFor();

  await rows.nth(2).getByRole("button", { name: "Withdraw" }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await expect.poll(() => app.composer.inputValue()).toBe("Never mind the boats.");
  await app.composer.fill("");
  await page.reload();
  await expect.poll(() => rows.count()).toBe(2);
  await page.setViewportSize({ width: 420, height: 800 });
  await screenshot("waiting-narrow");
  await page.setViewportSize({ width: 1400, height: 900 });

  goOn();
  await app.waitForState("idle");
  await expect.poll(() => rows.count()).toBe(0);
  await expect.poll(words).toContainEqual(expect.stringContaining("I read: Then make a list."));
  const said = (await words()).filter((line) => line.startsWith("user"));
  expect(said.map((line) => line.slice(6))).toEqual([
    expect.stringContaining("Look for the harbour."),
    expect.stringContaining("Only the old one."),
    expect.stringContaining("Then make a list."),
  ]);
  expect(provider.rejections).toEqual([]);
});

test("14.22 K-47 a stop holds what waits until a person sends or discards it; an interruption goes first", async () => {
  const { page } = app;
  const rows = page.getByRole("list", { name: "Messages that wait for the agent" }).getByRole("listitem");
  await app.send("Write slowly.");
  await app.waitForState("requesting");
  for (const text of ["First.", "Second."]) {
    await app.composer.fill(text);
    await app.composer.press("Enter");
    await rows.getByText(text).waitFor();
  }
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await rows.getByText("Held · not sent until you send it").first().waitFor();
  await screenshot("waiting-held");
  expect(await violations(page)).toEqual([]);
  await rows.nth(1).getByRole("button", { name: "Discard" }).click();
  await expect.poll(() => rows.count()).toBe(1);
  await rows.nth(0).getByRole("button", { name: "Send", exact: true }).click();
  await expect.poll(words).toContainEqual(expect.stringMatching(/I read: .*First\./s));
  expect((await words()).join("\n")).not.toContain("Second.");

  await app.send("Again slowly.");
  await app.waitForState("requesting");
  await app.composer.fill("Stop, this instead.");
  await app.composer.press("Alt+Shift+Enter");
  await expect.poll(words).toContainEqual(expect.stringMatching(/I read: .*Stop, this instead\./s));
  expect(provider.rejections).toEqual([]);
  expect(app.complaints).toEqual([]);
});
