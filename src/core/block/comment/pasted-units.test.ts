import { expect, test } from "vitest";
import type { OpSpan, ReplicaId } from "../../text/types.ts";
import { followPaste, isWhole } from "./pasted-units.ts";
import type { AnchorPlace, RangeAnchor } from "./range-anchor.ts";

const span = (replica: number, seq: number, length: number): OpSpan => ({ replica: replica as ReplicaId, seq, length });

function anchor(...own: readonly AnchorPlace[]): RangeAnchor {
  return { own, seam: { before: null, after: null }, quote: { text: "", length: 0, before: "", after: "" } };
}

// Twelve letters of two writers, of whom one wrote in the midst of the other's.
const cut = [span(1, 10, 5), span(2, 0, 3), span(1, 15, 4)];
const pasted = [span(7, 100, 8), span(7, 200, 4)];

test("K-06 the units of a range are found again among those that were pasted", () => {
  const follow = followPaste({ cut, pasted });
  expect(follow(anchor({ spans: [span(1, 12, 2)] }))).toEqual([span(7, 102, 2)]);
  expect(follow(anchor({ spans: [span(2, 1, 1)] }))).toEqual([span(7, 106, 1)]);
  // What others wrote between belongs to the range, and a range may reach over the seam of what was pasted.
  expect(follow(anchor({ spans: [span(1, 13, 4)] }))).toEqual([span(7, 103, 5), span(7, 200, 2)]);
  expect(follow(anchor({ spans: [span(1, 0, 11)], joined: [span(2, 0, 1)] }))).toEqual([span(7, 100, 6)]);
});

test("K-06 the newest place that was cut counts; a point and a range elsewhere stay", () => {
  const follow = followPaste({ cut, pasted });
  const [gone, here] = [span(9, 0, 3), span(1, 10, 1)];
  expect(follow(anchor({ spans: [gone] }, { spans: [here] }))).toEqual([span(7, 100, 1)]);
  expect(follow(anchor({ spans: [gone] }))).toBeNull();
  expect(follow(anchor({ spans: [span(1, 0, 10)] }, { spans: [span(1, 19, 5)] }))).toBeNull();
  expect(follow(anchor({ spans: [here], point: true }))).toBeNull();
});

test("words of another length are not what was cut", () => {
  expect(isWhole({ cut, pasted })).toBe(true);
  expect(isWhole({ cut, pasted: [span(7, 0, 11)] })).toBe(false);
});
