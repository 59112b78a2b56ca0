import type { IncomingMessage, ServerResponse } from "node:http";
import { createMcpHandler, type McpHttpHandler } from "../../../adapters/mcp/server-package.ts";
import { assert } from "../../../core/base/assert.ts";
import { refusal } from "../../../core/base/errors.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import { isJsonObject } from "../../../core/base/json.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { lacksRight } from "../../access/why-not-allowed.ts";
import type { Dispatch } from "../../command/dispatch.ts";
import { isRunOfToken, outsideRun } from "../../lease/outside-runs.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { sendSigns } from "../http/event-stream.ts";
import { securityHeaders } from "../http/security-headers.ts";
import { readJsonBody } from "../http/read-body.ts";
import { findMcpTool } from "./mcp-tools.ts";
import { readLabel, tokenIdOf, type DoorCaller } from "./door-call.ts";
import { readProgram, sessionHeader } from "./program-headers.ts";
import { mayRead } from "./mcp-resources.ts";
import { createMcpServer, readerOf, type McpSession } from "./mcp-server.ts";
import { refuseMcp, sendProblem } from "./refuse-mcp.ts";
import { heardEvents } from "./heard-events.ts";
import { readResourceUri, type ResourceName } from "./resource-uri.ts";
import { Subscriptions, type Listener, type MayHear } from "./subscriptions.ts";
import { UndeliveredAnswers } from "./undelivered-answers.ts";

/** Maximum number of resources that one request listens to. */
const subscriptionsMax = 100;

/** The largest body of a request, in bytes. */
const bodyBytesMax = 4 * 1024 * 1024;

/** MCP over HTTP: one POST a request, with an answer or a stream of server-sent events. */
export interface McpDoor {
  /** Answers a request of an authenticated caller whose Host and Origin were checked. */
  answer(request: IncomingMessage, response: ServerResponse, caller: DoorCaller): Promise<void>;
  /** Answers with a stream that lasts as long as a program is there; at its end the program's leases are released. */
  stay(request: IncomingMessage, response: ServerResponse, caller: DoorCaller): void;
  close(): Promise<void>;
}

interface DoorPorts {
  readonly workspace: Workspace;
  readonly dispatch: Dispatch;
  /** Returns the names of the people who have a document open. */
  readonly peopleAt: (blockId: BlockId) => readonly string[];
}

/** Opens the door to a workspace. */
export function openMcpDoor(ports: DoorPorts): McpDoor {
  return new OpenDoor(ports);
}

class OpenDoor implements McpDoor {
  readonly #ports: DoorPorts;
  /** What belongs to a request, by the key that the package passes through. */
  readonly #sessions = new WeakMap<object, McpSession>();
  readonly #staying = new Set<ServerResponse>();
  /** The open answers of each token, which end with it. */
  readonly #openByToken = new Map<string, Set<ServerResponse>>();
  readonly #stopTokens: () => void;
  readonly #undelivered: UndeliveredAnswers;
  #handler: McpHttpHandler | undefined;
  #subscriptions: Subscriptions | undefined;

