import { expect, test } from "vitest";
import { branchByBranch, levelByLevel } from "./node-order.ts";

/** Two trees, and a message whose parent is not among them with one below it. */
const nodes = [
  { id: "a", parentId: null },
  { id: "b", parentId: "gone" },
  { id: "a1", parentId: "a" },
  { id: "a2", parentId: "a" },
  { id: "a11", parentId: "a1" },
  { id: "b1", parentId: "b" },
];

function orderOf(steps: Generator<string, readonly { readonly id: string }[], undefined>): readonly string[] {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value.map(({ id }) => id);
  }
}

test("messages come branch by branch or level by level, and one whose parent is not among them begins a tree", () => {
  expect(orderOf(branchByBranch(nodes))).toEqual(["a", "a1", "a11", "a2", "b", "b1"]);
  expect(orderOf(levelByLevel(nodes))).toEqual(["a", "a1", "a2", "a11", "b", "b1"]);
});
