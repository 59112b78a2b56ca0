import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSqliteStore } from "../../../adapters/storage/sqlite/open-sqlite-store.ts";
import { must } from "../../../core/base/assert.ts";
import { startMockProvider, type MockProvider } from "../../../testing/mock-provider/server.ts";
import { backUp } from "../../data/backup.ts";
import { openWorkspaceAt, type OpenedWorkspace } from "../../cli/start/open-workspace.ts";
import { createDataDirectory, dataDirectoryAt, type DataDirectory } from "../../data/data-directory.ts";
import { createLogger, systemPlatform } from "../../../adapters/platform/system-platform.ts";
import { startServer, type HeddleServer } from "../server.ts";

const key = "sk-canary-0123456789-abcd";
const canary = "canary-0123456789";
const token = "test-token-0123456789";

let folder = "";
let data: DataDirectory;
let logged = "";
let mock: MockProvider;
let opened: OpenedWorkspace;
let server: HeddleServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-keys-"));
  data = dataDirectoryAt(join(folder, "data"));
  createDataDirectory(data);
  logged = "";
  // A provider whose error repeats the refused key, as some do.
  mock = await startMockProvider({
    api: "chat",
    reply: () => {
      throw new Error("nobody signs in");
    },
    faults: [
      {
        type: "status",
        status: 401,
        body: JSON.stringify({ error: { message: `Incorrect API key provided: ${key}` } }),
      },
      { type: "status", status: 400, body: `a page about ${key}` },
    ],
  });
  const models = [{ provider: "mine", id: "big", api: "openai-chat", base_url: mock.url }];
  await writeFile(data.models, JSON.stringify({ models }));
  const platform = { ...systemPlatform(), logger: createLogger((line) => (logged += line), "info") };
  const opening = await openWorkspaceAt({
    store: await openSqliteStore({ file: data.database }),
    data,
    configuration: {
      data: data.root,
      host: "127.0.0.1",
      port: 0,
      providers: {},
      leaseTtlMs: 15_000,
      agentPace: "instant",
      documents: "all",
      canvasTools: "on",
      thinking: "medium",
      whenFull: "refuse",
      tellEdits: "on",
      shell: "off",
      shellHosts: [],
      webhookHosts: [],
      web: "off",
      webHosts: [],
    },
    platform,
    user: { platform: process.platform, home: folder, env: { XDG_CONFIG_HOME: join(folder, "config") } },
    note: (sentence) => (logged += sentence),
  });
  if (!opening.ok) throw new Error(opening.error.message);
  opened = opening.value;
  server = await startServer({
    workspace: opened.workspace,
    token,
    appFolder: folder,
    host: "127.0.0.1",
    port: 0,
    defaultName: "Tester",
  });
});

afterEach(async () => {
  await server.close();
  await opened.close();
  await mock.close();
  await rm(folder, { recursive: true, force: true });
});

/** Calls a command and collects everything the server answers, to search it. */
async function call(name: string, params: object): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${server.url}/api/commands/${name}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(params),
  });
  return { status: response.status, text: await response.text() };
}

const keyState = async () => {
  const { providers } = JSON.parse((await call("provider.list", {})).text);
  return providers.find((each: { id: string }) => each.id === "mine").key;
};

describe("a provider's key", () => {
  test("is set, and shown only by its last characters", async () => {
    expect(await keyState()).toEqual({ state: "not-needed" });
    expect(await call("provider.set-key", { provider: "mine", key })).toEqual({ status: 200, text: "{}" });
    expect(await keyState()).toEqual({ state: "set", from: "app", ending: "abcd" });
    const list = await call("provider.list", {});
    expect(list.text).not.toContain(canary);
    expect(JSON.parse(list.text)).toMatchObject({
      dataFolder: data.root,
      modelsFile: { path: data.models, problem: null },
    });
    expect((await call("provider.remove-key", { provider: "mine" })).status).toBe(200);
    expect(await keyState()).toEqual({ state: "not-needed" });
  });

  test("is not repeated when refused", async () => {
    for (const params of [
      { provider: "nobody", key },
      { provider: "mine", key: `${key} with blanks` },
      { provider: "../mine", key },
      { provider: "local", key },
    ]) {
      const refused = await call("provider.set-key", params);
      expect([refused.status >= 400, refused.text.includes(canary)]).toEqual([true, false]);
    }
  });

  test("appears in no answer, log, feed, database or backup, even if its provider repeats it", async () => {
    await call("provider.set-key", { provider: "mine", key });
    const { workspace } = opened;
    const said: string[] = [];
    const { rootId } = JSON.parse((await call("conversation.create", { model: "mine/big" })).text);
    const watched = await workspace.conversations.watch(rootId, 0, {
      snapshot: (view) => void said.push(JSON.stringify(view)),
      deliver: (records) => void said.push(JSON.stringify(records)),
    });
    expect(watched.ok).toBe(true);
    for (const clientRequestId of ["one", "two"]) {
      said.push(
        (await call("message.send", { rootId, parentNodeId: null, text: clientRequestId, clientRequestId })).text,
      );
      const ended = async (): Promise<boolean> => {
        const view = await workspace.conversations.view(rootId);
        const runs = view.ok ? view.value.runs : [];
        said.push(JSON.stringify(view));
        return runs.length > 0 && runs.every(({ state }) => state.type === "error" || state.type === "idle");
      };
      await expect.poll(ended).toBe(true);
    }
    expect(mock.requests.length).toBeGreaterThanOrEqual(2);
    expect(must(mock.requests[0], "a request").headers["authorization"]).toBe(`Bearer ${key}`);
    expect(said.join()).toContain("Incorrect API key provided: [key]");
    for (const path of ["/api/conversations", `/api/conversations/${rootId}`, "/api/models"]) {
      const answer = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      said.push(await answer.text());
    }
    expect(said.join()).not.toContain(canary);
    expect(logged).not.toContain(canary);
    const copy = await backUp({ data }, join(folder, "copy"), () => Date.now());
    expect(copy.ok).toBe(true);
    for (const name of await readdir(folder, { recursive: true })) {
      const path = join(folder, name);
      if ((await stat(path)).isFile()) expect([name, (await readFile(path)).includes(canary)]).toEqual([name, false]);
    }
  });
});
