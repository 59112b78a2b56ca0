import { expect, test } from "vitest";
import { allUnderstood, type ExplainedRow } from "./explained-rows.ts";

const text: ExplainedRow = { type: "text", line: 1, text: "Now:" };
const call: ExplainedRow = { type: "call", line: 2, name: "look", parameters: {}, warnings: [] };
const failed: ExplainedRow = { type: "error", line: 3, name: "look", code: "MALFORMED_CALL", message: "No." };
const notRead: ExplainedRow = { type: "not-read", line: 4, text: "<look>", why: "It is quoted." };

test.each<[string, readonly ExplainedRow[], boolean]>([
  ["nothing", [], true],
  ["text and calls", [text, call], true],
  ["a call that may not run", [text, call, failed], false],
  ["what was not read as a call", [call, notRead], false],
])("a reply with %s is all understood: %#", (_what, rows, isAll) => {
  expect(allUnderstood(rows)).toBe(isAll);
});
