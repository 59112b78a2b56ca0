import type { JsonObject } from "../../../core/base/json.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import { cacheKey } from "../shared/cache-key.ts";
import { argumentsOf } from "../shared/call-arguments.ts";
import { urlOf } from "../shared/media.ts";
import { nativeField } from "../shared/native.ts";
import { bodyOf, isSameFormat, ownIds, type RequestFormat } from "../shared/profile.ts";
import {
  type AssistantWireBlock,
  instructionText,
  interruptedSuffix,
  nineCharacterWireId,
  nothingText,
  plainWireId,
  projectPath,
  type Turn,
  type WireContentBlock,
  type WireResult,
} from "../shared/project.ts";
import { systemUpdate } from "../shared/system-update.ts";
import { chatApi } from "./api.ts";
import { withCacheMarks } from "./cache-marks.ts";
import { type ChatCompat, clientCompat } from "./compat.ts";
import { decodeRequest } from "./decode-request.ts";
import { writeThinking } from "./thinking.ts";

const chatFormat: RequestFormat = {
  api: chatApi,
  path: "messages",
  terms: [
    "model",
    "tools",
    "max_tokens",
    "max_completion_tokens",
    "reasoning_effort",
    "reasoning",
    "thinking",
    "enable_thinking",
    "chat_template_kwargs.enable_thinking",
    "temperature",
    "stream",
    "stream_options",
  ],
  read: (body) => decodeRequest(body).request,
};

/** Encodes a request as a body of `POST /v1/chat/completions`. */
export function encodeRequest(request: ModelRequest, server: ChatCompat, stream: boolean): JsonObject {
  const compat = isSameFormat(request, chatApi) ? clientCompat(server) : server;
  const wireId = ownIds(request, chatApi) ?? (compat.toolIds === "nine-characters" ? nineCharacterWireId : plainWireId);
  const turns = projectPath(request.messages, {
    api: chatApi,
    model: request.model,
    wireId,
    resumesPauses: false,
    signedEmptyTexts: false,
    opensWithUser: !compat.adjacentRoles,
    fromSameFormat: isSameFormat(request, chatApi),
    images: compat.images,
    isPrefill: request.prefill === true && compat.prefill !== "none",
  });
  const tools = request.tools.map((tool) => ({
    type: "function",
    function: {
      name: tool.name,
      ...(tool.description === "" ? {} : { description: tool.description }),
      parameters: tool.inputSchema,
    },
  }));
  const profile: JsonObject = {
    model: request.model,
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length > 0 && request.toolChoice === "none" ? { tool_choice: "none" } : {}),
    ...(tools.length > 0 && compat.parallelToolCalls ? { parallel_tool_calls: true } : {}),
    ...(request.maxTokens === null ? {} : { [compat.maxTokensField]: request.maxTokens }),
    ...thinkingFields(request, compat),
    ...(request.temperature === undefined || !compat.temperature ? {} : { temperature: request.temperature }),
    ...(compat.storeField ? { store: false } : {}),
    ...(compat.cacheKey ? { prompt_cache_key: cacheKey(request) } : {}),
    ...(request.prefill === true && compat.prefill === "continue_final_message"
      ? { continue_final_message: true, add_generation_prompt: false }
      : {}),
    stream,
    ...(stream && compat.streamUsage ? { stream_options: { include_usage: true } } : {}),
  };
  const opening = request.system.trim() === "" ? [] : [{ role: compat.systemRole, content: request.system }];
  const written = { profile, opening, turns: prefixed(encodeTurns(turns, compat), request, compat) };
  const body = bodyOf(request, written, chatFormat);
  return compat.cacheMarks && /claude|anthropic/.test(request.model) ? withCacheMarks(body) : body;
}

function thinkingFields(request: ModelRequest, compat: ChatCompat): JsonObject {
  switch (compat.thinkingField) {
    case "none":
      return {};
    case "reasoning_effort":
      // Without the field the model thinks by default; no value for "off" works with all models.
      return request.thinking === "off" ? {} : { reasoning_effort: request.thinking };
    case "reasoning":
      return { reasoning: request.thinking === "off" ? { enabled: false } : { effort: request.thinking } };
    case "thinking":
      return { thinking: { type: request.thinking === "off" ? "disabled" : "enabled" } };
    case "enable_thinking":
      return { enable_thinking: request.thinking !== "off" };
    case "chat_template_kwargs":
      return { chat_template_kwargs: { enable_thinking: request.thinking !== "off" } };
  }
}

/** Marks the last message as the beginning of the reply, for servers that refuse it otherwise. */
function prefixed(messages: readonly JsonObject[], request: ModelRequest, compat: ChatCompat): readonly JsonObject[] {
  const last = messages.at(-1);
  if (request.prefill !== true || compat.prefill !== "prefix" || last?.["role"] !== "assistant") return messages;
  return [...messages.slice(0, -1), { ...last, prefix: true }];
}

