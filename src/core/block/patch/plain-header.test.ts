import { expect, test } from "vitest";
import { plainHeader } from "./plain-header.ts";

test.each<[string, readonly number[]]>([
  ["@@ -1,2 +3,4 @@", [1, 2, 3, 4]],
  ["@@ -1 +3 @@ section", [1, 1, 3, 1]],
  ["@@ -0,0 +1,4 @@", [0, 0, 1, 4]],
  ["@@ -999999999,1 +1 @@", [999_999_999, 1, 1, 1]],
])("%s is read", (header, [oldStart, oldCount, newStart, newCount]) => {
  const numbers = { oldStart, oldCount, newStart, newCount };
  expect([plainHeader(header, 0), plainHeader(`text\n${header}`, 5)]).toEqual([numbers, numbers]);
});

test.each([
  "-- -1,2 +3,4 @@",
  "@@ +1,2 +3,4 @@",
  "@@ -1;2 +3,4 @@",
  "@@ -1,2 +3;4 @@",
  "@@ -1, +3 @@",
  "@@ - +3 @@",
  "@@ -1 + @@",
  "@@ -1 -3 @@",
  "@@ -1,2  +3,4 @@",
  "@@ -1,2 +3,4",
  "@@ -1234567890,1 +1 @@",
])("%s is another form", (header) => {
  expect(plainHeader(header, 0)).toBeUndefined();
});
