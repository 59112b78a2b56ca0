import { describe, expect, test } from "vitest";
import { openMemoryBlobs } from "../../adapters/blobs/memory-blobs.ts";
import type { ToolCallId } from "../../core/base/ids.ts";
import type { ToolMessage } from "../../core/message/types.ts";
import type { ModelInfo } from "../../core/port/language-model.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { attachedMedia, overLimit, resultWithBlobs, withBlobs } from "./attachments.ts";
import { withMedia } from "../conversation/reply/sent-media.ts";
import { BlobKeeper } from "./blob-keeper.ts";

const logger = { info: () => {}, warn: () => {}, error: () => {} };
const open = () => {
  const blobs = openMemoryBlobs(() => 0);
  return { blobs, keeper: new BlobKeeper(blobs, { clock: simulatedClock(), logger }) };
};
const png = (width: number, height: number, rest = 0): Uint8Array => {
  const head = Buffer.from("89504e470d0a1a0a0000000d49484452000000000000000008060000000000", "hex");
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return Buffer.concat([head, Buffer.alloc(rest)]);
};
const model: ModelInfo = {
  id: "a/b",
  name: "B",
  contextTokensMax: 1,
  outputTokensMax: 1,
  tools: true,
  thinking: false,
  local: false,
};
const media = { imageBytesMax: 1_000, imageSideMax: 100, fileBytesMax: 2_000, totalBytesMax: 9_000 };

describe("attachedMedia and overLimit", () => {
  test("attachedMedia makes images and files by the type of their bytes, and keeps the names of files", async () => {
    const { keeper } = open();
    const image = await keeper.put(png(10, 10));
    const text = await keeper.put(Buffer.from("some words"));
    if (!image.ok || !text.ok) throw new Error("not put");
    const attachments = [
      { blobId: image.value.id, name: "a.png" },
      { blobId: text.value.id, name: "notes.md" },
    ];
    expect(await attachedMedia(keeper, model, attachments)).toEqual({
      ok: true,
      value: [
        { type: "image", mediaType: "image/png", source: { type: "blob", ...image.value } },
        { type: "file", mediaType: "text/plain", name: "notes.md", source: { type: "blob", ...text.value } },
      ],
    });
  });

  describe("14.23 an image too large for its model", () => {
    const over = { ...model, media };
    const put = async (keeper: BlobKeeper, bytes: Uint8Array) => {
      const stored = await keeper.put(bytes);
      if (!stored.ok) throw new Error("not put");
      return stored.value;
    };

    test("goes with a copy that fits; the original is kept beside it", async () => {
      const { keeper } = open();
      const original = await put(keeper, png(200, 100));
      const copy = await put(keeper, png(100, 50));
      const taken = await attachedMedia(keeper, over, [{ blobId: original.id, scaledBlobId: copy.id }]);
      const scaled = { ...copy, mediaType: "image/png" };
      expect(taken).toEqual({
        ok: true,
        value: [{ type: "image", mediaType: "image/png", source: { type: "blob", ...original, scaled } }],
      });
    });

    test.each<[string, Uint8Array | null, string]>([
      ["no copy", null, "MEDIA_OVER_LIMIT"],
      ["a copy that is too large too", png(101, 1), "MEDIA_OVER_LIMIT"],
      ["a copy that is no image", Buffer.from("words"), "MEDIA_TYPE_REFUSED"],
    ])("is refused with %s", async (_name, bytes, expected) => {
      const { keeper } = open();
      const original = await put(keeper, png(200, 100));
      const copy = bytes === null ? {} : { scaledBlobId: (await put(keeper, bytes)).id };
      const refused = await attachedMedia(keeper, over, [{ blobId: original.id, ...copy }]);
      expect(refused).toMatchObject({ ok: false, error: { code: expected } });
    });

    test.each<[string, Partial<ModelInfo>, "original" | "copy" | "words"]>([
      ["a model with unknown limits", {}, "original"],
      ["a model that takes it", { media: { ...media, imageSideMax: 200 } }, "original"],
      ["a model that takes the copy", { media }, "copy"],
      ["a model that takes neither", { media: { ...media, imageSideMax: 10 } }, "words"],
      ["a model without vision", { vision: false }, "words"],
    ])("is sent to %s as: %s", async (_name, change, expected) => {
      const { blobs, keeper } = open();
      const bytes = { original: png(200, 100), copy: png(100, 50) };
      const original = await put(keeper, bytes.original);
      const scaled = { ...(await put(keeper, bytes.copy)), mediaType: "image/png" };
      const block = { type: "image", mediaType: "image/png", source: { type: "blob", ...original, scaled } } as const;
      const [message] = await withMedia([{ role: "user", content: [block] }], { ...model, ...change }, blobs);
      const [sent] = message?.content ?? [];
      if (expected === "words") expect(sent).toMatchObject({ type: "text" });
      else
        expect(sent).toMatchObject({
          type: "image",
          source: { type: "base64", data: Buffer.from(bytes[expected]).toString("base64") },
        });
    });
  });

  test("attachedMedia refuses all attachments when a blob is missing", async () => {
    const { keeper } = open();
    const refused = await attachedMedia(keeper, model, [{ blobId: "ab".repeat(32) }]);
    expect(refused).toMatchObject({ ok: false, error: { code: "BLOB_NOT_FOUND" } });
  });

  test.each<[string, Partial<ModelInfo>, Uint8Array, string | null]>([
    ["an image that fits", { media }, png(100, 100), null],
    ["an image for a model with unknown limits", {}, png(60_000, 60_000), null],
    ["an image for a model without vision", { vision: false }, png(1, 1), "B cannot see images. Choose another model."],
    ["a file for a model without vision", { vision: false, media }, Buffer.from("text"), null],
    ["an image with too many bytes", { media }, png(1, 1, 1_000), "This image has 0.0 MB, but B takes at most 0.0 MB"],
    [
      "an image that is too wide",
      { media },
      png(101, 1),
      "This image has 101 × 1 pixels, but B takes at most 100 on a side",
    ],
    ["a file that is too large", { media }, Buffer.alloc(2_001, 97), "This file has"],
  ])("overLimit checks %s against the model's limits", (_name, change, bytes, words) => {
    const refused = overLimit({ ...model, ...change }, bytes);
    if (words === null) expect(refused).toBeNull();
    else expect(refused).toMatchObject({ code: "MEDIA_OVER_LIMIT", message: expect.stringContaining(words) });
  });
});

