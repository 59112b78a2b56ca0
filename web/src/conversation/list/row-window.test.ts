import { expect, test } from "vitest";
import type { NodeId } from "../../../../src/core/base/ids.ts";
import { RowHeights, rowsAdded, slackOf, windowAfter, windowAround, windowFor } from "./row-window.ts";

const id = (name: string): NodeId => name as NodeId;
const ends = (rowCount: number, firstId: string, lastId: string) => ({
  rowCount,
  firstId: id(firstId),
  lastId: id(lastId),
});
const nothing = { rowCount: 0, firstId: undefined, lastId: undefined };

test.each([
  ["a short branch whole", nothing, ends(30, "a", "z"), null, { first: 0, end: 30 }],
  ["a long branch from its end", nothing, ends(6_000, "a", "z"), null, { first: 5_940, end: 6_000 }],
  [
    "a new message at the end",
    ends(200, "a", "y"),
    ends(201, "a", "z"),
    { first: 180, end: 200 },
    { first: 180, end: 201 },
  ],
  [
    "what a reader in the middle sees",
    ends(200, "a", "y"),
    ends(201, "a", "z"),
    { first: 50, end: 80 },
    { first: 50, end: 80 },
  ],
  [
    "the same rows after others were loaded above",
    ends(200, "b", "z"),
    ends(400, "a", "z"),
    { first: 3, end: 40 },
    { first: 203, end: 240 },
  ],
  [
    "a much shorter branch from its end",
    ends(6_000, "a", "z"),
    ends(100, "a", "y"),
    { first: 5_940, end: 6_000 },
    { first: 40, end: 100 },
  ],
  [
    "a much longer branch from its end",
    ends(100, "a", "y"),
    ends(6_000, "a", "z"),
    { first: 40, end: 100 },
    { first: 5_940, end: 6_000 },
  ],
])("the window shows %s", (_name, before, now, window, expected) => {
  expect(windowAfter(before, now, window)).toEqual(expected);
});

test.each([
  ["messages loaded above", ends(160, "b", "z"), ends(360, "a", "z"), 200],
  ["a new message below", ends(160, "b", "y"), ends(161, "b", "z"), 0],
  ["another branch", ends(160, "b", "y"), ends(360, "a", "z"), 0],
  ["the first rows", nothing, ends(160, "b", "z"), 0],
])("rows added at the beginning by %s", (_name, before, now, added) => {
  expect(rowsAdded(before, now)).toBe(added);
});

const ids = Array.from({ length: 50_000 }, (_, index) => id(`row ${index}`));

/** A list in which each row is as high as `heightOf` says; rows outside the window are known by their mean. */
function seenAt(top: number, window: { readonly first: number; readonly end: number }, heights: RowHeights) {
  const drawnTop = heights.between(ids, 0, window.first);
  return { top, height: 700, drawnTop, drawnBottom: drawnTop + heights.between(ids, window.first, window.end) };
}

test("a reader who scrolls through 50,000 messages always sees rows, and few are rendered", () => {
  const heights = new RowHeights();
  let window = windowAround(49_990, ids.length);
  let most = 0;
  // Steps of a fling, and a leap of the scrollbar after each ten.
  let top = heights.between(ids, 0, 49_990);
  for (let step = 0; top > 0; step += 1) {
    top = Math.max(0, top - (step % 10 === 9 && top > 500_000 ? 400_000 : 2_500));
    window = windowFor(seenAt(top, window, heights), window, { ids, heights });
    const drawn = seenAt(top, window, heights);
    expect(drawn.drawnTop).toBeLessThanOrEqual(top);
    expect(drawn.drawnBottom).toBeGreaterThanOrEqual(top + 700);
    most = Math.max(most, window.end - window.first);
  }
  expect(window.first).toBe(0);
  expect(most).toBeLessThan(60);
});

test("a reader who stays where enough is rendered keeps the same rows", () => {
  const heights = new RowHeights();
  const window = windowFor(seenAt(90_000, { first: 0, end: 60 }, heights), { first: 0, end: 60 }, { ids, heights });
  expect(windowFor(seenAt(90_400, window, heights), window, { ids, heights })).toBe(window);
  expect(windowFor(seenAt(89_700, window, heights), window, { ids, heights })).toBe(window);
});

test.each([400, 0, -400])("no rows are due in advance until the slack is used up, %s pixels from the middle", (by) => {
  const heights = new RowHeights();
  const window = { first: 480, end: 520 };
  const top = heights.between(ids, 0, 500) - 350 + by;
  const isDue = (at: number): boolean =>
    windowFor(seenAt(at, window, heights), window, { ids, heights, inAdvance: true }) !== window;
  const { up, down } = slackOf(seenAt(top, window, heights), window, ids.length);
  expect(up).toBeGreaterThan(1_000);
  expect(down).toBeGreaterThan(1_000);
  expect([isDue(top - up), isDue(top), isDue(top + down)]).toEqual([false, false, false]);
  expect([isDue(top - up - 1), isDue(top + down + 1)]).toEqual([true, true]);
});

test("rows are rendered in advance before they must be rendered at once", () => {
  const heights = new RowHeights();
  const window = { first: 480, end: 510 };
  const seen = seenAt(heights.between(ids, 0, 480) + 600, window, heights);
  expect(windowFor(seen, window, { ids, heights })).toBe(window);
  const next = windowFor(seen, window, { ids, heights, inAdvance: true });
  expect(next.first).toBeLessThan(window.first);
  expect(slackOf(seenAt(seen.top, next, heights), next, ids.length).up).toBeGreaterThan(0);
});

test("rows that the reader has left stay until they are four heights away", () => {
  const heights = new RowHeights();
  const window = windowFor(seenAt(90_000, { first: 0, end: 60 }, heights), { first: 0, end: 60 }, { ids, heights });
  const next = windowFor(seenAt(91_500, window, heights), window, { ids, heights });
  expect(next.first).toBe(window.first);
  expect(next.end).toBeGreaterThan(window.end);
  const later = windowFor(seenAt(94_000, next, heights), next, { ids, heights });
  expect(later.first).toBe(Math.floor((94_000 - 4 * 700) / 180));
});

test("heights of another width are forgotten", () => {
  const heights = new RowHeights();
  heights.atWidth(700);
  heights.set(id("row 0"), 40);
  expect(heights.between(ids, 0, 2)).toBe(80);
  heights.set(id("row 1"), 100);
  expect(heights.at(ids, 41)).toBe(1);
  heights.atWidth(700);
  expect(heights.mean).toBe(70);
  heights.atWidth(400);
  expect(heights.mean).toBe(180);
});
