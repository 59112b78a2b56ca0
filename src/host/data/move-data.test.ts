import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openFolderBlobs } from "../../adapters/blobs/folder-blobs.ts";
import { openMemoryBlobs } from "../../adapters/blobs/memory-blobs.ts";
import { openPostgresStore } from "../../adapters/storage/postgres/open-postgres-store.ts";
import { openSqliteStore } from "../../adapters/storage/sqlite/open-sqlite-store.ts";
import { fillSqliteTables, readSqliteTables } from "../../adapters/storage/sqlite/sqlite-tables.ts";
import { copiedTables, copyTables, CopyDiffersError } from "../../adapters/storage/shared/table-copy.ts";
import type { Store } from "../../core/port/store.ts";
import { node, nodeId, root, rootId } from "../../testing/store/records.ts";
import { testDatabase, type TestDatabase } from "../../../test/postgres/test-database.ts";
import { runCommandLine } from "../cli/run.ts";
import type { Terminal } from "../cli/base/terminal.ts";
import { copyOutOf, moveBlobs, moveDatabase } from "./move-data.ts";

const golden = join(import.meta.dirname, "../../../test/golden/0.1.0");
/** Text that PostgreSQL cannot hold as it is. */
const odd = "a\u0000b \uD83D \uDE00 \u0010 😀 ü";

let folder = "";
let database: TestDatabase;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-move-"));
  database = await testDatabase();
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

/** A data folder with everything that a released version has written. */
async function goldenFolder(name = "data"): Promise<string> {
  const data = join(folder, name);
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(join(data, "heddle.db"), gunzipSync(await readFile(join(golden, "heddle.db.gz"))), { mode: 0o600 });
  return data;
}

/** What readers of a store find. */
async function found(store: Store): Promise<unknown> {
  const roots = await store.roots();
  return {
    roots,
    nodes: await Promise.all(roots.map(({ id }) => store.nodes(id))),
    blocks: await store.blocks(null),
    finds: await Promise.all(
      (["messages", "blocks"] as const).map(async (each) => {
        const matches = await store.searchWords({ words: "the", in: each, rootId: null, limit: 500 });
        return matches.map(({ id }) => id).toSorted();
      }),
    ),
  };
}

async function foundIn(open: Promise<Store>): Promise<unknown> {
  const store = await open;
  try {
    return await found(store);
  } finally {
    await store.close();
  }
}

const sqliteAt = (data: string): Promise<Store> => openSqliteStore({ file: join(data, "heddle.db") });
const postgres = (): Promise<Store> => openPostgresStore({ url: database.url });