  constructor(ports: DoorPorts) {
    this.#ports = ports;
    const { tokens, leases, platform } = ports.workspace;
    this.#undelivered = new UndeliveredAnswers(platform.clock);
    this.#stopTokens = tokens.onEnded((tokenId) => {
      for (const response of this.#openByToken.get(tokenId) ?? []) response.destroy();
      leases
        .endWhere((runId) => isRunOfToken(runId, tokenId))
        .catch((problem: unknown) => platform.logger.error("leases-not-ended", { reason: reasonOf(problem) }));
    });
  }

  async answer(request: IncomingMessage, response: ServerResponse, caller: DoorCaller): Promise<void> {
    if (request.method !== "POST") return sendProblem(response, 405, -32000, "This address accepts POST.");
    const body = await readJsonBody(request, bodyBytesMax);
    if (!body.ok) return refuseMcp(request, response, body.error);
    // It may have ended while the body came.
    if (caller.token !== null && !this.#ports.workspace.tokens.isValid(caller.token.id)) {
      return refuseMcp(request, response, refusal("UNAUTHENTICATED"));
    }
    if (this.#stepsUp(request, response, { message: body.value, caller })) return;
    const key = {};
    const session: McpSession = {
      ...this.#ports,
      caller,
      ...readProgram(request.headers),
      once: (repeated, perform) => this.#undelivered.run(`${tokenIdOf(caller)} ${repeated}`, response, perform),
    };
    this.#sessions.set(key, session);
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    this.#opens(response, caller);
    const { message, isHeard } = await this.#listening(body.value, session, response);
    const answer = await this.#opened().fetch(
      new Request(`http://localhost${request.url ?? "/mcp"}`, {
        method: "POST",
        headers: plainHeaders(request),
        body: JSON.stringify(message),
        signal: gone.signal,
      }),
      {
        parsedBody: message,
        authInfo: { token: "", clientId: tokenIdOf(caller), scopes: [], extra: key },
      },
    );
    await sendResponse(response, answer, isHeard);
  }

  stay(request: IncomingMessage, response: ServerResponse, caller: DoorCaller): void {
    const session = readLabel(request.headers[sessionHeader]);
    if (request.method !== "POST" || session === null) {
      return sendProblem(response, 405, -32000, "This address accepts POST with a session.");
    }
    request.resume();
    response.writeHead(200, { ...securityHeaders, "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write(": here\n\n");
    this.#staying.add(response);
    this.#opens(response, caller);
    const { leases, platform } = this.#ports.workspace;
    const stopSigns = sendSigns(response, platform.clock);
    response.on("close", () => {
      stopSigns();
      this.#staying.delete(response);
      leases
        .releaseAll(outsideRun({ tokenId: tokenIdOf(caller), session }))
        // The lease expires by itself.
        .catch((problem: unknown) => platform.logger.warn("lease-release-failed", { reason: reasonOf(problem) }));
    });
  }

  async close(): Promise<void> {
    this.#stopTokens();
    this.#subscriptions?.close();
    for (const response of this.#staying) response.end();
    await this.#handler?.close();
  }

  /** Refuses a call for whose right the program has not asked its person yet, so that it does. */
  #stepsUp(
    request: IncomingMessage,
    response: ServerResponse,
    { message, caller: { token, stepUp } }: { readonly message: unknown; readonly caller: DoorCaller },
  ): boolean {
    const params = isJsonObject(message) && message["method"] === "tools/call" ? message["params"] : null;
    const name = isJsonObject(params) ? params["name"] : null;
    const right = typeof name === "string" ? findMcpTool(name)?.right : undefined;
    if (token === null || stepUp === undefined || right === undefined) return false;
    if (token.askable?.includes(right) !== true) return false;
    response.setHeader("www-authenticate", stepUp([...token.rights, right]));
    refuseMcp(request, response, lacksRight(token, right));
    return true;
  }

  #opened(): McpHttpHandler {
    this.#handler ??= createMcpHandler(
      ({ authInfo, era }) => {
        const session = this.#sessions.get(authInfo?.extra ?? {});
        assert(session !== undefined, "every request has a caller");
        return createMcpServer(session, era);
      },
      {
        onerror: (problem) => this.#ports.workspace.platform.logger.warn("mcp-refused", { reason: reasonOf(problem) }),
      },
    );
    return this.#handler;
  }

  /** Returns a request to listen with those addresses alone that its caller may know of, which it then hears about while it may. */
  async #listening(message: unknown, session: McpSession, response: ServerResponse): Promise<Listening> {
    if (!isJsonObject(message) || message["method"] !== "subscriptions/listen") return { message };
    const { params } = message;
    const wanted = isJsonObject(params) ? params["notifications"] : undefined;
    const uris = isJsonObject(wanted) ? wanted["resourceSubscriptions"] : undefined;
    if (!isJsonObject(params) || !isJsonObject(wanted) || !Array.isArray(uris)) return { message };
    const { token } = session.caller;
    const reader = token === null || token.rights.includes("read") ? await readerOf(session) : null;
    const granted: string[] = [];
    const listeners = new Map<string, Listener>();
    for (const uri of uris.slice(0, subscriptionsMax)) {
      const name = typeof uri === "string" ? readResourceUri(uri) : null;
      if (typeof uri !== "string" || name === null || reader === null || !(await mayRead(name, reader))) continue;
      granted.push(uri);
      this.#subscriptions ??= new Subscriptions(session.workspace, (changed) =>
        this.#opened().notify.resourceUpdated(changed),
      );
      const listener = this.#subscriptions.add(uri, name, hearing(name, session));
      listeners.set(uri, listener);
      if (response.destroyed) listener.stop();
      else response.on("close", () => listener.stop());
    }
    return {
      message: { ...message, params: { ...params, notifications: { ...wanted, resourceSubscriptions: granted } } },
      isHeard: (uri) => listeners.get(uri)?.take() === true,
    };
  }

  #opens(response: ServerResponse, caller: DoorCaller): void {
    const tokenId = tokenIdOf(caller);
    const answers = this.#openByToken.get(tokenId) ?? new Set();
    this.#openByToken.set(tokenId, answers.add(response));
    response.on("close", () => {
      answers.delete(response);
      if (answers.size === 0) this.#openByToken.delete(tokenId);
    });
  }
}

/** A request, and which notices its answer passes on; absent: it listens to nothing. */
interface Listening {
  readonly message: unknown;
  readonly isHeard?: (uri: string) => boolean;
}

/** Returns whether a caller may hear of a change, by their rights at that moment. */
function hearing(name: ResourceName, session: McpSession): MayHear {
  if (name.type !== "feed") return async () => mayRead(name, await readerOf(session));
  return async (blockIds) => {
    const { reach, workspace } = await readerOf(session);
    if (reach === null) return true;
    const headers = await Promise.all(blockIds.map((id) => workspace.store.block(id)));
    return headers.some((header) => header !== null && reach.document(header));
  };
}

function plainHeaders({ headers }: IncomingMessage): [string, string][] {
  // The token ends here: nothing behind this needs it.
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === "string" && name !== "authorization" && name !== "content-length" ? [[name, value]] : [],
  );
}

async function sendResponse(response: ServerResponse, answer: Response, isHeard: Listening["isHeard"]): Promise<void> {
  const headers = { ...securityHeaders, "cache-control": "no-store", ...Object.fromEntries(answer.headers) };
  if (answer.body === null || answer.headers.get("content-type") === "application/json") {
    // In one piece: a stream's pieces cost a write each.
    const body = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { ...headers, "content-length": body.length });
    response.end(body);
    return;
  }
  response.writeHead(answer.status, headers);
  try {
    for await (const chunk of isHeard === undefined ? answer.body : heardEvents(answer.body, isHeard)) {
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
