import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { sha256Hex } from "../../../core/base/hash.ts";
import type { ActorId, BlockId, RootId, TurnId } from "../../../core/base/ids.ts";
import type { BlockChange } from "../../../core/block/types.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { connectTestClient } from "../../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { createDispatch } from "../../command/dispatch.ts";
import { openMcpDoor } from "./mcp-door.ts";
import { connectAgent, post, statelessCall, type OutsideAgent } from "./mcp.test-support.ts";

const closing: (() => unknown)[] = [];
let server: TestServer;
let canvasId: BlockId;

beforeEach(async () => {
  server = await startTestServer({ welcome: false });
  closing.push(() => server.close());
  const person = connectTestClient(server, { name: "Ada" });
  closing.push(() => person.close());
  ({ canvasId } = accept(await person.call("canvas.create", { title: "Notes", text: "one\ntwo\nthree\n" })));
});

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function agent(options: Parameters<typeof connectAgent>[1] = {}): Promise<OutsideAgent> {
  const connected = await connectAgent(server, options);
  closing.push(() => connected.close());
  return connected;
}

async function textNow(): Promise<string> {
  return accept(await server.workspace.hub.reader.read(canvasId)).text;
}

function changesNow(): Promise<readonly BlockChange[]> {
  return server.workspace.store.changes({ blockId: canvasId, afterVersion: 1 });
}

const patch = "@@ -2,1 +2,1 @@\n-two\n+TWO\n";

describe("leases across the door", () => {
  test("I-01 a check-out lives 120 s at most, and another program learns who holds the canvas", async () => {
    const first = await agent({ name: "first" });
    const held = await first.call("canvas_check_out", { canvas_id: canvasId });
    expect(held).toMatchObject({ canvas_epoch: 1, canvas_id: canvasId, policy: "live", line_count: 3 });
    expect(held["lease_id"]).toMatch(/^lease_[0-9a-f]{32}$/);
    expect(held["expires_in_ms"]).toBeGreaterThan(110_000);
    expect(held["expires_in_ms"]).toBeLessThanOrEqual(120_000);
    const second = await (await agent({ name: "second" })).call("canvas_check_out", { canvas_id: canvasId });
    expect(second).toMatchObject({ error: { code: "LOCK_NOT_AVAILABLE" } });
    expect(JSON.stringify(second)).toContain("first (unverified)");
  });

  test("I-03 Take control between two calls makes the next one STALE_EPOCH; the text stays", async () => {
    const outside = await agent();
    const { lease_id: lease, canvas_epoch: epoch } = await outside.call("canvas_check_out", { canvas_id: canvasId });
    const person = connectTestClient(server, { name: "Ada" });
    closing.push(() => person.close());
    const taken = accept(await person.call("canvas.take-control", { canvasId }));
    expect(taken).toEqual({ epoch: Number(epoch) + 1, cancelledRunId: null });
    const late = await outside.client.callTool({ name: "canvas_apply_patch", arguments: { lease_id: lease, patch } });
    expect(late.isError).toBe(true);
    expect(late.content).toMatchObject([{ text: expect.stringMatching(/^STALE_EPOCH: /) }]);
    expect(await textNow()).toBe("one\ntwo\nthree\n");
  });

  test("an agent that restarts uses its lease id again, and the end of its session releases the lease", async () => {
    const stay = new AbortController();
    const headers = { authorization: `Bearer ${server.token}`, "heddle-session": "s1" };
    const staying = await fetch(`${server.url}/mcp/session`, { method: "POST", headers, signal: stay.signal });
    const first = await agent({ session: "s1" });
    const { lease_id: lease } = await first.call("canvas_check_out", { canvas_id: canvasId });
    const second = await agent({ session: "s2" });
    expect(await second.code("canvas_read_all", { lease_id: lease })).toBe("ok");
    const released = new Promise((resolve) => server.workspace.leases.onChange(resolve));
    stay.abort();
    expect(await released).toMatchObject({ canvasId, held: null });
    expect(await second.code("canvas_check_out", { canvas_id: canvasId })).toBe("ok");
    // An answer that nothing refers to any more would have been collected, and its connection closed.
    expect(staying.status).toBe(200);
  });

  test("a door that was closed hears of no token that ends", async () => {
    const { tokens, leases } = server.workspace;
    const peopleAt = (): readonly string[] => [];
    const door = openMcpDoor({ workspace: server.workspace, dispatch: createDispatch(server.workspace), peopleAt });
    await door.close();
    const ended = vi.spyOn(leases, "endWhere");
    const by = { type: "person", id: "ada" as ActorId, name: "Ada" } as const;
    const wish = { name: "loom", hash: sha256Hex("secret"), rights: ["read"], scope: null, expiresAt: null } as const;
    accept(await tokens.revoke(accept(await tokens.create(by, wish, () => [])).tokenId, () => []));
    expect(ended).not.toHaveBeenCalled();
  });

  test("a session that stays silent gets signs of life, so that no reader gives it up", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const stay = new AbortController();
    try {
      const headers = { authorization: `Bearer ${server.token}`, "heddle-session": "s1" };
      const { body } = await fetch(`${server.url}/mcp/session`, { method: "POST", headers, signal: stay.signal });
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      expect(await reader?.read()).toMatchObject({ value: ": here\n\n" });
      for (let sign = 0; sign < 2; sign += 1) {
        vi.advanceTimersByTime(15_000);
        expect(await reader?.read()).toMatchObject({ value: ": still here\n\n" });
      }
    } finally {
      stay.abort();
      vi.useRealTimers();
    }
  });
});

