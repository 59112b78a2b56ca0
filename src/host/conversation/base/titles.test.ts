import { describe, expect, test } from "vitest";
import type { RootId } from "../../../core/base/ids.ts";
import { slugFrom, titleFrom } from "./titles.ts";

function titleOf(text: string): string {
  return titleFrom({ role: "user", content: [{ type: "text", text }] });
}

describe("titleFrom", () => {
  test.each([
    ["puts the first message on one line", "  Plan\n\n the  trip ", "Plan the trip"],
    ["keeps 60 characters", "x".repeat(60), "x".repeat(60)],
    ["shortens more to 60, the ellipsis among them", "x".repeat(61), `${"x".repeat(59)}…`],
    ["leaves no blank before the ellipsis", `${"x".repeat(58)} yy`, `${"x".repeat(58)}…`],
    ["counts an emoji of several code points once", "👩‍🚀".repeat(60), "👩‍🚀".repeat(60)],
  ])("%s", (_name, text, title) => {
    expect(titleOf(text)).toBe(title);
  });
});

test.each([
  ["Plan the trip to Zürich, all of it", "plan-the-trip-to-zu-rich-12345678"],
  ["旅行", "conversation-12345678"],
])("slugFrom gives %j at most six words and the end of the id", (title, slug) => {
  expect(slugFrom(title, "root-0012345678" as RootId)).toBe(slug);
});
