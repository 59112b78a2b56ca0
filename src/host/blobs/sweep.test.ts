import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { openMemoryBlobs } from "../../adapters/blobs/memory-blobs.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { must } from "../../core/base/assert.ts";
import type { BlobStore } from "../../core/port/blobs.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { openWorkspace, type Workspace } from "../workspace/workspace.ts";
import { buildCatalogue } from "../../adapters/providers/catalogue.ts";
import { systemRandom } from "../../adapters/platform/system-platform.ts";
import { request } from "../../testing/store/records.ts";
import { requestsKeptMs } from "../base/once.ts";
import { sweepDaily } from "./daily-sweep.ts";
import { unnamedBlobAgeMs } from "./blob-ages.ts";
import { BlobKeeper } from "./blob-keeper.ts";
import { namedBlobs } from "./named-blobs.ts";
import { systemActor } from "../conversation/base/actors.ts";

const logger = { info: () => {}, warn: () => {}, error: () => {} };
const bytesFrom = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("a sweep", () => {
  test("keeps a blob that is named, younger than a day, or stored or claimed within a day", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            ageMs: fc.integer({ min: 0, max: 3 * unnamedBlobAgeMs }),
            named: fc.boolean(),
            claimed: fc.boolean(),
          }),
          {
            maxLength: 12,
          },
        ),
        async (made) => {
          let now = 0;
          const blobs = openMemoryBlobs(() => now);
          const clock = { ...simulatedClock(), now: () => now };
          const start = 10 * unnamedBlobAgeMs;
          const each = [];
          for (const [index, { ageMs, ...rest }] of made.entries()) {
            now = start - ageMs;
            each.push({ ...(await blobs.put(bytesFrom(`blob ${index}`))), ageMs, ...rest });
          }
          now = start;
          const keeper = new BlobKeeper(blobs, { clock, logger });
          for (const { id, claimed } of each) if (claimed) expect((await keeper.claim(id)).ok).toBe(true);
          const fresh = await keeper.put(bytesFrom("fresh"));
          const named = new Set(each.flatMap(({ id, named: isNamed }) => (isNamed ? [id] : [])));
          const swept = await keeper.sweep(async (ids) => new Set([...ids].filter((id) => named.has(id))));
          const expected = each.filter((one) => !one.named && !one.claimed && one.ageMs > unnamedBlobAgeMs);
          expect(new Set(swept.removed.map(({ id }) => id))).toEqual(new Set(expected.map(({ id }) => id)));
          const left = new Set((await blobs.list()).map(({ id }) => id));
          expect(left.size).toBe(each.length + 1 - expected.length);
          expect(fresh.ok && left.has(fresh.value.id)).toBe(true);
        },
      ),
      { numRuns: scaled(100) },
    );
  });

  test("never removes a blob that is claimed or stored again while the sweep runs, in any order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.constantFrom("claim", "put"), async (scheduler, how) => {
        let now = 0;
        const inner = openMemoryBlobs(() => now);
        const { id } = await inner.put(bytesFrom("contested"));
        now = 2 * unnamedBlobAgeMs;
        const slow: BlobStore = {
          put: (content) => scheduler.schedule(Promise.resolve()).then(() => inner.put(content)),
          get: (blobId) => inner.get(blobId),
          sizeOf: (blobId) => scheduler.schedule(Promise.resolve()).then(() => inner.sizeOf(blobId)),
          list: () => scheduler.schedule(Promise.resolve()).then(() => inner.list()),
          remove: (blobId) => scheduler.schedule(Promise.resolve()).then(() => inner.remove(blobId)),
        };
        const keeper = new BlobKeeper(slow, { clock: { ...simulatedClock(), now: () => now }, logger });
        const sweeping = keeper.sweep(() => scheduler.schedule(Promise.resolve(new Set<string>())));
        const using = scheduler
          .schedule(Promise.resolve())
          .then(() => (how === "claim" ? keeper.claim(id) : keeper.put(bytesFrom("contested"))));
        await scheduler.waitFor(Promise.all([sweeping, using]));
        const used = await using;
        // A claim that succeeded guarantees the blob.
        expect((await inner.sizeOf(id)) !== null).toBe(used.ok);
        if (how === "put") expect(used.ok).toBe(true);
      }),
      { numRuns: scaled(300) },
    );
  });
});

