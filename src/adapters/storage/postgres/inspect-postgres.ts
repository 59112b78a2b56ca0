import { connectionConfig, withSilenceTimeout, type PostgresAddress } from "./connection.ts";
import { withConnection } from "./with-connection.ts";
import { refuseUnfit, schemaVersion } from "./migrate.ts";
import { Statements } from "./plan/sql.ts";
import { isLocked } from "./writer-link.ts";

/** The state of a database before Heddle uses it. */
export interface PostgresState {
  readonly version: string;
  /** The schema of Heddle's tables; null when there are none. */
  readonly schema: number | null;
  /** Whether acknowledged commits survive a power cut. */
  readonly isDurable: boolean;
  /** Whether a Heddle server is using the database. */
  readonly isInUse: boolean;
}

/** Inspects a database without changing it. Rejects when it cannot be reached or its version is too old. */
export function inspectPostgres(address: PostgresAddress): Promise<PostgresState> {
  return withConnection(withSilenceTimeout(connectionConfig(address, "heddle doctor")), async (client) => {
    const sql = new Statements(client);
    const version = await refuseUnfit(sql);
    return {
      version,
      schema: await schemaVersion(sql),
      isDurable: (await sql.first("SHOW fsync"))?.[0] === "on",
      isInUse: (await sql.first(isLocked)) !== null,
    };
  });
}
