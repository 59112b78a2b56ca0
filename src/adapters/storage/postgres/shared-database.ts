import type { SharedDatabase, SharedUse } from "../shared/database-driver.ts";
import { openClusterTable } from "./cluster-table.ts";
import { openPostgresStore, storeReadOver } from "./open-postgres-store.ts";
import { StandbyConnections } from "./standby-connections.ts";

/** Opens a database as one of several processes, with what its store needs at hand. Rejects with StoreOpenError. */
export async function openSharedDatabase(url: string, shared: SharedUse): Promise<SharedDatabase> {
  const table = await openClusterTable({ url, ...shared });
  const standby = new StandbyConnections({ url }, shared.ttlMs);
  standby.prepare();
  return {
    table,
    readEarly: () => (standby.readers === null ? null : storeReadOver(standby.readers)),
    openStore: (use) => openPostgresStore({ url, standby, ...use }),
    async close() {
      await standby.close();
      await table.close();
    },
  };
}
