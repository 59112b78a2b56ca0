import type { NodeMeters } from "../../../core/port/node-meters.ts";
import type { SharedDatabase } from "../shared/database-driver.ts";
import { openClusterTable } from "./cluster-table.ts";
import { openPostgresStore } from "./open-postgres-store.ts";
import { StandbyConnections } from "./standby-connections.ts";

/** Opens a database as one of several processes, with what its store needs at hand. Rejects with StoreOpenError. */
export async function openSharedDatabase(url: string, ttlMs: number, meters?: NodeMeters): Promise<SharedDatabase> {
  const table = await openClusterTable({ url, ttlMs, ...(meters === undefined ? {} : { meters }) });
  const standby = new StandbyConnections({ url }, ttlMs);
  standby.prepare();
  return {
    table,
    openStore: (use) => openPostgresStore({ url, standby, ...use }),
    async close() {
      await standby.close();
      await table.close();
    },
  };
}
