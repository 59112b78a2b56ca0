import { describe, expect, test } from "vitest";
import { asking, assistant, result, user } from "../message/message.test-support.ts";
import { planDelete, type DeleteMode } from "./delete.ts";
import { Tree } from "./forest.test-support.ts";
import { prefixHash } from "./prefix-hash.ts";
import type { ForestNode } from "./types.ts";

/** Deletes; returns the removed ids, or the code of the refusal. */
function remove(tree: Tree, node: ForestNode, mode: DeleteMode): readonly string[] | string {
  const around = tree.around(node.id);
  const plan = planDelete(mode === "cascade" ? around : { ...around, below: tree.near(node.id) }, mode);
  if (mode === "reparent") expect(planDelete(around, mode)).toEqual(plan);
  if (!plan.ok) return plan.error.code;
  tree.store(plan.value);
  return plan.value.removed;
}

function expectHashes(tree: Tree): void {
  for (const each of tree.nodes) {
    const above = each.parentId === null ? null : tree.node(each.parentId).prefixHash;
    expect(each.prefixHash).toBe(prefixHash(above, each.message));
  }
}

describe("planDelete", () => {
  test("F-25 deleting a leaf removes only the leaf in either mode", () => {
    for (const mode of ["cascade", "reparent"] as const) {
      const tree = new Tree();
      const leaf = tree.grow(null, user("q"), assistant("a"));
      expect(remove(tree, leaf, mode)).toEqual([leaf.id]);
      expect(tree.shape()).toEqual([["n0 q"]]);
    }
  });

  test("F-25 a cascade removes everything below the node", () => {
    const tree = new Tree();
    const top = tree.grow(null, user("q"));
    const middle = tree.grow(top.id, assistant("a"));
    tree.grow(middle.id, user("r"), assistant("b"));
    tree.grow(middle.id, user("s"));
    expect(remove(tree, middle, "cascade")).toEqual(["n1", "n2", "n3", "n4"]);
    expect(tree.shape()).toEqual([["n0 q"]]);
  });

  test("F-25 reparenting moves the children up in their order, with their descendants", () => {
    const tree = new Tree();
    const top = tree.grow(null, user("q"));
    const middle = tree.grow(top.id, assistant("a"));
    tree.grow(middle.id, user("r"), assistant("b"));
    tree.grow(middle.id, user("s"));
    tree.grow(top.id, assistant("other"));
    expect(remove(tree, middle, "reparent")).toEqual(["n1"]);
    expect(tree.shape()).toEqual([["n0 q", ["n2 r", ["n3 b"]], ["n4 s"], ["n5 other"]]]);
    expectHashes(tree);
  });

  test("F-25 deleting a first message makes its children first messages", () => {
    const tree = new Tree();
    const top = tree.grow(null, user("q"));
    tree.grow(top.id, assistant("a"), user("r"));
    expect(remove(tree, top, "reparent")).toEqual(["n0"]);
    expect(tree.shape()).toEqual([["n1 a", ["n2 r"]]]);
    expectHashes(tree);
  });

  test("deleting a call removes its results on every branch and moves what follows up", () => {
    const tree = new Tree();
    const top = tree.grow(null, user("q"));
    const call = tree.grow(top.id, asking("a", "b"));
    const first = tree.grow(call.id, result("a"));
    tree.grow(first.id, result("b"), assistant("x"));
    tree.grow(call.id, result("a", "other"), result("b"), assistant("y"));
    expect(remove(tree, call, "reparent")).toEqual(["n1", "n2", "n3", "n5", "n6"]);
    expect(tree.shape()).toEqual([["n0 q", ["n4 x"], ["n7 y"]]]);
    expectHashes(tree);
  });

  test("deleting a result alone is refused while nodes exist below it", () => {
    const tree = new Tree();
    const last = tree.grow(null, user("q"), asking("a", "b"), result("a"), result("b"));
    const plan = planDelete(tree.around(tree.path(last.id)[2]?.id ?? last.id), "reparent");
    expect(plan.ok ? null : plan.error).toMatchObject({ code: "TOOL_RESULT_UNPAIRED", details: { node_id: last.id } });
    tree.grow(last.id, assistant("x"));
    expect(remove(tree, last, "reparent")).toBe("TOOL_RESULT_UNPAIRED");
    expect(remove(tree, last, "cascade")).toEqual(["n3", "n4"]);
  });

  test("reparenting is refused when a moved message exists at its new place, or two moved ones are equal", () => {
    const tree = new Tree();
    const top = tree.grow(null, user("q"));
    const middle = tree.grow(top.id, assistant("a"));
    tree.grow(middle.id, assistant("b"));
    const existing = tree.grow(top.id, assistant("b"));
    const plan = planDelete(tree.around(middle.id), "reparent");
    expect(plan.ok ? null : plan.error).toMatchObject({
      code: "SIBLING_EXISTS",
      details: { node_id: "n2", sibling_id: existing.id },
    });
    const call = tree.grow(existing.id, asking("c"));
    tree.grow(call.id, result("c", "one"), assistant("x"));
    tree.grow(call.id, result("c", "two"), assistant("x"));
    expect(remove(tree, call, "reparent")).toBe("SIBLING_EXISTS");
  });
});
