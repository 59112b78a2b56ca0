import { expect, test } from "vitest";
import { explainedRows } from "../../../src/core/syntax/explained-rows.ts";
import { caret } from "../../../src/core/syntax/grammars/caret.ts";
import { native } from "../../../src/core/syntax/grammars/native.ts";
import { labRow, syntaxWords, verdictOf } from "./lab-words.ts";

const tools = [
  { name: "look", description: "Looks.", inputSchema: { type: "object", properties: { n: { type: "integer" } } } },
];
const rowsOf = (reply: string) => explainedRows(caret, reply, { tools, policy: "serial-all" });

test("the lab describes a reply row by row, with the reason when text is not a call", () => {
  const rows = rowsOf("Hi ^^^look\n^^^look\nn: 1\n^^^\n^^^look\nn: one\n^^^\n");
  expect(rows.map((row) => [row.line, labRow(row).kind, labRow(row).word, labRow(row).text])).toEqual([
    [1, "text", "Text", "Hi ^^^look"],
    [1, "problem", "Not read", "^^^look"],
    [2, "call", "Call", "look"],
    [5, "problem", "Error", "look"],
  ]);
  expect(rows.map((row) => labRow(row).why)).toEqual([
    null,
    "A call must begin in the first column of a line.",
    null,
    expect.stringContaining("n"),
  ]);
  expect(verdictOf(rows)).toBe("One call would run; 2 items would not.");
});

test.each([
  ["Hello.", "No call would run."],
  ["^^^look\n^^^", "One call would run."],
  ["^^^look\n^^^\n^^^look\n^^^", "2 calls would run."],
  ["```\n^^^look\n^^^\n```", "No call would run; 1 item would not."],
])("verdictOf %j gives: %s", (reply, expected) => {
  expect(verdictOf(rowsOf(reply))).toBe(expected);
});

test("syntaxWords names each syntax distinctly", () => {
  expect([syntaxWords(native), syntaxWords(caret)]).toEqual(["Native: the provider’s own calls", "Caret (caret)"]);
});
