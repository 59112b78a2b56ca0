import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { migrate } from "./migrate.ts";
import { migrations, type Migration } from "./migrations.ts";
import type { Row } from "../row/sql.ts";
import { decodeWaiting } from "./tables/waiting-messages.ts";

const steps: readonly Migration[] = [
  { version: 1, name: "one", sql: "CREATE TABLE letters (name TEXT NOT NULL) STRICT" },
  { version: 2, name: "two", sql: "ALTER TABLE letters ADD COLUMN stamp INTEGER NOT NULL DEFAULT 1" },
];

function schemaVersion(database: DatabaseSync): unknown {
  return database.prepare("SELECT value ->> 'version' AS version FROM meta WHERE key = 'store.schema'").get()?.[
    "version"
  ];
}

describe("SQLite migrations", () => {
  test("migrations are numbered from 1 without gaps", () => {
    expect(migrations.map((step) => step.version)).toEqual(migrations.map((_, index) => index + 1));
  });

  test("upgrade an older file and keep its content", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database, steps.slice(0, 1));
    database.exec("INSERT INTO letters VALUES ('to Ada')");
    migrate(database, steps);
    expect(schemaVersion(database)).toBe(2);
    expect({ ...database.prepare("SELECT * FROM letters").get() }).toEqual({ name: "to Ada", stamp: 1 });
    migrate(database, steps);
    expect(schemaVersion(database)).toBe(2);
  });

  test("happen completely or not at all", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database, steps.slice(0, 1));
    const broken = { version: 3, name: "three", sql: "CREATE TABLE stamps (x) STRICT" };
    expect(() => migrate(database, [...steps, broken])).toThrow("missing datatype");
    expect(database.isTransaction).toBe(false);
    expect(schemaVersion(database)).toBe(1);
    expect(() => database.exec("SELECT stamp FROM letters")).toThrow("no such column");
  });

  test("migrations are not undone: an older program refuses a newer file", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database, steps);
    expect(() => migrate(database, steps.slice(0, 1))).toThrow("later release");
    expect(schemaVersion(database)).toBe(2);
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
  test("keeps approval rules and turn settings, and drops request records without a client", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database, migrations.slice(0, 2));
    database.exec(`
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
    migrate(database);
    const all = (sql: string) =>
      database
        .prepare(sql)
        .all()
        .map((row) => Object.values(row));
    expect(all("SELECT id, settings FROM runs ORDER BY id")).toEqual([
      ["1", '{"maxTokens":9,"temperature":0.5}'],
      ["2", null],
    ]);
    expect(all("SELECT id, conversation_id, created_at FROM approval_rules ORDER BY id")).toEqual([
      ["rule_1/c", "c", 5],
      ["rule_2", null, 5],
    ]);
    const [[record] = []] = all("SELECT record FROM approval_rules WHERE id = 'rule_1/c'");
    expect(JSON.parse(String(record))).toEqual(JSON.parse(rule));
    expect(all("SELECT key FROM meta ORDER BY key")).toEqual([["presets"], ["requests-of-somebody"], ["store.schema"]]);
    expect(all("SELECT * FROM requests")).toEqual([]);
  });
});

describe("the migration to replicas", () => {
  test("renames stored keys and numbers, and leaves text that people wrote alone", () => {
    const spans = String.raw`{"spans":[{"replica":1,"text":"a word, \"agent\":1"}]}`;
    const database = new DatabaseSync(":memory:");
    migrate(database, migrations.slice(0, 3));
    database.exec(readFileSync(new URL("../../../testing/store/rows-before-replicas.sql", import.meta.url), "utf8"));
    database.exec("INSERT INTO new_changes SELECT * FROM changes");
    migrate(database);
    const all = (sql: string) =>
      database
        .prepare(sql)
        .all()
        .map((row) => Object.values(row));
    expect(all("SELECT replica, actor_id, actor, created_at FROM replicas")).toEqual([[1, "ada", "{}", 5]]);
    expect(all("SELECT body FROM changes")).toEqual([[spans]]);
    expect(all("SELECT body FROM new_changes")).toEqual([[spans]]);
    expect(all("SELECT record FROM suggestions")).toEqual([[spans]]);
    expect(all("SELECT state FROM log_starts")).toEqual([
      [String.raw`{"applied":[],"spans":[{"replica":1,"text":"\"agent\":1"}]}`],
    ]);
    expect(all("SELECT key, value FROM meta WHERE key <> 'store.schema' ORDER BY key")).toEqual([
      ["page-replica-of/2", '{"replica":1}'],
      ["replica-of-client/page", '{"replica":1}'],
      ["server-replica-of/1", '{"replica":2}'],
    ]);
  });
});

describe("the migration to waiting messages", () => {
  test("keeps the message that waited, as a row of its run", () => {
    const queued = JSON.stringify({
      message: { role: "user", content: [{ type: "text", text: 'next: {"a":"}"}' }] },
      actor: { type: "person", id: "ada", name: "Ada" },
      settings: { maxTokens: 9 },
    });
    const database = new DatabaseSync(":memory:");
    migrate(database, migrations.slice(0, 5));
    database.exec(`
      INSERT INTO conversations (id, slug, title, system_prompt, model, cwd, created_at, updated_at)
        VALUES ('c', 's', '', '', 'm', '/', 1, 1);`);
    const insert = database.prepare(`
      INSERT INTO runs (id, conversation_id, state, state_data, state_updated_at, event_seq, model, queued, created_at,
          updated_at)
        VALUES (?1, 'c', 'idle', '{"type":"idle"}', 9, 1, 'm', ?2, 1, 7)`);
    insert.run("run_1", queued);
    insert.run("run_2", null);
    migrate(database);
    const rows = database.prepare("SELECT id, run_id, place, record FROM waiting_messages").all();
    expect(rows.map((row) => decodeWaiting(Object.values(row) as Row))).toEqual([
      {
        id: "node_run_1",
        runId: "run_1",
        place: 1,
        version: 1,
        state: "waiting",
        deliver: "queue",
        at: 7,
        ...(JSON.parse(queued) as object),
      },
    ]);
  });
});

describe("the migration to comments", () => {
  test("adds threads to the blocks of a store that had none", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database, migrations.slice(0, 11));
    expect(() => database.prepare("SELECT count(*) FROM threads")).toThrow("no such table");
    migrate(database);
    expect(database.prepare("SELECT count(*) AS n FROM threads JOIN thread_turns ON thread_id = id").get()).toEqual({
      n: 0,
    });
  });
});

describe("the migration to rights", () => {
  test("adds rights and an audit log to a store that had none, and nobody has a right in it", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database, migrations.slice(0, 13));
    expect(() => database.prepare("SELECT count(*) FROM rights")).toThrow("no such table");
    migrate(database);
    expect(database.prepare("SELECT count(*) AS n FROM rights, audit").get()).toEqual({ n: 0 });
  });
});

describe("the migration to depths", () => {
  test("counts what is above each message of every conversation", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database, migrations.slice(0, 14));
    database.exec(readFileSync(new URL("../../../testing/store/messages-before-depths.sql", import.meta.url), "utf8"));
    migrate(database);
    const depths = database.prepare("SELECT id, depth FROM messages ORDER BY id").all();
    expect(depths.map(({ id, depth }) => `${String(id)} ${String(depth)}`)).toEqual([
      "m1 0",
      "m2 1",
      "m3 2",
      "m4 1",
      "m5 0",
      "m6 2",
    ]);
  });
});

describe("the migration to shorter feeds", () => {
  test("19.12 keeps the newest entries of each feed, and trimmed turns of files alone", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database, migrations.slice(0, 16));
    database.exec(`
      INSERT INTO conversations (id, slug, title, system_prompt, model, cwd, created_at, updated_at)
      VALUES ('long', 'a', 'a', '', 'm', '', 1, 1), ('short', 'b', 'b', '', 'm', '', 1, 1);
      WITH RECURSIVE numbers (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM numbers WHERE seq < 1000)
      INSERT INTO feed (conversation_id, seq, at, body)
      SELECT 'long', seq, 1, '{}' FROM numbers UNION ALL SELECT 'short', seq, 1, '{}' FROM numbers WHERE seq <= 128;
      INSERT INTO blocks
        (place, id, document_id, role, kind, status, version, metadata, collapsed, excluded, created_at, updated_at)
      VALUES (1, 'canvas', 'd', 'user', 'file', 'done', 1, '{}', 0, 0, 1, 1),
        (2, 'reply', 'd', 'user', 'text', 'done', 1, '{}', 0, 0, 1, 1);
      INSERT INTO trimmed_turns (turn_id, block_place) VALUES ('turn', 1), ('turn', 2), ('other', 2);
    `);
    migrate(database, migrations.slice(0, 17));
    const feeds = "SELECT conversation_id AS id, min(seq) AS first, max(seq) AS last FROM feed GROUP BY 1 ORDER BY 1";
    expect(database.prepare(feeds).all().map(Object.values)).toEqual([
      ["long", 873, 1000],
      ["short", 1, 128],
    ]);
    expect(database.prepare("SELECT * FROM trimmed_turns").all().map(Object.values)).toEqual([["turn", 1]]);
    // 16.5: entries with a copy of their message go; the last one numbers the next.
    migrate(database);
    expect(database.prepare(feeds).all().map(Object.values)).toEqual([
      ["long", 1000, 1000],
      ["short", 128, 128],
    ]);
  });
});

describe("docs on the storage format", () => {
  test("name every table and column of the newest schema, and no other", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database);
    const columns = database
      .prepare(
        `SELECT t.name || '.' || c.name AS name FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
      )
      .all()
      .map((row) => String(row["name"]));
    const page = readFileSync(new URL("../../../../docs/storage-format.md", import.meta.url), "utf8");
    const documented = page
      .split(/^### `/m)
      .slice(1)
      .flatMap((section) => {
        const table = section.slice(0, section.indexOf("`"));
        return [...section.matchAll(/^\| `(\w+)` \|/gm)].map((match) => `${table}.${match[1] ?? ""}`);
      });
    expect(documented.toSorted()).toEqual(columns.toSorted());
    expect(page).toContain(`| ${migrations.length} |`);
  });

  test("have the founding document's columns in one view", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database);
    database.exec(`
      INSERT INTO conversations (id, slug, title, system_prompt, model, cwd, created_at, updated_at)
        VALUES ('c', 's', '', '', 'm', '/', 1, 1), ('d', 't', '', '', 'm', '/', 2, 2);
      INSERT INTO runs (id, conversation_id, state, state_data, state_updated_at, event_seq, model, created_at, updated_at)
        VALUES ('1', 'c', 'awaiting', '{}', 9, 1, 'm', 1, 1), ('2', 'c', 'error', '{}', 5, 1, 'm', 1, 1);`);
    const rows = database.prepare("SELECT * FROM conversation_states ORDER BY id").all();
    expect(rows.map((row) => [row["id"], row["state"], row["state_updated_at"]])).toEqual([
      ["c", "awaiting", 9],
      ["d", "idle", 2],
    ]);
    const seed =
      "id slug cwd parent_conversation_id user_initiated state state_data state_updated_at created_at updated_at archived";
    expect(Object.keys(rows[0] ?? {})).toEqual(seed.split(" "));
  });
});
