import { expect, test } from "vitest";
import { mentionAt, withoutMention } from "./mention-at.ts";

test.each([
  ["@", 1, ""],
  ["Tighten @pla", 12, "pla"],
  ["(@plan", 6, "plan"],
  ["line\n@today.md", 14, "today.md"],
  ["Tighten @plan now", 13, "plan"],
])("%j with the caret at %i names %j", (text, caret, letters) => {
  expect(mentionAt(text, caret)?.letters).toBe(letters);
});

test.each([
  ["amy@example.org", 15],
  ["@plan now", 9],
  ["no sign", 7],
  ["@@", 2],
])("%j with the caret at %i names no document", (text, caret) => {
  expect(mentionAt(text, caret)).toBeNull();
});

test("a chosen document's name leaves the text", () => {
  const text = "Tighten @pla please";
  const mention = mentionAt(text, 12);
  if (mention === null) throw new Error("there is a mention");
  expect(withoutMention(text, mention)).toEqual({ text: "Tighten please", caret: 8 });
});
