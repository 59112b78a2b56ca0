import * as v from "valibot";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { factsOfIssues } from "../../../core/protocol/base/issues.ts";

/** Reads a query by a schema; of a repeated name, the first counts. */
export function readQuery<Output>(
  query: URLSearchParams,
  schema: v.GenericSchema<unknown, Output>,
): Result<Output, Refusal> {
  return readBody(Object.fromEntries([...query].toReversed()), schema);
}

/** Reads a body by a schema; drops keys that the schema does not name. */
export function readBody<Output>(body: unknown, schema: v.GenericSchema<unknown, Output>): Result<Output, Refusal> {
  const read = v.safeParse(schema, body);
  return read.success ? ok(read.output) : err(refusal("INVALID_PARAMS", factsOfIssues(read.issues)));
}

/** A flag in a query: `true` or `1`, `false` or `0`; false if left out. */
export function flag(description: string) {
  return v.optional(
    v.pipe(
      v.picklist(["true", "1", "false", "0"]),
      v.description(description),
      v.transform((text) => text === "true" || text === "1"),
    ),
    "false",
  );
}

/** A whole number in a query. */
export function wholeNumber(min: number, max: number, description: string) {
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, "a whole number of at most 9 digits"),
    v.transform(Number),
    v.minValue(min),
    v.maxValue(max),
    v.metadata({ jsonSchema: { type: "integer", minimum: min, maximum: max, description } }),
  );
}
