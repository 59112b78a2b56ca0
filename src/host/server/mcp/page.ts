import * as v from "valibot";
import type { JsonObject } from "../../../core/base/json.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { ToolOutput } from "../../tool/answer.ts";

const limitDefault = 50;
const limitMax = 200;

/** The parameters of a list. */
export const pageInput = {
  cursor: v.exactOptional(v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.description("From `next` of the answer before."))),
  limit: v.exactOptional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(1),
      v.maxValue(limitMax),
      v.description("Entries at most; default: 50."),
    ),
  ),
};

/** Returns one page of a list under its name, with `next` where there is more. */
export function page<Entry>(
  entries: readonly Entry[],
  { cursor, limit = limitDefault }: { readonly cursor?: string; readonly limit?: number },
  shown: (entry: Entry) => JsonObject,
  name = "entries",
): Result<ToolOutput, never> {
  const from = cursor === undefined ? 0 : Number(cursor);
  const until = from + limit;
  const more = until < entries.length ? { next: String(until) } : {};
  return ok({ content: { [name]: entries.slice(from, until).map(shown), ...more } });
}
