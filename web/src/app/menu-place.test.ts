import { expect, test } from "vitest";
import { opensAbove } from "./menu-place.ts";

test.each([
  ["fits below", { list: 160, above: 500, below: 300 }, false],
  ["does not fit below, and fits above", { list: 160, above: 500, below: 60 }, true],
  ["just touches the end", { list: 160, above: 500, below: 160 }, true],
  ["fits nowhere, with more room below", { list: 300, above: 80, below: 120 }, false],
  ["fits nowhere, with more room above", { list: 300, above: 120, below: 80 }, true],
])("a menu that %s opens where more of it is seen", (_, room, above) => {
  expect(opensAbove(room)).toBe(above);
});
