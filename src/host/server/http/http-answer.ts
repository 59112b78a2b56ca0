import type { IncomingMessage, ServerResponse } from "node:http";
import { errorTable, type Refusal } from "../../../core/base/errors.ts";
import { inertPolicy, securityHeaders } from "./security-headers.ts";

/** JSON that is sent many times and written once. */
export class WrittenJson {
  readonly bytes: Buffer;

  constructor(text: string) {
    this.bytes = Buffer.from(text);
  }
}

/** Answers with JSON that no cache may store. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = value instanceof WrittenJson ? value.bytes : Buffer.from(JSON.stringify(value));
  response.writeHead(status, {
    ...securityHeaders,
    "content-security-policy": inertPolicy,
    "content-type": "application/json; charset=utf-8",
    "content-length": body.length,
    "cache-control": "no-store",
  });
  response.end(body);
}

/** Answers with a refusal: its code, its message, and its status from the error table. */
export function sendRefusal(response: ServerResponse, refused: Refusal): void {
  if (refused.code === "UNAUTHENTICATED" && !response.hasHeader("www-authenticate")) {
    response.setHeader("www-authenticate", bearerChallenge());
  }
  sendJson(response, errorTable[refused.code].http, { error: refused });
}

/** Says how to come with a token; `facts` where to get one. */
export function bearerChallenge(facts: Readonly<Record<string, string>> = {}): string {
  const all = Object.entries({ realm: "heddle", ...facts });
  return `Bearer ${all.map(([name, value]) => `${name}="${value}"`).join(", ")}`;
}

/** Ends a request whose remaining body is not read. */
export function closeAfterAnswer(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader("connection", "close");
  response.on("finish", () => request.destroy());
}
