import { closeSync, openSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { must } from "../../../core/base/assert.ts";
import { blockId, put } from "../../../testing/store/records.ts";
import { openForReading } from "./open-for-reading.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";
import { Statements } from "../row/sql.ts";

/**
 * Leaves a store room for the commit after which it files its new changes, but none for the filing; then frees room. Prints
 * the results as JSON. Argument: a folder on a small file system.
 */

const folder = must(process.argv[2], "a folder is given");
const file = join(folder, "heddle.db");
const ballast = join(folder, "ballast");
const problems: string[] = [];
const store = await openSqliteStore({ file, onDamaged: (problem) => problems.push(problem) });

let made = 0;
async function typeHundred(): Promise<string> {
  const body = { type: "text", update: new Uint8Array(100), spans: [], unit: { id: "u" } } as const;
  const writes = Array.from({ length: 100 }, () => {
    made += 1;
    return made === 1 ? put("1", 1) : put("1", made, { change: { body } });
  });
  const result = await store.commit(writes);
  return result.ok ? "ok" : result.error.code;
}

function unfiled(): number | null {
  const reading = openForReading(file);
  const count = new Statements(reading).number("SELECT count(*) FROM new_changes", []);
  reading.close();
  return count;
}

const commits: string[] = [];
for (let hundred = 0; hundred < 9; hundred += 1) commits.push(await typeHundred());
fillDisk();
truncateSync(ballast, statSync(ballast).size - 100 * 1024);
commits.push(await typeHundred());
// A commit is answered before filing starts; the next commit runs after the attempt.
await store.commit([]);
const unfiledWhileFull = unfiled();
rmSync(ballast);
for (let hundred = 0; hundred < 10; hundred += 1) commits.push(await typeHundred());
await store.commit([]);
const unfiledWithRoom = unfiled();
await store.close();

const reopened = await openSqliteStore({ file });
const kept = (await reopened.changes({ blockId: blockId("1"), afterVersion: 0 })).length;
await reopened.close();
writeSync(
  1,
  JSON.stringify({ commits: [...new Set(commits)], unfiledWhileFull, unfiledWithRoom, problems, lost: made - kept }),
);

function fillDisk(): void {
  writeFileSync(ballast, "");
  const descriptor = openSync(ballast, "a");
  try {
    for (const piece = new Uint8Array(64 * 1024); ;) writeSync(descriptor, piece);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  } finally {
    closeSync(descriptor);
  }
}
