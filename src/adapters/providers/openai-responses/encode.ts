import type { Json, JsonObject } from "../../../core/base/json.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import {
  type AssistantWireBlock,
  interruptedSuffix,
  plainWireId,
  projectPath,
  type Turn,
  type WireResult,
  type WireContentBlock,
  type WireMediaBlock,
} from "../project.ts";
import type { ResponsesCompat } from "./compat.ts";

/** Name of the wire format. */
export const responsesApi = "openai-responses";

/** The least bound of a reply that the format takes, in tokens. */
const outputTokensMin = 16;

/** Writes a request as a body of `POST /v1/responses` that says everything itself and leaves nothing at the provider. */
export function encodeRequest(request: ModelRequest, compat: ResponsesCompat, stream: boolean): JsonObject {
  const turns = projectPath(request.messages, {
    api: responsesApi,
    model: request.model,
    wireId: plainWireId,
    resumesPauses: false,
    signedEmptyTexts: false,
  });
  const tools = request.tools.map((tool) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    parameters: tool.inputSchema,
    // Heddle's schemas have optional fields, which the strict mode does not know.
    strict: false,
  }));
  return {
    model: request.model,
    ...(request.system.trim() === "" ? {} : { instructions: request.system }),
    input: turns.flatMap((turn) => encodeTurn(turn, compat)),
    ...(tools.length === 0 ? {} : { tools }),
    max_output_tokens: Math.max(outputTokensMin, request.maxTokens),
    ...(compat.reasoning
      ? { reasoning: encodeThinking(request, compat), include: ["reasoning.encrypted_content"] }
      : {}),
    ...(request.temperature === undefined || !compat.temperature ? {} : { temperature: request.temperature }),
    store: false,
    stream,
  };
}

function encodeThinking(request: ModelRequest, compat: ResponsesCompat): JsonObject {
  if (request.thinking === "off") return { effort: compat.leastEffort };
  return { effort: compat.leastEffort === "high" ? "high" : request.thinking, summary: "auto" };
}

function encodeTurn(turn: Turn, compat: ResponsesCompat): readonly JsonObject[] {
  switch (turn.type) {
    case "user":
      return [{ type: "message", role: "user", content: turn.content.map(encodeUserBlock) }];
    case "system":
      return [{ type: "message", role: compat.systemRole, content: [{ type: "input_text", text: turn.text }] }];
    case "assistant": {
      const calls = turn.content.filter((block) => block.type === "tool-use");
      return [
        ...withItsProduct(turn.content).flatMap(encodeAssistantBlock),
        ...turn.results.map((result, at) => encodeResult(result, calls[at]?.native?.data["custom"] === true)),
      ];
    }
  }
}

function encodeUserBlock(block: WireContentBlock): JsonObject {
  switch (block.type) {
    case "text":
      return { type: "input_text", text: block.text };
    case "image":
      return { type: "input_image", image_url: urlOf(block), detail: "auto" };
    case "file":
      return block.source.type === "url"
        ? { type: "input_file", file_url: block.source.url }
        : { type: "input_file", filename: block.name ?? "file", file_data: urlOf(block) };
  }
}

function urlOf(block: WireMediaBlock): string {
  return block.source.type === "url" ? block.source.url : `data:${block.mediaType};base64,${block.source.data}`;
}

/** The provider refuses reasoning that no item follows: where what it led to is gone, it goes too. */
function withItsProduct(content: readonly AssistantWireBlock[]): readonly AssistantWireBlock[] {
  return content.filter((block, at) => {
    if (block.type !== "thinking") return true;
    if ((block.signature ?? "") === "") return false;
    const product = content.slice(at + 1).find((next) => next.type !== "thinking");
    return product !== undefined && !(product.type === "text" && product.text === interruptedSuffix);
  });
}

function encodeAssistantBlock(block: AssistantWireBlock): readonly JsonObject[] {
  const data = block.type === "opaque" ? undefined : block.native?.data;
  switch (block.type) {
    case "text": {
      const part = { type: "output_text", text: block.text, annotations: data?.["annotations"] ?? [] };
      return [{ type: "message", role: "assistant", content: [part], ...field(data, "phase") }];
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
          ...field(data, "namespace"),
          ...field(data, "caller"),
        },
      ];
  }
}

function argumentsOf(block: Extract<AssistantWireBlock, { readonly type: "tool-use" }>): string {
  // Servers that parse the arguments refuse the whole request over one broken call; its result says what was wrong.
  if (block.argumentsError !== undefined) return "{}";
  return block.rawParameters ?? JSON.stringify(block.parameters);
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

function field(data: JsonObject | undefined, key: string): JsonObject {
  const value: Json | undefined = data?.[key];
  return value === undefined ? {} : { [key]: value };
}
