import { expect, test } from "vitest";
import type { TextChange } from "../../text/types.ts";
import { carryRange, mapPoint, mapRange } from "./map-range.ts";

const typed = (at: number, insert: string): TextChange => ({ from: at, to: at, insert });
const replaced = (from: number, to: number, insert = ""): TextChange => ({ from, to, insert });

/** The range [10, 20) after a change: what is left, what took its place, and whether an end of it is gone. */
type Mapped = readonly [
  left: readonly [number, number] | null,
  replacements: readonly (readonly [number, number])[],
  isCut: boolean,
];

test.each<readonly [what: string, delta: readonly TextChange[], mapped: Mapped]>([
  ["nothing", [], [[10, 20], [], false]],
  ["typing far before it", [typed(2, "ab")], [[12, 22], [], false]],
  ["typing at its beginning", [typed(10, "ab")], [[12, 22], [], false]],
  ["typing within it", [typed(15, "ab")], [[10, 22], [], false]],
  ["typing at its end", [typed(20, "ab")], [[10, 20], [], false]],
  ["typing behind it", [typed(25, "ab")], [[10, 20], [], false]],
  ["deleting before it", [replaced(0, 5)], [[5, 15], [], false]],
  ["deleting up to it", [replaced(5, 10)], [[5, 15], [], false]],
  ["deleting its beginning", [replaced(8, 12)], [[8, 16], [], true]],
  ["deleting its first unit alone", [replaced(10, 11)], [[10, 19], [], true]],
  ["replacing its beginning", [replaced(8, 12, "abc")], [[11, 19], [[8, 11]], true]],
  ["replacing within it", [replaced(12, 14, "abc")], [[10, 21], [[12, 15]], false]],
  ["deleting its end", [replaced(18, 22)], [[10, 18], [], true]],
  ["deleting its last unit alone", [replaced(19, 20)], [[10, 19], [], true]],
  ["replacing its end", [replaced(18, 22, "abc")], [[10, 18], [[18, 21]], true]],
  ["replacing all of it", [replaced(10, 20, "abc")], [null, [[10, 13]], true]],
  ["deleting more than it", [replaced(5, 25)], [null, [], true]],
  ["several at once", [typed(0, "ab"), replaced(12, 14), typed(18, "c"), typed(30, "d")], [[12, 21], [], false]],
])("%s", (_what, delta, [left, replacements, isCut]) => {
  const range = (ends: readonly [number, number] | null): object | null => {
    return ends === null ? null : { from: ends[0], to: ends[1] };
  };
  const mapped = mapRange(delta, { from: 10, to: 20 });
  expect(mapped).toMatchObject({ left: range(left), replacements: replacements.map(range), isCut });
  if (left !== null) expect(mapped.at).toBe(left[0]);
  // What a person sees is the same however the change is cut.
  expect(carryRange(delta, { from: 10, to: 20 })).toEqual(range(left));
});

test.each<readonly [what: string, delta: readonly TextChange[], at: number]>([
  ["typing before it", [typed(2, "ab")], 12],
  ["typing at it", [typed(10, "ab")], 10],
  ["deleting before it", [replaced(2, 4)], 8],
  ["replacing around it", [replaced(8, 12, "abc")], 8],
  ["replacing around it after typing", [typed(0, "ab"), replaced(8, 12, "abc")], 10],
  ["deleting up to it", [replaced(8, 10)], 8],
])("a point after %s", (_what, delta, at) => {
  expect(mapPoint(delta, 10)).toBe(at);
  expect(carryRange(delta, { from: 10, to: 10 })).toEqual({ from: at, to: at });
});

test("a deletion beside an insertion is a replacement", () => {
  const delta = [replaced(10, 20), typed(20, "abc")];
  expect(carryRange(delta, { from: 10, to: 20 })).toBeNull();
  expect(carryRange(delta, { from: 5, to: 15 })).toEqual({ from: 5, to: 10 });
});
