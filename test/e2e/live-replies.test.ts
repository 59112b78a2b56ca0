import { join } from "node:path";
import { tmpdir } from "node:os";
import { beforeAll, expect, test } from "vitest";
import { noUsage } from "../../src/core/message/usage.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import type { MockProvider } from "../../src/testing/mock-provider/server.ts";
import { AppPage } from "./app-page.ts";
import { appWithModel } from "./app-with-model.ts";
import { violations } from "./axe.ts";
import { holdFrames } from "./held-frames.ts";

// Replies that people change: while they stream, afterwards, and where they were cut off.

let app: AppPage;
let provider: MockProvider;
/** Lets a reply that waits in its middle go on. */
let goOn = (): void => {};

const opened = appWithModel({
  provider: { api: "anthropic", strict: true, reply },
  viewport: { width: 1400, height: 1000 },
});

beforeAll(() => {
  ({ app, provider } = opened());
});

async function* reply({ messages }: ModelRequest): AsyncIterable<StreamPart> {
  const last = messages.at(-1);
  const asked = (last?.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("");
  yield { type: "text-start", index: 0 };
  if (asked.includes("Tell me a tale")) {
    yield { type: "text-delta", index: 0, text: "Once upon a time\n" };
    await new Promise<void>((resolve) => (goOn = resolve));
    yield { type: "text-delta", index: 0, text: "there was a fox." };
  } else if (asked.includes("Be long")) {
    yield { type: "text-delta", index: 0, text: "A very long ans" };
    yield { type: "text-end", index: 0 };
    yield { type: "finished", reason: "max-tokens", usage: noUsage };
    return;
  } else if (asked.includes("Go on exactly")) yield { type: "text-delta", index: 0, text: "wer, whole at last." };
  else yield { type: "text-delta", index: 0, text: "The fox sleeps in the wood." };
  yield { type: "text-end", index: 0 };
  yield { type: "finished", reason: "end-turn", usage: noUsage };
}

/** Shows the page as people see it, for whoever wants to look: wide and narrow. */
async function picture(name: string): Promise<void> {
  const { page } = app;
  for (const [width, size] of [
    ["wide", { width: 1400, height: 1000 }],
    ["narrow", { width: 420, height: 900 }],
  ] as const) {
    await page.setViewportSize(size);
    await page.screenshot({ path: join(tmpdir(), `heddle-live-${name}-${width}.png`) });
  }
  await page.setViewportSize({ width: 1400, height: 1000 });
}

test("14.2 K-70 a person types into a reply while it streams; the stored reply has the words of both and says so", async () => {
  const { page } = app;
  await app.send("Tell me a tale.");
  await page.locator(".live-words").getByText("Once upon a time").click();
  const field = page.getByRole("textbox", { name: "The reply being written" });
  await field.waitFor();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("HUMAN ");
  await picture("typing");
  goOn();
  await app.waitForState("idle");
  await expect.poll(() => app.answer()).toContain("HUMAN Once upon a time");
  await expect.poll(() => app.answer()).toContain("there was a fox.");
  // Where the field was, further letters run no key of the messages.
  await page.keyboard.type("c!");
  expect(await app.composer.inputValue()).toBe("");
  const row = page.locator("article.reply").last();
  const edited = row.getByRole("button", { name: /edited by/u });
  await edited.click();
  const own = row.locator(".written-pieces .by-person");
  await expect.poll(() => own.allTextContents()).toEqual(["HUMAN "]);
  expect(await violations(page)).toEqual([]);
  await picture("edited");
  await edited.click();
  await app.send("What do you see?");
  await app.waitForState("idle");
  const sent = JSON.stringify(provider.requests.at(-1)?.body);
  expect(sent).toContain("HUMAN Once upon a time");
  expect(sent).toContain("changed your reply above: +1 −0 words.");
});

test("K-73 words that arrive after the end of a reply are behind its own in an edit, and saving keeps both", async () => {
  const page = await app.page.context().newPage();
  const pushes = await holdFrames(page, ({ type }) => type === "push");
  await page.goto(app.page.url());
  const own = new AppPage(page);
  await own.waitForConnection("live");
  await own.send("Tell me a tale.");
  await page.locator(".live-words").getByText("Once upon a time").last().click();
  await page.getByRole("textbox", { name: "The reply being written" }).waitFor();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("LATE");
  await expect.poll(pushes.held).toBeGreaterThan(0);
  goOn();
  await own.waitForState("idle");
  await expect.poll(() => own.answer()).toContain("there was a fox.");
  pushes.release();
  const field = page.getByRole("textbox", { name: "Edit reply" });
  await field.waitFor();
  const edited = await field.inputValue();
  expect(edited.replace("LATE", "")).toBe("Once upon a time\nthere was a fox.");
  expect(edited).toContain("LATE");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect.poll(() => own.answer()).toContain("LATE");
  expect(await own.answer()).toContain("there was a fox.");
  expect(own.complaints).toEqual([]);
  await page.close();
});

test("14.18 a reply is edited in place, and as a branch; above other messages it is split where the words differ", async () => {
  const { page } = app;
  const row = page.locator("article.reply").last();
  await row.hover();
  await row.getByRole("button", { name: "Edit reply" }).click();
  const field = page.getByRole("textbox", { name: "Edit reply" });
  await field.fill("The red fox sleeps in the wood.");
  await picture("editing");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await row.getByText("The red fox sleeps in the wood.").waitFor();
  await row.getByRole("button", { name: /edited by/u }).waitFor();
  await row.hover();
  await row.getByRole("button", { name: "Edit reply" }).click();
  await field.fill("The red fox runs.");
  await page.getByRole("button", { name: "Save as branch" }).click();
  await row.getByText("The red fox runs.").waitFor();
  await expect.poll(() => row.locator(".versions-count").textContent()).toMatch(/2\s*\/\s*2|2 of 2/u);
  await app.send("And then?");
  await app.waitForState("idle");
  const above = page.locator("article.reply", { hasText: "The red fox runs." });
  await above.hover();
  await above.getByRole("button", { name: "Edit reply" }).click();
  await expect.poll(() => page.getByRole("button", { name: "Save", exact: true }).count()).toBe(0);
  await field.fill("The red fox swims.");
  await page.getByRole("button", { name: "Save as branch" }).click();
  // The messages below the old branch are shown until the page goes to the new one.
  await expect.poll(() => page.locator("article.reply").last().textContent()).toContain("swims.");
});

test("14.17 a reply that was cut off says so, and Continue goes on from it", async () => {
  const { page } = app;
  await app.send("Be long.");
  await app.waitForState("idle");
  const row = page.locator("article.reply", { hasText: "A very long ans" });
  await row.getByText("Cut off at its token limit.").waitFor();
  await picture("cut");
  expect(await violations(page)).toEqual([]);
  await row.getByRole("button", { name: "Continue" }).click();
  await page.locator("article.reply", { hasText: "wer, whole at last." }).waitFor();
  await app.waitForState("idle");
  await picture("continued");
  expect(app.complaints).toEqual([]);
  expect(provider.rejections).toEqual([]);
});
