import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import type { TextBlock } from "../../../core/message/types.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import { cacheKey } from "../shared/cache-key.ts";
import { argumentsOf } from "../shared/call-arguments.ts";
import { textAt } from "../shared/json-read.ts";
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
import { fieldsOf } from "../shared/wire-shape.ts";
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
  const exact = isSameFormat(request, chatApi);
  const compat: Facts = { ...(exact ? clientCompat(server) : server), exact };
  const wireId = ownIds(request, chatApi) ?? (compat.toolIds === "nine-characters" ? nineCharacterWireId : plainWireId);
  const turns = projectPath(request.messages, {
    api: chatApi,
    model: request.model,
    wireId,
    resumesPauses: false,
    signedEmptyTexts: false,
    opensWithUser: !compat.adjacentRoles,
    fromSameFormat: exact,
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
  const searches = request.serverTools?.some(({ kind }) => kind === "web-search") === true;
  const profile: JsonObject = {
    model: request.model,
    ...(tools.length === 0 ? {} : { tools }),
    ...(searches && compat.webSearch === "plugin" ? { plugins: [{ id: "web" }] } : {}),
    ...(tools.length > 0 && request.toolChoice === "none" ? { tool_choice: "none" } : {}),
    ...(tools.length > 0 && compat.parallelToolCalls ? { parallel_tool_calls: true } : {}),
    ...(request.maxTokens === null ? {} : { [compat.maxTokensField]: request.maxTokens }),
    ...thinkingFields(request, compat),
    ...(request.outputSchema === undefined
      ? {}
      : {
          response_format: {
            type: "json_schema",
            // The strict mode takes a part of JSON Schema only; the reply is checked on arrival.
            json_schema: { name: "reply", schema: request.outputSchema, strict: false },
          },
        }),
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
  // A client of the format sets its own marks.
  return compat.cacheMarks && !exact && /claude|anthropic/.test(request.model) ? withCacheMarks(body) : body;
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

/** The facts of the server; `exact` where the request came from a client of the format, and goes out as it came. */
type Facts = ChatCompat & { readonly exact: boolean };

/** The assistant's words where it must say something before a person's message. */
const resultsReadText = "I have read the results.";

/** Every result directly follows its call; people's words and tools' images come after all of them. */
function encodeTurns(turns: readonly Turn[], compat: Facts): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  let said: WireContentBlock[] = [];
  let shape: JsonObject | undefined;
  const flush = (): void => {
    if (said.length === 0) return;
    if (compat.assistantAfterResults && messages.at(-1)?.["role"] === "tool")
      messages.push({ role: "assistant", content: resultsReadText });
    messages.push(encodeUser(said, compat, shape));
    said = [];
    shape = undefined;
  };
  for (const [at, turn] of turns.entries()) {
    switch (turn.type) {
      case "user":
        // Tools' attachments and folded instructions join the words that follow.
        if (compat.adjacentRoles && turns[at - 1]?.type === "user") flush();
        said.push(...turn.content);
        shape ??= turn.extras;
        break;
      case "system":
        if (compat.systemInside || turn.role !== undefined) {
          flush();
          const content = contentOf(
            turn.blocks.map((block) => textPart(block, compat)),
            compat,
            turn.extras,
          );
          messages.push({ role: turn.role ?? compat.systemRole, content, ...fieldsOf(turn.extras) });
        } else {
          said.push({ type: "text", text: systemUpdate(instructionText(turn)) });
        }
        break;
      case "assistant":
        flush();
        messages.push(encodeAssistant(turn, compat));
        for (const [place, result] of turn.results.entries()) {
          const call = turn.content.filter((block) => block.type === "tool-use")[place];
          messages.push(encodeResult(result, compat, compat.exact && isSingle(call?.native?.data)));
          if (!compat.imageInToolResult) said.push(...attachments(result));
        }
        break;
    }
  }
  flush();
  return messages;
}

function encodeUser(blocks: readonly WireContentBlock[], compat: Facts, shape: JsonObject | undefined): JsonObject {
  const content = contentOf(
    blocks.map((block) => userPart(block, compat)),
    compat,
    shape,
  );
  return { role: "user", ...nameOf(blocks), content, ...fieldsOf(shape) };
}

/** The name that the client of the format gave a message, as older messages keep it. */
function nameOf([first]: readonly WireContentBlock[]): JsonObject {
  return first?.type === "text" ? nativeField(first.native?.data, "name") : {};
}

function textPart(block: Pick<TextBlock, "text" | "native">, compat: Facts): JsonObject {
  const { cache_control: mark, ...rest } = fieldsOf(block.native?.data, "part");
  const own = compat.exact && mark !== undefined ? { ...rest, cache_control: mark } : rest;
  return { type: "text", text: block.text, ...own };
}

function userPart(block: WireContentBlock, compat: Facts): JsonObject {
  if (block.type === "text") return textPart(block, compat);
  if (block.type === "opaque") return block.raw;
  const { part: _fields, bare, ...inner } = block.native?.data ?? {};
  const { cache_control: mark, ...rest } = fieldsOf(block.native?.data, "part");
  const own = compat.exact && mark !== undefined ? { ...rest, cache_control: mark } : rest;
  if (block.type === "image")
    return { type: "image_url", image_url: bare === true ? urlOf(block) : { url: urlOf(block), ...inner }, ...own };
  return block.source.type === "url"
    ? { type: "file_url", file_url: { url: block.source.url, ...inner }, ...own }
    : { type: "file", file: { filename: block.name ?? "file", file_data: urlOf(block), ...inner }, ...own };
}

/** One plain text is a string; several are a list where the server accepts one. */
function contentOf(parts: readonly JsonObject[], compat: Facts, shape?: JsonObject): string | readonly JsonObject[] {
  if (shape?.["form"] === "list" && compat.textLists) return parts;
  const isText = parts.every((part) => part["type"] === "text");
  const isPlain = parts.length < 2 && parts.every((part) => Object.keys(part).length === 2);
  if (!isText || (compat.textLists && !isPlain)) return parts;
  return parts.map((part) => textAt(part, "text") ?? "").join("\n\n");
}

type AssistantTurn = Extract<Turn, { readonly type: "assistant" }>;

function encodeAssistant({ content, extras }: AssistantTurn, compat: Facts): JsonObject {
  const thinking = writeThinking(
    content.filter((block) => block.type === "thinking"),
    compat.thinkingReplay,
  );
  const words = suffixed(content.flatMap((block) => wordsOf(block, compat)));
  const parts = [...thinking.content, ...thinking.texts.map((text) => ({ type: "text", text })), ...words];
  const calls = content.flatMap((block) => (block.type === "tool-use" ? [block] : []));
  const single = compat.exact ? calls.find((call) => isSingle(call.native?.data)) : undefined;
  const listed = calls.filter((call) => call !== single).map((call) => encodeCall(call, compat));
  const missing = calls.length > 0 && compat.thinkingWithCalls && thinking.fields[compat.thinkingReplay] === undefined;
  const refusal = content.find((block) => block.type === "refusal" && block.native?.data["field"] === true);
  const empty = calls.length > 0 ? null : nothingText;
  const said = parts.length > 0 ? (thinking.content.length > 0 ? parts : contentOf(parts, compat, extras)) : empty;
  const spokenAloud = content.find((block) => block.type === "text" && block.native?.data["audio"] !== undefined);
  const form = compat.exact ? extras?.["form"] : undefined;
  return {
    role: "assistant",
    ...(form === "none" && parts.length === 0 ? {} : { content: spokenAloud === undefined ? said : null }),
    ...(spokenAloud?.type === "text" ? audioOf(spokenAloud.native?.data) : {}),
    ...(compat.exact && refusal?.type === "refusal" ? { refusal: refusal.text } : {}),
    ...(missing ? { [compat.thinkingReplay]: "" } : {}),
    ...thinking.fields,
    ...(listed.length === 0 ? {} : { tool_calls: listed }),
    ...(single === undefined
      ? {}
      : { function_call: { name: single.name, arguments: argumentsOf(single, compat.exact) } }),
    ...fieldsOf(extras),
  };
}

/** Speech goes back by the id that the provider gave it. */
function audioOf(data: JsonObject | undefined): JsonObject {
  const { id } = fieldsOf(data, "audio");
  return id === undefined ? {} : { audio: { id } };
}

/** The parts of a message that a block is. Refusals that came in a field go back there. */
function wordsOf(block: AssistantWireBlock, compat: Facts): readonly JsonObject[] {
  switch (block.type) {
    case "text":
      return block.text === "" ? [] : [textPart(block, compat)];
    case "refusal":
      if (!compat.exact) return [{ type: "text", text: block.text }];
      return block.native?.data["field"] === true ? [] : [{ type: "refusal", refusal: block.text }];
    case "opaque":
      return compat.exact && textAt(block.raw, "type") !== "executed_tools" ? [block.raw] : [];
    case "thinking":
    case "tool-use":
      return [];
  }
}

/** Whether a call has the older form, one of a reply. */
function isSingle(data: JsonObject | undefined): boolean {
  return data?.["type"] === "function_call";
}

function encodeCall(block: Extract<AssistantWireBlock, { readonly type: "tool-use" }>, compat: Facts): JsonObject {
  const { untyped, type, function: inner, ...rest } = block.native?.data ?? {};
  const more = isJsonObject(inner) ? inner : {};
  const { input } = block.parameters;
  if (type === "custom") {
    const custom = { name: block.name, input: typeof input === "string" ? input : "", ...more };
    return { id: block.wireId, type, custom, ...rest };
  }
  return {
    id: block.wireId,
    ...(untyped === true ? {} : { type: "function" }),
    function: { name: block.name, arguments: argumentsOf(block, compat.exact), ...more },
    ...rest,
  };
}

/** The last text says that a reply was cut off. */
function suffixed(parts: readonly JsonObject[]): readonly JsonObject[] {
  const before = parts.at(-2);
  const text = textAt(before, "text");
  if (textAt(parts.at(-1), "text") !== interruptedSuffix || text === undefined) return parts;
  return [...parts.slice(0, -2), { ...before, text: `${text}\n\n${interruptedSuffix}` }];
}

function encodeResult(result: WireResult, compat: Facts, single: boolean): JsonObject {
  const texts = result.content.flatMap((block) => (block.type === "text" ? [block] : []));
  const rest = result.content.length - texts.length;
  const placeholder =
    rest === 0
      ? []
      : [`(${rest === 1 ? "An attachment follows" : `${rest} attachments follow`} in the next user message.)`];
  const said = [...texts, ...placeholder.map((text) => ({ text }))].map((block) => textPart(block, compat));
  const whole = compat.imageInToolResult && rest > 0;
  const content = contentOf(
    whole ? result.content.map((block) => userPart(block, compat)) : said,
    compat,
    result.extras,
  );
  if (single) return { role: "function", name: result.name, content, ...fieldsOf(result.extras) };
  return {
    role: "tool",
    tool_call_id: result.wireId,
    ...(compat.toolResultName ? { name: result.name } : nameOf(result.content)),
    content,
    ...fieldsOf(result.extras),
  };
}

/** The content that a tool message cannot carry. */
function attachments(result: WireResult): readonly WireContentBlock[] {
  const list = result.content.filter((block) => block.type !== "text");
  return list.length === 0 ? [] : [{ type: "text", text: `Attachments from ${result.name}:` }, ...list];
}
