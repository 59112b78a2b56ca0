import { testDatabase } from "../../../../test/postgres/test-database.ts";
import { describeStore } from "../../../testing/store-suite.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

describeStore("PostgreSQL", async () => {
  const database = await testDatabase();
  let current = await openPostgresStore({ url: database.url });
  return {
    store: current,
    reopen: async () => {
      await current.close();
      current = await openPostgresStore({ url: database.url });
      return current;
    },
    dispose: async () => {
      await current.close();
      await database.drop();
    },
  };
});
