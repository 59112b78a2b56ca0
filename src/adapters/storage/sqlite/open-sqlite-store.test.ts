import { mkdtemp, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scaled } from "../../../../test/scale.ts";
import { describeStore } from "../../../testing/store-suite.ts";
import { describeLongSnapshots } from "../shared/long-snapshot-cases.test-support.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

let file = "";

async function open() {
  const folder = await mkdtemp(join(tmpdir(), "heddle-store-"));
  const own = join(folder, "heddle.db");
  file = own;
  let current = await openSqliteStore({ file: own });
  return {
    store: current,
    reopen: async () => {
      await current.close();
      current = await openSqliteStore({ file: own });
      return current;
    },
    dispose: async () => {
      await current.close();
      await rm(folder, { recursive: true });
    },
  };
}

describeStore("SQLite", open, { rounds: scaled(20) });
describeLongSnapshots(open, {
  count: async () => Number(inFile("SELECT count(*) AS count FROM snapshot_pieces")[0]?.["count"]),
  lose: async () => void inFile("DELETE FROM snapshot_pieces"),
});

function inFile(sql: string) {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}
