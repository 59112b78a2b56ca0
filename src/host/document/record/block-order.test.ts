import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BlockId } from "../../../core/base/ids.ts";
import type { Json } from "../../../core/base/json.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import { scaled } from "../../../../test/scale.ts";
import { header as anyHeader } from "../../../testing/store/records.ts";
import { orderSiblings } from "./block-order.ts";

function header(id: string, after?: Json, parentId: string | null = null): BlockHeader {
  const metadata = after === undefined ? {} : { after };
  return anyHeader(id, 1, { id: id as BlockId, parentId: parentId as BlockId | null, metadata });
}

function ids(headers: readonly BlockHeader[]): string {
  return headers.map(({ id }) => id).join("");
}

describe("orderSiblings", () => {
  test.each<readonly [name: string, blocks: readonly BlockHeader[], expected: string]>([
    [
      "directly after the older sibling it names, the youngest first",
      [header("a"), header("b"), header("c", "a"), header("d", "a")],
      "adcb",
    ],
    ["by age when the block it names does not exist", [header("a"), header("b", "z"), header("c", 7)], "abc"],
    ["by age when it names itself", [header("a"), header("b", "b"), header("c")], "abc"],
    ["by age when two blocks name each other", [header("a"), header("b", "c"), header("c", "b")], "abc"],
    ["by age when it names a younger block", [header("a", "c"), header("b"), header("c")], "abc"],
    ["by age when it names a block under another parent", [header("a"), header("b"), header("c", "a", "b")], "abc"],
  ])("B-32 orderSiblings places a block %s", (_name, blocks, expected) => {
    expect(ids(orderSiblings(blocks))).toBe(expected);
  });

  test("B-32 orderSiblings returns every block exactly once, whatever places are stored", () => {
    const name = fc.constantFrom(..."abcdefgh");
    const stored = fc.record({ after: fc.option(name, { nil: undefined }), parentId: fc.constantFrom(null, "a", "b") });
    const blocks = fc
      .tuple(fc.shuffledSubarray([..."abcdefgh"]), fc.array(stored, { minLength: 8, maxLength: 8 }))
      .map(([names, places]) => names.map((id, index) => header(id, places[index]?.after, places[index]?.parentId)));
    fc.assert(
      fc.property(blocks, (oldestFirst) => {
        expect([...ids(orderSiblings(oldestFirst))].toSorted()).toEqual([...ids(oldestFirst)].toSorted());
      }),
      { numRuns: scaled(300) },
    );
  });
});
