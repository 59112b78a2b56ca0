import { isJsonObject, type Json, type JsonObject } from "../../../core/base/json.ts";
import type { Message } from "../../../core/message/types.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { ServerTool } from "../../../core/model/server-tool.ts";
import { cacheKey } from "../shared/cache-key.ts";
import { argumentsOf } from "../shared/call-arguments.ts";
import { listAt, textAt, withoutKeys } from "../shared/json-read.ts";
import { urlOf } from "../shared/media.ts";
import { bodyOf, isSameFormat, ownIds, type RequestFormat } from "../shared/profile.ts";
import {
  type AssistantWireBlock,
  interruptedSuffix,
  plainWireId,
  projectPath,
  type Turn,
  type WireContentBlock,
  type WireResult,
} from "../shared/project.ts";
import { fieldsOf } from "../shared/wire-shape.ts";
import { responsesApi } from "./api.ts";
import type { ResponsesCompat } from "./compat.ts";
import { decodeRequest } from "./decode-request.ts";
import { isContentPart } from "./item.ts";

const responsesFormat: RequestFormat = {
  api: responsesApi,
  path: "input",
  terms: [
    "model",
    "instructions",
    "tools",
    "max_output_tokens",
    "reasoning.effort",
    "reasoning.summary",
    "temperature",
    "stream",
  ],
  read: (body) => decodeRequest(body).request,
};

/** The lowest token limit that the format accepts. */
const outputTokensMin = 16;

/** Encodes a request as a self-contained body of `POST /v1/responses` that leaves no state at the provider. */
export function encodeRequest(request: ModelRequest, compat: ResponsesCompat, stream: boolean): JsonObject {
  const turns = projectPath(request.messages, {
    api: responsesApi,
    model: request.model,
    wireId: ownIds(request, responsesApi) ?? plainWireId,
    resumesPauses: false,
    signedEmptyTexts: false,
    opensWithUser: false,
    fromSameFormat: isSameFormat(request, responsesApi),
    images: compat.images,
  });
  const tools = request.tools.map((tool) => ({
    type: "function",
    name: tool.name,
    ...(tool.description === "" ? {} : { description: tool.description }),
    parameters: tool.inputSchema,
    // Heddle's schemas have optional fields, which the strict mode does not support.
    strict: false,
  }));
  const ran = compat.serverTools ? (request.serverTools ?? []).flatMap(encodeServerTool) : [];
  const profile: JsonObject = {
    model: request.model,
    ...(request.system.trim() === "" ? {} : { instructions: request.system }),
    ...(tools.length + ran.length === 0 ? {} : { tools: [...tools, ...ran] }),
    ...(tools.length > 0 && request.toolChoice === "none" ? { tool_choice: "none" } : {}),
    ...(request.maxTokens === null ? {} : { max_output_tokens: Math.max(outputTokensMin, request.maxTokens) }),
    ...(compat.reasoning
      ? { reasoning: encodeThinking(request, compat), include: ["reasoning.encrypted_content"] }
      : {}),
    ...(request.temperature === undefined || !compat.temperature ? {} : { temperature: request.temperature }),
    ...(request.outputSchema === undefined
      ? {}
      : { text: { format: { type: "json_schema", name: "reply", schema: request.outputSchema, strict: false } } }),
    store: false,
    ...(compat.cacheKey ? { prompt_cache_key: cacheKey(request) } : {}),
    stream,
  };
  const exact = isSameFormat(request, responsesApi);
  const items = turns.flatMap((turn) => encodeTurn(turn, compat, exact));
  const own = exact ? items : withoutOrphans(items.filter((item) => !isKeptElsewhere(item)).map(withoutId));
  const body = bodyOf(request, { profile, opening: [], turns: own }, responsesFormat);
  const [only, ...more] = request.messages;
  const isText = exact && more.length === 0 && only?.native?.data["form"] === "input";
  return isText ? { ...body, input: textContent(only) } : body;
}

function encodeServerTool({ kind, stores }: ServerTool): readonly JsonObject[] {
  switch (kind) {
    case "web-search":
      return [{ type: "web_search" }];
    case "code-execution":
      return [{ type: "code_interpreter", container: { type: "auto" } }];
    case "file-search":
      return [{ type: "file_search", vector_store_ids: stores }];
    case "url-context":
      return [];
  }
}

