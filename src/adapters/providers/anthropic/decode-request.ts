import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import type { ToolCallId } from "../../../core/base/ids.ts";
import { isNonEmpty } from "../../../core/base/non-empty.ts";
import type {
  AssistantContentBlock,
  FileBlock,
  ImageBlock,
  Message,
  UserContentBlock,
} from "../../../core/message/types.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { DecodedRequest } from "../shared/codec.ts";
import { listAt, numberAt, objectAt, textAt, withoutKeys } from "../shared/json-read.ts";
import { base64OfText, plainText } from "../shared/media.ts";
import { nativeOf } from "../shared/native.ts";
import { profileOf, statedMaxTokens } from "../shared/profile.ts";
import { interruptedSuffix } from "../shared/project.ts";
import { readSystemUpdate } from "../shared/system-update.ts";
import { anthropicApi } from "./api.ts";

/** Reads a body of `POST /v1/messages`. Tolerant: does not check whether the provider would accept it. */
export function decodeRequest(body: unknown): DecodedRequest {
  const model = textAt(body, "model") ?? "";
  const temperature = numberAt(body, "temperature");
  return {
    request: {
      model,
      system: systemText(body),
      messages: decodeMessages(listAt(body, "messages"), model),
      tools: listAt(body, "tools").flatMap((tool) => {
        const name = textAt(tool, "name");
        const inputSchema = objectAt(tool, "input_schema");
        if (name === undefined || inputSchema === undefined) return [];
        return [{ name, description: textAt(tool, "description") ?? "", inputSchema }];
      }),
      maxTokens: statedMaxTokens(numberAt(body, "max_tokens")),
      ...(temperature === undefined ? {} : { temperature }),
      thinking: thinkingLevel(body),
      ...profileOf(body, { api: anthropicApi, path: "messages" }),
    },
    stream: isJsonObject(body) && body["stream"] === true,
  };
}

function systemText(body: unknown): string {
  return (
    textAt(body, "system") ??
    listAt(body, "system")
      .map((block) => textAt(block, "text") ?? "")
      .join("\n\n")
  );
}

function thinkingLevel(body: unknown): ModelRequest["thinking"] {
  const thinking = objectAt(body, "thinking");
  switch (textAt(thinking, "type") ?? "") {
    case "adaptive": {
      const effort = textAt(objectAt(body, "output_config"), "effort");
      return effort === "low" || effort === "medium" ? effort : "high";
    }
    case "enabled": {
      const budget = numberAt(thinking, "budget_tokens") ?? 0;
      return budget <= 2048 ? "low" : budget <= 8192 ? "medium" : "high";
    }
    default:
      return "off";
  }
}

function decodeMessages(wire: readonly unknown[], model: string): readonly Message[] {
  const messages: Message[] = [];
  const names = new Map<string, string>();
  for (const [at, entry] of wire.entries()) {
    const said = isJsonObject(entry) ? entry["content"] : undefined;
    const content = contentList(said);
    const apart = at > 0 && textAt(wire[at - 1], "role") === textAt(entry, "role") ? { apart: true } : {};
    const shape = { ...shapeOf(said), ...apart };
    switch (textAt(entry, "role") ?? "") {
      case "assistant": {
        const message = decodeAssistant(content, model, shape);
        if (message === undefined) break;
        for (const block of message.content) if (block.type === "tool-use") names.set(block.id, block.name);
        // The API reads adjacent replies as one, so results may come after the last of them.
        const last = messages.at(-1);
        if (last?.role === "assistant")
          messages[messages.length - 1] = { ...message, content: [...last.content, ...message.content] };
        else messages.push(message);
        break;
      }
      case "system":
        messages.push(...withShape(content.map(decodeInstruction), shape));
        break;
      default:
        messages.push(...withShape(decodeUser(content, names), shape));
    }
  }
  return messages;
}

const ownFormat = { api: anthropicApi, model: undefined } as const;

/** How a client wrote a content that can be a text or a list; a list is what the encoder writes. */
function shapeOf(content: Json | undefined): JsonObject {
  return typeof content === "string" ? { form: "text" } : {};
}

/** Keeps the shape of a message with the first of the messages that it is read as. */
function withShape(messages: readonly Message[], shape: JsonObject): readonly Message[] {
  return messages.map((message, at) =>
    at > 0 ? message : { ...message, ...nativeOf(ownFormat, { ...message.native?.data, ...outer(message, shape) }) },
  );
}

/** A tool's message has a shape of its own; that of the message around it is only where that begins. */
function outer(message: Message, shape: JsonObject): JsonObject {
  return message.role === "tool" ? withoutKeys(shape, "form") : shape;
}

/** An instruction inside a conversation. One without text is kept as native content. */
function decodeInstruction(block: JsonObject): Message {
  const said = textAt(block, "text");
  if (said === undefined) return { role: "user", content: [{ type: "opaque", api: anthropicApi, raw: block }] };
  const rest = nativeOf(ownFormat, withoutKeys(block, "type", "text"));
  return { role: "system", content: [{ type: "text", text: said, ...rest }] };
}

function contentList(content: Json | undefined): readonly JsonObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

