import type { IncomingMessage, ServerResponse } from "node:http";
import { errorTable, type Refusal } from "../../../core/base/errors.ts";
import { inertPolicy, securityHeaders } from "./security-headers.ts";

/** Answers with JSON that no cache may store. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
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
  if (refused.code === "UNAUTHENTICATED") response.setHeader("www-authenticate", 'Bearer realm="heddle"');
  sendJson(response, errorTable[refused.code].http, { error: refused });
}

/** Ends a request whose remaining body is not read. */
export function closeAfterAnswer(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader("connection", "close");
  response.on("finish", () => request.destroy());
}
