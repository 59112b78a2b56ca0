import { describe, expect, test } from "vitest";
import { seededRandom } from "../../testing/seeded-random.ts";
import {
  ByteReader,
  ByteWriter,
  crc32,
  decodeUtf8,
  joinInSteps,
  laneSum,
  lengthOf,
  MalformedBytes,
  putVarint,
  TextParts,
  utf8Length,
  varintSize,
} from "./bytes.ts";

const readerOf = (bytes: Uint8Array): ByteReader => new ByteReader(bytes, 0, bytes.length);

function written(write: (writer: ByteWriter) => void): Uint8Array {
  const writer = new ByteWriter();
  write(writer);
  return writer.written().slice();
}

describe("a varint", () => {
  /** Where the number of bytes changes, and where the ways to write them do. */
  const sizes = [
    [0, 1],
    [127, 1],
    [128, 2],
    [0x3fff, 2],
    [0x4000, 3],
    [0x1f_ffff, 3],
    [0x20_0000, 4],
    [0xfff_ffff, 4],
    [0x1000_0000, 5],
    [0x7fff_ffff, 5],
  ] as const;

  test.each(sizes)("of %i takes %i bytes and is read back", (value, size) => {
    const bytes = written((writer) => writer.varint(value));
    expect([bytes.length, varintSize(value), readerOf(bytes).varint()]).toEqual([size, size, value]);
  });

  test.each([0x8000_0000, 2 ** 35 - 1, 2 ** 35, 2 ** 42 - 1, 2 ** 42, 2 ** 53 - 1])(
    "of %i is written whole",
    (value) => {
      const bytes = written((writer) => writer.varint(value));
      const read = bytes.reduceRight((sum, byte) => sum * 128 + (byte & 127), 0);
      const isLast = [...bytes].map((byte) => byte < 128);
      expect([read, bytes.length]).toEqual([value, varintSize(value)]);
      expect(isLast.indexOf(true)).toBe(bytes.length - 1);
    },
  );

  test("is put where it belongs, and tells where it ends", () => {
    for (const [value, size] of sizes) {
      const bytes = new Uint8Array(10);
      expect([putVarint(bytes, 3, value), new ByteReader(bytes, 3, 10).varint()]).toEqual([3 + size, value]);
    }
  });

  test("of either sign is read back", () => {
    for (const value of [0, 1, -1, 63, -64, 64, -65, 2 ** 30 - 1, 1 - 2 ** 30]) {
      expect(readerOf(written((writer) => writer.signed(value))).signed()).toBe(value);
    }
    expect(written((writer) => writer.signed(-64)).length).toBe(1);
  });

  test.each([
    ["at its limit", [5], 5],
    ["above it", [6], 5],
    ["of 2^31", [0x80, 0x80, 0x80, 0x80, 0x08], 2 ** 31],
    ["of six bytes", [0x80, 0x80, 0x80, 0x80, 0x80, 0x01], 2 ** 31],
    ["with a byte that adds nothing", [0x81, 0x00], 2 ** 31],
    ["that ends too early", [0x80], 2 ** 31],
  ])("%s is malformed", (_what, bytes, limit) => {
    expect(() => readerOf(Uint8Array.from(bytes)).varint(limit)).toThrow(MalformedBytes);
  });

  test("below its limit is read, and so is a single 0", () => {
    expect([readerOf(Uint8Array.of(4)).varint(5), readerOf(Uint8Array.of(0)).varint(1)]).toEqual([4, 0]);
  });
});

describe("UTF-8", () => {
  const encoder = new TextEncoder();
  const texts = [
    "",
    "a",
    "\u007F\u0080",
    "\u07FF\u0800",
    "\uD7FF\uE000",
    "\uFFFF",
    "\u{10000}\u{10FFFF}",
    "word ".repeat(2_000),
    "é".repeat(5_000),
    `${"x".repeat(4_095)}é${"y".repeat(9)}`,
    "abcdefgé",
    "abcdefghé",
  ];

  test("is written and measured as the platform does, and read back", () => {
    for (const text of texts) {
      const bytes = encoder.encode(text);
      expect(utf8Length(text)).toBe(bytes.length);
      expect(written((writer) => writer.utf8(text))).toEqual(bytes);
      expect(decodeUtf8(bytes, 0, bytes.length)).toBe(text);
      const reader = readerOf(written((writer) => writer.text(text)));
      expect([reader.text(), reader.at]).toEqual([text, reader.end]);
    }
  });

  test("is accepted exactly where the platform accepts it", () => {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const expected = (bytes: Uint8Array): string | null => {
      try {
        return decoder.decode(bytes);
      } catch {
        return null;
      }
    };
    const read = (bytes: Uint8Array): string | null => {
      try {
        return decodeUtf8(bytes, 0, bytes.length);
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedBytes);
        return null;
      }
    };
    const edges = [
      0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf1,
      0xf4, 0xf5, 0xff,
    ];
    for (const first of edges) {
      for (const second of edges) {
        for (const rest of [[], [0x80], [0x80, 0x80], [0xbf, 0xbf], [0x41, 0x80], [0x80, 0x41]]) {
          const bytes = Uint8Array.of(first, second, ...rest);
          expect([[...bytes], read(bytes)]).toEqual([[...bytes], expected(bytes)]);
        }
      }
    }
  });
});

