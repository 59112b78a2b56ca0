import { expect, test } from "vitest";
import { openMemoryBlobs } from "../../adapters/blobs/memory-blobs.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { BlobsAwayError, type BlobStore } from "../../core/port/blobs.ts";
import { BlobKeeper } from "./blob-keeper.ts";

test("while a store of images over a network is away, each request is refused, and afterwards goes on", async () => {
  const inner = openMemoryBlobs(() => 1_000);
  let isAway = false;
  const unlessAway = <Value>(answer: Promise<Value>): Promise<Value> =>
    isAway ? Promise.reject(new BlobsAwayError("s3://pictures/ at store did not answer", "unreachable")) : answer;
  const blobs: BlobStore = {
    put: (content) => unlessAway(inner.put(content)),
    get: (id) => unlessAway(inner.get(id)),
    sizeOf: (id) => unlessAway(inner.sizeOf(id)),
    list: () => unlessAway(inner.list()),
    remove: (id) => unlessAway(inner.remove(id)),
  };
  const logged: unknown[] = [];
  const platform = systemPlatform("error", (line) => logged.push(JSON.parse(line)));
  const keeper = new BlobKeeper(blobs, platform);
  const bytes = Buffer.from("a picture");
  const { id } = await inner.put(bytes);
  isAway = true;
  const refused = { ok: false, error: { code: "STORE_FAILED", details: { reason: "unreachable" } } };
  for (const answer of [await keeper.put(bytes), await keeper.get(id), await keeper.claim(id)]) {
    expect(answer).toMatchObject(refused);
    expect(answer.ok ? "" : answer.error.message).toContain("does not answer");
  }
  expect(logged).toHaveLength(3);
  expect(JSON.stringify(logged)).not.toContain("pictures");
  isAway = false;
  expect([await keeper.put(bytes), await keeper.claim(id)].every(({ ok }) => ok)).toBe(true);
});

test("a disk that fails is no store that is away: the error is passed on", async () => {
  const inner = openMemoryBlobs(() => 1_000);
  const keeper = new BlobKeeper({ ...inner, get: () => Promise.reject(new Error("a bug")) }, systemPlatform("error"));
  await expect(keeper.get("ab".repeat(32))).rejects.toThrow("a bug");
});
