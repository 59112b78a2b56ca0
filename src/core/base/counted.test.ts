import { expect, test } from "vitest";
import { counted } from "./counted.ts";

test.each([
  [counted(0, "message"), "0 messages"],
  [counted(1, "message"), "1 message"],
  [counted(1_200, "message"), "1,200 messages"],
  [counted(1, "entry", "entries"), "1 entry"],
  [counted(2, "entry", "entries"), "2 entries"],
])("counted writes %j", (text, expected) => {
  expect(text).toBe(expected);
});
