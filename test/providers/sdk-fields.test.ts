import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/core/base/json.ts";
import { declarationsIn, declarationsOf } from "./sdk-fields.ts";
import { model, wires } from "./wires.ts";

/** A type that may be part of a history: where it is in a request, and the fields that are given a fitting value. */
interface HistoryType {
  readonly fitting?: JsonObject;
  readonly body: (sample: JsonObject) => JsonObject;
}

/** Fields of a type that say nothing to a later request, and why. */
const notForHistory: Readonly<Record<string, string>> = {
  "FunctionCall.partialArgs": "a piece of a stream; the whole arguments are in `args`",
  "FunctionCall.willContinue": "says that pieces follow in the stream",
};

const hi = { role: "user", content: "hi" } as const;
const anthropicBody = (...messages: readonly JsonObject[]): JsonObject => ({
  model,
  max_tokens: 9,
  stream: true,
  messages: [hi, ...messages],
});
const byClaude = (block: JsonObject): JsonObject => anthropicBody({ role: "assistant", content: [block] });
const toClaude = (block: JsonObject): JsonObject => anthropicBody({ role: "user", content: [block] });
const called = { role: "assistant", content: [{ type: "tool_use", id: "t", name: "look", input: {} }] };

const anthropicTypes: Readonly<Record<string, HistoryType>> = {
  BetaTextBlockParam: { body: toClaude },
  BetaImageBlockParam: { fitting: { source: { type: "url", url: "https://a/b" } }, body: toClaude },
  BetaRequestDocumentBlock: { fitting: { source: { type: "url", url: "https://a/b" } }, body: toClaude },
  BetaSearchResultBlockParam: { body: toClaude },
  BetaThinkingBlockParam: { body: byClaude },
  BetaRedactedThinkingBlockParam: { body: byClaude },
  BetaToolUseBlockParam: { fitting: { id: "t", input: {} }, body: byClaude },
  BetaServerToolUseBlockParam: { body: byClaude },
  BetaWebSearchToolResultBlockParam: { body: byClaude },
  BetaCompactionBlockParam: { body: byClaude },
  BetaMCPToolUseBlockParam: { body: byClaude },
  BetaToolResultBlockParam: {
    fitting: { tool_use_id: "t", content: "9" },
    body: (block) => anthropicBody(called, { role: "user", content: [block] }),
  },
};

const chatBody = (...messages: readonly JsonObject[]): JsonObject => ({
  model,
  stream: true,
  messages: [hi, ...messages],
});
const calling = (call: JsonObject): JsonObject =>
  chatBody({ role: "assistant", content: null, tool_calls: [call] }, { role: "tool", tool_call_id: "x", content: "9" });
const plainCall = { id: "x", type: "function", function: { name: "look", arguments: "{}" } };

const chatTypes: Readonly<Record<string, HistoryType>> = {
  ChatCompletionUserMessageParam: { fitting: { content: "more" }, body: (sample) => chatBody(sample) },
  ChatCompletionSystemMessageParam: { fitting: { content: "more" }, body: (sample) => chatBody(sample) },
  ChatCompletionDeveloperMessageParam: { fitting: { content: "more" }, body: (sample) => chatBody(sample) },
  ChatCompletionAssistantMessageParam: {
    fitting: { content: "so", tool_calls: [plainCall], function_call: null },
    body: (sample) => chatBody(sample, { role: "tool", tool_call_id: "x", content: "9" }),
  },
  ChatCompletionToolMessageParam: {
    fitting: { content: "9", tool_call_id: "x" },
    body: (sample) => chatBody({ role: "assistant", content: null, tool_calls: [plainCall] }, sample),
  },
  ChatCompletionFunctionMessageParam: {
    fitting: { content: "9", name: "look" },
    body: (sample) =>
      chatBody({ role: "assistant", content: null, function_call: { name: "look", arguments: "{}" } }, sample),
  },
  ChatCompletionMessageFunctionToolCall: { fitting: { id: "x", function: plainCall.function }, body: calling },
  ChatCompletionMessageCustomToolCall: { fitting: { id: "x", custom: { name: "sql", input: "S" } }, body: calling },
  ChatCompletionContentPartText: { body: (part) => chatBody({ role: "user", content: [part] }) },
  ChatCompletionContentPartImage: {
    fitting: { image_url: { url: "https://a/b", detail: "low" } },
    body: (part) => chatBody({ role: "user", content: [part] }),
  },
  ChatCompletionContentPartInputAudio: { body: (part) => chatBody({ role: "user", content: [part] }) },
  ChatCompletionContentPartRefusal: { body: (part) => chatBody({ role: "assistant", content: [part] }) },
};

