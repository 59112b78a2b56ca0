import type { Json, JsonObject } from "../../../core/base/json.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import {
  type AssistantWireBlock,
  plainWireId,
  projectPath,
  type Turn,
  type WireResult,
  type WireContentBlock,
  type WireMediaBlock,
} from "../project.ts";
import { systemUpdate } from "../system-update.ts";
import type { AnthropicCompat } from "./compat.ts";

/** Name of the wire format. */
export const anthropicApi = "anthropic";

/** Writes a request as a body of `POST /v1/messages`. */
export function encodeRequest(request: ModelRequest, compat: AnthropicCompat, stream: boolean): JsonObject {
  const turns = projectPath(request.messages, {
    api: anthropicApi,
    model: request.model,
    wireId: plainWireId,
    resumesPauses: true,
    signedEmptyTexts: false,
  });
  const tools = request.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: tool.inputSchema,
  }));
  const body = {
    model: request.model,
    max_tokens: request.maxTokens,
    ...(request.system.trim() === "" ? {} : { system: [{ type: "text", text: request.system }] }),
    messages: encodeTurns(turns, compat),
    ...(tools.length === 0 ? {} : { tools }),
    ...thinkingFields(request, compat, turns),
    ...(request.temperature === undefined || !compat.temperature ? {} : { temperature: request.temperature }),
    stream,
  };
  return compat.caching ? withCacheMarks(body) : body;
}

interface WireMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: readonly JsonObject[];
}

/** A user message that answers calls starts with all their results; what people said follows in the same message. */
function encodeTurns(turns: readonly Turn[], compat: AnthropicCompat): readonly JsonObject[] {
  const messages: WireMessage[] = [];
  const append = (role: WireMessage["role"], content: readonly JsonObject[]): void => {
    const last = messages.at(-1);
    if (last?.role === role) messages[messages.length - 1] = { role, content: [...last.content, ...content] };
    else messages.push({ role, content });
  };
  for (const turn of turns) {
    switch (turn.type) {
      case "user":
        append("user", turn.content.map(encodeUserBlock));
        break;
      case "system":
        // Never first: the format has a field of its own for what comes before everything.
        if (compat.systemInside && messages.at(-1)?.role !== "assistant" && messages.length > 0) {
          append("system", [{ type: "text", text: turn.text }]);
        } else {
          append("user", [{ type: "text", text: systemUpdate(turn.text) }]);
        }
        break;
      case "assistant":
        append("assistant", turn.content.filter(isProven).map(encodeAssistantBlock));
        if (turn.results.length > 0) append("user", turn.results.map(encodeResult));
        break;
    }
  }
  // A list of fresh objects: JSON for the wire.
  return messages.map(({ role, content }) => ({ role, content }));
}

function encodeUserBlock(block: WireContentBlock): JsonObject {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image", source: encodeSource(block) };
    case "file":
      return {
        type: "document",
        source: encodeSource(block),
        ...(block.name === undefined ? {} : { title: block.name }),
      };
  }
}

function encodeSource(block: WireMediaBlock): JsonObject {
  return block.source.type === "url"
    ? { type: "url", url: block.source.url }
    : { type: "base64", media_type: block.mediaType, data: block.source.data };
}

/** Thinking counts only with the proof of its origin. */
function isProven(block: AssistantWireBlock): boolean {
  return block.type !== "thinking" || block.redacted !== undefined || (block.signature ?? "") !== "";
}

function encodeAssistantBlock(block: AssistantWireBlock): JsonObject {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text, ...nativeField(block.native?.data, "citations") };
    case "thinking":
      return block.redacted === undefined
        ? { type: "thinking", thinking: block.text, signature: block.signature ?? "" }
        : { type: "redacted_thinking", data: block.redacted };
    case "opaque":
      return block.raw;
    case "tool-use":
      return {
        type: "tool_use",
        id: block.wireId,
        name: block.name,
        input: block.parameters,
        ...nativeField(block.native?.data, "caller"),
      };
  }
}

function encodeResult(result: WireResult): JsonObject {
  return {
    type: "tool_result",
    tool_use_id: result.wireId,
    ...(result.content.length === 0 ? {} : { content: result.content.map(encodeUserBlock) }),
    ...(result.isError ? { is_error: true } : {}),
  };
}

function nativeField(data: JsonObject | undefined, key: string): JsonObject {
  const value: Json | undefined = data?.[key];
  return value === undefined ? {} : { [key]: value };
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
  // A turn that goes on after its tools must have begun with thinking, or thinking has to stay off until it ends.
  const last = turns.findLast((turn) => turn.type !== "system");
  const continued = last?.type === "assistant" && last.content[0]?.type !== "thinking";
  const budget = Math.min(thinkingBudgets[request.thinking], request.maxTokens - 1);
  if (continued || budget < thinkingBudgetMin) return {};
  return { thinking: { type: "enabled", budget_tokens: budget } };
}

/** Marks the ends of the parts that stay the same from request to request: tools, system, and what was said so far. */
function withCacheMarks(body: JsonObject): JsonObject {
  return {
    ...body,
    ...markedList(body, "system"),
    ...markedList(body, "tools"),
    messages: markedMessages(body["messages"]),
  };
}

const mark = { type: "ephemeral" } as const;

function markedList(body: JsonObject, key: string): JsonObject {
  const list = asObjects(body[key]);
  return list.length === 0 ? {} : { [key]: markedLast(list) };
}

function markedMessages(messages: Json | undefined): readonly JsonObject[] {
  const list = asObjects(messages);
  const at = list.findLastIndex((message) => message["role"] === "user");
  const message = list[at];
  if (message === undefined) return list;
  return list.with(at, { ...message, content: markedLast(asObjects(message["content"])) });
}

function markedLast(list: readonly JsonObject[]): readonly JsonObject[] {
  const last = list.at(-1);
  return last === undefined ? list : [...list.slice(0, -1), { ...last, cache_control: mark }];
}

function asObjects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value : [];
}
