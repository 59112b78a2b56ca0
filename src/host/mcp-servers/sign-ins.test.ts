import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { mcpConnector, mcpSignIn } from "../../adapters/mcp/connect.ts";
import { serveSigned, type SignedFixture } from "../../adapters/mcp/serve-signed.test-support.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { buildCatalogue } from "../../adapters/providers/catalogue.ts";
import { must } from "../../core/base/assert.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { memorySealedValues, type SealedValues } from "../base/sealed-values.ts";
import { paceOf } from "../base/pace.ts";
import { startServer } from "../server/server.ts";
import { openWorkspace } from "../workspace/workspace.ts";
import { openMcpServers, type McpServers } from "./mcp-servers.ts";
import { SignIns } from "./sign-ins.ts";

const closing: (() => unknown)[] = [];
const platform = { ...systemPlatform(), logger: { info: () => {}, warn: () => {}, error: () => {} } };
let fixture: SignedFixture;
let sealed: SealedValues;
let folder: string;

beforeEach(async () => {
  fixture = await serveSigned();
  sealed = memorySealedValues();
  folder = await mkdtemp(join(tmpdir(), "heddle-sign-in-"));
  closing.push(
    () => rm(folder, { recursive: true }),
    () => fixture.close(),
  );
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Opens the servers of the file, as a start of Heddle does, with what earlier starts kept. */
async function open(entry: object = {}): Promise<McpServers> {
  const file = join(folder, "mcp.json");
  await writeFile(file, JSON.stringify({ mcpServers: { tickets: { url: fixture.url, ...entry } } }), { mode: 0o600 });
  const signIns = new SignIns({ sealed, begin: mcpSignIn("0.0.0"), platform });
  const servers = await openMcpServers({
    connect: mcpConnector("0.0.0"),
    platform,
    file,
    stateFile: null,
    folders: () => [],
    home: folder,
    env: {},
    reserved: [],
    signIns,
  });
  closing.push(() => servers.close());
  await servers.settled();
  return servers;
}

const stateOf = (servers: McpServers) => must(servers.states()[0], "a server");
const isReady = (servers: McpServers) => expect.poll(() => stateOf(servers).status.type).toBe("ready");

test("a person signs in at a server with PKCE; its tools are offered, also after a restart, and tokens are refreshed", async () => {
  const first = await open();
  expect(stateOf(first)).toMatchObject({ status: { type: "failed", retryAt: null }, signIn: "wanted" });
  const { url } = accept(await first.signIn("tickets", "http://127.0.0.1:7420"));
  const back = await fixture.allow(must(url, "an address"));
  expect(back.href).toMatch(/^http:\/\/127\.0\.0\.1:7420\/oauth\/callback\?/);
  expect(accept(await first.signIns.finish(back.searchParams))).toBe("tickets");
  await isReady(first);
  expect(stateOf(first).signIn).toBe("done");
  expect(first.offered().length).toBeGreaterThan(0);
  fixture.expire();
  const second = await open();
  await isReady(second);
  expect(fixture.grants).toEqual(["authorization_code", "refresh_token"]);
  expect(fixture.registered).toHaveLength(1);
  accept(await second.signOut("tickets"));
  await expect.poll(() => stateOf(second)).toMatchObject({ status: { type: "failed" }, signIn: "wanted" });
});

test("an answer counts once, with the state that was given out; a refusal changes nothing", async () => {
  const servers = await open();
  const { url } = accept(await servers.signIn("tickets", null));
  const back = await fixture.allow(must(url, "an address"));
  const forged = new URLSearchParams(back.searchParams);
  forged.set("state", "x".repeat(43));
  expect(await servers.signIns.finish(forged)).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
  const denied = new URLSearchParams({
    state: must(back.searchParams.get("state"), "a state"),
    error: "access_denied",
  });
  expect(await servers.signIns.finish(denied)).toMatchObject({ ok: false, error: { code: "FORBIDDEN" } });
  expect(await servers.signIns.finish(back.searchParams)).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
  expect(fixture.grants).toEqual([]);
  expect(stateOf(servers).signIn).toBe("wanted");
});

test("what is kept belongs to one address: another url under the same name is not signed in", async () => {
  const servers = await open();
  const { url } = accept(await servers.signIn("tickets", null));
  accept(await servers.signIns.finish((await fixture.allow(must(url, "an address"))).searchParams));
  await isReady(servers);
  const moved = await open({ url: fixture.url.replace("127.0.0.1", "localhost") });
  expect(stateOf(moved)).toMatchObject({ status: { type: "failed" }, signIn: "wanted" });
});

test("a client of the owner is used as it is, and an entry with its own token wants no sign-in", async () => {
  const known = await open({ oauth: { clientId: "loom", scope: "read" } });
  const { url } = accept(await known.signIn("tickets", null));
  expect(new URL(must(url, "an address")).searchParams.get("client_id")).toBe("loom");
  expect(fixture.registered).toEqual([]);
  const own = await open({ headers: { Authorization: "Bearer old-token" } });
  expect(stateOf(own)).toMatchObject({ status: { type: "failed" }, signIn: "none" });
  expect(await own.signIn("tickets", null)).toMatchObject({ ok: false, error: { code: "INVALID_PARAMS" } });
});

test("the browser comes back to a page of the server, without a token", async () => {
  const mcp = await open();
  const workspace = await openWorkspace({
    store: openMemoryStore(),
    catalogue: buildCatalogue({}, { fetch, clock: platform.clock, sleep: paceOf("instant", platform.clock) }),
    platform,
    mcp,
    cwd: folder,
    welcome: false,
  });
  closing.push(() => workspace.close());
  const token = "test-token-0123456789";
  const server = await startServer({
    workspace,
    token,
    appFolder: folder,
    host: "127.0.0.1",
    port: 0,
    defaultName: "Ada",
  });
  closing.push(() => server.close());
  mcp.signIns.listening(server.url);
  const { url } = accept(await mcp.signIn("tickets", null));
  const back = await fixture.allow(must(url, "an address"));
  expect(back.origin).toBe(server.url);
  const page = await fetch(back);
  expect(page.status).toBe(200);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(await page.text()).toContain("signed in at tickets");
  expect((await fetch(back)).status).toBe(400);
  await isReady(mcp);
});
