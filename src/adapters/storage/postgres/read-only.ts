import type { ClientConfig } from "pg";
import { err, type Result } from "../../../core/base/result.ts";
import type { StoreRefusal } from "../../../core/port/store.ts";
import { StoreOpenError } from "../shared/store-error.ts";
import { withConnection } from "./with-connection.ts";
import { refuseUnfinished, refuseUnfit, schemaVersion } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import type { PlannedWrite } from "./plan/planned-write.ts";
import { Statements } from "./plan/sql.ts";
import type { Commits } from "./writer.ts";

/** Checks that the tables exist in this release's schema. Takes no lock, since another process may be writing. */
export async function openReadOnly(config: ClientConfig): Promise<Commits> {
  const found = await withConnection(config, async (client) => {
    const sql = new Statements(client);
    await refuseUnfit(sql);
    const version = await schemaVersion(sql);
    if (version !== null) await refuseUnfinished(sql);
    return version;
  });
  const newest = migrations.at(-1)?.version ?? 0;
  if (found === newest) return readOnly;
  if (found !== null && found > newest) {
    const message = `The data was written by a later release of Heddle (schema ${found}; this one knows ${newest}).`;
    throw new StoreOpenError("SCHEMA_TOO_NEW", message);
  }
  if (found === null) throw new StoreOpenError("NOT_HEDDLE", "The database has no Heddle tables.");
  throw new StoreOpenError(
    "STORE_FAILED",
    "The tables are from an earlier release. Start this release's server once to upgrade them.",
  );
}

/** Refuses every commit. */
export const readOnly: Commits = {
  commit(writes: readonly PlannedWrite[]): Promise<Result<void, StoreRefusal>> {
    const reason = "the store was opened read-only";
    return Promise.resolve(err({ code: "STORE_FAILED", index: writes.length, reason }));
  },
  close: () => Promise.resolve(),
};
