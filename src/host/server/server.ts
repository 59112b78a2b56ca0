import type { BlockId } from "../../core/base/ids.ts";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Socket, type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { PersonActor } from "../../core/base/actor.ts";
import { assert } from "../../core/base/assert.ts";
import { errorTable, refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { holderOf, type AccessToken } from "../access/access-tokens.ts";
import { hideTime } from "../access/hide-time.ts";
import { lacksRole, whyNotAllowed, whyNotRoute } from "../access/why-not-allowed.ts";
import type { Access } from "../../core/protocol/base/access.ts";
import type { Right } from "../../core/rights/token-right.ts";
import type { Accounts } from "../access/accounts.ts";
import type { Asking, Member } from "../access/member.ts";
import { chainOf, chainOfDocument } from "../access/chains.ts";
import { reachOfAsking } from "../access/reach.ts";
import { anonymous, authorise } from "../base/authorise.ts";
import { WriteCheck } from "../base/write-check.ts";
import { portsOf } from "../command/base/questions.ts";
import type { Clock } from "../../core/port/platform.ts";
import { createDispatch, type Dispatch } from "../command/dispatch.ts";
import { NotStoredError, refusalOf } from "../base/store-refusal.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { bracketed, ourAddresses, type Addresses } from "./http/addresses.ts";
import { openAppFiles, type AppFiles } from "./app-files.ts";
import { ConnectionGate } from "./http/connection-gate.ts";
import { endSocket } from "./http/end-socket.ts";
import { sendReadiness, type Readiness } from "./http/readiness.ts";
import { TunnelSocket } from "./http/tunnel-socket.ts";
import { bearerChallenge, closeAfterAnswer, sendJson, sendRefusal } from "./http/http-answer.ts";
import { sendJsonAnswer } from "./http/send-streamed.ts";
import { answeredBefore, readRequestId } from "./http/http-once.ts";
import { viewPath } from "../mcp-servers/server-views.ts";
import { clientDocumentPath, signInPath } from "../mcp-servers/sign-ins.ts";
import { sendServerView } from "./http/server-view-page.ts";
import { sendSignedIn } from "./http/signed-in-page.ts";
import { personNamed } from "../base/people.ts";
import { readJsonBody } from "./http/read-body.ts";
import { RequestQueue } from "./http/request-queue.ts";
import type { McpDoor } from "./mcp/mcp-door.ts";
import { refuseMcp } from "./mcp/refuse-mcp.ts";
import { Rooms } from "./live/rooms.ts";
import { JudgedStreams, type StreamedDocument } from "./http/judged-streams.ts";
import { readPlace, type Route } from "./http/route.ts";
import { metricsPath } from "./http/metrics-answer.ts";
import { findRoute } from "./api/routes.ts";
import { Sender } from "./live/sender.ts";
import { serverLimits } from "./http/server-limits.ts";
import { isSameToken } from "./http/token.ts";
import { openWebSockets, type WebSockets } from "./live/websockets.ts";

/** The address of a server, and what it serves. */
export interface ServerOptions {
  readonly workspace: Workspace;
  readonly token: string;
  /** The people who sign in; then `token` opens nothing. Absent: one person owns everything. */
  readonly accounts?: Accounts | ((port: number) => Accounts);
  /** Folder of the built web app. */
  readonly appFolder: string;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Further host names and origins of the server. */
  readonly hosts?: readonly string[];
  readonly origins?: readonly string[];
  /** The address by which people reach the server through a proxy with TLS. */
  readonly publicUrl?: string;
  /** The name of a person who gives none. */
  readonly defaultName: string;
  /** What the server asks of its cluster; absent: it is alone. */
  readonly inCluster?: InCluster;
}

/** What a server asks of the node that it is. */
interface InCluster {
  /** Whether nothing in memory may be acted on or told now: another node may have taken the workspace. */
  isLate(): boolean;
  /** What `/readyz` answers. */
  readiness(): Readiness;
}

/** A running server. `close` ends it; the workspace remains open. */
export interface HeddleServer {
  readonly port: number;
  /** `http://127.0.0.1:7420`: without the token. */
  readonly url: string;
  /**
   * Refuses new work, notifies every connection, and resolves within a limit (S-47). The workspace is closed by its
   * owner.
   */
  close(): Promise<void>;
}

/**
 * Starts a server for a workspace. Resolves when it accepts connections; rejects with `EADDRINUSE` if the port is in
 * use.
 */
export async function startServer(options: ServerOptions): Promise<HeddleServer> {
  const http = createServer({
    headersTimeout: serverLimits.headersMs,
    requestTimeout: serverLimits.requestMs,
    connectionsCheckingInterval: 1000,
    maxHeaderSize: serverLimits.headerBytesMax,
    keepAliveTimeout: 5000,
  });
  await listen(http, options);
  return serveOver(http, { ...options, port: portOf(http) });
}

/** Serves the connections of an HTTP server that listens at this port, or is handed what another one has accepted. */
export function serveOver(http: Server, options: ServerOptions): HeddleServer {
  const { accounts, ...rest } = options;
  const opened = typeof accounts === "function" ? accounts(options.port) : accounts;
  return new RunningServer(http, { ...rest, ...(opened === undefined ? {} : { accounts: opened }) });
}

type RunningOptions = Omit<ServerOptions, "accounts"> & { readonly accounts?: Accounts };

/** The object of a request. */
interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Who sends a request, and the scoped token if it has one. */
interface Caller {
  readonly actor: PersonActor | typeof anonymous;
  readonly token: AccessToken | null;
  /** The person with an account; null where one person owns everything. */
  readonly member: Member | null;
}

class RunningServer implements HeddleServer {
  readonly port: number;
  readonly url: string;
  readonly #http: Server;
  readonly #options: RunningOptions;
  readonly #addresses: Addresses;
  readonly #app: AppFiles;
  readonly #rooms: Rooms;
  readonly #dispatch: Dispatch;
  readonly #writeCheck: WriteCheck;
  readonly #sockets: WebSockets;
  readonly #gate: ConnectionGate;
  readonly #queue = new RequestQueue();
  readonly #person: PersonActor;
  readonly #stopping = new AbortController();
  readonly #stops: (() => void)[] = [];
  readonly #streams = new JudgedStreams();
  /** Opened by the first program that comes: most servers never see one, and its package is large. */
  #door: Promise<McpDoor> | null = null;

  constructor(http: Server, options: RunningOptions) {
    const { workspace, token, defaultName } = options;
    this.#http = http;
    this.#options = options;
    this.port = options.port;
    const shown = options.host === "0.0.0.0" || options.host === "::" ? "127.0.0.1" : options.host;
    this.url = `http://${bracketed(shown)}:${this.port}`;
    this.#addresses = ourAddresses({
      port: this.port,
      hosts: [options.host, ...(options.hosts ?? [])],
      origins: options.origins ?? [],
      ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
    });
    this.#gate = new ConnectionGate(http, workspace.platform.clock);
    this.#app = openAppFiles(options.appFolder, { isTeam: options.accounts !== undefined });
    this.#person = personNamed(defaultName);
    this.#rooms = new Rooms(workspace);
    this.#dispatch = createDispatch(workspace);
    this.#writeCheck = new WriteCheck(workspace.store, workspace.platform.clock);
    this.#sockets = openWebSockets({
      workspace,
      token,
      rooms: this.#rooms,
      sender: new Sender(),
      dispatch: this.#dispatch,
      defaultName,
      isTeam: options.accounts !== undefined,
      failed: (problem) => this.#failed(problem),
      isLate: () => this.#isLate,
    });
    this.#followAccounts(options.accounts);
    http.on("request", (request, response) => void this.#answer(request, response));
    http.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    http.on("clientError", (problem, socket) => this.#refuseBroken(problem, socket));
  }

  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#stopping.abort();
    for (const stop of this.#stops) stop();
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.#sockets.close();
    void this.#door?.then((door) => door.close());
    this.#rooms.close();
    const cancel = this.#clock.setTimer(serverLimits.closeMs, () => this.#http.closeAllConnections());
    await closed;
    cancel();
    this.#gate.close();
  }

  /** Ends, in the moment in which rights change or a session ends, what nobody may do any longer. */
  #followAccounts(accounts: Accounts | undefined): void {
    if (accounts === undefined) return;
    const { workspace } = this.#options;
    workspace.pushes.follow({
      isOpen: (id) => accounts.isSessionOpen(id),
      onEnded: (listener) => accounts.onSessionEnded(listener),
    });
    this.#stops.push(
      accounts.keeper.onChanged(() => {
        this.#sockets.rightsChanged();
        this.#rooms.rightsChanged();
        this.#streams.check();
      }),
      accounts.onSessionEnded((id) => {
        this.#sockets.sessionEnded(id);
        this.#streams.check();
      }),
      workspace.tokens.onEnded(() => this.#streams.check()),
      workspace.hub.feeds.files.subscribe((header) => {
        this.#streams.moved(header.id, () => chainOfDocument(header, workspace.folders));
      }),
    );
  }

  get #clock(): Clock {
    return this.#options.workspace.platform.clock;
  }

  get #isClosing(): boolean {
    return this.#stopping.signal.aborted;
  }

  get #isLate(): boolean {
    return this.#options.inCluster?.isLate() === true;
  }

  #failed(problem: unknown): void {
    this.#options.workspace.platform.logger.error("request-failed", { problem: String(problem) });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Requests behind one that ended the connection.
    if (request.socket.destroyed) return;
    try {
      const caller = this.#callerOf(request);
      const admission = this.#gate.begin(request.socket, response, caller.actor !== anonymous);
      if (admission === null) return;
      if (admission.type === "begin" && admission.waitMs > 0) {
        await new Promise<void>((resolve) => this.#clock.setTimer(admission.waitMs, resolve));
        if (response.destroyed) return;
      }
      await this.#queue.next();
      if (response.destroyed) return;
      const refused = admission.type === "refused" ? tooMany() : await this.#route(request, response, caller);
      if (admission.type === "refused") response.setHeader("retry-after", "2");
      if (refused === null) return;
      if (!request.complete) closeAfterAnswer(request, response);
      sendRefusal(response, refused);
    } catch (problem) {
      if (!(problem instanceof NotStoredError)) this.#failed(problem);
      if (response.headersSent) response.destroy();
      else sendRefusal(response, refusalOf(problem));
    }
  }

  /** Answers a request, or returns the refusal. Authenticates before anything but the request's address is read. */
  async #route(request: IncomingMessage, response: ServerResponse, caller: Caller): Promise<Refusal | null> {
    const { actor, token, member } = caller;
    const address = this.#addressOf(request);
    if (!address.ok) return address.error;
    const { path, query } = address.value;
    const method = request.method ?? "GET";
    if (this.#isClosing) return refusal("SHUTTING_DOWN");
    if (path === "/readyz" && method === "GET") return this.#ready(response);
    if (this.#isLate) return refusal("UNAVAILABLE");
    if (path === "/mcp" || path === "/mcp/session") return this.#mcp(request, response, { path, ...caller });
    const { accounts } = this.#options;
    if (accounts !== undefined && (await accounts.answer(request, response, path))) return null;
    const { mcp } = this.#options.workspace;
    if (mcp !== null && method === "GET" && path === signInPath)
      return sendSignedIn(response, await mcp.signIns.finish(query));
    const view = method === "GET" && path.startsWith(viewPath) ? (mcp?.views.take(path) ?? null) : null;
    if (view !== null) return sendServerView(response, view);
    const document = path === clientDocumentPath ? (mcp?.signIns.clientDocument() ?? null) : null;
    if (document !== null) {
      sendJson(response, 200, document);
      return null;
    }
    const isApi = path.startsWith("/api/") || path === metricsPath;
    if (!isApi) return this.#open(request, response, path);
    if (actor === anonymous) return this.#challenged(request, response);
    const found = findRoute(method, path);
    if ("methods" in found) return notFound(method, found.methods);
    const { route, parts } = found;
    // A page's own requests are same-origin; a typed address is none; programs send no header.
    const site = request.headers["sec-fetch-site"];
    const isForeign = site !== undefined && site !== "same-origin" && site !== "none";
    if (isForeign && route.method !== "GET") return refusal("FOREIGN_ORIGIN");
    const lacks = token === null ? null : whyNotRoute(token, route);
    if (lacks !== null) return lacks;
    const { workspace } = this.#options;
    const read = readPlace(route, parts, query);
    if (!read.ok) return read.error;
    const asking = { grant: token, member };
    const reach = await reachOfAsking(asking, workspace);
    const asked = { workspace, actor, grant: token, member, reach, dispatch: this.#dispatch, ...read.value };
    if (route.type === "bytes") {
      const access = route.access(asked.params);
      const allowed = authorise(actor, access);
      if (!allowed.ok) return allowed.error;
      const isJudged = member !== null || route.scoped === true;
      // Before it is judged: a move after that is seen.
      const document = member === null ? null : await this.#documentOf(access);
      const judge = (): Promise<Refusal | null> => this.#whyNotHere(asking, route, access);
      const outOfReach = isJudged ? await judge() : null;
      if (outOfReach !== null) return outOfReach;
      const isGone = (): boolean => this.#isGone(request, { token, member });
      if (member !== null) this.#streams.add(response, { isGone, judge, document });
      return route.perform({ ...asked, request, response, stopping: this.#stopping.signal });
    }
    const hasBody = route.method !== "GET" && route.method !== "DELETE";
    const json = hasBody ? await readJsonBody(request) : ok({});
    if (!json.ok) return json.error;
    const body = route.readBody(json.value);
    if (!body.ok) return body.error;
    const access = route.access(asked.params, body.value);
    const allowed = authorise(actor, access);
    if (!allowed.ok) return allowed.error;
    const requestId = readRequestId(json.value, query);
    if (!requestId.ok) return requestId.error;
    const named = { route: `${route.method} ${route.path}`, requestId: requestId.value };
    const from = { headers: request.headers, gone: goneSignal(response) };
    const call = { ...asked, ...named, ...from, body: body.value };
    const refused = member === null ? null : await this.#whyNotHere(asking, route, access);
    const answer = refused === null ? await route.perform(call) : ((await answeredBefore(call)) ?? err(refused));
    if (!answer.ok) return answer.error;
    await sendJsonAnswer(request, response, answer.value);
    return null;
  }

  /** Returns why somebody may not use a route; one that asks of no object must be made for a team. */
  async #whyNotHere(asking: Asking, route: Route, access: Access): Promise<Refusal | null> {
    const { workspace } = this.#options;
    if (route.team === "decides-itself") return null;
    const isWhole = access[1].type === "workspace" || access[1].type === "tool";
    if (asking.member && isWhole && route.team === undefined) {
      return {
        ...lacksRole(),
        message: `${route.method} ${route.path} is not for teams. Nothing was done; use the commands.`,
      };
    }
    return hideTime(asking, workspace.platform.clock, () => whyNotAllowed(asking, access, portsOf(workspace)));
  }

  /** Returns the document that a request is about, with all that it lies in; null for none. */
  async #documentOf([, resource]: Access): Promise<StreamedDocument | null> {
    if (resource.type !== "block") return null;
    return { id: resource.id, chain: await chainOf(resource, portsOf(this.#options.workspace)) };
  }

  /** Whether who sent a request could not send it again: their session, what their program may do, or their account ended. */
  #isGone(request: IncomingMessage, { token, member }: Pick<Caller, "token" | "member">): boolean {
    const { accounts, workspace } = this.#options;
    if (token === null || member === null) return accounts?.find(request) === null;
    // A program's token is renewed every few minutes, and what it has open stays open meanwhile.
    return !workspace.tokens.isValid(token.id) || !member.keeper.rights.people.has(member.id);
  }

  /** Refuses a request without a valid token, and says where a program gets one. */
  #challenged(request: IncomingMessage, response: ServerResponse): Refusal {
    const facts = this.#options.accounts?.challenge?.(request);
    if (facts !== undefined) response.setHeader("www-authenticate", bearerChallenge(facts));
    return refusal("UNAUTHENTICATED");
  }

  /** Serves outside programs; its refusals have MCP's form. */
  async #mcp(
    request: IncomingMessage,
    response: ServerResponse,
    { path, actor, token, member }: Caller & { readonly path: string },
  ): Promise<null> {
    // A program has a token of its own, which says what it may.
    if (actor === anonymous || (member !== null && token === null)) {
      refuseMcp(request, response, this.#challenged(request, response));
      return null;
    }
    if (member !== null)
      this.#streams.add(response, {
        isGone: () => this.#isGone(request, { token, member }),
        judge: async () => null,
        document: null,
      });
    const { accounts } = this.#options;
    const challenge = accounts?.challenge?.bind(accounts);
    const stepUp = (more: readonly Right[]): string => bearerChallenge(challenge?.(request, more));
    const caller = { actor: token?.by ?? actor, token, member, ...(challenge === undefined ? {} : { stepUp }) };
    this.#door ??= this.#openDoor();
    const door = await this.#door;
    if (response.destroyed) return null;
    if (path === "/mcp") await door.answer(request, response, caller);
    else door.stay(request, response, caller);
    return null;
  }

  async #openDoor(): Promise<McpDoor> {
    const { openMcpDoor } = await import("./mcp/mcp-door.ts");
    const peopleAt = (blockId: BlockId): readonly string[] => this.#rooms.peopleAt(blockId);
    return openMcpDoor({ workspace: this.#options.workspace, dispatch: this.#dispatch, peopleAt });
  }

  /** Serves what needs no token: the health check and the app's files. */
  async #open(request: IncomingMessage, response: ServerResponse, path: string): Promise<Refusal | null> {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return notFound(request.method ?? "", ["GET"]);
    }
    if (path === "/healthz") {
      const writes = await this.#writeCheck.writes();
      const isWell = writes === "ok";
      sendJson(response, isWell ? 200 : 503, { status: isWell ? "ok" : "read-only", writes });
    } else await this.#app.serve(request, response, path);
    return null;
  }

  /** Tells whether requests should be sent here. */
  async #ready(response: ServerResponse): Promise<null> {
    const { inCluster } = this.#options;
    const alone = async (): Promise<Readiness> => {
      const writes = await this.#writeCheck.writes();
      return { isReady: writes === "ok", facts: { writes } };
    };
    sendReadiness(response, inCluster?.readiness() ?? (await alone()));
    return null;
  }

  /** Returns who sends a request: the person of the workspace's token, or the holder of a scoped one. */
  #callerOf(request: IncomingMessage): Caller {
    const { accounts } = this.#options;
    if (accounts !== undefined) {
      const signedIn = accounts.find(request);
      if (signedIn === null) return { actor: anonymous, token: null, member: null };
      const { actor, token, member } = signedIn;
      return { actor: token === null ? actor : holderOf(token), token, member };
    }
    const bearer = /^Bearer ([\x21-\x7e]{1,256})$/.exec(request.headers.authorization ?? "")?.[1];
    if (bearer === undefined) return { actor: anonymous, token: null, member: null };
    if (isSameToken(this.#options.token, bearer)) return { actor: this.#person, token: null, member: null };
    const token = this.#options.workspace.tokens.findAt(bearer, request.url ?? "/");
    return { actor: token === null ? anonymous : holderOf(token), token, member: null };
  }

  /** Returns the address of a request that names this server and comes from one of its pages or from no page. */
  #addressOf(request: IncomingMessage): Result<Target, Refusal> {
    const { host, origin } = request.headers;
    if (request.socket instanceof TunnelSocket) {
      // The node that the client reached has looked at both.
      const at = URL.parse(request.url ?? "/", "http://tunnel");
      return at === null ? err(refusal("FOREIGN_ORIGIN")) : targetOf(at);
    }
    // Of a repeated header, another reader might believe the other copy.
    const one = (["host", "origin"] as const).every((name) => (request.headersDistinct[name] ?? []).length <= 1);
    if (!one) return err(refusal("FOREIGN_ORIGIN"));
    const target = request.url ?? "/";
    // The frame that draws diagrams has no origin; it may load the app's scripts, which are public, and nothing else.
    const isFramesScript = origin === "null" && request.method === "GET" && target.startsWith("/assets/");
    if (!this.#addresses.isOurHost(host) || !(isFramesScript || this.#addresses.isOurOrigin(origin))) {
      return err(refusal("FOREIGN_ORIGIN"));
    }
    const url = URL.parse(target, `http://${host ?? ""}`);
    if (url === null || !this.#addresses.isOurHost(url.host)) return err(refusal("FOREIGN_ORIGIN"));
    return targetOf(url);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", destroySocket);
    const address = this.#addressOf(request);
    if (!address.ok) this.#refuseUpgrade(socket, address.error);
    else if (address.value.path !== "/ws") this.#refuseUpgrade(socket, refusal("NOT_FOUND"));
    else if (this.#isClosing) this.#refuseUpgrade(socket, refusal("SHUTTING_DOWN"));
    else if (this.#isLate) this.#refuseUpgrade(socket, refusal("UNAVAILABLE"));
    else {
      const { accounts } = this.#options;
      const signedIn = accounts?.find(request) ?? null;
      if (accounts !== undefined && signedIn === null) return this.#refuseUpgrade(socket, refusal("UNAUTHENTICATED"));
      if (socket instanceof Socket || socket instanceof TunnelSocket) this.#gate.release(socket);
      this.#sockets.accept(request, socket, head, signedIn);
      // Whoever is accepted has listeners of its own.
      if (socket.listenerCount("error") > 1) socket.off("error", destroySocket);
    }
  }

  /** Answers a refused upgrade by hand: it has no response object. */
  #refuseUpgrade(socket: Duplex, refused: Refusal): void {
    const body = JSON.stringify({ error: refused });
    const status = errorTable[refused.code].http;
    const head =
      `HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
    endSocket(socket, this.#clock, head + body);
  }

  /** Answers a request that is not valid HTTP. */
  #refuseBroken(problem: Error, socket: Duplex): void {
    if (socket.writable) endSocket(socket, this.#clock, brokenAnswer(problem));
    else socket.destroy();
  }
}

function destroySocket(this: Duplex): void {
  this.destroy();
}

function targetOf({ pathname, searchParams }: URL): Result<Target, Refusal> {
  return searchParams.has("token")
    ? err(refusal("UNAUTHENTICATED", { reason: "a token does not belong into an address" }))
    : ok({ path: pathname, query: searchParams });
}

/** Returns a signal that aborts when the caller leaves before its answer. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.on("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

function listen(http: Server, { host, port }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen({ host, port, exclusive: true }, () => {
      http.off("error", reject);
      resolve();
    });
  });
}

/** Refuses an unknown address, or a method that the address does not have. */
function notFound(method: string, methods: readonly string[]): Refusal {
  if (methods.length === 0) return refusal("NOT_FOUND");
  const message = `This address accepts ${methods.join(" and ")}, not ${method}.`;
  return refusal("UNKNOWN_METHOD", { method, methods }, message);
}

function portOf(http: Server): number {
  const address: AddressInfo | string | null = http.address();
  assert(address !== null && typeof address === "object", "a server that listens has a port");
  return address.port;
}

/** Refuses a request beyond its rate. */
function tooMany(): Refusal {
  const message = "Too many requests arrived from this address. Nothing was done; wait two seconds and try again.";
  return refusal("RATE_LIMITED", {}, message);
}

/** Returns the answer to a request that is not valid HTTP. */
function brokenAnswer(problem: Error): string {
  const code = "code" in problem ? problem.code : undefined;
  const status =
    code === "HPE_HEADER_OVERFLOW"
      ? "431 Request Header Fields Too Large"
      : code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "408 Request Timeout"
        : "400 Bad Request";
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
}
