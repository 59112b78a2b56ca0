import { createHash } from "node:crypto";
import { request, type IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { serverLimits } from "../http/server-limits.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ welcome: false });
});
afterAll(() => server.close());

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly json: { readonly id?: string; readonly error?: { readonly code: string } };
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces?: readonly Uint8Array[];
  /** Leaves the request without its end, and breaks the connection then. */
  readonly cut?: "50 ms later" | "once answered";
}

function ask(method: string, path: string, sent: Sent = {}): Promise<Reply | "broken off"> {
  return new Promise((resolve) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port: server.port,
        method,
        path,
        headers: { authorization: `Bearer ${server.token}`, ...sent.headers },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          if (sent.cut === "once answered") outgoing.destroy();
          const bytes = Buffer.concat(chunks);
          const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes,
            json: isJson ? JSON.parse(bytes.toString("utf8")) : {},
          });
        });
      },
    );
    outgoing.on("error", () => resolve("broken off"));
    for (const piece of sent.pieces ?? []) outgoing.write(piece);
    if (sent.cut === undefined) outgoing.end();
    if (sent.cut === "50 ms later") setTimeout(() => outgoing.destroy(), 50);
  });
}

async function answered(method: string, path: string, sent?: Sent): Promise<Reply> {
  const reply = await ask(method, path, sent);
  if (reply === "broken off") throw new Error("there was no answer");
  return reply;
}

const upload = (...pieces: readonly Uint8Array[]) => answered("POST", "/api/blobs", { pieces });
const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const png = (width: number, height: number, rest = 0) => {
  const head = Buffer.from("89504e470d0a1a0a0000000d49484452000000000000000008060000000000", "hex");
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return Buffer.concat([head, Buffer.alloc(rest, 7)]);
};

describe("a blob over HTTP", () => {
  test("is stored under its hash, in however many pieces it is sent, and returned unchanged", async () => {
    const bytes = png(10, 20, 3_000_000);
    for (const step of [bytes.length, 70_001]) {
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += step) pieces.push(bytes.subarray(at, at + step));
      const reply = await upload(...pieces);
      expect([reply.status, reply.json]).toEqual([
        201,
        { id: hashOf(bytes), size: bytes.length, mediaType: "image/png" },
      ]);
    }
    const got = await answered("GET", `/api/blobs/${hashOf(bytes)}`);
    expect([got.status, got.bytes.equals(bytes)]).toEqual([200, true]);
    expect(got.headers).toMatchObject({
      "content-type": "image/png",
      "content-disposition": "inline",
      "x-content-type-options": "nosniff",
      "cache-control": "private, max-age=31536000, immutable",
      etag: `"${hashOf(bytes)}"`,
      "content-security-policy": expect.stringContaining("sandbox"),
    });
    const again = await answered("GET", `/api/blobs/${hashOf(bytes)}`, {
      headers: { "if-none-match": `"${hashOf(bytes)}"` },
    });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });

  test.each([
    ["an SVG", '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', "text/plain; charset=utf-8"],
    ["a page", "<!doctype html><script>alert(1)</script>", "text/plain; charset=utf-8"],
    ["a PDF", "%PDF-1.7\n", "application/pdf"],
  ])("%s is a download with a type that runs nothing, whatever its sender calls it", async (_name, text, type) => {
    const bytes = Buffer.from(text);
    const sent = await answered("POST", "/api/blobs", {
      pieces: [bytes],
      headers: { "content-type": "image/svg+xml" },
    });
    expect(sent.status).toBe(201);
    const got = await answered("GET", `/api/blobs/${hashOf(bytes)}`);
    expect([got.headers["content-type"], got.headers["content-disposition"]]).toEqual([type, "attachment"]);
  });

  test.each<[string, Uint8Array, number, string]>([
    ["nothing", Buffer.alloc(0), 415, "MEDIA_TYPE_REFUSED"],
    ["a program", Buffer.from("7f454c4602010100", "hex"), 415, "MEDIA_TYPE_REFUSED"],
    ["a program called a picture", Buffer.from("4d5a900003000000", "hex"), 415, "MEDIA_TYPE_REFUSED"],
    ["40: a PNG of 60,000 by 60,000", png(60_000, 60_000), 413, "BLOB_TOO_LARGE"],
    ["a PNG without its size", png(0, 0), 415, "MEDIA_TYPE_REFUSED"],
  ])("%s is refused", async (_name, bytes, status, code) => {
    const reply = await upload(bytes);
    expect([reply.status, reply.json.error?.code]).toEqual([status, code]);
    expect((await answered("GET", `/api/blobs/${hashOf(bytes)}`)).status).toBe(404);
  });

  test("more than the limit is refused, declared or not, and nothing of it is kept", async () => {
    const declared = await ask("POST", "/api/blobs", {
      headers: { "content-length": String(serverLimits.blobBytesMax + 1) },
      pieces: [png(1, 1)],
      cut: "once answered",
    });
    expect(declared).toMatchObject({ status: 413, json: { error: { code: "BLOB_TOO_LARGE" } } });
    const pieces = [png(1, 1), ...Array.from({ length: 21 }, () => Buffer.alloc(1024 * 1024, 1))];
    const reply = await ask("POST", "/api/blobs", { pieces });
    // The server may have closed before the sender is done.
    if (reply !== "broken off") expect([reply.status, reply.json.error?.code]).toEqual([413, "BLOB_TOO_LARGE"]);
    expect((await answered("GET", `/api/blobs/${hashOf(Buffer.concat(pieces))}`)).status).toBe(404);
  });

  test("an interrupted upload leaves nothing", async () => {
    const half = png(1, 2, 2_000_000);
    const reply = await ask("POST", "/api/blobs", {
      headers: { "content-length": "9000000" },
      pieces: [half],
      cut: "50 ms later",
    });
    expect(reply).toBe("broken off");
    expect((await answered("GET", `/api/blobs/${hashOf(half)}`)).status).toBe(404);
  });

  test.each([
    ["an unknown id", "ab".repeat(32)],
    ["a path", "..%2f..%2fetc%2fpasswd"],
    ["capitals", "AB".repeat(32)],
    ["no id", "x"],
  ])("%s is not found", async (_name, id) => {
    const reply = await answered("GET", `/api/blobs/${id}`);
    expect([reply.status, reply.json.error?.code]).toEqual([404, expect.stringMatching(/NOT_FOUND$/)]);
  });

  test("8: blobs need the token, and are refused to pages of another site", async () => {
    const { json } = await upload(Buffer.from("secret"));
    const given = { authorization: "Bearer wrong-token-wrong-token-wrong-token" };
    expect((await answered("GET", `/api/blobs/${json.id}`, { headers: given })).status).toBe(401);
    expect((await answered("POST", "/api/blobs", { headers: given })).status).toBe(401);
    const foreign = { "sec-fetch-site": "cross-site" };
    expect((await answered("POST", "/api/blobs", { headers: foreign, pieces: [Buffer.from("x")] })).status).toBe(403);
    const packed = { "content-encoding": "gzip" };
    expect((await answered("POST", "/api/blobs", { headers: packed, pieces: [Buffer.from("x")] })).status).toBe(415);
  });
});
