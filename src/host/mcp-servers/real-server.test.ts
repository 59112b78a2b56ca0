import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { memorySealedValues } from "../base/sealed-values.ts";
import { SignIns } from "./sign-ins.ts";
import { mcpConnector, mcpSignIn } from "../../adapters/mcp/connect.ts";
import { serveHttp, type HttpFixture } from "../../adapters/mcp/serve-http.test-support.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { PersonActor } from "../../core/base/actor.ts";
import { must } from "../../core/base/assert.ts";
import type { ActorId, NodeId, RootId, RunId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { Result } from "../../core/base/result.ts";
import type { ToolMessage } from "../../core/message/types.ts";
import { noUsage } from "../../core/message/usage.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import type { LanguageModel, ModelInfo } from "../../core/port/language-model.ts";
import { isSettled } from "../../core/turn/step/precheck.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { openWorkspace, type Workspace } from "../workspace/workspace.ts";
import { openMcpServers, type McpServers } from "./mcp-servers.ts";

const fixture = join(import.meta.dirname, "../../adapters/mcp/fixture-server.test-support.ts");
const ada: PersonActor = { type: "person", id: "ada" as ActorId, name: "Ada" };
const info: ModelInfo = {
  id: "test/caller",
  name: "Caller",
  contextTokensMax: 1_000_000,
  outputTokensMax: 1_000,
  tools: true,
  thinking: false,
  local: true,
};

/** Far longer than anything takes on a busy machine. */
const soon = { interval: 5, timeout: 20_000 };

type Move = readonly [name: string, parameters?: JsonObject];

/** The model's move at each request: it calls a tool, or (past the last move) says that it is done. */
const moves: Move[] = [];
const requests: ModelRequest[] = [];
const model: LanguageModel = {
  info,
  api: "scripted",
  async *stream(request) {
    requests.push(request);
    const move = moves.shift();
    if (move === undefined) {
      yield { type: "text-start", index: 0 };
      yield { type: "text-delta", index: 0, text: "Done." };
      yield { type: "text-end", index: 0 };
      yield { type: "finished", reason: "end-turn", usage: noUsage };
      return;
    }
    const [name, parameters = {}] = move;
    yield { type: "tool-call-start", index: 0, id: `call-${requests.length}`, name };
    yield { type: "tool-call-delta", index: 0, text: JSON.stringify(parameters) };
    yield { type: "tool-call-end", index: 0 };
    yield { type: "finished", reason: "tool-use", usage: noUsage };
  },
};

let folder: string;
let web: HttpFixture;
let servers: McpServers;
let workspace: Workspace;
let rootId: RootId;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-mcp-real-"));
  web = await serveHttp();
  const mcpServers = {
    gone: { command: "/nowhere/at-all" },
    mute: { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] },
    house: { command: process.execPath, args: [fixture] },
    web: { url: web.url },
  };
  const file = join(folder, "mcp.json");
  await writeFile(file, JSON.stringify({ mcpServers }), { mode: 0o600 });
  const platform = { ...systemPlatform(), logger: { info: () => {}, warn: () => {}, error: () => {} } };
  servers = await openMcpServers({
    connect: mcpConnector("0.0.0"),
    platform,
    file,
    stateFile: join(folder, "mcp-state.json"),
    folders: () => [],
    home: folder,
    env: process.env,
    reserved: [],
    signIns: new SignIns({ sealed: memorySealedValues(), begin: mcpSignIn("0.0.0"), platform }),
  });
  workspace = await openWorkspace({
    store: openMemoryStore(),
    catalogue: { list: () => [info], find: (id) => (id === info.id ? model : undefined) },
    platform,
    mcp: servers,
    cwd: folder,
    welcome: false,
  });
  await until(() => stateOf("house") === "ready" && stateOf("web") === "ready");
  // Turns no longer wait for the server that never answers.
  await servers.setEnabled("mute", false);
  rootId = accepted(await workspace.conversations.create({})).id;
});

afterAll(async () => {
  await workspace?.close();
  await web?.close();
  await rm(folder, { recursive: true, force: true });
});

