import { expect, test } from "vitest";
import type { ReplicaId } from "../../text/types.ts";
import { createDocument } from "../../text/document.ts";
import { addPlace, anchorRange, type AnchorPlace } from "./range-anchor.ts";

const place = (seq: number): AnchorPlace => ({ spans: [{ replica: 1 as ReplicaId, seq, length: 1 }] });

test("an anchor keeps its eight newest places and the first one", () => {
  const document = createDocument();
  document.edit(1 as ReplicaId, [{ from: 0, to: 0, insert: "warp and weft" }]);
  let anchor = anchorRange(document, { from: 0, to: 4 });
  const [first] = anchor.own;
  const newest: AnchorPlace[] = [];
  for (let seq = 1; seq <= 12; seq += 1) {
    newest.unshift(place(seq));
    anchor = addPlace(anchor, place(seq));
    expect(anchor.own).toEqual(seq <= 8 ? [...newest, first] : [...newest.slice(0, 8), first]);
  }
});

test("a point is the unit at its place, so that it moves with it; behind the text it is none", () => {
  const document = createDocument();
  document.edit(1 as ReplicaId, [{ from: 0, to: 0, insert: "warp and weft" }]);
  expect(anchorRange(document, { from: 5, to: 5 }).own).toEqual([
    { point: true, spans: [{ replica: 1, seq: 5, length: 1 }] },
  ]);
  const [last] = anchorRange(document, { from: document.length, to: document.length }).own;
  expect(last?.spans ?? []).toEqual([]);
});
