import { describe, expect, test } from "vitest";
import { messageUnitsMax } from "./limits.ts";
import { unsendable } from "./sendable.ts";

describe("a message", () => {
  test.each([
    ["of the maximum length", "x".repeat(messageUnitsMax), undefined],
    ["one character longer", "x".repeat(messageUnitsMax + 1), "INVALID_PARAMS"],
    ["short enough, but too large in bytes", "織".repeat(messageUnitsMax), "INVALID_PARAMS"],
    ["that grows too large when written as JSON", "\u0001".repeat(messageUnitsMax / 2), "INVALID_PARAMS"],
    ["of nothing", "", undefined],
  ])("%s can be sent or is refused: %#", (_name, text, code) => {
    expect(unsendable(text)?.code).toBe(code);
  });

  test("that is too long is refused with its length and the limit", () => {
    expect(unsendable("x".repeat(1_216_217))?.message).toBe(
      "The message has 1,216,217 characters. At most 400,000 can be sent. Nothing was sent.",
    );
  });
});
