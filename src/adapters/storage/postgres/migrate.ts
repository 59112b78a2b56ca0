import { StoreOpenError } from "../shared/store-error.ts";
import { migrations, type Migration } from "./migrations.ts";
import type { Statements } from "./plan/sql.ts";

const serverVersionMin = 150_000;
const storedSchema = "SELECT (value::json ->> 'version')::integer FROM meta WHERE key = 'store.schema'";
/** The schema that a release must know to use the tables. */
export const leastSchema = `SELECT coalesce((value::json ->> 'least')::integer, (value::json ->> 'version')::integer)
  FROM meta WHERE key = 'store.schema'`;
/** The row holds how far a copy into this database has come, until it is finished. */
const isMoving = "SELECT 1 FROM meta WHERE key = 'store.moving'";
const putSchema = `INSERT INTO meta (key, value) VALUES ('store.schema', $1)
  ON CONFLICT (key) DO UPDATE SET value = $1`;

/** Returns the version of the stored tables; null when there are none. */
export async function schemaVersion(sql: Statements): Promise<number | null> {
  const hasTables = (await sql.first("SELECT to_regclass(current_schema() || '.meta')::text"))?.[0] !== null;
  return hasTables ? sql.number(storedSchema) : null;
}

/** Refuses tables that need a release which knows more than this one. */
export function refuseTooNew(needed: number, known: number): void {
  if (needed <= known) return;
  const message = `The data was written by a later release of Heddle (schema ${needed}; this one knows ${known}). Start that release, or restore a backup.`;
  throw new StoreOpenError("SCHEMA_TOO_NEW", message);
}

/** Refuses a database that is only partly filled. */
export async function refuseUnfinished(sql: Statements): Promise<void> {
  if ((await sql.first(isMoving)) === null) return;
  const message =
    "A move into this database is not finished. Run heddle migrate again, or use a schema without tables.";
  throw new StoreOpenError("STORE_FAILED", message);
}

/** Returns the server's version after checking it and the database's encoding. */
export async function refuseUnfit(sql: Statements): Promise<string> {
  const encoding = String((await sql.first("SHOW server_encoding"))?.[0]);
  if (encoding !== "UTF8") {
    throw new StoreOpenError(
      "STORE_FAILED",
      `The database's encoding is ${encoding}. Use a database with the encoding UTF8.`,
    );
  }
  const version = String((await sql.first("SHOW server_version"))?.[0]);
  const number = Number((await sql.first("SHOW server_version_num"))?.[0]);
  if (number >= serverVersionMin) return version;
  const message = `The server is PostgreSQL ${version}; ${serverVersionMin / 10_000} or later is needed.`;
  throw new StoreOpenError("SERVER_TOO_OLD", message);
}

/** How tables are migrated that other processes use meanwhile. */
export interface SharedMigration {
  /** Refuses a step after which a release must know that schema, while one that does not uses the tables. */
  raising(sql: Statements, least: number): Promise<void>;
}

/**
 * Migrates the connection's schema to the newest in one transaction, under a lock. Refuses an old server, tables of another
 * program, and data that a later release has written; tables that others use may have what a later release added to them.
 */
export async function migrate(
  sql: Statements,
  steps: readonly Migration[] = migrations,
  shared: SharedMigration | null = null,
): Promise<void> {
  await refuseUnfit(sql);
  const newest = steps.at(-1)?.version ?? 0;
  await sql.command("BEGIN");
  try {
    await sql.ask("SELECT pg_advisory_xact_lock(hashtextextended('heddle.migration ' || current_schema(), 0))");
    const tables = (await sql.all("SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()")).flat();
    if (tables.length > 0 && !(tables.includes("meta") && tables.includes("writer"))) {
      throw new StoreOpenError(
        "NOT_HEDDLE",
        "The schema has tables of another program. Use a schema of its own for Heddle.",
      );
    }
    await sql.script(`CREATE TABLE IF NOT EXISTS meta (key text COLLATE "C" PRIMARY KEY, value text NOT NULL)`);
    await refuseUnfinished(sql);
    const found = (await sql.number(storedSchema)) ?? 0;
    const least = (await sql.number(leastSchema)) ?? 0;
    refuseTooNew(shared === null ? found : least, newest);
    const missing = steps.filter(({ version }) => version > found);
    if (missing.length > 0) {
      const raised = Math.max(least, ...missing.map((step) => step.least ?? step.version));
      // First: whoever joins meanwhile waits for this row, and reads what it says then.
      await sql.ask(putSchema, [JSON.stringify({ version: newest, least: raised })]);
      if (raised > least) await shared?.raising(sql, raised);
    }
    for (const step of missing) await sql.script(step.sql);
    await sql.command("COMMIT");
  } catch (error) {
    // A lost connection has rolled back by itself; the first error is the one to report.
    await sql.command("ROLLBACK").catch(() => {});
    throw error;
  }
}
