import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { canonicalJson } from "../../src/core/base/json.ts";
import { sha256Hex } from "../../src/core/base/hash.ts";
import { dataDirectoryAt } from "../../src/host/data/data-directory.ts";
import { Api } from "../e2e/api.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "../e2e/server-process.ts";
import { repository } from "../tidy/source-files.ts";

let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
let server: ServerProcess | null = null;

beforeEach(async () => {
  folder = await temporaryDirectory();
});
afterEach(async () => {
  await server?.kill();
  server = null;
  await folder.remove();
});

async function start(data: string): Promise<Api> {
  server = await startServerProcess({ dataDirectory: data, env: { HEDDLE_NO_BUILD: "1" } });
  return new Api(server);
}

function heddle(...args: readonly string[]): { readonly code: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(repository, "bin/heddle.js"), ...args], {
    encoding: "utf8",
    timeout: 60_000,
    env: environment(),
  });
  return { code: status, said: stdout + stderr };
}

/** The same beside this process, which goes on; returns the exit code. */
async function heddleBeside(...args: readonly string[]): Promise<unknown> {
  const child = spawn(process.execPath, [join(repository, "bin/heddle.js"), ...args], {
    env: environment(),
    stdio: "ignore",
  });
  return (await once(child, "exit"))[0];
}

function environment(): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: folder.path, HEDDLE_NO_BUILD: "1" };
}

/** What is written in a drill: one canvas, and one conversation to which messages are added. */
interface Written {
  readonly canvasId: string;
  readonly rootId: string;
}

/** The hash of the canvas's text, and of each message by its id. */
interface Hashes {
  readonly text: string;
  readonly messages: Readonly<Record<string, string>>;
}

async function hashesOf(api: Api, { canvasId, rootId }: Written): Promise<Hashes> {
  const { nodes } = await api.get<{ nodes: readonly { id: string; message: unknown }[] }>(
    `/api/conversations/${rootId}`,
  );
  return {
    text: sha256Hex(await api.textOf(canvasId)),
    messages: Object.fromEntries(nodes.map(({ id, message }) => [id, sha256Hex(canonicalJson(message))])),
  };
}

async function begin(api: Api): Promise<Written> {
  const { canvasId } = await api.post<{ canvasId: string }>("/api/commands/canvas.create", {
    title: "Drill",
    text: "warp and weft\n".repeat(2_000),
  });
  const { rootId } = await api.post<{ rootId: string }>("/api/commands/conversation.create", { title: "Drill" });
  for (let each = 0; each < 20; each += 1) await add(api, rootId, `before ${each}`);
  return { canvasId, rootId };
}

async function add(api: Api, rootId: string, text: string): Promise<void> {
  await api.post("/api/commands/message.add", { rootId, parentNodeId: null, text: text.padEnd(2_000, ".") });
}

/** Overwrites every page of a database but the first, and removes its log: nothing is left to recover. */
function destroy(data: string): void {
  const { database } = dataDirectoryAt(data);
  const bytes = readFileSync(database);
  bytes.fill(0xff, 4_096);
  writeFileSync(database, bytes);
  for (const end of ["-wal", "-shm"]) rmSync(`${database}${end}`, { force: true });
  expect(statSync(database).size).toBeGreaterThan(100_000);
}

test("19.16 recovery drill: a backup made while the server writes, damage, restore: all that was stored before has its hash", async () => {
  const data = join(folder.path, "data");
  const api = await start(data);
  const written = await begin(api);
  const before = await hashesOf(api, written);

  // Somebody writes while the backup is made.
  const stopping = new AbortController();
  let added = 0;
  const writing = (async () => {
    for (; !stopping.signal.aborted; added += 1) await add(api, written.rootId, `during ${added}`);
  })();
  await expect.poll(() => added, { timeout: 10_000 }).toBeGreaterThan(5);
  expect(await heddleBeside("backup", join(folder.path, "kept"), "--data", data)).toBe(0);
  stopping.abort();
  await writing;
  const after = await hashesOf(api, written);
  await server?.kill();

  destroy(data);
  const refused = heddle("doctor", "--data", data);
  expect(refused.code).not.toBe(0);
  expect(heddle("recover", join(folder.path, "saved"), "--data", data).code).not.toBe(0);

  const restored = await start(join(folder.path, "kept"));
  const hashes = await hashesOf(restored, written);
  expect(hashes.text).toBe(before.text);
  expect(hashes.messages).toMatchObject(before.messages);
  // What was added during the backup is there as it was written, up to one instant.
  expect(after.messages).toMatchObject(hashes.messages);
  const count = (of: Hashes): number => Object.keys(of.messages).length;
  expect([count(before) <= count(hashes), count(hashes) < count(after)]).toEqual([true, true]);
  await add(restored, written.rootId, "after the restore");
});

test("19.16 recovery drill: what heddle recover saves of a killed server's data has its hash", async () => {
  const data = join(folder.path, "data");
  const api = await start(data);
  const written = await begin(api);
  const before = await hashesOf(api, written);
  await server?.kill();
  // The database is gone beside its log, as when a file was deleted by mistake.
  rmSync(dataDirectoryAt(data).database);
  const saved = heddle("recover", join(folder.path, "saved"), "--data", data, "--json");
  expect([saved.code, JSON.parse(saved.said)]).toMatchObject([0, { lost: [] }]);
  expect(await hashesOf(await start(join(folder.path, "saved")), written)).toEqual(before);
});