const responsesBody = (...input: readonly JsonObject[]): JsonObject => ({ model, stream: true, input: [hi, ...input] });
const said = (part: JsonObject): JsonObject => responsesBody({ role: "user", content: [part] });
const spoken = (part: JsonObject): JsonObject =>
  responsesBody({ type: "message", id: "m", role: "assistant", status: "completed", content: [part] });
const ownCall = { type: "function_call", call_id: "x", name: "look", arguments: "{}" };

const responsesTypes: Readonly<Record<string, HistoryType>> = {
  EasyInputMessage: { fitting: { role: "user", content: "more" }, body: (sample) => responsesBody(sample) },
  ResponseOutputMessage: {
    fitting: { content: [{ type: "output_text", text: "so", annotations: [] }] },
    body: (sample) => responsesBody(sample),
  },
  ResponseFunctionToolCall: { fitting: { arguments: "{}" }, body: (sample) => responsesBody(sample) },
  ResponseCustomToolCall: { body: (sample) => responsesBody(sample) },
  FunctionCallOutput: { fitting: { call_id: "x", output: "9" }, body: (sample) => responsesBody(ownCall, sample) },
  ResponseReasoningItem: { fitting: { summary: [] }, body: (sample) => responsesBody(sample) },
  ResponseFunctionWebSearch: { body: (sample) => responsesBody(sample) },
  ResponseCodeInterpreterToolCall: { body: (sample) => responsesBody(sample) },
  ResponseInputText: { body: said },
  ResponseInputImage: { fitting: { image_url: "https://a/b" }, body: said },
  ResponseInputFile: { fitting: { file_data: "data:text/plain;base64,aGk=", file_url: null }, body: said },
  ResponseOutputText: { body: spoken },
  ResponseOutputRefusal: { body: spoken },
};

const person = { role: "user", parts: [{ text: "hi" }] };
const geminiBody = (...contents: readonly JsonObject[]): JsonObject => ({ contents: [person, ...contents] });
const answer = { role: "user", parts: [{ functionResponse: { id: "x", name: "x", response: { output: "9" } } }] };

const geminiTypes: Readonly<Record<string, HistoryType>> = {
  Content: { fitting: { role: "user", parts: [{ text: "more" }] }, body: (sample) => geminiBody(sample) },
  FunctionCall: {
    fitting: { args: {} },
    body: (call) => geminiBody({ role: "model", parts: [{ functionCall: call }] }, answer),
  },
  FunctionResponse: {
    fitting: { response: { output: "9" }, parts: [{ inlineData: { mimeType: "image/png", data: "aGk=" } }] },
    body: (given) =>
      geminiBody(
        { role: "model", parts: [{ functionCall: { id: "x", name: "x", args: {} } }] },
        { role: "user", parts: [{ functionResponse: given }] },
      ),
  },
  Blob_2: { body: (held) => geminiBody({ role: "user", parts: [{ inlineData: held }] }) },
  FileData: { body: (held) => geminiBody({ role: "user", parts: [{ fileData: held }] }) },
  ExecutableCode: { body: (held) => geminiBody({ role: "model", parts: [{ executableCode: held }] }) },
};

