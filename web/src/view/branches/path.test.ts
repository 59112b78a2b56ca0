import { describe, expect, test } from "vitest";
import { branchesOf, id } from "./sample-branches.ts";
import { catchUp, endAt, firstVisit, goTo, leafBelow, pathTo, siblingsOf, withChild } from "./path.ts";

// a ─ b ─┬─ c ─ d
//        └─ e ─┬─ f
//              └─ g
const tree = branchesOf({ a: null, b: "a", c: "b", d: "c", e: "b", f: "e", g: "e" });

describe("the path shown", () => {
  test("runs from the first message to the tip", () => {
    expect(pathTo(tree, id("f")).map((node) => node.id)).toEqual(["a", "b", "e", "f"]);
    expect(pathTo(tree, null)).toEqual([]);
  });

  test("the path follows the newest children on a first visit", () => {
    expect(leafBelow(tree, null, firstVisit)).toBe("g");
  });

  test("the path follows the children last visited on a return to a branch", () => {
    const atF = goTo(tree, firstVisit, id("f"));
    const atD = goTo(tree, atF, id("c"));
    expect(atD.tipId).toBe("d");
    expect(goTo(tree, atD, id("e")).tipId).toBe("f");
  });

  test("the path is the same object when nothing changed", () => {
    const shown = goTo(tree, firstVisit, id("f"));
    expect(endAt(tree, shown, id("f"))).toBe(shown);
    expect(catchUp(tree, shown, undefined)).toBe(shown);
  });
});

describe("as the conversation grows", () => {
  test("the path extends to new messages below its end", () => {
    const shown = goTo(tree, firstVisit, id("d"));
    const grown = branchesOf({ a: null, b: "a", c: "b", d: "c", h: "d", i: "h" });
    expect(catchUp(grown, shown, undefined).tipId).toBe("i");
  });

  test("F-47 the path moves to a single new message and stays when several arrive at once", () => {
    const shown = goTo(tree, firstVisit, id("d"));
    const one = branchesOf({ a: null, b: "a", c: "b", d: "c", h: "d" });
    expect(catchUp(one, shown, undefined).tipId).toBe("h");
    const several = branchesOf({ a: null, b: "a", c: "b", d: "c", h: "d", i: "d" });
    expect(catchUp(several, shown, undefined)).toBe(shown);
    // The end stays chosen while more messages arrive, until the reader chooses.
    const more = branchesOf({ a: null, b: "a", c: "b", d: "c", h: "d", i: "d", j: "i", k: "d" });
    expect(catchUp(more, shown, undefined)).toBe(shown);
    expect(goTo(more, shown, id("i")).tipId).toBe("j");
    expect(catchUp(more, withChild(shown, id("d"), id("h")), undefined).tipId).toBe("h");
  });

  test("the path ends at a followed run's head, also when an older reply is below it", () => {
    const shown = goTo(tree, firstVisit, id("d"));
    expect(catchUp(tree, shown, id("b")).tipId).toBe("b");
    expect(catchUp(tree, shown, id("not here yet")).tipId).toBe("d");
  });

  test("a message written elsewhere does not move the path", () => {
    const shown = goTo(tree, firstVisit, id("d"));
    const grown = branchesOf({ a: null, b: "a", c: "b", d: "c", e: "b", f: "e", g: "e", z: "b" });
    expect(catchUp(grown, shown, undefined)).toBe(shown);
  });

  test("the path ends at the nearest remaining message above a deleted tip", () => {
    const shown = goTo(tree, firstVisit, id("g"));
    const left = branchesOf({ a: null, b: "a", c: "b", d: "c", e: "b", z: null });
    expect(catchUp(left, shown, undefined).tipId).toBe("e");
    expect(catchUp(branchesOf({ z: null }), shown, undefined).tipId).toBe("z");
  });

  test("the path ends at a remaining message when the tip and its ancestors are deleted", () => {
    const shown = goTo(tree, firstVisit, id("g"));
    expect(catchUp(branchesOf({ a: null, b: "a" }), shown, undefined).tipId).toBe("b");
  });
});

test("T-40 a branch at the second of three messages is shown as its path, counts its siblings, and remembers where it was left", () => {
  const forked = branchesOf({ 1: null, 2: "1", 3: "2", 4: "2" });
  const shown = goTo(forked, firstVisit, id("4"));
  expect(pathTo(forked, shown.tipId).map((node) => node.id)).toEqual(["1", "2", "4"]);
  const only = forked.nodesById.get(id("2"));
  expect(only && siblingsOf(forked, only)).toEqual({ ids: ["2"], index: 0 });
  const three = branchesOf({ 1: null, a: "1", b: "1", c: "1", a2: "a", a3: "a" });
  const second = three.nodesById.get(id("b"));
  expect(second && siblingsOf(three, second)).toEqual({ ids: ["a", "b", "c"], index: 1 });
  const left = goTo(three, goTo(three, firstVisit, id("a2")), id("b"));
  expect(goTo(three, left, id("a")).tipId).toBe("a2");
});

test("siblingsOf counts siblings in the order of creation", () => {
  const node = tree.nodesById.get(id("e"));
  expect(node && siblingsOf(tree, node)).toEqual({ ids: ["c", "e"], index: 1 });
});
