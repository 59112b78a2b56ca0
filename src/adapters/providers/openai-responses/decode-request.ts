import type { ToolCallId } from "../../../core/base/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import { isNonEmpty } from "../../../core/base/non-empty.ts";
import type { AssistantContentBlock, Message, NativeExtras, UserContentBlock } from "../../../core/message/types.ts";
import { readToolArguments } from "../../../core/model/assemble.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { DecodedRequest } from "../codec.ts";
import { listAt, numberAt, objectAt, textAt } from "../json-read.ts";
import { interruptedSuffix } from "../project.ts";
import { responsesApi } from "./encode.ts";
import { callExtras, readReasoning, textExtras } from "./item.ts";

/** Reads a body of `POST /v1/responses`. Tolerant: whether the provider would take it is another question. */
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
      maxTokens: Math.max(1, numberAt(body, "max_output_tokens") ?? 1),
      ...(temperature === undefined ? {} : { temperature }),
      thinking: thinkingLevel(textAt(objectAt(body, "reasoning"), "effort") ?? ""),
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

/** Items of the assistant stand one by one in the list; those between two of anybody else's are one message. */
function decodeInput(input: Json | undefined, model: string): readonly Message[] {
  if (typeof input === "string")
    return input === "" ? [] : [{ role: "user", content: [{ type: "text", text: input }] }];
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
      messages.push(...decodeSaid(item));
    } else if (type === "function_call_output" || type === "custom_tool_call_output") {
      flush();
      messages.push(decodeOutput(item, names));
    } else {
      const blocks = decodeItem(item, type, model);
      for (const block of blocks) if (block.type === "tool-use") names.set(block.id, block.name);
      reply.push(...blocks);
    }
  }
  flush();
  return messages;
}

/** Takes off what the encoder adds to a reply that was cut off. */
function assistantMessage(content: readonly AssistantContentBlock[], model: string): Message | undefined {
  const origin = { api: responsesApi, provider: "openai", model };
  const last = content.at(-1);
  const rest = content.slice(0, -1);
  if (last?.type === "text" && last.text === interruptedSuffix && isNonEmpty(rest))
    return { role: "assistant", content: rest, interrupted: true, origin };
  return isNonEmpty(content) ? { role: "assistant", content, origin } : undefined;
}

function decodeSaid(item: JsonObject): readonly Message[] {
  const content = contentBlocks(item["content"]);
  const role = textAt(item, "role");
  if (role === "system" || role === "developer") {
    const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
    return [{ role: "system", content: [{ type: "text", text }] }];
  }
  return isNonEmpty(content) ? [{ role: "user", content }] : [];
}

function decodeOutput(item: JsonObject, names: ReadonlyMap<string, string>): Message {
  const id = textAt(item, "call_id") ?? "";
  const content = contentBlocks(item["output"]);
  return {
    role: "tool",
    tool_call_id: id as ToolCallId,
    tool_name: names.get(id) ?? "",
    content: isNonEmpty(content) ? content : [{ type: "text", text: "" }],
    // The format has no place to say that a tool failed.
    outcome: "ok",
  };
}

function contentBlocks(content: Json | undefined): readonly UserContentBlock[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject).flatMap(decodeUserPart) : [];
}

function decodeUserPart(part: JsonObject): readonly UserContentBlock[] {
  switch (textAt(part, "type") ?? "") {
    case "input_text":
    case "output_text":
    case "text": {
      const text = textAt(part, "text") ?? "";
      return text === "" ? [] : [{ type: "text", text }];
    }
    case "input_image": {
      const url = textAt(part, "image_url");
      return url === undefined ? [] : [{ type: "image", ...sourceOf(url, "image/*") }];
    }
    case "input_file": {
      const url = textAt(part, "file_data") ?? textAt(part, "file_url");
      const name = textAt(part, "filename");
      if (url === undefined) return [];
      return [{ type: "file", ...sourceOf(url, "application/octet-stream"), ...(name === undefined ? {} : { name }) }];
    }
    default:
      return [];
  }
}

type Source = { readonly type: "url"; readonly url: string } | { readonly type: "base64"; readonly data: string };

function sourceOf(url: string, usual: string): { readonly mediaType: string; readonly source: Source } {
  const data = /^data:([^;,]+);base64,(.*)$/su.exec(url);
  if (data === null) return { mediaType: usual, source: { type: "url", url } };
  return { mediaType: data[1] ?? usual, source: { type: "base64", data: data[2] ?? "" } };
}

function decodeItem(item: JsonObject, type: string, model: string): readonly AssistantContentBlock[] {
  switch (type) {
    case "message":
      return decodeSpoken(item, model);
    case "reasoning": {
      const { text, signature, data } = readReasoning(item);
      return [
        {
          type: "thinking",
          text,
          ...(signature === undefined ? {} : { signature }),
          ...nativeOf(data, model),
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
          ...nativeOf(callExtras(item), model),
        },
      ];
    case "custom_tool_call":
      return [
        {
          type: "tool-use",
          id: (textAt(item, "call_id") ?? "") as ToolCallId,
          name: textAt(item, "name") ?? "",
          parameters: { input: textAt(item, "input") ?? "" },
          ...nativeOf(callExtras(item), model),
        },
      ];
    case "item_reference":
      // What the provider keeps under an id is not ours to send.
      return [];
    default:
      return [{ type: "opaque", api: responsesApi, raw: item }];
  }
}

function decodeSpoken(item: JsonObject, model: string): readonly AssistantContentBlock[] {
  const whole = textAt(item, "content");
  const parts = whole === undefined ? listAt(item, "content") : [{ type: "output_text", text: whole }];
  return parts.map((part): AssistantContentBlock => {
    const refusal = textAt(part, "refusal");
    if (refusal !== undefined) return { type: "refusal", text: refusal };
    return {
      type: "text",
      text: textAt(part, "text") ?? "",
      ...nativeOf(textExtras(textAt(item, "phase"), listAt(part, "annotations")), model),
    };
  });
}

function nativeOf(data: JsonObject | undefined, model: string): { readonly native?: NativeExtras } {
  return data === undefined ? {} : { native: { api: responsesApi, model, data } };
}
