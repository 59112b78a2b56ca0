import fc from "fast-check";
import { expect, test } from "vitest";
import type { ToolCallId } from "../../../core/base/ids.ts";
import { textOf } from "../../../core/message/content.ts";
import { checkTranscript } from "../../../core/message/transcript.ts";
import type { Message } from "../../../core/message/types.ts";
import { withoutLargeResults } from "./large-results.ts";

/** A question, calls with results of these lengths, and an answer. */
function turn(number: number, lengths: readonly number[]): readonly Message[] {
  const id = (at: number): ToolCallId => `call_${number}_${at}` as ToolCallId;
  const calls = lengths.flatMap((length, at): readonly Message[] => [
    { role: "assistant", content: [{ type: "tool-use", id: id(at), name: "look", parameters: {} }] },
    {
      role: "tool",
      tool_call_id: id(at),
      tool_name: "look",
      content: [{ type: "text", text: "x".repeat(length) }],
      outcome: "ok",
    },
  ]);
  return [
    { role: "user", content: [{ type: "text", text: `question ${number}` }] },
    ...calls,
    { role: "assistant", content: [{ type: "text", text: `answer ${number}` }] },
  ];
}

test("C-37 CR7 a request that is too long loses only the text of large results: no message, no order, no pair", () => {
  const lengths = fc.array(fc.constantFrom(0, 10, 49_999, 50_000, 80_000), { maxLength: 3 });
  fc.assert(
    fc.property(fc.array(lengths, { minLength: 1, maxLength: 4 }), (turns) => {
      const path = turns.flatMap((each, number) => turn(number, each));
      const shorter = withoutLargeResults(path);
      const isLarge = (message: Message): boolean => message.role === "tool" && textOf(message).length >= 50_000;
      expect(shorter === null).toBe(!path.some(isLarge));
      if (shorter === null) return;
      expect(checkTranscript(shorter).ok).toBe(true);
      expect(shorter).toHaveLength(path.length);
      for (const [at, message] of path.entries()) {
        if (isLarge(message))
          expect(shorter[at]).toEqual({ ...message, content: [{ type: "text", text: expect.any(String) }] });
        else expect(shorter[at]).toBe(message);
      }
      expect(shorter.some(isLarge)).toBe(false);
    }),
  );
});
