import fc from "fast-check";
import { expect, test } from "vitest";
import { user } from "./message.test-support.ts";
import type { FileBlock, ImageBlock } from "./types.ts";
import { clampMaxTokens, estimateInputTokens, fitMaxTokens, unknownModelCaps } from "./tokens.ts";

test("F-35 estimateInputTokens returns a whole number and counts the system prompt", () => {
  const json = JSON.stringify(user("hello")).length;
  expect(estimateInputTokens([user("hello")], "")).toBe(Math.floor(json * 0.3));
  expect(estimateInputTokens([user("hello")], "x".repeat(100))).toBe(Math.floor((json + 100) * 0.3));
  expect(estimateInputTokens([], "")).toBe(0);
});

test.each<[string, ImageBlock | FileBlock, number]>([
  [
    "an image",
    { type: "image", mediaType: "image/png", source: { type: "base64", data: "A".repeat(4_000_000) } },
    1_600,
  ],
  [
    "a stored image",
    { type: "image", mediaType: "image/png", source: { type: "blob", id: "0", size: 3_000_000 } },
    1_600,
  ],
  ["a text file", { type: "file", mediaType: "text/plain", source: { type: "blob", id: "0", size: 1_000 } }, 300],
  [
    "a long document",
    { type: "file", mediaType: "application/pdf", source: { type: "blob", id: "0", size: 500_000 } },
    16_000,
  ],
  ["a file elsewhere", { type: "file", mediaType: "application/pdf", source: { type: "url", url: "u" } }, 1_600],
])("estimateInputTokens does not count the bytes of %s as words", (_name, block, expected) => {
  const estimate = estimateInputTokens([{ role: "user", content: [block] }], "");
  expect(estimate).toBeGreaterThanOrEqual(expected);
  expect(estimate).toBeLessThan(expected + 100);
});

test.each([
  [40, { inputTokensMax: 100, outputTokensMax: 50 }, 90, 10],
  [20, { inputTokensMax: 100, outputTokensMax: 50 }, 150, 1],
  [100_000, unknownModelCaps, 1_000, 7_192],
  [100, { inputTokensMax: 100, outputTokensMax: 100, totalTokensMax: 120 }, 50, 50],
  [100, { inputTokensMax: 200, outputTokensMax: 100, totalTokensMax: 120 }, 50, 70],
  [10.9, { inputTokensMax: 100, outputTokensMax: 50 }, 0, 10],
  [Number.NaN, unknownModelCaps, 0, 1],
  [100, { inputTokensMax: Number.NaN, outputTokensMax: 50 }, 0, 1],
  [100, unknownModelCaps, Number.NaN, 1],
  [40, { inputTokensMax: 100, outputTokensMax: 50 }, 100, 1],
  [40, { inputTokensMax: 100, outputTokensMax: 50 }, 60, 40],
  [40, { inputTokensMax: 100, outputTokensMax: 50 }, 60.5, 39],
  [-5, unknownModelCaps, 0, 1],
  [Number.POSITIVE_INFINITY, unknownModelCaps, 0, 8_192],
])(
  "F-35 L11 clampMaxTokens for a request of %d with %j and %d input tokens is %d",
  (requested, caps, estimated, expected) => {
    expect(clampMaxTokens(requested, caps, estimated)).toBe(expected);
  },
);

test("F-35 clampMaxTokens returns a whole number of at least 1 for any arguments", () => {
  fc.assert(
    fc.property(fc.double(), fc.double(), fc.double(), fc.double(), (requested, input, output, estimated) => {
      const clamped = clampMaxTokens(requested, { inputTokensMax: input, outputTokensMax: output }, estimated);
      expect(Number.isSafeInteger(clamped) && clamped >= 1).toBe(true);
    }),
  );
});

test.each([
  [40, 90, 10],
  [40, 99, 1],
  [40, 100, "CONTEXT_FULL"],
  [40, 150, "CONTEXT_FULL"],
  [40, Number.NaN, "CONTEXT_FULL"],
  [Number.NaN, 0, "INVALID_PARAMS"],
  [0, 0, "INVALID_PARAMS"],
  [-1, 0, "INVALID_PARAMS"],
  [Number.POSITIVE_INFINITY, 0, 50],
])("F-35 L11 fitMaxTokens for a request of %d with %d input tokens is %s", (requested, estimated, expected) => {
  const fit = fitMaxTokens(requested, { inputTokensMax: 100, outputTokensMax: 50 }, estimated);
  expect(fit.ok ? fit.value : fit.error.code).toBe(expected);
});

test("F-35 a CONTEXT_FULL refusal holds the figures needed for another attempt", () => {
  const fit = fitMaxTokens(40, { inputTokensMax: 100, outputTokensMax: 50 }, 150);
  expect(fit.ok ? null : fit.error.details).toEqual({
    requested: 40,
    estimated_input: 150,
    inputTokensMax: 100,
    outputTokensMax: 50,
  });
});
