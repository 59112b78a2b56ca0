import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { mcpConnector, mcpSignIn } from "../../adapters/mcp/connect.ts";
import { serveSigned, type SignedFixture } from "../../adapters/mcp/serve-signed.test-support.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { buildCatalogue } from "../../adapters/providers/catalogue.ts";
import { must } from "../../core/base/assert.ts";
import { ok } from "../../core/base/result.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { BeginSignIn, ServerSignIn } from "../../core/port/tool-server.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { memorySealedValues, type SealedValues } from "../base/sealed-values.ts";
import { paceOf } from "../base/pace.ts";
import { startServer } from "../server/server.ts";
import { openWorkspace } from "../workspace/workspace.ts";
import { openMcpServers, type McpServers } from "./mcp-servers.ts";
import type { OAuthEntry } from "./read-mcp-config.ts";
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

test("a call that needs more rights than the sign-in has says so, and the next sign-in asks for all of them", async () => {
  const servers = await open();
  const signIn = async (): Promise<void> => {
    const { url } = accept(await servers.signIn("tickets", null));
    accept(await servers.signIns.finish((await fixture.allow(must(url, "an address"))).searchParams));
    await isReady(servers);
  };
  await signIn();
  const offered = must(servers.offered()[0], "a tool");
  const call = async (): Promise<string> => {
    const given = { parameters: {}, signal: new AbortController().signal, progress: () => {} };
    return JSON.stringify(await servers.call(offered, given));
  };
  fixture.wantForCalls("write");
  expect(await call()).toContain("it wants more rights than the sign-in there has (write)");
  await expect.poll(() => stateOf(servers).signIn).toBe("wanted");
  fixture.expire();
  await signIn();
  expect(fixture.scopes).toEqual([null, "read write"]);
  expect(await call()).not.toContain("more rights");
  // A refresh keeps what was allowed.
  fixture.expire();
  expect(await call()).not.toContain("more rights");
});

test("a person who takes longer than ten minutes begins again", async () => {
  const clock = simulatedClock();
  let state = "";
  const begin: BeginSignIn = async (_target, options) => {
    state = options.state;
    return ok({ url: "https://auth.example/", finish: async () => ok(undefined) });
  };
  const signIns = new SignIns({ sealed, begin, platform: { ...platform, clock } });
  const target = { type: "http", url: "https://tickets.example/mcp", headers: {} } as const;
  const finishAfter = async (ms: number) => {
    accept(await signIns.begin("tickets", target, { entry: null, origin: null, done: async () => {} }));
    await clock.advance(ms);
    return signIns.finish(new URLSearchParams({ state, code: "c" }));
  };
  expect(await finishAfter(599_999)).toEqual(ok("tickets"));
  expect(await finishAfter(600_000)).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
});

test("a sign-out ends what is under way: a late refresh and a late sign-in write no tokens back", async () => {
  const signIns: ServerSignIn[] = [];
  const begin: BeginSignIn = async (_target, { signIn }) => {
    signIns.push(signIn);
    return ok({ url: "https://auth.example/", finish: async () => ok(undefined) });
  };
  const kept = new SignIns({ sealed, begin, platform });
  const target = { type: "http", url: fixture.url, headers: {} } as const;
  const options = { entry: null, origin: null, done: async () => {} };
  accept(await kept.begin("tickets", target, options));
  await must(signIns[0], "a sign-in").write({ tokens: { access_token: "a" } });
  const refreshing = must(kept.of("tickets", target, null), "signed in");
  accept(await kept.end("tickets"));
  await refreshing.write({ tokens: { access_token: "b" } });
  expect(kept.of("tickets", target, null)).toBeUndefined();
  accept(await kept.begin("tickets", target, options));
  await must(signIns[1], "another sign-in").write({ tokens: { access_token: "c" } });
  expect(kept.of("tickets", target, null)?.read()).toEqual({ tokens: { access_token: "c" } });
});

describe("a server elsewhere", () => {
  const asked: string[] = [];
  afterEach(() => void vi.unstubAllGlobals());

  /** Begins a sign-in at a server that names this authorisation server and this page. */
  function begin(issuer: string, page: string, client: Partial<OAuthEntry> = {}) {
    asked.length = 0;
    const names = {
      "https://tickets.example/mcp": null,
      "https://tickets.example/.well-known/oauth-protected-resource/mcp": {
        resource: "https://tickets.example/mcp",
        authorization_servers: [issuer],
      },
      [`${issuer}/.well-known/oauth-authorization-server`]: {
        issuer,
        authorization_endpoint: page,
        token_endpoint: `${issuer}/token`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
      },
    };
    vi.stubGlobal("fetch", async (input: URL | string) => {
      const url = String(input);
      asked.push(url);
      const found = Object.entries(names).find(([name]) => name === url)?.[1];
      if (found === undefined) return new Response("", { status: 404 });
      return found === null ? new Response("", { status: 401 }) : Response.json(found);
    });
    const signIns = new SignIns({ sealed, begin: mcpSignIn("0.0.0"), platform });
    const target = { type: "http", url: "https://tickets.example/mcp", headers: {} } as const;
    const entry = {
      clientId: "loom",
      clientSecret: null,
      issuer: null,
      clientMetadataUrl: null,
      scope: null,
      ...client,
    };
    return signIns.begin("tickets", target, { entry, origin: null, done: async () => {} });
  }

  test("sends people to https pages", async () => {
    const url = new URL(must(accept(await begin("https://auth.example", "https://auth.example/go")), "a page"));
    expect(url.origin + url.pathname).toBe("https://auth.example/go");
  });

  test("sends nobody to a page that is not https", async () => {
    expect(await begin("https://auth.example", "http://auth.example/go")).toMatchObject({
      ok: false,
      error: { code: "TOOL_FAILED", message: expect.stringContaining("http://auth.example, which is not https") },
    });
  });

  test("gets the owner's client and its secret only where the owner said that they belong", async () => {
    const client = { clientSecret: "s3cret", issuer: "https://auth.example" };
    expect(await begin("https://auth.example", "https://auth.example/go", client)).toMatchObject({ ok: true });
    const other = await begin("https://evil.example", "https://evil.example/go", client);
    expect(other).toMatchObject({ ok: false, error: { code: "TOOL_FAILED" } });
    expect(asked.filter((url) => url.startsWith("https://evil.example/token"))).toEqual([]);
  });

  test("is told nothing over an address that is not https", async () => {
    expect(await begin("http://auth.example", "https://auth.example/go")).toMatchObject({ ok: false });
    expect(asked).not.toEqual([]);
    expect(asked.filter((url) => !url.startsWith("https://tickets.example/"))).toEqual([]);
  });
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
  const again = accept(
    await mcp.signIns.begin(
      "<b>tickets</b>",
      { type: "http", url: fixture.url, headers: {} },
      { entry: null, origin: null, done: async () => {} },
    ),
  );
  const state = must(new URL(must(again, "an address")).searchParams.get("state"), "a state");
  const refused = await fetch(`${server.url}/oauth/callback?${new URLSearchParams({ state, error: "<script>" })}`);
  expect(refused.status).toBe(400);
  expect(await refused.text()).not.toMatch(/<b>|<script>/);
});
