import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { describeClusterTable } from "./cluster-suite.ts";
import { MemoryCluster } from "./memory-cluster.ts";

describeClusterTable("memory", async () => {
  const cluster = new MemoryCluster(systemPlatform().clock);
  return {
    table: async () => cluster.table(),
    async begin({ incarnation, epoch, batch }) {
      const transaction = await cluster.begin(incarnation, epoch, batch);
      return transaction === null ? null : { commit: async () => transaction.commit([]) };
    },
    close: async () => {},
  };
});
