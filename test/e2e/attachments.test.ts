import { mkdir, writeFile } from "node:fs/promises";
import { crc32, deflateSync } from "node:zlib";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startMockProvider, type MockProvider } from "../../src/testing/mock-provider/server.ts";
import { brain } from "../process/provider-bench.ts";
import { openApp } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "./server-process.ts";

/** One red point. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

let browser: Browser;
let server: ServerProcess;
let provider: MockProvider;
let folder: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  folder = await temporaryDirectory();
  provider = await startMockProvider({ api: "chat", reply: brain(() => [{ type: "text", text: "A red point." }]) });
  await mkdir(folder.path, { recursive: true });
  const house = { provider: "house", id: "eye", name: "Eye", api: "openai-chat", base_url: provider.url };
  const models = [{ ...house, context_window: 100_000, vision: true }];
  await writeFile(join(folder.path, "models.json"), JSON.stringify({ models }));
  [browser, server] = await Promise.all([
    launchBrowser(),
    startServerProcess({ dataDirectory: folder.path, env: { HEDDLE_MODEL: "house/eye" } }),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await provider?.close();
  await folder?.remove();
});

test("attachments wait in their conversation while another one is open, even while they are still uploading", async () => {
  const { app, context } = await openApp(browser, server.url);
  const { page } = app;
  const attached = page.getByRole("list", { name: "Attached" });
  const choose = (name: string) =>
    page.getByTestId("attach-files").setInputFiles({ name, mimeType: "image/png", buffer: png });
  await page.getByRole("button", { name: "New conversation" }).first().click();
  await page.getByRole("heading", { name: /^Ask/ }).waitFor();
  await app.composer.fill("Look at these.");
  await page.keyboard.press("Control+Shift+Enter");
  await page.getByRole("treeitem", { name: "Look at these." }).first().waitFor();
  let arrive = (): void => {};
  const late = new Promise<void>((resolve) => (arrive = resolve));
  await page.route("**/api/blobs", (route) => late.then(() => route.continue()), { times: 1 });
  await choose("first.png");
  await attached.locator("[aria-busy=true]").waitFor();

  await page.getByRole("button", { name: "New conversation" }).first().click();
  await attached.waitFor({ state: "detached" });
  await choose("second.png");
  await attached.locator("[aria-busy=false]").waitFor();
  arrive();
  await page.getByText("first.png attached").waitFor({ state: "attached" });
  expect(await attached.innerText()).toContain("second.png");
  await page.getByRole("treeitem", { name: "Look at these." }).first().click();
  await attached.getByText("first.png").waitFor();
  await expect.poll(() => attached.locator("[aria-busy=false]").count()).toBe(1);
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("an image can be attached, removed, attached again and sent; it is shown, and the model sees it", async () => {
  const { app, context } = await openApp(browser, server.url, { viewport: { width: 1280, height: 800 } });
  const { page } = app;
  const choose = () =>
    page.getByTestId("attach-files").setInputFiles({ name: "point.png", mimeType: "image/png", buffer: png });
  const attached = page.getByRole("list", { name: "Attached" });
  await choose();
  await attached.getByText("point.png").waitFor();
  await attached.getByRole("button", { name: "Remove point.png" }).click();
  await attached.waitFor({ state: "detached" });
  await page
    .getByTestId("attach-files")
    .setInputFiles({ name: "program", mimeType: "image/png", buffer: Buffer.from("7f454c4602010100", "hex") });
  await page.getByText("This type of file is not accepted").first().waitFor();

  await choose();
  await expect.poll(() => attached.locator("[aria-busy=false]").count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  await app.send("What is this?");
  await page.getByText("A red point.", { exact: true }).waitFor();
  await attached.waitFor({ state: "detached" });
  const image = page.getByRole("img", { name: "Attached to this message" });
  await image.waitFor();
  await expect.poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1);
  expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain(`data:image/png;base64,${png.toString("base64")}`);

  await page.reload();
  await image.waitFor();
  expect(await violations(page)).toEqual([]);
  await context.close();
});

/** A black PNG of this size. */
function blackPng(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits of grey.
  head[8] = 8;
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  const rows = deflateSync(Buffer.alloc((width + 1) * height));
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))]);
}

test("14.23 an image that some provider does not take goes with a copy that the browser made; the original is kept", async () => {
  const { app, context } = await openApp(browser, server.url, { viewport: { width: 1280, height: 800 } });
  const { page } = app;
  const large = blackPng(9_000, 30);
  await page.getByTestId("attach-files").setInputFiles({ name: "wide.png", mimeType: "image/png", buffer: large });
  await page.getByText("wide.png attached, with a smaller copy for models").waitFor({ state: "attached" });
  await app.send("What is this strip?");
  const lastRequest = (): string => JSON.stringify(provider.requests.at(-1)?.body);
  await expect.poll(() => lastRequest().includes("What is this strip?")).toBe(true);
  // This model's limits are unknown, so it gets the original.
  expect(lastRequest().includes(large.toString("base64"))).toBe(true);
  const sizes = await page.evaluate(async (token) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const roots = (await (await fetch("/api/roots", { headers })).json()) as { roots: { id: string }[] };
    const found: number[][] = [];
    for (const { id } of roots.roots) {
      const text = await (await fetch(`/api/roots/${id}/export?format=json`, { headers })).text();
      const [, copy] = /"scaled":\s*\{\s*"id":\s*"([0-9a-f]{64})"/.exec(text) ?? [];
      if (copy === undefined) continue;
      const bytes = await (await fetch(`/api/blobs/${copy}`, { headers })).blob();
      const image = await createImageBitmap(bytes);
      found.push([image.width, image.height]);
    }
    return found;
  }, server.token);
  expect(sizes).toEqual([[2_000, 7]]);
  await context.close();
});
