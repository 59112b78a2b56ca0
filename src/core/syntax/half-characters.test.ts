import { describe, expect, test } from "vitest";
import { syntaxes } from "./registry.ts";
import { outcome, tools } from "./base/syntax.test-support.ts";
import { writeCalls } from "./write/write-calls.ts";

const halves = ["\ud800", "\udc00", "a\ud83d", "\ude00b"];

describe("half a character (a lone surrogate)", () => {
  test.each(syntaxes.map((syntax) => [syntax.id, syntax] as const))(
    "half a character is refused when a call is written in %s",
    (_id, syntax) => {
      for (const half of halves) {
        const call = { name: "write_file", parameters: { path: "a", content: half } };
        const written = writeCalls(syntax, [call], tools);
        expect(written.ok ? written.value : written.error.code).toBe("TEXT_MALFORMED");
      }
    },
  );

  test.each(halves)("half a character %j in a value is an error, wherever the input is cut", (half) => {
    expect(outcome("xml", `<tool:write_file><param:content>${half}</param:content></tool:write_file>`)).toEqual([
      { error: "TEXT_MALFORMED" },
    ]);
    expect(outcome("caret", `^^^write_file\ncontent ---\n${half}\n--- content\n^^^`)).toEqual([
      { error: "TEXT_MALFORMED" },
    ]);
    const json = JSON.stringify({ name: "write_file", arguments: { content: half } });
    expect(outcome("hermes", `<tool_call>${json}</tool_call>`)).toEqual([{ error: "TEXT_MALFORMED" }]);
  });
});
