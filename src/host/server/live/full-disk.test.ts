import { afterEach, expect, test } from "vitest";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import { must } from "../../../core/base/assert.ts";
import { allCanvases, connectTestClient, until } from "../../../testing/test-client.ts";
import { startTestServer } from "../../../testing/test-server.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

test("a page that comes while the disk is full reads, hears why nothing is saved, and loses nothing", async () => {
  let full = false;
  const store = openMemoryStore(undefined, { fault: () => (full ? "STORE_FULL" : null) });
  const server = await startTestServer({ store });
  closing.push(() => server.close());
  const before = connectTestClient(server, { name: "Ann" });
  closing.push(() => before.close());
  const canvases = await until(before.list(allCanvases), (view) => view !== null);
  const canvasId = must(canvases?.entries[0], "a new workspace has a canvas").id;

  full = true;
  const page = connectTestClient(server, { name: "Ben" });
  closing.push(() => page.close());
  const text = page.openText(canvasId);
  await until(text.header, (header) => header !== null);
  const { length } = text;
  expect(length).toBeGreaterThan(0);
  expect(await page.call("canvas.set-default-policy", { policy: "suggest" })).toMatchObject({
    error: { code: "STORE_FULL" },
  });
  text.edit([{ from: 0, to: 0, insert: "Ben was here. " }]);
  await until(text.refused, (refused) => refused?.code === "STORE_FULL");

  full = false;
  await until(text.unconfirmed, (count) => count === 0);
  const reader = before.openText(canvasId);
  await until(reader.header, (header) => header !== null);
  expect(reader.text().slice(0, 14)).toBe("Ben was here. ");
  expect(reader.actorOf(must(reader.blame(0, 1)[0], "a span").id.replica)).toMatchObject({ name: "Ben" });
});
