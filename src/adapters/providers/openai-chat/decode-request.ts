import type { ToolCallId } from "../../../core/base/ids.ts";
import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import { isNonEmpty } from "../../../core/base/non-empty.ts";
import type {
  AssistantContentBlock,
  Message,
  TextBlock,
  ToolMessage,
  UserContentBlock,
} from "../../../core/message/types.ts";
import { readToolArguments } from "../../../core/model/assemble.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { DecodedRequest } from "../shared/codec.ts";
import { listAt, numberAt, objectAt, textAt, withoutKeys } from "../shared/json-read.ts";
import { mediaOf } from "../shared/media.ts";
import { nativeOf } from "../shared/native.ts";
import { profileOf, statedMaxTokens } from "../shared/profile.ts";
import { interruptedSuffix } from "../shared/project.ts";
import { readSystemUpdate } from "../shared/system-update.ts";
import { wireShape } from "../shared/wire-shape.ts";
import { chatApi } from "./api.ts";
import { fieldsOfThinking, readThinking, thoughtPart } from "./thinking.ts";

/** Reads a body of `POST /v1/chat/completions`. Tolerant: does not check whether the provider would accept it. */
export function decodeRequest(body: unknown): DecodedRequest {
  const model = textAt(body, "model") ?? "";
  const wire = listAt(body, "messages");
  const opening = wire.findIndex((message) => !isInstruction(message));
  const instructions = (opening === -1 ? wire : wire.slice(0, opening)).filter(isJsonObject);
  const temperature = numberAt(body, "temperature");
  return {
    request: {
      model,
      system: instructions.map((message) => plainContent(message)).join("\n\n"),
      messages: decodeMessages(opening === -1 ? [] : wire.slice(opening), model),
      tools: listAt(body, "tools").flatMap((tool) => {
        const named = objectAt(tool, "function");
        const name = textAt(named, "name");
        if (name === undefined) return [];
        return [
          {
            name,
            description: textAt(named, "description") ?? "",
            inputSchema: objectAt(named, "parameters") ?? { type: "object" },
          },
        ];
      }),
      maxTokens: statedMaxTokens(numberAt(body, "max_completion_tokens") ?? numberAt(body, "max_tokens")),
      ...(temperature === undefined ? {} : { temperature }),
      thinking: thinkingLevel(body),
      ...profileOf(body, { api: chatApi, path: "messages" }, instructions),
    },
    stream: isJsonObject(body) && body["stream"] === true,
  };
}

function thinkingLevel(body: unknown): ModelRequest["thinking"] {
  const effort = textAt(body, "reasoning_effort") ?? textAt(objectAt(body, "reasoning"), "effort");
  if (effort === "low" || effort === "medium" || effort === "high") return effort;
  const isOn =
    textAt(objectAt(body, "thinking"), "type") === "enabled" ||
    [body, objectAt(body, "chat_template_kwargs")].some(
      (fields) => isJsonObject(fields) && fields["enable_thinking"] === true,
    );
  return isOn ? "medium" : "off";
}

function isInstruction(message: unknown): boolean {
  const role = textAt(message, "role");
  return role === "system" || role === "developer";
}

function plainContent(message: unknown): string {
  return (
    textAt(message, "content") ??
    listAt(message, "content")
      .map((part) => textAt(part, "text") ?? "")
      .join("\n\n")
  );
}

function decodeMessages(wire: readonly unknown[], model: string): readonly Message[] {
  const messages: Message[] = [];
  const names = new Map<string, string>();
  let singles = 0;
  for (const entry of wire) {
    switch (textAt(entry, "role") ?? "") {
      case "system":
      case "developer":
        messages.push(decodeInstruction(entry));
        break;
      case "assistant": {
        const message = decodeAssistant(entry, model, `function_${singles + 1}`);
        if (objectAt(entry, "function_call") !== undefined) singles += 1;
        for (const block of message.content) if (block.type === "tool-use") names.set(block.id, block.name);
        messages.push(message);
        break;
      }
      case "tool":
        messages.push(decodeResult(entry, textAt(entry, "tool_call_id") ?? "", names));
        break;
      case "function":
        // The older form: one call a reply, whose result follows it.
        messages.push(decodeResult(entry, `function_${singles}`, names));
        break;
      default:
        messages.push(...decodeUser(entry));
    }
  }
  return messages;
}

function decodeResult(entry: unknown, id: string, names: ReadonlyMap<string, string>): ToolMessage {
  const message = isJsonObject(entry) ? entry : {};
  const isSingle = textAt(message, "role") === "function";
  const known = ["role", "tool_call_id", "content", ...(isSingle ? ["name"] : [])];
  return {
    role: "tool",
    tool_call_id: id as ToolCallId,
    tool_name: names.get(id) ?? textAt(entry, "name") ?? "",
    content: resultContent(entry),
    // The format cannot mark a tool's result as failed.
    outcome: "ok",
    ...nativeOf(ownFormat, shapeOf(message, known)),
  };
}

