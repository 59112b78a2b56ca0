import { describe, expect, test } from "vitest";
import { callId, model, node, nodeId, root, rootId, runId, turnId } from "./records.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";

/** Roots and nodes. */
export function describeForest(open: OpenStore): void {
  describe("conversations and messages", () => {
    const fresh = freshStore(open);

    test("an empty store returns nothing", async () => {
      const store = fresh.store();
      expect(await store.roots()).toEqual([]);
      expect(await store.root(rootId("a"))).toBeNull();
      expect(await store.nodes(rootId("a"))).toEqual([]);
      expect(await store.node(nodeId("a"))).toBeNull();
      expect(await store.path(nodeId("a"))).toEqual([]);
      expect(await store.children(rootId("a"), null)).toEqual([]);
      expect(await store.nodeByPrefixHash(rootId("a"), "x")).toBeNull();
    });

    test("conversations are read as stored, in order of creation, whatever their ids", async () => {
      await fresh.make({ type: "put-root", root: root("z") });
      await fresh.make({ type: "put-root", root: root("b", { canvasId: null, archived: true }) });
      const changed = root("z", { title: "New title", archived: true, updatedAt: 9_000 });
      await fresh.make({ type: "put-root", root: changed });
      expect(await fresh.store().roots()).toEqual([changed, root("b", { archived: true })]);
      expect(await fresh.store().root(rootId("z"))).toEqual(changed);
    });

    test("a conversation keeps its pin and its tags, and loses them", async () => {
      const filed = root("a", { pinned: true, tags: ["tea", "2026 “plans”"] });
      await fresh.make({ type: "put-root", root: filed });
      expect(await fresh.store().root(rootId("a"))).toEqual(filed);
      await fresh.make({ type: "put-root", root: root("a") });
      expect(await fresh.store().root(rootId("a"))).toEqual(root("a"));
    });

    test("lastMessages returns when each conversation was last added to", async () => {
      await fresh.make({ type: "put-root", root: root("a") }, { type: "put-root", root: root("b") });
      await fresh.make(
        { type: "put-node", node: node("1", { createdAt: 5_000 }) },
        { type: "put-node", node: node("2", { parentId: nodeId("1"), createdAt: 7_000 }) },
      );
      expect(await fresh.store().lastMessages()).toEqual([
        { rootId: rootId("a"), at: 7_000 },
        { rootId: rootId("b"), at: null },
      ]);
    });

    test("a slug belongs to one conversation", async () => {
      await fresh.make({ type: "put-root", root: root("a", { slug: "tea" }) });
      const taken = root("b", { slug: "tea" });
      expect(await fresh.refused({ type: "put-root", root: taken })).toEqual({
        code: "CONFLICT",
        index: 0,
        stored: null,
      });
      expect(await fresh.store().roots()).toHaveLength(1);
      await fresh.make({ type: "put-root", root: root("a", { slug: "coffee" }) }, { type: "put-root", root: taken });
    });

    test("messages survive a round trip: calls, results, thinking, usage, actor", async () => {
      const asked = node("asked");
      const answered = node("answered", {
        parentId: asked.id,
        message: {
          role: "assistant",
          content: [
            { type: "thinking", text: "hm", signature: "s", native: { api: "x", data: { deep: [1, { a: null }] } } },
            { type: "tool-use", id: callId("1"), name: "block_read", parameters: { path: "a" }, rawParameters: "{ }" },
          ],
          interrupted: true,
          origin: { api: "x", provider: "local", model: "scribe" },
        },
        actor: model("1"),
        runId: runId("a"),
        turnId: turnId("1"),
        usage: { inputTokens: 10, outputTokens: 2, cachedInputTokens: 3, thinkingTokens: 1 },
      });
      const result = node("result", {
        parentId: answered.id,
        message: {
          role: "tool",
          tool_call_id: callId("1"),
          tool_name: "block_read",
          content: [{ type: "text", text: "" }],
          outcome: "unknown",
          synthetic: true,
        },
      });
      const writes = [asked, answered, result].map((each) => ({ type: "put-node", node: each }) as const);
      await fresh.make({ type: "put-root", root: root("a") }, ...writes);
      expect(await fresh.store().nodes(rootId("a"))).toEqual([asked, answered, result]);
      const { id, createdAt, usage, actor, turnId: turn } = answered;
      expect(await fresh.store().paidNodes(rootId("a"))).toEqual([{ id, createdAt, usage, actor, turnId: turn }]);
      expect(await fresh.store().path(result.id)).toEqual([asked, answered, result]);
      expect(await fresh.store().node(answered.id)).toEqual(answered);
    });

    test("texts keep a NUL and, in messages, halves of surrogate pairs", async () => {
      const titled = root("a", { title: "a\u0000b", systemPrompt: "\u0000" });
      const text = "\u0000 \uD83D \uDE00 \uDE00\uD83D \u0010 \\u0000 😀";
      const said = node("1", {
        message: { role: "user", content: [{ type: "text", text }] },
        customData: { [text]: text },
      });
      await fresh.make({ type: "put-root", root: titled }, { type: "put-node", node: said });
      expect(await fresh.store().roots()).toEqual([titled]);
      expect(await fresh.store().nodes(rootId("a"))).toEqual([said]);
    });

    test("paths, children and prefixes follow the tree", async () => {
      await fresh.make({ type: "put-root", root: root("a") }, { type: "put-root", root: root("b") });
      const tree = [
        node("top"),
        node("left", { parentId: nodeId("top") }),
        node("right", { parentId: nodeId("top"), prefixHash: "hash-left" }),
        node("leaf", { parentId: nodeId("left") }),
        node("other", { prefixHash: "hash-top" }),
      ];
      for (const each of tree) await fresh.make({ type: "put-node", node: each });
      await fresh.make({ type: "put-node", node: node("foreign", { rootId: rootId("b"), prefixHash: "hash-leaf" }) });
      const [top, left, right, leaf, other] = tree;
      const store = fresh.store();
      expect(await store.path(nodeId("leaf"))).toEqual([top, left, leaf]);
      expect(await store.path(nodeId("top"))).toEqual([top]);
      expect(await store.children(rootId("a"), nodeId("top"))).toEqual([left, right]);
      expect(await store.children(rootId("a"), null)).toEqual([top, other]);
      expect(await store.childByHash(rootId("a"), nodeId("top"), "hash-left")).toEqual(left);
      expect(await store.childByHash(rootId("a"), null, "hash-top")).toEqual(top);
      expect(await store.childByHash(rootId("a"), null, "hash-left")).toBeNull();
      expect(await store.pathEnd(nodeId("leaf"), 2)).toEqual([left, leaf]);
      expect(await store.pathEnd(nodeId("leaf"), 9)).toEqual([top, left, leaf]);
      expect(await store.pathEnd(nodeId("unknown"), 9)).toEqual([]);
      const below = { rootId: rootId("a"), parentId: nodeId("top"), before: null, limit: 9 };
      expect(await store.childrenBefore(below)).toEqual([left, right]);
      expect(await store.childrenBefore({ ...below, limit: 1 })).toEqual([right]);
      expect(await store.childrenBefore({ ...below, before: nodeId("right") })).toEqual([left]);
      expect(await store.childrenBefore({ ...below, parentId: null, before: nodeId("other") })).toEqual([top]);
      const counted = [nodeId("leaf"), null, nodeId("top"), nodeId("left")];
      expect(await store.childCounts(rootId("a"), counted)).toEqual([0, 2, 2, 1]);
      expect(await store.leafBelow(rootId("a"), nodeId("left"))).toBe(nodeId("leaf"));
      expect(await store.leafBelow(rootId("a"), nodeId("top"))).toBe(nodeId("right"));
      expect(await store.leafBelow(rootId("a"), null)).toBe(nodeId("other"));
      expect(await store.leafBelow(rootId("empty"), null)).toBeNull();
      expect(await Promise.all(["top", "leaf", "unknown"].map((name) => store.depth(nodeId(name))))).toEqual([0, 2, 0]);
      expect(await Promise.all([3, 9].map((atMost) => store.nodeCount(rootId("a"), atMost)))).toEqual([3, 5]);
      expect(await store.children(rootId("a"), nodeId("leaf"))).toEqual([]);
      expect(await store.nodeByPrefixHash(rootId("a"), "hash-left")).toEqual(left);
      expect(await store.nodeByPrefixHash(rootId("a"), "hash-top")).toEqual(top);
      expect((await store.nodeByPrefixHash(rootId("b"), "hash-leaf"))?.id).toBe(nodeId("foreign"));
    });

    test("a message that is stored again keeps its place", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      await fresh.make({ type: "put-node", node: node("1") }, { type: "put-node", node: node("2") });
      const edited = node("1", { message: { role: "system", content: [{ type: "text", text: "edited" }] } });
      await fresh.make({ type: "put-node", node: edited });
      expect(await fresh.store().nodes(rootId("a"))).toEqual([edited, node("2")]);
    });

    test("a message may move within its conversation, but not below itself or into another", async () => {
      await fresh.make({ type: "put-root", root: root("a") }, { type: "put-root", root: root("b") });
      const below = (name: string, parent: string | null) =>
        ({ type: "put-node", node: node(name, { parentId: parent === null ? null : nodeId(parent) }) }) as const;
      await fresh.make(below("1", null), below("2", "1"), below("3", "2"));
      for (const parent of ["1", "2", "3"]) {
        await expect(fresh.store().commit([below("1", parent)])).rejects.toThrow();
      }
      await expect(fresh.store().commit([below("4", "4")])).rejects.toThrow();
      const moved = { type: "put-node", node: node("3", { rootId: rootId("b") }) } as const;
      await expect(fresh.store().commit([moved])).rejects.toThrow();
      await fresh.make(below("3", "1"), below("2", "3"));
      const path = await fresh.store().path(nodeId("2"));
      expect(path.map((each) => each.id)).toEqual([nodeId("1"), nodeId("3"), nodeId("2")]);
    });

    test("a message without its conversation or parent fails the whole commit", async () => {
      const orphan = { type: "put-node", node: node("orphan") } as const;
      await expect(fresh.store().commit([orphan])).rejects.toThrow();
      const below = { type: "put-node", node: node("below", { parentId: nodeId("nowhere") }) } as const;
      await expect(fresh.store().commit([{ type: "put-root", root: root("a") }, below])).rejects.toThrow();
      expect(await fresh.store().roots()).toEqual([]);
      await fresh.make({ type: "put-root", root: root("a") }, orphan);
    });
  });
}
