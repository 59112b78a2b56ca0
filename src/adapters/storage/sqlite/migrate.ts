import type { DatabaseSync } from "node:sqlite";
import { StoreOpenError } from "../shared/store-error.ts";
import { migrations, type Migration } from "./migrations.ts";

/** `HDDL` in ASCII: marks the file as Heddle's. */
const applicationId = 0x4844444c;

/** Migrates the file to the newest schema in one transaction; refuses a file that a later release has written. */
export function migrate(database: DatabaseSync, steps: readonly Migration[] = migrations): void {
  const newest = steps.at(-1)?.version ?? 0;
  database.exec("BEGIN IMMEDIATE");
  try {
    const owner = integer(database, "PRAGMA application_id") ?? 0;
    const isEmpty = integer(database, "SELECT count(*) FROM sqlite_schema") === 0;
    if (owner !== applicationId && !(owner === 0 && isEmpty)) {
      throw new StoreOpenError("NOT_HEDDLE", "The file is a SQLite database, but not one of Heddle's.");
    }
    database.exec("CREATE TABLE IF NOT EXISTS meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT");
    const found = integer(database, "SELECT value ->> 'version' FROM meta WHERE key = 'store.schema'") ?? 0;
    if (found > newest) {
      const message = `The data was written by a later release of Heddle (schema ${found}; this one knows ${newest}). Start that release, or restore a backup.`;
      throw new StoreOpenError("SCHEMA_TOO_NEW", message);
    }
    for (const step of steps) if (step.version > found) database.exec(step.sql);
    if (found < newest) {
      database
        .prepare("INSERT INTO meta (key, value) VALUES ('store.schema', ?1) ON CONFLICT (key) DO UPDATE SET value = ?1")
        .run(JSON.stringify({ version: newest }));
      database.exec(`PRAGMA application_id = ${applicationId}`);
    }
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** The schema of a database of Heddle that `migrate` would raise; null where nothing is raised, or nothing is in it yet. */
export function schemaToRaise(database: DatabaseSync, steps: readonly Migration[] = migrations): number | null {
  if (integer(database, "PRAGMA application_id") !== applicationId) return null;
  const found = integer(database, "SELECT value ->> 'version' FROM meta WHERE key = 'store.schema'") ?? 0;
  return found > 0 && found < (steps.at(-1)?.version ?? 0) ? found : null;
}

function integer(database: DatabaseSync, sql: string): number | null {
  const value: unknown = Object.values(database.prepare(sql).get() ?? {})[0];
  return typeof value === "number" ? value : null;
}
