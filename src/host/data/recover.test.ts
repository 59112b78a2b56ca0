import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkDatabase } from "../../adapters/storage/sqlite/check-database.ts";
import { openSqliteStore } from "../../adapters/storage/sqlite/open-sqlite-store.ts";
import { must } from "../../core/base/assert.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { buildCatalogue } from "../../adapters/providers/catalogue.ts";
import { blockId, put } from "../../testing/store/records.ts";
import { systemActor } from "../conversation/base/actors.ts";
import { openWorkspace } from "../workspace/workspace.ts";
import { runCommandLine } from "../cli/run.ts";
import type { Terminal } from "../cli/base/terminal.ts";
import { createDataDirectory, dataDirectoryAt, type DataDirectory } from "./data-directory.ts";
import { acquireProcessLock } from "./process-lock.ts";
import { recoverData } from "./recover.ts";

const conversations = 40;
const text = "words ".repeat(200);

let filled = "";
let folder = "";
let data: DataDirectory;
beforeAll(async () => {
  filled = await mkdtemp(join(tmpdir(), "heddle-filled-"));
  await fill(dataDirectoryAt(join(filled, "stopped")), join(filled, "killed"));
});
afterAll(() => rm(filled, { recursive: true, force: true }));
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-recover-"));
  data = dataDirectoryAt(join(folder, "data"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Fills a folder with conversations of one message each; `killed` is a copy as a killed process leaves it. */
async function fill(stopped: DataDirectory, killed: string): Promise<void> {
  createDataDirectory(stopped);
  const platform = { ...systemPlatform(), logger: { info() {}, warn() {}, error() {} } };
  const store = await openSqliteStore({ file: stopped.database });
  const workspace = await openWorkspace({
    store,
    catalogue: buildCatalogue({}, { fetch, clock: platform.clock, sleep: async () => {} }),
    platform,
    cwd: stopped.root,
    welcome: false,
  });
  for (let each = 0; each < conversations; each += 1) {
    const created = accept(await workspace.conversations.create({ title: `Number ${each} ${"x".repeat(600)}` }));
    accept(
      await workspace.conversations.messages.add(systemActor, {
        rootId: created.id,
        parentNodeId: null,
        messages: [{ role: "user", content: [{ type: "text", text: `${text}${each}` }] }],
      }),
    );
  }
  cpSync(stopped.root, killed, { recursive: true });
  await workspace.close();
  await store.close();
}

const begin = (state: "stopped" | "killed"): void => cpSync(join(filled, state), data.root, { recursive: true });

/** Zeroes a page of one table, as a bad sector does. */
function zeroPageOf(table: string): void {
  const database = new DatabaseSync(data.database);
  const pages = database
    .prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path")
    .all(table);
  database.close();
  const page = Number(must(pages[Math.floor(pages.length / 2)], "a page")["pageno"]);
  const bytes = readFileSync(data.database);
  bytes.fill(0, (page - 1) * 4096, page * 4096);
  writeFileSync(data.database, bytes);
}

const recover = () => recoverData(data, join(folder, "saved"), () => Date.now());

describe("recoverData", () => {
  test("saves everything of a folder that is intact", async () => {
    begin("stopped");
    const saved = accept(await recover());
    expect(saved).toMatchObject({
      conversations,
      messages: conversations,
      damagedTables: [],
      damagedLogPages: 0,
      orphans: {},
      substitutes: 0,
    });
    expect(readdirSync(join(folder, "saved")).filter((name) => name.startsWith("damaged"))).toEqual([]);
    const store = await openSqliteStore({ file: join(folder, "saved", "heddle.db") });
    expect(await store.searchWords({ in: "messages", words: "words", rootId: null, limit: 100 })).toHaveLength(
      conversations,
    );
    await store.close();
  });

  test("saves a database that is missing from its log alone", async () => {
    begin("killed");
    rmSync(data.database);
    expect(accept(await recover())).toMatchObject({ conversations, messages: conversations, damagedTables: [] });
  });

  test("saves what is behind a damaged page of the log, and says that something is missing", async () => {
    begin("killed");
    const bytes = readFileSync(`${data.database}-wal`);
    const frames = Math.floor((bytes.length - 32) / 4120);
    const at = 32 + Math.floor(frames / 2) * 4120 + 2000;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(`${data.database}-wal`, bytes);
    const saved = accept(await recover());
    expect(saved.damagedLogPages).toBe(1);
    expect(saved.conversations).toBeGreaterThan(conversations - 3);
  });

  test("gives conversations whose rows are lost a substitute, so that every message is saved", async () => {
    begin("stopped");
    zeroPageOf("conversations");
    const before = readFileSync(data.database);
    const saved = accept(await recover());
    expect(saved.damagedTables).toEqual(["conversations"]);
    expect(saved.substitutes).toBeGreaterThan(0);
    expect(saved).toMatchObject({ conversations, messages: conversations });
    expect(readFileSync(data.database).equals(before)).toBe(true);
  });

  test("saves a text from its changes where a piece of its long snapshot is damaged", async () => {
    begin("stopped");
    const id = blockId("long");
    const store = await openSqliteStore({ file: data.database });
    const bytes = new Uint8Array(3_000_000).fill(9);
    expect(await store.commit([put("long", 1)])).toMatchObject({ ok: true });
    expect(await store.commit([{ type: "put-snapshot", snapshot: { blockId: id, version: 1, bytes } }])).toMatchObject({
      ok: true,
    });
    await store.close();
    zeroPageOf("snapshot_pieces");
    expect(accept(await recover()).damagedTables).toEqual(["snapshot_pieces"]);
    const saved = await openSqliteStore({ file: join(folder, "saved", "heddle.db") });
    expect(await saved.snapshot(id)).toBeNull();
    expect(await saved.changes({ blockId: id, afterVersion: 0 })).toHaveLength(1);
    await saved.close();
  });

  test("loses the messages of a damaged page alone", async () => {
    begin("stopped");
    zeroPageOf("messages");
    const saved = accept(await recover());
    expect(saved.damagedTables).toEqual(["messages"]);
    expect(saved.messages).toBeGreaterThan(conversations - 6);
    expect(saved.messages).toBeLessThan(conversations);
  });

  test("refuses a file of which nothing can be read, and makes no folder", async () => {
    begin("stopped");
    writeFileSync(data.database, Buffer.alloc(40_960));
    expect(await recover()).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("Start from a backup") },
    });
    expect(readdirSync(folder)).not.toContain("saved");
  });

  test.each(["made", "refused"])("touches no folder beside the new one when it is %s", async (how) => {
    begin("stopped");
    const beside = join(folder, "saved.part");
    mkdirSync(beside);
    writeFileSync(join(beside, "novel.md"), "mine");
    if (how === "refused") mkdirSync(join(folder, "saved"));
    expect((await recover()).ok).toBe(how === "made");
    expect(readFileSync(join(beside, "novel.md"), "utf8")).toBe("mine");
    expect(readdirSync(folder).filter((name) => name.startsWith("saved"))).toEqual(["saved", "saved.part"]);
  });
});

