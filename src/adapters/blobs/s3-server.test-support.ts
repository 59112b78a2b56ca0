import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";

/** What is wrong with the next answers of a test server. */
export type S3Trouble = "status" | "slow-down" | "cut" | "silent" | "half-a-body";

interface Kept {
  bytes: Buffer;
  storedAt: number;
}

const keyId = "AKIDEXAMPLE";
const secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

/**
 * A small S3 store in memory. Like S3 it checks signature, time, body and checksum of each request from what arrived, by code
 * of its own, and answers in XML; it lists a few objects a page.
 */
export class TestS3Server {
  readonly credentials = { keyId, secret };
  readonly bucket = "pictures";
  readonly region = "test-1";
  readonly objects = new Map<string, Kept>();
  /** Requests as they arrived: method, path and query. */
  readonly asked: string[] = [];
  /** How many requests were under way at once, at most. */
  atOnce = 0;
  /** How long each answer takes. */
  answerMs = 0;
  /** Taken by the next requests, one each. */
  readonly troubles: S3Trouble[] = [];
  readonly #now: () => number;
  readonly #pageSize: number;
  readonly #server: Server;
  #open = 0;

  private constructor(now: () => number, pageSize: number) {
    this.#now = now;
    this.#pageSize = pageSize;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(now: () => number, pageSize = 4): Promise<TestS3Server> {
    const made = new TestS3Server(now, pageSize);
    await new Promise<void>((resolve) => made.#server.listen(0, "127.0.0.1", resolve));
    return made;
  }

  get endpoint(): URL {
    const { port } = this.#server.address() as AddressInfo;
    return new URL(`http://127.0.0.1:${port}`);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked.push(`${request.method} ${request.url}`);
    this.#open += 1;
    this.atOnce = Math.max(this.atOnce, this.#open);
    response.once("close", () => (this.#open -= 1));
    const body = await bodyOf(request).catch(() => null);
    if (body === null) return;
    if (this.answerMs > 0) await setTimeout(this.answerMs);
    const trouble = this.troubles.shift();
    if (trouble === "silent") return;
    if (trouble === "cut") return void request.socket.destroy();
    if (trouble === "status") return send(response, 500, problem("InternalError"));
    if (trouble === "slow-down") return send(response, 503, problem("SlowDown"));
    const refused = refusedRequest(request, body, { region: this.region, nowMs: this.#now() });
    if (refused !== null) return send(response, refused.status, problem(refused.code));
    this.#carryOut(request, { response, body, isHalf: trouble === "half-a-body" });
  }

  #carryOut(
    { method, url = "/" }: IncomingMessage,
    { response, body, isHalf }: { readonly response: ServerResponse; readonly body: Buffer; readonly isHalf: boolean },
  ): void {
    const { pathname, searchParams } = new URL(url, "http://store");
    const [, bucket = "", ...rest] = pathname.split("/");
    const key = decodeURIComponent(rest.join("/"));
    if (bucket !== this.bucket) return send(response, 404, problem("NoSuchBucket"));
    if (key === "") return send(response, 200, this.#listed(searchParams));
    if (method === "PUT") {
      this.objects.set(key, { bytes: body, storedAt: this.#now() });
      return send(response, 200, "");
    }
    if (method === "DELETE") {
      this.objects.delete(key);
      return send(response, 204, "");
    }
    const found = this.objects.get(key);
    if (found === undefined) return send(response, 404, problem("NoSuchKey"));
    response.writeHead(200, { "content-length": found.bytes.length });
    if (!isHalf) return void response.end(method === "HEAD" ? undefined : found.bytes);
    response.write(found.bytes.subarray(0, Math.floor(found.bytes.length / 2)), () => response.destroy());
  }

  #listed(query: URLSearchParams): string {
    const most = Math.min(Number(query.get("max-keys") ?? 1_000), this.#pageSize);
    const [prefix, from] = [query.get("prefix") ?? "", query.get("continuation-token") ?? ""];
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > from).toSorted();
    const page = keys.slice(0, most);
    const contents = page.map((key) => {
      const kept = this.objects.get(key);
      const at = new Date(kept?.storedAt ?? 0).toISOString();
      return `<Contents><Key>${key}</Key><LastModified>${at}</LastModified><Size>${kept?.bytes.length}</Size></Contents>`;
    });
    const next = keys.length > most ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
    return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${keys.length > most}</IsTruncated>${contents.join("")}${next}</ListBucketResult>`;
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function problem(code: string): string {
  return `<?xml version="1.0"?><Error><Code>${code}</Code><Message>words</Message></Error>`;
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(body);
}

/** Judges a request by the bytes that arrived, as S3 describes it. */
function refusedRequest(
  { method, url = "/", rawHeaders }: IncomingMessage,
  body: Buffer,
  { region, nowMs }: { readonly region: string; readonly nowMs: number },
): { readonly status: number; readonly code: string } | null {
  const refused = (code: string, status = 403) => ({ status, code });
  const headers = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers.set((rawHeaders[at] ?? "").toLowerCase(), rawHeaders[at + 1] ?? "");
  }
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/u;
  const [, id, day = "", place = "", signed = "", given = ""] = form.exec(headers.get("authorization") ?? "") ?? [];
  if (id === undefined) return refused("AccessDenied");
  if (id !== keyId) return refused("InvalidAccessKeyId");
  if (place !== region) return refused("AuthorizationHeaderMalformed", 400);
  const stamp = headers.get("x-amz-date") ?? "";
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/u.exec(stamp) ?? [];
  const sentMs = Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
  if (!(Math.abs(nowMs - sentMs) <= 15 * 60_000) || !stamp.startsWith(day)) return refused("RequestTimeTooSkewed");
  const names = signed.split(";");
  const mustBeSigned = [...headers.keys()].filter((name) => name === "host" || name.startsWith("x-amz-"));
  if (mustBeSigned.some((name) => !names.includes(name))) return refused("AccessDenied");
  const bodyHash = createHash("sha256").update(body).digest();
  const claimed = headers.get("x-amz-content-sha256") ?? "";
  if (claimed !== bodyHash.toString("hex")) return refused("XAmzContentSHA256Mismatch", 400);
  const checksum = headers.get("x-amz-checksum-sha256");
  if (checksum !== undefined && checksum !== bodyHash.toString("base64")) return refused("BadDigest", 400);
  if (method === "PUT" && checksum === undefined) return refused("MissingChecksum", 400);
  const [path = "", query = ""] = url.split("?");
  const sorted = query === "" ? "" : query.split("&").toSorted().join("&");
  const lines = names.map((name) => `${name}:${headers.get(name) ?? ""}\n`).join("");
  const canonical = `${method}\n${path}\n${sorted}\n${lines}\n${signed}\n${claimed}`;
  const scope = `${day}/${region}/s3/aws4_request`;
  const hash = createHash("sha256").update(canonical).digest("hex");
  const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), "s3"), "aws4_request");
  const right = hmac(key, `AWS4-HMAC-SHA256\n${stamp}\n${scope}\n${hash}`);
  return timingSafeEqual(right, Buffer.from(given, "hex")) ? null : refused("SignatureDoesNotMatch");
}
