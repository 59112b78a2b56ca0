import type { Json, JsonObject } from "../../../core/base/json.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import { cacheKey } from "../shared/cache-key.ts";
import { argumentsOf } from "../shared/call-arguments.ts";
import { textAt } from "../shared/json-read.ts";
import { urlOf } from "../shared/media.ts";
import { nativeField } from "../shared/native.ts";
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
  const profile: JsonObject = {
    model: request.model,
    ...(request.system.trim() === "" ? {} : { instructions: request.system }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length > 0 && request.toolChoice === "none" ? { tool_choice: "none" } : {}),
    ...(request.maxTokens === null ? {} : { max_output_tokens: Math.max(outputTokensMin, request.maxTokens) }),
    ...(compat.reasoning
      ? { reasoning: encodeThinking(request, compat), include: ["reasoning.encrypted_content"] }
      : {}),
    ...(request.temperature === undefined || !compat.temperature ? {} : { temperature: request.temperature }),
    store: false,
    ...(compat.cacheKey ? { prompt_cache_key: cacheKey(request) } : {}),
    stream,
  };
  // Ids of items that the provider was never asked to keep are unknown to it.
  const keeps = isSameFormat(request, responsesApi) && request.native?.data["store"] !== false;
  const items = turns.flatMap((turn) => encodeTurn(turn, compat)).filter((item) => keeps || !isKeptElsewhere(item));
  const answered = isSameFormat(request, responsesApi) ? items : withoutOrphans(items);
  return bodyOf(request, { profile, opening: [], turns: answered }, responsesFormat);
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

function encodeTurn(turn: Turn, compat: ResponsesCompat): readonly JsonObject[] {
  switch (turn.type) {
    case "user":
      return encodeSaid(turn.content);
    case "system":
      return [
        {
          type: "message",
          role: turn.role ?? compat.systemRole,
          content: turn.texts.map((text) => ({ type: "input_text", text })),
        },
      ];
    case "assistant": {
      const calls = turn.content.filter((block) => block.type === "tool-use");
      return [
        ...withFollowingItem(turn.content).flatMap(encodeAssistantBlock),
        ...turn.results.map((result, at) => encodeResult(result, calls[at]?.native?.data["custom"] === true)),
      ];
    }
  }
}

/** Parts share one message; items of the format's own come beside it. */
function encodeSaid(content: readonly WireContentBlock[]): readonly JsonObject[] {
  const items: JsonObject[] = [];
  let parts: JsonObject[] = [];
  const flush = (): void => {
    if (parts.length > 0) items.push({ type: "message", role: "user", content: parts });
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
      return { type: "input_text", text: block.text };
    case "image":
      return { type: "input_image", image_url: urlOf(block), detail: "auto", ...block.native?.data };
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

function encodeAssistantBlock(block: AssistantWireBlock): readonly JsonObject[] {
  const data = "native" in block ? block.native?.data : undefined;
  switch (block.type) {
    case "text": {
      const part = { type: "output_text", text: block.text, annotations: data?.["annotations"] ?? [] };
      return [{ type: "message", role: "assistant", content: [part], ...nativeField(data, "phase") }];
    }
    case "thinking": {
      const texts = data?.["summary"];
      const summary = Array.isArray(texts) ? texts : block.text === "" ? [] : [block.text];
      return [
        {
          type: "reasoning",
          summary: summary.map((text: Json) => ({ type: "summary_text", text })),
          encrypted_content: block.signature ?? "",
        },
      ];
    }
    case "refusal":
      return [{ type: "message", role: "assistant", content: [{ type: "refusal", refusal: block.text }] }];
    case "opaque":
      return [block.raw];
    case "tool-use":
      if (data?.["custom"] === true) {
        const input = block.parameters["input"];
        return [
          {
            type: "custom_tool_call",
            call_id: block.wireId,
            name: block.name,
            input: typeof input === "string" ? input : "",
          },
        ];
      }
      return [
        {
          type: "function_call",
          call_id: block.wireId,
          name: block.name,
          arguments: argumentsOf(block),
          ...nativeField(data, "namespace"),
          ...nativeField(data, "caller"),
        },
      ];
  }
}

function encodeResult(result: WireResult, custom: boolean): JsonObject {
  const texts = result.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const plain = texts.length === result.content.length && texts.length < 2;
  return {
    type: custom ? "custom_tool_call_output" : "function_call_output",
    call_id: result.wireId,
    output: plain ? (texts[0] ?? "") : result.content.map(encodeUserBlock),
  };
}
