import { expect, test } from "vitest";
import { idsBelow, splittableText, tagsIn } from "./message-text.ts";
import { branchesOf, id } from "./sample-branches.ts";

test("splittableText returns text of a person or a model with more than one character", () => {
  const { nodesById } = branchesOf(
    { q: null, r1: "q", r2: "q", r3: "q", r4: "q" },
    {
      r1: {
        role: "assistant",
        content: [
          { type: "text", text: "one " },
          { type: "text", text: "two" },
        ],
      },
      r2: { role: "assistant", content: [{ type: "text", text: "x" }] },
      r3: {
        role: "assistant",
        content: [
          { type: "text", text: "look" },
          { type: "thinking", text: "hm" },
        ],
      },
      r4: { role: "system", content: [{ type: "text", text: "told" }] },
    },
  );
  const textOf = (name: string): string | null => {
    const node = nodesById.get(id(name));
    return node === undefined ? null : splittableText(node);
  };
  expect(["r1", "r2", "r3", "r4"].map(textOf)).toEqual(["one two", null, null, null]);
});

test("idsBelow returns everything below a message", () => {
  const branches = branchesOf({ a: null, b: "a", c: "b", d: "b", e: null });
  expect(idsBelow(branches, id("a")).toSorted()).toEqual(["b", "c", "d"]);
  expect(idsBelow(branches, id("e"))).toEqual([]);
});

test("tagsIn splits tags at commas, each once", () => {
  expect(tagsIn(" good, to read ,, good,")).toEqual(["good", "to read"]);
  expect(tagsIn(" ")).toEqual([]);
});
