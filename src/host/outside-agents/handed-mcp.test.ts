import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openSqliteStore } from "../../adapters/storage/sqlite/open-sqlite-store.ts";
import { must } from "../../core/base/assert.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { RunId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { agentsWorld, closeAgents, type AgentsWorld } from "./outside-agents.test-support.ts";
import type { AgentStep } from "./scripted-agent.test-support.ts";

// Heddle's own MCP server, as the agents of other programs are handed it: a token that is valid for the turn under way.

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "heddle-handed-")));
});
afterEach(async () => {
  await closeAgents();
  await rm(folder, { recursive: true, force: true });
});

const shows: AgentStep = { do: "mcp" };
const hangs: AgentStep = { do: "hang" };

/** What the agent says that it was handed: an address and a token; null: nothing. */
async function handed(world: AgentsWorld): Promise<{ readonly url: string; readonly authorization: string } | null> {
  const said = await vi.waitUntil(
    () => {
      const { runs, nodesById } = world.view();
      const streamed = runs.flatMap(({ liveBlocks }) => liveBlocks.map(({ text }) => text));
      const stored = [...nodesById.values()].flatMap(({ message: { content } }) =>
        content.flatMap((block) => (block.type === "text" ? [block.text] : [])),
      );
      return [...streamed, ...stored].find((text) => /^\[(?:\{[^[]*"url".*\})?\]$/su.test(text)) ?? null;
    },
    { timeout: 5_000 },
  );
  const [server] = JSON.parse(said) as { readonly url: string; readonly headers: { readonly value: string }[] }[];
  return server === undefined ? null : { url: server.url, authorization: server.headers[0]?.value ?? "" };
}

type Handed = NonNullable<Awaited<ReturnType<typeof handed>>>;

function post({ url, authorization }: Handed, method: string, params: object = {}): Promise<Response> {
  const headers = { authorization, "content-type": "application/json", accept: "application/json, text/event-stream" };
  return fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) });
}

const statusOf = async (door: Handed): Promise<number> => (await post(door, "tools/list")).status;

async function call(door: Handed, name: string, given: object): Promise<string> {
  return (await post(door, "tools/call", { name, arguments: given })).text();
}

/** Opens what lasts as long as the program is there; resolves with how long it lasted from then on. */
async function stay({ url, authorization }: Handed): Promise<() => Promise<number>> {
  const headers = { authorization, "heddle-session": "loom" };
  const open = await fetch(`${url}/session`, { method: "POST", headers });
  expect(open.status).toBe(200);
  const ended = open.text().catch(() => "");
  return async () => {
    const from = performance.now();
    await ended;
    return performance.now() - from;
  };
}

