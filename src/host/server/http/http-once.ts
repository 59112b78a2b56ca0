import * as v from "valibot";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { RequestId } from "../../../core/base/ids.ts";
import { isJsonObject } from "../../../core/base/json.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { factsOfIssues } from "../../../core/protocol/base/issues.ts";
import { requestId } from "../../../core/protocol/base/parts.ts";
import { clientKey, httpClientId } from "../../base/client-key.ts";
import type { Remember } from "../../base/once.ts";
import type { RouteCall } from "./route.ts";

const named = v.looseObject({ clientRequestId: v.exactOptional(requestId) });

/**
 * Performs the change of an HTTP request once per `clientRequestId`. All HTTP requests of one person share one client.
 */
export function httpOnce<Answer extends object>(
  call: RouteCall<unknown, unknown, unknown>,
  work: (remember: Remember<Answer>) => Promise<Result<Answer, Refusal>>,
): Promise<Result<Answer, Refusal>> {
  const { workspace, actor, params, query = null, body = null, route, requestId: id } = call;
  const request = id && {
    clientId: clientKey(httpClientId, actor),
    requestId: id,
    asked: { route, params, query, body },
  };
  return workspace.once.run(request, work);
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
