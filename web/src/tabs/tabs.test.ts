import { describe, expect, test } from "vitest";
import type { BlockId } from "../../../src/core/base/ids.ts";
import { neighbourOf, nextTabs, noTabs, readTabs, shownAfter, type Tabs, type TabsAction } from "./tabs.ts";

const id = (name: string): BlockId => name as BlockId;
const shown = (name: string): TabsAction => ({ type: "shown", id: id(name), title: name, folder: "" });
const kept = (name: string): TabsAction => ({ type: "kept", id: id(name) });

function after(...actions: readonly TabsAction[]): Tabs {
  return actions.reduce(nextTabs, noTabs);
}

/** The strip in words: the shown document in brackets, the one only looked at with a tilde, changed ones with a star. */
function strip({ tabs, activeId, previewId }: Tabs): string {
  return tabs
    .map((tab) => {
      const name = `${tab.id === previewId ? "~" : ""}${tab.title}${tab.unread ? "*" : ""}`;
      return tab.id === activeId ? `[${name}]` : name;
    })
    .join(" ");
}

const three = after(shown("a"), kept("a"), shown("b"), kept("b"), shown("c"), kept("c"));

describe("17.1 open documents", () => {
  test.each<readonly [string, Tabs, string]>([
    ["one that is only looked at gives its place to the next", after(shown("a"), shown("b")), "[~b]"],
    ["one that is edited stays open", after(shown("a"), kept("a"), shown("b")), "a [~b]"],
    ["a new one is put beside the one shown before", nextTabs(nextTabs(three, shown("a")), shown("d")), "a [~d] b c"],
    ["one that is open already is shown where it is", nextTabs(three, shown("a")), "[a] b c"],
    ["one that is asked for is shown at once", nextTabs(three, { type: "asked", id: id("a") }), "[a] b c"],
    ["one moves", nextTabs(three, { type: "moved", id: id("c"), to: 0 }), "[c] a b"],
    ["one stays within the strip", nextTabs(three, { type: "moved", id: id("a"), to: 9 }), "b [c] a"],
    ["a move keeps it open", nextTabs(after(shown("a")), { type: "moved", id: id("a"), to: 0 }), "[a]"],
    ["one is closed", nextTabs(three, { type: "closed", id: id("b") }), "a [c]"],
    ["one that an agent changes is marked", nextTabs(three, { type: "changed", id: id("a") }), "a* b [c]"],
    ["the shown one is not", nextTabs(three, { type: "changed", id: id("c") }), "a b [c]"],
    [
      "what is shown loses its mark",
      [{ type: "changed", id: id("a") } as const, shown("a")].reduce(nextTabs, three),
      "[a] b c",
    ],
    ["a new name", nextTabs(three, { type: "named", id: id("a"), title: "A", folder: "x" }), "A b [c]"],
    ["none is shown", nextTabs(three, { type: "none-shown" }), "a b c"],
  ])("%s", (_, tabs, expected) => {
    expect(strip(tabs)).toBe(expected);
  });

  test("an action about a document that is not open changes nothing", () => {
    const unknown = id("unknown");
    for (const action of [
      { type: "closed", id: unknown },
      { type: "deleted", id: unknown },
      { type: "moved", id: unknown, to: 0 },
      { type: "changed", id: unknown },
      { type: "kept", id: unknown },
      { type: "named", id: unknown, title: "x", folder: "" },
    ] as const)
      expect(nextTabs(three, action)).toBe(three);
  });

  test("closing goes back to the document shown before, and the next goes around the strip", () => {
    const back = nextTabs(three, shown("a"));
    expect(shownAfter(back, id("a"))).toBe("c");
    expect(shownAfter(after(shown("a")), id("a"))).toBeNull();
    expect(neighbourOf(back, -1)).toBe("c");
    expect(neighbourOf(three, 1)).toBe("a");
    expect(neighbourOf(after(shown("a")), 1)).toBeNull();
    expect(neighbourOf(noTabs, 1)).toBeNull();
  });

  test("a closed document is remembered, a deleted one is not", () => {
    const closed = nextTabs(three, { type: "closed", id: id("b") });
    expect(closed.closed).toEqual(["b"]);
    expect(nextTabs(closed, shown("b")).closed).toEqual([]);
    expect(nextTabs(three, { type: "deleted", id: id("b") }).closed).toEqual([]);
  });

  test("what a browser stored is read back, and damage in it is passed over", () => {
    const state = nextTabs(three, { type: "closed", id: id("b") });
    expect(readTabs(JSON.parse(JSON.stringify(state)))).toEqual(state);
    const damaged = {
      tabs: [{ id: "a", title: "a" }, 3, { id: 4 }],
      activeId: "gone",
      recent: ["a", 5, "gone"],
      closed: 7,
    };
    expect(readTabs(damaged)).toEqual({
      ...noTabs,
      tabs: [{ id: "a", title: "a", folder: "", unread: false }],
      recent: ["a"],
    });
    for (const broken of ["", 3, null, [], {}, { tabs: "no" }]) expect(readTabs(broken)).toBeUndefined();
  });
});