describe("an outside agent's edit", () => {
  test("I-10 I-11 is shown under the name the program gives itself, unverified, and a person undoes it alone", async () => {
    const outside = await agent({ name: "Ada\u202e" });
    const { lease_id: lease } = await outside.call("canvas_check_out", { canvas_id: canvasId });
    const written = await outside.call("canvas.apply_patch", { lease_id: lease, patch });
    expect(written).toMatchObject({ ok: true, applied_hunks: 1, new_revision_id: expect.stringMatching(/^2-/) });
    const log = await changesNow();
    expect(log).toMatchObject([
      {
        actor: {
          type: "model",
          name: "Ada (unverified)",
          outside: { via: "mcp", client: "Ada", onBehalfOf: "Tester" },
        },
      },
    ]);
    const person = connectTestClient(server, { name: "Ada" });
    closing.push(() => person.close());
    const { turns } = accept(await person.call("block.turns", { blockId: canvasId }));
    expect(turns).toMatchObject([{ actorName: "Ada (unverified)" }]);
    const [turnId] = (written["unit_id"] as string).split("/");
    accept(await person.call("turn.undo", { turnId: turnId as TurnId }));
    expect(await textNow()).toBe("one\ntwo\nthree\n");
  });

  test("I-08 becomes a suggestion under the policy Suggest; kept, the text is the agent's, accepted by the person", async () => {
    const person = connectTestClient(server, { name: "Ada" });
    closing.push(() => person.close());
    accept(await person.call("canvas.set-policy", { canvasId, policy: "suggest" }));
    const outside = await agent();
    const { lease_id: lease } = await outside.call("canvas_check_out", { canvas_id: canvasId });
    const answer = await outside.call("canvas_apply_patch", { lease_id: lease, patch });
    expect(answer).toMatchObject({ awaiting_review: true, suggested_hunks: 1 });
    expect(await textNow()).toBe("one\ntwo\nthree\n");
    const { suggestions } = accept(await person.call("canvas.suggestions", { canvasId }));
    const hunkIds = suggestions.flatMap(({ hunks }) => hunks.map(({ id }) => id));
    accept(await person.call("canvas.keep-hunks", { canvasId, hunkIds }));
    expect(await textNow()).toBe("one\nTWO\nthree\n");
    const kept = (await changesNow()).at(-1);
    expect(kept).toMatchObject({ actor: { name: "Ada" }, body: { kept: { author: { name: "loom (unverified)" } } } });
  });

  test.each(["callId", "claudecode/toolUseId"])(
    "is known by the name that its program's log has for the call: %s",
    async (key) => {
      const outside = await agent();
      const { lease_id: lease } = await outside.call("canvas_check_out", { canvas_id: canvasId });
      const { structuredContent: written } = await outside.client.callTool({
        name: "canvas_apply_patch",
        arguments: { lease_id: lease, patch },
        _meta: { [key]: "toolu_7" },
      });
      expect(written).toMatchObject({ unit_id: expect.stringMatching(/^turn_.*\/toolu_7$/) });
    },
  );
});

