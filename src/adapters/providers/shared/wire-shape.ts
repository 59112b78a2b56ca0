import type { Json, JsonObject } from "../../../core/base/json.ts";
import { withoutKeys } from "./json-read.ts";

/**
 * How a client wrote a message, for the way back to the same API: `form` says that its content was a text, and `fields` holds
 * what Heddle has no term for. Absent where the encoder would write the same by itself.
 */
export function wireShape(message: JsonObject, terms: readonly string[], content: Json | undefined): JsonObject {
  const fields = withoutKeys(message, ...terms);
  return {
    ...(typeof content === "string" ? { form: "text" } : {}),
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
  };
}

/** Returns an object under a key of such a shape, or no fields. */
export function fieldsOf(shape: JsonObject | undefined, key = "fields"): JsonObject {
  const found = shape?.[key];
  return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as JsonObject) : {};
}
