import * as v from "valibot";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { RequestId } from "../../../core/base/ids.ts";
import { isJsonObject } from "../../../core/base/json.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { factsOfIssues } from "../../../core/protocol/base/issues.ts";
import { requestId } from "../../../core/protocol/base/parts.ts";
import { httpClientId, requestsKey } from "../../base/client-key.ts";
import type { NamedRequest, Remember } from "../../base/once.ts";
import type { RouteCall } from "./route.ts";

const named = v.looseObject({ clientRequestId: v.exactOptional(requestId) });

/**
 * Performs the change of an HTTP request once per `clientRequestId`. All HTTP requests of one person share one client.
 */
export function httpOnce<Answer extends object>(
  call: RouteCall<unknown, unknown, unknown>,
  work: (remember: Remember<Answer>) => Promise<Result<Answer, Refusal>>,
): Promise<Result<Answer, Refusal>> {
  return call.workspace.once.run(namedRequest(call), work);
}

/** Returns the answer of an equal request that was carried out or is under way; null if there is none. */
export async function answeredBefore(call: NamedCall): Promise<Result<object, Refusal> | null> {
  const request = namedRequest(call);
  return request === null ? null : call.workspace.once.answered(request);
}

type NamedCall = Pick<
  RouteCall<unknown, unknown, unknown>,
  "workspace" | "actor" | "grant" | "params" | "query" | "body" | "route" | "requestId"
>;

function namedRequest(call: NamedCall): NamedRequest | null {
  const { actor, grant, params, query = null, body = null, route, requestId } = call;
  if (requestId === null) return null;
  return { clientId: requestsKey(httpClientId, actor, grant), requestId, asked: { route, params, query, body } };
}

/**
 * Reads the `clientRequestId` of a request: a field of the body or, without one, of the query; null if there is none.
 */
export function readRequestId(body: unknown, query: URLSearchParams): Result<RequestId | null, Refusal> {
  const given = isJsonObject(body) ? body["clientRequestId"] : undefined;
  const clientRequestId = given ?? query.get("clientRequestId") ?? undefined;
  const read = v.safeParse(named, clientRequestId === undefined ? {} : { clientRequestId });
  return read.success
    ? ok(read.output.clientRequestId ?? null)
    : err(refusal("INVALID_PARAMS", factsOfIssues(read.issues)));
}

/** Returns the empty answer of a change. */
export function emptyAnswer(result: Result<unknown, Refusal>): Result<Record<never, never>, Refusal> {
  return result.ok ? ok({}) : result;
}
