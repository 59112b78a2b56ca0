import type { Refusal } from "../base/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import type { SearchResult } from "../block/search.ts";
import type { ToolAnswer } from "./types.ts";

/** What a call was about: every answer of a canvas tool names its revision, a refusal where one is known. */
export interface AnswerContext {
  readonly revisionId?: string;
  readonly leaseId?: string;
}

/** An answer of success. */
export function answer(content: JsonObject, context: AnswerContext = {}): ToolAnswer {
  return { ok: true, content, ...context };
}

/** A refusal as a model reads it: the code, a sentence that says what to do, and the facts. */
export function refusalAnswer(error: Refusal, context: AnswerContext = {}): ToolAnswer {
  const { code, message, details = {} } = error;
  const revision = context.revisionId === undefined ? {} : { revision_id: context.revisionId };
  return {
    ok: false,
    code,
    content: { ok: false, code, message, details: jsonObject(details), ...revision },
    ...context,
  };
}

function jsonObject(facts: NonNullable<Refusal["details"]>): JsonObject {
  const json: unknown = JSON.parse(JSON.stringify(facts));
  return isJsonObject(json) ? json : {};
}

/** Entries whose value is there. */
export function present(fields: { readonly [name: string]: Json | undefined }): JsonObject {
  const entries = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}

/** Says that an invalid expression was searched as text. */
export function literalNote(found: SearchResult): string | undefined {
  return found.invalidRegex === undefined
    ? undefined
    : `The expression is invalid (${found.invalidRegex}) and was searched as literal text.`;
}
