import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Script } from "../../src/adapters/providers/scripted.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import type { Fault } from "../../src/testing/mock-provider/faults.ts";
import { startMockProvider, type MockProvider } from "../../src/testing/mock-provider/server.ts";
import { anthropicError } from "../../src/testing/mock-provider/wire-error.ts";
import { brain } from "../process/provider-bench.ts";
import { boxOf, openApp, type AppPage } from "./app-page.ts";
import { launchBrowser } from "./browser.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "./server-process.ts";

let browser: Browser;
let server: ServerProcess;
let provider: MockProvider;
let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
let app: AppPage;
let context: BrowserContext;

/** The faults, by number of the request; each test adds its own. */
const faults: (Fault | null)[] = [];

const answer = "The warp is held under tension, and the weft passes over and under it.";

beforeAll(async () => {
  folder = await temporaryDirectory();
  provider = await startMockProvider({ api: "anthropic", strict: true, faults, reply: brain(decide) });
  [browser, server] = await Promise.all([
    launchBrowser(),
    startServerProcess({
      dataDirectory: folder.path,
      env: { ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: "a-key-of-the-test" },
    }),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await provider?.close();
  await folder?.remove();
});

beforeEach(async () => {
  ({ app, context } = await openApp(browser, server.url));
  await app.page.getByRole("button", { name: "New conversation" }).click();
  await app.page.getByRole("heading", { name: "Ask for a change in Welcome" }).waitFor();
});

afterEach(async () => {
  expect(provider.rejections).toEqual([]);
  expect(app.complaints).toEqual([]);
  await context.close();
});

/** The provider's one reply: words, or for some questions a call that cannot succeed. */
function decide({ messages }: Pick<ModelRequest, "messages">): Script[number] {
  const last = messages.at(-1);
  const text = (last?.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("");
  if (last?.role === "user" && text.includes("Make coffee"))
    return [{ type: "tool-call", name: "make_coffee", parameters: { sugar: 2 } }];
  if (last?.role === "user" && text.includes("Change what is not there"))
    return [{ type: "tool-call", name: "canvas_check_out", parameters: {} }];
  const lease = /"lease_id":"([^"]+)"/.exec(text)?.[1];
  if (last?.role === "tool" && last.tool_name === "canvas_check_out" && lease !== undefined) {
    const patch = "@@ -1,1 +1,1 @@\n-Words that nobody wrote here\n+Other words\n";
    return [{ type: "tool-call", name: "canvas_apply_patch", parameters: { lease_id: lease, patch } }];
  }
  return [{ type: "text", text: answer }];
}

/** Gives the next requests these faults. */
function next(...wrong: readonly (Fault | null)[]): void {
  faults.length = 0;
  faults.push(...Array.from({ length: provider.requests.length }, () => null), ...wrong);
}

function status(code: number, type: string, message: string, headers: Readonly<Record<string, string>> = {}): Fault {
  return { type: "status", status: code, headers, body: JSON.stringify(anthropicError(code, type, message).body) };
}

const slowDown = status(429, "rate_limit_error", "Fifty requests a minute.", { "retry-after": "0" });
const broken = status(500, "api_error", "Internal server error");
const half: Fault = { type: "half-stream", events: 4 };

test.each<[string, readonly Fault[], { kind: string; happened: string; said: string; toDo: RegExp }]>([
  [
    "a refused key",
    [status(401, "authentication_error", "invalid x-api-key")],
    { kind: "auth", happened: "The provider refused the key", said: "invalid x-api-key", toDo: /Check the key/ },
  ],
  [
    "a rate limit that three attempts hit",
    [slowDown, slowDown, slowDown],
    {
      kind: "rate-limit",
      happened: "The provider is limiting requests",
      said: "Fifty requests a minute.",
      toDo: /Wait a moment and retry/,
    },
  ],
  [
    "a server that fails three times",
    [broken, broken, broken],
    {
      kind: "network",
      happened: "The provider gave no complete answer",
      said: "Failed after 3 attempts: Internal server error",
      toDo: /Retry; if it happens again/,
    },
  ],
  [
    "a reply that breaks off three times",
    [half, half, half],
    {
      kind: "network",
      happened: "The provider gave no complete answer",
      said: "ended before the reply was complete",
      toDo: /Retry; if it happens again/,
    },
  ],
])(
  "%s: the app says what happened, what is safe and what to do; Retry continues and nothing is lost",
  async (...row) => {
    const [name, wrong, { kind, happened, said, toDo }] = row;
    const { page } = app;
    next(...wrong);
    const question = `What is a warp? It is about ${name}.`;
    await app.send(question);
    await app.waitForState("error");
    const card = page.getByRole("region", { name: "What went wrong" });
    await expect.poll(() => card.getAttribute("data-kind")).toBe(kind);
    await expect.poll(() => card.getByRole("heading").textContent()).toBe(happened);
    const words = (await card.textContent()) ?? "";
    expect(words).toContain(said);
    expect(words).toContain("Your message and everything written before are saved.");
    expect(words).toMatch(toDo);
    await expect.poll(() => page.getByTestId("state-line").textContent()).toBe(happened);
    // A key that was refused is refused again: the first button leads to it.
    const isKey = kind === "auth";
    await expect.poll(() => card.locator(".button.primary").textContent()).toBe(isKey ? "Open settings" : "Retry");
    await card.getByRole("button", { name: "Copy details" }).waitFor();

    // Half-written text in the composer stays, and the error survives a reload.
    await app.composer.fill("And what is a weft?");
    await page.reload();
    await app.waitForState("error");
    await expect.poll(() => app.composer.inputValue()).toBe("And what is a weft?");

    await card.getByRole("button", { name: "Retry" }).click();
    await app.waitForState("idle");
    await expect.poll(async () => (await app.messages()).at(-1)?.text).toContain(answer);
    await expect.poll(() => card.count()).toBe(0);
    await expect.poll(async () => (await app.messages()).filter(({ text }) => text.includes(question))).toHaveLength(1);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await expect.poll(async () => (await app.messages()).filter(({ text }) => text.includes(answer)).length).toBe(2);
  },
);

test("pages of a provider’s words leave the buttons of the card and the composer where they can be pressed", async () => {
  const { page } = app;
  await page.setViewportSize({ width: 390, height: 700 });
  next(status(400, "invalid_request_error", "messages.0.content.0: Input should be a valid dictionary. ".repeat(40)));
  await page.locator(".tab-bar").getByRole("button", { name: "Chat" }).click();
  await app.send("What is a heddle?");
  await app.waitForState("error");
  const card = page.getByRole("region", { name: "What went wrong" });
  for (const name of ["Retry", "Open settings", "Copy details"]) {
    const { y, height } = await boxOf(card.getByRole("button", { name }));
    expect(y + height).toBeLessThan(700);
  }
  const field = await boxOf(app.composer);
  expect(field.y + field.height).toBeLessThan(700);
});

test("the app waits visibly when a provider asks for a delay, and the answer comes without a click", async () => {
  next(status(429, "rate_limit_error", "Fifty requests a minute.", { "retry-after": "2" }));
  await app.send("What is a weft?");
  await app.waitForState("retrying");
  await expect
    .poll(() => app.page.getByTestId("state-line").textContent())
    .toMatch(/attempt 2 of 3 · again in [\d.]+ s · Fifty/);
  await app.page.getByText("Attempt 1 of 3 failed: Fifty requests a minute. Trying again in 2 s.").waitFor();
  await app.waitForState("idle");
  await expect.poll(async () => (await app.messages()).at(-1)?.text).toContain(answer);
  await expect.poll(() => app.page.getByRole("region", { name: "What went wrong" }).count()).toBe(0);
});

test.each([
  ["an unknown tool", "Make coffee", "make_coffee", "UNKNOWN_TOOL"],
  ["a patch that does not apply", "Change what is not there", "canvas_apply_patch", "PATCH"],
])(
  "%s is shown as a refusal in the thread, the text stays, and the turn continues",
  async (_name, question, tool, code) => {
    const before = await app.canvasText();
    next();
    await app.send(question);
    await expect.poll(async () => (await app.messages()).at(-1)?.text, { timeout: 20_000 }).toContain(answer);
    await app.waitForState("idle");
    const row = app.page.locator(".tool-row", { has: app.page.getByText(tool, { exact: true }) });
    await expect.poll(() => row.getAttribute("data-stage")).toBe("error");
    await expect.poll(() => row.locator(".tool-refusal code").textContent()).toContain(code);
    await expect.poll(() => app.canvasText()).toBe(before);
  },
);
