import { expect, test } from "vitest";
import { followsEnd, type Scroll } from "./follow-end.ts";

const atEnd: Scroll = { top: 600, height: 400, content: 1000 };

test.each<[string, boolean, Scroll, boolean]>([
  ["text grows below", true, { ...atEnd, content: 1300 }, true],
  ["an error takes room below", true, { ...atEnd, height: 200 }, true],
  ["notices go and the list is pulled up", true, { ...atEnd, top: 300, content: 900 }, true],
  ["the reader goes up", true, { ...atEnd, top: 300 }, false],
  ["the reader goes up while text grows", true, { ...atEnd, top: 500, content: 1040 }, false],
  ["the reader is elsewhere and text grows", false, { ...atEnd, content: 1300 }, false],
  ["the reader comes back", false, atEnd, true],
  ["everything fits", false, { top: 0, height: 400, content: 300 }, true],
])("when %s, the end is followed or left as it should be", (_name, followed, now, expected) => {
  expect(followsEnd(followed, atEnd, now)).toBe(expected);
});
