import { describe, expect, test } from "vitest";
import { must } from "../base/assert.ts";
import type { NodeId } from "../base/ids.ts";
import { asking, assistant, result, use, user } from "../message/message.test-support.ts";
import type { ImageBlock, Message } from "../message/types.ts";
import { noUsage } from "../message/usage.ts";
import { planContentEdit } from "./content-edit.ts";
import { bob, Tree } from "./forest.test-support.ts";
import { planDelete } from "./delete.ts";
import type { ForestNode } from "./types.ts";

const newIds = { half: "half" as NodeId, branch: "branch" as NodeId };

/** Edits, stores, and tells which node it came to, or the code of the refusal. */
function edit(tree: Tree, node: ForestNode, text: string): string {
  const plan = planContentEdit(tree.around(node.id), {
    content: [{ type: "text", text }],
    editor: bob,
    now: 99,
    newIds,
  });
  if (!plan.ok) return plan.error.code;
  tree.store(plan.value);
  return plan.value.nodeId;
}

/** A tree with one question, edited: what it looks like then. */
function withChild(message: Message): { readonly tree: Tree; readonly node: ForestNode } {
  const tree = new Tree();
  const node = tree.grow(null, message);
  tree.grow(node.id, assistant("answer"));
  return { tree, node };
}

describe("an edit of a node's content", () => {
  test("F-17 changes a leaf in place, and from then on it is the editor's", () => {
    const tree = new Tree();
    const grown = tree.grow(null, user("q"), assistant("old"));
    const request = { model: "p/m" };
    const said = { ...grown, usage: noUsage, request, tags: ["kept"] };
    tree.store({ added: [], changed: [said], removed: [], rehashedBelow: [] });
    expect(edit(tree, said, "new")).toBe(said.id);
    const { request: _request, ...rest } = said;
    expect(tree.node(said.id)).toEqual({
      ...rest,
      message: assistant("new"),
      prefixHash: expect.not.stringMatching(said.prefixHash),
      actor: bob,
      usage: null,
    });
  });

  test("F-18 splits where the texts part, and the new ending stands beside the old one", () => {
    const { tree, node } = withChild(user("Original message content"));
    expect(edit(tree, node, "Original message with new ending")).toBe("branch");
    expect(tree.shape()).toEqual([
      ["half Original message ", ["n0 content", ["n1 answer"]], ["branch with new ending"]],
    ]);
    expect(tree.node(newIds.branch)).toMatchObject({ actor: bob, message: user("with new ending"), createdAt: 99 });
    expect(tree.node(newIds.half)).toMatchObject({ splitFrom: node.id });
  });

  test("F-19 to a beginning of the text is the first half of a split: one node more", () => {
    const { tree, node } = withChild(user("abc"));
    expect(edit(tree, node, "ab")).toBe("half");
    expect(tree.shape()).toEqual([["half ab", ["n0 c", ["n1 answer"]]]]);
  });

  test("F-20 to the same text is the node itself, and nothing changes", () => {
    const { tree, node } = withChild(user("abc"));
    const before = tree.nodes;
    expect(edit(tree, node, "abc")).toBe(node.id);
    expect(tree.nodes).toEqual(before);
    const leaf = tree.grow(node.id, assistant("leaf"));
    expect(edit(tree, leaf, "leaf")).toBe(leaf.id);
    expect(tree.node(leaf.id)).toEqual(leaf);
  });

  test("F-21 to a longer text goes on below the node", () => {
    const { tree, node } = withChild(user("abc"));
    expect(edit(tree, node, "abcdef")).toBe("branch");
    expect(tree.shape()).toEqual([["n0 abc", ["n1 answer"], ["branch def"]]]);
    expect(edit(tree, node, "abcdef")).toBe("branch");
    expect(tree.nodes).toHaveLength(3);
  });

  test("F-22 to a text with no beginning in common is a sibling", () => {
    const { tree, node } = withChild(user("abc"));
    expect(edit(tree, node, "xbc")).toBe("branch");
    expect(tree.shape()).toEqual([["n0 abc", ["n1 answer"]], ["branch xbc"]]);
  });

  test.each(["", " \n"])("F-23 L8 to %j is refused, with and without children", (text) => {
    const { tree, node } = withChild(user("abc"));
    const [child] = tree.children(node.id);
    const before = tree.nodes;
    expect(edit(tree, node, text)).toBe("MESSAGE_INVALID");
    expect(edit(tree, must(child, "the answer"), text)).toBe("MESSAGE_INVALID");
    expect(tree.nodes).toEqual(before);
  });

  test.each<[string, readonly [Message, ...Message[]]]>([
    ["a call", [user("q"), asking("a")]],
    ["a text beside a call", [user("q"), { role: "assistant", content: [{ type: "text", text: "x" }, use("a")] }]],
    ["a result", [user("q"), asking("a"), result("a")]],
  ])("F-24 of %s is refused", (_name, chain) => {
    const tree = new Tree();
    expect(edit(tree, tree.grow(null, ...chain), "new")).toBe("MESSAGE_INVALID");
  });

  test("L6 parts texts between graphemes, however many units they begin with alike", () => {
    const emoji = withChild(user("😀x"));
    expect(edit(emoji.tree, emoji.node, "😁x")).toBe("branch");
    expect(emoji.tree.shape()).toEqual([["n0 😀x", ["n1 answer"]], ["branch 😁x"]]);
    const mark = withChild(user("ae"));
    expect(edit(mark.tree, mark.node, "ae\u0301")).toBe("branch");
    expect(mark.tree.shape()).toEqual([["half a", ["n0 e", ["n1 answer"]], ["branch e\u0301"]]]);
    const flags = withChild(user("a🇩🇪🇫🇷"));
    expect(edit(flags.tree, flags.node, "a🇩🇪🇫🇮")).toBe("branch");
    expect(flags.tree.shape()).toEqual([["half a🇩🇪", ["n0 🇫🇷", ["n1 answer"]], ["branch 🇫🇮"]]]);
  });

  test.each([
    ["blanks in common", " a", " b"],
    ["an old rest of blanks", "abc\n", "abcd"],
    ["a new rest of blanks", "abc", "abc\n"],
  ])("with %s makes a sibling, because no node says nothing", (_name, before, after) => {
    const { tree, node } = withChild(user(before));
    expect(edit(tree, node, after)).toBe("branch");
    expect(tree.shape()).toEqual([[`n0 ${before}`, ["n1 answer"]], [`branch ${after}`]]);
  });

  test("finds what stands beside already, for a leaf as for a node with children", () => {
    const { tree, node } = withChild(user("abc"));
    const other = tree.grow(null, user("xyz"));
    const before = tree.nodes;
    expect(edit(tree, node, "xyz")).toBe(other.id);
    expect(edit(tree, other, "abc")).toBe(node.id);
    expect(tree.nodes).toEqual(before);
  });

  test("does not split where the common beginning stands beside already", () => {
    const { tree, node } = withChild(user("abc"));
    tree.grow(null, user("ab"));
    expect(edit(tree, node, "abd")).toBe("branch");
    expect(tree.shape()).toEqual([["n0 abc", ["n1 answer"]], ["n2 ab"], ["branch abd"]]);
  });

  test("keeps the images that a person sent with the text", () => {
    const image: ImageBlock = { type: "image", mediaType: "image/png", source: { type: "base64", data: "AA==" } };
    const { tree, node } = withChild({ role: "user", content: [image, { type: "text", text: "abc" }] });
    expect(edit(tree, node, "abd")).toBe("branch");
    expect(tree.node(newIds.branch).message.content).toEqual([image, { type: "text", text: "abd" }]);
  });

  test("of a first half that has lost its rest no longer names it", () => {
    const { tree, node } = withChild(user("abc"));
    edit(tree, node, "ab");
    const gone = planDelete(tree.around(node.id), "cascade");
    if (gone.ok) tree.store(gone.value);
    expect(edit(tree, tree.node(newIds.half), "zz")).toBe("half");
    expect(tree.node(newIds.half).splitFrom).toBe(undefined);
  });
});
