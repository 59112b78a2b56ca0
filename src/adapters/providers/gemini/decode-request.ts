import type { ToolCallId } from "../../../core/base/ids.ts";
import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import { isNonEmpty } from "../../../core/base/non-empty.ts";
import type {
  AssistantContentBlock,
  FileBlock,
  ImageBlock,
  Message,
  ToolMessage,
  UserContentBlock,
} from "../../../core/message/types.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { DecodedRequest } from "../shared/codec.ts";
import { numberAt, textAt, withoutKeys } from "../shared/json-read.ts";
import { nativeOf } from "../shared/native.ts";
import { profileOf, statedMaxTokens } from "../shared/profile.ts";
import { interruptedSuffix } from "../shared/project.ts";
import { readSystemUpdate } from "../shared/system-update.ts";
import { geminiApi } from "./api.ts";
import type { GeminiTarget } from "./endpoint.ts";
import { callExtras, fieldOf, listField, objectField, partExtras, readPart, textField } from "./part.ts";
import { plainSchema } from "./schema.ts";

/**
 * Reads a body of `POST /v1beta/models/…:generateContent`, with keys in either spelling. Tolerant: does not check whether
 * the provider would accept it.
 */
export function decodeRequest(body: unknown, target: GeminiTarget): DecodedRequest {
  const config = objectField(body, "generationConfig");
  const temperature = numberAt(config, "temperature");
  return {
    request: {
      model: target.model,
      system: systemText(body),
      messages: decodeContents(listField(body, "contents"), target.model),
      tools: listField(body, "tools")
        .flatMap((tool) => listField(tool, "functionDeclarations"))
        .flatMap((tool) => {
          const name = textAt(tool, "name");
          if (name === undefined) return [];
          const own = objectField(tool, "parameters");
          const inputSchema =
            objectField(tool, "parametersJsonSchema") ?? (own === undefined ? { type: "object" } : plainSchema(own));
          return [{ name, description: textAt(tool, "description") ?? "", inputSchema }];
        }),
      maxTokens: statedMaxTokens(numberOf(fieldOf(config, "maxOutputTokens"))),
      ...(temperature === undefined ? {} : { temperature }),
      thinking: thinkingLevel(objectField(config, "thinkingConfig")),
      ...profileOf(inCamelCase(body), { api: geminiApi, path: "contents" }),
    },
    stream: target.stream,
  };
}

/** Returns the body with its fields and those of its settings in the spelling that Heddle writes. */
function inCamelCase(body: unknown): unknown {
  if (!isJsonObject(body)) return body;
  const fields = camelKeys(body);
  const config = fields["generationConfig"];
  return isJsonObject(config) ? { ...fields, generationConfig: camelKeys(config) } : fields;
}

