import type { Json, JsonObject } from "../../../core/base/json.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { ServerTool } from "../../../core/model/server-tool.ts";
import { foreignSignature } from "../gemini/signature.ts";
import { listAt, textAt, withoutKeys } from "../shared/json-read.ts";
import { bodyOf, isSameFormat, ownIds, type RequestFormat } from "../shared/profile.ts";
import {
  type AssistantWireBlock,
  instructionText,
  plainWireId,
  projectPath,
  type Turn,
  type WireContentBlock,
  type WireResult,
} from "../shared/project.ts";
import { systemUpdate } from "../shared/system-update.ts";
import { fieldsOf } from "../shared/wire-shape.ts";
import { interactionsApi } from "./api.ts";
import type { InteractionsCompat } from "./compat.ts";
import { decodeRequest } from "./decode-request.ts";
import { isContent, kindOf } from "./step.ts";

const requestFormat: RequestFormat = {
  api: interactionsApi,
  path: "input",
  terms: [
    "model",
    "system_instruction",
    "tools",
    "stream",
    "generation_config.max_output_tokens",
    "generation_config.temperature",
    "generation_config.thinking_level",
    "generation_config.thinking_summaries",
  ],
  read: (body) => decodeRequest(body).request,
};

/** Encodes a request as a self-contained body of `POST /v1beta/interactions` that leaves no state at the provider. */
export function encodeRequest(request: ModelRequest, compat: InteractionsCompat, stream: boolean): JsonObject {
  const exact = isSameFormat(request, interactionsApi);
  const turns = projectPath(request.messages, {
    api: interactionsApi,
    model: request.model,
    wireId: ownIds(request, interactionsApi) ?? plainWireId,
    resumesPauses: false,
    signedEmptyTexts: false,
    opensWithUser: true,
    fromSameFormat: exact,
    images: compat.images,
  });
  const tools = request.tools.map((tool) => ({
    type: "function",
    name: tool.name,
    ...(tool.description === "" ? {} : { description: tool.description }),
    parameters: tool.inputSchema,
  }));
  const own = compat.serverTools ? (request.serverTools ?? []).map(encodeServerTool) : [];
  const profile: JsonObject = {
    model: request.model,
    ...(request.system.trim() === "" ? {} : { system_instruction: request.system }),
    ...(tools.length + own.length === 0 ? {} : { tools: [...tools, ...own] }),
    ...withFields("generation_config", settings(request, compat)),
    ...(request.outputSchema === undefined
      ? {}
      : { response_format: { type: "text", mime_type: "application/json", schema: request.outputSchema } }),
    store: false,
    stream,
  };
  const steps = turns.flatMap((turn) => encodeTurn(turn, { ...compat, exact }));
  const body = bodyOf(request, { profile, opening: [], turns: steps }, requestFormat);
  return exact ? inOwnForm(body, request) : body;
}

function encodeServerTool({ kind, stores }: ServerTool): JsonObject {
  switch (kind) {
    case "web-search":
      return { type: "google_search" };
    case "code-execution":
      return { type: "code_execution" };
    case "url-context":
      return { type: "url_context" };
    case "file-search":
      return { type: "file_search", file_search_store_names: stores };
  }
}

function settings(request: ModelRequest, compat: InteractionsCompat): JsonObject {
  const off = request.thinking === "off";
  return {
    ...(request.maxTokens === null ? {} : { max_output_tokens: request.maxTokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(compat.thinking
      ? { thinking_level: off ? compat.leastLevel : request.thinking, thinking_summaries: off ? "none" : "auto" }
      : {}),
    ...(request.tools.length > 0 && request.toolChoice === "none" ? { tool_choice: "none" } : {}),
  };
}

function withFields(key: string, fields: JsonObject): JsonObject {
  return Object.keys(fields).length === 0 ? {} : { [key]: fields };
}

/** A lone message that its client wrote as a text, or as contents without a step. */
function inOwnForm(body: JsonObject, { messages: [only, ...more] }: ModelRequest): JsonObject {
  const form = more.length === 0 ? (textAt(only?.native?.data, "form") ?? "") : "";
  const content = listAt(listAt(body, "input")[0], "content");
  const [first] = content;
  switch (form) {
    case "input":
      return { ...body, input: textAt(first, "text") ?? "" };
    case "contents":
      return { ...body, input: content as readonly Json[] };
    case "content":
      return { ...body, input: first as Json };
    default:
      return body;
  }
}

/** The facts of the model; `exact` where the request came from a client of the format, and goes out as it came. */
type Facts = InteractionsCompat & { readonly exact: boolean };

function encodeTurn(turn: Turn, facts: Facts): readonly JsonObject[] {
  switch (turn.type) {
    case "user":
      return encodeSaid(turn.content, turn.extras);
    case "system":
      return [{ type: "user_input", content: [{ type: "text", text: systemUpdate(instructionText(turn)) }] }];
    case "assistant":
      return [...encodeReply(turn.content, facts), ...turn.results.map(encodeResult)];
  }
}

/** Contents share one step; a step of the API's own comes beside it. */
function encodeSaid(content: readonly WireContentBlock[], shape: JsonObject | undefined): readonly JsonObject[] {
  const steps: JsonObject[] = [];
  let parts: JsonObject[] = [];
  const flush = (): void => {
    if (parts.length > 0) steps.push({ type: "user_input", content: parts, ...fieldsOf(shape) });
    parts = [];
  };
  for (const block of content) {
    if (block.type === "opaque" && !isContent(block.raw)) {
      flush();
      steps.push(block.raw);
    } else parts.push(encodeContent(block));
  }
  flush();
  return steps;
}

function encodeContent(block: WireContentBlock): JsonObject {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text, ...block.native?.data };
    case "image":
    case "file": {
      const { source, mediaType, native } = block;
      const kind = textAt(native?.data, "kind") ?? kindOf(mediaType);
      return {
        type: kind,
        ...(mediaType.endsWith("/*") ? {} : { mime_type: mediaType }),
        ...(source.type === "url" ? { uri: source.url } : { data: source.data }),
        ...withoutKeys(native?.data ?? {}, "kind"),
      };
    }
    case "opaque":
      return block.raw;
  }
}

