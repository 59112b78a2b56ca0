import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { pairBoundary, Rope } from "./rope.ts";

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: fc.constantFrom("a", "é", "語", "😀", "\n"), maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 40_000 }).map((count) => "line 😀é\n".repeat(Math.ceil(count / 9))),
  },
);
const step = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), remove: fc.nat(4000), insert: piece });

function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

describe("rope", () => {
  test("edits like a string, and counts its bytes and lines", () => {
    fc.assert(
      fc.property(piece, fc.array(step, { maxLength: 30 }), fc.nat(), (start, steps, pick) => {
        const rope = new Rope(start);
        let model = start;
        for (const { at, remove, insert } of steps) {
          const from = pairBoundary(model, Math.floor(at * model.length));
          const to = pairBoundary(model, Math.min(model.length, from + remove));
          expect(rope.remove(from, Math.max(0, to - from))).toBe(model.slice(from, to));
          rope.insert(from, insert);
          model = model.slice(0, from) + insert + model.slice(Math.max(from, to));
          expect(rope.length).toBe(model.length);
        }
        expect(rope.toString()).toBe(model);
        expect(rope.utf8Length).toBe(utf8Bytes(model));
        expect(rope.newlineCount).toBe(model.split("\n").length - 1);
        const at = model.length === 0 ? 0 : pick % model.length;
        if (model.length > 0) expect(rope.charCodeAt(at)).toBe(model.charCodeAt(at));
        expect(rope.slice(at, at + 1500)).toBe(model.slice(at, at + 1500));
        const safe = pairBoundary(model, at);
        expect(rope.utf16FromUtf8(utf8Bytes(model.slice(0, safe)))).toBe(safe);
        const line = rope.newlineCount === 0 ? 0 : pick % (rope.newlineCount + 1);
        expect(rope.afterNewline(line)).toBe(model.split("\n", line).join("\n").length + (line === 0 ? 0 : 1));
      }),
      { numRuns: scaled(150) },
    );
  });

  test.each([
    ["\u{7f}", 1],
    ["\u{80}", 2],
    ["\u{7ff}", 2],
    ["\u{800}", 3],
    ["\u{ffff}", 3],
    ["\u{10000}", 4],
  ])("finds the end of %j behind its %i bytes", (letter, bytes) => {
    const rope = new Rope(`${letter}a`);
    expect([rope.utf16FromUtf8(bytes), rope.utf16FromUtf8(bytes + 1)]).toEqual([letter.length, letter.length + 1]);
  });

  test("returns undefined for a byte offset inside a code point or outside the text", () => {
    const rope = new Rope("aé😀");
    const found = Array.from({ length: 9 }, (_, offset) => rope.utf16FromUtf8(offset));
    expect(found).toEqual([0, 1, undefined, 2, undefined, undefined, undefined, 4, undefined]);
    expect(rope.utf16FromUtf8(-1)).toBeUndefined();
    expect(rope.utf16FromUtf8(0.5)).toBeUndefined();
  });

  test("stays correct when it is deep", () => {
    const line = "0123456789 😀é\n".repeat(20);
    const rope = new Rope();
    let model = "";
    let at = 0;
    for (let i = 0; i < 3000; i += 1) {
      at = pairBoundary(model, Math.min(model.length, (at * 31 + i * 7919) % (model.length + 1)));
      rope.insert(at, line);
      model = model.slice(0, at) + line + model.slice(at);
    }
    expect(rope.length).toBe(model.length);
    expect(rope.toString()).toBe(model);
    expect(rope.utf8Length).toBe(utf8Bytes(model));
    rope.remove(1000 * line.length, 1500 * line.length);
    model = model.slice(0, 1000 * line.length) + model.slice(2500 * line.length);
    expect(rope.slice(5000, rope.length)).toBe(model.slice(5000));
  });

  test("accepts a stream at the end and can be emptied", () => {
    const rope = new Rope();
    for (let i = 0; i < 20_000; i += 1) rope.insert(rope.length, "token 😀 ");
    expect(rope.length).toBe(180_000);
    expect(rope.utf8Length).toBe(220_000);
    rope.remove(1, rope.length - 2);
    expect(rope.toString()).toBe("t ");
    rope.remove(0, 2);
    expect(rope.toString()).toBe("");
    rope.insert(0, "again");
    expect(rope.toString()).toBe("again");
  });
});