/** Makes a token of the workspace for a program, which asks by it. */
async function program(world: AgentsWorld) {
  const made = {
    name: "loom",
    hash: sha256Hex("loom"),
    rights: ["read", "write", "run"] as const,
    scope: null,
    expiresAt: null,
  };
  accept(await world.heddle.call("token.create", { ...made, rights: [...made.rights] }));
  return async (command: string, params: object): Promise<{ readonly runId: RunId }> => {
    const response = await fetch(`${world.url}/api/commands/${command}`, {
      method: "POST",
      headers: { authorization: "Bearer loom", "content-type": "application/json" },
      body: JSON.stringify(params),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as { readonly runId: RunId };
  };
}

test("I-52 A-21 the agent is handed Heddle's MCP server with a token of its conversation, which is good for its turns and for nobody between them", async () => {
  const world = await agentsWorld(folder);
  const { heddle } = world;
  await world.send([shows, hangs]);
  const door = must(await handed(world), "the agent has a server");
  expect(await statusOf(door)).toBe(200);
  expect(await call(door, "conversation_read", { conversation_id: world.rootId })).toContain("messages");
  const { canvasId } = accept(await heddle.call("canvas.create", { title: "Wages", text: "shuttle\n" }));
  expect(await call(door, "open_canvas", { canvas_id: canvasId })).toContain("BLOCK_NOT_FOUND");
  const lasted = await stay(door);
  const { runId } = await world.run("requesting");
  accept(await heddle.call("run.cancel", { runId }));
  expect(await lasted()).toBeLessThan(1_000);
  expect(await statusOf(door)).toBe(401);
  await world.run("idle");
  // The same session's next turn.
  await world.send([hangs]);
  await vi.waitUntil(async () => (await statusOf(door)) === 200, { timeout: 5_000 });
  expect(accept(await heddle.call("token.list", {})).tokens).toEqual([]);
  const path = "/api/conversations";
  const { authorization } = door;
  expect((await fetch(world.url + path, { headers: { authorization } })).status).toBe(401);
});

test("I-52 A-21 a turn that ends by itself ends what its agent has open of Heddle within a second", async () => {
  const world = await agentsWorld(folder);
  await world.send([shows, { do: "wait", ms: 700 }]);
  const door = must(await handed(world), "the agent has a server");
  const lasted = await stay(door);
  await world.run("idle");
  expect(await lasted()).toBeLessThan(1_000);
  expect(await statusOf(door)).toBe(401);
});

test("I-52 an agent that crashes in its turn leaves no token behind", async () => {
  const world = await agentsWorld(folder);
  await world.send([shows, { do: "wait", ms: 700 }, { do: "die" }]);
  const door = must(await handed(world), "the agent has a server");
  const lasted = await stay(door);
  await world.run("error");
  expect(await lasted()).toBeLessThan(1_000);
  await vi.waitUntil(async () => (await statusOf(door)) === 401, { timeout: 1_000 });
});

test("I-52 after kill -9 and a restart the token of an agent opens nothing", async () => {
  const file = join(folder, "killed.db");
  const script = fileURLToPath(new URL("./hand-until-killed.test-support.ts", import.meta.url));
  const child = spawn(process.execPath, [script, file], { stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  for await (const part of child.stdout) {
    out += String(part);
    if (out.includes("\n")) break;
  }
  const door = JSON.parse(out) as Handed & { readonly port: number };
  expect(await statusOf(door)).toBe(200);
  const lasted = await stay(door);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await lasted()).toBeLessThan(1_000);
  const store = await openSqliteStore({ file });
  const again = await agentsWorld(undefined, {}, null, { store, port: door.port });
  expect(await statusOf(door)).toBe(401);
  expect(accept(await again.heddle.call("token.list", {})).tokens).toEqual([]);
});

test("A-26 a turn that a program began hands an agent of another program no token, whose message ever it answers", async () => {
  const world = await agentsWorld(folder);
  const { heddle, rootId } = world;
  const ask = await program(world);
  // The program's own message.
  await ask("message.send", { rootId, parentNodeId: null, text: JSON.stringify([shows]) });
  expect(await handed(world)).toBe(null);
  await world.run("idle");
  // A person's message, which the program asks to be answered.
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "begun" } } as const;
  const text = JSON.stringify([shows, { do: "update", update }]);
  const added = accept(await heddle.call("message.add", { rootId, parentNodeId: null, text }));
  await ask("message.regenerate", { nodeId: added.nodeId });
  await vi.waitUntil(() => world.path().some((each) => each.startsWith("text:[]begun")), { timeout: 5_000 });
  expect(world.path().join("\n")).not.toContain("Bearer");
});

test("A-26 the token of a person's session is good for nobody in the turn that a program begins in it, or steers", async () => {
  const world = await agentsWorld(folder);
  const { heddle, rootId } = world;
  const ask = await program(world);
  await world.send([shows]);
  const door = must(await handed(world), "the agent has a server");
  await world.run("idle");
  const head = () => world.view().runs.at(-1)?.headNodeId ?? null;
  await ask("message.send", { rootId, parentNodeId: head(), text: JSON.stringify([hangs]) });
  const { runId } = await world.run("requesting");
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await statusOf(door)).toBe(401);
  accept(await heddle.call("run.cancel", { runId }));
  await world.run("idle");
  // A person's turn, which the program steers.
  const call = { sessionUpdate: "tool_call_update", toolCallId: "a", title: "Run a", status: "in_progress" } as const;
  await world.send([
    { do: "update", update: call },
    { do: "wait", ms: 1_000 },
    { do: "update", update: { ...call, status: "completed" } },
    hangs,
  ]);
  await vi.waitUntil(async () => (await statusOf(door)) === 200, { timeout: 5_000 });
  await ask("message.send", { rootId, parentNodeId: head(), text: "Hold on.", deliver: "steer" });
  await vi.waitUntil(async () => (await statusOf(door)) === 401, { timeout: 5_000 });
});

test("A-21 in one session the token has the rights of the person whose turn it is, and never those of two", async () => {
  const world = await agentsWorld(folder, {}, null, { people: ["bob"] });
  const { heddle, rootId } = world;
  const bob = world.as("bob");
  const head = () => world.view().runs.at(-1)?.headNodeId ?? null;
  await world.send([shows, hangs]);
  const door = must(await handed(world), "the agent has a server");
  const appends = async (content: string, author: string): Promise<void> => {
    const parent = must([...world.view().nodesById.keys()][0], "a message");
    expect(await call(door, "conversation_branch", { parent_id: parent, content })).toContain("node_id");
    const isThere = () => [...world.view().nodesById.values()].some(({ actor }) => actor.name === author);
    await vi.waitUntil(isThere, { timeout: 5_000 });
  };
  await appends("Noted.", "Scripted, for Ada");
  const { runId } = await world.run("requesting");
  accept(await heddle.call("run.cancel", { runId }));
  await world.run("idle");
  expect(await statusOf(door)).toBe(401);
  accept(await bob.call("message.send", { rootId, parentNodeId: head(), text: JSON.stringify([hangs]) }));
  await vi.waitUntil(async () => (await statusOf(door)) === 200, { timeout: 5_000 });
  await appends("Noted as well.", "Scripted, for bob");
  bob.close();
});