function decodeUser(content: readonly JsonObject[], names: ReadonlyMap<string, string>): readonly Message[] {
  const messages: Message[] = [];
  let said: UserContentBlock[] = [];
  const flush = (): void => {
    if (isNonEmpty(said)) messages.push({ role: "user", content: said });
    said = [];
  };
  for (const block of content) {
    if (block["type"] === "tool_result") {
      flush();
      const id = textAt(block, "tool_use_id") ?? "";
      const result = contentList(block["content"]).flatMap(decodeUserBlock);
      const fields = withoutKeys(block, "type", "tool_use_id", ...(result.length === 0 ? [] : ["content"]));
      const { is_error: failed, ...others } = fields;
      const kept = failed === undefined || failed === true ? others : fields;
      messages.push({
        role: "tool",
        tool_call_id: id as ToolCallId,
        tool_name: names.get(id) ?? "",
        content: isNonEmpty(result) ? result : [{ type: "text", text: "" }],
        outcome: failed === true ? "error" : "ok",
        ...nativeOf(ownFormat, {
          ...(Object.keys(kept).length === 0 ? {} : { fields: kept }),
          ...(result.length === 0 ? {} : shapeOf(block["content"])),
        }),
      });
      continue;
    }
    const update = block["type"] === "text" ? readSystemUpdate(textAt(block, "text") ?? "") : undefined;
    if (update === undefined) {
      said.push(...decodeUserBlock(block));
    } else {
      flush();
      const rest = nativeOf(ownFormat, withoutKeys(block, "type", "text"));
      messages.push({ role: "system", content: [{ type: "text", text: update, ...rest }] });
    }
  }
  flush();
  return messages;
}

function decodeUserBlock(block: JsonObject): readonly UserContentBlock[] {
  const rest = (...read: readonly string[]): ReturnType<typeof nativeOf> =>
    nativeOf(ownFormat, withoutKeys(block, "type", ...read));
  switch (textAt(block, "type") ?? "") {
    case "text":
      return [{ type: "text", text: textAt(block, "text") ?? "", ...rest("text") }];
    case "image": {
      const source = decodeSource(block);
      if (source === undefined) break;
      return [{ type: "image", ...source, ...rest("source") }];
    }
    case "document": {
      const source = decodeSource(block);
      const name = textAt(block, "title");
      if (source === undefined) break;
      return [{ type: "file", ...source, ...(name === undefined ? {} : { name }), ...rest("source", "title") }];
    }
  }
  return [{ type: "opaque", api: anthropicApi, raw: block }];
}

/** Undefined for sources that only the provider has, such as a file id. */
function decodeSource(block: JsonObject): Pick<ImageBlock | FileBlock, "mediaType" | "source"> | undefined {
  const source = objectAt(block, "source");
  const url = textAt(source, "url");
  const data = textAt(source, "data");
  switch (textAt(source, "type") ?? "") {
    case "url":
      if (url === undefined) return undefined;
      return { mediaType: block["type"] === "image" ? "image/*" : "application/pdf", source: { type: "url", url } };
    case "base64":
      if (data === undefined) return undefined;
      return {
        mediaType: textAt(source, "media_type") ?? "application/octet-stream",
        source: { type: "base64", data },
      };
    case "text":
      if (data === undefined) return undefined;
      return { mediaType: plainText, source: { type: "base64", data: base64OfText(data) } };
    default:
      return undefined;
  }
}

function decodeAssistant(
  wire: readonly JsonObject[],
  model: string,
  shape: JsonObject,
): Extract<Message, { readonly role: "assistant" }> | undefined {
  const native = nativeOf(ownFormat, shape);
  const content = wire.map((block) => decodeAssistantBlock(block, model));
  const origin = { api: anthropicApi, provider: "anthropic", model };
  const last = content.at(-1);
  const rest = content.slice(0, -1);
  if (last?.type === "text" && last.text === interruptedSuffix && isNonEmpty(rest))
    return { role: "assistant", content: rest, interrupted: true, origin, ...native };
  return isNonEmpty(content) ? { role: "assistant", content, origin, ...native } : undefined;
}

function decodeAssistantBlock(block: JsonObject, model: string): AssistantContentBlock {
  const rest = (...read: readonly string[]): ReturnType<typeof nativeOf> =>
    nativeOf({ api: anthropicApi, model }, withoutKeys(block, "type", ...read));
  switch (textAt(block, "type") ?? "") {
    case "text":
      return { type: "text", text: textAt(block, "text") ?? "", ...rest("text") };
    case "thinking":
      return {
        type: "thinking",
        text: textAt(block, "thinking") ?? "",
        signature: textAt(block, "signature") ?? "",
        ...rest("thinking", "signature"),
      };
    case "redacted_thinking":
      return { type: "thinking", text: "", redacted: textAt(block, "data") ?? "", ...rest("data") };
    case "tool_use":
      return {
        type: "tool-use",
        id: (textAt(block, "id") ?? "") as ToolCallId,
        name: textAt(block, "name") ?? "",
        parameters: objectAt(block, "input") ?? {},
        ...rest("id", "name", "input"),
      };
    default:
      return { type: "opaque", api: anthropicApi, raw: block };
  }
}
