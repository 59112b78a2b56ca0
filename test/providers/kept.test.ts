import { describe, expect, test } from "vitest";
import { textAt } from "../../src/adapters/providers/shared/json-read.ts";
import type { AssistantMessage, Message } from "../../src/core/message/types.ts";
import { assemble, assembledMessage, emptyAssembly } from "../../src/core/model/assemble.ts";
import { decoderFor } from "./recorded-codecs.ts";
import { model, requestOf, wires } from "./wires.ts";

const user: Message = { role: "user", content: [{ type: "text", text: "hi" }] };

/** The content of a format's reply, and its place in the next request of the same wire; null if it is not sent back. */
const kept: readonly (readonly [string, string, string, readonly object[], object, object | null])[] = [
  [
    "Anthropic's citations",
    "anthropic",
    "Claude 4.8",
    [
      { type: "message_start", message: { usage: {} } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "said", citations: [] } },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "citations_delta", citation: { type: "page_location", document_index: 0 } },
      },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    ],
    { type: "text", native: { data: { citations: [{ type: "page_location" }] } } },
    { citations: [{ type: "page_location", document_index: 0 }] },
  ],
  [
    "Anthropic's encrypted thinking",
    "anthropic",
    "Claude 4.8",
    [
      { type: "content_block_start", index: 0, content_block: { type: "redacted_thinking", data: "ZW5j" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "x" } },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    ],
    { type: "thinking", redacted: "ZW5j" },
    { type: "redacted_thinking", data: "ZW5j" },
  ],
  [
    "Anthropic's own tools",
    "anthropic",
    "Claude 4.8",
    [
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
      },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"query":"x"}' } },
      { type: "content_block_stop", index: 0 },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [{ odd: [1, null] }] },
      },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "pause_turn" } },
      { type: "message_stop" },
    ],
    { type: "opaque", raw: { type: "server_tool_use", input: { query: "x" } } },
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
  ],
  [
    "Chat's refusal",
    "chat",
    "openai",
    [
      { choices: [{ index: 0, delta: { refusal: "I will " } }] },
      { choices: [{ index: 0, delta: { refusal: "not." }, finish_reason: "stop" }] },
    ],
    { type: "refusal", text: "I will not." },
    { content: "I will not." },
  ],
  [
    "Chat's annotations",
    "chat",
    "openai",
    [
      { choices: [{ index: 0, delta: { content: "said" } }] },
      {
        choices: [
          {
            index: 0,
            delta: { annotations: [{ type: "url_citation", url_citation: { url: "https://example.org" } }] },
            finish_reason: "stop",
          },
        ],
      },
    ],
    { type: "text", native: { data: { annotations: [{ type: "url_citation" }] } } },
    null,
  ],
  [
    "Chat's lists of sources",
    "chat",
    "perplexity",
    [
      {
        citations: ["https://example.org"],
        choices: [{ index: 0, delta: { content: "said" }, finish_reason: "stop" }],
      },
    ],
    { type: "text", native: { data: { citations: ["https://example.org"] } } },
    null,
  ],
  [
    "Chat's encrypted reasoning",
    "chat",
    "openrouter",
    [
      {
        choices: [
          { index: 0, delta: { reasoning_details: [{ type: "reasoning.encrypted", data: "ZW5j", id: "rs_1" }] } },
        ],
      },
      { choices: [{ index: 0, delta: { content: "x" }, finish_reason: "stop" }] },
    ],
    { type: "thinking", text: "" },
    { reasoning_details: [{ type: "reasoning.encrypted", data: "ZW5j", id: "rs_1" }] },
  ],
  [
    "Chat's drawings",
    "chat",
    "openrouter",
    [
      {
        choices: [
          {
            index: 0,
            delta: {
              content: "here",
              images: [{ type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } }],
            },
            finish_reason: "stop",
          },
        ],
      },
    ],
    { type: "opaque", raw: { type: "image_url" } },
    null,
  ],
  [
    "Responses' encrypted reasoning",
    "responses",
    "Responses, gpt-5.4",
    [
      {
        type: "response.output_item.done",
        output_index: 0,
        item: {
          type: "reasoning",
          id: "rs_1",
          summary: [{ type: "summary_text", text: "hm" }],
          encrypted_content: "ZW5j",
        },
      },
      {
        type: "response.output_item.done",
        output_index: 1,
        item: {
          type: "message",
          role: "assistant",
          phase: "final_answer",
          content: [{ type: "output_text", text: "x", annotations: [{ type: "url_citation", url: "u" }] }],
        },
      },
      { type: "response.completed", response: { status: "completed", output: [] } },
    ],
    { type: "thinking", text: "hm", signature: "ZW5j" },
    { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "ZW5j" },
  ],
  [
    "Responses' annotations",
    "responses",
    "Responses, gpt-5.4",
    [
      {
        type: "response.output_item.done",
        output_index: 0,
        item: {
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: "x", annotations: [{ type: "url_citation", url: "u" }] }],
        },
      },
      { type: "response.completed", response: { status: "completed", output: [] } },
    ],
    { type: "text", native: { data: { annotations: [{ url: "u" }] } } },
    { type: "output_text", text: "x", annotations: [{ type: "url_citation", url: "u" }] },
  ],
  [
    "Responses' refusal",
    "responses",
    "Responses, gpt-5.4",
    [
      { type: "response.refusal.delta", output_index: 0, content_index: 0, delta: "No." },
      { type: "response.completed", response: { status: "completed", output: [] } },
    ],
    { type: "refusal", text: "No." },
    { type: "refusal", refusal: "No." },
  ],
  [
    "Responses' own tools, and unknown items",
    "responses",
    "Responses, gpt-5.4",
    [
      {
        type: "response.output_item.done",
        output_index: 0,
        item: { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } },
      },
      {
        type: "response.output_item.done",
        output_index: 1,
        item: { type: "message", role: "assistant", content: [{ type: "output_text", text: "x" }] },
      },
      { type: "response.completed", response: { status: "completed", output: [] } },
    ],
    { type: "opaque", raw: { type: "web_search_call" } },
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } },
  ],
  [
    "Gemini's grounding",
    "gemini-stream",
    "Gemini 3",
    [
      {
        candidates: [
          {
            content: { parts: [{ text: "said" }] },
            finishReason: "STOP",
            groundingMetadata: { webSearchQueries: ["x"] },
          },
        ],
      },
    ],
    { type: "text", native: { data: { groundingMetadata: { webSearchQueries: ["x"] } } } },
    null,
  ],
  [
    "Gemini's code and its result",
    "gemini-stream",
    "Gemini 3",
    [
      {
        candidates: [
          {
            content: {
              parts: [{ executableCode: { language: "PYTHON", code: "1" }, thoughtSignature: "c2ln" }, { text: "x" }],
            },
            finishReason: "STOP",
          },
        ],
      },
    ],
    { type: "opaque", raw: { executableCode: { code: "1" } } },
    { executableCode: { language: "PYTHON", code: "1" }, thoughtSignature: "c2ln" },
  ],
  [
    "Gemini's signature of a text",
    "gemini-stream",
    "Gemini 3",
    [
      {
        candidates: [
          { content: { parts: [{ text: "said" }, { text: "", thoughtSignature: "c2ln" }] }, finishReason: "STOP" },
        ],
      },
    ],
    { type: "text", text: "said", native: { data: { thoughtSignature: "c2ln" } } },
    { text: "said", thoughtSignature: "c2ln" },
  ],
  [
    "Gemini's refusal of a prompt",
    "gemini-stream",
    "Gemini 3",
    [{ promptFeedback: { blockReason: "SAFETY", blockReasonMessage: "No." } }],
    { type: "refusal", text: "No." },
    { text: "No." },
  ],
  [
    "the Interactions format's signature of a call",
    "interactions",
    "Interactions, Gemini 3",
    [
      { event_type: "interaction.created", interaction: { id: "", model: "m", status: "in_progress" } },
      {
        event_type: "step.start",
        index: 0,
        step: { type: "function_call", id: "c1", name: "look", arguments: {}, signature: "c2ln", own: 1 },
      },
      { event_type: "step.delta", index: 0, delta: { type: "arguments_delta", arguments: "{}" } },
      { event_type: "step.stop", index: 0 },
      { event_type: "interaction.completed", interaction: { id: "", model: "m", status: "requires_action" } },
    ],
    { type: "tool-use", id: "c1", native: { data: { signature: "c2ln", step: { own: 1 } } } },
    { type: "function_call", id: "c1", name: "look", arguments: {}, signature: "c2ln", own: 1 },
  ],
  [
    "the Interactions format's search, with its result",
    "interactions",
    "Interactions, Gemini 3",
    [
      { event_type: "interaction.created", interaction: { id: "", model: "m", status: "in_progress" } },
      { event_type: "step.start", index: 0, step: { type: "google_search_result", call_id: "s1", signature: "x" } },
      {
        event_type: "step.delta",
        index: 0,
        delta: { type: "google_search_result", result: [{ search_suggestions: "y" }] },
      },
      { event_type: "step.stop", index: 0 },
      { event_type: "interaction.completed", interaction: { id: "", model: "m", status: "completed" } },
    ],
    { type: "opaque", raw: { type: "google_search_result", call_id: "s1" } },
    { type: "google_search_result", call_id: "s1", signature: "x", result: [{ search_suggestions: "y" }] },
  ],
];

describe("reply content other than words", () => {
  test.each(kept.map((each) => [...each] as const))("%s", (_what, api, name, events, block, back) => {
    const decoder = decoderFor(api).start();
    const parts = [...events.flatMap((event) => decoder.push({ data: JSON.stringify(event) })), ...decoder.end()];
    expect(parts.at(-1)?.type).toBe("finished");
    const origin: NonNullable<AssistantMessage["origin"]> = { api: decoderFor(api).api, provider: "p", model };
    const reply = assembledMessage(parts.reduce(assemble, emptyAssembly), origin);
    expect(reply?.content.find((each) => each.type === textAt(block, "type"))).toMatchObject(block);
    if (reply === null) return;
    const body = wires[name]?.encode(requestOf([user, reply, user]));
    expect(wires[name]?.fault(body)).toBeNull();
    if (back !== null) expect(JSON.stringify(body)).toContain(JSON.stringify(back).slice(1, -1));
  });
});
