import { claudeCompat, plainAnthropicCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import { decodeRequest as decodeAnthropic } from "../../src/adapters/providers/anthropic/decode-request.ts";
import { encodeRequest as encodeAnthropic } from "../../src/adapters/providers/anthropic/encode.ts";
import { geminiCompat } from "../../src/adapters/providers/gemini/compat.ts";
import { decodeRequest as decodeGemini } from "../../src/adapters/providers/gemini/decode-request.ts";
import { encodeRequest as encodeGemini } from "../../src/adapters/providers/gemini/encode.ts";
import { interactionsCompat } from "../../src/adapters/providers/gemini-interactions/compat.ts";
import { decodeRequest as decodeInteractions } from "../../src/adapters/providers/gemini-interactions/decode-request.ts";
import { encodeRequest as encodeInteractions } from "../../src/adapters/providers/gemini-interactions/encode.ts";
import { chatCompats } from "../../src/adapters/providers/openai-chat/compat.ts";
import { decodeRequest as decodeChat } from "../../src/adapters/providers/openai-chat/decode-request.ts";
import { encodeRequest as encodeChat } from "../../src/adapters/providers/openai-chat/encode.ts";
import { responsesCompat } from "../../src/adapters/providers/openai-responses/compat.ts";
import { decodeRequest as decodeResponses } from "../../src/adapters/providers/openai-responses/decode-request.ts";
import { encodeRequest as encodeResponses } from "../../src/adapters/providers/openai-responses/encode.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import type { Message } from "../../src/core/message/types.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import { anthropicFault } from "../../src/testing/mock-provider/anthropic-rules.ts";
import { chatFault } from "../../src/testing/mock-provider/chat-rules.ts";
import { geminiFault } from "../../src/testing/mock-provider/gemini-rules.ts";
import { interactionsFault } from "../../src/testing/mock-provider/interactions-rules.ts";
import { responsesFault } from "../../src/testing/mock-provider/responses-rules.ts";

/** The model that test requests name, and that wrote their model-specific content. */
export const model = "claude-opus-4-8";
const tools = [
  { name: "look", description: "Looks.", inputSchema: { type: "object", properties: { at: { type: "string" } } } },
];

/** A request for an answer to a path. */
export function requestOf(messages: readonly Message[]): ModelRequest {
  return { model, system: "Be brief.", messages, tools, maxTokens: 4096, thinking: "off" };
}

/** A format for one server, with the rules of that server. */
export interface Wire {
  /** The field of a body that holds the path. */
  readonly path: string;
  encode(request: ModelRequest): JsonObject;
  decode(body: unknown): ModelRequest;
  fault(body: unknown): unknown;
}

const messageWires: Readonly<Record<string, Wire>> = {
  "Claude 4.8": {
    path: "messages",
    encode: (request) => encodeAnthropic(request, claudeCompat(model), true),
    decode: (body) => decodeAnthropic(body).request,
    fault: anthropicFault,
  },
  "another Messages server": {
    path: "messages",
    encode: (request) => encodeAnthropic(request, plainAnthropicCompat, false),
    decode: (body) => decodeAnthropic(body).request,
    fault: anthropicFault,
  },
  ...Object.fromEntries(
    Object.entries(chatCompats).map(([server, compat]): [string, Wire] => [
      server,
      {
        path: "messages",
        encode: (request) => encodeChat(request, compat, true),
        decode: (body) => decodeChat(body).request,
        fault: chatFault,
      },
    ]),
  ),
};

const responsesWires = Object.fromEntries(
  ["gpt-5.4", "gpt-4o"].map((name): [string, Wire] => [
    `Responses, ${name}`,
    {
      path: "input",
      encode: (request) => encodeResponses(request, responsesCompat(name), true),
      decode: (body) => decodeResponses(body).request,
      fault: responsesFault,
    },
  ]),
);

/** Gemini's format as one of its models accepts it; `requested` is the model name in requests to it. */
export function geminiWire(name: string, requested = model): Wire {
  return {
    path: "contents",
    encode: (request) => encodeGemini(request, geminiCompat(name)),
    decode: (body) => decodeGemini(body, { model: requested, stream: true }).request,
    fault: (body) => geminiFault(body, name),
  };
}

/** The Interactions format as one of its models accepts it; the strict rules judge that model. */
function interactionsWire(name: string): Wire {
  return {
    path: "input",
    encode: (request) => encodeInteractions(request, interactionsCompat(name), true),
    decode: (body) => decodeInteractions(body).request,
    fault: (body) => interactionsFault({ ...(body as object), model: name }),
  };
}

/** Each server and family of models whose requests differ. */
export const wires: Readonly<Record<string, Wire>> = {
  ...messageWires,
  ...responsesWires,
  "Gemini 3": geminiWire("gemini-3-flash-preview"),
  "Gemini 2.5": geminiWire("gemini-2.5-flash"),
  "Interactions, Gemini 3": interactionsWire("gemini-3-flash-preview"),
  "Interactions, Gemini 2.5": interactionsWire("gemini-2.5-flash"),
};
