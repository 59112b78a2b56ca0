import { expect, test } from "vitest";
import { textOf } from "../../../core/message/content.ts";
import { person, node } from "../../../testing/store/records.ts";
import { editNotes, untoldOf } from "./edit-notes.ts";

const content = [{ type: "text", text: "Weft." }] as const;
const changed = node("changed", {
  message: { role: "assistant", content },
  edited: { by: [person], original: "Warp." },
});
const asked = node("asked", { message: { role: "user", content } });
const note = node("note", { message: { role: "user", content, instruction: "edit" } });

test("a model has heard of the changes above the note that tells of them, and of none by another message", () => {
  expect(untoldOf([asked, changed, asked])).toEqual([changed]);
  expect(untoldOf([asked, changed, note, asked])).toEqual([]);
  expect(untoldOf([changed, note, changed])).toEqual([changed]);
});

test("a model hears of all changes in one message", () => {
  const [told, ...rest] = editNotes([changed, { ...changed, edited: { by: [person], original: "Shuttle." } }]);
  expect(rest).toEqual([]);
  const words = told === undefined ? "" : textOf(told);
  expect([words.includes("Warp."), words.includes("Shuttle.")]).toEqual([true, true]);
  expect(editNotes([changed])).toHaveLength(1);
});
