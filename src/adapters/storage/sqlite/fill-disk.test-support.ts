import { rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { must } from "../../../core/base/assert.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";
import { blockId, put } from "../../../testing/store/records.ts";

/**
 * Fills a small file system through a store, frees some of it, goes on, and prints the results as JSON. Argument: a folder
 * on that file system.
 */

const folder = must(process.argv[2], "a folder is given");
const ballast = join(folder, "ballast");
writeFileSync(ballast, new Uint8Array(1024 * 1024));

const update = new Uint8Array(20_000).fill(7);
const file = join(folder, "heddle.db");
const store = await openSqliteStore({ file });

let acknowledged = 0;
async function append(): Promise<string> {
  const body = { type: "text", update, spans: [], unit: { id: "u" } } as const;
  const version = acknowledged + 1;
  const result = await store.commit([version === 1 ? put("1", 1) : put("1", version, { change: { body } })]);
  if (!result.ok) return result.error.code;
  acknowledged += 1;
  return "ok";
}

let firstRefusal = "ok";
while (firstRefusal === "ok") firstRefusal = await append();
const refusals: string[] = [];
for (let again = 0; again < 5; again += 1) refusals.push(await append());
const readableWhileFull = (await store.changes({ blockId: blockId("1"), afterVersion: 0 })).length === acknowledged;
const beforeSpace = acknowledged;
rmSync(ballast);
const freedAt = performance.now();
while ((await append()) !== "ok" && performance.now() - freedAt < 5_000);
const recoveredMs = performance.now() - freedAt;
await store.close();

const reopened = await openSqliteStore({ file });
const kept = (await reopened.changes({ blockId: blockId("1"), afterVersion: 0 })).length;
await reopened.close();
writeSync(
  1,
  JSON.stringify({
    firstRefusal,
    refusals,
    readableWhileFull,
    madeBefore: beforeSpace > 20 ? "many" : beforeSpace,
    madeAfter: acknowledged - beforeSpace,
    recovered: recoveredMs <= 2_000 ? "within 2 s" : `after ${recoveredMs} ms`,
    lost: acknowledged - kept,
  }),
);
