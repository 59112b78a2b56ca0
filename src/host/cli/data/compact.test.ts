import { statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqliteStore } from "../../../adapters/storage/sqlite/open-sqlite-store.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { createDataDirectory, dataDirectoryAt, type DataDirectory } from "../../data/data-directory.ts";
import { acquireProcessLock } from "../../data/process-lock.ts";
import type { Terminal } from "../base/terminal.ts";
import { runCommandLine } from "../run.ts";

let folder = "";
let data: DataDirectory;
let printed: string[];
let noted: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-compact-"));
  data = dataDirectoryAt(join(folder, "data"));
  printed = [];
  noted = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = (...flags: readonly string[]): Promise<number> => {
  const terminal: Terminal = {
    print: (line) => void printed.push(line),
    note: (line) => void noted.push(line),
    env: { XDG_CONFIG_HOME: folder },
    input: async () => "",
    isInteractive: false,
    colours: false,
  };
  return runCommandLine(["compact", "--data", data.root, ...flags], terminal);
};

const key = (each: number): string => `key ${each}`;

/** Stores 200 rows of 20 kB, and makes all but the last small again. */
async function fill(): Promise<void> {
  createDataDirectory(data);
  const store = await openSqliteStore({ file: data.database });
  for (let each = 0; each < 200; each += 1)
    accept(await store.commit([{ type: "put-meta", key: key(each), value: { text: "x".repeat(20_000) } }]));
  for (let each = 0; each < 199; each += 1)
    accept(await store.commit([{ type: "put-meta", key: key(each), value: {} }]));
  await store.close();
}

test("19.12 heddle compact makes the database as small as what it holds, and changes nothing in it", async () => {
  await fill();
  expect(await run("--json")).toBe(0);
  const { before, after } = JSON.parse(printed.join("")) as { before: number; after: number };
  expect([before > 4_000_000, after < 1_000_000]).toEqual([true, true]);
  expect(statSync(data.database).size).toBe(after);
  const store = await openSqliteStore({ file: data.database });
  expect(await store.meta(key(0))).toEqual({});
  expect(await store.meta(key(199))).toEqual({ text: "x".repeat(20_000) });
  await store.close();
  expect(await run()).toBe(0);
  expect(printed.at(-1)).toMatch(/^The database took 0\.\d MB and takes 0\.\d MB\.$/);
});

test("19.12 heddle compact refuses while a server runs, where nothing is stored, and for a damaged database", async () => {
  expect(await run()).toBeGreaterThan(0);
  expect(noted.at(-1)).toContain("There is nothing to compact in");
  await fill();
  const lock = accept(acquireProcessLock(data));
  expect(await run()).toBeGreaterThan(0);
  lock.release();
  const { size } = statSync(data.database);
  writeFileSync(data.database, "SQLite format 3\0 and then something else".padEnd(size, "?"));
  expect(await run()).toBeGreaterThan(0);
  expect(noted.at(-1)).toContain("Nothing was changed.");
  expect(statSync(data.database).size).toBe(size);
});