describe("parts of a record", () => {
  test("are read back, and never past the record's end", () => {
    const long = "x".repeat(300);
    const bytes = written((writer) => {
      writer.text("abc");
      writer.sum(0xfedc_ba98);
      writer.text(long);
      writer.byte(255);
    });
    const reader = readerOf(bytes);
    expect([reader.text(), reader.sum(), reader.text(), reader.byte()]).toEqual(["abc", 0xfedc_ba98, long, 255]);
    expect(() => reader.byte()).toThrow(MalformedBytes);
    expect(() => new ByteReader(bytes, 0, 3).text()).toThrow(MalformedBytes);
    expect(() => readerOf(Uint8Array.of(2, 0x41)).text()).toThrow(MalformedBytes);
  });

  test.each([0, 1, 63, 64, 65, 127, 128, 200, 255, 256, 257, 20_000])(
    "a body of %i bytes is framed by format, length and checksum",
    (length) => {
      const writer = new ByteWriter();
      writer.beginBody();
      for (let index = 0; index < length; index += 1) writer.byte(index & 255);
      const reader = readerOf(writer.frame(7, crc32));
      expect([reader.byte(), reader.varint()]).toEqual([7, length]);
      for (let index = 0; index < length; index += 1) expect(reader.byte()).toBe(index & 255);
      const end = reader.at;
      const record = writer.written().slice(-reader.end);
      expect([reader.sum(), reader.at]).toEqual([crc32(record, 0, end), reader.end]);
    },
  );

  test("19.4 texts of any length are encoded in parts, the long ones by the platform, in their order", () => {
    const texts = ["a", "ä".repeat(300), "", "b", "c".repeat(256), "d".repeat(257), "e".repeat(5_000), "😀"];
    let encodedByPlatform = 0;
    const parts = new TextParts((text) => {
      encodedByPlatform += 1;
      return new TextEncoder().encode(text);
    });
    const alone = new TextParts();
    for (const text of texts) {
      parts.add(text);
      alone.add(text);
    }
    const expected = new TextEncoder().encode(texts.join(""));
    for (const each of [parts.end(), alone.end()]) {
      expect(joined(each)).toEqual({ bytes: expected, steps: 0 });
      expect(lengthOf(each)).toBe(expected.length);
    }
    expect(encodedByPlatform).toBe(3);
    expect(joined(new TextParts().end())).toEqual({ bytes: new Uint8Array(), steps: 0 });
  });

  test("19.4 parts are joined in steps of a mebibyte or one part, whatever their lengths", () => {
    const lengths = [3, 1 << 20, 0, (1 << 21) + 5, 7];
    const parts = lengths.map((length, at) => new Uint8Array(length).fill(at + 1));
    const { bytes, steps } = joined(parts);
    expect(Buffer.compare(bytes, Buffer.concat(parts))).toBe(0);
    expect(steps).toBe(2);
  });
});

function joined(parts: readonly Uint8Array[]): { bytes: Uint8Array; steps: number } {
  const joining = joinInSteps(parts);
  for (let steps = 0; ; steps += 1) {
    const step = joining.next();
    if (step.done === true) return { bytes: step.value, steps };
  }
}

describe("a checksum", () => {
  const random = seededRandom(1);
  const bytes = Uint8Array.from({ length: 200 }, () => random.below(256));

  test("of CRC-32 is that of the standard, from any offset", () => {
    const naive = (from: number, to: number): number => {
      let crc = -1;
      for (let at = from; at < to; at += 1) {
        crc ^= bytes[at] ?? 0;
        for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ ((crc & 1) * 0xedb88320);
      }
      return ~crc >>> 0;
    };
    expect(crc32(new TextEncoder().encode("123456789"), 0, 9)).toBe(0xcbf43926);
    for (let from = 0; from < 6; from += 1)
      for (let to = from; to < 20; to += 1) expect(crc32(bytes, from, to)).toBe(naive(from, to));
  });

  test("of lanes is as stored records have it, and depends on no byte outside", () => {
    const sums = [0, 1, 63, 64, 65, 127, 128, 191].map((length) => laneSum(bytes, 3, 3 + length));
    expect(sums).toEqual([3806151530, 3919092601, 1711206948, 18771880, 550565772, 4228566265, 2385125708, 1882595464]);
    const inside = bytes.slice(3, 131);
    expect(laneSum(inside, 0, 128)).toBe(laneSum(bytes, 3, 131));
    for (let at = 0; at < 128; at += 1) {
      const changed = inside.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(laneSum(changed, 0, 128)).not.toBe(laneSum(inside, 0, 128));
    }
  });
});
