import { expect, test } from "vitest";
import { placed } from "./placement.ts";

const keys = Array.from({ length: 4_000 }, (_, index) => `key-${index}`);
const bestOf = (nodes: readonly string[]) => keys.map((key) => placed(nodes, key)[0]);

test("N-44 every process finds the same order, whatever order it hears of the nodes in", () => {
  for (const key of keys.slice(0, 50)) expect(placed(["c", "a", "b"], key)).toEqual(placed(["a", "b", "c"], key));
  expect(placed([], "key")).toEqual([]);
});

test("N-44 a fourth node takes a quarter of the keys, all others stay, and all nodes get about as many", () => {
  const before = bestOf(["a", "b", "c"]);
  const after = bestOf(["a", "b", "c", "d"]);
  const moved = after.filter((node, index) => node !== before[index]);
  expect(moved.every((node) => node === "d")).toBe(true);
  expect(moved.length / keys.length).toBeGreaterThan(0.2);
  expect(moved.length / keys.length).toBeLessThan(0.3);
  const counts = ["a", "b", "c", "d"].map((node) => after.filter((each) => each === node).length);
  expect(Math.max(...counts) / Math.min(...counts)).toBeLessThan(1.3);
});
