import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import { copyDatabase } from "../../../adapters/storage/sqlite/copy-database.ts";
import type { StoreOpenCode } from "../../../adapters/storage/shared/store-error.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { Store } from "../../../core/port/store.ts";
import type { Configuration } from "../../data/configuration.ts";
import { createDataDirectory, dataDirectoryAt } from "../../data/data-directory.ts";
import { isStored } from "../../data/is-stored.ts";
import { acquireProcessLock } from "../../data/process-lock.ts";
import { openStore } from "./open-store.ts";

/** A store that a command uses without a server. */
export interface OpenData {
  readonly store: Store;
  close(): Promise<void>;
}

const nobody = { onLost: () => {}, onDamaged: () => {} };

/** The code of a database without Heddle's tables. */
const notHeddle: StoreOpenCode = "NOT_HEDDLE";

function closedAlone(store: Store): OpenData {
  return { store, close: () => store.close() };
}

/** Opens the data for a command that writes; refused while a server or another command uses it. */
export async function openDataToWrite(configuration: Configuration): Promise<Result<OpenData, Refusal>> {
  const data = createDataDirectory(dataDirectoryAt(configuration.data));
  if (!data.ok) return data;
  const lock = acquireProcessLock(data.value);
  if (!lock.ok) return err({ ...lock.error, message: `${lock.error.message} (${data.value.root})` });
  const opened = await openStore(configuration, data.value, {
    ...nobody,
    onDamaged: (problem) => process.emitWarning(problem, "DamagedData"),
  });
  if (!opened.ok) {
    lock.value.release();
    return opened;
  }
  const store = opened.value;
  return ok({
    store,
    async close() {
      await store.close();
      lock.value.release();
    },
  });
}

/**
 * Opens the data for a command that only reads: beside a server, a copy of the database as of one instant, or the PostgreSQL
 * database itself. Nothing is created: where there is no database yet, that is refused, or the store is empty.
 */
export async function openDataToRead(
  configuration: Configuration,
  whenMissing: "refused" | "empty" = "refused",
): Promise<Result<OpenData, Refusal>> {
  const data = dataDirectoryAt(configuration.data);
  if (configuration.store !== undefined) {
    const opened = await openStore(configuration, data, { ...nobody, readOnly: true });
    if (opened.ok) return ok(closedAlone(opened.value));
    return opened.error.details?.["reason"] === notHeddle ? ok(closedAlone(openMemoryStore())) : opened;
  }
  const stored = isStored(data.database, data);
  if (!stored.ok) return stored;
  if (!stored.value && whenMissing === "empty") return ok(closedAlone(openMemoryStore()));
  if (!stored.value) {
    const message = `There is no data in ${data.root}. Name the data folder with --data.`;
    return err(refusal("NOT_FOUND", { path: data.root }, message));
  }
  const folder = await mkdtemp(join(tmpdir(), "heddle-read-"));
  const clean = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, "heddle.db");
    await copyDatabase(data.database, copy);
    const opened = await openStore(configuration, { ...data, database: copy }, nobody);
    if (!opened.ok) {
      await clean();
      return opened;
    }
    const store = opened.value;
    return ok({
      store,
      async close() {
        await store.close();
        await clean();
      },
    });
  } catch (problem) {
    await clean();
    const reason = String(problem);
    return err(refusal("STORE_FAILED", { reason }, `The database ${data.database} cannot be read: ${reason}`));
  }
}
