import type { JsonObject } from "../../../core/base/json.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import { systemUpdate } from "../system-update.ts";
import {
  type AssistantWireBlock,
  nineCharacterWireId,
  plainWireId,
  projectPath,
  type Turn,
  type WireResult,
  type WireContentBlock,
  type WireMediaBlock,
} from "../project.ts";
import type { ChatCompat } from "./compat.ts";

/** Name of the wire format. */
export const chatApi = "openai-chat";

/** Writes a request as a body of `POST /v1/chat/completions`. */
export function encodeRequest(request: ModelRequest, compat: ChatCompat, stream: boolean): JsonObject {
  const wireId = compat.toolIds === "nine-characters" ? nineCharacterWireId : plainWireId;
  const turns = projectPath(request.messages, {
    api: chatApi,
    model: request.model,
    wireId,
    resumesPauses: false,
    signedEmptyTexts: false,
  });
  const tools = request.tools.map((tool) => ({
    type: "function",
    function: { name: tool.name, description: tool.description, parameters: tool.inputSchema },
  }));
  return {
    model: request.model,
    messages: [
      ...(request.system.trim() === "" ? [] : [{ role: compat.systemRole, content: request.system }]),
      ...encodeTurns(turns, compat),
    ],
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length > 0 && compat.parallelToolCalls ? { parallel_tool_calls: true } : {}),
    [compat.maxTokensField]: request.maxTokens,
    ...thinkingFields(request, compat),
    ...(request.temperature === undefined || !compat.temperature ? {} : { temperature: request.temperature }),
    ...(compat.storeField ? { store: false } : {}),
    stream,
    ...(stream && compat.streamUsage ? { stream_options: { include_usage: true } } : {}),
  };
}

function thinkingFields(request: ModelRequest, compat: ChatCompat): JsonObject {
  switch (compat.thinkingField) {
    case "none":
      return {};
    case "reasoning_effort":
      // Without the field the model thinks as much as it does by default; there is no word for "off" that all of them take.
      return request.thinking === "off" ? {} : { reasoning_effort: request.thinking };
    case "reasoning":
      return { reasoning: request.thinking === "off" ? { enabled: false } : { effort: request.thinking } };
    case "thinking":
      return { thinking: { type: request.thinking === "off" ? "disabled" : "enabled" } };
  }
}

/** Every result directly follows the message that asked; what people said, and images that tools gave, come after all of them. */
function encodeTurns(turns: readonly Turn[], compat: ChatCompat): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  let said: WireContentBlock[] = [];
  const flush = (): void => {
    if (said.length > 0) messages.push({ role: "user", content: encodeUserContent(said, compat) });
    said = [];
  };
  for (const turn of turns) {
    switch (turn.type) {
      case "user":
        said.push(...turn.content);
        break;
      case "system":
        if (compat.systemInside) {
          flush();
          messages.push({ role: compat.systemRole, content: turn.text });
        } else {
          said.push({ type: "text", text: systemUpdate(turn.text) });
        }
        break;
      case "assistant":
        flush();
        messages.push(encodeAssistant(turn.content, compat));
        for (const result of turn.results) {
          messages.push(encodeResult(result, compat));
          said.push(...attachments(result));
        }
        break;
    }
  }
  flush();
  return messages;
}

function encodeUserContent(blocks: readonly WireContentBlock[], compat: ChatCompat): string | readonly JsonObject[] {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  if (texts.length === blocks.length && (texts.length === 1 || !compat.textLists)) return texts.join("\n\n");
  return blocks.map((block): JsonObject => {
    switch (block.type) {
      case "text":
        return { type: "text", text: block.text };
      case "image":
        return { type: "image_url", image_url: { url: urlOf(block) } };
      case "file":
        return block.source.type === "url"
          ? { type: "file_url", file_url: { url: block.source.url } }
          : { type: "file", file: { filename: block.name ?? "file", file_data: urlOf(block) } };
    }
  });
}

function urlOf(block: WireMediaBlock): string {
  return block.source.type === "url" ? block.source.url : `data:${block.mediaType};base64,${block.source.data}`;
}

function encodeAssistant(content: readonly AssistantWireBlock[], compat: ChatCompat): JsonObject {
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
  const calls = content.flatMap((block) =>
    block.type === "tool-use"
      ? [{ id: block.wireId, type: "function", function: { name: block.name, arguments: argumentsOf(block) } }]
      : [],
  );
  return {
    role: "assistant",
    content: text === "" ? (calls.length > 0 ? null : "") : text,
    ...replayedThinking(content, compat),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function argumentsOf(block: Extract<AssistantWireBlock, { readonly type: "tool-use" }>): string {
  // Servers that parse the arguments refuse the whole request over one broken call; its result says what was wrong.
  if (block.argumentsError !== undefined) return "{}";
  return block.rawParameters ?? JSON.stringify(block.parameters);
}

function replayedThinking(content: readonly AssistantWireBlock[], compat: ChatCompat): JsonObject {
  const blocks = content.filter((block) => block.type === "thinking");
  if (blocks.length === 0 || compat.thinkingReplay === "none") return {};
  if (compat.thinkingReplay === "reasoning_details") {
    const details = blocks.flatMap((block) => {
      const list = block.native?.data["reasoning_details"];
      return Array.isArray(list) ? list : [];
    });
    if (details.length > 0) return { reasoning_details: details };
  }
  const text = blocks.map((block) => block.text).join("\n\n");
  const field = compat.thinkingReplay === "reasoning_details" ? "reasoning" : compat.thinkingReplay;
  return text === "" ? {} : { [field]: text };
}

function encodeResult(result: WireResult, compat: ChatCompat): JsonObject {
  const texts = result.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const rest = result.content.length - texts.length;
  const placeholder =
    rest === 0
      ? []
      : [`(${rest === 1 ? "An attachment follows" : `${rest} attachments follow`} in the next user message.)`];
  return {
    role: "tool",
    tool_call_id: result.wireId,
    ...(compat.toolResultName ? { name: result.name } : {}),
    content: [...texts, ...placeholder].join("\n\n"),
  };
}

/** What a tool message cannot carry. */
function attachments(result: WireResult): readonly WireContentBlock[] {
  const list = result.content.filter((block) => block.type !== "text");
  return list.length === 0 ? [] : [{ type: "text", text: `Attachments from ${result.name}:` }, ...list];
}
