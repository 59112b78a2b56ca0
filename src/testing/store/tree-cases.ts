import { describe, expect, test } from "vitest";
import type { NodeId } from "../../core/base/ids.ts";
import type { Bookmark, ForestNode } from "../../core/forest/types.ts";
import { prefixHash } from "../../core/forest/prefix-hash.ts";
import type { Message } from "../../core/message/types.ts";
import { noUsage } from "../../core/message/usage.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import { awaiting, callId, model, node, nodeId, person, root, rootId, run, runId } from "./records.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";

/** Finding and deleting in the forest. */
export function describeTrees(open: OpenStore, rounds: number): void {
  describe("finding in the forest", () => {
    const fresh = freshStore(open);

    test("14.2 labels, data, origin, authors and variants of a message are read as stored", async () => {
      const plain = node("1");
      const labelled = node("2", {
        tags: ["later", "ünï 😀"],
        customData: { deep: [1, { a: null }] },
        splitFrom: nodeId("1"),
        continues: nodeId("9"),
        taint: { holdsPrivate: true, holdsUntrusted: false },
        authors: [
          { block: 0, from: 0, to: 2, actor: person },
          { block: 0, from: 2, to: 5, actor: model("1") },
        ],
        edited: { by: [person, model("1")], original: "ünï 😀 said\n" },
        excluded: true,
        collapsed: true,
        compacts: {
          through: nodeId("top"),
          messages: 41,
          tokensBefore: 9_000,
          tokensAfter: 800,
          by: "person",
          model: "m/m",
          editedBy: "Ada",
          outdated: true,
          off: true,
        },
        request: { model: "local/scribe", maxTokens: 10, temperature: 0.5, tools: ["block_read"], stop: "end" },
        variants: [
          { at: 1, actor: model("1"), usage: null },
          {
            at: 2,
            actor: person,
            usage: { inputTokens: 1, outputTokens: 2, cachedInputTokens: 0, thinkingTokens: 0 },
            request: { model: "m" },
          },
        ],
      });
      await fresh.make({ type: "put-root", root: root("a") }, putNode(plain), putNode(labelled));
      expect(await fresh.store().nodes(rootId("a"))).toEqual([plain, labelled]);
      const { id, createdAt, usage, actor, turnId: turn, request: facts, variants } = labelled;
      expect(await fresh.store().paidNodes(rootId("a"))).toEqual([
        { id, createdAt, usage, actor, turnId: turn, request: facts, variants },
      ]);
      const bare = node("2", { tags: [] });
      await fresh.make(putNode(bare));
      expect(await fresh.store().node(bare.id)).toEqual(bare);
    });

    test("a conversation keeps its tool syntax and can lose it again", async () => {
      await fresh.make({ type: "put-root", root: root("a", { toolSyntax: "caret" }) });
      expect(await fresh.store().root(rootId("a"))).toEqual(root("a", { toolSyntax: "caret" }));
      await fresh.make({ type: "put-root", root: root("a") });
      expect(await fresh.store().root(rootId("a"))).toEqual(root("a"));
    });

    test("a conversation keeps its runs' settings and its parent agent, and can lose them again", async () => {
      const ruled = root("a", {
        parent: { rootId: rootId("p"), runId: runId("p") },
        approvals: "writes",
        callPolicy: "parallel",
        budget: { tokens: 5, dollars: 0.25, steps: 3, subAgents: 0 },
        replies: { thinking: "low", toolsOff: ["shell"], fallbacks: ["a/b", "c/d"] },
        compaction: { at: 65, model: "m/small" },
        deletedUsage: [{ model: "m", usage: { ...noUsage, inputTokens: 4 }, requests: 2 }],
      });
      await fresh.make({ type: "put-root", root: root("p") }, { type: "put-root", root: ruled });
      expect(await fresh.store().root(rootId("a"))).toEqual(ruled);
      await fresh.make({ type: "put-root", root: root("a") });
      expect(await fresh.store().root(rootId("a"))).toEqual(root("a"));
      const orphan = root("b", { parent: { rootId: rootId("nowhere"), runId: runId("p") } });
      await expect(fresh.store().commit([{ type: "put-root", root: orphan }])).rejects.toThrow();
    });

    test("F-01 equal settings belong to one conversation, found by their hash", async () => {
      await fresh.make(
        { type: "put-root", root: root("a", { configHash: "h1" }) },
        { type: "put-root", root: root("b") },
      );
      expect(await fresh.store().rootByConfigHash("h1")).toEqual(root("a", { configHash: "h1" }));
      expect(await fresh.store().rootByConfigHash("h2")).toBeNull();
      const second = { type: "put-root", root: root("c", { configHash: "h1" }) } as const;
      expect(await fresh.refused(second)).toEqual({ code: "CONFLICT", index: 0, stored: null });
      const results = await Promise.all(
        ["d", "e", "f"].map((name) =>
          fresh.store().commit([{ type: "put-root", root: root(name, { configHash: "h2" }) }]),
        ),
      );
      expect(results.filter((result) => result.ok)).toHaveLength(1);
      await fresh.make({ type: "put-root", root: root("a") }, second);
      expect((await fresh.store().rootByConfigHash("h1"))?.id).toBe(rootId("c"));
    });

    test("the longest stored prefix of a conversation is found at every length", async () => {
      await fresh.make({ type: "put-root", root: root("a") }, { type: "put-root", root: root("b") });
      const chain = Array.from({ length: 9 }, (_, index) => link(index));
      await fresh.make(...chain.map(putNode), putNode(node("foreign", { rootId: rootId("b"), prefixHash: "h-0" })));
      const hashes = chain.map(({ prefixHash }) => prefixHash);
      for (let stored = 0; stored <= chain.length; stored += 1) {
        for (const more of [0, 1, 5, 40]) {
          const asked = [...hashes.slice(0, stored), ...Array.from({ length: more }, (_, index) => `new-${index}`)];
          const expected = stored === 0 ? null : { node: chain[stored - 1], length: stored };
          expect(await fresh.store().longestPrefix(rootId("a"), asked)).toEqual(expected);
        }
      }
      expect(await fresh.store().longestPrefix(rootId("b"), hashes)).toMatchObject({
        node: { id: nodeId("foreign") },
        length: 1,
      });
      expect(await fresh.store().longestPrefix(rootId("none"), hashes)).toBeNull();
      expect(await fresh.store().longestPrefix(rootId("a"), [""])).toBeNull();
    });

    test("the subtree of a message is read level by level, each oldest first", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      const [top, left, right, leaf, low] = [
        node("top"),
        node("left", { parentId: nodeId("top") }),
        node("right", { parentId: nodeId("top") }),
        node("leaf", { parentId: nodeId("right") }),
        node("low", { parentId: nodeId("left") }),
      ] as const;
      await fresh.make(...[top, left, right, leaf, low, node("other")].map(putNode));
      const store = fresh.store();
      expect(await store.subtree(top.id)).toEqual([top, left, right, leaf, low]);
      expect(await store.subtree(right.id)).toEqual([right, leaf]);
      expect(await store.subtree(low.id)).toEqual([low]);
      expect(await store.subtree(nodeId("none"))).toEqual([]);
      // A younger message may be above an older one after a split.
      const above = node("above", { parentId: nodeId("top") });
      const moved = { ...right, parentId: above.id };
      await fresh.make(putNode(above), putNode(moved));
      expect(await store.subtree(top.id)).toEqual([top, left, above, moved, low, leaf]);
    });

    test("14.10 a reply that ended before it was whole is read as a reply, in the path and in the outline", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      const content = [{ type: "text", text: "half" }] as const;
      const broken = node("broken", { message: { role: "assistant", content: [...content], interrupted: true } });
      await fresh.make(putNode(broken));
      expect(await fresh.store().path(broken.id)).toEqual([broken]);
      expect((await fresh.store().outline(rootId("a")))[0]).toMatchObject({ id: broken.id, role: "assistant" });
    });

    test("F-46 the outline has every message, no content, and follows each change", async () => {
      await fresh.make({ type: "put-root", root: root("a") }, { type: "put-root", root: root("b") });
      const secret = "nobody reads this in an outline";
      const said = (name: string, change: Partial<ForestNode> = {}) =>
        node(name, { message: { role: "user", content: [{ type: "text", text: secret }] }, ...change });
      const tool = {
        role: "tool",
        tool_call_id: callId("1"),
        tool_name: "t",
        content: [{ type: "text", text: secret }],
        outcome: "ok",
      } as const;
      const one = said("1", { createdAt: 7 });
      const elsewhere = said("x", { rootId: rootId("b") });
      const two = said("2", {
        parentId: one.id,
        message: { role: "assistant", content: [{ type: "text", text: secret }] },
      });
      const three = said("3", { parentId: two.id, message: tool });
      const four = said("4", { message: { role: "system", content: [{ type: "text", text: secret }] } });
      for (const each of [one, elsewhere, two, three, four]) await fresh.make(putNode(each));
      const store = fresh.store();
      const outlined = (nodes: readonly ForestNode[]) =>
        nodes.map(({ id, rootId: of, parentId, message, createdAt }) => ({
          id,
          rootId: of,
          parentId,
          role: message.role,
          createdAt,
        }));
      expect(await store.outline(rootId("a"))).toEqual(outlined([one, two, three, four]));
      expect(await store.outline(null)).toEqual(outlined([one, elsewhere, two, three, four]));
      expect(await store.outline(rootId("none"))).toEqual([]);
      expect(JSON.stringify(await store.outline(null))).not.toContain("nobody");
      const moved = { ...three, parentId: one.id };
      await fresh.make(putNode(moved), deletion("a", two.id));
      expect(await store.outline(rootId("a"))).toEqual(outlined([one, moved, four]));
    });

    test("F-46 the outline of 10,000 long messages is read within a second", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      const text = "what an outline does not read ".repeat(30);
      const nodes = Array.from({ length: 10_000 }, (_, index) =>
        node(String(index), {
          parentId: index === 0 ? null : nodeId(String(Math.floor((index - 1) / 3))),
          prefixHash: String(index),
          message: { role: "user", content: [{ type: "text", text }] },
        }),
      );
      await fresh.make(...nodes.map(putNode));
      const began = performance.now();
      const outline = await fresh.store().outline(rootId("a"));
      expect(performance.now() - began).toBeLessThan(1_000);
      expect(outline.map(({ id, parentId }) => ({ id, parentId }))).toEqual(
        nodes.map(({ id, parentId }) => ({ id, parentId })),
      );
    });

    test("F-13 fifty messages appended below one parent at once are its fifty children, also right after the root's creation", async () => {
      for (let round = 0; round < rounds; round += 1) {
        const name = `r${round}`;
        const of = rootId(name);
        const parent = node(`${name}-top`, { rootId: of, prefixHash: `${name}-top` });
        const children = Array.from({ length: 50 }, (_, index) =>
          node(`${name}-${index}`, { rootId: of, parentId: parent.id, prefixHash: `${name}-${index}` }),
        );
        const tops = children.map(({ id, ...rest }) => ({ ...rest, id: nodeId(`${id}-top`), parentId: null }));
        const store = fresh.store();
        // All are requested at once: none waits for the root or the parent.
        const results = await Promise.all([
          store.commit([{ type: "put-root", root: root(name) }, putNode(parent)]),
          ...[...tops, ...children].map((each) => store.commit([putNode(each)])),
        ]);
        expect(results.every((result) => result.ok)).toBe(true);
        expect(await store.children(of, parent.id)).toEqual(children);
        expect(await store.children(of, null)).toEqual([parent, ...tops]);
        expect(await store.outline(of)).toHaveLength(101);
      }
    }, 120_000);
  });

  describe("deleting messages", () => {
    const fresh = freshStore(open);

    test("F-25 a deleted leaf leaves its ancestors", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      const [one, two, three] = [link(0), link(1), link(2)];
      await fresh.make(...[one, two, three].map(putNode));
      await fresh.make(deletion("a", three.id));
      const store = fresh.store();
      expect(await store.nodes(rootId("a"))).toEqual([one, two]);
      expect(await store.node(three.id)).toBeNull();
      expect(await store.path(three.id)).toEqual([]);
      expect(await store.children(rootId("a"), two.id)).toEqual([]);
      expect(await store.subtree(one.id)).toEqual([one, two]);
      expect(await store.nodeByPrefixHash(rootId("a"), three.prefixHash)).toBeNull();
      const hashes = [one, two, three].map(({ prefixHash }) => prefixHash);
      expect(await store.longestPrefix(rootId("a"), hashes)).toEqual({ node: two, length: 2 });
    });

    test("F-25 a subtree is deleted at once with its bookmarks, whatever the order of its ids", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      const [one, two, three] = [link(0), link(1), link(2)];
      await fresh.make(...[one, two, three].map(putNode));
      const kept = [bookmark("the root", null), bookmark("one", one.id)];
      const deleted = [bookmark("two", two.id), bookmark("three", three.id)];
      await fresh.make(...[...kept, ...deleted].map((each) => ({ type: "put-bookmark", bookmark: each }) as const));
      await fresh.make(deletion("a", two.id, three.id, two.id));
      expect(await fresh.store().nodes(rootId("a"))).toEqual([one]);
      expect(await fresh.store().bookmarks(null)).toEqual(kept.toReversed());
    });

    test("F-25 a message with children is not deleted alone", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      const [one, two, three] = [link(0), link(1), link(2)];
      await fresh.make(...[one, two, three].map(putNode));
      for (const ids of [[one.id], [two.id], [one.id, two.id], [one.id, three.id]]) {
        expect(await fresh.refused(deletion("a", ...ids))).toEqual({ code: "CONFLICT", index: 0, stored: null });
      }
      expect(await fresh.store().nodes(rootId("a"))).toEqual([one, two, three]);
    });

    test("F-25 children of a deleted message can move to its parent in the same commit, and keep their order", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      const top = node("top");
      const middle = node("middle", { parentId: top.id });
      const below = ["x", "y", "z"].map((name) => node(name, { parentId: middle.id }));
      const beside = node("beside", { parentId: top.id });
      await fresh.make(...[top, middle, ...below, beside].map(putNode));
      const moved = below.map((each) => ({ ...each, parentId: top.id, prefixHash: `moved-${each.id}` }));
      await fresh.make(...moved.map(putNode), deletion("a", middle.id));
      expect(await fresh.store().children(rootId("a"), top.id)).toEqual([...moved, beside]);
      expect(await fresh.store().nodeByPrefixHash(rootId("a"), below[0]?.prefixHash ?? "")).toBeNull();
    });

    test("a change rehashes every message below it on every branch and changes nothing else of them", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      const said = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
      const hashed = (name: string, parent: ForestNode | null): ForestNode => {
        const message = said(`${name}: ü \ud83d\ude00`);
        const hash = prefixHash(parent?.prefixHash ?? null, message);
        return node(name, { parentId: parent?.id ?? null, message, prefixHash: hash, tags: [name] });
      };
      const treeBelow = (top: ForestNode): readonly ForestNode[] => {
        const left = hashed("left", top);
        const right = hashed("right", top);
        return [left, right, hashed("leaf", left), hashed("twig", right)];
      };
      const top = hashed("top", null);
      const beside = hashed("beside", null);
      await fresh.make(...[top, ...treeBelow(top), beside].map(putNode));
      const half = hashed("half", null);
      const moved = {
        ...top,
        parentId: half.id,
        message: said("rest"),
        prefixHash: prefixHash(half.prefixHash, said("rest")),
      };
      const none = { type: "rehash-below", nodeId: nodeId("none") } as const;
      await fresh.make(putNode(half), putNode(moved), { type: "rehash-below", nodeId: moved.id }, none);
      expect(await fresh.store().nodes(rootId("a"))).toEqual([moved, ...treeBelow(moved), beside, half]);
      const [left] = treeBelow(moved);
      expect(await fresh.store().nodeByPrefixHash(rootId("a"), left?.prefixHash ?? "")).toEqual(left);
      expect(await fresh.store().nodeByPrefixHash(rootId("a"), treeBelow(top)[0]?.prefixHash ?? "")).toBeNull();
      const depths = (await fresh.store().nodes(rootId("a"))).map(({ id }) => fresh.store().depth(id));
      expect(await Promise.all(depths)).toEqual([1, 2, 2, 3, 3, 0, 0]);
    });

    test("hashes below a change stay when the commit is refused", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      const chain = [link(0), link(1), link(2)];
      await fresh.make(...chain.map(putNode));
      const refused = { type: "put-run", run: run("a"), expectedEventSeq: 7 } as const;
      expect(await fresh.refused({ type: "rehash-below", nodeId: nodeId("link-0") }, refused)).toMatchObject({
        index: 1,
      });
      expect(await fresh.store().nodes(rootId("a"))).toEqual(chain);
    });

    test("F-25 missing messages are skipped, and messages of another conversation are not deleted", async () => {
      await fresh.make({ type: "put-root", root: root("a") }, { type: "put-root", root: root("b") });
      await fresh.make(putNode(node("1")));
      await fresh.make(deletion("a"), deletion("a", nodeId("never-was")), deletion("a", nodeId("1")));
      await fresh.make(deletion("a", nodeId("1")));
      await fresh.make(putNode(node("never-was")));
      await expect(fresh.store().commit([deletion("b", nodeId("never-was"))])).rejects.toThrow();
      expect(await fresh.store().nodes(rootId("a"))).toEqual([node("never-was")]);
    });

    test("F-26 the id of a deleted message is never accepted again, also after a restart", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      await fresh.make(putNode(node("1")), putNode(node("2")));
      await fresh.make(deletion("a", nodeId("1")));
      const refusal = { code: "CONFLICT", index: 1, stored: null };
      expect(await fresh.refused(putNode(node("3")), putNode(node("1")))).toEqual(refusal);
      expect(await fresh.refused(deletion("a", nodeId("2")), putNode(node("2")))).toEqual(refusal);
      expect(await fresh.store().nodes(rootId("a"))).toEqual([node("2")]);
      if (!fresh.canReopen()) return;
      await fresh.reopened();
      expect(await fresh.refused(putNode(node("3")), putNode(node("1")))).toEqual(refusal);
    });

    test("no message is deleted while an active run is at it", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      const [one, two] = [link(0), link(1)];
      await fresh.make(putNode(one), putNode(two));
      const busy = run("a", { state: awaiting, headNodeId: two.id });
      await fresh.make({ type: "put-run", run: busy, expectedEventSeq: null });
      expect(await fresh.refused(deletion("a", two.id))).toEqual({ code: "CONFLICT", index: 0, stored: null });
      expect(await fresh.refused(deletion("a", one.id, two.id))).toMatchObject({ code: "CONFLICT" });
      await fresh.make({
        type: "put-run",
        run: { ...busy, state: { type: "idle" }, eventSeq: 1 },
        expectedEventSeq: 0,
      });
      await fresh.make(deletion("a", two.id));
    });

    test("an idle run moves back to the nearest remaining message", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      const [one, two, three, four] = [link(0), link(1), link(2), link(3)];
      await fresh.make(...[one, two, three, four, node("aside")].map(putNode));
      const resting = [
        run("a", { headNodeId: four.id }),
        run("b", { headNodeId: three.id, state: { type: "error", kind: "network", detail: "network", message: "" } }),
        run("c", { headNodeId: nodeId("aside") }),
        run("d", { headNodeId: one.id }),
        run("e"),
      ];
      await fresh.make(...resting.map((each) => ({ type: "put-run", run: each, expectedEventSeq: null }) as const));
      await fresh.make(deletion("a", four.id, three.id, nodeId("aside")));
      const heads = [two.id, two.id, null, one.id, null];
      expect(await fresh.store().runs(rootId("a"))).toEqual(
        resting.map((each, index) => ({ ...each, headNodeId: heads[index] ?? null })),
      );
      expect((await fresh.store().run(runId("a")))?.eventSeq).toBe(0);
    });

    test("a refused or broken commit deletes nothing", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      const [one, two] = [link(0), link(1)];
      await fresh.make(putNode(one), putNode(two), { type: "put-bookmark", bookmark: bookmark("t", two.id) });
      const resting = run("a", { headNodeId: two.id });
      await fresh.make({ type: "put-run", run: resting, expectedEventSeq: null });
      await fresh.refused(deletion("a", two.id), { type: "put-run", run: resting, expectedEventSeq: 9 });
      const orphan = putNode(node("3", { parentId: two.id }));
      await expect(fresh.store().commit([deletion("a", two.id), orphan])).rejects.toThrow();
      const store = fresh.store();
      expect(await store.nodes(rootId("a"))).toEqual([one, two]);
      expect(await store.children(rootId("a"), one.id)).toEqual([two]);
      expect(await store.nodeByPrefixHash(rootId("a"), two.prefixHash)).toEqual(two);
      expect(await store.bookmarks(null)).toEqual([bookmark("t", two.id)]);
      expect(await store.run(runId("a"))).toEqual(resting);
      await fresh.make(putNode(node("3", { parentId: two.id })));
    });
  });

  describe("bookmarks", () => {
    const fresh = freshStore(open);

    test("bookmarks are found by their title, which is their key, in the order of its code points", async () => {
      await fresh.make({ type: "put-root", root: root("a") }, { type: "put-root", root: root("b") });
      await fresh.make(putNode(node("1")), putNode(node("2")));
      const all = [
        bookmark("\u{1F600}", null),
        bookmark("\uFFFD", nodeId("1")),
        bookmark("b", nodeId("2")),
        bookmark("B", null, "b"),
        bookmark("", null),
      ];
      await fresh.make(...all.map((each) => ({ type: "put-bookmark", bookmark: each }) as const));
      const store = fresh.store();
      expect(await store.bookmarks(null)).toEqual(all.toReversed());
      expect(await store.bookmarks(rootId("b"))).toEqual([all[3]]);
      expect(await store.bookmarks(rootId("none"))).toEqual([]);
      const moved = { ...bookmark("b", null, "b"), createdAt: 5, updatedAt: 9 };
      await fresh.make({ type: "put-bookmark", bookmark: moved }, { type: "delete-bookmark", title: "B" });
      await fresh.make({ type: "delete-bookmark", title: "never was" });
      expect(await store.bookmarks(rootId("b"))).toEqual([moved]);
      expect(await store.bookmarks(rootId("a"))).toHaveLength(3);
    });

    test("bookmarks need their message, in the conversation that they name", async () => {
      await fresh.make({ type: "put-root", root: root("a") }, { type: "put-root", root: root("b") });
      await fresh.make(putNode(node("1")));
      for (const wrong of [
        bookmark("t", nodeId("none")),
        bookmark("t", nodeId("1"), "b"),
        bookmark("t", null, "none"),
      ]) {
        await expect(fresh.store().commit([{ type: "put-bookmark", bookmark: wrong }])).rejects.toThrow();
      }
      expect(await fresh.store().bookmarks(null)).toEqual([]);
    });
  });
}

function putNode(of: ForestNode): Extract<StoreWrite, { readonly type: "put-node" }> {
  return { type: "put-node", node: of };
}

function deletion(of: string, ...ids: readonly NodeId[]): Extract<StoreWrite, { readonly type: "delete-nodes" }> {
  return { type: "delete-nodes", rootId: rootId(of), ids, at: 9_000 };
}

function bookmark(title: string, on: NodeId | null, of = "a"): Bookmark {
  return { title, rootId: rootId(of), nodeId: on, createdAt: 1, updatedAt: 2 };
}

/** The node at that depth in a chain of nodes, each below the previous one; their prefix hashes are `h-0`, `h-1`, … */
function link(depth: number): ForestNode {
  return node(`link-${depth}`, {
    parentId: depth === 0 ? null : nodeId(`link-${depth - 1}`),
    prefixHash: `h-${depth}`,
  });
}
