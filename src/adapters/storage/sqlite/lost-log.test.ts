import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "./open-database.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";
import { applyLog } from "./recover-database.ts";

let folder: string;
let file: string;
const opened: ReturnType<typeof openDatabase>[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-lost-"));
  file = join(folder, "heddle.db");
});
afterEach(() => {
  for (const database of opened.splice(0)) if (database.isOpen) database.close();
  rmSync(folder, { recursive: true });
});

const commits = 20;
const pageBytes = 4096;
const frameBytes = 24 + pageBytes;

/** Leaves a database and its log as a killed process does: after the schema, each commit of the log is one row. */
function leaveBehind(): { readonly frames: number } {
  const live = join(folder, "live.db");
  const database = openDatabase(live);
  opened.push(database);
  database.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA wal_checkpoint(TRUNCATE)");
  for (let each = 0; each < commits; each += 1) {
    database.prepare("INSERT INTO meta (key, value) VALUES (?, '1')").run(`row-${each}`);
  }
  copyFileSync(live, file);
  copyFileSync(`${live}-wal`, `${file}-wal`);
  copyFileSync(`${live}-shm`, `${file}-shm`);
  database.close();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${live}${suffix}`, { force: true });
  return { frames: (readFileSync(`${file}-wal`).length - 32) / frameBytes };
}

function flip(at: number): void {
  const bytes = readFileSync(`${file}-wal`);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(`${file}-wal`, bytes);
}

function open(): { readonly rows: number; readonly said: readonly string[] } {
  const said: string[] = [];
  const database = openDatabase(file, (problem) => void said.push(problem));
  opened.push(database);
  const [row] = database.prepare("SELECT count(*) AS count FROM meta WHERE key LIKE 'row-%'").all();
  return { rows: Number(row?.["count"]), said };
}

describe("a database that is gone beside its log", () => {
  test.each([
    ["missing", () => rmSync(file)],
    ["empty", () => truncateSync(file)],
  ] as const)("(%s) is refused by name, and the log stays", async (kind, damage) => {
    leaveBehind();
    damage();
    const log = readFileSync(`${file}-wal`);
    await expect(openSqliteStore({ file })).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringMatching(new RegExp(`heddle\\.db is ${kind}, but its log .*heddle\\.db-wal holds`)),
    });
    expect(readFileSync(`${file}-wal`).equals(log)).toBe(true);
  });
});

describe("the log of a process that was killed", () => {
  test("is applied whole where it is intact", () => {
    leaveBehind();
    expect(open()).toEqual({ rows: commits, said: [] });
  });

  test.each([
    ["a flipped bit in its header", (log: Buffer) => (log[5] = (log[5] ?? 0) ^ 1)],
    ["a header of zeros", (log: Buffer) => log.fill(0, 0, 32)],
    ["nothing but zeros", (log: Buffer) => log.fill(0)],
  ] as const)("19.9 with %s: that its changes are missed is said, and both files are kept", (_what, damage) => {
    leaveBehind();
    const log = readFileSync(`${file}-wal`);
    damage(log);
    writeFileSync(`${file}-wal`, log);
    const { rows, said } = open();
    expect(rows).toBe(0);
    expect(said).toEqual([expect.stringMatching(/damaged at its beginning.*kept as .*damaged-\d+/)]);
    const kept = readdirSync(folder).find((name) => name.endsWith("-wal") && name.includes("damaged"));
    expect(readFileSync(join(folder, kept ?? "")).equals(log)).toBe(true);
  });

  test.each([
    ["a frame less", (frames: number) => 32 + (frames - 1) * frameBytes],
    ["half of its frames", (frames: number) => 32 + Math.floor(frames / 2) * frameBytes],
    ["a piece of a frame less", (frames: number) => 32 + frames * frameBytes - 100],
    ["its header alone and a piece", () => 32 + 100],
  ] as const)("19.9 cut to %s: that changes are missed is said, and both files are kept", (_what, length) => {
    const { frames } = leaveBehind();
    truncateSync(`${file}-wal`, length(frames));
    const { rows, said } = open();
    expect(rows).toBeLessThan(commits);
    expect(said).toEqual([
      expect.stringMatching(
        new RegExp(`cut or damaged at its end: \\d+ of the ${frames} pages.*kept as .*damaged-\\d+`),
      ),
    ]);
    for (const database of opened.splice(0)) if (database.isOpen) database.close();
    expect(open().said).toEqual([]);
  });

  test.each([
    ["is gone", (index: Buffer) => index.subarray(0, 0)],
    ["is damaged", (index: Buffer) => Buffer.from(index).fill(255, 16, 20).fill(255, 64, 68)],
    ["was half written", (index: Buffer) => Buffer.from(index).fill(255, 16, 20)],
    ["is another log's", (index: Buffer) => Buffer.from(index).fill(1, 32, 40).fill(1, 80, 88)],
  ] as const)("whose index %s tells of no cut", (_what, damage) => {
    const { frames } = leaveBehind();
    writeFileSync(`${file}-shm`, damage(readFileSync(`${file}-shm`)));
    truncateSync(`${file}-wal`, 32 + (frames - 1) * frameBytes);
    expect(open().said).toEqual([]);
  });

  test.each([
    ["a flipped bit", (log: Buffer) => (log[5] = (log[5] ?? 0) ^ 1)],
    ["zeros", (log: Buffer) => log.fill(0, 0, 32)],
  ] as const)("19.9 with %s for its header is applied to a copy all the same", (_what, damage) => {
    leaveBehind();
    const log = readFileSync(`${file}-wal`);
    damage(log);
    writeFileSync(`${file}-wal`, log);
    expect(applyLog(file, `${file}-wal`)).toBe(0);
    for (const suffix of ["-wal", "-shm"]) rmSync(`${file}${suffix}`);
    expect(open()).toEqual({ rows: commits, said: [] });
  });

  test("19.9 that was taken away is missed and said, and a log that was closed is not", () => {
    leaveBehind();
    rmSync(`${file}-wal`);
    expect(open().said).toEqual([expect.stringMatching(/heddle\.db-wal is missing.*may be missing.*backup/)]);
    for (const database of opened.splice(0)) if (database.isOpen) database.close();
    expect(open().said).toEqual([]);
  });

  test("with a flipped bit: what is behind it is missed, said, and kept", () => {
    const { frames } = leaveBehind();
    flip(32 + Math.floor(frames / 2) * frameBytes + 2000);
    const { rows, said } = open();
    expect(rows).toBeLessThan(commits);
    expect(said).toEqual([expect.stringMatching(/newest acknowledged changes are missing.*kept as .*damaged-\d+/)]);
    expect(readdirSync(folder).filter((name) => name.includes(".damaged-"))).toHaveLength(2);
  });

  test("tells the store's owner", async () => {
    leaveBehind();
    flip(32 + 2 * frameBytes + 2000);
    const told: string[] = [];
    const store = await openSqliteStore({ file, onDamaged: (problem) => told.push(problem) });
    await store.close();
    expect(told).toEqual([expect.stringContaining("is damaged: changes behind")]);
  });

  test("torn in its last commit, which nobody was told is saved, is no damage", () => {
    const { frames } = leaveBehind();
    // SQLite notes a commit in the index when it is on the disk.
    rmSync(`${file}-shm`);
    flip(32 + (frames - 1) * frameBytes + 2000);
    expect(open()).toEqual({ rows: commits - 1, said: [] });
    expect(existsSync(`${file}.damaged`)).toBe(false);
  });

  test("with frames of an earlier round behind its end is no damage", () => {
    const live = join(folder, "live.db");
    leaveBehind();
    const database = openDatabase(file);
    opened.push(database);
    database.exec("PRAGMA wal_autocheckpoint = 0");
    for (let each = 0; each < 10; each += 1) {
      database.prepare("INSERT INTO meta (key, value) VALUES (?, '1')").run(`old-${each}`);
    }
    database.exec("PRAGMA wal_checkpoint(RESTART)");
    database.prepare("INSERT INTO meta (key, value) VALUES ('new', '1')").run();
    copyFileSync(file, live);
    copyFileSync(`${file}-wal`, `${live}-wal`);
    copyFileSync(`${file}-shm`, `${live}-shm`);
    database.close();
    file = live;
    expect(open()).toEqual({ rows: commits, said: [] });
  });

  test("over a damaged page: what can be read is served, and the damage is said", () => {
    leaveBehind();
    const bytes = readFileSync(file);
    bytes.fill(0, 8 * pageBytes, 9 * pageBytes);
    writeFileSync(file, bytes);
    expect(open()).toEqual({
      rows: commits,
      said: [expect.stringMatching(/heddle\.db is damaged \(.*start from a backup or from what/s)],
    });
  });
});
