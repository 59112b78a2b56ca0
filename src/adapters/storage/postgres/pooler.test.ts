import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePorts } from "../../../../test/cluster/nodes.ts";
import { programFor } from "../../../../test/deploy/programs.ts";
import { testDatabase, type TestDatabase } from "../../../../test/postgres/test-database.ts";
import { root } from "../../../testing/store/records.ts";
import { openClusterTable } from "./cluster-table.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

let database: TestDatabase;
let folder = "";
const poolers: ChildProcess[] = [];
beforeAll(async () => {
  database = await testDatabase();
  folder = mkdtempSync(join(tmpdir(), "heddle-pooler-"));
  chmodSync(folder, 0o711);
});
afterAll(async () => {
  for (const pooler of poolers) {
    const gone = once(pooler, "exit");
    if (pooler.kill("SIGKILL")) await gone;
  }
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

/** A real PgBouncer before the test's schema, with the settings of docs/deploy but for the mode. */
async function pooled(mode: "session" | "transaction"): Promise<string> {
  const [port = 0] = await freePorts(1);
  const { username, password, pathname, searchParams } = new URL(database.url);
  const schema = /search_path=(\w+)/u.exec(searchParams.get("options") ?? "")?.[1];
  const place = `host=${searchParams.get("host")} dbname=${pathname.slice(1)} connect_query='SET search_path = ${schema}'`;
  const given = readFileSync(join(import.meta.dirname, "../../../../docs/deploy/pgbouncer.ini"), "utf8");
  const kept = given.split("\n").filter((line) => /^(?:ignore_startup_parameters|server_reset_query|max_)/u.test(line));
  const file = join(folder, `${mode}.ini`);
  const users = join(folder, "users.txt");
  writeFileSync(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  writeFileSync(
    file,
    [
      "[databases]",
      `heddle = ${place}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "auth_type = scram-sha-256",
      `auth_file = ${users}`,
      `pool_mode = ${mode}`,
      "unix_socket_dir =",
      ...kept,
      "",
    ].join("\n"),
  );
  for (const path of [file, users]) chmodSync(path, 0o644);
  const { path, libraries } = programFor("pgbouncer");
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const pooler = spawn(path, [file], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...(libraries === null ? {} : { LD_LIBRARY_PATH: libraries }) },
    ...nobody,
  });
  poolers.push(pooler);
  let said = "";
  pooler.stderr?.on("data", (data: Buffer) => (said += data.toString("utf8")));
  for (const deadline = performance.now() + 10_000; !(await isListening(port)); await delay(20)) {
    if (performance.now() > deadline) throw new Error(`the pooler does not listen: ${said}`);
  }
  return `postgres://${username}:${password}@127.0.0.1:${port}/heddle`;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

test("N-41 a pooler in transaction mode is refused at the start, by a server that is alone and by a node", async () => {
  const url = await pooled("transaction");
  const words = "a pooler that changes sessions between transactions";
  await expect(openPostgresStore({ url })).rejects.toThrow(words);
  await expect(openClusterTable({ url, ttlMs: 5_000 })).rejects.toThrow(words);
  // Nothing was made: the tables come after the check.
  expect(await database.query("SELECT 1 FROM pg_tables WHERE schemaname = current_schema()")).toEqual([]);
});

test("N-41 behind a pooler in session mode a server commits, and a node joins, renews and leaves", async () => {
  const url = await pooled("session");
  const store = await openPostgresStore({ url });
  expect(await store.commit([{ type: "put-root", root: root("a") }])).toMatchObject({ ok: true });
  expect(await store.roots()).toHaveLength(1);
  await store.close();
  const table = await openClusterTable({ url, ttlMs: 5_000 });
  try {
    const incarnation = await table.join({ nodeId: "a", ttlMs: 5_000, address: "127.0.0.1:1", again: null });
    expect(await table.renew(incarnation ?? 0)).toBe(true);
    expect((await table.look()).nodes).toHaveLength(1);
    await table.leave(incarnation ?? 0);
  } finally {
    await table.close();
  }
});
