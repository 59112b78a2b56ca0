import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import type { ModelActor } from "../base/actor.ts";
import type { ActorId, NodeId, RunId, TurnId } from "../base/ids.ts";
import { assistant, user } from "../message/message.test-support.ts";
import type { Message } from "../message/types.ts";
import { planContentEdit } from "./content-edit.ts";
import { ada, bob, Tree, wordsOf } from "./forest.test-support.ts";
import { prefixHash } from "./prefix-hash.ts";
import { planSplit } from "./split.ts";
import type { ForestNode } from "./types.ts";

const voice: ModelActor = {
  type: "model",
  id: "voice" as ActorId,
  name: "Voice",
  model: "p/voice",
  runId: "run" as RunId,
  turnId: "turn" as TurnId,
};

const newIds = { half: "half" as NodeId, branch: "branch" as NodeId };

/** A tree with one message. */
function treeWith(message: Message, actor: ForestNode["actor"], besides: Partial<ForestNode> = {}): [Tree, NodeId] {
  const tree = new Tree();
  const grown = tree.grow(null, message);
  tree.store({ added: [], changed: [{ ...grown, actor, ...besides }], removed: [], rehashedBelow: [] });
  return [tree, grown.id];
}

function rewrite(tree: Tree, id: NodeId, text: string, editor = ada): ForestNode {
  const wish = { content: [{ type: "text", text }], editor, now: 9, newIds } as const;
  const plan = planContentEdit(tree.around(id), wish);
  if (!plan.ok) throw new Error(plan.error.message);
  tree.store(plan.value);
  return tree.node(plan.value.nodeId);
}

/** Returns who wrote what, as `name: words`. */
function written({ message, actor, authors = [] }: ForestNode): readonly string[] {
  const text = wordsOf(message);
  const ends = [...authors, { from: text.length, to: text.length, actor }];
  let at = 0;
  return ends.flatMap((each) => {
    const own = at < each.from ? [`${actor.name}: ${text.slice(at, each.from)}`] : [];
    at = each.to;
    return each.from === each.to ? own : [...own, `${each.actor.name}: ${text.slice(each.from, each.to)}`];
  });
}

