import { describe, expect, test } from "vitest";
import { lineHash } from "../../base/lines.ts";
import { listLines } from "./read-lines.ts";

describe("listLines", () => {
  const text = "a\r\n\r\nc";
  const list = (
    range: { start: number; end: number } | undefined,
    prefix: "none" | "number" | "anchor",
    base: 0 | 1,
  ): unknown => {
    const listing = listLines(text, range, { prefix, base });
    return listing.ok ? listing.value : { code: listing.error.code, ...listing.error.details };
  };

  test("B-15 numbers lines from the family's base, without carriage returns", () => {
    expect(list(undefined, "number", 0)).toEqual({ content: "0→a\n1→\n2→c", start: 0, end: 3, lineCount: 3 });
    expect(list(undefined, "number", 1)).toMatchObject({ content: "1→a\n2→\n3→c" });
    expect(list(undefined, "none", 0)).toMatchObject({ content: "a\n\nc" });
  });

  test("writes the anchors that edits accept", () => {
    expect(list({ start: 2, end: 3 }, "anchor", 0)).toMatchObject({ content: `2:${lineHash("c")}→c` });
  });

  test("reads to the end of the text when the end is past it; refuses a start past the text or the end", () => {
    expect(list({ start: 1, end: 99 }, "none", 0)).toEqual({ content: "\nc", start: 1, end: 3, lineCount: 3 });
    expect(list({ start: 3, end: 3 }, "none", 0)).toMatchObject({ content: "", start: 3, end: 3 });
    expect(list({ start: 4, end: 5 }, "none", 0)).toEqual({ code: "LINE_OUT_OF_RANGE", requested: 4, max: 3 });
    expect(list({ start: 2, end: 1 }, "none", 0)).toMatchObject({ code: "INVALID_PARAMS" });
  });
});
