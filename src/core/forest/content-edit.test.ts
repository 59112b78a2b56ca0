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

/** Edits and stores; returns the resulting node's id, or the code of the refusal. */
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

/** Returns a tree with one message and an answer. */
function withChild(message: Message): { readonly tree: Tree; readonly node: ForestNode } {
  const tree = new Tree();
  const node = tree.grow(null, message);
  tree.grow(node.id, assistant("answer"));
  return { tree, node };
}

describe("planContentEdit", () => {
  test("F-17 an edit changes a leaf in place and makes the editor its author", () => {
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

  test("F-18 an edit splits where the texts diverge and puts the new ending beside the old one", () => {
    const { tree, node } = withChild(user("Original message content"));
    expect(edit(tree, node, "Original message with new ending")).toBe("branch");
    expect(tree.shape()).toEqual([
      ["half Original message ", ["n0 content", ["n1 answer"]], ["branch with new ending"]],
    ]);
    expect(tree.node(newIds.branch)).toMatchObject({ actor: bob, message: user("with new ending"), createdAt: 99 });
    expect(tree.node(newIds.half)).toMatchObject({ splitFrom: node.id });
  });

  test("F-19 an edit to a prefix of the text is the first half of a split and adds one node", () => {
    const { tree, node } = withChild(user("abc"));
    expect(edit(tree, node, "ab")).toBe("half");
    expect(tree.shape()).toEqual([["half ab", ["n0 c", ["n1 answer"]]]]);
  });

  test("F-20 an edit to the same text returns the node and changes nothing", () => {
    const { tree, node } = withChild(user("abc"));
    const before = tree.nodes;
    expect(edit(tree, node, "abc")).toBe(node.id);
    expect(tree.nodes).toEqual(before);
    const leaf = tree.grow(node.id, assistant("leaf"));
    expect(edit(tree, leaf, "leaf")).toBe(leaf.id);
    expect(tree.node(leaf.id)).toEqual(leaf);
  });

  test("F-21 an edit to a longer text continues below the node", () => {
    const { tree, node } = withChild(user("abc"));
    expect(edit(tree, node, "abcdef")).toBe("branch");
    expect(tree.shape()).toEqual([["n0 abc", ["n1 answer"], ["branch def"]]]);
    expect(edit(tree, node, "abcdef")).toBe("branch");
    expect(tree.nodes).toHaveLength(3);
  });

  test("F-22 an edit to a text without a common prefix makes a sibling", () => {
    const { tree, node } = withChild(user("abc"));
    expect(edit(tree, node, "xbc")).toBe("branch");
    expect(tree.shape()).toEqual([["n0 abc", ["n1 answer"]], ["branch xbc"]]);
  });

  test("an edit of a reply with thinking makes a sibling of words alone, also where both begin the same", () => {
    const { tree, node } = withChild({
      role: "assistant",
      content: [
        { type: "thinking", text: "Hm." },
        { type: "text", text: "abc" },
      ],
    });
    expect(edit(tree, node, "abx")).toBe("branch");
    expect(tree.node(newIds.branch).message).toEqual(assistant("abx"));
    expect(tree.node(node.id)).toEqual(node);
  });

  test.each(["", " \n"])("F-23 L8 an edit to %j is refused, with and without children", (text) => {
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
  ])("F-24 an edit of %s is refused", (_name, chain) => {
    const tree = new Tree();
    expect(edit(tree, tree.grow(null, ...chain), "new")).toBe("MESSAGE_INVALID");
  });

  test("L6 an edit splits between graphemes, however many units the texts share", () => {
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
    ["only blanks in common", " a", " b"],
    ["an old remainder of blanks", "abc\n", "abcd"],
    ["a new remainder of blanks", "abc", "abc\n"],
  ])("an edit with %s makes a sibling, because no node may be empty", (_name, before, after) => {
    const { tree, node } = withChild(user(before));
    expect(edit(tree, node, after)).toBe("branch");
    expect(tree.shape()).toEqual([[`n0 ${before}`, ["n1 answer"]], [`branch ${after}`]]);
  });

  test("an edit to the text of an existing sibling returns that sibling", () => {
    const { tree, node } = withChild(user("abc"));
    const other = tree.grow(null, user("xyz"));
    const before = tree.nodes;
    expect(edit(tree, node, "xyz")).toBe(other.id);
    expect(edit(tree, other, "abc")).toBe(node.id);
    expect(tree.nodes).toEqual(before);
  });

  test("an edit does not split when the common prefix exists as a sibling", () => {
    const { tree, node } = withChild(user("abc"));
    tree.grow(null, user("ab"));
    expect(edit(tree, node, "abd")).toBe("branch");
    expect(tree.shape()).toEqual([["n0 abc", ["n1 answer"]], ["n2 ab"], ["branch abd"]]);
  });

  test("an edit keeps the images of a person's message", () => {
    const image: ImageBlock = { type: "image", mediaType: "image/png", source: { type: "base64", data: "AA==" } };
    const { tree, node } = withChild({ role: "user", content: [image, { type: "text", text: "abc" }] });
    expect(edit(tree, node, "abd")).toBe("branch");
    expect(tree.node(newIds.branch).message.content).toEqual([image, { type: "text", text: "abd" }]);
  });

  test("an edit of a first half without its second half drops the reference to it", () => {
    const { tree, node } = withChild(user("abc"));
    edit(tree, node, "ab");
    const deletion = planDelete(tree.around(node.id), "cascade");
    if (deletion.ok) tree.store(deletion.value);
    expect(edit(tree, tree.node(newIds.half), "zz")).toBe("half");
    expect(tree.node(newIds.half).splitFrom).toBe(undefined);
  });
});
