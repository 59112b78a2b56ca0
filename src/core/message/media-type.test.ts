import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mediaTypeOf, pixelSizeOf } from "./media-type.ts";

const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  Uint8Array.from(
    parts.flatMap((part) => (typeof part === "string" ? Array.from(part, (letter) => letter.charCodeAt(0)) : part)),
  );
const png = (width: readonly number[], height: readonly number[]) =>
  bytes([0x89], "PNG\r\n", [0x1a, 0x0a, 0, 0, 0, 13], "IHDR", width, height, [8, 6, 0, 0, 0]);
const utf8 = (text: string) => new TextEncoder().encode(text);

const jpeg = bytes(
  [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2],
  [0xff, 0xc4, 0, 3, 0],
  [0xff, 0xff, 0xc2, 0, 11, 8, 0x01, 0x02, 0x03, 0x04, 1, 0, 0],
);
const webp = (...chunk: readonly (string | readonly number[])[]) => bytes("RIFF", [0, 0, 0, 0], "WEBP", ...chunk);

test("a WebP of an unknown kind has no size", () => {
  const chunk = [0, 0, 0, 0, 0x2f, 1, 2, 3, 4, 5, 6, 7, 8];
  expect(pixelSizeOf(webp("VP8L", chunk))).not.toBeNull();
  expect(pixelSizeOf(webp("VP8?", chunk))).toBeNull();
});

describe("mediaTypeOf", () => {
  test.each<[string, Uint8Array, string | null]>([
    ["a PNG", png([0, 0, 0, 1], [0, 0, 0, 1]), "image/png"],
    ["a JPEG", jpeg, "image/jpeg"],
    ["a GIF", bytes("GIF89a", [2, 0, 1, 0]), "image/gif"],
    ["a WebP", webp("VP8L"), "image/webp"],
    ["a JPEG of its first bytes alone", bytes([0xff, 0xd8, 0xff]), "image/jpeg"],
    ["another RIFF: a WAV", bytes("RIFF", [0, 0, 0, 0], "WAVE"), null],
    ["a PDF", bytes("%PDF-1.7"), "application/pdf"],
    ["a text", utf8("Grüße an 世界 😀\n"), "text/plain"],
    ["a text with the first letters of two and three bytes", utf8("\u0080\u0800a"), "text/plain"],
    ["a text that is cut in its last character", utf8("Grüße 😀").slice(0, -2), "text/plain"],
    ["an SVG is a text", utf8('<svg onload="alert(1)"/>'), "text/plain"],
    ["a page is a text", utf8("<!doctype html><script>alert(1)</script>"), "text/plain"],
    ["a script with a GIF's name in it", utf8("x = 'GIF89a'"), "text/plain"],
    ["nothing", new Uint8Array(), null],
    ["a program", bytes([0x7f], "ELF", [2, 1, 1, 0]), null],
    ["a ZIP", bytes("PK", [3, 4, 0x14, 0]), null],
    ["a text with a zero", bytes("text", [0]), null],
    ["Latin-1", bytes("Gr", [0xfc], "sse"), null],
    ["UTF-16", bytes([0xff, 0xfe], "a", [0]), null],
    ["half a surrogate pair", bytes([0xed, 0xa0, 0x80]), null],
    ["a longer spelling than needed", bytes([0xc0, 0xaf]), null],
    ["a character beyond the last", bytes([0xf4, 0x90, 0x80, 0x80]), null],
  ])("%s", (_name, given, expected) => {
    expect(mediaTypeOf(given)).toBe(expected);
  });

  test("mediaTypeOf recognises every UTF-8 text without control characters, wherever it is cut", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), fc.nat(), (text, cut) => {
        const clean = text.replaceAll(/\p{Cc}/gu, "_");
        const all = utf8(clean);
        expect(mediaTypeOf(all.slice(0, 1 + (cut % all.length)))).toBe("text/plain");
      }),
    );
  });

  test("mediaTypeOf and pixelSizeOf throw for no bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.constantFrom(jpeg, webp("VP8 "), png([], [])), (tail, start) => {
        const given = Uint8Array.from([...start, ...tail]);
        expect([mediaTypeOf(given) === null, pixelSizeOf(given) === undefined]).toEqual([false, false]);
        mediaTypeOf(tail);
        pixelSizeOf(tail);
      }),
    );
  });
});

describe("pixelSizeOf", () => {
  test.each<[string, Uint8Array, object | null]>([
    ["40: a PNG of 60,000 by 60,000", png([0, 0, 0xea, 0x60], [0, 0, 0xea, 0x60]), { width: 60_000, height: 60_000 }],
    ["a PNG of four thousand million", png([255, 255, 255, 255], [0, 0, 0, 1]), { width: 4_294_967_295, height: 1 }],
    ["a PNG that ends in its header", png([0, 0, 1, 0], []).slice(0, 20), null],
    ["a PNG without width", png([0, 0, 0, 0], [0, 0, 0, 1]), null],
    ["a GIF", bytes("GIF87a", [0x02, 0x01, 0x04, 0x03]), { width: 258, height: 772 }],
    ["a JPEG, after other segments", jpeg, { width: 0x0304, height: 0x0102 }],
    [
      "a JPEG, after markers without a length",
      bytes([0xff, 0xd8, 0xff, 0xd8, 0xff, 0xd0, 0xff, 0x01], Array.from(jpeg.subarray(8))),
      { width: 0x0304, height: 0x0102 },
    ],
    ["a JPEG that never says", bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2]), null],
    ["a JPEG with a segment of no length", bytes([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), null],
    [
      "a WebP with losses",
      webp("VP8 ", [0, 0, 0, 0, 0, 0, 0, 0x9d, 0x01, 0x2a, 0x10, 0x40, 0x20, 0x00]),
      { width: 16, height: 32 },
    ],
    ["a WebP without", webp("VP8L", [0, 0, 0, 0, 0x2f, 0x0f, 0xc0, 0x07, 0x00]), { width: 16, height: 32 }],
    ["a WebP with more", webp("VP8X", [10, 0, 0, 0, 0, 0, 0, 0, 15, 0, 0, 31, 0, 0]), { width: 16, height: 32 }],
    ["a text", utf8("hello"), null],
  ])("%s", (_name, given, expected) => {
    expect(pixelSizeOf(given)).toEqual(expected);
  });
});
