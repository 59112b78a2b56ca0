import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openMemoryStore } from "../../src/adapters/storage/memory/open-memory-store.ts";
import type { Message } from "../../src/core/message/types.ts";
import { prefixHash } from "../../src/core/forest/prefix-hash.ts";
import { node, nodeId, root, rootId } from "../../src/testing/store/records.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { AppPage } from "./app-page.ts";
import { launchBrowser } from "./browser.ts";

const length = 3_000;
let browser: Browser;
let server: TestServer;

beforeAll(async () => {
  const store = openMemoryStore();
  await store.commit([{ type: "put-root", root: root("long", { title: "A long talk" }) }]);
  let above: string | null = null;
  const nodes = Array.from({ length }, (_, depth) => {
    const content = [{ type: "text", text: `Message number ${depth}.` }] as const;
    const message: Message = depth % 2 === 0 ? { role: "user", content } : { role: "assistant", content };
    above = prefixHash(above, message);
    const parentId = depth === 0 ? null : nodeId(`long-${depth - 1}`);
    return node(`long-${depth}`, { rootId: rootId("long"), parentId, message, prefixHash: above, createdAt: depth });
  });
  await store.commit(nodes.map((each) => ({ type: "put-node", node: each })));
  const bookmark = { title: "far up", rootId: rootId("long"), nodeId: nodeId("long-500"), createdAt: 1, updatedAt: 1 };
  await store.commit([{ type: "put-bookmark", bookmark }]);
  [browser, server] = await Promise.all([launchBrowser(), startTestServer({ store })]);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

test("a long conversation shows its end, grows upward while it is read, and goes to any message and back", async () => {
  const context = await browser.newContext({ viewport: { width: 1300, height: 700 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  const app = new AppPage(page);
  await page.goto(server.address);
  await app.waitForConnection("live");
  const said = (depth: number) => page.getByText(`Message number ${depth}.`, { exact: true });
  await page.getByRole("treeitem", { name: /A long talk/ }).click();
  await said(length - 1).waitFor();
  const earlier = page.getByRole("button", { name: /^Show earlier messages/ });
  await expect.poll(() => earlier.textContent()).toBe(`Show earlier messages (${length - 200})`);
  const rendered = () => page.locator("article[data-node-id]").count();
  expect(await rendered()).toBeLessThan(100);

  // Reading upward loads what was not sent, renders what comes into view, and moves nothing that is seen.
  const list = page.locator(".messages");
  const firstSeen = (): Promise<{ readonly name: string; readonly top: number }> =>
    list.evaluate((scroller) => {
      const { top } = scroller.getBoundingClientRect();
      const seen = [...scroller.querySelectorAll("[data-node-id]")].find(
        (row) => row.getBoundingClientRect().bottom > top,
      );
      return {
        name: seen?.getAttribute("data-node-id") ?? "none",
        top: Math.round(seen?.getBoundingClientRect().top ?? 0),
      };
    });
  const edited = page.locator(`[data-node-id="node_long-${length - 2}"]`);
  await edited.hover();
  await edited.getByRole("button", { name: "Edit message" }).click();
  await edited.getByRole("textbox", { name: "Edit message" }).fill("Words in an open edit");
  let depth = length - 1;
  while (depth > length - 230) {
    const was = await firstSeen();
    const before = await list.evaluate((scroller) => {
      scroller.scrollTop -= 1_000;
      return scroller.scrollTop;
    });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    const now = await firstSeen();
    expect(now.name, `what is seen ${before} pixels below the top`).toMatch(/^node_long-/);
    const next = Number(now.name.slice("node_long-".length));
    // A thousand pixels are some messages: nobody loses the place.
    expect(depth - next).toBeLessThan(was.name === "none" ? length : 30);
    depth = next;
  }
  expect(await rendered()).toBeLessThan(100);

  await expect
    .poll(() => edited.getByRole("textbox", { name: "Edit message" }).inputValue())
    .toBe("Words in an open edit");
  await expect.poll(() => said(length - 20).count()).toBe(0);

  // A bookmark leads to a message that is not here.
  await page.getByRole("region", { name: "Bookmarks" }).getByRole("button", { name: "far up" }).click();
  await expect.poll(() => said(500).isVisible()).toBe(true);
  await expect.poll(() => said(length - 1).count()).toBe(0);

  // Nothing is sent into the middle of the branch.
  await app.send("Where am I?");
  await page.getByText("This branch goes on below.").waitFor();
  await page.getByRole("button", { name: "Go to the end of this branch" }).click();
  await said(length - 1).waitFor();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const question = page.locator('article[data-role="user"]').last();
  await question.getByText("Where am I?").waitFor();
  const stored = await server.workspace.store.leafBelow(rootId("long"), nodeId(`long-${length - 1}`));
  expect(stored).not.toBe(nodeId(`long-${length - 1}`));
  expect(app.complaints).toEqual([]);
  await context.close();
});
