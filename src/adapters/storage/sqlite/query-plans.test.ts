import { mkdtempSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StoreWrite } from "../../../core/port/store.ts";
import type { TableWrite } from "../shared/long-snapshots.ts";
import {
  replicaId,
  blockId,
  documentId,
  effect,
  folder as folderRecord,
  heldLease,
  leaseId,
  node,
  nodeId,
  notice,
  person,
  put,
  request,
  requestId,
  draftRevision,
  revision,
  root,
  rootId,
  rule,
  run,
  runEvent,
  runId,
  trash,
  waiting,
} from "../../../testing/store/records.ts";
import { suggestion } from "../../../testing/store/suggestion-cases.ts";
import { nextAudit, personRow } from "../../../testing/store/rights-cases.ts";
import { thread } from "../../../testing/store/thread-cases.ts";
import { commitBatch } from "./commit-batch.ts";
import { openDatabase } from "./open-database.ts";
import { queries, type QueryName } from "./queries.ts";
import { encodeHashes, read } from "./reads.ts";
import { encodeWrite } from "./row-write.ts";
import { Statements } from "../row/sql.ts";

/** Queries that list everything, or everything in a partial index. */
const listing: ReadonlySet<QueryName> = new Set([
  "roots",
  "lastMessages",
  "trashedRoots",
  "unsettledRuns",
  "fileBlocks",
  "filesWithoutWords",
  "replicas",
  "leases",
  "bookmarks",
  "folders",
  "outlineOfAll",
  "signInFacts",
]);

/**
 * Steps over rows that the statement itself has made, over its parameter, over a word index by row or by words, and over
 * the table that never has many rows.
 */
const overFewRows =
  /^SCAN (?:new_changes|up|down|steps|found|CONSTANT ROW|\(subquery-\d+\)|(?:g|json_each) VIRTUAL TABLE INDEX \S+|\w+ VIRTUAL TABLE INDEX 0:(?:=|M\d))$/;

const writes: readonly TableWrite[] = [
  { type: "put-root", root: root("a") },
  { type: "put-node", node: node("1") },
  { type: "put-node", node: node("2", { parentId: nodeId("1") }) },
  { type: "put-node", node: node("3", { parentId: nodeId("1") }) },
  { type: "put-node", node: node("3", { parentId: nodeId("2") }) },
  { type: "rehash-below", nodeId: nodeId("1") },
  {
    type: "put-bookmark",
    bookmark: { title: "t", rootId: rootId("a"), nodeId: nodeId("3"), createdAt: 1, updatedAt: 1 },
  },
  { type: "delete-bookmark", title: "none" },
  { type: "put-folder", folder: folderRecord("a") },
  { type: "put-run", run: run("a", { headNodeId: nodeId("3") }), expectedEventSeq: null },
  { type: "put-run", run: run("a", { headNodeId: nodeId("3"), eventSeq: 1 }), expectedEventSeq: 0 },
  { type: "delete-nodes", rootId: rootId("a"), ids: [nodeId("3")], at: 1 },
  { type: "put-run-event", record: runEvent("a", 1) },
  { type: "append-feed", record: notice("a", 1) },
  { type: "trim-feed", rootId: rootId("a"), beforeSeq: 1 },
  { type: "put-effect", effect: effect("0") },
  { type: "start-effect", id: effect("0").id, at: 1 },
  { type: "finish-effect", id: effect("0").id },
  { type: "finish-effects-of-run", runId: runId("a") },
  { type: "put-waiting", waiting: waiting("w") },
  { type: "delete-waiting", id: nodeId("w") },
  put("1", 1),
  put("1", 2, { change: { requestId: requestId("r") } }),
  { type: "put-snapshot", snapshot: { blockId: blockId("1"), version: 2, bytes: Uint8Array.of(1) } },
  { type: "put-snapshot-piece", key: { blockId: blockId("1"), snapshotId: "s", n: 0 }, bytes: Uint8Array.of(1) },
  { type: "name-snapshot", blockId: blockId("1"), version: 2, snapshotId: "s", pieces: 1 },
  { type: "delete-snapshot-piece", key: { blockId: blockId("1"), snapshotId: "s", n: 0 } },
  { type: "trim-changes", blockId: blockId("1"), beforeVersion: 2, state: {} },
  put("2", 1, { header: { kind: "file", deletedAt: 1 } }),
  { type: "purge-block", blockId: blockId("2"), version: 1 },
  { type: "put-block-words", blockId: blockId("1"), version: 2, text: "hello" },
  { type: "put-revision", revision: revision(2, "a"), text: "a" },
  { type: "put-draft-revision", revision: draftRevision(1, "a"), text: "a" },
  { type: "delete-draft-revisions", canvasId: blockId("1"), draftId: draftRevision(1, "a").draftId },
  { type: "put-suggestion", suggestion: suggestion("a") },
  { type: "put-suggestion", suggestion: suggestion("a", ["kept"], { version: 2 }) },
  { type: "delete-suggestions", canvasId: blockId("1"), before: 1 },
  { type: "delete-suggestions", canvasId: blockId("1"), before: null },
  { type: "put-thread", thread: thread("a") },
  { type: "put-thread", thread: thread("a", { version: 2 }) },
  { type: "delete-thread", id: thread("a").id },
  { type: "put-trash", entry: trash("a") },
  { type: "delete-trash", id: trash("a").id },
  { type: "put-root", root: root("hidden") },
  { type: "trash-root", rootId: rootId("hidden"), at: 1 },
  { type: "restore-root", rootId: rootId("hidden") },
  { type: "put-trashed-nodes", trashId: trash("a").id, nodes: [node("trashed")] },
  { type: "drop-trashed-nodes", trashId: trash("a").id, restores: true },
  { type: "put-replica", replica: { replica: replicaId(1), actor: person, createdAt: 1 } },
  { type: "put-request", request: request("a", { rootId: rootId("a") }) },
  { type: "delete-requests", before: 1 },
  { type: "put-approval-rule", rule: rule("a", { rootId: rootId("a") }) },
  { type: "delete-approval-rule", id: "a" },
  { type: "put-rights", seq: 1, rows: [personRow("a")] },
  { type: "append-audit", entry: nextAudit(null) },
  { type: "put-sign-in", fact: { key: "session a", record: {} } },
  { type: "delete-sign-in", key: "session a" },
  { type: "put-meta", key: "k", value: {} },
  { type: "acquire-lease", lease: heldLease("a", 1), monotonicMs: 0 },
  { type: "renew-lease", lease: heldLease("a", 1), monotonicMs: 0 },
  {
    type: "guard-lease",
    canvasId: blockId("canvas"),
    leaseId: leaseId("a"),
    holder: runId("a"),
    epoch: 1,
    monotonicMs: 0,
  },
  { type: "release-lease", canvasId: blockId("canvas"), leaseId: leaseId("a") },
  { type: "preempt-lease", canvasId: blockId("canvas"), epoch: 9 },
  { type: "put-root", root: root("gone") },
  { type: "put-node", node: node("of gone", { rootId: rootId("gone") }) },
  { type: "delete-root", rootId: rootId("gone"), documentId: documentId("gone"), at: 1 },
];
const refused: readonly StoreWrite[] = [
  { type: "put-root", root: root("gone") },
  { type: "put-suggestion", suggestion: suggestion("b", ["open"], { version: 2 }) },
  { type: "put-node", node: node("3") },
  { type: "put-run", run: run("a"), expectedEventSeq: null },
  { type: "append-feed", record: notice("a", 9) },
  { type: "start-effect", id: "none", at: 1 },
  { type: "put-request", request: request("a") },
  { type: "put-rights", seq: 1, rows: [personRow("a")] },
  { type: "append-audit", entry: nextAudit(null) },
  { type: "delete-sign-in", key: "session a" },
  { type: "delete-trash", id: trash("a").id },
  put("1", 9),
  { type: "trim-changes", blockId: blockId("1"), beforeVersion: 9, state: {} },
  { type: "purge-block", blockId: blockId("2"), version: 9 },
  put("1", 3, { change: { requestId: requestId("r") } }),
  { type: "renew-lease", lease: heldLease("a", 1), monotonicMs: 0 },
];

