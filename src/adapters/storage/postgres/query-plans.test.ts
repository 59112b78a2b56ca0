import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "../../../../test/postgres/test-database.ts";
import type { TableWrite } from "../shared/long-snapshots.ts";
import {
  replicaId,
  blockId,
  documentId,
  effect,
  folder,
  heldLease,
  leaseId,
  node,
  nodeId,
  notice,
  person,
  put,
  request,
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
import { migrate } from "./migrate.ts";
import { planWrite } from "./plan-write.ts";
import { queries } from "./queries.ts";
import { Statements } from "./plan/sql.ts";

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await testDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  await migrate(new Statements(client));
  await client.query("SET plan_cache_mode = force_generic_plan");
  await fillEveryTable();
});
/** Plans as for tables too large to scan where an index exists, or as the planner itself would have it. */
const largeTables = (isOn: boolean): Promise<unknown> => {
  const to = isOn ? "off" : "on";
  return client.query(`SET enable_seqscan = ${to}; SET enable_hashjoin = ${to}; SET enable_mergejoin = ${to}`);
};
afterAll(async () => {
  await client.end();
  await database.drop();
});

const bookmark = { title: "t", rootId: rootId("a"), nodeId: nodeId("1"), createdAt: 1, updatedAt: 1 };
const lease = heldLease("a", 1);
const claim = { canvasId: blockId("1"), leaseId: leaseId("a"), holder: runId("a"), epoch: 1, monotonicMs: 0 };
const writes: Readonly<Record<TableWrite["type"], readonly TableWrite[]>> = {
  "put-root": [{ type: "put-root", root: root("a") }],
  "put-node": [{ type: "put-node", node: node("1", { parentId: nodeId("0") }) }],
  "rehash-below": [{ type: "rehash-below", nodeId: nodeId("1") }],
  "delete-nodes": [{ type: "delete-nodes", rootId: rootId("a"), ids: [nodeId("1")], at: 1 }],
  "delete-root": [{ type: "delete-root", rootId: rootId("a"), documentId: documentId("a"), at: 1 }],
  "put-bookmark": [{ type: "put-bookmark", bookmark }],
  "delete-bookmark": [{ type: "delete-bookmark", title: "t" }],
  "put-folder": [{ type: "put-folder", folder: folder("a") }],
  "put-block-words": [{ type: "put-block-words", blockId: blockId("1"), version: 1, text: "a" }],
  "put-run": [
    { type: "put-run", run: run("a"), expectedEventSeq: null },
    { type: "put-run", run: run("a"), expectedEventSeq: 0 },
  ],
  "put-run-event": [{ type: "put-run-event", record: runEvent("a", 1) }],
  "append-feed": [{ type: "append-feed", record: notice("a", 1) }],
  "trim-feed": [{ type: "trim-feed", rootId: rootId("a"), beforeSeq: 1 }],
  "put-effect": [{ type: "put-effect", effect: effect("1") }],
  "start-effect": [{ type: "start-effect", id: "1", at: 1 }],
  "finish-effect": [{ type: "finish-effect", id: "1" }],
  "finish-effects-of-run": [{ type: "finish-effects-of-run", runId: runId("a") }],
  "put-waiting": [{ type: "put-waiting", waiting: waiting("w") }],
  "delete-waiting": [{ type: "delete-waiting", id: nodeId("w") }],
  "put-change": [put("1", 1), put("1", 2)],
  "put-snapshot": [{ type: "put-snapshot", snapshot: { blockId: blockId("1"), version: 1, bytes: new Uint8Array() } }],
  "put-snapshot-piece": [
    { type: "put-snapshot-piece", key: { blockId: blockId("1"), snapshotId: "s", n: 0 }, bytes: new Uint8Array() },
  ],
  "name-snapshot": [{ type: "name-snapshot", blockId: blockId("1"), version: 1, snapshotId: "s", pieces: 1 }],
  "delete-snapshot-piece": [{ type: "delete-snapshot-piece", key: { blockId: blockId("1"), snapshotId: "s", n: 0 } }],
  "trim-changes": [{ type: "trim-changes", blockId: blockId("1"), beforeVersion: 1, state: {} }],
  "purge-block": [{ type: "purge-block", blockId: blockId("1"), version: 1 }],
  "put-replica": [{ type: "put-replica", replica: { replica: replicaId(1), actor: person, createdAt: 1 } }],
  "put-revision": [{ type: "put-revision", revision: revision(2, "a"), text: "a" }],
  "put-draft-revision": [{ type: "put-draft-revision", revision: draftRevision(1, "a"), text: "a" }],
  "delete-draft-revisions": [
    { type: "delete-draft-revisions", canvasId: blockId("1"), draftId: draftRevision(1, "a").draftId },
  ],
  "put-suggestion": [
    { type: "put-suggestion", suggestion: suggestion("a") },
    { type: "put-suggestion", suggestion: suggestion("a", ["kept"], { version: 2 }) },
  ],
  "put-thread": [
    { type: "put-thread", thread: thread("a") },
    { type: "put-thread", thread: thread("a", { version: 2 }) },
  ],
  "delete-thread": [{ type: "delete-thread", id: thread("a").id }],
  "delete-suggestions": [
    { type: "delete-suggestions", canvasId: blockId("1"), before: null },
    { type: "delete-suggestions", canvasId: blockId("1"), before: 1 },
  ],
  "put-trash": [{ type: "put-trash", entry: trash("a") }],
  "delete-trash": [{ type: "delete-trash", id: trash("a").id }],
  "trash-root": [{ type: "trash-root", rootId: rootId("a"), at: 1 }],
  "restore-root": [{ type: "restore-root", rootId: rootId("a") }],
  "put-trashed-nodes": [{ type: "put-trashed-nodes", trashId: trash("a").id, nodes: [node("1")] }],
  "drop-trashed-nodes": [{ type: "drop-trashed-nodes", trashId: trash("a").id, restores: true }],
  "put-request": [{ type: "put-request", request: request("a") }],
  "delete-requests": [{ type: "delete-requests", before: 1 }],
  "put-approval-rule": [{ type: "put-approval-rule", rule: rule("a") }],
  "delete-approval-rule": [{ type: "delete-approval-rule", id: "a" }],
  "put-rights": [{ type: "put-rights", seq: 1, rows: [personRow("a")] }],
  "append-audit": [{ type: "append-audit", entry: nextAudit(null) }],
  "put-sign-in": [{ type: "put-sign-in", fact: { key: "session a", record: {} } }],
  "delete-sign-in": [{ type: "delete-sign-in", key: "session a" }],
  "put-meta": [{ type: "put-meta", key: "k", value: {} }],
  "acquire-lease": [{ type: "acquire-lease", lease, monotonicMs: 0 }],
  "renew-lease": [{ type: "renew-lease", lease, monotonicMs: 0 }],
  "release-lease": [{ type: "release-lease", canvasId: blockId("1"), leaseId: leaseId("a") }],
  "preempt-lease": [{ type: "preempt-lease", canvasId: blockId("1"), epoch: 1 }],
  "guard-lease": [{ type: "guard-lease", ...claim }],
};

