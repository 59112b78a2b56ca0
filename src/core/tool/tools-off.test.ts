import { expect, test } from "vitest";
import { allFeatures } from "./registry.ts";
import { isToolOff, withoutFamilies } from "./tools-off.ts";

test.each([
  ["block_read", [], false],
  ["block_read", ["block_read"], true],
  ["block.read", ["block_read"], true],
  [" block_read ", ["block_read"], true],
  ["block_read", ["block_rea"], false],
  ["files_list", ["files_*"], true],
  ["files_list", ["other_*"], false],
  ["canvas_edit", ["canvas"], true],
  ["canvas_edit", ["shell"], false],
  ["canvas_edit", ["shell", "canvas"], true],
  ["unknown", ["canvas"], false],
])("%s is off where %j is: %s", (name, off, expected) => {
  expect(isToolOff(name, off)).toBe(expected);
});

test("a family that is off leaves the others on, and one that the server lacks stays off", () => {
  const left = withoutFamilies({ ...allFeatures, shell: false }, ["canvas"]);
  expect(left).toEqual({ ...allFeatures, shell: false, canvas: false });
});
