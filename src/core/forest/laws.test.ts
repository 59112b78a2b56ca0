import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import type { NodeId } from "../base/ids.ts";
import { isNonEmpty, type NonEmptyArray } from "../base/non-empty.ts";
import { asking, result } from "../message/message.test-support.ts";
import { openCalls } from "../message/transcript.ts";
import type { Message, TextBlock } from "../message/types.ts";
import { planAppend, prepareAppend } from "./append.ts";
import { planContentEdit } from "./content-edit.ts";
import { planDelete } from "./delete.ts";
import { bob, Tree, wordsOf } from "./forest.test-support.ts";
import { prefixHash } from "./prefix-hash.ts";
import { planSplit } from "./split.ts";
import type { ForestNode } from "./types.ts";

// Few texts with common prefixes, so that equal siblings are frequent, some with characters of several units.
const words = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("a", "ab", "abb", "b") },
  {
    weight: 1,
    arbitrary: fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "😀", "😁", "e", "e\u0301"), maxLength: 5 }),
  },
);
/** A text in one block or several, some of them empty. */
const texts = fc
  .tuple(words, fc.array(fc.oneof(words, fc.constant("")), { maxLength: 2 }))
  .map(([first, rest]): Texts => [first, ...rest]);
type Texts = readonly [string, ...string[]];

function blocksOf([first, ...rest]: Texts): NonEmptyArray<TextBlock> {
  return [{ type: "text", text: first }, ...rest.map((text): TextBlock => ({ type: "text", text }))];
}

function chainOf(spoken: fc.Arbitrary<Texts>): fc.Arbitrary<readonly Message[]> {
  const content = spoken.map(blocksOf);
  return fc
    .array(
      fc.oneof(
        { weight: 4, arbitrary: content.map((each): readonly Message[] => [{ role: "user", content: each }]) },
        { weight: 4, arbitrary: content.map((each): readonly Message[] => [{ role: "assistant", content: each }]) },
        { weight: 1, arbitrary: fc.constant<readonly Message[]>([asking("1"), result("1")]) },
        { weight: 1, arbitrary: fc.constant<readonly Message[]>([asking("1", "2"), result("1"), result("2", "")]) },
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((parts) => parts.flat());
}

/** An action of a person; `node` and `at` are taken modulo the available range. */
type Action =
  | { readonly type: "append"; readonly node: number; readonly messages: readonly Message[] }
  | { readonly type: "split"; readonly node: number; readonly at: number }
  | { readonly type: "edit"; readonly node: number; readonly texts: readonly [string, ...string[]] }
  | { readonly type: "cascade" | "reparent"; readonly node: number };

const place = fc.nat(60);
function actionsOf(spoken: fc.Arbitrary<Texts>): fc.Arbitrary<readonly Action[]> {
  const action: fc.Arbitrary<Action> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant("append"), node: place, messages: chainOf(spoken) }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant("split"), node: place, at: fc.nat(6) }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant("edit"), node: place, texts }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("cascade"), node: place }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("reparent"), node: place }) },
  );
  return fc.array(action, { minLength: 1, maxLength: 14 });
}
const actions = actionsOf(texts);
// Comparison ignores a block of blanks, so a matching node may have more or fewer blanks.
const actionsInOneBlock = actionsOf(words.map((text): Texts => [text]));

const said = (path: readonly ForestNode[]): readonly string[] =>
  path.map(({ message }) => `${message.role}: ${wordsOf(message)}`);
/** Returns what a path says, regardless of node bounds. */
const wordsAlong = (path: readonly ForestNode[]): string => path.map(({ message }) => wordsOf(message)).join("");

/** Performs an action; returns the resulting node, or null when it was refused. */
function perform(tree: Tree, act: Action): { readonly nodeId: NodeId | null } | null {
  if (act.type === "append") {
    const parent = act.node === 0 ? undefined : tree.nodes[act.node % Math.max(1, tree.nodes.length)];
    return append(tree, parent?.id ?? null, act.messages);
  }
  const node = tree.nodes[act.node % Math.max(1, tree.nodes.length)];
  if (node === undefined) return null;
  const around = tree.around(node.id);
  if (act.type === "split") {
    const plan = planSplit(around, { at: act.at, newId: tree.newId(), now: 1 });
    if (!plan.ok) return null;
    tree.store(plan.value);
    return { nodeId: node.id };
  }
  if (act.type === "edit") {
    const newIds = { half: tree.newId(), branch: tree.newId() };
    const plan = planContentEdit(around, { content: blocksOf(act.texts), editor: bob, now: 1, newIds });
    if (!plan.ok) return null;
    tree.store(plan.value);
    return { nodeId: plan.value.nodeId };
  }
  const below = act.type === "cascade" ? around.below : tree.near(node.id);
  const plan = planDelete({ ...around, below }, act.type);
  if (!plan.ok) return null;
  tree.store(plan.value);
  return { nodeId: null };
}