/** The steps of a reply, each signature in its place. The contents of one step come as blocks of their own. */
function encodeReply(content: readonly AssistantWireBlock[], facts: Facts): readonly JsonObject[] {
  const steps: JsonObject[] = [];
  const first = content.findIndex((block) => block.type === "tool-use");
  const before = content.slice(0, Math.max(0, first));
  const signed = before.some((block) => block.type === "thinking" && block.signature !== undefined);
  const say = (part: JsonObject, joins: boolean, rest: JsonObject = {}): void => {
    const last = steps.at(-1);
    if (joins && last?.["type"] === "model_output")
      steps[steps.length - 1] = { ...last, content: [...(listAt(last, "content") as readonly Json[]), part] };
    else steps.push({ type: "model_output", content: [part], ...rest });
  };
  for (const block of content) {
    switch (block.type) {
      case "text": {
        const { joins, step: _step, ...data } = block.native?.data ?? {};
        say({ type: "text", text: block.text, ...data }, joins === true, fieldsOf(block.native?.data, "step"));
        break;
      }
      case "refusal":
        say({ type: "text", text: block.text }, false);
        break;
      case "thinking":
        steps.push(encodeThought(block));
        break;
      case "opaque":
        if (isContent(block.raw)) say(block.raw, true);
        else steps.push(block.raw);
        break;
      case "tool-use":
        steps.push(encodeCall(block, facts.signedCalls && !facts.exact && !signed && block === content[first]));
        break;
    }
  }
  return steps;
}

function encodeThought(block: Extract<AssistantWireBlock, { readonly type: "thinking" }>): JsonObject {
  const own = block.native?.api === interactionsApi ? block.native.data : undefined;
  const kept = own?.["summary"];
  const plain: readonly Json[] = block.text === "" ? [] : [{ type: "text", text: block.text }];
  const summary = Array.isArray(kept) ? (kept as readonly Json[]) : plain;
  return {
    type: "thought",
    ...(block.signature === undefined ? {} : { signature: block.signature }),
    ...(summary.length === 0 ? {} : { summary }),
    ...fieldsOf(own, "step"),
  };
}

/** `unproven`: the call needs a signature and its origin gave none. */
function encodeCall(block: Extract<AssistantWireBlock, { readonly type: "tool-use" }>, unproven: boolean): JsonObject {
  const own = textAt(block.native?.data, "signature");
  const signature = own ?? (unproven ? foreignSignature : undefined);
  return {
    type: "function_call",
    id: block.wireId,
    name: block.name,
    arguments: block.parameters,
    ...(signature === undefined ? {} : { signature }),
    ...fieldsOf(block.native?.data, "step"),
  };
}

function encodeResult(result: WireResult): JsonObject {
  const own = result.extras;
  const [first, ...more] = result.content;
  const isText =
    more.length === 0 &&
    (first === undefined || (first.type === "text" && first.native === undefined)) &&
    own?.["form"] !== "list";
  const text = first?.type === "text" ? first.text : "";
  const given = own?.["result"];
  return {
    type: "function_result",
    call_id: result.wireId,
    ...(own?.["unnamed"] === true ? {} : { name: result.name }),
    result: given ?? (isText ? text : result.content.map(encodeContent)),
    ...(result.isError ? { is_error: true } : {}),
    ...fieldsOf(own),
  };
}
