import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { must } from "../core/base/assert.ts";
import type { BlobStore } from "../core/port/blobs.ts";
import { seededRandom } from "./seeded-random.ts";

/** A blob store under test. */
interface OpenedBlobs {
  readonly blobs: BlobStore;
  /** Reopens the stored content; absent when the store keeps nothing beyond its own life. */
  readonly reopen?: () => Promise<BlobStore>;
  /** Replaces the stored bytes of an id behind the store's back; absent when that is impossible. */
  readonly damage?: (id: string, bytes: Uint8Array) => Promise<void>;
  readonly dispose: () => Promise<void>;
}

/** `now` is the store's clock, in UTC milliseconds. */
export type OpenBlobs = (now: () => number) => Promise<OpenedBlobs>;

/** Defines the tests that every blob store passes. `open` gives an empty store for each test. */
export function describeBlobs(name: string, open: OpenBlobs): void {
  describe(`the ${name} blobs`, () => {
    let opened: OpenedBlobs | null = null;
    let clock = 1_700_000_000_000;
    const blobs = (): BlobStore => must(opened, "the test has blobs").blobs;
    beforeEach(async () => {
      opened = await open(() => clock);
    });
    afterEach(async () => {
      await opened?.dispose();
    });

    test("put stores any bytes under their hash, however they are chunked", async () => {
      const random = seededRandom(4);
      for (let round = 0; round < 30; round += 1) {
        const bytes = random.bytes(random.below(300));
        const whole = await blobs().put(bytes);
        expect(whole).toEqual({ id: hashOf(bytes), size: bytes.length });
        expect(await blobs().put(inPieces(bytes, 1 + random.below(50)))).toEqual(whole);
        expect(await blobs().sizeOf(whole.id)).toBe(bytes.length);
        expect(await bytesOf(blobs(), whole.id)).toEqual([...bytes]);
      }
    });

    test("the same bytes are stored once, with the time of the last put", async () => {
      const { id } = await blobs().put(bytesFrom("once"));
      clock += 5_000;
      await blobs().put(bytesFrom("once"));
      expect(await blobs().list()).toEqual([{ id, size: 4, storedAt: clock }]);
    });

    test("50 concurrent puts of equal and different bytes are all stored", async () => {
      const refs = await Promise.all(Array.from({ length: 50 }, (_, index) => blobs().put(bytesFrom(`${index % 10}`))));
      expect(new Set(refs.map(({ id }) => id)).size).toBe(10);
      for (const { id } of refs) expect((await blobs().get(id)).ok).toBe(true);
      expect((await blobs().list()).map(({ id }) => id)).toEqual([...new Set(refs.map(({ id }) => id))].toSorted());
    });

    test("an interrupted put stores nothing", async () => {
      const broken = (async function* () {
        yield bytesFrom("half of it");
        throw new Error("the line went dead");
      })();
      await expect(blobs().put(broken)).rejects.toThrow("the line went dead");
      expect(await blobs().list()).toEqual([]);
    });

    test.each([
      ["nothing", ""],
      ["a path", "../../etc/passwd"],
      ["a path as long as an id", "../".repeat(21) + "x"],
      ["capitals", "AB".repeat(32)],
      ["too few digits", "ab".repeat(31)],
      ["an id and more", `${"ab".repeat(32)}/..`],
      ["a missing id", "ab".repeat(32)],
    ])("%s finds nothing", async (_name, id) => {
      await blobs().put(bytesFrom("something"));
      expect(await blobs().get(id)).toMatchObject({ ok: false, error: { code: "BLOB_NOT_FOUND" } });
      expect(await blobs().sizeOf(id)).toBeNull();
      await blobs().remove(id);
      expect(await blobs().list()).toHaveLength(1);
    });

    test("a removed blob is deleted, and can be removed and put again", async () => {
      const { id } = await blobs().put(bytesFrom("here today"));
      await blobs().remove(id);
      await blobs().remove(id);
      expect(await blobs().get(id)).toMatchObject({ ok: false, error: { code: "BLOB_NOT_FOUND" } });
      await blobs().put(bytesFrom("here today"));
      expect(await bytesOf(blobs(), id)).toEqual([...bytesFrom("here today")]);
    });

    test("later changes to a returned array do not change the stored blob", async () => {
      const given = bytesFrom("kept");
      const { id } = await blobs().put(given);
      given.fill(0);
      const read = await blobs().get(id);
      if (read.ok) read.value.fill(0);
      expect(await bytesOf(blobs(), id)).toEqual([...bytesFrom("kept")]);
    });

    test("bytes that do not match their id are reported as damaged until they are put again", async ({ skip }) => {
      const damage = opened?.damage;
      if (damage === undefined) return skip("nothing reaches behind this store's back");
      const { id } = await blobs().put(bytesFrom("whole and sound"));
      for (const bytes of [bytesFrom("whole and s0und"), bytesFrom("whole"), bytesFrom("")]) {
        await damage(id, bytes);
        expect(await blobs().get(id)).toMatchObject({ ok: false, error: { code: "BLOB_DAMAGED" } });
      }
      await blobs().put(bytesFrom("whole and sound"));
      expect((await blobs().get(id)).ok).toBe(true);
    });

    test("all blobs exist after a restart", async ({ skip }) => {
      const reopen = opened?.reopen;
      if (reopen === undefined) return skip("nothing outlives this store");
      const { id } = await blobs().put(bytesFrom("still here"));
      const before = await blobs().list();
      const again = await reopen();
      expect(await again.list()).toEqual(before);
      expect(await bytesOf(again, id)).toEqual([...bytesFrom("still here")]);
    });
  });
}

async function bytesOf(blobs: BlobStore, id: string): Promise<readonly number[]> {
  const read = await blobs.get(id);
  if (!read.ok) throw new Error(read.error.code);
  return [...read.value];
}

async function* inPieces(bytes: Uint8Array, step: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
}

function bytesFrom(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