describe("a database with a zeroed page", () => {
  test("serves the conversations that can be read, names the others, and is found by the check of all pages", async () => {
    begin("stopped");
    zeroPageOf("conversations");
    const told: string[] = [];
    const store = await openSqliteStore({ file: data.database, onDamaged: (problem) => told.push(problem) });
    try {
      const roots = await store.roots();
      expect(roots.length).toBeGreaterThan(conversations - 6);
      expect(told).toHaveLength(conversations - roots.length);
      expect(told[0]).toMatch(/^roots: root_\w+ cannot be read/);
      const report = (problem: string): void => void told.push(problem);
      await checkDatabase(data.database, { signal: new AbortController().signal, report });
      expect(told.at(-1)).toContain("the table conversations is damaged");
      expect(await store.lastMessages()).toHaveLength(roots.length);
    } finally {
      await store.close();
    }
  });
});

test("heddle recover says what is lost, by its exit code too, and refuses while a server runs", async () => {
  begin("stopped");
  zeroPageOf("conversations");
  const noted: string[] = [];
  const terminal: Terminal = {
    print: () => {},
    note: (line) => void noted.push(line),
    env: { XDG_CONFIG_HOME: folder },
    input: async () => "",
    isInteractive: false,
    colours: false,
  };
  const run = () => runCommandLine(["recover", join(folder, "saved"), "--data", data.root], terminal);
  const lock = accept(acquireProcessLock(data));
  expect(await run()).toBeGreaterThan(1);
  lock.release();
  expect(await run()).toBe(1);
  expect(noted.join(" ")).toMatch(
    /Saved: 40 conversations, 40 messages.*could not be read in: conversations.*lost title/s,
  );
});
