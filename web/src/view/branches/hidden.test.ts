import { describe, expect, test } from "vitest";
import { must } from "../../../../src/core/base/assert.ts";
import type { BlockId } from "../../../../src/core/base/ids.ts";
import { canvasUpdateMessage, type CanvasDifference } from "../../../../src/core/message/canvas-update.ts";
import { canvasLine, type CanvasTitles, isHidden, lastSaid, sumOfChanges } from "./hidden.ts";
import { outlineOf } from "./outline.ts";
import { firstVisit, goTo, pathTo, siblingsOf } from "./path.ts";
import { branchesOf, id } from "./sample-branches.ts";

const news: CanvasDifference = {
  canvasId: "doc/1/1" as BlockId,
  title: "Plan",
  from: { revisionId: "41-00000000", text: "one\ntwo\n--- three\n" },
  to: { revisionId: "42-00000000", text: "one\n2\n" },
  changedBy: ["Ada"],
  own: null,
  switched: false,
};

const titles: CanvasTitles = new Map([
  [news.canvasId, "Plan"],
  ["doc/2/1" as BlockId, "Notes"],
]);

function update(change: Partial<CanvasDifference> = {}) {
  const message = canvasUpdateMessage({ ...news, ...change });
  if (message?.update === undefined) throw new Error("the canvas update has a message");
  return { message, update: message.update };
}

describe("a change of the canvas", () => {
  test("canvasLine says who changed what and has the diff", () => {
    const { message, update: mark } = update();
    const line = canvasLine(mark, message, titles);
    expect(line).toMatchObject({ title: "Plan · Ada", added: 1, removed: 2 });
    expect(line.diff?.split("\n")[0]).toBe("--- canvas, revision 41-00000000");
  });

  test("canvasLine has the diff also when the text contains fences", () => {
    const { message, update: mark } = update({ to: { revisionId: "42-00000000", text: "```js\n1\n```\n````\n" } });
    expect(canvasLine(mark, message, titles)).toMatchObject({ added: 4, removed: 3 });
  });

  test("sumOfChanges names the canvas once, everybody who changed it, and all lines", () => {
    const nodes = [update(), update({ changedBy: ["Ben"] })];
    expect(sumOfChanges(nodes, titles)).toEqual({ title: "Plan · Ada, Ben · 2 changes", added: 2, removed: 4 });
  });

  test("a change is named after its own canvas, whichever is open; after how it was called once that is gone", () => {
    const named = (change: Partial<CanvasDifference>) => {
      const { message, update: mark } = update(change);
      return canvasLine(mark, message, titles).title;
    };
    expect(named({ canvasId: "doc/2/1" as BlockId })).toBe("Notes · Ada");
    expect(named({ canvasId: "doc/2/1" as BlockId, switched: true, title: "Old notes" })).toBe("Notes · Ada");
    expect(named({ canvasId: "doc/3/1" as BlockId, switched: true, title: "Gone" })).toBe("Gone · Ada");
    expect(named({ canvasId: "doc/3/1" as BlockId })).toBe("A document · Ada");
    const nodes = [update(), update({ canvasId: "doc/2/1" as BlockId })];
    expect(sumOfChanges(nodes, titles).title).toBe("Plan, Notes · Ada · 2 changes");
  });

  test("canvasLine describes a change without a diff in words", () => {
    const { message, update: mark } = update({ from: null, switched: true, changedBy: [] });
    expect(canvasLine(mark, message, titles)).toEqual({ title: "Plan", added: 0, removed: 0, diff: null });
  });
});

describe("between messages", () => {
  const { message } = update();
  const tree = branchesOf(
    { q1: null, r1: "q1", h1: "r1", q2: "h1", r2: "q2", h2: "h1", q2b: "h2", q2c: "r1", h3: "r2" },
    { h1: message, h2: message, h3: message },
  );
  const path = pathTo(tree, goTo(tree, firstVisit, id("r2")).tipId);

  test("canvas updates do not separate versions: messages on both sides stay siblings", () => {
    const beside = (name: string) => siblingsOf(tree, must(tree.nodesById.get(id(name)), "a node of the tree"));
    expect(beside("q2")).toEqual({ ids: ["q2", "q2b", "q2c"], index: 0 });
    expect(beside("q2b").index).toBe(1);
    expect(beside("q2c").index).toBe(2);
    expect(beside("h2")).toEqual({ ids: ["h2"], index: 0 });
    expect(beside("r2").ids).toEqual(["r2"]);
  });

  test("lastSaid skips canvas updates", () => {
    expect(path.map((node) => node.id)).toEqual(["q1", "r1", "h1", "q2", "r2", "h3"]);
    expect(path.filter(isHidden).map((node) => node.id)).toEqual(["h1", "h3"]);
    expect(lastSaid(path)?.id).toBe("r2");
  });

  test("C-22 a canvas update is not counted and names no branch", () => {
    const rows = outlineOf(tree);
    expect(rows.map(({ title, turns }) => [title, turns])).toEqual([
      ["q1", 1],
      ["Canvas change", 0],
      ["q2", 1],
      ["q2b", 1],
      ["q2c", 1],
    ]);
  });
});
