import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type * as v from "valibot";
import type { PersonActor } from "../../../core/base/actor.ts";
import type { ErrorCode, Refusal } from "../../../core/base/errors.ts";
import type { RequestId } from "../../../core/base/ids.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { Access } from "../../../core/protocol/base/access.ts";
import type { AccessToken } from "../../access/access-tokens.ts";
import type { Member } from "../../access/member.ts";
import type { Reach } from "../../access/reach.ts";
import type { Dispatch } from "../../command/dispatch.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { readBody, readQuery } from "./read-query.ts";

type Schemas = Readonly<Record<string, v.GenericSchema>>;
type Parts<Given extends Schemas> = { readonly [Name in keyof Given]: v.InferOutput<Given[Name]> };

/** A request to a route, and its caller, who is authorised. */
export interface RouteCall<Params, Query, Body> {
  readonly workspace: Workspace;
  readonly dispatch: Dispatch;
  readonly actor: PersonActor;
  /** The caller's scoped token, with what it allows; null for the workspace's own. */
  readonly grant: AccessToken | null;
  /** The person with an account; null where one person owns everything. */
  readonly member: Member | null;
  /** What the caller may know of; null: everything. */
  readonly reach: Reach | null;
  /** The parts of the path. */
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The method and the path of the route; with the rest of the call they identify the request. */
  readonly route: string;
  /** The caller's request id (`clientRequestId` of the body or the query); null if there is none. */
  readonly requestId: RequestId | null;
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the caller leaves before the answer. */
  readonly gone: AbortSignal;
}

/** A request to a route that reads and answers bytes itself. */
export interface BytesCall<Params, Query> extends Omit<
  RouteCall<Params, Query, never>,
  "body" | "route" | "requestId" | "headers" | "gone"
> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the server stops; ends answers that have no end of their own. */
  readonly stopping: AbortSignal;
}

/** The answer of a route, for its documentation and for the tests. */
export type RouteAnswer =
  | { readonly type: "json"; readonly schema: v.GenericSchema; readonly status?: 201 }
  | { readonly type: "bytes"; readonly mediaTypes: readonly string[]; readonly description: string }
  /** Server-sent events; the key is the event's name, blank for none. */
  | { readonly type: "events"; readonly description: string; readonly events: Schemas };

/** The description of a route. */
interface RouteWords {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Segments; a leading colon marks a parameter. */
  readonly path: string;
  /** The heading of the route in the documentation. */
  readonly section: string;
  /** What the route does, in one sentence. */
  readonly description: string;
  /** What else a caller should know, in Markdown. */
  readonly details?: string;
  readonly answer: RouteAnswer;
  /** The refusals of this route besides those of every request. */
  readonly refusals?: readonly ErrorCode[];
  /** Whether the holder of a token for single objects may use the route for what it reaches. */
  readonly scoped?: true;
  /** Whether it shows people of a team what they may see, although it asks of no single object; or decides by what it is sent. */
  readonly team?: true | "decides-itself";
}

/** A row of the HTTP API: one method at one path. The page and the OpenAPI document are generated from it. */
interface RouteRow extends RouteWords {
  /** The schemas of the path's parameters, by name. */
  readonly params: Schemas;
  readonly query: v.GenericSchema | null;
  /** The schema of the body; null for none. */
  readonly body: v.GenericSchema | "bytes" | null;
}

export interface JsonRoute extends RouteRow {
  readonly type: "json";
  readBody(json: unknown): Result<unknown, Refusal>;
  access(params: unknown, body: unknown): Access;
  perform(call: RouteCall<unknown, unknown, unknown>): Promise<Result<unknown, Refusal>>;
}

export interface BytesRoute extends RouteRow {
  readonly type: "bytes";
  access(params: unknown): Access;
  /** Answers, or returns the refusal to answer with. */
  perform(call: BytesCall<unknown, unknown>): Promise<Refusal | null>;
}

/** One address of the HTTP API: JSON in and out, or bytes. */
export type Route = JsonRoute | BytesRoute;

/** Builds a route that reads and answers JSON, typed by its schemas. */
export function jsonRoute<Params extends Schemas, Query = undefined, Body = undefined>(
  row: RouteWords & {
    readonly params?: Params;
    readonly query?: v.GenericSchema<unknown, Query>;
    readonly body?: v.GenericSchema<unknown, Body>;
    /** Reads the body if the schema alone cannot; the schema then only describes it. */
    readonly readBody?: (json: unknown) => Result<Body, Refusal>;
    readonly access: (params: Parts<Params>, body: Body) => Access;
    readonly perform: (call: RouteCall<Parts<Params>, Query, Body>) => Promise<Result<unknown, Refusal>>;
  },
): JsonRoute {
  const { params = {}, query = null, body = null } = row;
  const read = row.readBody ?? ((json) => (body === null ? ok(undefined) : readBody(json, body)));
  return {
    ...row,
    type: "json",
    params,
    query,
    body,
    readBody: read,
    access: (given, sent) => row.access(given as Parts<Params>, sent as Body),
    perform: (call) => row.perform(call as RouteCall<Parts<Params>, Query, Body>),
  };
}

/** Builds a route that reads and answers bytes, typed by its schemas. */
export function bytesRoute<Params extends Schemas, Query = undefined>(
  row: RouteWords & {
    readonly params?: Params;
    readonly query?: v.GenericSchema<unknown, Query>;
    readonly body?: v.GenericSchema | "bytes";
    readonly access: (params: Parts<Params>) => Access;
    readonly perform: (call: BytesCall<Parts<Params>, Query>) => Promise<Refusal | null>;
  },
): BytesRoute {
  const { params = {}, query = null, body = null } = row;
  return {
    ...row,
    type: "bytes",
    params,
    query,
    body,
    access: (given) => row.access(given as Parts<Params>),
    perform: (call) => row.perform(call as BytesCall<Parts<Params>, Query>),
  };
}

/** Reads the path's parameters, whose form the router has checked, and the query. */
export function readPlace(
  { path, query: schema }: Route,
  parts: readonly string[],
  query: URLSearchParams,
): Result<{ readonly params: unknown; readonly query: unknown }, Refusal> {
  const names = path.split("/").flatMap((segment) => (segment.startsWith(":") ? [segment.slice(1)] : []));
  const params = Object.fromEntries(names.map((name, at) => [name, parts[at]]));
  if (schema === null) return ok({ params, query: undefined });
  const read = readQuery(query, schema);
  return read.ok ? ok({ params, query: read.value }) : read;
}