async function run(...args: readonly string[]) {
  const [printed, noted]: [string[], string[]] = [[], []];
  const terminal: Terminal = {
    print: (line) => void printed.push(line),
    note: (line) => void noted.push(line),
    env: { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
    input: async () => "",
    isInteractive: false,
    colours: false,
  };
  return { exit: await runCommandLine(args, terminal), printed, noted };
}

describe("a move between SQLite and PostgreSQL", () => {
  test("copies every table there is, but for those that nodes and word indexes make themselves", async () => {
    await (await postgres()).close();
    const data = await goldenFolder();
    await (await sqliteAt(data)).close();
    const file = new DatabaseSync(join(data, "heddle.db"));
    const inFile = file.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    file.close();
    const there = await database.query("SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()");
    const namesIn = (rows: readonly unknown[]) => rows.map((row) => (row as { name: string }).name).toSorted();
    const copied = copiedTables.map(({ name }) => name);
    const besides = (rows: readonly unknown[]) => namesIn(rows).filter((name) => !copied.includes(name));
    expect(besides(inFile).filter((name) => !/^(?:message|block)_index/u.test(name))).toEqual(["new_changes"]);
    expect(besides(there)).toEqual([
      "block_index",
      "cluster",
      "message_index",
      "node_schemas",
      "nodes",
      "owners",
      "writer",
    ]);
    for (const rows of [inFile, there]) expect(namesIn(rows)).toEqual(expect.arrayContaining(copied));
  });

  test("there and back gives the same rows, texts and finds, and the source stays as it was", async () => {
    const data = await goldenFolder();
    const store = await sqliteAt(data);
    const title = { type: "put-root", root: root("odd", { title: odd }) } as const;
    const said = node("said", { rootId: rootId("odd"), parentId: null });
    expect(await store.commit([title, { type: "put-node", node: said }])).toMatchObject({ ok: true });
    const before = await found(store);
    await store.close();
    const there = await moveDatabase(data, database.url);
    if (!there.ok) throw new Error(there.error.message);
    expect(there.value.rows).toMatchObject({ conversations: 5, messages: 99, changes: 534, blocks: 130 });
    expect(await foundIn(postgres())).toEqual(before);
    const back = await moveDatabase(database.url, join(folder, "back"));
    if (!back.ok) throw new Error(back.error.message);
    expect(back.value).toEqual(there.value);
    expect(await foundIn(sqliteAt(join(folder, "back")))).toEqual(before);
    expect(await foundIn(sqliteAt(data))).toEqual(before);
  });

  test("what is written after a move is numbered after what came with it", async () => {
    expect(await moveDatabase(await goldenFolder(), database.url)).toMatchObject({ ok: true });
    const store = await postgres();
    try {
      expect(await store.commit([{ type: "put-root", root: root("new") }])).toMatchObject({ ok: true });
      const said = node("new", { rootId: rootId("new"), parentId: null });
      expect(await store.commit([{ type: "put-node", node: said }])).toMatchObject({ ok: true });
      expect((await store.roots()).at(-1)?.id).toBe(rootId("new"));
      // Constraints are back: a message of a conversation that is not there is refused.
      const orphan = node("orphan", { rootId: rootId("gone"), parentId: nodeId("new") });
      const outcome = await store.commit([{ type: "put-node", node: orphan }]).catch(() => "refused");
      expect(outcome === "refused" || (typeof outcome === "object" && !outcome.ok)).toBe(true);
      expect(
        await database.query(
          "SELECT 1 FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace",
        ),
      ).toHaveLength(25);
    } finally {
      await store.close();
    }
  });

  test("that is broken off is continued, and no server opens the database before it is whole", async () => {
    const data = await goldenFolder();
    let pages = 0;
    const broken = await moveDatabase(data, database.url, (table) => {
      pages += 1;
      // As when the database restarts.
      if (table === "runs")
        void database.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'heddle move'",
        );
      if (table === "changes") throw new Error("somebody pulled the plug");
    });
    expect(broken).toMatchObject({ ok: false, error: { code: "STORE_FAILED" } });
    expect(pages).toBeGreaterThan(4);
    await expect(postgres()).rejects.toThrow("A move into this database is not finished.");
    await expect(openPostgresStore({ url: database.url, readOnly: true })).rejects.toThrow("is not finished");
    const again = await moveDatabase(data, database.url);
    if (!again.ok) throw new Error(again.error.message);
    expect(copiedTables.map(({ name }) => name)).toContain(again.value.continuedAt);
    expect(await foundIn(postgres())).toEqual(await foundIn(sqliteAt(data)));
  });

  test("into a data folder that is broken off is continued, and no server sees a half database", async () => {
    expect(await moveDatabase(await goldenFolder(), database.url)).toMatchObject({ ok: true });
    const back = join(folder, "back");
    const broken = await moveDatabase(database.url, back, (table) => {
      if (table === "blocks") throw new Error("no space left");
    });
    expect(broken).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("no space left. Run it again") },
    });
    expect(existsSync(join(back, "heddle.db"))).toBe(false);
    const again = await moveDatabase(database.url, back);
    expect(again).toMatchObject({ ok: true, value: { continuedAt: "feed" } });
    expect(await foundIn(sqliteAt(back))).toEqual(await foundIn(postgres()));
  });

  test("is refused into data, out of a database in use, and between two of a kind", async () => {
    const data = await goldenFolder();
    const server = await postgres();
    expect(await moveDatabase(data, database.url)).toMatchObject({
      ok: false,
      error: { code: "DATA_IN_USE", message: expect.stringContaining("Stop it first") },
    });
    expect(await moveDatabase(database.url, join(folder, "back"))).toMatchObject({
      ok: false,
      error: { code: "DATA_IN_USE" },
    });
    await server.commit([{ type: "put-root", root: root("mine") }]);
    await server.close();
    const refused = await run("migrate", "--from", data, "--to", database.url);
    expect([refused.exit, refused.noted[0]]).toEqual([
      3,
      "heddle: The database has data of Heddle already. Use a schema without any.",
    ]);
    const other = await goldenFolder("other");
    expect((await run("migrate", "--from", data, "--to", other)).noted[0]).toContain("use heddle backup");
    expect((await run("migrate", "--from", database.url, "--to", other)).noted[0]).toContain("exists already");
    expect(await run("migrate", "--from", data)).toMatchObject({ exit: 2 });
    expect((await run("migrate", "--from", join(folder, "nowhere"), "--to", database.url)).noted[0]).toContain(
      "is no data folder",
    );
  });

  test("prints rows by table, and never the password", async () => {
    const data = await goldenFolder();
    const moved = await run("migrate", "--from", data, "--to", database.url);
    expect(moved.exit).toBe(0);
    expect(moved.printed).toContain("messages\t98");
    expect(moved.noted.at(-1)).toContain(`heddle serve --data ${data} --store postgres://`);
    expect(moved.noted.join()).not.toContain(new URL(database.url).search);
  });

  test("finds a row that differs from its copy, and does not finish", async () => {
    const data = await goldenFolder();
    const source = readSqliteTables(join(data, "heddle.db"));
    const target = fillSqliteTables(join(folder, "copy.db"));
    const spoiling: typeof target = {
      ...target,
      write: (page) =>
        target.write(page.table.name === "messages" ? { ...page, rows: page.rows.toSpliced(3, 1) } : page),
    };
    await expect(copyTables(source, spoiling)).rejects.toThrow(CopyDiffersError);
    await expect(copyTables(source, { ...target, progress: null, write: async () => {} })).rejects.toThrow(
      "The table messages differs from its copy (98 rows, 96 copied)",
    );
    expect(existsSync(join(folder, "copy.db"))).toBe(false);
    await Promise.all([source.close(), target.close()]);
  });
});

