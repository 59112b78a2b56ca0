import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { ServerTool } from "../../../core/model/server-tool.ts";
import { objectAt, textAt } from "../shared/json-read.ts";
import { plainText, textOfBase64 } from "../shared/media.ts";
import { bodyOf, isSameFormat, ownIds, requiredMaxTokens, type RequestFormat } from "../shared/profile.ts";
import {
  type AssistantWireBlock,
  instructionText,
  nothingText,
  plainWireId,
  projectPath,
  type Turn,
  type WireContentBlock,
  type WireMediaBlock,
  type WireResult,
} from "../shared/project.ts";
import { systemUpdate } from "../shared/system-update.ts";
import { anthropicApi } from "./api.ts";
import type { AnthropicCompat } from "./compat.ts";
import { decodeRequest } from "./decode-request.ts";

const messagesFormat: RequestFormat = {
  api: anthropicApi,
  path: "messages",
  terms: ["model", "max_tokens", "system", "tools", "thinking", "output_config.effort", "temperature", "stream"],
  read: (body) => decodeRequest(body).request,
};

/** Encodes a request as a body of `POST /v1/messages`. */
export function encodeRequest(request: ModelRequest, compat: AnthropicCompat, stream: boolean): JsonObject {
  const fromClient = isSameFormat(request, anthropicApi);
  const turns = projectPath(request.messages, {
    api: anthropicApi,
    model: request.model,
    wireId: ownIds(request, anthropicApi) ?? plainWireId,
    resumesPauses: true,
    signedEmptyTexts: false,
    opensWithUser: true,
    fromSameFormat: fromClient,
    images: compat.images,
    isPrefill: request.prefill === true && compat.prefill,
  });
  const tools = request.tools.map((tool) => ({
    name: tool.name,
    ...(tool.description === "" ? {} : { description: tool.description }),
    // The only API that requires the type; others take a schema without one as an object's.
    input_schema: { type: "object", ...tool.inputSchema },
  }));
  const own = compat.serverTools ? (request.serverTools ?? []).flatMap(encodeServerTool) : [];
  const profile = {
    model: request.model,
    max_tokens: request.maxTokens ?? requiredMaxTokens,
    ...(request.system.trim() === "" ? {} : { system: [{ type: "text", text: request.system }] }),
    ...(tools.length + own.length === 0 ? {} : { tools: [...tools, ...own] }),
    ...(tools.length > 0 && request.toolChoice === "none" ? { tool_choice: { type: "none" } } : {}),
    ...withFormat(thinkingFields(request, compat, turns), request.outputSchema),
    ...(request.temperature === undefined || !compat.temperature ? {} : { temperature: request.temperature }),
    ...containerOf(request),
    stream,
  };
  const messages = withoutTrailingBlanks(encodeTurns(turns, { ...compat, exact: fromClient }));
  const written = { profile, opening: [], turns: fromClient ? messages : messages.map(withoutMarks) };
  const body = bodyOf(request, written, messagesFormat);
  // A client of the format sets its own marks.
  return compat.caching && !fromClient ? withCacheMarks(body) : body;
}

/** The oldest versions, which every model with server tools takes and which answer without code of their own. */
function encodeServerTool({ kind }: ServerTool): readonly JsonObject[] {
  switch (kind) {
    case "web-search":
      return [{ type: "web_search_20250305", name: "web_search" }];
    case "code-execution":
      return [{ type: "code_execution_20250825", name: "code_execution" }];
    case "url-context":
      return [{ type: "web_fetch_20250910", name: "web_fetch", citations: { enabled: true } }];
    case "file-search":
      return [];
  }
}

interface WireMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: readonly JsonObject[];
  /** A lone text that the client did not write as a list. */
  readonly isText: boolean;
}

