import type { Refusal } from "../../base/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { SearchResult } from "../../block/search/search.ts";

/** Returns a refusal as a model reads it: code, a sentence that says what to do, facts, and the revision when known. */
export function refusalContent(error: Refusal, revisionId?: string): JsonObject {
  const { code, message, details = {} } = error;
  return present({ ok: false, code, message, details: jsonObject(details), revision_id: revisionId });
}

function jsonObject(facts: NonNullable<Refusal["details"]>): JsonObject {
  const json: unknown = JSON.parse(JSON.stringify(facts));
  return isJsonObject(json) ? json : {};
}

/** Returns the entries whose value is defined. */
export function present(fields: { readonly [name: string]: Json | undefined }): JsonObject {
  const entries = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}

/** Returns the note that an invalid expression was searched as literal text. */
export function literalNote(found: Pick<SearchResult, "invalidRegex">): string | undefined {
  return found.invalidRegex === undefined
    ? undefined
    : `The expression is invalid (${found.invalidRegex}) and was searched as literal text.`;
}
