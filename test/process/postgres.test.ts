import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RequestId } from "../../src/core/base/ids.ts";
import type { ForestNode } from "../../src/core/forest/types.ts";
import { dataDirectoryAt } from "../../src/host/data/data-directory.ts";
import { until } from "../../src/testing/test-client.ts";
import { Api } from "../e2e/api.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "../e2e/server-process.ts";
import { testDatabase, type TestDatabase } from "../postgres/test-database.ts";
import { repository } from "../tidy/source-files.ts";
import { assertHistory, lastWords } from "./history.ts";
import { isResting, openTypist, timesIn, viewOf } from "./typist.ts";
import { welcomeIds } from "./welcome-ids.ts";

let database: TestDatabase;
let data: Awaited<ReturnType<typeof temporaryDirectory>>;
let server: ServerProcess | null = null;

beforeEach(async () => {
  database = await testDatabase();
  data = await temporaryDirectory();
});
afterEach(async () => {
  await server?.kill();
  server = null;
  await data.remove();
  await database.drop();
});

async function start(port = 0): Promise<ServerProcess> {
  server = await startServerProcess({ dataDirectory: data.path, port, env: environment() });
  return server;
}

function environment(): Record<string, string> {
  return { HEDDLE_NO_BUILD: "1", HEDDLE_DATABASE_URL: database.url };
}

/** Runs a Heddle command to its end, with its own data folder. */
async function heddle(...args: readonly string[]): Promise<{ readonly code: number | null; readonly said: string }> {
  const own = await temporaryDirectory();
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(repository, "bin/heddle.js"), ...args], {
    encoding: "utf8",
    timeout: 30_000,
    env: { ...process.env, ...environment(), HEDDLE_DATA: own.path },
  });
  await own.remove();
  return { code: status, said: stdout + stderr };
}

test("a person and the scribe write one document in PostgreSQL, through a kill -9 in the middle and a stop at the end", async () => {
  const first = await start();
  const ids = await welcomeIds(new Api(first));
  const person = await openTypist({ ...ids, server: first, number: 0 });
  try {
    const sent = await person.client.call("message.send", {
      rootId: ids.rootId,
      parentNodeId: null,
      text: "Add a section on testing, then tighten the introduction",
      clientRequestId: "request-before-a-kill" as RequestId,
    });
    expect(sent).toMatchObject({ ok: true });
    person.typeAfter("This part is yours.");
    await until(person.conversation, () => viewOf(person).runs.some((run) => run.state.type === "running-tools"));
    person.typeAfter("This part is yours.");
    await first.kill();
    person.typeAfter("This part is yours.");

    const second = await start(first.port);
    await until(person.client.state, (state) => state.type === "live", 10_000);
    await until(person.conversation, isResting, 30_000);
    await until(person.text.unconfirmed, (count) => count === 0);
    const { nodes } = await new Api(second).get<{ nodes: readonly ForestNode[] }>(`/api/conversations/${ids.rootId}`);
    assertHistory(nodes, "idle");
    expect(lastWords(nodes)).toContain("I added the section “Testing”");
    const text = await new Api(second).textOf(ids.canvasId);
    expect(text.split("\n").filter((line) => line === "## Testing")).toHaveLength(1);
    expect(person.typed.map((word) => timesIn(text, word))).toEqual([1, 1, 1]);

    expect(await second.stop()).toBe(0);
    const third = await start();
    expect(await new Api(third).textOf(ids.canvasId)).toBe(text);
    expect(existsSync(dataDirectoryAt(data.path).database)).toBe(false);
  } finally {
    person.close();
  }
});

test("a second server on the same database is refused and told who uses it", async () => {
  await start();
  const { code, said } = await heddle("serve", "--port", "0");
  expect(code).toBe(3);
  expect(said).toContain("Another Heddle server");
  expect(said).toMatch(/process \d+/);
  expect(said).not.toContain(encodeURIComponent(new URL(database.url).password));
});

test("a conversation can be exported while the server runs", async () => {
  expect(await heddle("export")).toEqual({ code: 0, said: "There are no conversations yet.\n" });
  await start();
  const { code, said } = await heddle("export");
  expect({ code, said }).toMatchObject({ code: 0, said: expect.stringMatching(/^root_\S+\t/) });
  const whole = await heddle("export", said.split("\t")[0] ?? "");
  expect(whole).toMatchObject({ code: 0, said: expect.stringContaining('"nodes"') });
});

test("doctor reports the database's status without its password", async () => {
  const before = await heddle("doctor", "--port", "0");
  expect(before.said).toMatch(
    /ok +database +postgres:\/\/localhost\/postgres \(PostgreSQL \d+.*no Heddle tables yet\)/,
  );
  await start();
  const during = await heddle("doctor", "--port", "0");
  expect(during.said).toMatch(/schema \d+, in use by a Heddle server\)/);
  const wrong = new URL(database.url);
  wrong.password = "not-the-password";
  const failed = await heddle("doctor", "--port", "0", "--store", wrong.href);
  expect(failed.code).toBe(1);
  expect(failed.said).toMatch(/failed +database +postgres:\/\/localhost\/postgres: .*password authentication failed/);
  const secrets = [decodeURIComponent(new URL(database.url).password), new URL(database.url).password, "not-the-pass"];
  for (const secret of secrets) expect(before.said + during.said + failed.said).not.toContain(secret);
});
