import type { IncomingMessage, ServerResponse } from "node:http";
import { errorTable, type Refusal } from "../../../core/base/errors.ts";
import { bearerChallenge, closeAfterAnswer } from "../http/http-answer.ts";
import { securityHeaders } from "../http/security-headers.ts";

/** Refuses a request in MCP's form; one without a token as clients expect it, so that they ask their person for one. */
export function refuseMcp(request: IncomingMessage, response: ServerResponse, refused: Refusal): void {
  if (refused.code === "UNAUTHENTICATED" && !response.hasHeader("www-authenticate")) {
    response.setHeader("www-authenticate", bearerChallenge());
  }
  if (!request.complete) closeAfterAnswer(request, response);
  const { http, mcp } = errorTable[refused.code];
  const isUnreadable = refused.code === "FRAME_MALFORMED";
  sendProblem(response, http, isUnreadable ? -32700 : mcp, refused.message, { code: refused.code, ...refused.details });
}

/** Answers with an error of JSON-RPC that belongs to no request. */
export function sendProblem(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  data?: unknown,
): void {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: null,
    error: { code, message, ...(data === undefined ? {} : { data }) },
  });
  response.writeHead(status, {
    ...securityHeaders,
    "content-type": "application/json",
    "cache-control": "no-store",
    ...(status === 405 ? { allow: "POST" } : {}),
  });
  response.end(body);
}
