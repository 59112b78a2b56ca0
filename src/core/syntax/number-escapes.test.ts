import { describe, expect, test } from "vitest";
import { outcome } from "./base/syntax.test-support.ts";

/** Values with Python escapes as a model writes them, and their meaning. */
const written = [
  [String.raw`C:\users\zoe`, String.raw`C:\users\zoe`],
  [String.raw`\u`, String.raw`\u`],
  [String.raw`\u1`, String.raw`\u1`],
  [String.raw`\u12g4 and on`, String.raw`\u12g4 and on`],
  [String.raw`\u00e9\u0041`, "éA"],
  [String.raw`\ud83d\ude00`, "😀"],
  [String.raw`\u12\n`, `\\u12\n`],
] as const;

describe("incomplete numeric escapes, wherever the reply is cut", () => {
  test.each(written)("an incomplete numeric escape %s in a string is kept unchanged", (text, meant) => {
    const reply = `<|tool_call_start|>[edit(path="${text}")]<|tool_call_end|>`;
    expect(outcome("lfm2", reply)).toEqual([{ edit: { path: meant } }]);
  });

  test.each(written)("an incomplete numeric escape %s in a list is kept unchanged", (text, meant) => {
    const reply = `<|tool_call_start|>[read_files(paths=["${text}"])]<|tool_call_end|>`;
    expect(outcome("lfm2", reply)).toEqual([{ read_files: { paths: [meant] } }]);
  });

  test.each(written.slice(0, 4))("an incomplete numeric escape %s in JSON is an error", (text) => {
    const reply = `<tool_call>{"name": "edit", "arguments": {"path": "${text}"}}</tool_call>`;
    expect(outcome("hermes", reply)).toEqual([{ error: "MALFORMED_CALL" }]);
  });
});