const statements = [
  ...Object.entries(queries).map(([name, sql]) => [name, sql] as const),
  ...Object.values(writes)
    .flat()
    .flatMap((write) => planWrite(write).steps.map(({ sql }) => [write.type, sql] as const)),
];

/** Queries that read every row of a table, or of a partial index. */
const asksForAll: ReadonlySet<string> = new Set([
  "roots",
  "lastMessages",
  "trashedRoots",
  "outlineOfAll",
  "bookmarks",
  "folders",
  "replicas",
  "leases",
  "fileBlocks",
  "filesWithoutWords",
  "unsettledRuns",
  "signInFacts",
]);

async function planOf(sql: string): Promise<string> {
  const count = Math.max(0, ...Array.from(sql.matchAll(/\$(\d+)/g), ([, number]) => Number(number)));
  await client.query(`PREPARE asked AS ${sql}`);
  const values = Array.from({ length: count }, () => "NULL").join(", ");
  const { rows } = await client.query<{ readonly "QUERY PLAN": string }>(
    `EXPLAIN EXECUTE asked${count === 0 ? "" : `(${values})`}`,
  );
  await client.query("DEALLOCATE asked");
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}

/** Fills every table with rows that mean nothing, and keeps PostgreSQL from learning how many there are. */
async function fillEveryTable(): Promise<void> {
  const { rows } = await client.query<{ readonly fill: string }>(`
    SELECT format('INSERT INTO %I (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM generate_series(1, %s) AS n ON CONFLICT DO NOTHING',
      table_name, string_agg(quote_ident(column_name), ', '), string_agg(CASE
        WHEN data_type IN ('bigint', 'integer', 'smallint', 'double precision', 'numeric') THEN 'n'
        WHEN data_type = 'boolean' THEN 'false'
        WHEN data_type = 'bytea' THEN '''''::bytea'
        WHEN data_type LIKE 'timestamp%' THEN 'clock_timestamp()'
        WHEN data_type = 'interval' THEN '''1 s''::interval'
        WHEN data_type = 'tsvector' THEN '''a''::tsvector'
        WHEN data_type = 'jsonb' THEN '''{}''::jsonb'
        ELSE '''a row that means nothing '' || n' END, ', '),
      CASE table_name WHEN 'changes' THEN 200000 ELSE 20000 END) AS fill
    FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'
    GROUP BY table_name`);
  const { rows: checks } = await client.query<{ readonly drop: string }>(`
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop FROM pg_constraint
    WHERE contype IN ('c', 'f') AND connamespace = current_schema()::regnamespace ORDER BY contype DESC`);
  const { rows: quiet } = await client.query<{ readonly keep: string }>(`
    SELECT format('ALTER TABLE %I SET (autovacuum_enabled = off)', tablename) AS keep FROM pg_tables
    WHERE schemaname = current_schema()`);
  for (const { drop } of checks) await client.query(drop);
  for (const { keep } of quiet) await client.query(keep);
  for (const { fill } of rows) await client.query(fill);
}