/** An instruction inside a conversation, with the role that its client gave it. */
function decodeInstruction(entry: unknown): Message {
  const message = isJsonObject(entry) ? entry : {};
  const parts =
    typeof message["content"] === "string" ? [{ type: "text", text: message["content"] }] : textParts(message);
  const texts = parts.map((part): TextBlock => ({ type: "text", text: textAt(part, "text") ?? "", ...partOf(part) }));
  const native = nativeOf(ownFormat, {
    role: textAt(entry, "role") ?? "system",
    ...shapeOf(message, ["role", "content"]),
  });
  return { role: "system", content: isNonEmpty(texts) ? texts : [{ type: "text", text: "" }], ...native };
}

function textParts(message: JsonObject): readonly JsonObject[] {
  return listAt(message, "content").filter(isJsonObject);
}

/** How a client wrote a message; a lone text is what the encoder writes as text. */
function shapeOf(message: JsonObject, known: readonly string[]): JsonObject {
  const { form: _text, ...shape } = wireShape(message, known, undefined);
  return { ...shape, ...(Array.isArray(message["content"]) ? { form: "list" } : {}) };
}

/** The fields of a part of a message besides its words. */
function partOf(part: JsonObject, ...read: readonly string[]): ReturnType<typeof nativeOf> {
  const rest = withoutKeys(part, "type", "text", ...read);
  return nativeOf(ownFormat, Object.keys(rest).length === 0 ? undefined : { part: rest });
}

function resultContent(entry: unknown): ToolMessage["content"] {
  const parts = listAt(entry, "content").filter(isJsonObject).flatMap(decodeUserPart);
  return isNonEmpty(parts) ? parts : [{ type: "text", text: plainContent(entry) }];
}

function decodeUser(entry: unknown): readonly Message[] {
  const message = isJsonObject(entry) ? entry : {};
  const single = textAt(message, "content");
  const parts = single === undefined ? textParts(message) : [{ type: "text", text: single }];
  const messages: Message[] = [];
  let said: UserContentBlock[] = [];
  const flush = (): void => {
    if (isNonEmpty(said)) messages.push({ role: "user", content: said });
    said = [];
  };
  for (const part of parts) {
    const update = part["type"] === "text" ? readSystemUpdate(textAt(part, "text") ?? "") : undefined;
    if (update === undefined) {
      said.push(...decodeUserPart(part));
    } else {
      flush();
      messages.push({ role: "system", content: [{ type: "text", text: update }] });
    }
  }
  flush();
  const isEmpty = messages.length === 0;
  const native = nativeOf(ownFormat, shapeOf(message, isEmpty ? ["role"] : ["role", "content"]));
  // A message without content keeps its place.
  if (isEmpty) return [{ role: "user", content: [{ type: "text", text: "" }], ...native }];
  return messages.map((each, at) => (at === 0 ? { ...each, ...native } : each));
}

const ownFormat = { api: chatApi, model: undefined } as const;

function decodeUserPart(part: JsonObject): readonly UserContentBlock[] {
  switch (textAt(part, "type") ?? "") {
    case "text":
      return [{ type: "text", text: textAt(part, "text") ?? "", ...partOf(part) }];
    case "image_url": {
      // Some clients send only the address.
      const url = textAt(objectAt(part, "image_url"), "url") ?? textAt(part, "image_url");
      if (url === undefined) break;
      const rest = {
        ...withoutKeys(objectAt(part, "image_url") ?? {}, "url"),
        ...partOf(part, "image_url").native?.data,
        ...(objectAt(part, "image_url") === undefined ? { bare: true } : {}),
      };
      return [{ type: "image", ...mediaOf(url, "image/*"), ...nativeOf(ownFormat, rest) }];
    }
    case "file_url": {
      const url = textAt(objectAt(part, "file_url"), "url");
      if (url === undefined) break;
      const rest = {
        ...withoutKeys(objectAt(part, "file_url") ?? {}, "url"),
        ...partOf(part, "file_url").native?.data,
      };
      return [{ type: "file", ...mediaOf(url, "application/octet-stream"), ...nativeOf(ownFormat, rest) }];
    }
    case "file": {
      const file = objectAt(part, "file") ?? {};
      const data = textAt(file, "file_data");
      const name = textAt(file, "filename");
      if (data === undefined) break;
      const media = mediaOf(data, "application/octet-stream");
      // Heddle has no form for an address in place of the bytes.
      if (media.source.type === "url") break;
      return [
        {
          type: "file",
          ...media,
          ...(name === undefined ? {} : { name }),
          ...nativeOf(ownFormat, {
            ...withoutKeys(file, "file_data", "filename"),
            ...partOf(part, "file").native?.data,
          }),
        },
      ];
    }
  }
  return [{ type: "opaque", api: chatApi, raw: part }];
}

