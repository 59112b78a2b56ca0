import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { must } from "../../src/core/base/assert.ts";

/** An empty schema in the run's PostgreSQL. */
export interface TestDatabase {
  /** An address that leads only there. */
  readonly url: string;
  /** Runs statements beside the store, as another program would. */
  query(sql: string): Promise<readonly unknown[]>;
  /** Leaves the tables as Heddle's first start does: empty, in a tenth of the time of a new schema. */
  empty(): Promise<void>;
  drop(): Promise<void>;
}

/** Creates a schema for the test on the run's one real server, which the first call starts. Never skips. */
export async function testDatabase(): Promise<TestDatabase> {
  const server = await serverUrl();
  const schema = `test_${randomUUID().replaceAll("-", "")}`;
  const url = new URL(server);
  url.searchParams.set("options", `-c search_path=${schema}`);
  const query = (sql: string): Promise<readonly unknown[]> => runIn(url.href, sql);
  await query(`CREATE SCHEMA ${schema}`);
  return {
    url: url.href,
    query,
    empty: async () => void (await query(emptyTables)),
    drop: async () => void (await query(`DROP SCHEMA ${schema} CASCADE`)),
  };
}

const emptyTables = `
  SET session_replication_role = replica;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT IN ('meta', 'writer')
    LOOP
      -- A small table is emptied faster row by row; a large one would keep its dead rows.
      IF pg_total_relation_size(name::regclass) > 300000 THEN EXECUTE format('TRUNCATE %I CASCADE', name);
      ELSE EXECUTE format('DELETE FROM %I', name); END IF;
    END LOOP;
  END $$;
  DELETE FROM meta WHERE key <> 'store.schema';
  UPDATE writer SET holder = '', batch = 0;
`;

async function runIn(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end();
  }
}

const startMs = 120_000;
let known: Promise<string> | null = null;

function serverUrl(): Promise<string> {
  known ??= sharedServer();
  return known;
}

async function sharedServer(): Promise<string> {
  const folder = must(process.env["HEDDLE_TEST_POSTGRES_RUN"], "test/postgres/global-setup.ts has run");
  const runPid = must(process.env["HEDDLE_TEST_POSTGRES_PID"], "test/postgres/global-setup.ts has run");
  if (isFirst(folder)) {
    const keeper = spawn(process.execPath, [join(import.meta.dirname, "keep-server.ts"), folder, runPid], {
      detached: true,
      stdio: "ignore",
    });
    keeper.unref();
    writeFileSync(join(folder, "pid"), String(keeper.pid));
  }
  for (let waited = 0; waited < startMs; waited += 50) {
    if (existsSync(join(folder, "ready"))) return readFileSync(join(folder, "ready"), "utf8");
    if (existsSync(join(folder, "failed"))) throw new Error(readFileSync(join(folder, "failed"), "utf8"));
    await delay(50);
  }
  throw new Error(`PostgreSQL was not ready within ${startMs} ms.`);
}

/** Creating a folder succeeds for only one of many processes. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch {
    return false;
  }
}