let folder: string;
let database: DatabaseSync;
const prepared = new Set<string>();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-plans-"));
  database = openDatabase(join(folder, "heddle.db"));
  const prepare = database.prepare.bind(database);
  const statements = new Statements({
    prepare: (sql) => {
      prepared.add(sql);
      return prepare(sql);
    },
  });
  const commit = (...of: readonly TableWrite[]) =>
    commitBatch(database, statements, [{ type: "commit", id: 1, writes: of.map(encodeWrite) }])[0];
  expect(commit(...writes)).toEqual({ type: "committed", id: 1 });
  for (const each of refused) expect(commit(each)).toMatchObject({ type: "refused" });
  expect(read(statements, "longestPrefix", encodeHashes(rootId("a"), ["hash-1"]))).toHaveLength(1);
  expect(read(statements, "searchMessages", ["hello", rootId("a"), 9])).toHaveLength(2);
  expect(read(statements, "searchBlocks", ["hello", 9])).toHaveLength(1);
});
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function tablesReadWhole(sql: string): readonly string[] {
  return database
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map((row) => String(row["detail"]))
    .filter((step) => (step.startsWith("SCAN") && !overFewRows.test(step)) || step.includes("AUTOMATIC"));
}

describe("no table scan is used", () => {
  test.each(Object.keys(queries).filter((name) => !new Set<string>(listing).has(name)))("to answer %s", (name) => {
    expect(tablesReadWhole(new Map<string, string>(Object.entries(queries)).get(name) ?? "")).toEqual([]);
  });

  test("to search, or to find the longest prefix, or by any write", () => {
    const changing = [...prepared].filter((sql) => !/^(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)/.test(sql));
    expect(changing.length).toBeGreaterThan(40);
    expect(changing.flatMap((sql) => tablesReadWhole(sql).map((step) => ({ sql, step })))).toEqual([]);
  });

  test("each step down to a leaf reads the children of one message", () => {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${queries.leafBelow}`).all();
    expect(plan.map((row) => String(row["detail"]))).toContainEqual(
      expect.stringContaining("messages_by_parent (parent_id=? AND conversation_id=?)"),
    );
  });

  test("an outline reads only an index of the messages", () => {
    for (const sql of [queries.outline, queries.outlineOfAll]) {
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
      expect(plan.map((row) => String(row["detail"]))).toContainEqual(
        expect.stringContaining("messages USING COVERING INDEX messages_in_order"),
      );
    }
  });
});
