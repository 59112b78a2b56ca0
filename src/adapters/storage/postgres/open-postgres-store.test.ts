import { afterAll, beforeAll } from "vitest";
import { testDatabase, type TestDatabase } from "../../../../test/postgres/test-database.ts";
import { describeStore } from "../../../testing/store-suite.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});

afterAll(() => database.drop());

describeStore("PostgreSQL", async () => {
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
});