/** A user message that answers calls starts with all their results; people's words follow in the same message. */
function encodeTurns(
  turns: readonly Turn[],
  compat: AnthropicCompat & { readonly exact: boolean },
): readonly JsonObject[] {
  const messages: WireMessage[] = [];
  const append = (role: WireMessage["role"], content: readonly JsonObject[], shape?: JsonObject): void => {
    const last = messages.at(-1);
    const isText = compat.exact && shape?.["form"] === "text" && content.length === 1;
    if (last?.role === role && shape?.["apart"] !== true)
      messages[messages.length - 1] = { role, content: [...last.content, ...content], isText: false };
    else messages.push({ role, content, isText });
  };
  for (const turn of turns) {
    switch (turn.type) {
      case "user":
        for (const [at, block] of turn.content.entries())
          append(isToolChange(block) ? "system" : "user", [encodeUserBlock(block)], at === 0 ? turn.extras : undefined);
        break;
      case "system": {
        const before = messages.at(-1);
        // Never first: a field of its own holds the instructions before the conversation.
        if (compat.systemInside && before !== undefined && (before.role !== "assistant" || endsInServerTool(before))) {
          append(
            "system",
            turn.blocks.map((block) => ({ type: "text", text: block.text, ...block.native?.data })),
            turn.extras,
          );
        } else {
          append("user", [
            { type: "text", text: systemUpdate(instructionText(turn)), ...turn.blocks.at(-1)?.native?.data },
          ]);
        }
        break;
      }
      case "assistant":
        append("assistant", encodeReply(turn.content.filter(isProven)), turn.extras);
        for (const result of turn.results) append("user", [encodeResult(result)], result.extras);
        break;
    }
  }
  return messages.map(({ role, content, isText }) => ({ role, content: isText ? textOrList(content) : content }));
}

/** A reply that ends in the result of a server's tool goes on after an instruction. */
function endsInServerTool({ content }: WireMessage): boolean {
  return textAt(content.at(-1), "type")?.endsWith("_tool_result") === true;
}

/** The text of a lone text block without further fields, else the list. */
function textOrList(content: readonly JsonObject[]): Json {
  const [block] = content;
  const text = textAt(block, "text");
  const plain = block !== undefined && content.length === 1 && Object.keys(block).length === 2;
  return plain && text !== undefined ? text : content;
}

/** The code that called the tools runs in a container, which the API must be told to find its results. */
function containerOf({ messages, tools }: ModelRequest): JsonObject {
  const last = messages.findLast((message) => message.role === "assistant");
  if (last?.role !== "assistant" || last.native?.api !== anthropicApi || tools.length === 0) return {};
  const byCode = last.content.some(
    (block) =>
      block.type === "tool-use" && textAt(objectAt(block.native?.data, "caller"), "type")?.startsWith("code_") === true,
  );
  const id = textAt(objectAt(objectAt(last.native.data, "reply"), "container"), "id");
  return byCode && id !== undefined ? { container: id } : {};
}

/** The provider refuses to continue a reply that ends in blanks; only a client of the format itself requests that. */
function withoutTrailingBlanks(messages: readonly JsonObject[]): readonly JsonObject[] {
  const last = messages.at(-1);
  const content = asObjects(last?.["content"]);
  const block = content.at(-1);
  const alone = textAt(last, "content");
  if (last?.["role"] === "assistant" && alone !== undefined)
    return [...messages.slice(0, -1), { ...last, content: alone.trimEnd() }];
  const text = textAt(block, "text");
  if (last?.["role"] !== "assistant" || text === undefined || text === text.trimEnd()) return messages;
  return [
    ...messages.slice(0, -1),
    { ...last, content: [...content.slice(0, -1), { ...block, text: text.trimEnd() }] },
  ];
}

/** Instructions report tools that are added or removed inside a conversation. */
function isToolChange(block: WireContentBlock): boolean {
  return block.type === "opaque" && /^tool_(?:addition|removal)$/.test(textAt(block.raw, "type") ?? "");
}

function encodeUserBlock(block: WireContentBlock): JsonObject {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text, ...block.native?.data };
    case "image":
      return { type: "image", source: encodeSource(block), ...block.native?.data };
    case "file":
      return {
        type: "document",
        source: encodeSource(block),
        ...(block.name === undefined ? {} : { title: block.name }),
        ...block.native?.data,
      };
    case "opaque":
      return block.raw;
  }
}

function encodeSource({ source, mediaType }: WireMediaBlock): JsonObject {
  if (source.type === "url") return { type: "url", url: source.url };
  // The format takes PDF documents as bytes and plain text as text.
  const text = mediaType === plainText ? textOfBase64(source.data) : undefined;
  return text === undefined
    ? { type: "base64", media_type: mediaType, data: source.data }
    : { type: "text", media_type: plainText, data: text };
}

/** Thinking is accepted only with the signature that proves its origin. */
function isProven(block: AssistantWireBlock): boolean {
  return block.type !== "thinking" || block.redacted !== undefined || (block.signature ?? "") !== "";
}

function encodeReply(content: readonly AssistantWireBlock[]): readonly JsonObject[] {
  return content.length === 0 ? [{ type: "text", text: nothingText }] : content.map(encodeAssistantBlock);
}

