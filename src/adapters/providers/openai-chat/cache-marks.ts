import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import { listAt } from "../shared/json-read.ts";

/**
 * Marks the end of the instructions and of the last two user messages, in Claude's own form. Every message that could have
 * a mark is a list, so that moving a mark changes nothing else.
 */
export function withCacheMarks(body: JsonObject): JsonObject {
  const messages = listAt(body, "messages").filter(isJsonObject).map(asList);
  const places = (role: string): readonly number[] =>
    messages.flatMap((message, at) => (message["role"] === role ? [at] : []));
  const marked = new Set([...places("system").slice(0, 1), ...places("user").slice(-2)]);
  return { ...body, messages: messages.map((message, at) => (marked.has(at) ? withMark(message) : message)) };
}

function asList(message: JsonObject): JsonObject {
  const { content, role } = message;
  if (typeof content !== "string" || (role !== "system" && role !== "user")) return message;
  return { ...message, content: [{ type: "text", text: content }] };
}

function withMark(message: JsonObject): JsonObject {
  const { content } = message;
  const parts: readonly Json[] = Array.isArray(content) ? content : [];
  const at = parts.findLastIndex((part) => isJsonObject(part) && part["type"] === "text");
  const last = parts[at];
  if (!isJsonObject(last)) return message;
  return { ...message, content: parts.with(at, { ...last, cache_control: { type: "ephemeral" } }) };
}
