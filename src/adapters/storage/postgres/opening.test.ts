import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { inspect } from "node:util";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startPostgres } from "../../../../test/postgres/start-server.ts";
import { testDatabase, type TestDatabase } from "../../../../test/postgres/test-database.ts";
import type { Store } from "../../../core/port/store.ts";
import { blockId, put } from "../../../testing/store/records.ts";
import { connectionConfig, shownAddress } from "./connection.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

let database: TestDatabase;
const opened: Store[] = [];
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await database.drop();
});

async function open(url = database.url): Promise<Store> {
  const store = await openPostgresStore({ url });
  opened.push(store);
  return store;
}

describe("opening the database", () => {
  test("opening is refused with the writer's name while another process writes, and allowed once that process has closed it", async () => {
    const first = await open();
    const refused = open();
    await expect(refused).rejects.toMatchObject({ name: "StoreOpenError", code: "STORE_IN_USE" });
    await expect(refused).rejects.toThrow(`process ${process.pid}`);
    expect(await first.commit([put("1", 1)])).toMatchObject({ ok: true });
    await first.close();
    expect((await (await open()).block(blockId("1")))?.version).toBe(1);
  });

  test("waits briefly for a process that is closing", async () => {
    const first = await open();
    const second = open();
    await first.close();
    await second;
  });

  test("read-only leaves the writing process undisturbed and writes nothing", async () => {
    await expect(openPostgresStore({ url: database.url, readOnly: true })).rejects.toMatchObject({
      code: "NOT_HEDDLE",
    });
    const writing = await open();
    const reading = await openPostgresStore({ url: database.url, readOnly: true });
    opened.push(reading);
    await writing.commit([put("1", 1)]);
    expect((await reading.block(blockId("1")))?.version).toBe(1);
    expect(await reading.commit([put("1", 2)])).toMatchObject({ ok: false, error: { code: "STORE_FAILED", index: 1 } });
    expect(await writing.commit([put("1", 2)])).toMatchObject({ ok: true });
  });

  test("keeps schemas of one database apart", async () => {
    const other = await testDatabase();
    const [one, two] = [await open(), await open(other.url)];
    await one.commit([put("1", 1)]);
    expect(await two.block(blockId("1"))).toBeNull();
    await two.close();
    await other.drop();
  });

  test("accepts a pg configuration in place of an address", async () => {
    const url = new URL(database.url);
    const connection = {
      host: url.searchParams.get("host") ?? "",
      user: url.username,
      password: decodeURIComponent(url.password),
      database: url.pathname.slice(1),
      options: url.searchParams.get("options") ?? "",
    };
    const store = await openPostgresStore({ connection });
    opened.push(store);
    await store.commit([put("1", 1)]);
    expect(await database.query("SELECT 1 FROM blocks")).toHaveLength(1);
  });

  test("makes each commit wait for the disk, whatever the server's default is", async () => {
    const setting = async (url: string): Promise<unknown> => {
      const client = new Client(connectionConfig({ url }, "test"));
      await client.connect();
      const { rows } = await client.query<object>("SELECT current_setting('synchronous_commit') AS now");
      await client.end();
      return rows[0];
    };
    await database.query("ALTER ROLE heddle SET synchronous_commit = off");
    try {
      expect(await setting(database.url)).toEqual({ now: "on" });
      // An address may choose otherwise explicitly.
      const url = new URL(database.url);
      url.searchParams.set("options", "-c synchronous_commit=off");
      expect(await setting(url.href)).toEqual({ now: "off" });
    } finally {
      await database.query("ALTER ROLE heddle RESET synchronous_commit");
    }
  });

  const secret = "hunter2";
  test.each([
    ["another password", (url: URL) => (url.password = secret), "password authentication failed"],
    ["no such database", (url: URL) => (url.pathname = "/none"), "does not exist"],
    ["no such schema", (url: URL) => url.searchParams.set("options", "-c search_path=none"), "does not exist"],
    ["nobody there", (url: URL) => url.searchParams.set("host", "/nowhere"), "ENOENT"],
    ["another kind of address", (url: URL) => (url.protocol = "mysql:"), "postgres://user:password@host"],
  ])("an error for %s never contains the password", async (_name, change, message) => {
    const url = new URL(database.url);
    change(url);
    const problem: unknown = await open(url.href).catch((thrown: unknown) => thrown);
    expect(problem).toMatchObject({ name: "StoreOpenError", code: "STORE_FAILED" });
    const shown = inspect(problem, { depth: 10, showHidden: true });
    expect(shown).toContain(message);
    for (const word of [secret, url.password, decodeURIComponent(new URL(database.url).password)]) {
      expect(shown).not.toContain(word);
    }
  });

  test.each(["postgres://ada:hunter2@[", "hunter2", "postgres//ada:hunter2@db/heddle", ""])(
    "does not repeat the invalid address %j",
    async (url) => {
      const problem: unknown = await open(url).catch((thrown: unknown) => thrown);
      expect(problem).toMatchObject({ name: "StoreOpenError" });
      expect(inspect(problem, { depth: 10, showHidden: true })).not.toContain("hunter2");
    },
  );

  test.each([
    ["postgres://ada:hunter2@db.example:6432/heddle?sslmode=verify-full", "postgres://db.example:6432/heddle"],
    ["postgresql:///heddle?host=/run/postgresql&password=hunter2", "postgres:///heddle"],
  ])("shows %s without its secrets", (url, shown) => {
    expect(shownAddress({ url })).toBe(shown);
  });
});

describe("the connection's security", () => {
  const sslOf = (url: string): unknown => new Client(connectionConfig({ url }, "test")).ssl;

  test.each([
    ["disable", false],
    ["no-verify", { rejectUnauthorized: false }],
    ["verify-full", {}],
  ])("follows sslmode=%s of the address", (mode, expected) => {
    expect(sslOf(`postgres://db.example/heddle?sslmode=${mode}`)).toEqual(expected);
  });

  test("accepts a server with a trusted certificate and refuses another", async () => {
    const port = await freePort();
    let authority = "";
    const server = await startPostgres((folder) => {
      authority = join(folder, "server.crt");
      const key = join(folder, "server.key");
      makeCertificate({ certificate: authority, key });
      return {
        ssl: "on",
        ssl_cert_file: authority,
        ssl_key_file: key,
        listen_addresses: "localhost",
        port: String(port),
      };
    });
    const { username, password } = new URL(server.urlOf("postgres"));
    const openWith = (mode: string): Promise<Store> =>
      open(`postgres://${username}:${password}@localhost:${port}/postgres?${mode}`);
    try {
      await expect(openWith("sslmode=verify-full")).rejects.toThrow("self-signed certificate");
      const store = await openWith(`sslmode=verify-full&sslrootcert=${encodeURIComponent(authority)}`);
      expect(await store.commit([put("1", 1)])).toMatchObject({ ok: true });
      await store.close();
    } finally {
      await server.remove();
    }
  });

  test("refuses a server without TLS when the address requires it", async () => {
    const url = new URL(database.url);
    url.searchParams.set("sslmode", "verify-full");
    await expect(open(url.href)).rejects.toThrow("does not support SSL");
  });
});

/** Makes a self-signed certificate for localhost. */
function makeCertificate({ certificate, key }: { readonly certificate: string; readonly key: string }): void {
  const wanted = "req -new -x509 -days 1 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost".split(" ");
  const { status, stderr, error } = spawnSync("openssl", [...wanted, "-out", certificate, "-keyout", key], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`needs openssl(1): ${String(error ?? stderr)}`);
  chmodSync(key, 0o600);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "localhost", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
