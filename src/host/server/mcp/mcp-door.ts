import type { IncomingMessage, ServerResponse } from "node:http";
import { createMcpHandler, type McpHttpHandler } from "../../../adapters/mcp/server-package.ts";
import { assert } from "../../../core/base/assert.ts";
import { errorTable, type Refusal } from "../../../core/base/errors.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import type { Dispatch } from "../../command/dispatch.ts";
import { outsideRun } from "../../lease/outside-runs.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { securityHeaders } from "../http/security-headers.ts";
import { closeAfterAnswer } from "../http/http-answer.ts";
import { readJsonBody } from "../http/read-body.ts";
import { readLabel, type DoorCaller } from "./door-call.ts";
import { createMcpServer, type McpSession } from "./mcp-server.ts";

/** The largest body of a request, in bytes. */
const bodyBytesMax = 4 * 1024 * 1024;

/** The headers by which `heddle mcp` says which program a request is from; the name is percent-encoded. */
export const sessionHeader = "heddle-session";
export const clientHeader = "heddle-client";

/** MCP over HTTP: one POST a request, with an answer or a stream of server-sent events. */
export interface McpDoor {
  /** Answers a request of an authenticated caller whose Host and Origin were checked. */
  answer(request: IncomingMessage, response: ServerResponse, caller: DoorCaller): Promise<void>;
  /** Answers with a stream that lasts as long as a program is there; at its end the program's leases are released. */
  stay(request: IncomingMessage, response: ServerResponse, caller: DoorCaller): void;
  close(): Promise<void>;
}

/** Opens the door to a workspace. */
export function openMcpDoor(ports: { readonly workspace: Workspace; readonly dispatch: Dispatch }): McpDoor {
  const { logger } = ports.workspace.platform;
  const sessions = new WeakMap<object, McpSession>();
  const staying = new Set<ServerResponse>();
  let handler: McpHttpHandler | undefined;
  const opened = (): McpHttpHandler =>
    (handler ??= createMcpHandler(
      ({ authInfo }) => {
        const session = sessions.get(authInfo?.extra ?? {});
        assert(session !== undefined, "every request has a caller");
        return createMcpServer(session);
      },
      { onerror: (problem) => logger.warn("mcp-refused", { reason: reasonOf(problem) }) },
    ));
  return {
    async answer(request, response, caller) {
      // What follows a request on its stream may be another one; only this one's answer is cut off.
      if (request.method !== "POST") return sendProblem(response, 405, -32000, "This address accepts POST.");
      const body = await readJsonBody(request, bodyBytesMax);
      if (!body.ok) return sendRefused(request, response, body.error);
      const { headers } = request;
      const session: McpSession = {
        ...ports,
        caller,
        session: readLabel(headers[sessionHeader]),
        client: readLabel(decoded(headers[clientHeader])),
      };
      const key = {};
      sessions.set(key, session);
      const gone = new AbortController();
      response.on("close", () => gone.abort());
      const answer = await opened().fetch(
        new Request(`http://localhost${request.url ?? "/mcp"}`, {
          method: "POST",
          headers: plainHeaders(request),
          body: JSON.stringify(body.value),
          signal: gone.signal,
        }),
        {
          parsedBody: body.value,
          authInfo: { token: "", clientId: caller.tokenId, scopes: [], extra: key },
        },
      );
      await sendResponse(response, answer);
    },
    stay(request, response, { tokenId }) {
      const session = readLabel(request.headers[sessionHeader]);
      if (request.method !== "POST" || session === null) {
        return sendProblem(response, 405, -32000, "This address accepts POST with a session.");
      }
      request.resume();
      response.writeHead(200, { ...securityHeaders, "content-type": "text/event-stream", "cache-control": "no-store" });
      response.write(": here\n\n");
      staying.add(response);
      response.on("close", () => {
        staying.delete(response);
        const runId = outsideRun({ tokenId, session });
        ports.workspace.leases
          .releaseAll(runId)
          // The lease expires by itself.
          .catch((problem: unknown) => logger.warn("lease-release-failed", { reason: reasonOf(problem) }));
      });
    },
    async close() {
      for (const response of staying) response.end();
      await handler?.close();
    },
  };
}

/** Answers a request without a token as clients expect it: they ask their person for one. */
export function refuseMcp(request: IncomingMessage, response: ServerResponse, refused: Refusal): void {
  if (refused.code === "UNAUTHENTICATED") response.setHeader("www-authenticate", 'Bearer realm="heddle"');
  sendRefused(request, response, refused);
}

function sendRefused(request: IncomingMessage, response: ServerResponse, refused: Refusal): void {
  if (!request.complete) closeAfterAnswer(request, response);
  const { http, mcp } = errorTable[refused.code];
  const isUnreadable = refused.code === "FRAME_MALFORMED";
  sendProblem(response, http, isUnreadable ? -32700 : mcp, refused.message, { code: refused.code, ...refused.details });
}

function sendProblem(response: ServerResponse, status: number, code: number, message: string, data?: unknown): void {
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

function decoded(given: string | string[] | undefined): string | null {
  try {
    return typeof given === "string" ? decodeURIComponent(given) : null;
  } catch {
    return null;
  }
}

function plainHeaders({ headers }: IncomingMessage): [string, string][] {
  // The token ends here: nothing behind this needs it.
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === "string" && name !== "authorization" && name !== "content-length" ? [[name, value]] : [],
  );
}

async function sendResponse(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, {
    ...securityHeaders,
    "cache-control": "no-store",
    ...Object.fromEntries(answer.headers),
  });
  if (answer.body === null) {
    response.end();
    return;
  }
  try {
    for await (const chunk of answer.body) {
      if (response.destroyed) break;
      if (!response.write(chunk)) await drained(response);
    }
  } catch {
    // The reader left, and with it the exchange ended.
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}