function camelKeys(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key.replaceAll(/_([a-z])/gu, (_whole, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}

function systemText(body: unknown): string {
  return listField(objectField(body, "systemInstruction"), "parts")
    .flatMap((part) => textField(part, "text") ?? [])
    .join("\n\n");
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function thinkingLevel(config: JsonObject | undefined): ModelRequest["thinking"] {
  if (config === undefined || fieldOf(config, "includeThoughts") === false) return "off";
  const level = textField(config, "thinkingLevel")?.toLowerCase();
  if (level === "low" || level === "medium" || level === "high") return level;
  if (level !== undefined) return "off";
  const budget = numberOf(fieldOf(config, "thinkingBudget")) ?? -1;
  if (budget < 0) return "high";
  return budget === 0 ? "off" : budget <= 2048 ? "low" : budget <= 8192 ? "medium" : "high";
}

/** A call of the conversation without a result yet. */
interface OpenCall {
  readonly id: string;
  /** The wire's id of the call; undefined when it gives none. */
  readonly wireId: string | undefined;
  readonly name: string;
}

function decodeContents(wire: readonly unknown[], model: string): readonly Message[] {
  const messages: Message[] = [];
  let waiting: readonly OpenCall[] = [];
  let calls = 0;
  for (const content of wire) {
    const parts = listField(content, "parts").filter(isJsonObject);
    const shape = shapeOf(content);
    if (textAt(content, "role") !== "model") {
      const decoded = decodeUser(parts, waiting);
      messages.push(...decoded.messages.map((message, at) => withShape(message, at === 0 ? shape : { joins: true })));
      waiting = decoded.waiting;
      continue;
    }
    const blocks = parts.map((part) => decodeModelPart(part, model, () => `call_${(calls += 1)}`));
    const message = assistantMessage(
      blocks.map(({ block }) => block),
      model,
      shape,
    );
    if (message === undefined) continue;
    const asked = blocks.flatMap(({ block, wireId }) =>
      block.type === "tool-use" ? [{ id: block.id, wireId, name: block.name }] : [],
    );
    // The provider reads adjacent replies as one, so results may come after the last of them.
    const last = messages.at(-1);
    if (last?.role === "assistant") {
      messages[messages.length - 1] = { ...message, content: [...last.content, ...message.content] };
      waiting = [...waiting, ...asked];
    } else {
      messages.push(message);
      waiting = asked;
    }
  }
  return messages;
}

/** What a content holds besides its parts; nothing where the encoder would write the same. */
function shapeOf(content: unknown): JsonObject {
  if (!isJsonObject(content)) return {};
  const fields = withoutKeys(
    content,
    "parts",
    ...(["user", "model"].includes(textAt(content, "role") ?? "") ? ["role"] : []),
  );
  return { apart: true, ...(Object.keys(fields).length === 0 ? {} : { fields }) };
}

function withShape(message: Message, shape: JsonObject): Message {
  return { ...message, ...nativeOf(ownFormat, { ...message.native?.data, ...shape }) };
}

/** Removes what the encoder adds to a reply that was cut off. */
function assistantMessage(
  content: readonly AssistantContentBlock[],
  model: string,
  shape: JsonObject,
): Extract<Message, { readonly role: "assistant" }> | undefined {
  const origin = { api: geminiApi, provider: "google", model };
  const last = content.at(-1);
  const rest = content.slice(0, -1);
  if (last?.type === "text" && last.text === interruptedSuffix && isNonEmpty(rest))
    return { role: "assistant", content: rest, interrupted: true, origin };
  const native = shape["fields"] === undefined ? {} : nativeOf(ownFormat, { fields: shape["fields"] });
  return isNonEmpty(content) ? { role: "assistant", content, origin, ...native } : undefined;
}

function decodeModelPart(
  raw: JsonObject,
  model: string,
  newId: () => string,
): { readonly block: AssistantContentBlock; readonly wireId?: string | undefined } {
  const part = readPart(raw);
  const source = { api: geminiApi, model };
  switch (part.type) {
    case "text": {
      if (!part.thought) return { block: { type: "text", text: part.text, ...nativeOf(source, partExtras(part)) } };
      const signed = part.signature === undefined ? {} : { signature: part.signature };
      const native = nativeOf(source, partExtras({ signature: undefined, rest: part.rest }));
      return { block: { type: "thinking", text: part.text, ...signed, ...native } };
    }
    case "call": {
      const wireId = textField(part.call, "id");
      const block = {
        type: "tool-use",
        id: (wireId ?? newId()) as ToolCallId,
        name: textField(part.call, "name") ?? "",
        parameters: objectField(part.call, "args") ?? {},
        ...nativeOf(source, callExtras(part)),
      } as const;
      return { block, wireId };
    }
    case "other":
      return { block: { type: "opaque", api: geminiApi, raw: part.raw } };
  }
}

function decodeUser(
  parts: readonly JsonObject[],
  waiting: readonly OpenCall[],
): { readonly messages: readonly Message[]; readonly waiting: readonly OpenCall[] } {
  const messages: Message[] = [];
  let open = waiting;
  let said: UserContentBlock[] = [];
  const flush = (): void => {
    if (isNonEmpty(said)) messages.push({ role: "user", content: said });
    said = [];
  };
  for (const part of parts) {
    const response = objectField(part, "functionResponse");
    if (response !== undefined) {
      flush();
      const call = callOf(response, open);
      open = open.filter((entry) => entry !== call);
      messages.push(decodeResult(part, response, call));
      continue;
    }
    const update = readSystemUpdate(textField(part, "text") ?? "");
    if (update === undefined) {
      said.push(...decodeUserPart(part));
    } else {
      flush();
      messages.push({ role: "system", content: [{ type: "text", text: update }] });
    }
  }
  flush();
  return { messages, waiting: open };
}

/** The call that a result answers: the call with its id, else the first open call of its name. */
function callOf(response: JsonObject, waiting: readonly OpenCall[]): OpenCall | undefined {
  const id = textField(response, "id");
  const name = textField(response, "name");
  return (
    waiting.find((call) => id !== undefined && call.wireId === id) ??
    waiting.find((call) => call.name === name && (id === undefined || call.wireId === undefined)) ??
    waiting.find((call) => call.wireId === undefined)
  );
}

function decodeResult(part: JsonObject, response: JsonObject, call: OpenCall | undefined): ToolMessage {
  const given = objectField(response, "response") ?? {};
  const { text, isError, exact } = resultText(given);
  const parts = listField(response, "parts").filter(isJsonObject).flatMap(decodeUserPart);
  const native = exact ? {} : nativeOf(ownFormat, { response: given });
  const words: readonly UserContentBlock[] = text === "" ? [] : [{ type: "text", text, ...native }];
  const content = [...words, ...parts];
  return {
    role: "tool",
    tool_call_id: (call?.id ?? textField(response, "id") ?? "") as ToolCallId,
    tool_name: call?.name ?? textField(response, "name") ?? "",
    content: isNonEmpty(content) ? content : [{ type: "text", text: "" }],
    outcome: isError ? "error" : "ok",
    ...nativeOf(ownFormat, {
      ...partExtras({ signature: undefined, rest: withoutKeys(part, "functionResponse", "function_response") }),
      ...(textField(response, "id") === undefined ? {} : { callId: true }),
      result: withoutKeys(response, "id", "name", "response", "parts"),
    }),
  };
}

/**
 * Clients put a text under one of a few keys, of which Heddle writes two. The text of any other object is its JSON, and the
 * object is kept.
 */
function resultText(given: JsonObject): { readonly text: string; readonly isError: boolean; readonly exact: boolean } {
  const { output, error, result } = given;
  const alone = Object.keys(given).length === 1;
  if (alone && typeof output === "string") return { text: output, isError: false, exact: true };
  if (alone && typeof error === "string") return { text: error, isError: true, exact: true };
  if (alone && typeof result === "string") return { text: result, isError: false, exact: false };
  return { text: JSON.stringify(given), isError: alone && error !== undefined, exact: false };
}

const ownFormat = { api: geminiApi, model: undefined } as const;

function decodeUserPart(part: JsonObject): readonly UserContentBlock[] {
  const text = textField(part, "text");
  if (text !== undefined) return [{ type: "text", text, ...nativeOf(ownFormat, withoutKeys(part, "text")) }];
  const inline = objectField(part, "inlineData");
  const file = objectField(part, "fileData");
  const mediaType = textField(inline ?? file, "mimeType") ?? "*/*";
  const source = sourceOf(inline, file);
  if (source === undefined) return [{ type: "opaque", api: geminiApi, raw: part }];
  const named = withoutKeys(inline ?? file ?? {}, "mimeType", "mime_type", "data", "fileUri", "file_uri");
  const rest = {
    ...withoutKeys(part, "inlineData", "inline_data", "fileData", "file_data"),
    ...(Object.keys(named).length === 0 ? {} : { media: named }),
  };
  const type = mediaType.startsWith("image/") ? "image" : "file";
  return [{ type, mediaType, source, ...nativeOf(ownFormat, rest) }];
}

function sourceOf(
  inline: JsonObject | undefined,
  file: JsonObject | undefined,
): (ImageBlock | FileBlock)["source"] | undefined {
  const data = textField(inline, "data");
  if (data !== undefined) return { type: "base64", data };
  const url = textField(file, "fileUri");
  return url === undefined ? undefined : { type: "url", url };
}
