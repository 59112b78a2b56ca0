import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeText, unescapeText } from "./text-escape.ts";

const unit = fc.oneof(
  fc.constantFrom("\0", "\u0010", "\uD83D", "\uDE00", "0000", "a"),
  fc.nat(0xffff).map((code) => String.fromCharCode(code)),
);
const text = fc.array(unit).map((units) => units.join(""));

test("every text of UTF-16 units survives a round trip through an escaped form that PostgreSQL accepts", () => {
  fc.assert(
    fc.property(text, (original) => {
      const stored = escapeText(original);
      expect(unescapeText(stored)).toBe(original);
      expect(stored.isWellFormed() && !stored.includes("\0")).toBe(true);
    }),
  );
});

test("JSON and ordinary text are stored unchanged", () => {
  fc.assert(
    fc.property(text, (original) => {
      const json = JSON.stringify({ original });
      expect(escapeText(json)).toBe(json);
    }),
  );
  expect(escapeText("Käse 😀\n\t\\u0000")).toBe("Käse 😀\n\t\\u0000");
});
