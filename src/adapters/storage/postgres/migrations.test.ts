import { readFileSync } from "node:fs";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "../../../../test/postgres/test-database.ts";
import type { RootId, RunId } from "../../../core/base/ids.ts";
import { put } from "../../../testing/store/records.ts";
import { migrate } from "./migrate.ts";
import { migrations, type Migration } from "./migrations.ts";
import { openPostgresStore } from "./open-postgres-store.ts";
import { Statements } from "./plan/sql.ts";

let database: TestDatabase;
let client: Client;
let sql: Statements;
beforeEach(async () => {
  database = await testDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  sql = new Statements(client);
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

const first: Migration = { version: 1, name: "one", sql: "CREATE TABLE writer (name text)" };
const second: Migration = { version: 2, name: "two", sql: "ALTER TABLE writer ADD COLUMN stamp integer DEFAULT 1" };
const storedVersion = (): Promise<number | null> =>
  sql.number("SELECT (value::json ->> 'version')::integer FROM meta WHERE key = 'store.schema'");

describe("PostgreSQL migrations", () => {
  test("migrations are numbered from 1 without gaps", () => {
    expect(migrations.map((step) => step.version)).toEqual(migrations.map((_, index) => index + 1));
  });

  test("N-40 a step that leaves earlier releases running only adds what they pass over", () => {
    const pending = migrations.filter(({ version, least = version }, index) => {
      const before = Math.max(0, ...migrations.slice(0, index).map((step) => step.least ?? step.version));
      return least <= before;
    });
    expect(pending.length).toBeGreaterThan(0);
    const adding = /^(?:CREATE (?:TABLE|INDEX|SEQUENCE) |ALTER TABLE \w+ ADD COLUMN )/;
    // Rows of a new table that point at others would keep an earlier release from deleting those.
    const binding = /REFERENCES|^ALTER TABLE .* (?:NOT NULL(?!.*DEFAULT)|UNIQUE|CHECK)/;
    for (const { name, sql: script } of pending) {
      for (const statement of script.split(";").map((each) => each.trim().replaceAll(/\s+/g, " "))) {
        if (statement === "") continue;
        expect([name, statement, adding.test(statement), binding.test(statement)]).toEqual([
          name,
          statement,
          true,
          false,
        ]);
      }
    }
  });

  test("upgrade older tables and keep their content", async () => {
    await migrate(sql, [first]);
    await sql.script("INSERT INTO writer VALUES ('Ada')");
    await migrate(sql, [first, second]);
    expect(await storedVersion()).toBe(2);
    expect(await sql.all("SELECT name, stamp FROM writer")).toEqual([["Ada", 1]]);
    await migrate(sql, [first, second]);
  });

  test("happen completely or not at all", async () => {
    await migrate(sql, [first]);
    const broken = { version: 3, name: "three", sql: "CREATE TABLE stamps (x no_such_type)" };
    await expect(migrate(sql, [first, second, broken])).rejects.toThrow("no_such_type");
    expect(await storedVersion()).toBe(1);
    await expect(sql.all("SELECT stamp FROM writer")).rejects.toThrow("does not exist");
  });

  test("migrations are not undone: an older program refuses newer tables", async () => {
    await migrate(sql, [first, second]);
    await expect(migrate(sql, [first])).rejects.toMatchObject({ name: "StoreOpenError", code: "SCHEMA_TOO_NEW" });
    expect(await storedVersion()).toBe(2);
  });

  test("leave the tables of another program alone", async () => {
    await sql.script("CREATE TABLE theirs (x integer)");
    await expect(openPostgresStore({ url: database.url })).rejects.toMatchObject({ code: "NOT_HEDDLE" });
    expect(await sql.all("SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()")).toEqual([
      ["theirs"],
    ]);
  });

  test("run once when many processes start at the same time", async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 4 }, async () => {
        const other = new Client({ connectionString: database.url });
        await other.connect();
        await migrate(new Statements(other));
        await other.end();
      }),
    );
    expect(results.map(({ status }) => status)).toEqual(results.map(() => "fulfilled"));
    expect(await storedVersion()).toBe(migrations.length);
  });
});

const rule = JSON.stringify({
  id: "rule_1/c",
  toolName: "file_write",
  definitionHash: "d",
  call: null,
  createdAt: 5,
  createdBy: "Ada",
});
const common = rule.replace("rule_1/c", "rule_2");