function append(tree: Tree, parentId: NodeId | null, messages: readonly Message[]): { nodeId: NodeId | null } | null {
  const prepared = prepareAppend(parentId === null ? [] : tree.path(parentId), messages);
  if (!prepared.ok) return null;
  const existing: ForestNode[] = [];
  for (const { prefixHash: hash } of prepared.value) {
    const found = tree.children(existing.at(-1)?.id ?? parentId).find((each) => each.prefixHash === hash);
    if (found === undefined) break;
    existing.push(found);
  }
  const plan = planAppend(parentId, prepared.value, existing);
  const rest: readonly Message[] = plan.created.map(({ message }) => message);
  return { nodeId: isNonEmpty(rest) ? tree.grow(plan.attachTo, ...rest).id : plan.attachTo };
}

test("the tree stays valid under any sequence of appends, splits, edits and deletions", () => {
  const happened = new Map<Action["type"], number>();
  fc.assert(
    fc.property(actions, (acts) => {
      const tree = new Tree();
      const deletedIds = new Set<NodeId>();
      for (const act of acts) {
        const before = new Map(tree.nodes.map((node) => [node.id, node]));
        const done = perform(tree, act);
        if (done !== null) happened.set(act.type, (happened.get(act.type) ?? 0) + 1);
        const ids = new Set(tree.nodes.map((node) => node.id));
        for (const id of before.keys()) if (!ids.has(id)) deletedIds.add(id);
        expect(ids.size, "one node an id").toBe(tree.nodes.length);
        for (const node of tree.nodes) {
          expect(deletedIds.has(node.id), "no id is used again").toBe(false);
          // `path` would not return on a cycle, and throws without a parent.
          const path = tree.path(node.id);
          expect(node.prefixHash).toBe(prefixHash(path.at(-2)?.prefixHash ?? null, node.message));
          expect(openCalls(path.map((each) => each.message)).ok, "a history that providers take").toBe(true);
          expect(wordsOf(node.message).isWellFormed(), "no character is cut").toBe(true);
          const twins = tree.children(node.parentId).filter((each) => each.prefixHash === node.prefixHash);
          expect(twins.length, "no message occurs twice at one place").toBe(1);
        }
        if (done === null) expect(tree.nodes).toEqual([...before.values()]);
      }
    }),
    { numRuns: scaled(400) },
  );
  // The law means something only if every kind of action happened.
  expect([...happened.keys()].toSorted()).toEqual(["append", "cascade", "edit", "reparent", "split"]);
});

test("a split and an edit change no text along existing paths", () => {
  fc.assert(
    fc.property(actions, fc.constantFrom("split", "edit"), place, fc.nat(6), texts, (acts, type, node, at, edited) => {
      const tree = new Tree();
      for (const act of acts) perform(tree, act);
      const chosen = tree.nodes[node % Math.max(1, tree.nodes.length)];
      if (chosen === undefined) return;
      const isLeaf = tree.children(chosen.id).length === 0;
      const before = tree.nodes.map((each) => ({ id: each.id, words: wordsAlong(tree.path(each.id)) }));
      perform(tree, type === "split" ? { type: "split", node, at } : { type: "edit", node, texts: edited });
      for (const { id, words: expected } of before) {
        if (isLeaf && type === "edit" && id === chosen.id) continue;
        expect(wordsAlong(tree.path(id))).toBe(expected);
      }
    }),
    { numRuns: scaled(400) },
  );
});

test("F-27 an edit returns a node whose path says the new text, where bookmarks move to", () => {
  fc.assert(
    fc.property(actionsInOneBlock, place, texts, (acts, at, edited) => {
      const tree = new Tree();
      for (const act of acts) perform(tree, act);
      const chosen = tree.nodes[at % Math.max(1, tree.nodes.length)];
      if (chosen === undefined) return;
      const above = wordsAlong(tree.path(chosen.id).slice(0, -1));
      const done = perform(tree, { type: "edit", node: at, texts: edited });
      if (done?.nodeId === null || done === null) return;
      const path = tree.path(done.nodeId);
      expect(wordsAlong(path)).toBe(above + edited.join(""));
      expect(path.at(-1)?.message.role).toBe(chosen.message.role);
    }),
    { numRuns: scaled(400) },
  );
});

test("reparenting removes the deleted node from each path, and nothing else", () => {
  fc.assert(
    fc.property(actions, place, (acts, at) => {
      const tree = new Tree();
      for (const act of acts) perform(tree, act);
      const before = new Map(tree.nodes.map((each) => [each.id, tree.path(each.id)]));
      perform(tree, { type: "reparent", node: at });
      for (const each of tree.nodes) {
        const stays = (before.get(each.id) ?? []).filter(({ id }) => tree.nodes.some((node) => node.id === id));
        expect(said(tree.path(each.id))).toEqual(said(stays));
      }
    }),
    { numRuns: scaled(400) },
  );
});
