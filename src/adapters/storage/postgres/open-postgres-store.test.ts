import { afterAll, beforeAll } from "vitest";
import { testDatabase, type TestDatabase } from "../../../../test/postgres/test-database.ts";
import { describeStore } from "../../../testing/store-suite.ts";
import { describeLongSnapshots } from "../shared/long-snapshot-cases.test-support.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});

afterAll(() => database.drop());

async function open() {
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
      await database.empty();
    },
  };
}

describeStore("PostgreSQL", open);
describeLongSnapshots(open, {
  count: async () => (await database.query("SELECT 1 FROM snapshot_pieces")).length,
  lose: async () => void (await database.query("DELETE FROM snapshot_pieces")),
});