describe("a model that calls tools of MCP servers", () => {
  test("F-45 gets the tools of every connected server and their results; a failed server costs nothing", async () => {
    expect(servers.states().map(({ name, status }) => `${name} ${status.type}`)).toEqual([
      "gone failed",
      "mute disabled",
      "house ready",
      "web ready",
    ]);
    await turn(["house_echo", { text: "from the house" }], ["web_echo", { text: "from the web" }], ["house_picture"]);
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["house_echo", "house_picture", "web_echo"]),
    );
    const [house, fromWeb, picture] = await results();
    expect(house).toMatchObject({ tool_name: "house_echo", outcome: "ok", content: [{ text: "from the house" }] });
    expect(fromWeb).toMatchObject({ tool_name: "web_echo", outcome: "ok", content: [{ text: "from the web" }] });
    expect(picture).toMatchObject({ outcome: "ok", content: [{ type: "image", mediaType: "image/png" }] });
  });

  test("TR6 keeps the same tool definitions during a turn, and gets new ones in the next", async () => {
    await turn(["house_change", { text: "more" }], ["house_fail"]);
    const [before, ...after] = requests.map(({ tools }) => JSON.stringify(tools));
    for (const tools of after) expect(tools).toBe(before);
    expect(before).not.toContain("house_late");
    expect((await results()).map(({ outcome }) => outcome)).toEqual(["ok", "error"]);
    await expect
      .poll(() => servers.offered().some(({ definition }) => definition.name === "house_late"), soon)
      .toBe(true);
    await turn();
    expect(JSON.stringify(requests[0]?.tools)).toContain("house_late");
  });

  test("70 waits for a person before a tool that reaches outside, after it has read untrusted text", async () => {
    moves.push(["house_weigh"]);
    requests.length = 0;
    const runId = await send();
    await expect.poll(() => stateOfRun(runId), soon).toBe("awaiting-approval");
    const state = must(await run(runId), "a run").state;
    if (state.type !== "awaiting-approval") throw new Error("It does not wait.");
    const { callId, argumentsHash } = state.request;
    const answer = { runId, callId, argumentsHash, decision: "allow", remember: "once" } as const;
    accepted(await workspace.conversations.approvals.answer(ada, answer));
    await atRest(runId);
    expect((await results()).at(-1)).toMatchObject({ outcome: "ok", content: [{ text: '{"grams":7}' }] });
  });

  test("is stopped in the middle of a call at once, and the server is notified", async () => {
    moves.push(["house_wait"]);
    requests.length = 0;
    const runId = await send();
    await expect.poll(() => outputOf("house"), soon).toContain("waiting");
    const since = performance.now();
    accepted(await workspace.conversations.runs.cancel(ada, { runId, reason: "stopped" }));
    await atRest(runId);
    expect(performance.now() - since).toBeLessThan(5_000);
    await expect.poll(() => outputOf("house"), soon).toContain("cancel received");
    expect((await results()).at(-1)).toMatchObject({ outcome: "cancelled" });
  });

  test("reads why a server ended in the middle of a call, and finds the server connected again", async () => {
    await turn(["house_die"], ["house_echo", { text: "again" }]);
    const [died, echo] = (await results()).slice(-2);
    expect(JSON.stringify(died)).toContain("it exited with code 3");
    expect(died?.outcome).toBe("error");
    expect(echo).toMatchObject({ outcome: "ok", content: [{ text: "again" }] });
  });
});

/** Runs one whole turn in a new conversation. */
async function turn(...next: readonly Move[]): Promise<void> {
  moves.push(...next);
  requests.length = 0;
  rootId = accepted(await workspace.conversations.create({})).id;
  await atRest(await send());
}

async function send(): Promise<RunId> {
  const nodes = accepted(await workspace.conversations.view(rootId)).nodes;
  const parentNodeId: NodeId | null = nodes.at(-1)?.id ?? null;
  return accepted(await workspace.conversations.messages.send(ada, { rootId, parentNodeId, text: "Go." })).runId;
}

function run(runId: RunId) {
  return workspace.store.run(runId);
}

async function stateOfRun(runId: RunId): Promise<string> {
  return (await run(runId))?.state.type ?? "none";
}

async function atRest(runId: RunId): Promise<void> {
  await expect.poll(async () => isSettled(must(await run(runId), "a run").state), soon).toBe(true);
}

/** Returns the tool results of this conversation, oldest first. */
async function results(): Promise<readonly ToolMessage[]> {
  const { nodes } = accepted(await workspace.conversations.view(rootId));
  return nodes.flatMap(({ message }) => (message.role === "tool" ? [message] : []));
}

function stateOf(name: string): string {
  return must(
    servers.states().find((state) => state.name === name),
    "a server",
  ).status.type;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

function outputOf(name: string): string {
  return servers.states().find((state) => state.name === name)?.output ?? "";
}

function accepted<Value>(result: Result<Value, { readonly code: string; readonly message: string }>): Value {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}
