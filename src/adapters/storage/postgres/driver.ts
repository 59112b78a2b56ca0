import type { DatabaseDriver } from "../shared/database-driver.ts";
import { shownAddress } from "./connection.ts";

/** The driver of PostgreSQL databases, by their usual addresses. Its package is loaded where one is opened. */
export const postgresDriver: DatabaseDriver = {
  schemes: ["postgres", "postgresql"],
  backup: "The database of this workspace is PostgreSQL: copy it with pg_dump.",
  shownAddress: (url) => shownAddress({ url }),
  async open(url, use) {
    const { openPostgresStore } = await import("./open-postgres-store.ts");
    return openPostgresStore({ url, ...use });
  },
  async openShared(url, use) {
    const { openSharedDatabase } = await import("./shared-database.ts");
    return openSharedDatabase(url, use);
  },
  async readTables(url, how) {
    const { readPostgresTables } = await import("./postgres-tables.ts");
    return readPostgresTables({ url }, how);
  },
  async fillTables(url) {
    const { fillPostgresTables } = await import("./postgres-tables.ts");
    return fillPostgresTables({ url });
  },
  async inspect(url) {
    const { inspectPostgres } = await import("./inspect-postgres.ts");
    const { version, schema, isDurable, isInUse } = await inspectPostgres({ url });
    const state = schema === null ? "no Heddle tables yet" : `schema ${schema}`;
    return {
      found: `PostgreSQL ${version}, ${state}${isInUse ? ", in use by a Heddle server" : ""}`,
      next: isDurable ? null : 'The server has "fsync = off": a power cut can destroy everything. Turn it on.',
    };
  },
};