type Reply = Extract<Message, { readonly role: "assistant" }>;

function decodeAssistant(entry: unknown, model: string, singleId: string): Reply {
  const message = isJsonObject(entry) ? entry : {};
  const source = { api: chatApi, model };
  const thoughts = readThinking(message, model);
  const words = decodeWords(message, model);
  const refusal = textAt(message, "refusal") ?? "";
  const calls = [
    ...listAt(message, "tool_calls").filter(isJsonObject),
    ...callsOf(objectAt(message, "function_call"), singleId),
  ].map((call) => decodeCall(call, model));
  const said: readonly AssistantContentBlock[] = [
    ...thoughts,
    ...words,
    ...(refusal === "" ? [] : [{ type: "refusal" as const, text: refusal, ...nativeOf(source, { field: true }) }]),
    ...calls,
  ];
  const read = [
    "role",
    ...(words.length > 0 ? ["content"] : []),
    ...(refusal === "" ? [] : ["refusal"]),
    ...(listAt(message, "tool_calls").length > 0 ? ["tool_calls"] : []),
    ...(objectAt(message, "function_call") === undefined ? [] : ["function_call"]),
    ...fieldsOfThinking(thoughts),
  ];
  const shape = shapeOf(message, read);
  const native = nativeOf(ownFormat, message["content"] === undefined ? { ...shape, form: "none" } : shape);
  // A reply without content keeps its place.
  const content: readonly AssistantContentBlock[] = said.length === 0 ? [{ type: "text", text: "" }] : said;
  return { ...withoutSuffix(content, { api: chatApi, provider: "openai", model }), ...native };
}

function decodeWords(message: JsonObject, model: string): readonly AssistantContentBlock[] {
  const single = textAt(message, "content");
  const parts = single === undefined ? textParts(message) : [{ type: "text", text: single }];
  return parts.flatMap((part): readonly AssistantContentBlock[] => {
    if (thoughtPart(part) !== undefined) return [];
    const refusal = textAt(part, "refusal");
    if (refusal !== undefined) return [{ type: "refusal", text: refusal, ...nativeOf({ api: chatApi, model }, {}) }];
    const text = textAt(part, "text");
    if (text === undefined) return [{ type: "opaque", api: chatApi, raw: part }];
    const rest = withoutKeys(part, "type", "text");
    const native = nativeOf({ api: chatApi, model }, Object.keys(rest).length === 0 ? undefined : { part: rest });
    return text === "" && part["type"] === "text" && single !== undefined ? [] : [{ type: "text", text, ...native }];
  });
}

function callsOf(single: JsonObject | undefined, id: string): readonly JsonObject[] {
  return single === undefined ? [] : [{ id, type: "function_call", function: single }];
}

function decodeCall(call: JsonObject, model: string): AssistantContentBlock {
  const custom = objectAt(call, "custom");
  const called = custom ?? objectAt(call, "function");
  const args = called?.["arguments"];
  const rest = withoutKeys(called ?? {}, "name", "arguments", "input");
  const extras = {
    ...withoutKeys(call, "id", "function", "custom", ...(call["type"] === "function" ? ["type"] : [])),
    ...(call["type"] === undefined ? { untyped: true } : {}),
    ...(Object.keys(rest).length === 0 ? {} : { function: rest }),
  };
  const read = isJsonObject(args) ? { parameters: args } : readToolArguments(typeof args === "string" ? args : "");
  return {
    type: "tool-use",
    id: (textAt(call, "id") ?? "") as ToolCallId,
    name: textAt(called, "name") ?? "",
    ...(custom === undefined ? read : { parameters: { input: textAt(custom, "input") ?? "" } }),
    ...nativeOf({ api: chatApi, model }, extras),
  };
}

/** Removes what the encoder adds to a reply that was cut off; the wire joins its texts into one string. */
function withoutSuffix(content: readonly AssistantContentBlock[], origin: NonNullable<Reply["origin"]>): Reply {
  const last = content.at(-1);
  const ending = `\n\n${interruptedSuffix}`;
  const whole = last?.type === "text" && last.text === interruptedSuffix && content.length > 1;
  const isCut = last?.type === "text" && (whole || last.text.endsWith(ending));
  const kept = isCut
    ? [...content.slice(0, -1), ...(whole ? [] : [{ ...last, text: last.text.slice(0, -ending.length) }])]
    : content;
  const [first = { type: "text", text: "" } as const, ...more] = kept;
  return { role: "assistant", content: [first, ...more], ...(isCut ? { interrupted: true } : {}), origin };
}
