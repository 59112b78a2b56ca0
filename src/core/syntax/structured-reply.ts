import { isJsonObject, type JsonObject } from "../base/json.ts";
import { reasonOf } from "../base/reason.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { AssistantMessage } from "../message/types.ts";
import { schemaViolation } from "./call/schema-violation.ts";

/**
 * Reads the reply to a request with an `outputSchema`: its text as a JSON object that fits the schema. An error says what is
 * wrong in words that a model can act on: a provider may ignore the schema, and a reply may be cut off or refuse.
 */
export function readStructuredReply(message: AssistantMessage, schema: JsonObject): Result<JsonObject, string> {
  const refused = message.content.find((block) => block.type === "refusal");
  if (refused !== undefined) return err(`The model refused: ${refused.text}`);
  const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (problem) {
    return err(`The reply is not JSON: ${reasonOf(problem)}. Answer with the JSON object alone.`);
  }
  if (!isJsonObject(value)) return err("The reply is JSON, but not an object. Answer with a JSON object.");
  const violation = schemaViolation(schema, value);
  if (violation === undefined) return ok(value);
  const place = violation.path === "" ? "The reply" : `The reply at ${violation.path}`;
  return err(`${place} does not fit the schema: ${violation.why} Answer again with a JSON object that fits.`);
}
