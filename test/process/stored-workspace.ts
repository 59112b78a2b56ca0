import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "../../src/adapters/storage/sqlite/open-sqlite-store.ts";
import { assert } from "../../src/core/base/assert.ts";
import type { BlockId, RootId, ToolCallId } from "../../src/core/base/ids.ts";
import type { ForestNode } from "../../src/core/forest/types.ts";
import { createReplicas } from "../../src/host/replica/replica-registry.ts";
import { dataDirectoryAt } from "../../src/host/data/data-directory.ts";
import { createDocumentHub } from "../../src/host/document/hub.ts";
import { openLeaseKeeper } from "../../src/host/lease/keeper.ts";
import { systemPlatform } from "../../src/adapters/platform/system-platform.ts";

/** The stored content of a workspace whose process has ended. */
export interface StoredWorkspace {
  readonly text: string;
  readonly nodes: readonly ForestNode[];
  readonly integrity: string;
  /** Calls with a stored start and no stored result: it is unknown whether they ran. */
  readonly startedCalls: readonly ToolCallId[];
}

/** Reads a copy of a data folder, so that reading repairs nothing before the server restarts. */
export async function readStored(
  folder: string,
  { canvasId, rootId }: { readonly canvasId: BlockId; readonly rootId: RootId },
): Promise<StoredWorkspace> {
  const copy = await mkdtemp(join(tmpdir(), "heddle-stored-"));
  try {
    const name = basename(dataDirectoryAt(folder).database);
    for (const file of await readdir(folder)) if (file.startsWith(name)) await cp(join(folder, file), join(copy, file));
    const database = dataDirectoryAt(copy).database;
    const integrity = integrityOf(copy);
    const store = await openSqliteStore({ file: database });
    const platform = systemPlatform();
    const leases = await openLeaseKeeper(store, platform);
    const hub = createDocumentHub({ store, platform, leases, replicas: await createReplicas(store, platform.clock) });
    const read = await hub.reader.read(canvasId);
    assert(read.ok, "the canvas can be read from the disk");
    const nodes = await store.nodes(rootId);
    const effects = await Promise.all((await store.runs(rootId)).map((run) => store.effects(run.id)));
    const startedCalls = effects.flat().flatMap(({ effect, startedAt }) => {
      return effect.type === "run-tool" && startedAt !== null ? [effect.call.id] : [];
    });
    leases.close();
    await hub.close();
    await store.close();
    return { text: read.value.text, nodes, integrity, startedCalls };
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** SQLite's integrity check of a data folder that no process has open: "ok", or the fault. */
export function integrityOf(folder: string): string {
  const database = new DatabaseSync(dataDirectoryAt(folder).database);
  try {
    return String(database.prepare("PRAGMA integrity_check").get()?.["integrity_check"]);
  } finally {
    database.close();
  }
}
