import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { HeddleClient } from "../../client/base/types.ts";
import { must } from "../../core/base/assert.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { ActorId, BlockId, FolderId, PersonId, RootId, RunId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import type { Shell } from "../../core/port/shell.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import type { GrantScope } from "../../core/protocol/base/grant.ts";
import type { Right } from "../../core/rights/token-right.ts";
import { openSqliteStore } from "../../adapters/storage/sqlite/open-sqlite-store.ts";
import { connectTestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { callsTool, scriptedCatalogue, type Script } from "../cli/chat/chat.test-support.ts";
import { says } from "../conversation/queue/conversation.test-support.ts";
import { Permits } from "../sign-in/permits.ts";
import { SignInFacts } from "../sign-in/sign-in-facts.ts";

// A turn may do what the token allows with which it was begun or steered, and ends with it.

let folder: string;
let server: TestServer;
let owner: HeddleClient;
let rootId: RootId;
let canvasId: BlockId;
let folderId: FolderId;
let script: (request: ModelRequest, asked: number) => ReturnType<Script>;
let requests: readonly ModelRequest[];
/** Commands that run until they are stopped, or the test ends them. */
let commands: { readonly stopped: Promise<void>; readonly end: () => void }[];

const shell: Shell = {
  hosts: [],
  run: (_command, { signal }) => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    commands.push({ stopped, end });
    return Promise.race([stopped, ended]).then(() => ({ ok: true, value: { type: "exited", code: 0 } }));
  },
  close: async () => {},
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-turn-tokens-"));
  writeFileSync(join(folder, "weave.txt"), "warp\n");
  commands = [];
  script = () => says("Done.");
  const scripted = scriptedCatalogue((request, asked) => script(request, asked));
  requests = scripted.requests;
  server = await startTestServer({ catalogue: scripted.catalogue, filesFolder: folder, shell, welcome: false });
  owner = connectTestClient(server, { name: "Ada" });
  ({ canvasId } = accept(await owner.call("canvas.create", { title: "Looms", text: "warp\n" })));
  ({ rootId } = accept(await owner.call("conversation.create", { title: "Talk", canvasId })));
  accept(await owner.call("conversation.rules", { rootId, approvals: "none" }));
  folderId = must(server.workspace.folders.list()[0], "the folder is known").id;
});
afterEach(async () => {
  owner.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Makes a token, and returns what its holder's requests are answered. */
async function program(
  name: string,
  wish: {
    readonly rights?: readonly Right[];
    readonly scope?: Partial<GrantScope> | null;
    readonly expiresAt?: number;
  } = {},
) {
  const { rights = ["read", "write", "run"], scope = null, expiresAt = null } = wish;
  const within = scope === null ? null : { folderIds: [], rootIds: [], canvasIds: [], ...scope };
  const made = { name, hash: sha256Hex(name), rights: [...rights], scope: within, expiresAt };
  const { tokenId } = accept(await owner.call("token.create", made));
  const call = async (command: string, params: object): Promise<{ readonly runId: RunId }> => {
    const response = await fetch(`${server.url}/api/commands/${command}`, {
      method: "POST",
      headers: { authorization: `Bearer ${name}`, "content-type": "application/json" },
      body: JSON.stringify(params),
    });
    const body = (await response.json()) as { readonly runId: RunId };
    if (!response.ok) throw new Error(JSON.stringify(body));
    return body;
  };
  return {
    tokenId,
    send: async (deliver?: "steer" | "queue", more: object = {}) => {
      const head = (await server.workspace.store.runs(rootId)).at(-1)?.headNodeId ?? null;
      return call("message.send", { rootId, parentNodeId: head, text: "Go on.", ...(deliver && { deliver }), ...more });
    },
    revoke: async () => accept(await owner.call("token.revoke", { tokenId })),
  };
}

const runOf = async (runId: RunId) => must(await server.workspace.store.run(runId), "the run is stored");
const settled = (runId: RunId) =>
  vi.waitUntil(async () => (await runOf(runId)).state.type === "idle", { timeout: 5_000, interval: 5 });
/** The runs that hold leases. */
const holders = async (): Promise<readonly (RunId | null)[]> =>
  (await server.workspace.store.leases()).flatMap(({ held }) => (held === null ? [] : [held.holder]));
/** What the model was answered to the calls it made, in their order. */
const answers = async (): Promise<readonly string[]> =>
  (await server.workspace.store.nodes(rootId)).flatMap(({ message }) =>
    message.role === "tool" ? [JSON.stringify(message)] : [],
  );
/** Lets the model make these calls, one a reply, and then say that it is done. */
const calls = (...wanted: readonly (readonly [string, object])[]): void => {
  script = (_request, asked) => {
    const [name, parameters] = wanted[asked] ?? [];
    return name === undefined ? says("Done.") : callsTool(name, parameters ?? {}, `call-${asked}`);
  };
};

const which = { questions: [{ question: "Which?", options: [{ label: "Warp" }, { label: "Weft" }] }] };

test("A-26 a turn that a token began which may only read and run reads, and changes nothing", async () => {
  const reader = await program("reader", { rights: ["read", "run"] });
  calls(
    ["read_files", { files: [{ path: "weave.txt" }] }],
    ["write_file", { path: "weave.txt", content: "weft\n" }],
    ["bash", { command: "rm weave.txt" }],
    ["block_create", { kind: "file", role: "assistant", content: "x" }],
    ["canvas_check_out", {}],
    ["comment_add", { canvas_id: canvasId, text: "Hm" }],
  );
  const { runId } = await reader.send();
  expect((await runOf(runId)).settings?.tokens).toEqual([reader.tokenId]);
  await settled(runId);
  const told = await answers();
  expect(told[0]).toContain("warp");
  const codes = told.map((each) => /NOT_FOUND|FORBIDDEN|UNKNOWN_TOOL/u.exec(each)?.[0] ?? "ok");
  expect(codes).toEqual(["ok", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "ok", "FORBIDDEN"]);
  expect(told[1]).toContain("right to write");
  expect([readFileSync(join(folder, "weave.txt"), "utf8"), commands.length]).toEqual(["warp\n", 0]);
  // The person's own message in the same conversation has their own rights.
  calls(...Array.from({ length: 7 }, () => ["think", { thought: "Hm" }] as const), [
    "write_file",
    { path: "weave.txt", content: "weft\n" },
  ]);
  const head = (await runOf(runId)).headNodeId;
  accept(await owner.call("message.send", { rootId, parentNodeId: head, text: "Write it." }));
  await settled(runId);
  expect((await runOf(runId)).settings?.tokens).toBeUndefined();
  expect(readFileSync(join(folder, "weave.txt"), "utf8")).toBe("weft\n");
});

test("A-26 a turn reaches what its token reaches, and its sub-agents no more", async () => {
  const { canvasId: otherId } = accept(await owner.call("canvas.create", { title: "Wages", text: "shuttle\n" }));
  const { rootId: otherTalk } = accept(await owner.call("conversation.create", { title: "Pay" }));
  accept(await owner.call("message.add", { rootId: otherTalk, parentNodeId: null, text: "shuttle" }));
  const narrow = await program("narrow", { scope: { rootIds: [rootId] } });
  const own = { query: "shuttle", kinds: ["file", "text"] };
  script = ({ messages, tools }) => {
    const isHelper = tools.some(({ name }) => name === "submit_result");
    const asked = messages.filter(({ role }) => role === "tool").length;
    const tried: readonly (readonly [string, object])[] = isHelper
      ? [
          ["read_files", { files: [{ path: "weave.txt" }] }],
          ["submit_result", { result: "Looked.", success: true }],
        ]
      : [
          ["canvas_check_out", { canvas_id: otherId }],
          ["read_files", { files: [{ path: "weave.txt" }] }],
          ["write_file", { path: "new.txt", content: "x\n" }],
          ["bash", { command: "cat weave.txt" }],
          ["kernel_search", own],
          ["spawn_sub_agents", { tasks: [{ task: "Look." }] }],
          ["canvas_check_out", {}],
        ];
    const [name, parameters] = tried[asked] ?? [];
    return name === undefined ? says("Done.") : callsTool(name, parameters ?? {}, `call-${asked}`);
  };
  const { runId } = await narrow.send();
  await settled(runId);
  const told = await answers();
  expect(told.map((each) => /[A-Z]+_NOT_FOUND|CANVAS_UNAVAILABLE|FORBIDDEN|lease_id/u.exec(each)?.[0] ?? "ok")).toEqual(
    ["CANVAS_UNAVAILABLE", "FILE_NOT_FOUND", "FILE_NOT_FOUND", "FORBIDDEN", "ok", "ok", "lease_id"],
  );
  expect(told[4]).not.toMatch(/Wages|Pay|weave/u);
  const { store } = server.workspace;
  const helper = must(
    (await store.roots()).find(({ parent }) => parent !== undefined),
    "a sub-agent was begun",
  );
  const [itsRun] = await store.runs(helper.id);
  expect(itsRun?.settings?.tokens).toEqual([narrow.tokenId]);
  const itsAnswer = (await store.nodes(helper.id)).find(({ message }) => message.role === "tool");
  expect(JSON.stringify(itsAnswer?.message)).toContain("FILE_NOT_FOUND");
  // A token for the folder reaches its files.
  const weaver = await program("weaver", { scope: { rootIds: [rootId], folderIds: [folderId] } });
  const before = requests.length;
  script = (_request, asked) =>
    asked === before ? callsTool("read_files", { files: [{ path: "weave.txt" }] }, "call-last") : says("Done.");
  const later = await weaver.send();
  await settled(later.runId);
  expect((await answers()).at(-1)).toContain("warp");
});

test("A-26 a token that is revoked ends its turn within a second: the command is killed, its call answered once, the lease free", async () => {
  const weaver = await program("weaver");
  calls(["canvas_check_out", {}], ["bash", { command: "sleep 100" }]);
  const { runId } = await weaver.send();
  await vi.waitUntil(() => commands.length === 1, { timeout: 5_000 });
  expect(await holders()).toEqual([runId]);
  const before = performance.now();
  await weaver.revoke();
  await must(commands[0], "a command").stopped;
  await settled(runId);
  expect(performance.now() - before).toBeLessThan(1_000);
  expect(await holders()).toEqual([]);
  const told = await answers();
  expect([told.length, told[1]?.includes('"synthetic":true'), requests.length]).toEqual([2, true, 2]);
  const feed = JSON.stringify(await server.workspace.store.feed(rootId, 0, 1_000));
  expect(feed).toContain("may not ask here any longer");
  // The next message of the person goes on from there.
  calls();
  accept(await owner.call("message.send", { rootId, parentNodeId: (await runOf(runId)).headNodeId, text: "On." }));
  await settled(runId);
  expect((await server.workspace.store.unsettledRuns()).length).toBe(0);
});

test("A-26 a token that expires ends its turn while the model writes, and so do its sub-agents'", async () => {
  const brief = await program("brief", { expiresAt: Date.now() + 1_500 });
  script = ({ tools }, asked) =>
    tools.some(({ name }) => name === "submit_result") || asked > 0
      ? [...says("Some words.").slice(0, 2), "hang"]
      : callsTool("spawn_sub_agents", { tasks: [{ task: "Look." }] });
  const { runId } = await brief.send();
  await vi.waitUntil(() => requests.length === 2, { timeout: 5_000 });
  const { store } = server.workspace;
  expect((await store.unsettledRuns()).length).toBe(2);
  await vi.waitUntil(async () => (await store.unsettledRuns()).length === 0, { timeout: 3_000 });
  expect((await runOf(runId)).state.type).toBe("idle");
  expect(requests).toHaveLength(2);
});

test("A-26 A-21 who steers a turn with a token narrows it from there, and the end of that token ends it", async () => {
  const reader = await program("reader", { rights: ["read", "run"] });
  const write = ["write_file", { path: "weave.txt", content: "weft\n" }] as const;
  calls(["bash", { command: "true" }], write, ["ask_user", which]);
  const { runId } = accept(await owner.call("message.send", { rootId, parentNodeId: null, text: "Weave." }));
  await vi.waitUntil(() => commands.length === 1, { timeout: 5_000 });
  await reader.send("steer");
  expect((await runOf(runId)).settings?.tokens).toBeUndefined();
  must(commands[0], "a command").end();
  await vi.waitUntil(async () => (await runOf(runId)).state.type === "awaiting-answer", { timeout: 5_000 });
  expect((await runOf(runId)).settings?.tokens).toEqual([reader.tokenId]);
  expect((await answers())[1]).toContain("right to write");
  await reader.revoke();
  await settled(runId);
  expect(readFileSync(join(folder, "weave.txt"), "utf8")).toBe("warp\n");
});

test("A-26 A-21 the turn of a message that waited has the rights of its token, with each of its replies; one that was rewritten those of who rewrote it", async () => {
  const reader = await program("reader", { rights: ["read", "run"] });
  calls(["bash", { command: "true" }]);
  const { runId } = accept(await owner.call("message.send", { rootId, parentNodeId: null, text: "Weave." }));
  await vi.waitUntil(() => commands.length === 1, { timeout: 5_000 });
  await reader.send("queue", { n: 2 });
  await reader.send("queue");
  const { store } = server.workspace;
  const [, second] = await store.waiting(runId);
  const { id, version } = must(second, "two wait");
  accept(await owner.call("waiting.change", { runId, id, version, text: "Weave it." }));
  expect((await store.waiting(runId)).map(({ actor }) => actor.id === `agent_${reader.tokenId}`)).toEqual([
    true,
    false,
  ]);
  script = (_request, asked) => (asked === 1 ? says("Done.") : [...says("Some words.").slice(0, 2), "hang"]);
  must(commands[0], "a command").end();
  await vi.waitUntil(async () => (await store.unsettledRuns()).length === 2, { timeout: 5_000 });
  expect((await store.unsettledRuns()).map(({ settings }) => settings?.tokens)).toEqual([
    [reader.tokenId],
    [reader.tokenId],
  ]);
  await reader.revoke();
  // The message of the person is not taken back with the token's.
  await vi.waitUntil(async () => (await store.waiting(runId)).every(({ state }) => state === "held"), {
    timeout: 5_000,
  });
  expect((await store.waiting(runId)).map(({ message }) => JSON.stringify(message))).toEqual([
    expect.stringContaining("Weave it."),
  ]);
});

test("A-26 a permit that a person gave a program is the turn's limit as well, and its end the turn's", async () => {
  const { platform, store, tokens, conversations } = server.workspace;
  const person = "ada" as PersonId;
  const keeper = {
    rights: { people: new Map([[person, "Ada"]]) },
    record: async () => accept({ ok: true, value: {} }),
  };
  const record = async (_facts: object, writes: readonly StoreWrite[]) => store.commit(writes);
  const ports = { keeper: { ...keeper, record }, platform, offered: () => [] } as never;
  const permits = new Permits(await SignInFacts.open(store), ports);
  const client = { id: "program_loom", name: "Loom", redirectUris: ["http://127.0.0.1/callback"] };
  const about = { person, client, resource: "https://heddle.example/mcp", address: "", sessionId: "session_1" };
  const permit = accept(await permits.make({ ...about, rights: ["read", "run"], refused: [] }));
  const actor = { type: "person", id: `agent_${permit.id}` as ActorId, name: "Loom, for Ada" } as const;
  calls(["write_file", { path: "weave.txt", content: "weft\n" }], ["ask_user", which]);
  const message = { rootId, parentNodeId: null, text: "Weave." };
  const { runId } = accept(await conversations.messages.send(actor, message));
  // Until somebody has looked where permits are kept, the turn waits.
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect([requests.length, (await runOf(runId)).state.type]).toEqual([0, "awaiting"]);
  tokens.join(permits);
  await vi.waitUntil(async () => (await runOf(runId)).state.type === "awaiting-answer", { timeout: 5_000 });
  expect((await answers())[0]).toContain("right to write");
  await permits.end([permit], { act: "permit.ended", sessionId: null });
  await vi.waitUntil(async () => (await runOf(runId)).state.type === "idle", { timeout: 1_000 });
  permits.close();
});

test("A-26 after kill -9 a turn still has its token: with one that ended meanwhile it is not resumed, and the other ends with its own", async () => {
  const file = join(folder, "killed.db");
  const script = fileURLToPath(new URL("./ask-until-killed.test-support.ts", import.meta.url));
  const child = spawn(process.execPath, [script, file], { stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  for await (const part of child.stdout) {
    out += String(part);
    if (out.includes("\n")) break;
  }
  const told = JSON.parse(out) as { readonly ended: RunId; readonly kept: RunId; readonly tokenId: string };
  child.kill("SIGKILL");
  await once(child, "exit");
  // The token of one of both has run out meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const scripted = scriptedCatalogue(() => [...says("Again.").slice(0, 2), "hang"]);
  const store = await openSqliteStore({ file });
  const again = await startTestServer({ catalogue: scripted.catalogue, store, welcome: false });
  const stateOf = async (runId: RunId) => must(await store.run(runId), "the run is stored");
  await vi.waitUntil(async () => (await stateOf(told.ended)).state.type === "idle", { timeout: 2_000 });
  await vi.waitUntil(() => scripted.requests.length > 0, { timeout: 2_000 });
  expect((await stateOf(told.kept)).settings?.tokens).toEqual([told.tokenId]);
  const asked = scripted.requests.map(({ messages }) => JSON.stringify(messages));
  expect(asked.some((each) => each.includes("This ends."))).toBe(false);
  const client = connectTestClient(again, { name: "Ada" });
  accept(await client.call("token.revoke", { tokenId: told.tokenId }));
  await vi.waitUntil(async () => (await store.unsettledRuns()).length === 0, { timeout: 1_000 });
  client.close();
  await again.close();
});
