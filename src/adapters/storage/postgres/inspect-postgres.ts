import { connectionConfig, impatient, withConnection, type PostgresAddress } from "./connection.ts";
import { refuseUnfit, schemaVersion } from "./migrations.ts";
import { Statements } from "./plan/sql.ts";
import { isLocked } from "./writer-link.ts";

/** How a database stands, for whoever asks before using it. */
export interface PostgresState {
  readonly version: string;
  /** Of Heddle's tables; null where there are none. */
  readonly schema: number | null;
  /** Whether what it acknowledges survives a power cut. */
  readonly isDurable: boolean;
  /** Whether a Heddle server has it now. */
  readonly isInUse: boolean;
}

/** Looks at a database and changes nothing. Rejects where it cannot be reached or is of a version that will not do. */
export function inspectPostgres(address: PostgresAddress): Promise<PostgresState> {
  return withConnection(impatient(connectionConfig(address, "heddle doctor")), async (client) => {
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
