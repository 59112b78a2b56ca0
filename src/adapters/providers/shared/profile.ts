import { isJsonObject, type Json, type JsonObject, stableDeepEqual } from "../../../core/base/json.ts";
import type { NativeExtras } from "../../../core/message/types.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import { listAt } from "./json-read.ts";

/** The bound of a reply, in tokens, where a request names none. */
export const unsaidMaxTokens = 8192;

/** How a format's requests are taken apart: the path, what Heddle has terms for, and the rest. */
export interface RequestFormat {
  readonly api: string;
  /** The field that holds the path. */
  readonly path: string;
  /** Fields that Heddle's terms stand for; `a.b` is a field inside one. */
  readonly terms: readonly string[];
  /** Reads a body, one without a path too. */
  read(body: JsonObject): ModelRequest;
}

/** A body as the encoder writes it from Heddle's terms. */
export interface WrittenRequest {
  /** All but the path. */
  readonly profile: JsonObject;
  /** What the path begins with that is not said in the conversation, such as instructions. */
  readonly opening: readonly JsonObject[];
  readonly turns: readonly JsonObject[];
}

/** What a body holds beside its path, to go back to the same format; `opening` is the part of the path that is no conversation. */
export function profileOf(
  body: unknown,
  format: Pick<RequestFormat, "api" | "path">,
  opening: readonly Json[] = [],
): { readonly native: NativeExtras } | undefined {
  if (!isJsonObject(body)) return undefined;
  const { [format.path]: path, ...data } = body;
  const kept = path === undefined ? data : { ...data, [format.path]: opening };
  return { native: { api: format.api, data: kept } };
}

/** Whether a request came in the format that it is about to leave in. */
export function isAtHome(request: ModelRequest, api: string): boolean {
  return request.native?.api === api;
}

/** The ids of calls in a request that is at home: the server gave them itself. */
export function ownIds(request: ModelRequest, api: string): ((id: string) => string) | undefined {
  return isAtHome(request, api) ? (id) => id : undefined;
}

/**
 * The body of a request. One that was read from a body of the same format is sent as it came where Heddle's terms still
 * say the same: caches and signatures are bound to the exact beginning. Where they were changed, what Heddle has no
 * terms for stays.
 */
export function bodyOf(request: ModelRequest, written: WrittenRequest, format: RequestFormat): JsonObject {
  const own = request.native?.api === format.api ? request.native.data : undefined;
  if (own === undefined) return { ...written.profile, [format.path]: [...written.opening, ...written.turns] };
  const { [format.path]: ownOpening, ...ownProfile } = own;
  const { model, stream } = written.profile;
  const current = {
    ...(model === undefined || (model === "" && own["model"] === undefined) ? {} : { model }),
    ...((ownProfile["stream"] === true) === (stream === true) ? {} : { stream: stream === true }),
  };
  if (sameTerms(format.read(own), request)) {
    const path = [...(Array.isArray(ownOpening) ? ownOpening : []), ...written.turns];
    return {
      ...ownProfile,
      ...current,
      ...(path.length === 0 && ownOpening === undefined ? {} : { [format.path]: path }),
    };
  }
  const tools = [
    ...listAt(written.profile, "tools"),
    ...listAt(ownProfile, "tools").filter((tool) => isServerTool(tool, format)),
  ].filter(isJsonObject);
  const policy = withoutTerms(written.profile, format.terms);
  const terms = Object.fromEntries(Object.entries(written.profile).filter(([key]) => policy[key] === undefined));
  return {
    ...joined({ ...policy, ...withoutTerms(ownProfile, format.terms) }, terms),
    ...(tools.length === 0 ? {} : { tools }),
    [format.path]: [...written.opening, ...written.turns],
  };
}

function sameTerms(a: ModelRequest, b: ModelRequest): boolean {
  return stableDeepEqual(termsOf(a), termsOf(b));
}

function termsOf({ system, tools, maxTokens, temperature, thinking }: ModelRequest): object {
  return { system, tools, maxTokens, temperature, thinking };
}

/** A tool that the provider runs itself is none that Heddle reads. */
function isServerTool(tool: unknown, format: RequestFormat): boolean {
  return isJsonObject(tool) && format.read({ tools: [tool] }).tools.length === 0;
}

function withoutTerms(fields: JsonObject, terms: readonly string[]): JsonObject {
  const rest = Object.entries(fields).flatMap(([key, value]): readonly [string, Json][] => {
    if (terms.includes(key)) return [];
    const inner = terms.flatMap((term) => (term.startsWith(`${key}.`) ? [term.slice(key.length + 1)] : []));
    return [[key, inner.length > 0 && isJsonObject(value) ? withoutTerms(value, inner) : value]];
  });
  return Object.fromEntries(rest);
}

/** Both sets of fields, the second before the first; objects of both are joined in the same way. */
function joined(first: JsonObject, second: JsonObject): JsonObject {
  const fields = Object.entries(second).map(([key, value]): readonly [string, Json] => {
    const before = first[key];
    return [key, isJsonObject(before) && isJsonObject(value) ? { ...before, ...value } : value];
  });
  return { ...first, ...Object.fromEntries(fields) };
}
