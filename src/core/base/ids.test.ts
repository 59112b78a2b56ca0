import { expect, test } from "vitest";
import { idBehind, timeSortedId } from "./ids.ts";

const entropy = new Uint8Array(12).fill(31);

test.each([
  [0, "run_0000000000zzzzzzzzzzzz"],
  [33, "run_0000000011zzzzzzzzzzzz"],
  [32 ** 10 - 1, "run_zzzzzzzzzzzzzzzzzzzzzz"],
])("an id of the millisecond %d has ten characters of time and twelve random ones", (timeMs, id) => {
  expect(timeSortedId("run", timeMs, entropy)).toBe(id);
});

test.each([
  ["run_0000000011abcdefghjkmn", "run_0000000011abcdefghjkmp"],
  ["run_0000000011abcdefghjkzz", "run_0000000011abcdefghjm00"],
])("the id behind %s is the next one", (id, next) => {
  expect(idBehind(id)).toBe(next);
});
