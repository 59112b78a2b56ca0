import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BlobsAwayError } from "../../core/port/blobs.ts";
import type { Clock } from "../../core/port/platform.ts";
import { describeBlobs } from "../../testing/blob-suite.ts";
import { openS3Blobs } from "./s3-blobs.ts";
import type { S3Limits } from "./s3-client.ts";
import { bucketUrl, readS3Address, type S3Place } from "./s3-place.ts";
import { TestS3Server } from "./s3-server.test-support.ts";

const soon: Partial<S3Limits> = { tryMs: 400, pauseMs: 5 };

function clockAt(now: () => number): Clock {
  return {
    now,
    monotonic: () => performance.now(),
    setTimer(delayMs, callback) {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
  };
}

function placeOf({ endpoint, bucket, region, credentials }: TestS3Server, prefix = "heddle/blobs/"): S3Place {
  return { endpoint, bucket, region, credentials, prefix, style: "path" };
}

describeBlobs("S3", async (now) => {
  const server = await TestS3Server.start(now);
  const open = () => openS3Blobs(placeOf(server), clockAt(now));
  return {
    blobs: await open(),
    reopen: open,
    damage: async (id, bytes) => {
      server.objects.set(`heddle/blobs/${id.slice(0, 2)}/${id.slice(2)}`, {
        bytes: Buffer.from(bytes),
        storedAt: now(),
      });
    },
    dispose: () => server.close(),
  };
});

describe("blobs in an S3 store", () => {
  let nowMs = 1_700_000_000_000;
  const clock = clockAt(() => nowMs);
  const bytes = new TextEncoder().encode("a picture");
  let server: TestS3Server;
  beforeEach(async () => {
    nowMs = 1_700_000_000_000;
    server = await TestS3Server.start(() => 1_700_000_000_000);
  });
  afterEach(() => server.close());
  const open = (changed: Partial<S3Place> = {}, limits: Partial<S3Limits> = soon) =>
    openS3Blobs({ ...placeOf(server), ...changed }, clock, limits);

  test.each<[string, Partial<S3Place>, string]>([
    ["secret", { credentials: { keyId: "AKIDEXAMPLE", secret: "wrong" } }, "403 SignatureDoesNotMatch"],
    ["key", { credentials: { keyId: "AKIDOTHER", secret: "wrong" } }, "403 InvalidAccessKeyId"],
    ["region", { region: "elsewhere-1" }, "400 AuthorizationHeaderMalformed"],
  ])(
    "a store that refuses the %s is told at the start, with its own word and without the secret",
    async (_name, changed, word) => {
      const opening = open(changed);
      await expect(opening).rejects.toThrow(
        `s3://pictures/heddle/blobs/ at ${server.endpoint.host} refused GET: ${word}`,
      );
      await expect(opening).rejects.toMatchObject({ reason: "refused" });
      // Asking again would change nothing.
      expect(server.asked).toHaveLength(1);
    },
  );

  test("a bucket that does not exist is told at the start", async () => {
    await expect(open({ bucket: "nowhere" })).rejects.toThrow("There is no bucket nowhere.");
  });

  test("a clock that is an hour late is told by the store's own word", async () => {
    nowMs -= 3_600_000;
    await expect(open()).rejects.toThrow("403 RequestTimeTooSkewed");
  });

  test("a store that cannot be reached at the start may come back", async () => {
    server.troubles.push("status", "cut", "slow-down");
    const blobs = await open();
    expect((await blobs.put(bytes)).size).toBe(bytes.length);
  });

  test.each(["status", "slow-down", "cut", "silent", "half-a-body"] as const)(
    "a request that meets trouble twice (%s) is sent again and succeeds",
    async (trouble) => {
      const blobs = await open();
      const { id } = await blobs.put(bytes);
      server.troubles.push(trouble, trouble);
      const read = await blobs.get(id);
      expect(read.ok && Buffer.from(read.value).toString()).toBe("a picture");
      expect(server.troubles).toEqual([]);
    },
  );

  test("after three tries a put rejects, in bounded time, and nothing is stored", async () => {
    const blobs = await open();
    server.troubles.push("silent", "cut", "status");
    const started = performance.now();
    const put = blobs.put(bytes);
    await expect(put).rejects.toThrow("did not answer PUT (3 tries): 500 InternalError");
    await expect(put).rejects.toBeInstanceOf(BlobsAwayError);
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(server.objects.size).toBe(0);
  });

  test("no more requests are under way than allowed, and all are answered", async () => {
    const blobs = await open({}, { ...soon, tryMs: 5_000, parallel: 3 });
    server.answerMs = 20;
    await Promise.all(Array.from({ length: 30 }, (_, index) => blobs.put(new TextEncoder().encode(`${index}`))));
    expect(server.objects.size).toBe(30);
    expect(server.atOnce).toBe(3);
  });

  test("a list of many pages is whole, and skips what others keep beside it", async () => {
    const blobs = await open();
    const ids = await Promise.all(
      Array.from({ length: 19 }, async (_, index) => (await blobs.put(new TextEncoder().encode(`${index}`))).id),
    );
    const others = ["heddle/blobs/README", "heddle/blobs/ab/cd", "heddle/blobsy", "else/ab"];
    for (const key of others) server.objects.set(key, { bytes: Buffer.from("x"), storedAt: 0 });
    expect((await blobs.list()).map(({ id }) => id)).toEqual(ids.toSorted());
    expect(server.asked.filter((line) => line.includes("continuation-token")).length).toBeGreaterThanOrEqual(5);
  });
});

test.each<[string, ReturnType<typeof readS3Address>]>([
  ["s3://pictures", { bucket: "pictures", prefix: "" }],
  ["s3://pictures/", { bucket: "pictures", prefix: "" }],
  ["s3://my.pictures-1/a/b_c.d", { bucket: "my.pictures-1", prefix: "a/b_c.d/" }],
  ["s3://my.pictures-1/a/", { bucket: "my.pictures-1", prefix: "a/" }],
  ["s3://Pictures", null],
  ["s3://pictures/../else", null],
  ["s3://pictures//a", null],
  ["s3://pictures/a?b", null],
  ["s3://key:secret@pictures", null],
  ["https://pictures", null],
])("the address %s is read as it is meant", (text, expected) => {
  expect(readS3Address(text)).toEqual(expected);
});

test("the bucket is the first part of the path, or of the host's name", () => {
  const place = { bucket: "pictures", prefix: "", region: "x", credentials: { keyId: "", secret: "" } };
  const endpoint = new URL("https://store.example.org:9000/s3");
  expect(bucketUrl({ ...place, endpoint, style: "path" }).href).toBe("https://store.example.org:9000/s3/pictures/");
  expect(bucketUrl({ ...place, endpoint, style: "host" }).href).toBe("https://pictures.store.example.org:9000/s3/");
});
