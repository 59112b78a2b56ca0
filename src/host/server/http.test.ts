import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { routes } from "./api/routes.ts";
import { testAccounts } from "./team.test-support.ts";

let server: TestServer;
let app: string;
let rootId = "";
let nodeId = "";

beforeAll(async () => {
  app = await mkdtemp(join(tmpdir(), "heddle-app-"));
  await writeFile(
    join(app, "index.html"),
    "<!doctype html><head><script>a()</script><script src='/x.js'></script></head>",
  );
  await mkdir(join(app, "assets"));
  await writeFile(join(app, "assets", "draw-abcdef12.js"), "draws");
  await writeFile(join(app, "diagram.html"), "<!doctype html>");
  await writeFile(join(app, "main-abcdef12.js"), "plain");
  await writeFile(join(app, "service-worker.js"), "addEventListener");
  await writeFile(join(app, "main-abcdef12.js.gz"), "packed");
  server = await startTestServer({ appFolder: app });
  rootId = (await server.workspace.conversations.list())[0]?.id ?? "";
  const appended = await ask("POST", `/api/nodes/${rootId}/append`, { body: { content: "Hello" } });
  nodeId = (JSON.parse(appended.body) as { id: string }).id;
});

afterAll(async () => {
  await server.close();
  await rm(app, { recursive: true, force: true });
});

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly code: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** A raw request through `node:http`. It has the right token and JSON unless `headers` say otherwise. */
function ask(
  method: string,
  path: string,
  options: { readonly headers?: Record<string, string | undefined>; readonly body?: unknown } = {},
): Promise<Reply> {
  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  const given = {
    host: `127.0.0.1:${server.port}`,
    authorization: `Bearer ${server.token}`,
    "content-type": body === undefined ? undefined : "application/json",
    ...options.headers,
  };
  const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port: server.port, method, path, headers, setHost: false },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        // A stream that has begun has accepted its reader.
        if (response.headers["content-type"]?.startsWith("text/event-stream")) response.destroy();
        response.on("close", () => {
          const code = /"code":"([A-Z_]+)"/.exec(text)?.[1];
          resolve({ status: response.statusCode ?? 0, body: text, code, headers: response.headers });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Sends bytes on a bare socket, and returns everything received until it closes. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(server.port, "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    socket.on("close", () => resolve(text));
    socket.on("error", () => resolve(text));
  });
}

describe("authentication", () => {
  const credentials = [
    ["no token", undefined, 401],
    ["a wrong token", "Bearer wrong-token-wrong-token-wrong-token", 401],
    ["the token in another scheme", "Basic test-token-0123456789", 401],
    ["the right token", "Bearer test-token-0123456789", undefined],
  ] as const;
  const cells = routes.flatMap((route) =>
    credentials.map((credential) => [route.method, route.path, ...credential] as const),
  );

  test.each(cells)("8: %s %s with %s", async (method, path, _name, authorization, expected) => {
    const filled = path.replace(/:(name)/, "block_list").replace(/:[a-zA-Z]+/, "nothing_here");
    const reply = await ask(method, filled, {
      headers: { authorization },
      ...(method === "GET" || method === "DELETE" ? {} : { body: {} }),
    });
    if (expected === undefined) expect(reply.status).not.toBe(401);
    else expect([reply.status, reply.code]).toEqual([expected, "UNAUTHENTICATED"]);
  });

  test("the health check and the app need no token", async () => {
    const headers = { authorization: undefined };
    expect(await ask("GET", "/healthz", { headers })).toMatchObject({
      status: 200,
      body: '{"status":"ok","writes":"ok"}',
    });
    expect((await ask("GET", "/", { headers })).status).toBe(200);
  });

  test("a program without a token is told where it gets one", async () => {
    const challenge = () => ({ resource_metadata: "https://heddle.example/metadata" });
    const team = await startTestServer({
      welcome: false,
      team: (keeper, { tokens }) => ({ ...testAccounts(keeper, tokens).accounts, challenge }),
    });
    const reply = await fetch(`${team.url}/api/conversations`);
    await team.close();
    expect([reply.status, reply.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer realm="heddle", resource_metadata="https://heddle.example/metadata"',
    ]);
  });

  test("a server that is alone is ready while changes are stored", async () => {
    const reply = await ask("GET", "/readyz", { headers: { authorization: undefined } });
    expect(reply).toMatchObject({ status: 200, body: '{"status":"ready","writes":"ok"}' });
  });

  test("19.10 the health check answers 503 while writes are refused, and 200 when they work again", async () => {
    let isFull = false;
    const store = openMemoryStore(undefined, { fault: () => (isFull ? "STORE_FULL" : null) });
    const full = await startTestServer({ store, welcome: false });
    const health = async (): Promise<object> => {
      const reply = await fetch(`${full.url}/healthz`);
      return { status: reply.status, body: await reply.json() };
    };
    isFull = true;
    expect(await health()).toEqual({ status: 503, body: { status: "read-only", writes: "STORE_FULL" } });
    isFull = false;
    await expect.poll(health, { timeout: 3_000 }).toEqual({ status: 200, body: { status: "ok", writes: "ok" } });
    await full.close();
  });

  test("9: a token in the address is refused, even the right token", async () => {
    const reply = await ask("GET", `/api/conversations?token=${server.token}`);
    expect([reply.status, reply.code]).toEqual([401, "UNAUTHENTICATED"]);
  });
});

