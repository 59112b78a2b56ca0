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
import type { DecodedRequest } from "../codec.ts";
import { listAt, numberAt, objectAt, textAt } from "../json-read.ts";
import { interruptedSuffix } from "../project.ts";
import { readSystemUpdate } from "../system-update.ts";
import { anthropicApi } from "./encode.ts";

/** Reads a body of `POST /v1/messages`. Tolerant: whether the provider would take it is another question. */
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
      maxTokens: Math.max(1, numberAt(body, "max_tokens") ?? 1),
      ...(temperature === undefined ? {} : { temperature }),
      thinking: thinkingLevel(body),
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
        // The API reads adjacent replies as one, so that results may come after the last of them.
        const last = messages.at(-1);
        if (last?.role === "assistant")
          messages[messages.length - 1] = { ...message, content: [...last.content, ...message.content] };
        else messages.push(message);
        break;
      }
      case "system": {
        for (const block of content) {
          const said = textAt(block, "text");
          if (said !== undefined) messages.push({ role: "system", content: [{ type: "text", text: said }] });
        }
        break;
      }
      default:
        messages.push(...decodeUser(content, names));
    }
  }
  return messages;
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
  switch (textAt(block, "type") ?? "") {
    case "text":
      return [{ type: "text", text: textAt(block, "text") ?? "" }];
    case "image": {
      const source = decodeSource(block);
      return source === undefined ? [] : [{ type: "image", ...source }];
    }
    case "document": {
      const source = decodeSource(block);
      const name = textAt(block, "title");
      return source === undefined ? [] : [{ type: "file", ...source, ...(name === undefined ? {} : { name }) }];
    }
    default:
      return [];
  }
}

function decodeSource(block: JsonObject): Pick<ImageBlock | FileBlock, "mediaType" | "source"> | undefined {
  const source = objectAt(block, "source");
  const url = textAt(source, "url");
  const mediaType =
    textAt(source, "media_type") ?? (block["type"] === "image" ? "image/*" : "application/octet-stream");
  if (url !== undefined) return { mediaType, source: { type: "url", url } };
  const data = textAt(source, "data");
  return data === undefined ? undefined : { mediaType, source: { type: "base64", data } };
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
  switch (textAt(block, "type") ?? "") {
    case "text":
      return { type: "text", text: textAt(block, "text") ?? "", ...nativeOf(block, "citations", model) };
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
        ...nativeOf(block, "caller", model),
      };
    default: {
      const { cache_control: _mark, ...raw } = block;
      return { type: "opaque", api: anthropicApi, raw };
    }
  }
}

function nativeOf(
  block: JsonObject,
  key: string,
  model: string,
): { readonly native?: { readonly api: string; readonly model: string; readonly data: JsonObject } } {
  const value = block[key];
  return value === undefined || value === null ? {} : { native: { api: anthropicApi, model, data: { [key]: value } } };
}
