import type { ToolCallId } from "../../../core/base/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import { isNonEmpty } from "../../../core/base/non-empty.ts";
import type { AssistantContentBlock, Message, UserContentBlock } from "../../../core/message/types.ts";
import { readToolArguments } from "../../../core/model/assemble.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { DecodedRequest } from "../shared/codec.ts";
import { listAt, numberAt, objectAt, textAt, withoutKeys } from "../shared/json-read.ts";
import { mediaOf } from "../shared/media.ts";
import { nativeOf } from "../shared/native.ts";
import { profileOf, statedMaxTokens } from "../shared/profile.ts";
import { interruptedSuffix } from "../shared/project.ts";
import { wireShape } from "../shared/wire-shape.ts";
import { responsesApi } from "./api.ts";
import { callExtras, partExtras, readReasoning } from "./item.ts";

/** Reads a body of `POST /v1/responses`. Tolerant: does not check whether the provider would accept it. */
export function decodeRequest(body: unknown): DecodedRequest {
  const model = textAt(body, "model") ?? "";
  const temperature = numberAt(body, "temperature");
  return {
    request: {
      model,
      system: textAt(body, "instructions") ?? "",
      messages: decodeInput(isJsonObject(body) ? body["input"] : undefined, model),
      tools: listAt(body, "tools").flatMap((tool) => {
        const name = textAt(tool, "name");
        if (name === undefined || textAt(tool, "type") !== "function") return [];
        const inputSchema = objectAt(tool, "parameters") ?? { type: "object" };
        return [{ name, description: textAt(tool, "description") ?? "", inputSchema }];
      }),
      maxTokens: statedMaxTokens(numberAt(body, "max_output_tokens")),
      ...(temperature === undefined ? {} : { temperature }),
      thinking: thinkingLevel(textAt(objectAt(body, "reasoning"), "effort") ?? ""),
      ...profileOf(body, { api: responsesApi, path: "input" }),
    },
    stream: isJsonObject(body) && body["stream"] === true,
  };
}

function thinkingLevel(effort: string): ModelRequest["thinking"] {
  switch (effort) {
    case "low":
    case "medium":
    case "high":
      return effort;
    case "xhigh":
    case "max":
      return "high";
    default:
      return "off";
  }
}

/** The list holds the assistant's items one by one; consecutive assistant items form one message. */
function decodeInput(input: Json | undefined, model: string): readonly Message[] {
  if (typeof input === "string")
    return [{ role: "user", content: [{ type: "text", text: input }], ...nativeOf(ownFormat, { form: "input" }) }];
  const messages: Message[] = [];
  const names = new Map<string, string>();
  let reply: AssistantContentBlock[] = [];
  const flush = (): void => {
    const message = assistantMessage(reply, model);
    if (message !== undefined) messages.push(message);
    reply = [];
  };
  for (const item of Array.isArray(input) ? input.filter(isJsonObject) : []) {
    const type = textAt(item, "type") ?? "message";
    if (type === "message" && textAt(item, "role") !== "assistant") {
      flush();
      messages.push(decodeSaid(item));
    } else if (isOutput(type) && names.has(textAt(item, "call_id") ?? "")) {
      flush();
      messages.push(decodeOutput(item, names));
    } else if (!isReply(item, type)) {
      flush();
      messages.push({ role: "user", content: [{ type: "opaque", api: responsesApi, raw: item }] });
    } else {
      const blocks = decodeItem(item, type, model);
      for (const block of blocks) if (block.type === "tool-use") names.set(block.id, block.name);
      reply.push(...blocks);
    }
  }
  flush();
  return messages;
}

function isOutput(type: string): boolean {
  return type === "function_call_output" || type === "custom_tool_call_output";
}

/** Whether the model wrote an item. Outputs, including those of calls that the provider keeps, are input to the model. */
function isReply(item: JsonObject, type: string): boolean {
  if (textAt(item, "role") !== undefined) return textAt(item, "role") === "assistant";
  return !type.endsWith("_output") && type !== "mcp_approval_response";
}

/** Removes what the encoder adds to a reply that was cut off. */
function assistantMessage(content: readonly AssistantContentBlock[], model: string): Message | undefined {
  const origin = { api: responsesApi, provider: "openai", model };
  const last = content.at(-1);
  const rest = content.slice(0, -1);
  if (last?.type === "text" && last.text === interruptedSuffix && isNonEmpty(rest))
    return { role: "assistant", content: rest, interrupted: true, origin };
  return isNonEmpty(content) ? { role: "assistant", content, origin } : undefined;
}

const ownFormat = { api: responsesApi, model: undefined } as const;

/** A message without content is kept, since its client may rely on its place. */
function decodeSaid(item: JsonObject): Message {
  const read = contentBlocks(item["content"]);
  const role = textAt(item, "role");
  const untyped = item["type"] === undefined ? { untyped: true } : {};
  const shapeFor = (isEmpty: boolean): JsonObject =>
    wireShape(item, ["type", "role", ...(isEmpty ? [] : ["content"])], item["content"]);
  if (role === "system" || role === "developer") {
    const texts = read.filter((block) => block.type === "text");
    const native = nativeOf(ownFormat, { role, ...untyped, ...shapeFor(!isNonEmpty(texts)) });
    return { role: "system", content: isNonEmpty(texts) ? texts : [{ type: "text", text: "" }], ...native };
  }
  const native = nativeOf(ownFormat, { ...untyped, ...shapeFor(!isNonEmpty(read)) });
  return { role: "user", content: isNonEmpty(read) ? read : [{ type: "text", text: "" }], ...native };
}

