import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { put } from "../../../testing/store/records.ts";
import { must } from "../../../core/base/assert.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { isSqliteRecentEnough, openDatabase } from "./open-database.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-open-"));
  file = join(folder, "heddle.db");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function edit(sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

describe("opening the SQLite file", () => {
  test("makes every commit durable, with a write-ahead log and full sync", () => {
    const database = openDatabase(file);
    const setting = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    expect(setting("journal_mode")).toBe("wal");
    expect(setting("synchronous")).toBe(2);
    expect(setting("mmap_size") ?? 0).toBe(0);
    expect(setting("foreign_keys")).toBe(1);
    const loose = database
      .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict")
      .all();
    expect(loose.map((row) => row["name"])).toEqual(["sqlite_schema"]);
    database.close();
  });

  test("hides the file and its log from other users", async () => {
    const store = await openSqliteStore({ file });
    await store.commit([put("1", 1)]);
    for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(name).mode & 0o777).toBe(0o600);
    await store.close();
  });

  test("refuses data that a later release has written and leaves it unchanged", async () => {
    openDatabase(file).close();
    edit(`UPDATE meta SET value = '{"version":99}' WHERE key = 'store.schema'`);
    await expect(openSqliteStore({ file })).rejects.toMatchObject({ name: "StoreOpenError", code: "SCHEMA_TOO_NEW" });
    await expect(openSqliteStore({ file })).rejects.toThrow("schema 99");
  });

  test("copies data of an older schema before it changes it, once, for its owner alone", () => {
    const steps = migrations.slice(0, 1);
    const newest = must(migrations.at(-1), "a step").version;
    const older = new DatabaseSync(file);
    migrate(older, steps);
    older.close();
    for (let start = 0; start < 2; start += 1) openDatabase(file).close();
    expect(readdirSync(folder).toSorted()).toEqual(["heddle.db", "heddle.db.schema-1"]);
    const copy = `${file}.schema-${steps[0]?.version}`;
    const versionIn = (path: string): unknown => {
      const database = new DatabaseSync(path, { readOnly: true });
      const row = database.prepare("SELECT value ->> 'version' AS version FROM meta WHERE key = 'store.schema'").get();
      database.close();
      return row?.["version"];
    };
    expect([versionIn(copy), versionIn(file)]).toEqual([1, newest]);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
  });

  test("changes nothing where no copy can be made before", () => {
    const older = new DatabaseSync(file);
    migrate(older, migrations.slice(0, 1));
    older.close();
    mkdirSync(join(`${file}.schema-1.part`, "in the way"), { recursive: true });
    expect(() => openDatabase(file)).toThrow(/no copy could be made before .*Nothing was changed/);
  });

  test("refuses another program's database and leaves it unchanged", async () => {
    edit("CREATE TABLE theirs (x)");
    await expect(openSqliteStore({ file })).rejects.toMatchObject({ code: "NOT_HEDDLE" });
    const database = new DatabaseSync(file);
    expect(database.prepare("SELECT count(*) AS count FROM sqlite_schema").get()).toMatchObject({ count: 1 });
    database.close();
  });

  test("refuses a file that is not a database, and a missing folder", async () => {
    writeFileSync(file, "This is a letter to Ada, not a database. ".repeat(100));
    await expect(openSqliteStore({ file })).rejects.toMatchObject({ code: "STORE_FAILED" });
    await expect(openSqliteStore({ file: join(folder, "none", "x.db") })).rejects.toMatchObject({
      code: "STORE_FAILED",
    });
  });

  test("works twice in a row", async () => {
    const first = await openSqliteStore({ file });
    await first.commit([put("1", 1)]);
    await first.close();
    const second = await openSqliteStore({ file });
    expect(await second.commit([put("1", 2)])).toMatchObject({ ok: true });
    await second.close();
  });

  test.each([
    ["3.51.2", false],
    ["3.51.3", true],
    ["3.52.0", true],
    ["3.9.9", false],
    ["4.0.0", true],
    ["2.99.99", false],
    ["", false],
  ])("the version check of SQLite %j gives %s", (version, expected) => {
    expect(isSqliteRecentEnough(version)).toBe(expected);
  });
});

describe("a row that was changed from outside", () => {
  test.each([
    ["UPDATE blocks SET metadata = '[]'", "column 7 of blocks holds an object"],
    ["UPDATE blocks SET status = 'finished'", "column 5 of blocks holds one of pending, running, done, error"],
    ["UPDATE blocks SET metadata = '{'", "JSON"],
  ])("a row changed by %s is refused", async (sql, message) => {
    const store = await openSqliteStore({ file });
    await store.commit([put("1", 1)]);
    await store.close();
    edit(sql);
    const damaged = await openSqliteStore({ file });
    await expect(damaged.block(put("1", 1).header.id)).rejects.toThrow(message);
    expect(await damaged.commit([put("2", 1)])).toMatchObject({ ok: true });
    await damaged.close();
  });

  test("a damaged row is omitted from lists and reported once", async () => {
    const store = await openSqliteStore({ file });
    await store.commit([put("1", 1)]);
    await store.commit([put("2", 1)]);
    await store.close();
    edit(`UPDATE blocks SET kind = 'file'`);
    edit(`UPDATE blocks SET metadata = '[]' WHERE id = '${put("1", 1).header.id}'`);
    const problems: string[] = [];
    const damaged = await openSqliteStore({ file, onDamaged: (problem) => problems.push(problem) });
    for (let time = 0; time < 2; time += 1) {
      expect((await damaged.blocks(null)).map(({ id }) => id)).toEqual([put("2", 1).header.id]);
    }
    expect(problems).toEqual([expect.stringContaining("column 7 of blocks holds an object")]);
    await damaged.close();
  });
});
