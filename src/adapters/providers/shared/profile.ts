import { isJsonObject, type Json, type JsonObject, stableDeepEqual } from "../../../core/base/json.ts";
import type { NativeExtras } from "../../../core/message/types.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import { listAt } from "./json-read.ts";

/** The token limit of a reply without one, in a format that requires it. */
export const requiredMaxTokens = 4_096;

/** Returns a limit that a body states; null for none. */
export function statedMaxTokens(tokens: number | undefined): number | null {
  return tokens === undefined ? null : Math.max(1, tokens);
}

/** How a format's requests are split: the path, the fields with a term of Heddle's, and the rest. */
export interface RequestFormat {
  readonly api: string;
  /** The field that holds the path. */
  readonly path: string;
  /** Fields that have a term of Heddle's; `a.b` is a nested field. */
  readonly terms: readonly string[];
  /** Reads a body, also one without a path. */
  read(body: JsonObject): ModelRequest;
}

/** A body as the encoder writes it from Heddle's terms. */
export interface WrittenRequest {
  /** Everything except the path. */
  readonly profile: JsonObject;
  /** The opening items of the path that are not part of the conversation, such as instructions. */
  readonly opening: readonly JsonObject[];
  readonly turns: readonly JsonObject[];
}

/**
 * Returns what a body holds besides its path, for the way back to the same format; `opening` is the part of the path that
 * is not conversation.
 */
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

/** Whether a request came in the format in which it will be sent. */
export function isSameFormat(request: ModelRequest, api: string): boolean {
  return request.native?.api === api;
}

/** The ids of the calls in a request that is at home: the server itself gave them. */
export function ownIds(request: ModelRequest, api: string): ((id: string) => string) | undefined {
  return isSameFormat(request, api) ? (id) => id : undefined;
}

/**
 * Returns the body of a request. A request that was read from a body of the same format is sent as it came wherever
 * Heddle's terms are unchanged, because caches and signatures depend on the exact prefix. Fields that Heddle has no terms
 * for are kept.
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

/** A tool that the provider runs itself, which Heddle does not read. */
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

/** Merges two sets of fields; the second wins, and nested objects are merged likewise. */
function joined(first: JsonObject, second: JsonObject): JsonObject {
  const fields = Object.entries(second).map(([key, value]): readonly [string, Json] => {
    const before = first[key];
    return [key, isJsonObject(before) && isJsonObject(value) ? { ...before, ...value } : value];
  });
  return { ...first, ...Object.fromEntries(fields) };
}
