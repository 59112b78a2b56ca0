import { must } from "../../../core/base/assert.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";
import { blockId, put, root, rootId } from "../../../testing/store/records.ts";
import { tell } from "../../../testing/store/tell.test-support.ts";

/**
 * A process for a test to kill. Appends to eight blocks at once in an endless loop and prints a line for every acknowledged
 * commit: `block version`. In half of the blocks it now and then trims all but the newest changes. Argument: the database
 * file.
 */

const store = await openSqliteStore({ file: must(process.argv[2], "a database file is given") });

async function append(name: string): Promise<never> {
  let version = (await store.block(blockId(name)))?.version ?? 0;
  for (;;) {
    version += 1;
    const result = await store.commit([put(name, version)]);
    if (!result.ok) throw new Error(`the commit was refused: ${JSON.stringify(result.error)}`);
    tell(`${name} ${version}`);
    if (version % 8 === 0 && name < "block-4") await trim(name, version);
  }
}

async function trim(name: string, version: number): Promise<void> {
  const id = blockId(name);
  const result = await store.commit([
    { type: "put-snapshot", snapshot: { blockId: id, version, bytes: snapshotBytes(name, version) } },
    { type: "trim-changes", blockId: id, beforeVersion: version - 4, state: { version } },
  ]);
  if (!result.ok) throw new Error(`the commit was refused: ${JSON.stringify(result.error)}`);
}

/** That of one block is long enough to be stored in pieces. */
function snapshotBytes(name: string, version: number): Uint8Array {
  return new Uint8Array(name === "block-0" ? 2_500_000 : 1).fill(version % 256);
}

if ((await store.root(rootId("a"))) === null) await store.commit([{ type: "put-root", root: root("a") }]);
await Promise.all(Array.from({ length: 8 }, (_, index) => append(`block-${index}`)));
