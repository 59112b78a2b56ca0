import type { ClientConfig } from "pg";
import { err, type Result } from "../../../core/base/result.ts";
import type { StoreRefusal } from "../../../core/port/store.ts";
import { StoreOpenError } from "../shared/store-error.ts";
import { withConnection } from "./connection.ts";
import { migrations, refuseUnfit, schemaVersion } from "./migrations.ts";
import type { PlannedWrite } from "./plan/planned-write.ts";
import { Statements } from "./plan/sql.ts";
import type { Commits } from "./writer.ts";

/** Makes sure that the tables are there and of this release, and takes no lock: another process may be writing. */
export async function openReadOnly(config: ClientConfig): Promise<Commits> {
  const found = await withConnection(config, async (client) => {
    const sql = new Statements(client);
    await refuseUnfit(sql);
    return schemaVersion(sql);
  });
  const newest = migrations.at(-1)?.version ?? 0;
  if (found === newest) return readOnly;
  if (found !== null && found > newest) {
    const message = `The data was written by a later release of Heddle (schema ${found}; this one knows ${newest}).`;
    throw new StoreOpenError("SCHEMA_TOO_NEW", message);
  }
  if (found === null) throw new StoreOpenError("NOT_HEDDLE", "Heddle's tables are not there.");
  throw new StoreOpenError("STORE_FAILED", "The tables are of an earlier release: start the server of this one once.");
}

const readOnly: Commits = {
  commit(writes: readonly PlannedWrite[]): Promise<Result<void, StoreRefusal>> {
    const reason = "the store was opened for reading";
    return Promise.resolve(err({ code: "STORE_FAILED", index: writes.length, reason }));
  },
  close: () => Promise.resolve(),
};