describe("the wire", () => {
  test("I-13 server/discover names the revision, the capabilities and how long they hold", async () => {
    const { message } = statelessCall("x", {});
    const discover = { ...message, method: "server/discover", params: { _meta: meta(message) } };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover" };
    const { result } = (await (await post(server, discover, headers)).json()) as { result: JsonObject };
    expect(result).toMatchObject({
      supportedVersions: expect.arrayContaining(["2026-07-28"]),
      capabilities: { tools: {} },
      ttlMs: 3_600_000,
      cacheScope: "private",
    });
  });

  test("I-14 I-15 a header that is absent or differs, and an unknown revision, are refused without effect", async () => {
    const { message, headers } = statelessCall("document_create", { title: "Nothing" });
    const { "mcp-name": _name, ...nameless } = headers;
    for (const [given, code] of [
      [nameless, -32_020],
      [{ ...headers, "mcp-name": "document_list" }, -32_020],
    ] as const) {
      const response = await post(server, message, given);
      expect([response.status, await response.json()]).toMatchObject([400, { error: { code } }]);
    }
    const future = statelessCall("document_create", { title: "Nothing" }, "2027-01-01");
    const response = await post(server, future.message, future.headers);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: -32_022 } }]);
    expect(await server.workspace.canvases()).toHaveLength(1);
  });

  test("I-16 older clients get their revision, and tools also without initialize", async () => {
    const outside = await agent({ era: "legacy" });
    expect((await outside.client.listTools()).tools.length).toBeGreaterThan(30);
    const listed = await post(server, { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
    expect(await listed.text()).toContain("canvas_check_out");
    const initialize = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "old", version: "1" } };
    const answered = await post(server, { jsonrpc: "2.0", id: 1, method: "initialize", params: initialize });
    expect(await answered.text()).toContain('"protocolVersion":"2025-06-18"');
  });

  test("I-17 the list of tools is the same whatever the state, under names that every provider takes", async () => {
    const outside = await agent();
    const before = JSON.stringify((await outside.client.listTools()).tools);
    await outside.call("canvas_check_out", { canvas_id: canvasId });
    const other = await agent({ name: "other", era: "legacy" });
    expect(JSON.stringify((await other.client.listTools()).tools)).toBe(before);
    const { tools } = await other.client.listTools();
    expect(tools.filter(({ name }) => !/^[a-z_]{1,40}$/.test(name))).toEqual([]);
    expect(tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name)).toEqual([
      "block_delete",
    ]);
  });

  test("I-18 I-19 a wrong argument is named and nothing done; an unknown tool is a protocol error", async () => {
    const outside = await agent();
    for (const [parameters, word] of [
      [{ title: "X", colour: "red" }, "colour"],
      [{ title: 7 }, "title"],
    ] as const) {
      const refused = await outside.call("document_create", parameters);
      expect(refused).toMatchObject({ error: { code: "INVALID_PARAMS" } });
      expect(JSON.stringify(refused)).toContain(word);
    }
    expect(await server.workspace.canvases()).toHaveLength(1);
    await expect(outside.client.callTool({ name: "canvas_chekc_out" })).rejects.toMatchObject({ code: -32_602 });
    expect(await outside.code("document.list")).toBe("ok");
  });

  test("I-20 progress rises and ends before the answer", async () => {
    const outside = await agent();
    const { root_id: root } = await outside.call("conversation_create", { title: "Looms" });
    const seen: number[] = [];
    const parameters = { parent_id: root, text: "Hello" };
    const answer = await outside.client.callTool(
      { name: "conversation_ask", arguments: parameters },
      { onprogress: ({ progress }) => seen.push(progress) },
    );
    expect(answer.structuredContent).toMatchObject({ state: "idle", text: expect.stringContaining("scribe") });
    expect(seen.length).toBeGreaterThan(0);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  test("a reply that is done waits for nobody", async () => {
    const outside = await agent();
    const { root_id: root } = await outside.call("conversation_create", { title: "Looms" });
    const answer = await outside.call("conversation_ask", { parent_id: root, text: "Hello" });
    expect(answer).toMatchObject({ state: "idle" });
    expect(answer).not.toHaveProperty("waiting_for");
  });

  test("an answer that is no stream says its length", async () => {
    const { message, headers } = statelessCall("document_list", {});
    const response = await post(server, message, headers);
    const { byteLength } = await response.arrayBuffer();
    expect(response.headers.get("content-length")).toBe(String(byteLength));
  });

  test("a stream of more than a connection takes at once arrives whole, and ends", async () => {
    const text = "warp and weft\n".repeat(28_000);
    const person = connectTestClient(server, { name: "Ada" });
    closing.push(() => person.close());
    const { canvasId: long } = accept(await person.call("canvas.create", { title: "Long", text }));
    const params = { name: "open_canvas", arguments: { canvas_id: long } };
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const response = await post(server, message, {}, AbortSignal.timeout(8_000));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const [, data = ""] = /^data: (.+)$/m.exec(await response.text()) ?? [];
    expect(JSON.parse(data)).toMatchObject({ id: 1, result: { structuredContent: { text } } });
  });

  test("I-26 I-27 a foreign Host or Origin, a wrong token, other methods and too much are refused", async () => {
    const { message, headers } = statelessCall("document_create", { title: "Nothing" });
    for (const [given, status] of [
      [{ host: "evil.example" }, 403],
      [{ origin: "https://evil.example" }, 403],
      [{ origin: "null" }, 403],
      [{ authorization: "Bearer wrong" }, 401],
    ] as const) {
      expect(await statusOf("POST", { ...headers, ...given }, JSON.stringify(message))).toBe(status);
    }
    expect(await statusOf("GET", {})).toBe(405);
    expect(await statusOf("DELETE", {})).toBe(405);
    expect(await statusOf("POST", headers, "x".repeat(4 * 1024 * 1024 + 1))).toBe(413);
    expect(await statusOf("POST", headers, "[".repeat(65) + "]".repeat(65))).toBe(400);
    expect(await server.workspace.canvases()).toHaveLength(1);
  });
});

