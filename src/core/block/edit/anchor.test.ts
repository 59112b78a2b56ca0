import { expect, test } from "vitest";
import { textLines } from "../change/text-lines.ts";
import { formatAnchor, resolveAnchor } from "./anchor.ts";

test("an anchor whose line has moved is refused with at most five lines that have its text now", () => {
  const lines = textLines(`b\n${"a\n".repeat(7)}`);
  const resolved = resolveAnchor(lines, formatAnchor(1, "a"), 1);
  expect(resolved).toMatchObject({
    ok: false,
    error: { code: "ANCHOR_MISMATCH", details: { line: 1, actual_text: "b", found_at: [2, 3, 4, 5, 6] } },
  });
});
