import { fieldOf, listField, objectField } from "../../src/adapters/providers/gemini/part.ts";
import { isForeignSignature } from "../../src/adapters/providers/gemini/signature.ts";
import { listAt, objectAt, parseJson, textAt, withoutKeys } from "../../src/adapters/providers/shared/json-read.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/core/base/json.ts";

/**
 * The form in which two requests are compared. A lone text is a list of one. Cache marks, item ids (except those that
 * pair calls with results), status, annotations, detail and values that mean "no" are dropped. Arguments are parsed
 * JSON. Thinking is its signature, or its text if it has none. Adjacent messages of one role are joined if the provider
 * reads them so.
 */
export function canonicalRequest(api: string, body: unknown): Json {
  if (!isJsonObject(body)) return null;
  switch (api) {
    case "anthropic":
      return { ...plain(body), messages: joinedRoles(listAt(body, "messages").map(anthropicMessage)) };
    case "chat":
      return { ...plain(body), messages: listAt(body, "messages").map(chatMessage) };
    case "responses":
      return { ...plain(body), input: responsesInput(body["input"]) };
    default:
      return { ...plain(camelKeys(body)), contents: joinedRoles(listField(body, "contents").map(geminiContent)) };
  }
}

const leftOut = ["cache_control", "prompt_cache_breakpoint", "status", "annotations", "logprobs", "detail"];

/** The profile: every field except the path, without cache marks. */
function plain(body: JsonObject): JsonObject {
  return strip(withoutKeys(body, "messages", "input", "contents"), ["cache_control"]);
}

function strip(fields: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (keys.includes(key) ? [] : [[key, stripped(value, keys)]])),
  );
}

function stripped(value: Json, keys: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((each: Json) => stripped(each, keys));
  return isJsonObject(value) ? strip(value, keys) : value;
}

/** Drops the fields that no comparison uses and the fields that mean nothing. */
function cleaned(value: unknown, ...more: readonly string[]): JsonObject {
  if (!isJsonObject(value)) return {};
  const kept = Object.entries(value).filter(
    ([key, field]) => ![...leftOut, ...more].includes(key) && field !== null && field !== false,
  );
  return Object.fromEntries(kept);
}

function contentList(content: unknown, type: string): readonly Json[] {
  if (typeof content === "string") return content === "" ? [] : [{ type, text: content }];
  return Array.isArray(content) ? content : [];
}

function anthropicMessage(message: unknown): JsonObject {
  const content = contentList(fieldOf(message, "content"), "text").map((block): JsonObject => {
    const fields = cleaned(block);
    if (fields["type"] === "thinking") {
      return { type: "thinking", proof: fields["signature"] ?? fields["thinking"] ?? "" };
    }
    if (fields["type"] !== "tool_result") return fields;
    return { ...fields, content: contentList(fields["content"], "text").map((part) => cleaned(part)) };
  });
  return { role: textAt(message, "role") ?? "", content };
}

function chatMessage(message: unknown): JsonObject {
  // An empty text is the same as no field.
  const fields = Object.fromEntries(Object.entries(cleaned(message)).filter(([, value]) => value !== ""));
  const calls = listAt(message, "tool_calls").map((call) => ({
    ...cleaned(call, "index", "type"),
    function: { ...objectAt(call, "function"), arguments: argumentsOf(objectAt(call, "function")?.["arguments"]) },
  }));
  const content = contentList(fields["content"], "text").map((part) => {
    const { image_url: image, ...rest } = cleaned(part);
    return image === undefined ? rest : { ...rest, image_url: isJsonObject(image) ? cleaned(image) : { url: image } };
  });
  return { ...withoutKeys(fields, "tool_calls"), content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

function responsesInput(input: unknown): readonly Json[] {
  if (typeof input === "string") return responsesInput([{ role: "user", content: input }]);
  return (Array.isArray(input) ? input : []).map((item: Json): JsonObject => {
    const fields = cleaned(item, ...(textAt(item, "type") === "item_reference" ? [] : ["id"]));
    const type = textAt(item, "type") ?? "message";
    const textType = textAt(item, "role") === "assistant" ? "output_text" : "input_text";
    switch (type) {
      case "message":
        return { ...fields, type, content: contentList(fields["content"], textType).map((part) => cleaned(part)) };
      case "reasoning":
        return { type, proof: fields["encrypted_content"] ?? fields["summary"] ?? "" };
      case "function_call":
        return { ...fields, arguments: argumentsOf(fields["arguments"]) };
      case "function_call_output":
      case "custom_tool_call_output":
        return { ...fields, output: contentList(fields["output"], "input_text").map((part) => cleaned(part)) };
      default:
        return fields;
    }
  });
}

function geminiContent(content: unknown): JsonObject {
  const parts = listField(content, "parts").map((part): JsonObject => {
    const { functionCall: _call, functionResponse: _response, text, ...rest } = cleaned(withMedia(part));
    // A part that only carries a signature may or may not have an empty text.
    const fields = text === undefined || text === "" ? rest : { ...rest, text };
    const call = objectField(part, "functionCall");
    const response = objectField(part, "functionResponse");
    const signature = fields["thoughtSignature"];
    const proof = typeof signature === "string" && isForeignSignature(signature) ? { thoughtSignature: null } : {};
    return {
      ...fields,
      ...proof,
      ...(call === undefined ? {} : { functionCall: { args: {}, ...cleaned(call, "id") } }),
      ...(response === undefined
        ? {}
        : {
            functionResponse: {
              ...cleaned(response, "id"),
              response: response["response"] ?? {},
              parts: listField(response, "parts").map(withMedia),
            },
          }),
    };
  });
  const role = textAt(content, "role");
  return {
    role: role === "model" ? "model" : "user",
    content: parts.map((part) => (part["thoughtSignature"] === null ? withoutKeys(part, "thoughtSignature") : part)),
  };
}

/** A part in one spelling, with its images and files. */
function withMedia(part: unknown): JsonObject {
  const fields = camelKeys(part);
  const held = ["inlineData", "fileData"].filter((key) => isJsonObject(fields[key]));
  return { ...fields, ...Object.fromEntries(held.map((key) => [key, camelKeys(fields[key])])) };
}

function camelKeys(value: unknown): JsonObject {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      const name = key.replaceAll(/_([a-z])/gu, (_whole, letter: string) => letter.toUpperCase());
      return [name, name === "generationConfig" ? camelKeys(field) : field];
    }),
  );
}

function argumentsOf(args: Json | undefined): Json {
  if (typeof args !== "string") return args ?? {};
  const parsed: unknown = parseJson(args === "" ? "{}" : args);
  return parsed === undefined ? args : (parsed as Json);
}

function joinedRoles(messages: readonly JsonObject[]): readonly JsonObject[] {
  const joined: { readonly role: Json; readonly content: readonly Json[] }[] = [];
  for (const message of messages) {
    const role = message["role"] ?? null;
    const content = listAt(message, "content") as readonly Json[];
    const last = joined.at(-1);
    if (last?.role === role) joined[joined.length - 1] = { role, content: [...last.content, ...content] };
    else joined.push({ role, content });
  }
  return joined.map(({ role, content }) => ({ role, content }));
}
