import { decodeRequest as decodeAnthropicRequest } from "../../adapters/providers/anthropic/decode-request.ts";
import * as anthropicReply from "../../adapters/providers/anthropic/encode-reply.ts";
import type { DecodedRequest } from "../../adapters/providers/shared/codec.ts";
import { decodeRequest as decodeGeminiRequest } from "../../adapters/providers/gemini/decode-request.ts";
import * as geminiReply from "../../adapters/providers/gemini/encode-reply.ts";
import { readGeminiPath } from "../../adapters/providers/gemini/endpoint.ts";
import { interactionsPath } from "../../adapters/providers/gemini-interactions/codec.ts";
import { decodeRequest as decodeInteractionsRequest } from "../../adapters/providers/gemini-interactions/decode-request.ts";
import * as interactionsReply from "../../adapters/providers/gemini-interactions/encode-reply.ts";
import { decodeRequest as decodeChatRequest } from "../../adapters/providers/openai-chat/decode-request.ts";
import * as chatReply from "../../adapters/providers/openai-chat/encode-reply.ts";
import { decodeRequest as decodeResponsesRequest } from "../../adapters/providers/openai-responses/decode-request.ts";
import * as responsesReply from "../../adapters/providers/openai-responses/encode-reply.ts";
import type { SseEvent } from "../../adapters/providers/shared/sse.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { StreamPart } from "../../core/model/stream-part.ts";
import { anthropicFault } from "./anthropic-rules.ts";
import { chatFault } from "./chat-rules.ts";
import type { RefusalStatus } from "./faults.ts";
import { geminiFault } from "./gemini-rules.ts";
import { interactionsFault } from "./interactions-rules.ts";
import { responsesFault } from "./responses-rules.ts";
import { anthropicRefusal, geminiRefusal, interactionsRefusal, openAiRefusal } from "./provider-refusal.ts";
import { anthropicError, chatError, geminiError, interactionsError, type WireError } from "./wire-error.ts";

/** A request over HTTP. */
export interface WireRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A wire format from the server's side. */
export interface Wire {
  /** Checks path, key and headers; null when they are accepted. */
  authorize(request: WireRequest, apiKey: string | undefined): WireError | null;
  /** Checks the body by the strict rules; null when it is accepted. */
  fault(request: WireRequest): WireError | null;
  decode(request: WireRequest): DecodedRequest;
  /** Returns a function that encodes parts as events, one after the other. */
  writer(): (part: StreamPart) => readonly SseEvent[];
  body(parts: readonly StreamPart[]): JsonObject;
  /** Whether an event ends a whole stream. */
  isLast(event: SseEvent): boolean;
  /** The provider's own error body for a status; null when a proxy would answer. */
  refusal(status: RefusalStatus): WireError | null;
}

/** The wire formats by name: Messages, Chat Completions, Responses, generateContent, Interactions. */
export type WireName = "anthropic" | "chat" | "responses" | "gemini" | "interactions";

const anthropic: Wire = {
  authorize({ path, headers }, apiKey) {
    if (path !== "/v1/messages") return anthropicError(404, "not_found_error", "Not found");
    const key = headers["x-api-key"] ?? bearer(headers);
    if (apiKey !== undefined && key === undefined)
      return anthropicError(401, "authentication_error", "x-api-key header is required");
    if (apiKey !== undefined && key !== apiKey) return anthropicError(401, "authentication_error", "invalid x-api-key");
    return headers["anthropic-version"] === undefined
      ? anthropicError(400, "invalid_request_error", "anthropic-version: header is required")
      : null;
  },
  fault: ({ body }) => anthropicFault(body),
  decode: ({ body }) => decodeAnthropicRequest(body),
  writer: () => stateful(anthropicReply.startReply, anthropicReply.encodeReplyPart),
  body: (parts) => anthropicReply.encodeReplyBody(parts.flatMap(anthropic.writer())),
  isLast: (event) => event.event === "message_stop",
  refusal: anthropicRefusal,
};

