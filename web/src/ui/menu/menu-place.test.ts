import { expect, test } from "vitest";
import { opensAbove, shiftIntoView } from "./menu-place.ts";

test.each([
  ["fits below", { list: 160, above: 500, below: 300 }, false],
  ["does not fit below, and fits above", { list: 160, above: 500, below: 60 }, true],
  ["just touches the end", { list: 160, above: 500, below: 160 }, true],
  ["fits nowhere, with more room below", { list: 300, above: 80, below: 120 }, false],
  ["fits nowhere, with more room above", { list: 300, above: 120, below: 80 }, true],
])("opensAbove opens a menu that %s on the side that shows more of it", (_, room, above) => {
  expect(opensAbove(room)).toBe(above);
});

test.each([
  ["fits in the window", { left: 20, right: 320 }, 0],
  ["begins before it", { left: -16, right: 284 }, 24],
  ["ends behind it", { left: 200, right: 500 }, -118],
  ["is wider than it", { left: 100, right: 560 }, -92],
])("shiftIntoView moves a menu that %s until its beginning is visible", (_, list, shift) => {
  expect(shiftIntoView(list, 390)).toBe(shift);
});
