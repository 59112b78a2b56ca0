import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectHeddle } from "../../client/connect.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { openSqliteStore } from "../../adapters/storage/sqlite/open-sqlite-store.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { PersonId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { ClientDocument } from "../../core/port/oauth.ts";
import type { Store } from "../../core/port/store.ts";
import { openSocketOf } from "../server/team.test-support.ts";
import {
  allow,
  programOf,
  questionOf,
  register,
  signInProgram,
  tokensOf,
  type Program,
  type Tokens,
} from "./oauth.test-support.ts";
import { startSignInServer, type Browser, type SignInServer } from "./sign-in.test-support.ts";

let store: Store;
let team: SignInServer;
let ada: Browser;
let program: Program;
const documents = new Map<string, ClientDocument>();
/** The addresses that were read. */
const read: string[] = [];
const closing: (() => unknown)[] = [];

beforeEach(async () => {
  store = openMemoryStore();
  documents.clear();
  read.length = 0;
  team = await startSignInServer({
    store,
    documents: async (address) => {
      read.push(address);
      return documents.get(address) ?? { type: "unreachable" };
    },
  });
  closing.push(() => team.close());
  ada = await team.owner();
  program = programOf(team, await register(ada));
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const api = (token: string): Promise<Response> =>
  fetch(`${team.server.url}/api/commands/search.words`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ words: "warp", in: "messages" }),
  });

/** Asks the door of programs for a tool, and returns the status and what the tool said. */
async function call(token: string, name = "document_list", parameters: JsonObject = {}, { server } = team) {
  const response = await fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: parameters } }),
  });
  return { status: response.status, text: await response.text(), challenge: response.headers.get("www-authenticate") };
}

const acts = async (): Promise<readonly string[]> => (await store.audit(0, 99)).map(({ act }) => act);
const permits = async (browser: Browser) =>
  (await browser.get("/auth/permits")).body["permits"] as readonly { readonly id: string; readonly name: string }[];

test("A-39 a program finds how to sign in by the refusal, and gets what its person allowed, for MCP alone", async () => {
  const refused = await call("nothing");
  expect(refused.status).toBe(401);
  const [, address = ""] = /resource_metadata="([^"]+)"/.exec(refused.challenge ?? "") ?? [];
  expect(refused.challenge).toBe(
    `Bearer realm="heddle", error="invalid_token", resource_metadata="${address}", scope="read write run"`,
  );
  const get = async (path: string): Promise<JsonObject> => (await fetch(team.server.url + path)).json() as never;
  const resource = await get(new URL(address).pathname);
  expect(resource).toMatchObject({ resource: `${program.origin}/mcp`, authorization_servers: [program.origin] });
  expect(await get("/.well-known/oauth-protected-resource")).toEqual(resource);
  const server = await get("/.well-known/oauth-authorization-server");
  expect(server).toMatchObject({
    issuer: program.origin,
    code_challenge_methods_supported: ["S256"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    response_types_supported: ["code"],
    token_endpoint_auth_methods_supported: ["none"],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  });
  expect(server).not.toHaveProperty("registration_endpoint");
  const id = await questionOf(ada, program.authorize());
  expect((await ada.post(`/auth/consent/${id}`, {})).body).toEqual({
    program: { name: "Loom", host: null, isRegistered: true },
    answersTo: { type: "machine", name: "127.0.0.1" },
    through: "mcp",
    rights: ["read", "write"],
    person: "Ada",
  });
  const answer = await allow(ada, id, ["read"]);
  expect(answer.origin + answer.pathname).toBe(program.redirectUri);
  expect(Object.fromEntries(answer.searchParams)).toEqual({
    code: expect.stringMatching(/^[\w-]{43}$/),
    state: "of-the-program",
    iss: program.origin,
  });
  const { access } = tokensOf(await program.redeem(answer.searchParams.get("code") ?? ""));
  expect((await call(access)).text).toContain("documents");
  const written = await call(access, "document_create", { title: "Plans" });
  expect([written.status, written.text]).toEqual([200, expect.stringContaining("FORBIDDEN")]);
  // It is a token for MCP, and none for anything else.
  expect((await api(access)).status).toBe(401);
  expect(await acts()).toContain("permit.given");
});

