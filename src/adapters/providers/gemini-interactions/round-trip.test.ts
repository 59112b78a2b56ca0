import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/base/json.ts";
import { interactionsCompat } from "./compat.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeRequest } from "./encode.ts";

const again = (body: JsonObject): JsonObject => {
  const { request, stream } = decodeRequest(body);
  return encodeRequest(request, interactionsCompat(request.model), stream);
};
const picture = { type: "image", mime_type: "image/png", data: "aGk=", resolution: "low" };
const person = { type: "user_input", content: [{ type: "text", text: "hi" }] };
const call = { type: "function_call", id: "c1", name: "look", arguments: { at: "x" }, signature: "s" };
const result = { type: "function_result", call_id: "c1", name: "look", result: "seen" };

describe("20.11 a request of the format's own client comes back to the letter, with", () => {
  test.each<readonly [string, JsonObject]>([
    ["a text as input", { input: "hi" }],
    ["one content as input", { input: { type: "text", text: "hi" } }],
    ["contents as input", { input: [{ type: "text", text: "hi" }, picture] }],
    ["settings that Heddle has no terms for", { input: "hi", generation_config: { top_p: 0.5, seed: 3 }, store: true }],
    [
      "server tools beside functions",
      { input: "hi", tools: [{ type: "function", name: "look" }, { type: "url_context" }] },
    ],
    [
      "a thought, words with a picture, and citations",
      {
        input: [
          person,
          { type: "thought", signature: "s", summary: [{ type: "text", text: "Hm." }] },
          {
            type: "model_output",
            content: [
              { type: "text", text: "a", annotations: [{ type: "url_citation", url: "https://a" }] },
              picture,
              { type: "text", text: "b" },
            ],
            own: 1,
          },
          person,
        ],
      },
    ],
    [
      "a thought of several parts",
      { input: [person, { type: "thought", summary: [{ type: "text", text: "a" }, picture], own: 1 }, person] },
    ],
    ["a call and a text result", { input: [person, call, result] }],
    [
      "a failed result of another kind, without a name",
      {
        input: [
          person,
          { ...call, own: 1 },
          { type: "function_result", call_id: "c1", result: { a: 1 }, is_error: true, own: 1 },
        ],
      },
    ],
    [
      "a result with a picture",
      { input: [person, call, { ...result, result: [{ type: "text", text: "x" }, picture] }] },
    ],
    [
      "a search of the provider",
      {
        input: [
          person,
          { type: "google_search_call", id: "s1", arguments: { queries: ["x"] } },
          { type: "google_search_result", call_id: "s1", result: [] },
          person,
        ],
      },
    ],
    [
      "a sound and a file at an address",
      {
        input: [
          {
            type: "user_input",
            content: [
              { type: "audio", mime_type: "audio/wav", data: "aGk=" },
              { type: "document", uri: "https://example.org/a" },
              { type: "video", mime_type: "application/x", uri: "https://a" },
            ],
            own: 1,
          },
        ],
      },
    ],
  ])("%s", (_what, fields) => {
    const body = { model: "gemini-3-flash-preview", ...fields };
    expect(again(body)).toEqual(body);
  });
});

test("results inside a person's step are read as results", () => {
  const { request } = decodeRequest({ model: "m", input: [person, call, { type: "user_input", content: [result] }] });
  expect(request.messages.at(-1)).toMatchObject({ role: "tool", tool_call_id: "c1", content: [{ text: "seen" }] });
});