describe("bytes inside a message", () => {
  const large = Buffer.from(png(10, 10, 5_000));
  const block = {
    type: "image",
    mediaType: "image/png",
    source: { type: "base64", data: large.toString("base64") },
  } as const;

  test("move into a blob, equal bytes into the same blob", async () => {
    const { keeper, blobs } = open();
    const given = [{ role: "user", content: [block, { type: "text", text: "look" }, block] }];
    const moved = await withBlobs(keeper, given);
    const [{ id, size } = { id: "", size: 0 }] = await blobs.list();
    const image = { type: "image", mediaType: "image/png", source: { type: "blob", id, size } };
    expect(moved).toEqual({
      ok: true,
      value: [{ role: "user", content: [image, { type: "text", text: "look" }, image] }],
    });
    expect([size, (await blobs.list()).length]).toEqual([large.length, 1]);
    expect(await withBlobs(keeper, moved.ok ? moved.value : [])).toEqual(moved);
  });

  test("of a tool's result move into a blob too", async () => {
    const { keeper, blobs } = open();
    const result: ToolMessage = {
      role: "tool",
      tool_call_id: "call_1" as ToolCallId,
      tool_name: "draw",
      content: [{ type: "text", text: "done" }, block],
      outcome: "ok",
    };
    const moved = await resultWithBlobs(keeper, result);
    expect(moved.content[1]).toMatchObject({ source: { type: "blob", size: large.length } });
    expect(await blobs.list()).toHaveLength(1);
  });

  test.each<[string, unknown]>([
    ["few bytes", { ...block, source: { type: "base64", data: "AAAA" } }],
    ["text that is not base64", { ...block, source: { type: "base64", data: "!".repeat(5_000) } }],
    ["an address", { ...block, source: { type: "url", url: "https://example.org/a.png" } }],
    ["a source without a type", { ...block, source: 3 }],
    ["a text block with such a field", { type: "text", text: "x", source: block.source }],
    ["a value that is not a block", null],
  ])("stay in place: %s, which the message reader handles", async (_name, given) => {
    const { keeper, blobs } = open();
    const messages = [{ role: "user", content: [given] }];
    expect(await withBlobs(keeper, messages)).toEqual({ ok: true, value: messages });
    expect(await blobs.list()).toEqual([]);
  });

  test.each([[[null]], [["x"]], [[{ role: "user" }]], [[{ content: 3 }]]])(
    "%j passes through unchanged to the message reader",
    async (messages) => {
      expect(await withBlobs(open().keeper, messages)).toEqual({ ok: true, value: messages });
    },
  );

  test("a message that names a missing blob is refused, and a wrong blob size is corrected", async () => {
    const { keeper } = open();
    const put = await keeper.put(large);
    if (!put.ok) throw new Error("not put");
    const naming = (id: string) => [{ role: "user", content: [{ ...block, source: { type: "blob", id, size: 1 } }] }];
    expect(await withBlobs(keeper, naming("ab".repeat(32)))).toMatchObject({
      ok: false,
      error: { code: "BLOB_NOT_FOUND" },
    });
    expect(await withBlobs(keeper, naming(put.value.id))).toMatchObject({
      ok: true,
      value: [{ content: [{ source: { size: large.length } }] }],
    });
  });
});