test("A-39 a token for the API opens the API alone", async () => {
  const id = await questionOf(ada, program.authorize({ resource: `${program.origin}/api` }));
  const code = (await allow(ada, id)).searchParams.get("code") ?? "";
  const { access } = tokensOf(await program.redeem(code));
  expect((await api(access)).status).toBe(200);
  expect((await call(access)).status).toBe(401);
});

const refusals: readonly (readonly [what: string, changes: Readonly<Record<string, string | null>>, error: string])[] =
  [
    ["without a resource", { resource: null }, "invalid_target"],
    ["for another server's resource", { resource: "https://other.example/mcp" }, "invalid_target"],
    ["without a challenge", { code_challenge: null, code_challenge_method: null }, "invalid_request"],
    ["with a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
    ["for a token at once", { response_type: "token" }, "invalid_request"],
    ["without a person", { prompt: "none" }, "login_required"],
  ];
test.each(refusals)("A-39 a program that asks %s is answered with the error alone", async (_, changes, error) => {
  const { status, location } = await ada.open(program.authorize(changes));
  const answer = new URL(location ?? "");
  expect([status, answer.origin + answer.pathname]).toEqual([303, program.redirectUri]);
  const facts = new URLSearchParams(answer.search === "" ? answer.hash.slice(1) : answer.search);
  expect([facts.get("error"), facts.get("state"), facts.get("iss")]).toEqual([error, "of-the-program", program.origin]);
  expect(facts.has("code")).toBe(false);
});

test("a question for two resources is refused", async () => {
  const { location } = await ada.open(`${program.authorize()}&resource=${encodeURIComponent(`${program.origin}/api`)}`);
  expect(new URL(location ?? "").searchParams.get("error")).toBe("invalid_target");
});

const strangers: readonly (readonly [what: string, changes: Readonly<Record<string, string | null>>])[] = [
  ["an address that it did not name", { redirect_uri: "http://127.0.0.1:5123/elsewhere" }],
  ["an address of another host", { redirect_uri: "https://evil.example/callback" }],
  ["a longer address", { redirect_uri: "http://127.0.0.1:5123/callback/more" }],
  ["an address with a query", { redirect_uri: "http://127.0.0.1:5123/callback?x=1" }],
  ["another name of this machine", { redirect_uri: "http://localhost:5123/callback" }],
  ["no address", { redirect_uri: null }],
  ["the name of no program", { client_id: "program_unknown" }],
  ["an answer by a form", { response_mode: "form_post" }],
];
test.each(strangers)("A-39 nobody is sent back by a program with %s", async (_, changes) => {
  const { status, location, text } = await ada.open(program.authorize(changes));
  expect([status, location]).toEqual([400, null]);
  expect(text).toContain("Nothing was allowed.");
});

test("A-39 a program of a person's machine is answered at any port, and of no other difference", async () => {
  const other = programOf(team, program.clientId, "http://127.0.0.1:60999/callback");
  await signInProgram(other, ada);
  const exact = programOf(
    team,
    await register(ada, ["https://loom.example/callback"]),
    "https://loom.example:8443/callback",
  );
  expect((await ada.open(exact.authorize())).status).toBe(400);
});

test("A-39 a code that comes twice ends what it gave, also for two at the same moment", async () => {
  const code = (await allow(ada, await questionOf(ada, program.authorize()))).searchParams.get("code") ?? "";
  const { access, refresh } = tokensOf(await program.redeem(code));
  expect((await call(access)).status).toBe(200);
  expect((await program.redeem(code)).body).toMatchObject({ error: "invalid_grant" });
  expect((await call(access)).status).toBe(401);
  expect((await program.refresh(refresh)).body).toMatchObject({ error: "invalid_grant" });
  expect(await permits(ada)).toEqual([]);
  expect(await acts()).toContain("permit.used-twice");
  const next = (await allow(ada, await questionOf(ada, program.authorize()))).searchParams.get("code") ?? "";
  const both = await Promise.all([program.redeem(next), program.redeem(next)]);
  for (const won of both.filter(({ status }) => status === 200)) {
    expect((await call(tokensOf(won).access)).status).toBe(401);
  }
  expect(both.filter(({ status }) => status === 200).length).toBeLessThan(2);
  expect(await permits(ada)).toEqual([]);
});

const wrongRedemptions: readonly (readonly [what: string, changes: Readonly<Record<string, string>>])[] = [
  ["another verifier", { code_verifier: "x".repeat(43) }],
  ["another address", { redirect_uri: "http://127.0.0.1:5124/callback" }],
  ["another resource", { resource: "https://other.example/mcp" }],
];
test.each(wrongRedemptions)("A-39 a code is worth nothing with %s", async (_, changes) => {
  const code = (await allow(ada, await questionOf(ada, program.authorize()))).searchParams.get("code") ?? "";
  const { status, body } = await program.redeem(code, changes);
  expect([status, Object.keys(body)]).toEqual([400, ["error", "error_description"]]);
});

test("A-39 a code is worth nothing to another program, or without a verifier", async () => {
  const code = (await allow(ada, await questionOf(ada, program.authorize()))).searchParams.get("code") ?? "";
  const other = programOf(team, await register(ada));
  expect((await other.redeem(code, { code_verifier: program.verifier })).body).toMatchObject({
    error: "invalid_grant",
  });
  const bare = { grant_type: "authorization_code", code, redirect_uri: program.redirectUri };
  expect((await program.token(bare)).body).toMatchObject({ error: "invalid_grant" });
});

test("A-39 a refresh token is good once: a stolen one that comes again ends the whole family", async () => {
  const first = await signInProgram(program, ada);
  const second = tokensOf(await program.refresh(first.refresh));
  const third = tokensOf(await program.refresh(second.refresh));
  expect((await call(third.access)).status).toBe(200);
  // The thief comes with what was used long ago.
  expect((await program.refresh(first.refresh)).body).toMatchObject({ error: "invalid_grant" });
  for (const { access } of [first, second, third]) expect((await call(access)).status).toBe(401);
  expect((await program.refresh(third.refresh)).body).toMatchObject({ error: "invalid_grant" });
  expect(await permits(ada)).toEqual([]);
  // Both at once: one of them may win, and then nothing of it is worth anything.
  const again = await signInProgram(program, ada);
  const both = await Promise.all([program.refresh(again.refresh), program.refresh(again.refresh)]);
  for (const won of both.filter(({ status }) => status === 200)) {
    expect((await call(tokensOf(won).access)).status).toBe(401);
  }
  expect(await permits(ada)).toEqual([]);
});

test("A-39 a refresh asks for no more than was allowed, and for no other resource", async () => {
  const { refresh } = await signInProgram(program, ada, ["read"]);
  expect((await program.refresh(refresh, { scope: "read write" })).body).toMatchObject({ error: "invalid_scope" });
  const other = { resource: `${program.origin}/api` };
  expect((await program.refresh(refresh, other)).body).toMatchObject({ error: "invalid_target" });
});

test("A-39 scopes that grow are asked about again, and what was allowed before stays as it was", async () => {
  const { access } = await signInProgram(program, ada, ["read"]);
  const id = await questionOf(ada, program.authorize({ scope: "read write run" }));
  expect((await ada.post(`/auth/consent/${id}`, {})).body).toMatchObject({ rights: ["read", "write", "run"] });
  // Its person has decided about writing, and was never asked about models: only that is worth another question.
  const written = await call(access, "document_create", { title: "Plans" });
  expect([written.status, written.text]).toEqual([200, expect.stringContaining("FORBIDDEN")]);
  const asked = await call(access, "conversation_ask", { parent_id: "x", text: "x" });
  expect([asked.status, asked.text]).toEqual([403, expect.stringContaining("FORBIDDEN")]);
  expect(asked.challenge).toContain('error="insufficient_scope"');
  expect(asked.challenge).toContain('scope="read run"');
  const code = (await allow(ada, id, ["read", "write", "run"])).searchParams.get("code") ?? "";
  const grown = tokensOf(await program.redeem(code));
  expect((await call(grown.access, "document_create", { title: "Plans" })).text).not.toContain("FORBIDDEN");
});

test("a person who allows nothing sends the program away with an error", async () => {
  const id = await questionOf(ada, program.authorize());
  const answer = await allow(ada, id, []);
  expect(answer.searchParams.get("error")).toBe("access_denied");
  expect(await permits(ada)).toEqual([]);
});

test("a question is answered only in the browser that was sent with it, by somebody signed in, once", async () => {
  const id = await questionOf(ada, program.authorize());
  // Somebody who sends their own question to another person gets nothing.
  const eve = team.browser();
  const other = await questionOf(eve, program.authorize());
  for (const path of [`/auth/consent/${other}`, `/auth/consent/${other}/answer`]) {
    expect((await ada.post(path, { rights: ["read"] })).status).toBe(404);
    expect((await eve.post(path, { rights: ["read"] })).status).toBe(401);
  }
  // A page elsewhere sends nothing: the question is JSON, of this origin.
  const foreign = { "sec-fetch-site": "cross-site" };
  expect((await ada.post(`/auth/consent/${id}/answer`, { rights: ["read"] }, foreign)).status).toBe(403);
  const typed = { "content-type": "text/plain" };
  expect((await ada.post(`/auth/consent/${id}/answer`, { rights: ["read"] }, typed)).status).toBe(415);
  await allow(ada, id);
  expect((await ada.post(`/auth/consent/${id}/answer`, { rights: ["read"] })).status).toBe(404);
  expect(await permits(ada)).toHaveLength(1);
});

test("to allow more than reading asks for a sign-in of the last ten minutes", async () => {
  const { sessions, facts } = team.signIn.parts;
  const [session] = sessions.of([...facts.all("user").keys()][0] as PersonId);
  if (session === undefined) throw new Error("Ada has a session");
  const { hash, ...record } = session;
  const authenticatedAt = Date.now() - 11 * 60 * 1000;
  await facts.write(() => ({
    ok: true,
    value: [{ kind: "session", id: hash, record: { ...record, authenticatedAt } }],
  }));
  const id = await questionOf(ada, program.authorize());
  const answered = await ada.post(`/auth/consent/${id}/answer`, { rights: ["read", "write"] });
  expect(answered.body.error.code).toBe("REAUTHENTICATE");
  await allow(ada, id, ["read"]);
});

test("A-39 a program does no more than its person may at that moment", async () => {
  const invited = await ada.post("/auth/people/invite", { email: null, role: "editor" });
  const secret = String(invited.body["link"]).split("#link=")[1] ?? "";
  const bob = team.browser();
  await bob.post("/auth/accept", { secret, name: "Bob", email: "bob@example.org", password: "correct horse battery" });
  const { access } = await signInProgram(program, bob);
  expect((await call(access, "document_create", { title: "Plans" })).text).not.toContain("FORBIDDEN");
  const person = (await bob.get("/auth/state")).body.person?.id ?? "";
  const changed = await ada.post("/api/commands/person.set-role", { personId: person, role: "viewer" });
  expect(changed.status, JSON.stringify(changed.body)).toBe(200);
  expect((await call(access, "document_create", { title: "More" })).text).toContain("FORBIDDEN");
  expect((await call(access)).status).toBe(200);
  // Without an account, nothing.
  expect((await ada.post("/auth/people/remove", { person })).status).toBe(200);
  expect((await call(access)).status).toBe(401);
  expect(team.signIn.parts.permits.of(person as PersonId)).toEqual([]);
});

test("a person ends what a program may do: what it has open is closed within a second, and its leases end", async () => {
  const id = await questionOf(ada, program.authorize({ resource: `${program.origin}/api` }));
  const code = (await allow(ada, id)).searchParams.get("code") ?? "";
  const atApi = tokensOf(await program.redeem(code));
  const made = await ada.post("/api/commands/conversation.create", {});
  const path = `/api/roots/${String(made.body["rootId"])}/events`;
  const events = await fetch(team.server.url + path, { headers: { authorization: `Bearer ${atApi.access}` } });
  expect(events.status).toBe(200);
  const ended = events.text().then(
    () => "ended",
    () => "ended",
  );
  const atMcp = await signInProgram(program, ada);
  const canvas = await ada.post("/api/commands/canvas.create", { title: "Plans", text: "" });
  const lease = { canvas_id: canvas.body["canvasId"] as string };
  expect((await call(atMcp.access, "canvas_check_out", lease)).text).toContain("lease_id");
  const client = connectHeddle({
    url: team.server.url,
    token: "of-no-use",
    clientId: "client-of-the-loom-0123456789",
    platform: { openSocket: (url, listener) => openSocketOf(atApi.access, url, listener) },
  });
  closing.push(() => client.close());
  await expect.poll(() => client.state.get().type).toBe("live");
  const listed = await permits(ada);
  expect(listed).toHaveLength(2);
  expect(listed[0]).toMatchObject({ name: "Loom", rights: ["read", "write"], address: "127.0.0.1" });
  const from = performance.now();
  for (const permit of listed) expect((await ada.post("/auth/permits/end", { id: permit.id })).status).toBe(200);
  expect(await ended).toBe("ended");
  await expect.poll(() => client.state.get().type, { timeout: 1_000 }).not.toBe("live");
  expect(performance.now() - from).toBeLessThan(1_000);
  const other = await signInProgram(program, ada);
  expect((await call(other.access, "canvas_check_out", lease)).text).toContain("lease_id");
  expect((await call(atMcp.access)).status).toBe(401);
  expect((await program.refresh(atMcp.refresh)).body).toMatchObject({ error: "invalid_grant" });
  expect((await ada.post("/auth/permits/end", { id: listed[0]?.id })).status).toBe(404);
  expect((await acts()).filter((act) => act === "permit.ended")).toHaveLength(2);
});

test("a program gives its permit back by either token, and another program's by none", async () => {
  for (const which of ["access", "refresh"] as const) {
    const tokens: Tokens = await signInProgram(program, ada);
    const other = programOf(team, await register(ada));
    expect((await other.revoke(tokens[which])).status).toBe(200);
    expect((await call(tokens.access)).status).toBe(200);
    expect((await program.revoke(tokens[which])).status).toBe(200);
    expect((await call(tokens.access)).status).toBe(401);
    expect((await program.refresh(tokens.refresh)).body).toMatchObject({ error: "invalid_grant" });
  }
  expect(await acts()).toContain("permit.given-back");
  expect((await program.revoke("never-given")).status).toBe(200);
});

test("tokens are stored as hashes", async () => {
  const { access, refresh } = await signInProgram(program, ada);
  const kept = JSON.stringify([await store.signInFacts(), await store.audit(0, 99)]);
  for (const secret of [access, refresh]) {
    expect(kept).not.toContain(secret);
    expect(kept).toContain(sha256Hex(secret));
  }
});

test("permits and their tokens live through a restart, and what was used stays used", async () => {
  const file = join(await mkdtemp(join(tmpdir(), "heddle-oauth-")), "heddle.db");
  let server = await startSignInServer({ store: await openSqliteStore({ file }) });
  closing.push(() => server.close());
  const owner = await server.owner();
  const own = programOf(server, await register(owner));
  const first = await signInProgram(own, owner);
  const second = tokensOf(await own.refresh(first.refresh));
  const { port } = server.server;
  await server.close();
  server = await startSignInServer({ store: await openSqliteStore({ file }), port });
  // Connections of before are over.
  await own.token({}).catch(() => {});
  expect((await call(second.access, "document_list", {}, server)).status).toBe(200);
  const third = tokensOf(await own.refresh(second.refresh));
  expect((await own.refresh(first.refresh)).body).toMatchObject({ error: "invalid_grant" });
  expect((await call(third.access, "document_list", {}, server)).status).toBe(401);
});

const clientId = "https://loom.example/client.json";
const described: JsonObject = {
  client_id: clientId,
  client_name: "Loom",
  redirect_uris: ["http://127.0.0.1/callback", "https://loom.example/back"],
  grant_types: ["authorization_code", "refresh_token"],
  token_endpoint_auth_method: "none",
  logo_uri: "https://loom.example/logo.png",
  scope: "anything at all",
};

test("A-39 a program that describes itself at its address signs in, under the host that answers for its name", async () => {
  documents.set(clientId, { type: "read", value: described });
  const own = programOf(team, clientId);
  const id = await questionOf(ada, own.authorize());
  expect((await ada.post(`/auth/consent/${id}`, {})).body).toMatchObject({
    program: { name: "Loom", host: "loom.example", isRegistered: false },
  });
  const code = (await allow(ada, id)).searchParams.get("code") ?? "";
  const { access, refresh } = tokensOf(await own.redeem(code));
  expect((await call(access)).status).toBe(200);
  expect((await permits(ada))[0]?.name).toBe("Loom (loom.example)");
  // Its own host may be away when its tokens are renewed.
  documents.clear();
  tokensOf(await own.refresh(refresh));
});

const wrongDocuments: readonly (readonly [what: string, document: ClientDocument])[] = [
  ["nobody answers", { type: "unreachable" }],
  ["leads inside", { type: "refused", why: "it is no public address" }],
  ["names another program", { type: "read", value: { ...described, client_id: "https://evil.example/client.json" } }],
  ["names no address", { type: "read", value: { ...described, redirect_uris: [] } }],
  [
    "names an address that runs in the browser",
    { type: "read", value: { ...described, redirect_uris: ["javascript:alert(1)"] } },
  ],
  [
    "names a plain address elsewhere",
    { type: "read", value: { ...described, redirect_uris: ["http://loom.example/back"] } },
  ],
  [
    "wants to prove itself by a secret",
    { type: "read", value: { ...described, token_endpoint_auth_method: "client_secret_basic" } },
  ],
  ["holds a secret", { type: "read", value: { ...described, client_secret: "x" } }],
];
test.each(wrongDocuments)("A-39 a program is unknown whose own address %s", async (_, document) => {
  documents.set(clientId, document);
  const { status, location, text } = await ada.open(programOf(team, clientId).authorize());
  expect([status, location]).toEqual([400, null]);
  expect(text).toContain("could not read who it is");
});

test("A-39 nothing is read of a program that nobody allowed anything, unless a person is asked", async () => {
  const own = programOf(team, clientId);
  documents.set(clientId, { type: "read", value: described });
  for (const sent of [own.refresh("never-given"), own.redeem("never-given"), own.revoke("never-given")]) {
    expect((await sent).body).toMatchObject({ error: "invalid_client" });
  }
  expect(read).toEqual([]);
  await signInProgram(own, ada);
  expect(read).toEqual([clientId]);
});

test("only owners register programs, and one that is removed can do nothing more", async () => {
  const invited = await ada.post("/auth/people/invite", { email: null, role: "editor" });
  const secret = String(invited.body["link"]).split("#link=")[1] ?? "";
  const bob = team.browser();
  await bob.post("/auth/accept", { secret, name: "Bob", email: "bob@example.org", password: "correct horse battery" });
  const wanted = { name: "Loom", redirectUris: ["http://127.0.0.1/callback"] };
  expect((await bob.post("/auth/programs/register", wanted)).status).toBe(403);
  expect((await bob.get("/auth/programs")).body).toEqual({ mayRegister: false, programs: [] });
  for (const address of [
    "javascript:alert(1)",
    "http://loom.example/",
    "https://localhost/",
    "https://a.example/#x",
    "no address",
  ]) {
    expect((await ada.post("/auth/programs/register", { ...wanted, redirectUris: [address] })).status, address).toBe(
      400,
    );
  }
  const { access, refresh } = await signInProgram(program, bob);
  expect((await ada.post("/auth/programs/remove", { id: program.clientId })).status).toBe(200);
  expect((await call(access)).status).toBe(401);
  expect((await program.refresh(refresh)).status).toBe(401);
  expect((await bob.open(program.authorize())).status).toBe(400);
  expect(await acts()).toEqual(expect.arrayContaining(["program.registered", "program.removed", "permit.ended"]));
});

test("questions and forms are bounded", async () => {
  const long = { state: "x".repeat(5_000) };
  expect((await ada.open(program.authorize(long))).status).toBe(413);
  const big = await program.token({ grant_type: "refresh_token", refresh_token: "x".repeat(20_000) });
  expect(big.status).toBe(413);
  const json = await fetch(`${team.server.url}/oauth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  expect(json.status).toBe(415);
  const statuses: number[] = [];
  for (let n = 0; n < 62; n += 1) statuses.push((await ada.open(program.authorize())).status);
  expect(statuses.slice(0, 50).every((status) => status === 303)).toBe(true);
  expect(statuses.at(-1)).toBe(429);
});

test("what the library offers besides is not there", async () => {
  for (const path of [
    "/oauth/jwks",
    "/session/end",
    "/device",
    "/reg",
    "/me",
    "/token/introspection",
    "/request",
    "/oauth/token/x",
    "/.well-known/openid-configuration",
  ]) {
    for (const method of ["GET", "POST"]) {
      const response = await fetch(team.server.url + path, { method });
      // Without a built app its addresses are away, not missing.
      expect([404, 503], `${method} ${path}`).toContain(response.status);
    }
  }
});
