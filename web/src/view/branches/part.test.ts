import { describe, expect, test } from "vitest";
import type { ConversationPart } from "../../../../src/client/base/types.ts";
import { must } from "../../../../src/core/base/assert.ts";
import { catchUp, countAbove, firstVisit, fromTopmost, goesOnElsewhere, pathTo, siblingsOf } from "./path.ts";
import { branchesOf, id } from "./sample-branches.ts";

/** `c` to `e` of a longer path, with one of five siblings of `d`, below which more is elsewhere. */
const part: ConversationPart = {
  tipId: id("e"),
  aboveById: new Map([[id("c"), 40]]),
  childCounts: new Map([
    [id("c"), 5],
    [id("d2"), 3],
  ]),
};
const whole = branchesOf({ c: "b", d2: "c", d: "c", e: "d" });
const branches = { ...whole, part };

describe("a conversation that is here in part", () => {
  test("opens at the end of the part, and shows its path from the first message that is here", () => {
    const selection = catchUp(branches, firstVisit, undefined);
    expect(selection.tipId).toBe(id("e"));
    const path = pathTo(branches, selection.tipId);
    expect(path.map((node) => node.id)).toEqual([id("c"), id("d"), id("e")]);
    expect(countAbove(branches, path)).toBe(40);
    expect(countAbove({ ...branches, part: null }, path)).toBe(0);
  });

  test("opens at its end also when the message shown last is gone", () => {
    const gone = { tipId: id("gone"), childByParent: { "": id("first"), first: id("gone") } };
    expect(catchUp(branches, gone, undefined).tipId).toBe(id("e"));
  });

  test("knows which messages go on elsewhere", () => {
    expect(["c", "d", "d2", "e"].map((name) => goesOnElsewhere(branches, id(name)))).toEqual([
      false,
      false,
      true,
      false,
    ]);
    expect(goesOnElsewhere(whole, id("d2"))).toBe(false);
  });

  test("counts the versions that are not here", () => {
    const node = must(branches.nodesById.get(id("d")), "a node of the tree");
    expect(siblingsOf(branches, node)).toEqual({ ids: [id("d2"), id("d")], index: 1, older: 3 });
  });

  test("its outline begins with the topmost messages that are here", () => {
    expect(fromTopmost(branches).childrenByParent.get(null)).toEqual([id("c")]);
    expect(fromTopmost(whole)).toBe(whole);
  });
});
