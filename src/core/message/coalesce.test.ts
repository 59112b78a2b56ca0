import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { coalesceTextOnlyAdjacent } from "./coalesce.ts";
import { asking, assistant, result, user } from "./message.test-support.ts";
import type { ContentBlock, Message } from "./types.ts";

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.string({ minLength: 1 }).map(user),
  fc.string({ minLength: 1 }).map(assistant),
  fc.constant(asking("a")),
  fc.string().map((text) => result("a", text)),
);
const spoken = (messages: readonly Message[]): readonly (readonly [string, ContentBlock])[] =>
  messages.flatMap((each) => (each.content as readonly ContentBlock[]).map((block) => [each.role, block] as const));

describe("coalesceTextOnlyAdjacent", () => {
  test("F-33 coalesceTextOnlyAdjacent joins neighbours of one role, but never across calls and results", () => {
    const joined = coalesceTextOnlyAdjacent(
      [user("A"), user("B"), assistant("C"), assistant("D"), asking("a"), assistant("E"), result("a"), result("b")],
      " ",
    );
    expect(joined).toEqual([user("A B"), assistant("C D"), asking("a"), assistant("E"), result("a"), result("b")]);
  });

  test("F-34 coalesceTextOnlyAdjacent puts the separator between messages, not between blocks", () => {
    const texts = (...words: readonly [string, string]): Message => ({
      role: "user",
      content: [
        { type: "text", text: words[0] },
        { type: "text", text: words[1] },
      ],
    });
    expect(coalesceTextOnlyAdjacent([texts("Hello, ", "world"), texts("! ", "How are you?")], " ")).toEqual([
      user("Hello, world ! How are you?"),
    ]);
  });

  test("coalesceTextOnlyAdjacent joins 50,000 neighbours in one pass", () => {
    const many = Array.from({ length: 50_000 }, (_, index) => user(`${index % 10}`));
    const [joined, ...rest] = coalesceTextOnlyAdjacent(many);
    expect(joined?.content).toHaveLength(50_000);
    expect(rest).toEqual([]);
    expect(coalesceTextOnlyAdjacent(many, "")).toEqual([user("0123456789".repeat(5_000))]);
  });

  test("coalesceTextOnlyAdjacent without a separator keeps roles and block bounds, and is idempotent", () => {
    fc.assert(
      fc.property(fc.array(message), (input) => {
        const joined = coalesceTextOnlyAdjacent(input);
        expect(spoken(joined)).toEqual(spoken(input));
        expect(coalesceTextOnlyAdjacent(joined)).toEqual(joined);
      }),
    );
  });
});