/** The assistant's words where it must say something before a person's message. */
const resultsReadText = "I have read the results.";

/** Every result directly follows its call; people's words and tools' images come after all of them. */
function encodeTurns(turns: readonly Turn[], compat: ChatCompat): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  let said: WireContentBlock[] = [];
  const flush = (): void => {
    if (said.length === 0) return;
    if (compat.assistantAfterResults && messages.at(-1)?.["role"] === "tool")
      messages.push({ role: "assistant", content: resultsReadText });
    messages.push(encodeUser(said, compat));
    said = [];
  };
  for (const [at, turn] of turns.entries()) {
    switch (turn.type) {
      case "user":
        // Tools' attachments and folded instructions join the words that follow.
        if (compat.adjacentRoles && turns[at - 1]?.type === "user") flush();
        said.push(...turn.content);
        break;
      case "system":
        if (compat.systemInside || turn.role !== undefined) {
          flush();
          messages.push({ role: turn.role ?? compat.systemRole, content: encodeTexts(turn.texts, compat) });
        } else {
          said.push({ type: "text", text: systemUpdate(instructionText(turn)) });
        }
        break;
      case "assistant":
        flush();
        messages.push(encodeAssistant(turn.content, compat));
        for (const result of turn.results) {
          messages.push(encodeResult(result, compat));
          if (!compat.imageInToolResult) said.push(...attachments(result));
        }
        break;
    }
  }
  flush();
  return messages;
}

function encodeUser(blocks: readonly WireContentBlock[], compat: ChatCompat): JsonObject {
  return { role: "user", ...nameOf(blocks), content: encodeUserContent(blocks, compat) };
}

/** The name that the client of the format gave a message. */
function nameOf([first]: readonly WireContentBlock[]): JsonObject {
  return first?.type === "text" ? nativeField(first.native?.data, "name") : {};
}

function encodeUserContent(blocks: readonly WireContentBlock[], compat: ChatCompat): string | readonly JsonObject[] {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  if (texts.length === blocks.length) return encodeTexts(texts, compat);
  return blocks.map((block): JsonObject => {
    switch (block.type) {
      case "text":
        return { type: "text", text: block.text };
      case "image":
        return { type: "image_url", image_url: { url: urlOf(block), ...block.native?.data } };
      case "file":
        return block.source.type === "url"
          ? { type: "file_url", file_url: { url: block.source.url, ...block.native?.data } }
          : { type: "file", file: { filename: block.name ?? "file", file_data: urlOf(block), ...block.native?.data } };
      case "opaque":
        return block.raw;
    }
  });
}

/** One text is a string; several are a list where the server accepts one. */
function encodeTexts(texts: readonly string[], compat: ChatCompat): string | readonly JsonObject[] {
  if (texts.length < 2 || !compat.textLists) return texts.join("\n\n");
  return texts.map((text) => ({ type: "text", text }));
}

function encodeAssistant(content: readonly AssistantWireBlock[], compat: ChatCompat): JsonObject {
  const texts = suffixed(
    content.flatMap((block) => (block.type === "text" || block.type === "refusal" ? [block.text] : [])),
  );
  const calls = content.flatMap((block) =>
    block.type === "tool-use"
      ? [
          {
            id: block.wireId,
            type: "function",
            function: { name: block.name, arguments: argumentsOf(block) },
            ...block.native?.data,
          },
        ]
      : [],
  );
  const thinking = writeThinking(
    content.filter((block) => block.type === "thinking"),
    compat.thinkingReplay,
  );
  const words = [...thinking.texts, ...texts];
  const said = [...thinking.content, ...words.map((text) => ({ type: "text", text }))];
  const missing = calls.length > 0 && compat.thinkingWithCalls && thinking.fields[compat.thinkingReplay] === undefined;
  return {
    role: "assistant",
    content:
      thinking.content.length > 0
        ? said
        : words.length > 0
          ? encodeTexts(words, compat)
          : calls.length > 0
            ? null
            : nothingText,
    ...(missing ? { [compat.thinkingReplay]: "" } : {}),
    ...thinking.fields,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** The last text says that a reply was cut off. */
function suffixed(texts: readonly string[]): readonly string[] {
  const before = texts.at(-2);
  if (texts.at(-1) !== interruptedSuffix || before === undefined) return texts;
  return [...texts.slice(0, -2), `${before}\n\n${interruptedSuffix}`];
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
    ...(compat.toolResultName ? { name: result.name } : nameOf(result.content)),
    content:
      compat.imageInToolResult && rest > 0
        ? encodeUserContent(result.content, compat)
        : encodeTexts([...texts, ...placeholder], compat),
  };
}

/** The content that a tool message cannot carry. */
function attachments(result: WireResult): readonly WireContentBlock[] {
  const list = result.content.filter((block) => block.type !== "text");
  return list.length === 0 ? [] : [{ type: "text", text: `Attachments from ${result.name}:` }, ...list];
}