function encodeAssistantBlock(block: AssistantWireBlock): JsonObject {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text, ...block.native?.data };
    case "thinking":
      return block.redacted === undefined
        ? { type: "thinking", thinking: block.text, signature: block.signature ?? "", ...block.native?.data }
        : { type: "redacted_thinking", data: block.redacted, ...block.native?.data };
    case "refusal":
      return { type: "text", text: block.text, ...block.native?.data };
    case "opaque":
      return block.raw;
    case "tool-use":
      return {
        type: "tool_use",
        id: block.wireId,
        name: block.name,
        input: block.parameters,
        ...block.native?.data,
      };
  }
}

function encodeResult(result: WireResult): JsonObject {
  const [first] = result.content;
  const silent = first === undefined || (result.content.length === 1 && first.type === "text" && first.text === "");
  const content = result.content.map(encodeUserBlock);
  const isText = result.extras?.["form"] === "text";
  return {
    type: "tool_result",
    tool_use_id: result.wireId,
    ...(silent ? {} : { content: isText ? textOrList(content) : content }),
    ...(result.isError ? { is_error: true } : {}),
    ...objectAt(result.extras, "fields"),
  };
}

const thinkingBudgets = { low: 2048, medium: 8192, high: 16_384 } as const;
const thinkingBudgetMin = 1024;

function thinkingFields(request: ModelRequest, compat: AnthropicCompat, turns: readonly Turn[]): JsonObject {
  if (compat.thinking === "none") return {};
  if (compat.thinking === "adaptive") {
    if (request.thinking === "off" && compat.thinkingOff === "disabled") return { thinking: { type: "disabled" } };
    const display = compat.thinkingHidden && request.thinking !== "off" ? { display: "summarized" } : {};
    return {
      thinking: { type: "adaptive", ...display },
      output_config: { effort: request.thinking === "off" ? "low" : request.thinking },
    };
  }
  if (request.thinking === "off") return {};
  // A turn that goes on after its tools must have begun with thinking; otherwise thinking stays off until the turn ends.
  const last = turns.findLast((turn) => turn.type !== "system");
  const continued = last?.type === "assistant" && last.content[0]?.type !== "thinking";
  const budget = Math.min(thinkingBudgets[request.thinking], (request.maxTokens ?? requiredMaxTokens) - 1);
  if (continued || budget < thinkingBudgetMin) return {};
  return { thinking: { type: "enabled", budget_tokens: budget } };
}

/** A message without the marks that a client of another request set. */
function withoutMarks(message: JsonObject): JsonObject {
  const unmarked = (value: Json): Json => {
    if (!isJsonObject(value)) return value;
    const { cache_control: _mark, ...rest } = value;
    const inner = rest["content"];
    return Array.isArray(inner) ? { ...rest, content: inner.map(unmarked) } : rest;
  };
  const { content } = message;
  return Array.isArray(content) ? { ...message, content: content.map(unmarked) } : message;
}

/** The fields with the schema of the reply, which is beside the effort. */
function withFormat(fields: JsonObject, schema: JsonObject | undefined): JsonObject {
  if (schema === undefined) return fields;
  const config = objectAt(fields, "output_config");
  return { ...fields, output_config: { ...config, format: { type: "json_schema", schema } } };
}

/** Most cache marks that one request may have. */
const marksMax = 4;

/**
 * Marks the ends of the parts that stay the same from request to request: the system prompt, the tools, the messages up to
 * this request, and those up to the previous request, whose mark finds the cached prefix. Marks from the client are kept
 * and count.
 */
function withCacheMarks(body: JsonObject): JsonObject {
  const own = body["cache_control"] !== undefined;
  let left = marksMax - (own ? 1 : 0) - marksIn(body["system"]) - marksIn(body["tools"]);
  const marked: Record<string, Json> = { ...body };
  for (const key of ["system", "tools"]) {
    const list = asObjects(body[key]);
    if (left === 0 || list.length === 0 || marksIn(list) > 0) continue;
    marked[key] = markedLast(list);
    left -= 1;
  }
  const messages = [...asObjects(body["messages"])];
  const ends = messages
    .flatMap((message, at) => (message["role"] === "user" ? [at] : []))
    .slice(-2)
    .toReversed();
  for (const at of own ? [] : ends.slice(0, left)) {
    const message = messages[at];
    if (message !== undefined) messages[at] = { ...message, content: markedLast(asObjects(message["content"])) };
  }
  if (messages.length > 0) marked["messages"] = messages;
  return marked;
}

const mark = { type: "ephemeral" } as const;

function marksIn(list: Json | undefined): number {
  return asObjects(list).filter((entry) => entry["cache_control"] !== undefined).length;
}

function markedLast(list: readonly JsonObject[]): readonly JsonObject[] {
  const last = list.at(-1);
  return last === undefined ? list : [...list.slice(0, -1), { ...last, cache_control: mark }];
}

function asObjects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
