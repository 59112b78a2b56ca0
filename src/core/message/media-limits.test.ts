import fc from "fast-check";
import { expect, test } from "vitest";
import { blobIdsIn, imageTakenByAll, needsScaledCopy, scaledSize } from "./media-limits.ts";

test.each<[number, number, number, boolean]>([
  [1_000, 100, 100, false],
  [imageTakenByAll.bytesMax, 8_000, 8_000, false],
  [imageTakenByAll.bytesMax + 1, 100, 100, true],
  [1_000, 8_001, 1, true],
  [1_000, 1, 8_001, true],
])("14.23 an image of %d bytes and %d × %d pixels needs a copy: %s", (bytes, width, height, expected) => {
  expect(needsScaledCopy(bytes, { width, height })).toBe(expected);
});

test("14.23 a scaled copy has the shape of the image, at most 2,000 pixels on a side, at least one", () => {
  const side = fc.integer({ min: 1, max: 60_000 });
  fc.assert(
    fc.property(side, side, (width, height) => {
      const scaled = scaledSize({ width, height });
      expect(Math.max(scaled.width, scaled.height)).toBeLessThanOrEqual(Math.min(2_000, Math.max(width, height)));
      expect(Math.min(scaled.width, scaled.height)).toBeGreaterThanOrEqual(1);
      const factor = Math.max(scaled.width, scaled.height) / Math.max(width, height);
      expect(Math.abs(scaled.width - width * factor)).toBeLessThanOrEqual(1);
      expect(Math.abs(scaled.height - height * factor)).toBeLessThanOrEqual(1);
    }),
  );
});

test("14.23 a source names its copy, so that a backup, an export and the sweep keep it", () => {
  expect(blobIdsIn({ type: "blob", id: "a", scaled: { id: "b" } })).toEqual(["a", "b"]);
  expect(blobIdsIn({ type: "blob", id: "a" })).toEqual(["a"]);
  expect(blobIdsIn({ type: "base64" })).toEqual([]);
});
