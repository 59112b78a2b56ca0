import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestServer } from "../../../testing/test-server.ts";
import { createDataDirectory, dataDirectoryAt } from "../../data/data-directory.ts";
import { acquireProcessLock } from "../../data/process-lock.ts";
import { noteListening } from "../../server/http/listening-note.ts";
import type { CommandLine } from "../base/command-line.ts";
import { reachServer, startingPlace } from "./reach-server.ts";
import type { Terminal } from "../base/terminal.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-reach-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const token = "t".repeat(43);

function terminal(env: Readonly<Record<string, string>> = {}): Terminal {
  return {
    print: () => {},
    note: () => {},
    input: async () => "",
    env: { XDG_CONFIG_HOME: folder, ...env },
    isInteractive: false,
    colours: false,
  };
}

function line(values: Readonly<Record<string, string>>): CommandLine {
  return { command: "chat", values, switches: new Set() };
}

test("reachServer finds the server of the data folder by its server.json", async () => {
  const data = dataDirectoryAt(join(folder, "data"));
  createDataDirectory(data);
  const lock = acquireProcessLock(data);
  const server = await startTestServer({ token });
  await writeFile(data.token, `${token}\n`, { mode: 0o600 });
  const forget = await noteListening(data, server.url);
  const reached = await reachServer(line({ data: data.root }), terminal());
  if (!reached.ok) throw new Error(reached.error.message);
  expect([reached.value.isOwn, reached.value.url]).toEqual([false, server.url]);
  const [root] = await server.workspace.conversations.list();
  expect(await startingPlace(line({ conversation: root?.slug ?? "" }), reached.value)).toEqual({
    ok: true,
    value: root?.id,
  });
  expect(await startingPlace(line({ conversation: `${root?.slug}x` }), reached.value)).toMatchObject({
    ok: false,
    error: { code: "ROOT_NOT_FOUND", message: expect.stringContaining(`Did you mean ${root?.slug}?`) },
  });
  await reached.value.close();

  await forget();
  const unnamed = await reachServer(line({ data: data.root }), terminal());
  expect(unnamed).toMatchObject({
    ok: false,
    error: { code: "DATA_IN_USE", message: expect.stringContaining("is not a server") },
  });
  await server.close();
  if (lock.ok) lock.value.release();
});

test("reachServer ignores the file of a killed server, and starts and names a server of its own", async () => {
  const data = dataDirectoryAt(join(folder, "data"));
  createDataDirectory(data);
  await noteListening(data, "http://127.0.0.1:1");
  const first = await reachServer(line({ data: data.root }), terminal());
  const second = await reachServer(line({ data: data.root }), terminal());
  if (!first.ok || !second.ok) throw new Error("both are let in");
  expect([first.value.isOwn, second.value.isOwn]).toEqual([true, false]);
  expect(second.value.url).toBe(first.value.url);
  await second.value.close();
  await first.value.close();
});

test("14.15 a configured model server that lists nothing is told before the built-in author answers in its place", async () => {
  const noted: string[] = [];
  const env = { HEDDLE_OPENAI_BASE_URL: "http://127.0.0.1:1/v1" };
  const own = await reachServer(line({ data: join(folder, "data") }), {
    ...terminal(env),
    note: (said) => void noted.push(said),
  });
  if (!own.ok) throw new Error(own.error.message);
  await own.value.close();
  expect(noted.join()).toContain("The server at http://127.0.0.1:1/v1 listed no models");
});

test("an address without a token is told whether anything answers there", async () => {
  const nobody = await reachServer(line({ url: "http://127.0.0.1:1" }), terminal());
  expect(nobody).toMatchObject({
    ok: false,
    error: { code: "NOT_FOUND", message: expect.stringContaining("No server answers at http://127.0.0.1:1") },
  });
  const server = await startTestServer({ token });
  const closed = await reachServer(line({ url: server.url }), terminal());
  expect(closed).toMatchObject({ ok: false, error: { code: "UNAUTHENTICATED" } });
  await server.close();
});

test.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, string>>]>([
  ["the address", { url: `#token=${token}` }, {}],
  ["--token", { url: "/", token }, {}],
  ["HEDDLE_TOKEN", { url: "" }, { HEDDLE_TOKEN: token }],
])("the token of %s gives access to the server of --url", async (_name, { url = "", ...rest }, env) => {
  const server = await startTestServer({ token });
  const reached = await reachServer(line({ url: server.url + url, ...rest }), terminal(env));
  expect(reached.ok && reached.value.isOwn).toBe(false);
  expect(reached.ok).toBe(true);
  if (reached.ok) await reached.value.close();
  const wrong = await reachServer(line({ url: server.url, token: "w".repeat(43) }), terminal());
  expect(wrong).toMatchObject({ ok: false, error: { code: "UNAUTHENTICATED" } });
  await server.close();
});