function meta(message: JsonObject): JsonObject {
  return (message["params"] as { readonly _meta: JsonObject })._meta;
}

/** Returns the status of a raw request; a body that is not read to its end may break the connection after it. */
function statusOf(method: string, headers: Record<string, string>, body = ""): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port: server.port,
        path: "/mcp",
        method,
        headers: {
          authorization: `Bearer ${server.token}`,
          host: `127.0.0.1:${server.port}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

test("conversations are read, appended to and branched without asking a model", async () => {
  const outside = await agent();
  const { root_id: root } = await outside.call("conversation_create", { title: "Looms" });
  const { node_id: first } = await outside.call("conversation_append", { parent_id: root, content: "one" });
  const { node_id: second } = await outside.call("conversation_append", { parent_id: first, content: "two" });
  expect(await outside.code("conversation_append", { parent_id: first, content: "2" })).toBe("CONFLICT");
  const { node_id: beside } = await outside.call("conversation_branch", { parent_id: first, content: "2" });
  expect(beside).not.toBe(second);
  expect(await outside.call("conversation_read", { node_id: second })).toMatchObject({
    conversation_id: root,
    messages: [
      { node_id: first, content: [{ text: "one" }], by: "loom (unverified), for Tester" },
      { node_id: second, content: [{ text: "two" }] },
    ],
  });
  expect(await outside.call("conversation_list")).toMatchObject({ conversations: [{ id: root, title: "Looms" }] });
  expect(await outside.call("search_words", { words: "two", in: "messages" })).toMatchObject({
    matches: [{ id: second, root_id: root }],
  });
  expect(await outside.code("conversation_read", { node_id: "node_missing" })).toBe("NODE_NOT_FOUND");
  expect(await outside.code("conversation_append", { parent_id: "nothing", content: "x" })).toBe("NODE_NOT_FOUND");
});

test("a long conversation is read in pages, each from where the one before ended", async () => {
  const outside = await agent();
  const { root_id: root } = await outside.call("conversation_create", { title: "Looms" });
  const [one, two] = ["one ", "two "].map((word) => word.repeat(15_000));
  const { node_id: first } = await outside.call("conversation_append", { parent_id: root, content: one });
  const { node_id: second } = await outside.call("conversation_append", { parent_id: first, content: two });
  const page = await outside.call("conversation_read", { node_id: second });
  expect(page).toMatchObject({ messages: [{ node_id: first }], next: "1" });
  expect(page["messages"]).toHaveLength(1);
  const rest = await outside.call("conversation_read", { node_id: second, cursor: page["next"] });
  expect(rest).toMatchObject({ messages: [{ node_id: second }] });
  expect([rest["messages"], rest["next"]]).toEqual([expect.objectContaining({ length: 1 }), undefined]);
});

test("I-22 a request that is sent again with its client_request_id takes effect once", async () => {
  const outside = await agent();
  const { root_id: root } = await outside.call("conversation_create", { title: "Looms" });
  const parameters = { parent_id: root, content: "one", client_request_id: "r1" };
  const { node_id: first } = await outside.call("conversation_append", parameters);
  expect(await outside.call("conversation_append", parameters)).toEqual({ node_id: first });
  expect(await server.workspace.store.nodes(root as RootId)).toHaveLength(1);
});
