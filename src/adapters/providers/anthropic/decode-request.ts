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
  for (const entry of wire) {
    const content = contentList(isJsonObject(entry) ? entry["content"] : undefined);
    switch (textAt(entry, "role") ?? "") {
      case "assistant": {
        const message = decodeAssistant(content, model);
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
        messages.push(...content.map(decodeInstruction));
        break;
      default:
        messages.push(...decodeUser(content, names));
    }
  }
  return messages;
}

/** An instruction inside a conversation. One without text is kept as native content. */
function decodeInstruction(block: JsonObject): Message {
  const said = textAt(block, "text");
  return said === undefined
    ? { role: "user", content: [{ type: "opaque", api: anthropicApi, raw: unmarked(block) }] }
    : { role: "system", content: [{ type: "text", text: said }] };
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
      messages.push({
        role: "tool",
        tool_call_id: id as ToolCallId,
        tool_name: names.get(id) ?? "",
        content: isNonEmpty(result) ? result : [{ type: "text", text: "" }],
        outcome: block["is_error"] === true ? "error" : "ok",
      });
      continue;
    }
    const update = block["type"] === "text" ? readSystemUpdate(textAt(block, "text") ?? "") : undefined;
    if (update === undefined) {
      said.push(...decodeUserBlock(block));
    } else {
      flush();
      messages.push({ role: "system", content: [{ type: "text", text: update }] });
    }
  }
  flush();
  return messages;
}

function decodeUserBlock(block: JsonObject): readonly UserContentBlock[] {
  const rest = (...read: readonly string[]): ReturnType<typeof nativeOf> =>
    nativeOf({ api: anthropicApi, model: undefined }, withoutKeys(unmarked(block), "type", ...read));
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
  return [{ type: "opaque", api: anthropicApi, raw: unmarked(block) }];
}

/** Cache marks are set again for each request. */
function unmarked(block: JsonObject): JsonObject {
  return withoutKeys(block, "cache_control");
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
): Extract<Message, { readonly role: "assistant" }> | undefined {
  const content = wire.map((block) => decodeAssistantBlock(block, model));
  const origin = { api: anthropicApi, provider: "anthropic", model };
  const last = content.at(-1);
  const rest = content.slice(0, -1);
  if (last?.type === "text" && last.text === interruptedSuffix && isNonEmpty(rest))
    return { role: "assistant", content: rest, interrupted: true, origin };
  return isNonEmpty(content) ? { role: "assistant", content, origin } : undefined;
}

function decodeAssistantBlock(block: JsonObject, model: string): AssistantContentBlock {
  const rest = (...read: readonly string[]): ReturnType<typeof nativeOf> => {
    const fields = Object.entries(withoutKeys(unmarked(block), "type", ...read)).filter(([, value]) => value !== null);
    return nativeOf({ api: anthropicApi, model }, Object.fromEntries(fields));
  };
  switch (textAt(block, "type") ?? "") {
    case "text":
      return { type: "text", text: textAt(block, "text") ?? "", ...rest("text") };
    case "thinking":
      return { type: "thinking", text: textAt(block, "thinking") ?? "", signature: textAt(block, "signature") ?? "" };
    case "redacted_thinking":
      return { type: "thinking", text: "", redacted: textAt(block, "data") ?? "" };
    case "tool_use":
      return {
        type: "tool-use",
        id: (textAt(block, "id") ?? "") as ToolCallId,
        name: textAt(block, "name") ?? "",
        parameters: objectAt(block, "input") ?? {},
        ...rest("id", "name", "input"),
      };
    default:
      return { type: "opaque", api: anthropicApi, raw: unmarked(block) };
  }
}