/** Ids of items that the provider was never asked to keep are unknown to it. */
function withoutId(item: JsonObject): JsonObject {
  const type = textAt(item, "type");
  const isOwn =
    type === "message" || type === "reasoning" || type?.startsWith("function_call") || type?.startsWith("custom_");
  return isOwn === true ? withoutKeys(item, "id", "status") : item;
}

function textContent({ content }: Message): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n\n");
}

/** Writes outputs whose calls are missing as text: the provider may have kept those calls for another request. */
function withoutOrphans(items: readonly JsonObject[]): readonly JsonObject[] {
  const called = new Set<string>();
  return items.map((item) => {
    const id = textAt(item, "call_id");
    if (id === undefined) return item;
    if (textAt(item, "type")?.endsWith("_output") !== true) called.add(id);
    if (called.has(id)) return item;
    const said = textAt(item, "output") ?? "";
    const text = `Result of an earlier call:${said.trim() === "" ? " none" : `\n${said}`}`;
    return { type: "message", role: "user", content: [{ type: "input_text", text }] };
  });
}

function isKeptElsewhere(item: JsonObject): boolean {
  const type = textAt(item, "type");
  return type === "item_reference" || (type === "reasoning" && (textAt(item, "encrypted_content") ?? "") === "");
}

function encodeThinking(request: ModelRequest, compat: ResponsesCompat): JsonObject {
  if (request.thinking === "off") return { effort: compat.leastEffort };
  return { effort: compat.leastEffort === "high" ? "high" : request.thinking, summary: "auto" };
}

function encodeTurn(turn: Turn, compat: ResponsesCompat, exact: boolean): readonly JsonObject[] {
  switch (turn.type) {
    case "user":
      return encodeSaid(turn.content, turn.extras);
    case "system": {
      const role = turn.role ?? compat.systemRole;
      const parts = turn.blocks.map((block) => inputText(block.text, withoutKeys(block.native?.data ?? {}, "role")));
      return [shaped({ type: "message", role, content: parts }, turn.extras)];
    }
    case "assistant": {
      const calls = turn.content.filter((block) => block.type === "tool-use");
      const said = exact ? turn.content : withFollowingItem(turn.content);
      return [
        ...joinedParts(said.map((block) => encodeAssistantBlock(block, exact))),
        ...turn.results.map((result, at) => encodeResult(result, calls[at]?.native?.data["custom"] === true)),
      ];
    }
  }
}

/** A message in the form in which its client wrote it. */
function shaped(item: JsonObject, shape: JsonObject | undefined): JsonObject {
  const content = textForm(item["content"], shape);
  return { ...withoutKeys(item, ...(shape?.["untyped"] === true ? ["type"] : [])), content, ...fieldsOf(shape) };
}

/** A lone plain text as text, where its client wrote it so. */
function textForm(content: Json | undefined, shape: JsonObject | undefined): Json {
  const [part, ...more] = Array.isArray(content) ? content : [];
  const isPlain = isJsonObject(part) && more.length === 0 && Object.keys(withoutKeys(part, "annotations")).length === 2;
  const text = shape?.["form"] === "text" && isPlain ? textAt(part, "text") : undefined;
  return text ?? content ?? [];
}

/** Parts share one message; items of the format's own come beside it. */
function encodeSaid(content: readonly WireContentBlock[], shape: JsonObject | undefined): readonly JsonObject[] {
  const items: JsonObject[] = [];
  let parts: JsonObject[] = [];
  const flush = (): void => {
    if (parts.length > 0) items.push(shaped({ type: "message", role: "user", content: parts }, shape));
    parts = [];
  };
  for (const block of content) {
    if (block.type === "opaque" && !isContentPart(block.raw)) {
      flush();
      items.push(block.raw);
    } else {
      parts.push(encodeUserBlock(block));
    }
  }
  flush();
  return items;
}

