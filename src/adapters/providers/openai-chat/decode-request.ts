import type { ToolCallId } from "../../../core/base/ids.ts";
import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import { isNonEmpty } from "../../../core/base/non-empty.ts";
import type { AssistantContentBlock, Message, UserContentBlock } from "../../../core/message/types.ts";
import { readToolArguments } from "../../../core/model/assemble.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { DecodedRequest } from "../codec.ts";
import { listAt, numberAt, objectAt, textAt } from "../json-read.ts";
import { interruptedSuffix } from "../project.ts";
import { readSystemUpdate } from "../system-update.ts";
import { chatApi } from "./encode.ts";

/** Reads a body of `POST /v1/chat/completions`. Tolerant: whether the provider would take it is another question. */
export function decodeRequest(body: unknown): DecodedRequest {
  const model = textAt(body, "model") ?? "";
  const wire = listAt(body, "messages");
  const opening = wire.findIndex((message) => !isInstruction(message));
  const instructions = opening === -1 ? wire : wire.slice(0, opening);
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
      maxTokens: Math.max(1, numberAt(body, "max_completion_tokens") ?? numberAt(body, "max_tokens") ?? 1),
      ...(temperature === undefined ? {} : { temperature }),
      thinking: thinkingLevel(body),
    },
    stream: isJsonObject(body) && body["stream"] === true,
  };
}

function thinkingLevel(body: unknown): ModelRequest["thinking"] {
  const effort = textAt(body, "reasoning_effort") ?? textAt(objectAt(body, "reasoning"), "effort");
  if (effort === "low" || effort === "medium" || effort === "high") return effort;
  return textAt(objectAt(body, "thinking"), "type") === "enabled" ? "medium" : "off";
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
  for (const entry of wire) {
    switch (textAt(entry, "role") ?? "") {
      case "system":
      case "developer":
        messages.push({ role: "system", content: [{ type: "text", text: plainContent(entry) }] });
        break;
      case "assistant": {
        const message = decodeAssistant(entry, model);
        if (message === undefined) break;
        for (const block of message.content) if (block.type === "tool-use") names.set(block.id, block.name);
        messages.push(message);
        break;
      }
      case "tool": {
        const id = textAt(entry, "tool_call_id") ?? "";
        messages.push({
          role: "tool",
          tool_call_id: id as ToolCallId,
          tool_name: names.get(id) ?? textAt(entry, "name") ?? "",
          content: [{ type: "text", text: plainContent(entry) }],
          // The format has no place to say that a tool failed.
          outcome: "ok",
        });
        break;
      }
      default:
        messages.push(...decodeUser(entry));
    }
  }
  return messages;
}

function decodeUser(entry: unknown): readonly Message[] {
  const single = textAt(entry, "content");
  const parts = single === undefined ? listAt(entry, "content").filter(isJsonObject) : [{ type: "text", text: single }];
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
  return messages;
}

function decodeUserPart(part: JsonObject): readonly UserContentBlock[] {
  switch (textAt(part, "type") ?? "") {
    case "text": {
      const text = textAt(part, "text") ?? "";
      return text === "" ? [] : [{ type: "text", text }];
    }
    case "image_url":
      return [{ type: "image", ...sourceOf(textAt(objectAt(part, "image_url"), "url") ?? "", "image/*") }];
    case "file_url":
      return [
        { type: "file", ...sourceOf(textAt(objectAt(part, "file_url"), "url") ?? "", "application/octet-stream") },
      ];
    case "file": {
      const file = objectAt(part, "file");
      const data = textAt(file, "file_data");
      const name = textAt(file, "filename");
      return data === undefined
        ? []
        : [{ type: "file", ...sourceOf(data, "application/octet-stream"), ...(name === undefined ? {} : { name }) }];
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

function decodeAssistant(entry: unknown, model: string): Extract<Message, { readonly role: "assistant" }> | undefined {
  const content: AssistantContentBlock[] = [];
  const details = listAt(entry, "reasoning_details").filter(isJsonObject);
  const thought = textAt(entry, "reasoning_content") ?? textAt(entry, "reasoning") ?? "";
  if (thought !== "" || details.length > 0) {
    content.push({
      type: "thinking",
      text:
        thought === ""
          ? details.map((detail) => textAt(detail, "text") ?? textAt(detail, "summary") ?? "").join("")
          : thought,
      ...(details.length === 0 ? {} : { native: { api: chatApi, model, data: { reasoning_details: details } } }),
    });
  }
  const said = plainContent(entry);
  if (said !== "") content.push({ type: "text", text: said });
  const refusal = textAt(entry, "refusal") ?? "";
  if (refusal !== "") content.push({ type: "refusal", text: refusal });
  for (const call of listAt(entry, "tool_calls")) {
    const named = objectAt(call, "function");
    const args = named?.["arguments"];
    content.push({
      type: "tool-use",
      id: (textAt(call, "id") ?? "") as ToolCallId,
      name: textAt(named, "name") ?? "",
      ...(isJsonObject(args) ? { parameters: args } : readToolArguments(typeof args === "string" ? args : "")),
    });
  }
  return withoutSuffix(content, { api: chatApi, provider: "openai", model });
}

/** Takes off what the encoder adds to a reply that was cut off; the wire has its texts in one string. */
function withoutSuffix(
  content: readonly AssistantContentBlock[],
  origin: { readonly api: string; readonly provider: string; readonly model: string },
): Extract<Message, { readonly role: "assistant" }> | undefined {
  if (!isNonEmpty(content)) return undefined;
  const last = content.at(-1);
  const ending = `\n\n${interruptedSuffix}`;
  if (last?.type !== "text" || !last.text.endsWith(ending)) return { role: "assistant", content, origin };
  const kept = [...content.slice(0, -1), { ...last, text: last.text.slice(0, -ending.length) }];
  return isNonEmpty(kept) ? { role: "assistant", content: kept, interrupted: true, origin } : undefined;
}
