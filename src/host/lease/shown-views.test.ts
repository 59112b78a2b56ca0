import { expect, test } from "vitest";
import { newestViews, type ShownView } from "./shown-views.ts";

const view = (version: number, text = "x"): ShownView => ({ revisionId: `r${version}`, version, text });
const versions = (views: readonly ShownView[]): readonly number[] => newestViews(views).map(({ version }) => version);

test("the newest eight views are kept", () => {
  expect(versions([])).toEqual([]);
  expect(versions(Array.from({ length: 8 }, (_, index) => view(index)))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(versions(Array.from({ length: 10 }, (_, index) => view(index)))).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
});

test("views are kept up to four million units of text, and the last one whatever its length", () => {
  const half = "x".repeat(2_000_000);
  expect(versions([view(0), view(1, half), view(2, half)])).toEqual([1, 2]);
  expect(versions([view(1, half), view(2, half)])).toEqual([1, 2]);
  expect(versions([view(1), view(2, half + half)])).toEqual([2]);
  expect(versions([view(1, half), view(2, half + half + half)])).toEqual([2]);
});
