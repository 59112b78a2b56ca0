import { describe, expect, test } from "vitest";
import { assistant, result, use, user } from "./message.test-support.ts";
import { isSameMessage, normalizeForComparison, withoutEmptyTexts } from "./normalize.ts";
import type { AssistantMessage, Message } from "./types.ts";

const calling = (parameters: Parameters<typeof use>[1], id = "a"): AssistantMessage => ({
  role: "assistant",
  content: [use(id, parameters)],
});

describe("isSameMessage", () => {
  test.each<[string, Message, Message, boolean]>([
    ["equal messages are the same", user("a"), user("a"), true],
    [
      "F-06 the order of keys makes no difference",
      calling({ a: 1, b: { c: 2, d: 3 } }),
      calling({ b: { d: 3, c: 2 }, a: 1 }),
      true,
    ],
    ["F-06 messages with other call ids differ", calling({}, "a"), calling({}, "b"), false],
    ["F-06 messages with lists in another order differ", calling({ a: [1, 2] }), calling({ a: [2, 1] }), false],
    ["F-07 messages with other blanks differ", user("hello"), user("  hello\n"), false],
    [
      "F-10 two texts differ from one joined text",
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
    ["messages of another role differ", user("a"), assistant("a"), false],
    [
      "the author makes no difference",
      assistant("a"),
      { ...assistant("a"), origin: { api: "x", provider: "p", model: "m" } },
      true,
    ],
    [
      "an explicit `interrupted: false` makes no difference",
      assistant("a"),
      { ...assistant("a"), interrupted: false },
      true,
    ],
    [
      "an interrupted reply differs from a complete one",
      assistant("a"),
      { ...assistant("a"), interrupted: true },
      false,
    ],
    [
      "the spelling of arguments makes no difference",
      calling({}),
      { role: "assistant", content: [{ ...use("a"), rawParameters: "{ }" }] },
      true,
    ],
    [
      "additional blank text blocks make no difference",
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

describe("normalizeForComparison", () => {
  test("F-08 normalizeForComparison returns null for a message of blanks", () => {
    expect(normalizeForComparison(user(" \n\t"))).toBe(null);
    expect(normalizeForComparison(assistant(""))).toBe(null);
  });

  test("F-09 normalizeForComparison keeps a message that holds only a call", () => {
    expect(normalizeForComparison(calling({}))).toEqual(calling({}));
  });

  test("F-12 normalizeForComparison keeps an empty tool result as one empty text", () => {
    expect(normalizeForComparison(result("a", " "))).toEqual(result("a", ""));
  });

  test("normalizeForComparison keeps an empty text that carries a signature", () => {
    const signed: Message = {
      role: "assistant",
      content: [{ type: "text", text: "", native: { api: "x", data: {} } }],
    };
    expect(normalizeForComparison(signed)).toEqual(signed);
  });
});

test.each(["user", "system", "assistant"] as const)("a message of %s without words is stored as nothing", (role) => {
  const empty = { role, content: [{ type: "text", text: "" }] } as const;
  const said = { role, content: [...empty.content, { type: "text", text: " " }] } as const;
  expect(withoutEmptyTexts(empty)).toBeNull();
  expect(withoutEmptyTexts(said)).toEqual({ role, content: [{ type: "text", text: " " }] });
  expect(normalizeForComparison(said)).toBeNull();
});