function encodeUserBlock(block: WireContentBlock): JsonObject {
  switch (block.type) {
    case "text":
      return inputText(block.text, block.native?.data);
    case "image":
      return { type: "input_image", image_url: urlOf(block), ...(block.native?.data ?? { detail: "auto" }) };
    case "file":
      return block.source.type === "url"
        ? { type: "input_file", file_url: block.source.url, ...block.native?.data }
        : { type: "input_file", filename: block.name ?? "file", file_data: urlOf(block), ...block.native?.data };
    case "opaque":
      return block.raw;
  }
}

/** The provider refuses reasoning that no item follows, so reasoning is dropped with the item it led to. */
function withFollowingItem(content: readonly AssistantWireBlock[]): readonly AssistantWireBlock[] {
  return content.filter((block, at) => {
    if (block.type !== "thinking") return true;
    if ((block.signature ?? "") === "") return false;
    const product = content.slice(at + 1).find((next) => next.type !== "thinking");
    return product !== undefined && !(product.type === "text" && product.text === interruptedSuffix);
  });
}

/** The items of a block; a text or a refusal may join the message before it. */
interface EncodedBlock {
  readonly items: readonly JsonObject[];
  readonly joins: boolean;
}

/** The parts of one message come as blocks of their own. */
function joinedParts(blocks: readonly EncodedBlock[]): readonly JsonObject[] {
  const items: JsonObject[] = [];
  for (const { items: own, joins } of blocks) {
    const last = items.at(-1);
    const [item] = own;
    if (!joins || last?.["role"] !== "assistant" || item === undefined) items.push(...own);
    else
      items[items.length - 1] = {
        ...last,
        content: [...listAt(last, "content"), ...listAt(item, "content")].filter(isJsonObject),
      };
  }
  return items;
}

function encodeAssistantBlock(block: AssistantWireBlock, exact: boolean): EncodedBlock {
  const data = "native" in block ? (block.native?.data ?? {}) : {};
  const item = fieldsOf(data, "item");
  const alone = (...items: readonly JsonObject[]): EncodedBlock => ({ items, joins: false });
  switch (block.type) {
    case "text": {
      const annotations = exact && block.native !== undefined ? {} : { annotations: [] };
      return spoken({ type: "output_text", text: block.text, ...annotations }, data);
    }
    case "refusal":
      return spoken({ type: "refusal", refusal: block.text }, data);
    case "thinking": {
      const texts = data["summary"];
      const summary = Array.isArray(texts) ? texts : block.text === "" ? [] : [block.text];
      return alone({
        type: "reasoning",
        summary: summary.map((text: Json) => ({ type: "summary_text", text })),
        encrypted_content: block.signature ?? "",
        ...item,
      });
    }
    case "opaque":
      return alone(block.raw);
    case "tool-use": {
      const { custom, ...rest } = data;
      const input = block.parameters["input"];
      const named = { call_id: block.wireId, name: block.name };
      if (custom === true)
        return alone({ type: "custom_tool_call", ...named, input: typeof input === "string" ? input : "", ...rest });
      return alone({ type: "function_call", ...named, arguments: argumentsOf(block, exact), ...rest });
    }
  }
}

/** A part of a message of the assistant, in a message of its own. */
function spoken(part: JsonObject, data: JsonObject): EncodedBlock {
  const { item, joins, untyped, form, phase, ...own } = data;
  const message = {
    type: "message",
    role: "assistant",
    content: [{ ...part, ...own }],
    ...(phase === undefined ? {} : { phase }),
  };
  const shape = {
    ...(untyped === undefined ? {} : { untyped }),
    ...(form === undefined ? {} : { form }),
    fields: item ?? {},
  };
  return { items: [shaped(message, shape)], joins: joins === true };
}

function inputText(text: string, rest: JsonObject | undefined): JsonObject {
  return { type: "input_text", text, ...rest };
}

function encodeResult(result: WireResult, custom: boolean): JsonObject {
  const [first] = result.content;
  const plain =
    result.content.length < 2 && (first === undefined || (first.type === "text" && first.native === undefined));
  const isList = result.extras !== undefined && result.extras["form"] !== "text";
  const text = first?.type === "text" ? first.text : "";
  return {
    type: custom ? "custom_tool_call_output" : "function_call_output",
    call_id: result.wireId,
    output: plain && !isList ? text : result.content.map(encodeUserBlock),
    ...fieldsOf(result.extras),
  };
}
