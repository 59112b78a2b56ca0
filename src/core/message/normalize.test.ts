import { describe, expect, test } from "vitest";
import { assistant, result, use, user } from "./message.test-support.ts";
import { isSameMessage, normalizeForComparison } from "./normalize.ts";
import type { AssistantMessage, Message } from "./types.ts";

const calling = (parameters: Parameters<typeof use>[1], id = "a"): AssistantMessage => ({
  role: "assistant",
  content: [use(id, parameters)],
});

describe("messages are the same", () => {
  test.each<[string, Message, Message, boolean]>([
    ["when nothing differs", user("a"), user("a"), true],
    [
      "F-06 whatever the order of keys",
      calling({ a: 1, b: { c: 2, d: 3 } }),
      calling({ b: { d: 3, c: 2 }, a: 1 }),
      true,
    ],
    ["F-06 but not with other ids", calling({}, "a"), calling({}, "b"), false],
    ["F-06 nor with lists in another order", calling({ a: [1, 2] }), calling({ a: [2, 1] }), false],
    ["F-07 nor with blanks that differ", user("hello"), user("  hello\n"), false],
    [
      "F-10 nor when two texts are one",
      assistant("A B"),
      {
        ...assistant("A"),
        content: [
          { type: "text", text: "A" },
          { type: "text", text: " B" },
        ],
      },
      false,
    ],
    ["nor for another role", user("a"), assistant("a"), false],
    ["whoever wrote it", assistant("a"), { ...assistant("a"), origin: { api: "x", provider: "p", model: "m" } }, true],
    [
      "whether it says that it was not cut off or nothing",
      assistant("a"),
      { ...assistant("a"), interrupted: false },
      true,
    ],
    ["but not when one was cut off", assistant("a"), { ...assistant("a"), interrupted: true }, false],
    [
      "however its arguments were spelled",
      calling({}),
      { role: "assistant", content: [{ ...use("a"), rawParameters: "{ }" }] },
      true,
    ],
    [
      "with blank text blocks or without",
      assistant("a"),
      {
        role: "assistant",
        content: [
          { type: "text", text: " \n" },
          { type: "text", text: "a" },
        ],
      },
      true,
    ],
  ])("%s", (_name, a, b, expected) => {
    expect(isSameMessage(a, b)).toBe(expected);
    expect(isSameMessage(b, a)).toBe(expected);
  });
});

describe("normalisation", () => {
  test("F-08 leaves nothing of a message of blanks", () => {
    expect(normalizeForComparison(user(" \n\t"))).toBe(null);
    expect(normalizeForComparison(assistant(""))).toBe(null);
  });

  test("F-09 keeps a message that is a call alone", () => {
    expect(normalizeForComparison(calling({}))).toEqual(calling({}));
  });

  test("F-12 keeps an empty tool result as one empty text", () => {
    expect(normalizeForComparison(result("a", " "))).toEqual(result("a", ""));
  });

  test("keeps an empty text that carries a signature", () => {
    const signed: Message = {
      role: "assistant",
      content: [{ type: "text", text: "", native: { api: "x", data: {} } }],
    };
    expect(normalizeForComparison(signed)).toEqual(signed);
  });
});