describe("hosts and origins", () => {
  test.each([
    ["1: a foreign host", { host: "evil.example" }],
    ["1: our address with another port", { host: "127.0.0.1:1" }],
    ["6: a name that resolves to this server", { host: "a.rbndr.us:PORT" }],
    ["a host that begins like ours", { host: "localhost.evil.com:PORT" }],
    ["2: a foreign origin", { origin: "https://evil.example" }],
    ["3: the origin null", { origin: "null" }],
    ["4: another port of this machine", { origin: "http://localhost:1" }],
    ["5: an origin that begins like ours", { origin: "http://localhost:PORT.evil.com" }],
    ["our origin with another scheme", { origin: "https://127.0.0.1:PORT" }],
  ])("%s is refused", async (_name, headers: Record<string, string>) => {
    const filled = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace("PORT", String(server.port))]),
    );
    for (const path of ["/api/conversations", "/healthz", "/"]) {
      const reply = await ask("GET", path, { headers: filled });
      expect([path, reply.status, reply.code]).toEqual([path, 403, "FOREIGN_ORIGIN"]);
    }
  });

  test.each(["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])("%s is ours", async (name) => {
    const host = `${name}:${server.port}`;
    const reply = await ask("GET", "/healthz", { headers: { host, origin: `http://${host}` } });
    expect(reply.status).toBe(200);
  });

  test("12: proxy headers change nothing", async () => {
    const headers = { "x-forwarded-host": "evil.example", forwarded: "host=evil.example" };
    expect((await ask("GET", "/api/conversations", { headers })).status).toBe(200);
  });

  test("12: an address that names another server is refused", async () => {
    const answer = await raw(
      `GET http://evil.example/healthz HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  });

  test.each([
    ["hosts", "Host: evil.example\r\n"],
    ["origins", "Origin: http://127.0.0.1:PORT\r\nOrigin: https://evil.example\r\n"],
  ])("1: of two %s neither is believed", async (_name, more) => {
    const own = `Host: 127.0.0.1:${server.port}\r\n${more.replaceAll("PORT", String(server.port))}`;
    expect(await raw(`GET /healthz HTTP/1.1\r\n${own}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
  });

  test("a change requested by another site's page is refused", async () => {
    const reply = await ask("POST", "/api/commands/models.list", {
      body: {},
      headers: { "sec-fetch-site": "cross-site" },
    });
    expect([reply.status, reply.code]).toEqual([403, "FOREIGN_ORIGIN"]);
  });

  test("no other origin may read an answer", async () => {
    const reply = await ask("GET", "/api/conversations");
    expect(Object.keys(reply.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect((await ask("OPTIONS", "/api/conversations")).status).toBeGreaterThanOrEqual(400);
  });
});

describe("a request body", () => {
  test.each([
    ["7: JSON sent as plain text", { "content-type": "text/plain" }, 415],
    ["7: a form", { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["no content type", { "content-type": undefined }, 415],
    ["a type that only begins like JSON", { "content-type": "application/json-patch" }, 415],
    ["39: a packed body", { "content-encoding": "gzip" }, 415],
  ])("%s is refused", async (_name, headers, status) => {
    const reply = await ask("POST", "/api/commands/models.list", { body: {}, headers });
    expect([reply.status, reply.code]).toEqual([status, "UNSUPPORTED_MEDIA_TYPE"]);
  });

  test.each([
    ["34: JSON of depth 1,000", `${"[".repeat(1000)}${"]".repeat(1000)}`, 400, "FRAME_MALFORMED"],
    [
      "35: too many keys",
      `{${Array.from({ length: 100_001 }, (_, i) => `"${i}":1`).join(",")}}`,
      413,
      "FRAME_TOO_LARGE",
    ],
    ["30: a body over 1 MiB", JSON.stringify("x".repeat(1024 * 1024)), 413, "FRAME_TOO_LARGE"],
    ["invalid JSON", "{", 400, "FRAME_MALFORMED"],
    ["38: a number as an id", '{"rootId":9007199254740993,"title":"x"}', 400, "INVALID_PARAMS"],
  ])("%s is refused with its code", async (_name, body, status, code) => {
    const reply = await fetch(`${server.url}/api/commands/conversation.rename`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
      body,
    });
    const answer = (await reply.json()) as { error: { code: string } };
    expect([reply.status, answer.error.code]).toEqual([status, code]);
  });

  test("13: two thousand headers are too many", async () => {
    const headers = Array.from({ length: 2001 }, (_, index) => `x${index}: 1`).join("\r\n");
    expect(await raw(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n${headers}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
  });

  test("bytes that are not HTTP are answered with an HTTP error", async () => {
    expect(await raw("\u0016\u0003\u0001 hello\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
  });

  test("11: an upgrade is refused except at /ws", async () => {
    const upgrade = (path: string, extra = ""): Promise<string> =>
      raw(
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${extra}\r\n`,
      );
    expect(await upgrade("/api/conversations")).toMatch(/^HTTP\/1\.1 404 /);
    expect(await upgrade("/ws", "Origin: https://evil.example\r\n")).toMatch(/^HTTP\/1\.1 403 /);
    expect(await upgrade("/ws", "Origin: null\r\n")).toMatch(/^HTTP\/1\.1 403 /);
    expect(await upgrade(`/ws?token=${server.token}`)).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe("an answer", () => {
  test.each(["/", "/index.html"])("runs only the page's own scripts, for the page at %s", async (path) => {
    const { headers } = await ask("GET", path);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toMatch(/script-src 'self' 'sha256-[A-Za-z0-9+/]{43}=';/);
    expect(policy).toContain("style-src 'self';");
    expect(policy).toContain(`connect-src 'self' ws://127.0.0.1:${server.port};`);
    expect(policy).not.toContain("unsafe");
    expect(headers["cache-control"]).toBe("no-store");
  });

  test.each([
    ["/healthz", "no-store"],
    ["/api/conversations", "no-store"],
    ["/main-abcdef12.js", "public, max-age=31536000, immutable"],
  ])("for %s can be neither sniffed, framed nor leaked", async (path, caching) => {
    const { headers } = await ask("GET", path);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(headers["cache-control"]).toBe(caching);
  });

  test("17.18 the service worker reaches this server alone, and is asked for anew", async () => {
    const { headers } = await ask("GET", "/service-worker.js");
    expect(headers["content-security-policy"]).toBe("default-src 'none'; connect-src 'self'; frame-ancestors 'none'");
    expect(headers["cache-control"]).toBe("no-cache");
    expect(headers["content-type"]).toContain("text/javascript");
  });

  test("17.16 the page that draws diagrams has no origin and reaches nothing; only the app's scripts answer it", async () => {
    const page = await ask("GET", "/diagram.html");
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).toContain("sandbox allow-scripts; default-src 'none'; script-src 'self';");
    expect(policy).not.toContain("connect-src");
    expect(policy).toContain("frame-ancestors 'self'");
    expect(page.headers["x-frame-options"]).toBeUndefined();
    expect(page.headers["cross-origin-embedder-policy"]).toBe("require-corp");
    const withoutOrigin = { headers: { origin: "null" } };
    const asset = await ask("GET", "/assets/draw-abcdef12.js", withoutOrigin);
    expect([asset.status, asset.headers["access-control-allow-origin"]]).toEqual([200, "*"]);
    for (const path of ["/", "/main-abcdef12.js", "/api/conversations", "/metrics"])
      expect((await ask("GET", path, withoutOrigin)).status, path).toBe(403);
  });

  test("a file is sent compressed as built", async () => {
    const packed = await ask("GET", "/main-abcdef12.js", { headers: { "accept-encoding": "gzip, br" } });
    expect([packed.headers["content-encoding"], packed.body]).toEqual(["gzip", "packed"]);
    const plain = await ask("GET", "/main-abcdef12.js", { headers: { "accept-encoding": "gzip;q=0, br" } });
    expect([plain.headers["content-encoding"], plain.body]).toEqual([undefined, "plain"]);
  });

  test.each([
    "/../package.json",
    "/%2e%2e/package.json",
    "/..%2fpackage.json",
    "/a/../../x",
    "/%00",
    "/main-abcdef12.js/",
  ])("51, 53: nothing outside the app's folder is served at %s", async (path) => {
    expect((await ask("GET", path)).status).toBe(404);
  });

  test("without a built app the page explains how to build it", async () => {
    const bare = await startTestServer({ appFolder: join(app, "missing"), welcome: false });
    const reply = await fetch(bare.url);
    expect([reply.status, (await reply.text()).includes("npm run build")]).toEqual([503, true]);
    await bare.close();
  });
});

describe("the API", () => {
  test("a text appended over HTTP is a message in canonical form", async () => {
    const { body } = await ask("GET", `/api/nodes/${nodeId}`);
    expect(JSON.parse(body)).toMatchObject({
      id: nodeId,
      message: { role: "user", content: [{ type: "text", text: "Hello" }] },
    });
  });

  test("a node's path, children and siblings are found", async () => {
    const ids = async (path: string): Promise<readonly string[]> => {
      const { body } = await ask("GET", `/api/nodes/${nodeId}/${path}`);
      return (JSON.parse(body) as { nodes: { id: string }[] }).nodes.map((node) => node.id);
    };
    expect(await ids("path")).toEqual([nodeId]);
    expect(await ids("siblings")).toEqual([nodeId]);
  });

  test.each([
    ["a tool call", [{ type: "tool-use", id: "1", name: "x", parameters: {} }], 422],
    [
      "text beside a tool call",
      [
        { type: "text", text: "a" },
        { type: "tool-use", id: "1", name: "x", parameters: {} },
      ],
      422,
    ],
    ["nothing", "", 422],
    ["a number", 7, 400],
  ])("appending %s is refused", async (_name, content, status) => {
    for (const [method, path] of [
      ["POST", `/api/nodes/${rootId}/append`],
      ["PUT", `/api/nodes/${nodeId}/content`],
    ] as const) {
      expect((await ask(method, path, { body: { content } })).status).toBe(status);
    }
  });

  test("block tools work for scripts as for models", async () => {
    const tool = async (name: string, body: unknown): Promise<Record<string, unknown>> =>
      JSON.parse((await ask("POST", `/api/tools/${name}`, { body })).body) as Record<string, unknown>;
    const created = await tool("block_create", {
      kind: "file",
      role: "user",
      content: "one\ntwo\n",
      metadata: { path: "a.md" },
    });
    const block_id = created["block_id"];
    await tool("block_append", { block_id, text: "three\n" });
    expect(await tool("block_read", { block_id })).toMatchObject({ version: 2, line_count: 3 });
    const refused = await ask("POST", "/api/tools/block_read", { body: { block_id: "doc/1/99" } });
    expect([refused.status, refused.code]).toEqual([404, "BLOCK_NOT_FOUND"]);
    expect((await ask("POST", "/api/tools/rm_rf", { body: {} })).code).toBe("UNKNOWN_TOOL");
  });

  test("a command over HTTP answers as over the socket", async () => {
    const created = await ask("POST", "/api/commands/canvas.create", { body: { title: "Notes" } });
    const { canvasId } = JSON.parse(created.body) as { canvasId: string };
    expect((await server.workspace.canvases()).map((canvas) => canvas.id)).toContain(canvasId);
    const unknown = await ask("POST", "/api/commands/canvas.destroy", { body: {} });
    expect([unknown.status, unknown.code]).toEqual([404, "UNKNOWN_METHOD"]);
  });

  test("an unsupported method is refused with the supported methods", async () => {
    const refused = await ask("DELETE", "/api/roots");
    expect([refused.status, refused.code]).toEqual([404, "UNKNOWN_METHOD"]);
    expect(refused.body).toContain("This address accepts GET and POST, not DELETE.");
    expect((await ask("POST", "/v1/chat/completions", { body: {} })).body).toContain(
      "This address accepts GET, not POST.",
    );
  });

  test("a list is refused as a body, even if every key is optional", async () => {
    const refused = await ask("POST", "/api/roots", { body: [] });
    expect([refused.status, refused.code]).toEqual([400, "INVALID_PARAMS"]);
  });

  test("what fails by a defect is in the log, and not in the answer", async () => {
    const logged: unknown[] = [];
    const error = (...entry: readonly unknown[]): void => void logged.push(entry);
    const broken = await startTestServer({ welcome: false, logger: { info() {}, warn() {}, error } });
    vi.spyOn(broken.workspace.store, "root").mockRejectedValue(new Error("row 7 is torn"));
    const reply = await fetch(`${broken.url}/api/roots/root_1/children`, {
      headers: { authorization: `Bearer ${broken.token}` },
    });
    const body = await reply.text();
    await broken.close();
    expect([reply.status, body]).toEqual([500, expect.stringContaining('"code":"INTERNAL"')]);
    expect(body).not.toContain("torn");
    expect(logged).toEqual([["request-failed", { problem: "Error: row 7 is torn" }]]);
  });

  test("an unknown address is not found, with the same answer for every address", async () => {
    for (const path of ["/api/nodes/node_none", "/api/conversations/root_none", "/api/nothing", "/api/nodes/%00"]) {
      expect((await ask("GET", path)).status).toBe(404);
    }
  });
});