describe("the migration to a table of requests", () => {
  test("keeps approval rules and turn settings, and drops request records without a client", async () => {
    await migrate(sql, migrations.slice(0, 1));
    await sql.script(`
      INSERT INTO conversations (id, slug, title, system_prompt, model, cwd, created_at, updated_at)
        VALUES ('c', 's', '', '', 'm', '/', 1, 1);
      INSERT INTO runs (id, conversation_id, state, state_data, state_updated_at, event_seq, turn_id, model, created_at,
          updated_at)
        VALUES ('1', 'c', 'idle', '{"type":"idle"}', 9, 1, 't1', 'm', 1, 1), ('2', 'c', 'idle', '{"type":"idle"}', 9, 1, 't2', 'm', 1, 1);
      INSERT INTO meta (key, value) VALUES
        ('request/c/r1', '{"nodeId":"n"}'), ('request/gone/r1', '{}'), ('made-by-request/page/r2', '{"id":"c"}'),
        ('turn-settings/t1', '{"maxTokens":9,"temperature":0.5}'), ('turn-settings/gone', '{"maxTokens":1}'),
        ('approval-rules/c', '{"rules":[' || '${rule}' || ',3,{"id":"no time"}]}'),
        ('approval-rules/gone', '{"rules":[' || '${rule}' || ']}'),
        ('approval-rules/always', '{"rules":[' || '${common}' || ']}'),
        ('presets', '{"presets":[]}'), ('requests-of-somebody', '{}');`);
    await migrate(sql);
    expect(await sql.all("SELECT id, settings FROM runs ORDER BY id")).toEqual([
      ["1", '{"maxTokens":9,"temperature":0.5}'],
      ["2", null],
    ]);
    expect(await sql.all("SELECT id, conversation_id, created_at FROM approval_rules ORDER BY id")).toEqual([
      ["rule_1/c", "c", 5],
      ["rule_2", null, 5],
    ]);
    const store = await openPostgresStore({ url: database.url });
    expect(await store.approvalRules("c" as RootId)).toEqual([{ ...JSON.parse(rule), rootId: "c" }]);
    await store.close();
    expect(await sql.all("SELECT key FROM meta ORDER BY key")).toEqual([
      ["presets"],
      ["requests-of-somebody"],
      ["store.schema"],
    ]);
  });
});

describe("the migration to replicas", () => {
  test("renames stored keys and numbers, and leaves text that people wrote alone", async () => {
    const spans = String.raw`{"spans":[{"replica":1,"text":"a word, \"agent\":1"}]}`;
    await migrate(sql, migrations.slice(0, 2));
    await sql.script(readFileSync(new URL("../../../testing/store/rows-before-replicas.sql", import.meta.url), "utf8"));
    await migrate(sql);
    expect(await sql.all("SELECT replica, actor_id, actor, created_at FROM replicas")).toEqual([[1, "ada", "{}", 5]]);
    expect(await sql.all("SELECT body FROM changes")).toEqual([[spans]]);
    expect(await sql.all("SELECT record FROM suggestions")).toEqual([[spans]]);
    expect(await sql.all("SELECT state FROM log_starts")).toEqual([
      [String.raw`{"applied":[],"spans":[{"replica":1,"text":"\"agent\":1"}]}`],
    ]);
    expect(await sql.all("SELECT key, value FROM meta WHERE key <> 'store.schema' ORDER BY key")).toEqual([
      ["page-replica-of/2", '{"replica":1}'],
      ["replica-of-client/page", '{"replica":1}'],
      ["server-replica-of/1", '{"replica":2}'],
    ]);
  });
});

describe("the migration to waiting messages", () => {
  test("keeps the message that waited, as a row of its run", async () => {
    const queued = JSON.stringify({
      message: { role: "user", content: [{ type: "text", text: "next" }] },
      actor: { type: "person", id: "ada", name: "Ada" },
    });
    await migrate(sql, migrations.slice(0, 4));
    await sql.script(`
      INSERT INTO conversations (id, slug, title, system_prompt, model, cwd, created_at, updated_at)
        VALUES ('c', 's', '', '', 'm', '/', 1, 1);
      INSERT INTO runs (id, conversation_id, state, state_data, state_updated_at, event_seq, model, queued, created_at,
          updated_at)
        VALUES ('run_1', 'c', 'idle', '{"type":"idle"}', 9, 1, 'm', '${queued}', 1, 7),
          ('run_2', 'c', 'idle', '{"type":"idle"}', 9, 1, 'm', NULL, 1, 7);`);
    await migrate(sql);
    const store = await openPostgresStore({ url: database.url });
    expect(await store.waiting("run_1" as RunId)).toMatchObject([
      { id: "node_run_1", version: 1, state: "waiting", deliver: "queue", at: 7, ...(JSON.parse(queued) as object) },
    ]);
    expect(await store.waiting("run_2" as RunId)).toEqual([]);
    await store.close();
  });
});

describe("the migration to comments", () => {
  test("adds threads to the blocks of a store that had none", async () => {
    await migrate(sql, migrations.slice(0, 10));
    await expect(sql.all("SELECT id FROM threads")).rejects.toThrow("does not exist");
    await migrate(sql);
    expect(await sql.all("SELECT id FROM threads JOIN thread_turns ON thread_id = id")).toEqual([]);
  });
});