/** The installed client has an older form of this API; the list says which newer one it is from. */
const { types: stepTypes } = JSON.parse(
  readFileSync(new URL("./interactions-types.json", import.meta.url), "utf8"),
) as { readonly types: Readonly<Record<string, Readonly<Record<string, string>>>> };
const interaction = (...steps: readonly JsonObject[]): JsonObject => ({
  model,
  stream: true,
  input: [{ type: "user_input", content: [{ type: "text", text: "hi" }] }, ...steps],
});
const wordsOf = (content: JsonObject): JsonObject => interaction({ type: "user_input", content: [content] });
const look = { type: "function_call", id: "x", name: "x", arguments: { at: "x" } };
const fitted: Readonly<Record<string, HistoryType>> = {
  FunctionCallStep: {
    fitting: { id: "x" },
    body: (step) => interaction(step, { type: "function_result", call_id: "x", name: "x", result: "9" }),
  },
  FunctionResultStep: { fitting: { call_id: "x", result: "9" }, body: (step) => interaction(look, step) },
  ModelOutputStep: {
    fitting: { content: [{ type: "text", text: "so" }], error: null },
    body: (step) => interaction(step),
  },
  ThoughtStep: { fitting: { summary: [{ type: "text", text: "Hm." }] }, body: (step) => interaction(step) },
  UserInputStep: { fitting: { content: [{ type: "text", text: "more" }] }, body: (step) => interaction(step) },
  TextContent: { body: wordsOf },
  ImageContent: { fitting: { mime_type: "image/png", data: "aGk=", uri: null, resolution: "low" }, body: wordsOf },
  AudioContent: { fitting: { mime_type: "audio/wav", data: "aGk=", uri: null }, body: wordsOf },
  DocumentContent: { fitting: { mime_type: "application/pdf", data: "aGk=", uri: null }, body: wordsOf },
  VideoContent: { fitting: { mime_type: "video/mp4", data: "aGk=", uri: null }, body: wordsOf },
};
const interactionTypes: Readonly<Record<string, HistoryType>> = Object.fromEntries(
  Object.keys(stepTypes).map((type) => [type, fitted[type] ?? { body: (step: JsonObject) => interaction(step) }]),
);

const clients = [
  ["Claude 4.8", declarationsOf("@anthropic-ai/sdk", "resources/beta/messages/messages.d.ts"), anthropicTypes],
  ["openai", declarationsOf("openai", "resources/chat/completions/completions.d.ts"), chatTypes],
  ["Responses, gpt-5.4", declarationsOf("openai", "resources/responses/responses.d.ts"), responsesTypes],
  ["Gemini 3", declarationsOf("@google/genai", "dist/genai.d.ts"), geminiTypes],
  ["Interactions, Gemini 3", declarationsIn(stepTypes), interactionTypes],
] as const;

/** The fields of a value that another value lacks or has otherwise. */
function lost(before: unknown, after: unknown, at: string): readonly string[] {
  if (Array.isArray(before) && Array.isArray(after))
    return before.flatMap((each, place) => lost(each, after[place], `${at}.${place}`));
  if (isJsonObject(before) && isJsonObject(after))
    return Object.entries(before).flatMap(([key, held]) => lost(held, after[key], `${at}.${key}`));
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [at];
}

describe.each(clients)("every field of the official client's types for %s", (name, declarations, types) => {
  test.each(Object.entries(types))("20.9 %s comes back in the next request", (type, { fitting = {}, body }) => {
    const sample = { ...declarations.sampleOf(type), ...fitting };
    const known = Object.entries(sample).filter(
      ([key, value]) => value !== null && notForHistory[`${type}.${key}`] === undefined,
    );
    expect(known.length).toBeGreaterThan(1);
    const sent = body(Object.fromEntries(known));
    const wire = wires[name];
    expect(lost(sent, wire?.encode(wire.decode(sent)), type)).toEqual([]);
  });
});