test("a PostgreSQL database is copied as of one instant while a server writes to it", async () => {
  expect(await moveDatabase(await goldenFolder(), database.url)).toMatchObject({ ok: true });
  const store = await postgres();
  let written = 0;
  const writer = { goes: true };
  const writing = (async () => {
    for (; writer.goes; written += 1) {
      const name = `during-${written}`;
      await store.commit([
        { type: "put-root", root: root(name) },
        { type: "put-node", node: node(name, { rootId: rootId(name), parentId: null }) },
      ]);
    }
  })();
  const copied = await copyOutOf(database.url, join(folder, "copy.db"));
  writer.goes = false;
  await writing;
  await store.close();
  const { conversations = 0, messages = 0 } = copied.rows;
  expect(written).toBeGreaterThan(0);
  expect(messages - 98).toBe(conversations - 4);
  const copy = await openSqliteStore({ file: join(folder, "copy.db") });
  expect(await copy.roots()).toHaveLength(conversations);
  await copy.close();
});

test("images and files are copied once, hashed on the way, and a damaged one is named", async () => {
  const from = await openFolderBlobs({ folder: join(folder, "blobs"), now: () => 1 });
  const to = openMemoryBlobs(() => 1);
  const [a, b, c] = [
    await from.put(Buffer.from("a")),
    await from.put(Buffer.from("b")),
    await from.put(Buffer.from("c")),
  ];
  await to.put(Buffer.from("a"));
  writeFileSync(join(folder, "blobs", c.id.slice(0, 2), c.id.slice(2)), "d");
  expect(await moveBlobs(from, to)).toEqual({ blobs: 1, bytes: 1, before: 1, damaged: [c.id] });
  expect((await to.list()).map(({ id }) => id)).toEqual([a.id, b.id].toSorted());
});
