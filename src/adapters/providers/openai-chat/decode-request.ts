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
import { chatApi } from "./api.ts";
import { readThinking, thoughtPart } from "./thinking.ts";

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
  for (const entry of wire) {
    switch (textAt(entry, "role") ?? "") {
      case "system":
      case "developer":
        messages.push(decodeInstruction(entry));
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
          content: resultContent(entry),
          // The format cannot mark a tool's result as failed.
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

/** An instruction inside a conversation, with the role that its client gave it. */
function decodeInstruction(entry: unknown): Message {
  const [first = "", ...rest] = textAt(entry, "content") === undefined ? textsOf(entry) : [plainContent(entry)];
  const native = { api: chatApi, data: { role: textAt(entry, "role") ?? "system" } };
  const block = (text: string): TextBlock => ({ type: "text", text });
  return { role: "system", content: [{ ...block(first), native }, ...rest.map(block)] };
}

function textsOf(entry: unknown): readonly string[] {
  return listAt(entry, "content").map((part) => textAt(part, "text") ?? "");
}

function resultContent(entry: unknown): ToolMessage["content"] {
  const parts = listAt(entry, "content").filter(isJsonObject).flatMap(decodeUserPart);
  const [first, ...rest]: ToolMessage["content"] = isNonEmpty(parts)
    ? parts
    : [{ type: "text", text: plainContent(entry) }];
  const name = textAt(entry, "name");
  return [name === undefined ? first : named(name)(first), ...rest];
}

function decodeUser(entry: unknown): readonly Message[] {
  const single = textAt(entry, "content");
  const name = textAt(entry, "name");
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
      const blocks = decodeUserPart(part);
      said.push(...(name === undefined || messages.length + said.length > 0 ? blocks : blocks.map(named(name))));
    } else {
      flush();
      messages.push({ role: "system", content: [{ type: "text", text: update }] });
    }
  }
  flush();
  return messages;
}

/** A message's name is kept with its first text. */
function named(name: string): (block: UserContentBlock) => UserContentBlock {
  return (block) => (block.type === "text" ? { ...block, native: { api: chatApi, data: { name } } } : block);
}

const ownFormat = { api: chatApi, model: undefined } as const;

function decodeUserPart(part: JsonObject): readonly UserContentBlock[] {
  switch (textAt(part, "type") ?? "") {
    case "text":
      return [{ type: "text", text: textAt(part, "text") ?? "" }];
    case "image_url": {
      // Some clients send only the address.
      const url = textAt(objectAt(part, "image_url"), "url") ?? textAt(part, "image_url");
      if (url === undefined) break;
      const rest = withoutKeys(objectAt(part, "image_url") ?? {}, "url");
      return [{ type: "image", ...mediaOf(url, "image/*"), ...nativeOf(ownFormat, rest) }];
    }
    case "file_url": {
      const url = textAt(objectAt(part, "file_url"), "url");
      if (url === undefined) break;
      const rest = withoutKeys(objectAt(part, "file_url") ?? {}, "url");
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
          ...nativeOf(ownFormat, withoutKeys(file, "file_data", "filename")),
        },
      ];
    }
  }
  return [{ type: "opaque", api: chatApi, raw: withoutKeys(part, "cache_control") }];
}

function decodeAssistant(entry: unknown, model: string): Extract<Message, { readonly role: "assistant" }> | undefined {
  const message = isJsonObject(entry) ? entry : {};
  const content: AssistantContentBlock[] = [...readThinking(message, model)];
  const single = textAt(message, "content");
  const said = single === undefined ? listAt(message, "content") : [{ type: "text", text: single }];
  for (const part of said) {
    const text = textAt(part, "text") ?? "";
    if (thoughtPart(part) === undefined && text !== "") content.push({ type: "text", text });
  }
  const refusal = textAt(message, "refusal") ?? "";
  if (refusal !== "") content.push({ type: "refusal", text: refusal });
  for (const call of listAt(message, "tool_calls").filter(isJsonObject)) {
    const called = objectAt(call, "function");
    const args = called?.["arguments"];
    content.push({
      type: "tool-use",
      id: (textAt(call, "id") ?? "") as ToolCallId,
      name: textAt(called, "name") ?? "",
      ...(isJsonObject(args) ? { parameters: args } : readToolArguments(typeof args === "string" ? args : "")),
      ...nativeOf({ api: chatApi, model }, withoutKeys(call, "id", "type", "function", "cache_control")),
    });
  }
  return withoutSuffix(content, { api: chatApi, provider: "openai", model });
}

/** Removes what the encoder adds to a reply that was cut off; the wire joins its texts into one string. */
function withoutSuffix(
  content: readonly AssistantContentBlock[],
  origin: { readonly api: string; readonly provider: string; readonly model: string },
): Extract<Message, { readonly role: "assistant" }> | undefined {
  if (!isNonEmpty(content)) return undefined;
  const last = content.at(-1);
  const ending = `\n\n${interruptedSuffix}`;
  const whole = last?.type === "text" && last.text === interruptedSuffix && content.length > 1;
  if (last?.type !== "text" || !(whole || last.text.endsWith(ending))) return { role: "assistant", content, origin };
  const kept = [...content.slice(0, -1), ...(whole ? [] : [{ ...last, text: last.text.slice(0, -ending.length) }])];
  return isNonEmpty(kept) ? { role: "assistant", content: kept, interrupted: true, origin } : undefined;
}
