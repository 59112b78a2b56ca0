import { describe, expect, test } from "vitest";
import { encodeBytes, encodeInteger, encodeJson } from "./encode-json.ts";
import { isWaitingContent, isTurnState, isUsage } from "./json-guards.ts";

describe("encoding for storage", () => {
  test("copies bytes without the rest of their buffer", () => {
    const whole = Uint8Array.of(1, 2, 3, 4);
    expect(encodeBytes(whole)).toBe(whole);
    const part = encodeBytes(whole.subarray(1, 3));
    expect(part).toEqual(Uint8Array.of(2, 3));
    expect(part.buffer.byteLength).toBe(2);
  });

  test.each([1.5, Number.NaN, 2 ** 53, Infinity])("refuses %d as a time or number", (value) => {
    expect(() => encodeInteger(value, "at")).toThrow("at is a whole number");
  });

  test("guards of stored JSON", () => {
    expect(encodeJson({ type: "idle" }, isTurnState, "turn state")).toBe('{"type":"idle"}');
    const usage = { inputTokens: Number.NaN, outputTokens: 0, cachedInputTokens: 0, thinkingTokens: 0 };
    expect(() => encodeJson(usage, isUsage, "usage")).toThrow("well formed");
  });

  const message = { role: "user", content: [{ type: "text", text: "next" }] };
  const actor = { type: "person", id: "ada", name: "Ada" };
  test.each([
    [{ message, actor }, true],
    [message, false],
    [{ message }, false],
    [{ message: { ...message, role: "assistant" }, actor }, false],
    [{ message: { ...message, content: [] }, actor }, false],
    [{ message, actor: { ...actor, type: "dog" } }, false],
    [{ message, actor: { type: "model", id: "m", name: "M" } }, false],
    [{ message, actor, state: "asleep" }, false],
  ])("isWaitingContent of %j is %s", (value, expected) => {
    const content = { version: 1, state: "waiting", deliver: "steer", at: 9, ...value };
    expect(isWaitingContent(content)).toBe(expected);
  });

  test.each([
    [{ type: "asleep" }],
    [{ type: "requesting", attempt: "1", retryAt: null, lastFailure: null }],
    [{ type: "awaiting" }],
    [{ type: "running-tools", pending: [], completed: [] }],
    [{ type: "toString" }],
    [null],
    ["idle"],
    [[]],
  ])("isTurnState refuses %j", (value) => {
    expect(isTurnState(value)).toBe(false);
  });
});