describe("the migration to rights", () => {
  test("adds rights and an audit log to a store that had none, and nobody has a right in it", async () => {
    await migrate(sql, migrations.slice(0, 12));
    await expect(sql.all("SELECT key FROM rights")).rejects.toThrow("does not exist");
    await migrate(sql);
    expect(await sql.all("SELECT key FROM rights, audit")).toEqual([]);
  });
});

describe("the migration to depths", () => {
  test("counts what is above each message of every conversation", async () => {
    await migrate(sql, migrations.slice(0, 13));
    await sql.script(
      readFileSync(new URL("../../../testing/store/messages-before-depths.sql", import.meta.url), "utf8"),
    );
    await migrate(sql);
    expect(await sql.all("SELECT id, depth FROM messages ORDER BY id")).toEqual([
      ["m1", 0],
      ["m2", 1],
      ["m3", 2],
      ["m4", 1],
      ["m5", 0],
      ["m6", 2],
    ]);
  });
});

describe("docs on the storage format", () => {
  test("name every table and column of PostgreSQL's newest schema, and no other", async () => {
    await migrate(sql);
    const rows = await sql.all(`SELECT table_name || '.' || column_name FROM information_schema.columns
      JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`);
    const page = readFileSync(new URL("../../../../docs/storage-format.md", import.meta.url), "utf8");
    const columns = rows.map(([column]) => String(column));
    expect(columnsIn(page).toSorted()).toEqual(columns.toSorted());
  });

  test("have the founding document's columns in one view", async () => {
    await migrate(sql);
    await sql.script(`
      INSERT INTO conversations (id, slug, title, system_prompt, model, cwd, created_at, updated_at)
        VALUES ('c', 's', '', '', 'm', '/', 1, 1), ('d', 't', '', '', 'm', '/', 2, 2);
      INSERT INTO runs (id, conversation_id, state, state_data, state_updated_at, event_seq, model, created_at, updated_at)
        VALUES ('1', 'c', 'awaiting', '{}', 9, 1, 'm', 1, 1), ('2', 'c', 'error', '{}', 5, 1, 'm', 1, 1)`);
    expect(await sql.all("SELECT id, state, state_updated_at FROM conversation_states ORDER BY id")).toEqual([
      ["c", "awaiting", 9],
      ["d", "idle", 2],
    ]);
  });
});

describe("rows that were changed from outside", () => {
  test.each([
    ["UPDATE blocks SET metadata = '[]'", "column 7 of blocks holds an object"],
    ["UPDATE blocks SET created_at = 9007199254740993", "column 11 of blocks holds an integer"],
  ])("rows changed by %s are refused; lists omit them and report them once", async (statement, message) => {
    const store = await openPostgresStore({ url: database.url });
    const problems: string[] = [];
    await store.commit([put("1", 1), put("2", 1)]);
    await store.close();
    await sql.script("UPDATE blocks SET kind = 'file'");
    await sql.script(`${statement} WHERE id = '${put("1", 1).header.id}'`);
    const damaged = await openPostgresStore({ url: database.url, onDamaged: (problem) => problems.push(problem) });
    await expect(damaged.block(put("1", 1).header.id)).rejects.toThrow(message);
    for (let time = 0; time < 2; time += 1) {
      expect((await damaged.blocks(null)).map(({ id }) => id)).toEqual([put("2", 1).header.id]);
    }
    expect(problems).toEqual([expect.stringContaining(message)]);
    await damaged.close();
  });

  test("lease epochs never fall and lease rows are never deleted", async () => {
    await migrate(sql);
    await sql.script("INSERT INTO leases (canvas_id, epoch) VALUES ('c', 5)");
    await expect(sql.script("UPDATE leases SET epoch = 4")).rejects.toThrow("an epoch never falls");
    await expect(sql.script("DELETE FROM leases")).rejects.toThrow("a lease row is never deleted");
  });
});

/** The columns in every section about a table that both databases have, and those named together with their table. */
function columnsIn(page: string): readonly string[] {
  const [, ...sections] = page.split(/^### `/m);
  const shared = sections.filter((section) => !section.includes("SQLite only"));
  const ofSections = shared.flatMap((section) => {
    const table = section.slice(0, section.indexOf("`"));
    return [...section.matchAll(/^\| `(\w+)` \|/gm)].map((match) => `${table}.${match[1] ?? ""}`);
  });
  const ofPostgres = page.slice(page.indexOf("\n## PostgreSQL\n")).matchAll(/^\| `(\w+\.\w+)` \|/gm);
  return [...ofSections, ...Array.from(ofPostgres, (match) => match[1] ?? "")];
}