/** Statements that read and delete much, and seldom; and a message's depths, which are looked at only where it has moved. */
const readsMuch: ReadonlySet<string> = new Set([
  ...asksForAll,
  "rights",
  "delete-root",
  "purge-block",
  "drop-trashed-nodes",
  "put-node",
]);

test.each(statements.filter(([name]) => !readsMuch.has(name)))(
  "%s scans no table in a database that was never analyzed",
  async (_name, sql) => {
    await largeTables(false);
    expect(await planOf(sql)).not.toMatch(/Seq Scan/);
  },
);

test.each(statements)("%s scans no table", async (name, sql) => {
  await largeTables(true);
  const plan = await planOf(sql);
  expect(plan).not.toMatch(/Seq Scan/);
  if (asksForAll.has(name)) return;
  // Without a condition, an index scan reads everything as well.
  const scans = plan.split("->").filter((step) => /Index (?:Only )?Scan/.test(step));
  expect(scans.filter((step) => !step.includes("Index Cond:"))).toEqual([]);
});

test.each([
  ["nodeByPrefixHash", "messages_by_prefix"],
  ["storedHashes", "messages_by_prefix"],
  ["children", "messages_by_parent"],
  ["requestVersion", "changes_by_request"],
  ["changesOfTurn", "changes_by_turn"],
] as const)("%s uses the index %s", async (name, index) => {
  await largeTables(true);
  expect(await planOf(queries[name])).toContain(index);
});
