import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scaled } from "../../../../test/scale.ts";
import { describeStore } from "../../../testing/store-suite.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

describeStore(
  "SQLite",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "heddle-store-"));
    const file = join(folder, "heddle.db");
    let current = await openSqliteStore({ file });
    return {
      store: current,
      reopen: async () => {
        await current.close();
        current = await openSqliteStore({ file });
        return current;
      },
      dispose: async () => {
        await current.close();
        await rm(folder, { recursive: true });
      },
    };
  },
  { rounds: scaled(20) },
);