describe("the authors of a message", () => {
  test("14.18 a reply whose edit is undone is the model's again", () => {
    const [tree, id] = treeWith(assistant("The fox sleeps in the wood."), voice);
    rewrite(tree, id, "The red fox sleeps here.");
    const undone = rewrite(tree, id, "The fox sleeps in the wood.", bob);
    expect([undone.actor, undone.authors, undone.edited]).toEqual([voice, undefined, undefined]);
    expect(written(undone)).toEqual(["Voice: The fox sleeps in the wood."]);
  });

  test("14.18 words that an edit in place keeps stay with the model, and new ones are the editor's", () => {
    const [tree, id] = treeWith(assistant("The fox sleeps in the wood."), voice);
    const edited = rewrite(tree, id, "The red fox sleeps here.");
    expect(written(edited)).toEqual(["Voice: The ", "Ada: red ", "Voice: fox sleeps ", "Ada: here", "Voice: ."]);
    expect(edited).toMatchObject({ id, actor: ada, edited: { by: [ada], original: "The fox sleeps in the wood." } });
    const again = rewrite(tree, id, "The red fox sleeps there.", bob);
    expect(again.edited).toEqual({ by: [ada, bob], original: "The fox sleeps in the wood." });
    expect(written(again).join(" ")).toContain("Ada: red");
  });

  test("14.2 a reply that is edited back to what the model had said counts as unedited", () => {
    const [tree, id] = treeWith(assistant("One two."), voice);
    expect(rewrite(tree, id, "One three.").edited).toBeDefined();
    const back = rewrite(tree, id, "One two.", bob);
    expect([back.edited, wordsOf(back.message)]).toEqual([undefined, "One two."]);
  });

  test("14.18 an edit above children splits, and each part knows its authors and what the model had said there", () => {
    const [tree, id] = treeWith(assistant("The fox sleeps in the wood."), voice);
    tree.grow(id, user("And then?"));
    const branch = rewrite(tree, id, "The fox sleeps by the river.");
    expect(tree.shape()).toEqual([
      ["half The fox sleeps ", [`${id} in the wood.`, ["n1 And then?"]], ["branch by the river."]],
    ]);
    expect(branch).toMatchObject({ actor: ada, edited: { by: [ada], original: "in the wood." } });
    expect([tree.node(newIds.half).edited, tree.node(id).edited]).toEqual([undefined, undefined]);
    expect(tree.node(newIds.half).actor).toEqual(voice);
  });

  test("14.18 a text that goes on below a reply with children is all the editor's", () => {
    const [tree, id] = treeWith(assistant("One."), voice);
    tree.grow(id, user("Next?"));
    const below = rewrite(tree, id, "One. Two.");
    expect(below).toMatchObject({ parentId: id, actor: ada, edited: { by: [ada], original: "" } });
    expect(written(below)).toEqual(["Ada:  Two."]);
  });

  test("K-13 a split cuts the authors and the model's words with the text", () => {
    const authors = [{ block: 0, from: 4, to: 8, actor: ada }];
    const edited = { by: [ada], original: "The fox sleeps." };
    const [tree, id] = treeWith(assistant("The red fox sleeps."), voice, { authors, edited });
    const plan = planSplit(tree.around(id), { at: 6, newId: newIds.half, now: 9 });
    if (!plan.ok) throw new Error(plan.error.message);
    const { left, right } = plan.value;
    expect([written(left), written(right)]).toEqual([
      ["Voice: The ", "Ada: re"],
      ["Ada: d ", "Voice: fox sleeps."],
    ]);
    expect([left.edited?.original, right.edited?.original].join("|")).toBe("The |fox sleeps.");
    const uncut = { ...right, authors: undefined, edited: undefined };
    expect(prefixHash(left.prefixHash, right.message)).toBe(prefixHash(left.prefixHash, uncut.message));
  });

  test("a split between what two people wrote leaves neither a part of no words", () => {
    const [red, fox] = [
      { block: 0, from: 4, to: 7, actor: ada },
      { block: 0, from: 7, to: 11, actor: bob },
    ];
    const [tree, id] = treeWith(assistant("The red fox sleeps."), voice, { authors: [red, fox] });
    const plan = planSplit(tree.around(id), { at: 7, newId: newIds.half, now: 9 });
    if (!plan.ok) throw new Error(plan.error.message);
    expect(plan.value.left.authors).toEqual([red]);
    expect(plan.value.right.authors).toEqual([{ ...fox, from: 0, to: 4 }]);
  });

  test("whatever is edited and split, every word has one author and the model's words are kept whole", () => {
    const words = fc.array(fc.constantFrom("fox", "wood", "river", "red", "sleeps", "."), {
      minLength: 1,
      maxLength: 12,
    });
    const edits = fc.array(fc.tuple(words, fc.constantFrom(ada, bob)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(words, edits, fc.nat(), (said, changes, cut) => {
        const [tree, id] = treeWith(assistant(said.join(" ")), voice);
        let node = tree.node(id);
        for (const [text, editor] of changes) node = rewrite(tree, id, text.join(" "), editor);
        const text = wordsOf(node.message);
        expect(
          written(node)
            .map((each) => each.slice(each.indexOf(": ") + 2))
            .join(""),
        ).toBe(text);
        if (text !== said.join(" ") && node.edited !== undefined) expect(node.edited.original).toBe(said.join(" "));
        const at = 1 + (cut % Math.max(1, text.length - 1));
        const plan = planSplit(tree.around(id), { at, newId: newIds.half, now: 9 });
        if (!plan.ok) return;
        const { left, right } = plan.value;
        const halves = [...written(left), ...written(right)].map((each) => each.slice(each.indexOf(": ") + 2));
        expect(halves.join("")).toBe(text);
        const before = [left, right].map(({ edited, message }) => edited?.original ?? wordsOf(message)).join("");
        if (node.edited !== undefined) expect(before).toBe(said.join(" "));
      }),
      { numRuns: scaled(300) },
    );
  });
});
