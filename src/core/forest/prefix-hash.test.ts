import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { asking, assistant, result, user } from "../message/message.test-support.ts";
import { isSameMessage } from "../message/normalize.ts";
import type { Message } from "../message/types.ts";
import { prefixHash } from "./prefix-hash.ts";

// Few and similar, so that equal and nearly equal conversations are frequent.
const message = fc.constantFrom<Message>(
  user("a"),
  user("a\n"),
  user("a\nb"),
  {
    role: "user",
    content: [
      { type: "text", text: "a" },
      { type: "text", text: "" },
    ],
  },
  {
    role: "user",
    content: [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ],
  },
  assistant("a"),
  { ...assistant("a"), origin: { api: "x", provider: "y", model: "z" } },
  { ...assistant("a"), interrupted: true },
  asking("1"),
  asking("1", "2"),
  result("1"),
  result("2"),
);

const conversation = fc.array(message, { maxLength: 4 });

function hashOf(messages: readonly Message[]): string | null {
  return messages.reduce<string | null>((above, next) => prefixHash(above, next), null);
}

test("prefixHash is equal exactly when two conversations say the same, message by message", () => {
  fc.assert(
    fc.property(conversation, conversation, (one, other) => {
      const same = one.length === other.length && one.every((each, at) => isSameMessage(each, other[at] ?? each));
      expect(hashOf(one) === hashOf(other)).toBe(same);
    }),
    { numRuns: scaled(2_000) },
  );
});
