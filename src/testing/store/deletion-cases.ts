import { describe, expect, test } from "vitest";
import type { DocumentId } from "../../core/base/ids.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import {
  awaiting,
  blockId,
  documentId,
  effect,
  node,
  nodeId,
  notice,
  put,
  request,
  requestId,
  root,
  rootId,
  rule,
  run,
  runEvent,
  runId,
  waiting,
} from "./records.ts";

const deletion: Extract<StoreWrite, { readonly type: "delete-root" }> = {
  type: "delete-root",
  rootId: rootId("a"),
  documentId: documentId("a"),
  at: 9_000,
};

/** Deletes a whole conversation. */
export function describeDeletion(open: OpenStore): void {
  describe("deleting a conversation", () => {
    const fresh = freshStore(open);

    const other = node("of b", { rootId: rootId("b") });
    const fill = (): Promise<unknown> =>
      fresh.make(
        { type: "put-root", root: root("a") },
        { type: "put-root", root: root("b") },
        { type: "put-node", node: node("1") },
        { type: "put-node", node: node("2", { parentId: nodeId("1") }) },
        { type: "put-node", node: node("3", { parentId: nodeId("2") }) },
        { type: "put-node", node: other },
        { type: "delete-nodes", rootId: rootId("a"), ids: [nodeId("3")], at: 1 },
        {
          type: "put-bookmark",
          bookmark: { title: "t", rootId: rootId("a"), nodeId: nodeId("2"), createdAt: 1, updatedAt: 1 },
        },
        { type: "put-run", run: run("a", { headNodeId: nodeId("2") }), expectedEventSeq: null },
        { type: "put-run-event", record: runEvent("a", 1) },
        { type: "put-effect", effect: effect("0") },
        { type: "put-waiting", waiting: waiting("w") },
        { type: "append-feed", record: notice("a", 1) },
        { type: "append-feed", record: notice("b", 1) },
        { type: "put-request", request: request("of a", { rootId: rootId("a") }) },
        { type: "put-request", request: request("of b", { rootId: rootId("b") }) },
        { type: "put-request", request: request("of none") },
        { type: "put-approval-rule", rule: rule("of a", { rootId: rootId("a") }) },
        { type: "put-approval-rule", rule: rule("of b", { rootId: rootId("b") }) },
        { type: "put-approval-rule", rule: rule("of all") },
        put("1", 1),
        put("1", 2, { change: { requestId: requestId("r") } }),
        { type: "put-snapshot", snapshot: { blockId: blockId("1"), version: 2, bytes: new Uint8Array(1_100_000) } },
        put("2", 1, { header: { documentId: documentId("b") }, change: { documentId: documentId("b") } }),
      );

    test("S-46 deletion removes everything in the conversation and nothing else", async () => {
      await fill();
      await fresh.make(deletion);
      const store = fresh.store();
      expect((await store.roots()).map(({ id }) => id)).toEqual([rootId("b")]);
      expect(await store.root(rootId("a"))).toBeNull();
      expect(await store.nodes(rootId("a"))).toEqual([]);
      expect(await store.node(nodeId("2"))).toBeNull();
      expect(await store.outline(null)).toHaveLength(1);
      expect(await store.bookmarks(null)).toEqual([]);
      expect(await store.runs(rootId("a"))).toEqual([]);
      expect(await store.effects(runId("a"))).toEqual([]);
      expect(await store.waiting(runId("a"))).toEqual([]);
      expect(await store.feedSeq(rootId("a"))).toBe(0);
      expect(await store.feedSeq(rootId("b"))).toBe(1);
      expect(await store.blocks(documentId("a"))).toEqual([]);
      expect(await store.changes({ blockId: blockId("1"), afterVersion: 0 })).toEqual([]);
      expect(await store.snapshot(blockId("1"))).toBeNull();
      expect(await store.requestVersion(blockId("1"), requestId("r"))).toBeNull();
      expect(await store.blocks(documentId("b"))).toHaveLength(1);
      expect(await store.request("client_a", requestId("of a"))).toBeNull();
      expect(await store.request("client_a", requestId("of b"))).not.toBeNull();
      expect(await store.request("client_a", requestId("of none"))).not.toBeNull();
      expect(await store.approvalRules(rootId("a"))).toEqual([]);
      expect(await store.approvalRules(rootId("b"))).toHaveLength(1);
      expect(await store.approvalRules(null)).toHaveLength(1);
      const words = { words: "hello", in: "messages", rootId: null, limit: 10 } as const;
      expect((await store.searchWords(words)).filter(({ rootId: of }) => of === rootId("a"))).toEqual([]);
    });

    test("a deleted conversation never returns, and deleting it again reports that", async () => {
      await fill();
      await fresh.make(deletion);
      await fresh.make(deletion);
      await fresh.refused({ type: "put-root", root: root("a") });
      await fresh.make({ type: "put-root", root: root("c", { slug: root("a").slug }) });
    });

    test("deleting an unknown id does nothing", async () => {
      await fresh.make(deletion);
      await fresh.make({ type: "put-root", root: root("a") });
    });

    test("deletion is refused while a run is active, a sub-agent exists or a file is in its document", async () => {
      await fill();
      await fresh.make({
        type: "put-run",
        run: run("a", { headNodeId: nodeId("2"), eventSeq: 1, state: awaiting }),
        expectedEventSeq: 0,
      });
      await fresh.refused(deletion);
      await fresh.make({ type: "put-run", run: run("a", { eventSeq: 2 }), expectedEventSeq: 1 });
      const agent = root("agent", { parent: { rootId: rootId("a"), runId: runId("a") } });
      await fresh.make({ type: "put-root", root: agent });
      await fresh.refused(deletion);
      await fresh.make({ ...deletion, rootId: rootId("agent"), documentId: "none" as DocumentId });
      await fresh.make(put("4", 1, { header: { kind: "file" } }));
      await fresh.refused(deletion);
      expect(await fresh.store().nodes(rootId("a"))).toHaveLength(2);
    });
  });
}
