import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { RequestId } from "../../core/base/ids.ts";
import { isJsonObject } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { factsOfIssues } from "../../core/protocol/issues.ts";
import { requestId } from "../../core/protocol/parts.ts";
import { clientKey, httpClientId } from "../client-key.ts";
import type { Done } from "../conversation/types.ts";
import type { Remember } from "../once.ts";
import type { RouteCall } from "./route.ts";

const named = v.looseObject({ clientRequestId: v.exactOptional(requestId) });

/**
 * Carries out the change that an HTTP request asks for, once for its `clientRequestId`: a field of the body or, where the
 * request has none, of the query. All that a person's programs ask over HTTP is asked by one client.
 */
export async function httpOnce<Answer extends object>(
  call: Pick<RouteCall, "workspace" | "actor" | "params" | "query" | "body" | "route">,
  work: (remember: Remember<Answer>) => Promise<Result<Answer, Refusal>>,
): Promise<Result<Answer, Refusal>> {
  const { workspace, actor, params, query, body, route } = call;
  const id = readRequestId(body, query);
  if (!id.ok) return id;
  if (id.value === null) return workspace.once.run(null, work);
  // The body may be written in other words; what the route reads of it is the route's.
  const asked = { route, params, query: [...query], body };
  return workspace.once.run({ clientId: clientKey(httpClientId, actor), requestId: id.value, asked }, work);
}

function readRequestId(body: unknown, query: URLSearchParams): Result<RequestId | null, Refusal> {
  const given = isJsonObject(body) ? body["clientRequestId"] : undefined;
  const clientRequestId = given ?? query.get("clientRequestId") ?? undefined;
  const read = v.safeParse(named, clientRequestId === undefined ? {} : { clientRequestId });
  return read.success
    ? ok(read.output.clientRequestId ?? null)
    : err(refusal("INVALID_PARAMS", factsOfIssues(read.issues)));
}

/** A change that has nothing to tell. */
export function nothingTold(result: Result<unknown, Refusal>): Result<Done, Refusal> {
  return result.ok ? ok({}) : result;
}
