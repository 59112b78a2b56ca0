import { expect, test } from "vitest";
import type { NodeId } from "../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import type { HistoryEntry } from "../view/branches/revisions.ts";
import { momentsOf, placeOfEntry, saidWords } from "./time-axis.ts";

const version = (name: string, at: number): HistoryEntry => ({
  revisionId: name,
  name,
  label: null,
  at,
  actor: null,
  alsoBy: [],
  nodeId: null,
  current: false,
});
const node = (id: string, createdAt: number, role = "user", text = id): ForestNode =>
  ({
    id,
    createdAt,
    actor: { name: "Ada" },
    message: { role, content: [{ type: "text", text }] },
  }) as unknown as ForestNode;
const nodes = (...list: readonly ForestNode[]) => new Map<NodeId, ForestNode>(list.map((each) => [each.id, each]));

test("17.17 versions and messages are on one axis, each moment with the version and the last words by then", () => {
  const [r2, r1] = [version("r2", 40), version("r1", 10)];
  const said = nodes(
    node("early", 5),
    node("ask", 20),
    node("tool", 30, "tool"),
    node("empty", 35, "assistant", " "),
    node("answer", 40),
  );
  const moments = momentsOf([r2, r1], said);
  expect(moments.map(({ at, entry, node: last, began }) => [at, entry.name, last?.id ?? null, began])).toEqual([
    [10, "r1", "early", "version"],
    [20, "r1", "ask", "message"],
    [40, "r1", "answer", "message"],
    [40, "r2", "answer", "version"],
  ]);
  expect([placeOfEntry(moments, r1), placeOfEntry(moments, r2), placeOfEntry(moments, version("r9", 1))]).toEqual([
    0, 3, 0,
  ]);
  expect(moments.map(saidWords)[1]).toBe("Ada: “ask”");
});

test("17.17 without messages the axis has the versions alone, without versions nothing", () => {
  const moments = momentsOf([version("r1", 1)], nodes());
  expect(moments.map(saidWords)).toEqual(["Before the first message"]);
  expect(momentsOf([], nodes(node("a", 1)))).toEqual([]);
});
