import { describe, expect, test } from "vitest";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { put, request, requestId, root, rootId, rule } from "./records.ts";

/** Request records and approval rules. */
export function describeRequests(open: OpenStore): void {
  describe("request records", () => {
    const fresh = freshStore(open);

    test("a record is read as written, by its client and its id", async () => {
      const ofRoot = request("of a", { rootId: rootId("a") });
      await fresh.make({ type: "put-root", root: root("a") });
      await fresh.make({ type: "put-request", request: request("one") }, { type: "put-request", request: ofRoot });
      const store = fresh.store();
      expect(await store.request("client_a", requestId("one"))).toEqual(request("one"));
      expect(await store.request("client_a", requestId("of a"))).toEqual(ofRoot);
      expect(await store.request("client_a", requestId("two"))).toBeNull();
      expect(await store.request("client_b", requestId("one"))).toBeNull();
    });

    test("a client uses an id for one request, and two clients may use the same id", async () => {
      await fresh.make({ type: "put-request", request: request("one") });
      const again = { type: "put-request", request: request("one", { paramsHash: "other" }) } as const;
      expect(await fresh.refused(put("1", 1), again)).toEqual({ code: "CONFLICT", index: 1, stored: null });
      expect(await fresh.store().block(put("1", 1).header.id)).toBeNull();
      expect(await fresh.store().request("client_a", requestId("one"))).toEqual(request("one"));
      await fresh.make({ type: "put-request", request: request("one", { clientId: "client_b" }) });
    });

    test("a record is stored with its commit, or not at all", async () => {
      await fresh.refused({ type: "put-request", request: request("one") }, put("1", 7));
      expect(await fresh.store().request("client_a", requestId("one"))).toBeNull();
    });

    test("a record needs its root", async () => {
      const orphan = request("one", { rootId: rootId("nowhere") });
      await expect(fresh.store().commit([{ type: "put-request", request: orphan }])).rejects.toThrow();
    });

    test("records before a time are deleted, and their ids can be used again", async () => {
      await fresh.make(
        { type: "put-request", request: request("old", { at: 1_000 }) },
        { type: "put-request", request: request("new", { at: 2_000 }) },
      );
      await fresh.make({ type: "delete-requests", before: 2_000 });
      expect(await fresh.store().request("client_a", requestId("old"))).toBeNull();
      expect(await fresh.store().request("client_a", requestId("new"))).not.toBeNull();
      await fresh.make({ type: "put-request", request: request("old") });
    });
  });

  describe("approval rules", () => {
    const fresh = freshStore(open);

    test("rules are listed for one conversation or for all, oldest first, then by id", async () => {
      const ofA = { rootId: rootId("a") };
      await fresh.make({ type: "put-root", root: root("a") });
      await fresh.make(
        { type: "put-approval-rule", rule: rule("late", { ...ofA, createdAt: 3 }) },
        { type: "put-approval-rule", rule: rule("b", { ...ofA, createdAt: 2 }) },
        { type: "put-approval-rule", rule: rule("a", { ...ofA, createdAt: 2, call: null }) },
        { type: "put-approval-rule", rule: rule("common") },
      );
      const store = fresh.store();
      expect(await store.approvalRules(rootId("a"))).toEqual([
        rule("a", { ...ofA, createdAt: 2, call: null }),
        rule("b", { ...ofA, createdAt: 2 }),
        rule("late", { ...ofA, createdAt: 3 }),
      ]);
      expect(await store.approvalRules(null)).toEqual([rule("common")]);
      expect(await store.approvalRules(rootId("b"))).toEqual([]);
    });

    test("a rule replaces the rule of the same id, keeps its conversation, and can be deleted", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      await fresh.make({ type: "put-approval-rule", rule: rule("a") });
      await fresh.make({ type: "put-approval-rule", rule: rule("a", { toolName: "other" }) });
      expect(await fresh.store().approvalRules(null)).toEqual([rule("a", { toolName: "other" })]);
      const moved = rule("a", { rootId: rootId("a") });
      await expect(fresh.store().commit([{ type: "put-approval-rule", rule: moved }])).rejects.toThrow();
      await fresh.make({ type: "delete-approval-rule", id: "rule_a" }, { type: "delete-approval-rule", id: "none" });
      expect(await fresh.store().approvalRules(null)).toEqual([]);
    });

    test("a rule needs its root", async () => {
      const orphan = rule("a", { rootId: rootId("nowhere") });
      await expect(fresh.store().commit([{ type: "put-approval-rule", rule: orphan }])).rejects.toThrow();
    });
  });
}
