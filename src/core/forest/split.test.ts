import { describe, expect, test } from "vitest";
import type { NodeId } from "../base/ids.ts";
import { asking, assistant, result, user } from "../message/message.test-support.ts";
import type { Message, TextBlock } from "../message/types.ts";
import { noUsage } from "../message/usage.ts";
import { Tree, wordsOf } from "./forest.test-support.ts";
import { prefixHash } from "./prefix-hash.ts";
import { planSplit } from "./split.ts";
import type { ForestNode } from "./types.ts";

const newId = "left" as NodeId;
const long = "This is a long message that will be split";

function split(tree: Tree, node: ForestNode, at: number): ReturnType<typeof planSplit> {
  return planSplit(tree.around(node.id), { at, newId, now: 99 });
}

function refused(message: Message, at: number): string {
  const tree = new Tree();
  const before = message.role === "tool" ? asking("a") : user("first");
  const node = tree.grow(null, before, message);
  const plan = split(tree, node, at);
  return plan.ok ? "ok" : plan.error.code;
}

describe("planSplit", () => {
  test("F-14 a split puts the first half into a new node above and leaves id and children with the second", () => {
    const tree = new Tree();
    const node = tree.grow(null, user(long));
    const child = tree.grow(node.id, assistant("answer"));
    const plan = split(tree, node, 15);
    if (!plan.ok) throw new Error(plan.error.message);
    tree.store(plan.value);
    expect(tree.shape()).toEqual([
      ["left This is a long ", [`${node.id} message that will be split`, [`${child.id} answer`]]],
    ]);
    expect(plan.value.left).toMatchObject({ id: newId, splitFrom: node.id, parentId: null, createdAt: 99 });
    expect(tree.node(node.id).splitFrom).toBe(undefined);
    for (const each of tree.nodes) {
      const above = each.parentId === null ? null : tree.node(each.parentId).prefixHash;
      expect(each.prefixHash).toBe(prefixHash(above, each.message));
    }
  });

  test("a split keeps the taint of the whole in both halves", () => {
    const tree = new Tree();
    const node = { ...tree.grow(null, user(long)), taint: { holdsPrivate: true, holdsUntrusted: true } };
    const plan = planSplit({ ...tree.around(node.id), node }, { at: 15, newId, now: 99 });
    expect(plan.ok && [plan.value.left, ...plan.value.changed].map(({ taint }) => taint)).toEqual([
      node.taint,
      node.taint,
    ]);
  });

  test.each<[string, Message, number, string]>([
    ["at 0", user("abc"), 0, "OFFSET_OUT_OF_RANGE"],
    ["at the end", user("abc"), 3, "OFFSET_OUT_OF_RANGE"],
    ["beyond the end", user("abc"), 4, "OFFSET_OUT_OF_RANGE"],
    ["before the start", user("abc"), -1, "OFFSET_OUT_OF_RANGE"],
    ["between two positions", user("abc"), 1.5, "OFFSET_OUT_OF_RANGE"],
    ["at a value that is not a number", user("abc"), Number.NaN, "OFFSET_OUT_OF_RANGE"],
    ["inside a surrogate pair", user("😀x"), 1, "OFFSET_OUT_OF_RANGE"],
    ["before a combining mark", user("e\u0301x"), 1, "OFFSET_OUT_OF_RANGE"],
    ["inside a joined emoji", user("👩‍👩‍👧x"), 3, "OFFSET_OUT_OF_RANGE"],
    ["inside a flag", user("🇩🇪x"), 2, "OFFSET_OUT_OF_RANGE"],
    ["inside a line end", user("a\r\nb"), 2, "OFFSET_OUT_OF_RANGE"],
    ["of a tool's result", result("a", "abc"), 1, "MESSAGE_INVALID"],
    ["of a call", asking("a"), 1, "MESSAGE_INVALID"],
    [
      "of a text beside a call",
      { role: "assistant", content: [...assistant("abc").content, ...asking("a").content] },
      1,
      "MESSAGE_INVALID",
    ],
    ["of an instruction", { role: "system", content: [{ type: "text", text: "abc" }] }, 1, "MESSAGE_INVALID"],
    ["with only blanks before it", user(" abc"), 1, "MESSAGE_INVALID"],
    ["with only blanks after it", user("abc\n"), 3, "MESSAGE_INVALID"],
  ])("F-15 a split %s is refused", (_name, message, at, code) => {
    expect(refused(message, at)).toBe(code);
  });

  test("L6 a split never cuts a grapheme, even where two blocks meet in one", () => {
    const text = "😀x";
    expect([1, 2].map((at) => refused(user(text), at))).toEqual(["OFFSET_OUT_OF_RANGE", "ok"]);
    const parted: Message = {
      role: "user",
      content: [
        { type: "text", text: "e" },
        { type: "text", text: "\u0301x" },
      ],
    };
    expect([1, 2].map((at) => refused(parted, at))).toEqual(["OFFSET_OUT_OF_RANGE", "ok"]);
  });

  test("F-16 a split copies tags, custom data and author to the first half and keeps them in the second", () => {
    const tree = new Tree();
    const grown = tree.grow(null, user("first"), assistant("abcd"));
    const labelled: ForestNode = {
      ...grown,
      tags: ["good"],
      customData: { rating: 5 },
      request: { model: "p/m", temperature: 0.5 },
      usage: noUsage,
      variants: [{ at: 1, actor: grown.actor, usage: null }],
    };
    tree.store({ added: [], changed: [labelled], removed: [], rehashedBelow: [] });
    const plan = split(tree, labelled, 2);
    if (!plan.ok) throw new Error(plan.error.message);
    const { actor, runId, turnId, tags, customData, request } = labelled;
    expect(plan.value.left).toMatchObject({ actor, runId, turnId, tags, customData, request });
    // The tokens were spent once, and the variants said the whole text.
    expect(plan.value.left.usage).toBe(null);
    expect(plan.value.left.variants).toBe(undefined);
    const { message: _message, prefixHash: _hash, parentId: _parent, ...kept } = labelled;
    expect(plan.value.changed[0]).toMatchObject(kept);
  });

  test("a split keeps block bounds, and native extras of uncut blocks", () => {
    const signed = (text: string): TextBlock => ({ type: "text", text, native: { api: "x", data: { sign: text } } });
    const tree = new Tree();
    const node = tree.grow(null, { role: "assistant", content: [signed("ab"), signed("cd"), signed("ef")] });
    const plan = split(tree, node, 3);
    if (!plan.ok) throw new Error(plan.error.message);
    expect(plan.value.left.message.content).toEqual([signed("ab"), { type: "text", text: "c" }]);
    expect(plan.value.changed[0]?.message.content).toEqual([{ type: "text", text: "d" }, signed("ef")]);
  });

  test("a split marks only the second half as interrupted", () => {
    const tree = new Tree();
    const origin = { api: "x", provider: "p", model: "m" };
    const node = tree.grow(null, { ...assistant("abcd"), interrupted: true, origin });
    const plan = split(tree, node, 2);
    if (!plan.ok) throw new Error(plan.error.message);
    expect(plan.value.left.message).toEqual({ ...assistant("ab"), origin });
    expect(plan.value.changed[0]?.message).toEqual({ ...assistant("cd"), interrupted: true, origin });
  });

  test("a split is refused when the first half exists already", () => {
    const tree = new Tree();
    const existing = tree.grow(null, user("ab"));
    const node = tree.grow(null, user("abc"));
    const plan = split(tree, node, 2);
    expect(plan.ok ? null : plan.error).toMatchObject({
      code: "SIBLING_EXISTS",
      details: { node_id: node.id, sibling_id: existing.id },
    });
    expect(wordsOf(existing.message)).toBe("ab");
  });
});