describe("the daily sweep", () => {
  const day = unnamedBlobAgeMs;
  async function settled(clock: ReturnType<typeof simulatedClock>): Promise<void> {
    for (let round = 0; round < 20; round += 1) await clock.settle();
  }

  test("runs half a minute after the start and once a day, across restarts, and not when stopped before", async () => {
    const clock = simulatedClock();
    const store = openMemoryStore();
    const platform = { clock, random: systemRandom, logger };
    const blobs = openMemoryBlobs(() => clock.now());
    const left = async (): Promise<number> => (await blobs.list()).length;
    const start = () => sweepDaily(new BlobKeeper(blobs, platform), store, platform);
    await blobs.put(bytesFrom("left behind"));
    await clock.advance(2 * day);
    const stopped = start();
    await stopped.stop();
    await clock.advance(60_000);
    expect(await left()).toBe(1);

    const first = start();
    await clock.advance(29_000);
    expect(await left()).toBe(1);
    await clock.advance(1_000);
    await settled(clock);
    expect(await left()).toBe(0);
    await first.stop();

    await blobs.put(bytesFrom("another"));
    await clock.advance(day - 60_000);
    const early = start();
    await clock.advance(31_000);
    await settled(clock);
    expect(await left()).toBe(1);
    await early.stop();
    await clock.advance(day);
    const later = start();
    await clock.advance(31_000);
    await settled(clock);
    expect(await left()).toBe(0);
    await later.stop();
  });

  test("deletes the records of requests that took effect more than a week ago", async () => {
    const clock = simulatedClock();
    const store = openMemoryStore();
    await clock.advance(10 * day);
    const old = request("old", { at: clock.now() - requestsKeptMs });
    const kept = request("kept", { at: clock.now() - requestsKeptMs + 60_000 });
    await store.commit([old, kept].map((each) => ({ type: "put-request", request: each }) as const));
    const platform = { clock, random: systemRandom, logger };
    const sweep = sweepDaily(
      new BlobKeeper(
        openMemoryBlobs(() => clock.now()),
        platform,
      ),
      store,
      platform,
    );
    await clock.advance(31_000);
    await settled(clock);
    expect(await store.request(old.clientId, old.requestId)).toBeNull();
    expect(await store.request(kept.clientId, kept.requestId)).toEqual(kept);
    await sweep.stop();
  });

  test("runs every day while the server runs, also for new blobs, and after a sweep that failed", async () => {
    const clock = simulatedClock();
    const warned: string[] = [];
    const platform = {
      clock,
      random: systemRandom,
      logger: { ...logger, warn: (event: string) => warned.push(event) },
    };
    const store = openMemoryStore();
    const meta = store.meta.bind(store);
    let isDown = false;
    store.meta = (key) => (isDown ? Promise.reject(new Error("down")) : meta(key));
    const blobs = openMemoryBlobs(() => clock.now());
    const keeper = new BlobKeeper(blobs, platform);
    const names = async () => (await blobs.list()).map(({ id }) => id);
    const sweep = sweepDaily(keeper, store, platform);
    await clock.advance(60_000);
    for (let days = 0; days < 3; days += 1) {
      const put = must(await keeper.put(bytesFrom(`of day ${days}`)), "put");
      await clock.advance(day - 60_000);
      await settled(clock);
      expect(await names()).toEqual(put.ok ? [put.value.id] : []);
      isDown = days === 1;
      await clock.advance(2 * 60 * 60 * 1000);
      isDown = false;
      await clock.advance(day);
      await settled(clock);
      expect(await names()).toEqual([]);
    }
    expect(new Set(warned)).toEqual(new Set(["blobs-not-swept"]));
    await sweep.stop();
    expect(clock.timers).toBe(0);
  });
});

describe("the reference to a blob", () => {
  async function workspaceWithBlobs(): Promise<{ readonly workspace: Workspace; readonly ids: readonly string[] }> {
    const blobs = openMemoryBlobs(() => 0);
    const ids: string[] = [];
    for (let index = 0; index < 6; index += 1) ids.push((await blobs.put(bytesFrom(`picture ${index}`))).id);
    const clock = simulatedClock();
    const workspace = await openWorkspace({
      store: openMemoryStore(),
      blobs,
      catalogue: buildCatalogue({}, { fetch, clock, sleep: () => Promise.resolve() }),
      platform: { clock, random: systemRandom, logger },
      cwd: "/",
      welcome: false,
    });
    return { workspace, ids };
  }

  test("counts in a message's image, a message's text and a canvas, and nowhere else", async () => {
    const { workspace, ids } = await workspaceWithBlobs();
    const [image, inText, inCanvas, pasted, deleted, nowhere] = ids;
    const created = await workspace.conversations.create({});
    if (!created.ok) throw new Error(created.error.message);
    const source = { type: "blob", id: must(image, "an id"), size: 9 };
    const appended = await workspace.conversations.messages.add(systemActor, {
      rootId: created.value.id,
      parentNodeId: null,
      messages: [
        {
          role: "user",
          content: [
            { type: "image", mediaType: "image/png", source },
            { type: "text", text: `see ${inText}` },
          ],
        },
      ],
    });
    expect(appended.ok).toBe(true);
    const author = workspace.author(systemActor, await workspace.replicas.forClient("test", systemActor));
    const canvas = await workspace.createCanvas(author, { title: "Notes", text: `![](${inCanvas})\n` });
    if (!canvas.ok) throw new Error(canvas.error.message);
    for (const text of [`0${pasted}0`, `then ${deleted}`, "nothing of it"]) {
      const whole = await workspace.hub.reader.read(canvas.value);
      const length = whole.ok ? whole.value.text.length : 0;
      const changes = [{ from: 0, to: length, insert: text }];
      expect(await workspace.hub.editor.edit(author, canvas.value, { changes })).toMatchObject({ ok: true });
    }
    const found = await namedBlobs(workspace.store, new Set(ids));
    expect(found).toEqual(new Set([image, inText, inCanvas, pasted, deleted]));
    expect(found.has(nowhere ?? "")).toBe(false);
    await workspace.close();
  });
});