const chat: Wire = {
  authorize: (request, apiKey) => authorizeOpenAi("/v1/chat/completions", request, apiKey),
  fault: ({ body }) => chatFault(body),
  decode: ({ body }) => decodeChatRequest(body),
  writer: () => stateful(chatReply.startReply, chatReply.encodeReplyPart),
  body: (parts) => chatReply.encodeReplyBody(parts),
  isLast: (event) => event.data === "[DONE]",
  refusal: openAiRefusal,
};

const responses: Wire = {
  authorize: (request, apiKey) => authorizeOpenAi("/v1/responses", request, apiKey),
  fault: ({ body }) => responsesFault(body),
  decode: ({ body }) => decodeResponsesRequest(body),
  writer: () => stateful(responsesReply.startReply, responsesReply.encodeReplyPart),
  body: (parts) => responsesReply.encodeReplyBody(parts),
  isLast: (event) => event.event === "response.completed" || event.event === "response.incomplete",
  refusal: openAiRefusal,
};

const gemini: Wire = {
  authorize({ path, headers }, apiKey) {
    if (readGeminiPath(path) === undefined) return geminiError(404, "NOT_FOUND", "Requested entity was not found.");
    const key = headers["x-goog-api-key"];
    if (apiKey === undefined || key === apiKey) return null;
    if (key === undefined) {
      return geminiError(
        403,
        "PERMISSION_DENIED",
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
      );
    }
    return geminiError(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", "API_KEY_INVALID");
  },
  fault: ({ path, body }) => geminiFault(body, readGeminiPath(path)?.model ?? ""),
  decode: ({ path, body }) => decodeGeminiRequest(body, readGeminiPath(path) ?? { model: "", stream: false }),
  writer: () => stateful(geminiReply.startReply, geminiReply.encodeReplyPart),
  body: (parts) => geminiReply.encodeReplyBody(parts),
  isLast: (event) => event.data.includes('"finishReason"'),
  refusal: geminiRefusal,
};

const interactions: Wire = {
  authorize({ path, headers }, apiKey) {
    if (path !== interactionsPath) return interactionsError(404, "not_found", "Requested entity was not found.");
    const key = headers["x-goog-api-key"];
    if (apiKey !== undefined && key !== apiKey)
      return interactionsError(401, "unauthenticated", "API key not valid. Please pass a valid API key.");
    return headers["api-revision"] === undefined
      ? interactionsError(400, "invalid_request", "The header Api-Revision is required.")
      : null;
  },
  fault: ({ body }) => interactionsFault(body),
  decode: ({ body }) => decodeInteractionsRequest(body),
  writer: () => stateful(interactionsReply.startReply, interactionsReply.encodeReplyPart),
  body: (parts) => interactionsReply.encodeReplyBody(parts),
  isLast: (event) => event.event === "interaction.completed",
  refusal: interactionsRefusal,
};

/** The wire formats that a mock provider speaks. */
export const wires: Readonly<Record<WireName, Wire>> = { anthropic, chat, responses, gemini, interactions };

function authorizeOpenAi(own: string, { path, headers }: WireRequest, apiKey: string | undefined): WireError | null {
  if (path !== own) return chatError(404, `Invalid URL (POST ${path})`);
  const key = bearer(headers);
  if (apiKey === undefined || key === apiKey) return null;
  const message =
    key === undefined
      ? "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth."
      : "Incorrect API key provided.";
  return chatError(401, message, { code: "invalid_api_key" });
}

function bearer(headers: WireRequest["headers"]): string | undefined {
  return headers["authorization"]?.replace(/^Bearer /, "");
}

/** Passes a state from part to part. */
function stateful<State>(
  start: State,
  write: (state: State, part: StreamPart) => { readonly state: State; readonly events: readonly SseEvent[] },
): (part: StreamPart) => readonly SseEvent[] {
  let state = start;
  return (part) => {
    const written = write(state, part);
    state = written.state;
    return written.events;
  };
}
