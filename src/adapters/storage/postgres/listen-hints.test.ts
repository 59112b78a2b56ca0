import { Client } from "pg";
import { databaseProxy } from "../../../../test/postgres/proxy.ts";
import { testDatabase } from "../../../../test/postgres/test-database.ts";
import { describeHintBus } from "../../../testing/cluster/hint-suite.ts";
import { nodeConfig } from "./connection.ts";
import { ListenHints } from "./listen-hints.ts";

const ttlMs = 3_000;

describeHintBus(
  "PostgreSQL",
  async () => {
    const databases = { ours: await testDatabase(), theirs: await testDatabase() };
    const proxies = {
      ours: await databaseProxy(databases.ours.url),
      theirs: await databaseProxy(databases.theirs.url),
    };
    const all = Object.values(proxies);
    return {
      bus(cluster) {
        const config = nodeConfig({ url: proxies[cluster].url }, "hints", ttlMs);
        return new ListenHints(config, async (script) => {
          const client = new Client(config);
          client.on("error", () => {});
          try {
            await client.connect();
            await client.query(script);
          } finally {
            await client.end().catch(() => {});
          }
        });
      },
      server: {
        stop: async () => all.forEach((proxy) => proxy.cut()),
        start: async () => all.forEach((proxy) => proxy.mend()),
      },
      async close() {
        await Promise.all(all.map((proxy) => proxy.close()));
        await Promise.all(Object.values(databases).map((database) => database.drop()));
      },
    };
  },
  { hasServer: true },
);