function decodeOutput(item: JsonObject, names: ReadonlyMap<string, string>): Message {
  const id = textAt(item, "call_id") ?? "";
  const content = contentBlocks(item["output"]);
  return {
    role: "tool",
    tool_call_id: id as ToolCallId,
    tool_name: names.get(id) ?? "",
    content: isNonEmpty(content) ? content : [{ type: "text", text: "" }],
    // The format cannot mark a tool's result as failed.
    outcome: "ok",
    ...nativeOf(
      ownFormat,
      wireShape(item, ["type", "call_id", ...(isNonEmpty(content) ? ["output"] : [])], item["output"]),
    ),
  };
}

function contentBlocks(content: Json | undefined): readonly UserContentBlock[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject).flatMap(decodeUserPart) : [];
}

function decodeUserPart(part: JsonObject): readonly UserContentBlock[] {
  const format = ownFormat;
  const type = textAt(part, "type") ?? "";
  switch (type) {
    case "input_text":
    case "output_text":
    case "text": {
      const rest = withoutKeys(part, "text", ...(type === "input_text" ? ["type"] : []));
      return [{ type: "text", text: textAt(part, "text") ?? "", ...nativeOf(format, rest) }];
    }
    case "input_image": {
      const url = textAt(part, "image_url");
      if (url === undefined) break;
      const rest = withoutKeys(part, "type", "image_url");
      return [{ type: "image", ...mediaOf(url, "image/*"), ...nativeOf(format, rest) }];
    }
    case "input_file": {
      const url = textAt(part, "file_data") ?? textAt(part, "file_url");
      const name = textAt(part, "filename");
      if (url === undefined) break;
      const media = mediaOf(url, "application/octet-stream");
      const isAddress = textAt(part, "file_data") === undefined;
      // Heddle has no form for bytes without a data URL, or for a data URL in the address field.
      if (isAddress !== (media.source.type === "url")) break;
      const rest = withoutKeys(part, "type", "file_data", "file_url", ...(isAddress ? [] : ["filename"]));
      return [{ type: "file", ...media, ...(name === undefined ? {} : { name }), ...nativeOf(format, rest) }];
    }
  }
  return [{ type: "opaque", api: responsesApi, raw: part }];
}

function decodeItem(item: JsonObject, type: string, model: string): readonly AssistantContentBlock[] {
  switch (type) {
    case "message":
      return decodeSpoken(item, model);
    case "reasoning": {
      const { text, signature, data } = readReasoning(item);
      // Without its encrypted form, only the provider knows the reasoning, by its id.
      if (signature === undefined) return [{ type: "opaque", api: responsesApi, raw: item }];
      return [
        {
          type: "thinking",
          text,
          signature,
          ...nativeOf({ api: responsesApi, model }, data),
        },
      ];
    }
    case "function_call":
      return [
        {
          type: "tool-use",
          id: (textAt(item, "call_id") ?? "") as ToolCallId,
          name: textAt(item, "name") ?? "",
          ...readToolArguments(textAt(item, "arguments") ?? ""),
          ...nativeOf({ api: responsesApi, model }, callExtras(item)),
        },
      ];
    case "custom_tool_call":
      return [
        {
          type: "tool-use",
          id: (textAt(item, "call_id") ?? "") as ToolCallId,
          name: textAt(item, "name") ?? "",
          parameters: { input: textAt(item, "input") ?? "" },
          ...nativeOf({ api: responsesApi, model }, callExtras(item)),
        },
      ];
    default:
      return [{ type: "opaque", api: responsesApi, raw: item }];
  }
}

function decodeSpoken(item: JsonObject, model: string): readonly AssistantContentBlock[] {
  const whole = textAt(item, "content");
  const parts = whole === undefined ? listAt(item, "content") : [{ type: "output_text", text: whole }];
  // An empty message has no words to be edited, and goes back as it came.
  if (parts.length === 0) return [{ type: "opaque", api: responsesApi, raw: item }];
  const untyped = item["type"] === undefined ? { untyped: true } : {};
  return parts.map((part, at): AssistantContentBlock => {
    const listed = objectList(part, "annotations");
    const extras = {
      ...partExtras(item, part, at === 0),
      ...(listed === undefined ? {} : { annotations: listed }),
      ...(at === 0 ? { ...untyped, ...(whole === undefined ? {} : { form: "text" }) } : {}),
    };
    const native = nativeOf({ api: responsesApi, model }, extras);
    const refusal = textAt(part, "refusal");
    if (refusal !== undefined) return { type: "refusal", text: refusal, ...native };
    return { type: "text", text: textAt(part, "text") ?? "", ...native };
  });
}

function objectList(part: unknown, key: string): readonly Json[] | undefined {
  const found = isJsonObject(part) ? part[key] : undefined;
  return Array.isArray(found) ? found : undefined;
}
