import type { IncomingMessage, ServerResponse } from "node:http";
import type { PersonActor } from "../../core/base/actor.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { Result } from "../../core/base/result.ts";
import type { Resource, Verb } from "../authorise.ts";
import type { Workspace } from "../workspace.ts";

/** What a route is given: who asks (already allowed to), the parts of the path, the query, and the body of a change. */
export interface RouteCall {
  readonly workspace: Workspace;
  readonly actor: PersonActor;
  /** The method and the path of the route, which with the rest of the call says what is asked. */
  readonly route: string;
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** What a route is given that reads and answers bytes by itself. */
export interface BytesCall {
  readonly workspace: Workspace;
  readonly actor: PersonActor;
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the server stops: an answer without an end of its own ends then. */
  readonly stopping: AbortSignal;
}

interface Address {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Segments; one that starts with a colon takes anything and is handed over in `params`. */
  readonly path: string;
}

export interface BytesRoute extends Address {
  access(params: readonly string[]): readonly [Verb, Resource];
  /** Answers, or gives the refusal to answer with. */
  bytes(call: BytesCall): Promise<Refusal | null>;
}

export interface JsonRoute extends Address {
  /** What the request does to what; `body` is as it came and may be anything. */
  access(params: readonly string[], body: unknown): readonly [Verb, Resource];
  answer(call: RouteCall): Promise<Result<unknown, Refusal>>;
}

/** One address of the HTTP API: JSON in and out, or bytes. */
export type Route = JsonRoute | BytesRoute;
