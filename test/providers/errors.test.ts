import { describe, expect, test } from "vitest";
import { failureOfEvent, failureOfReply } from "../../src/adapters/providers/shared/errors.ts";
import { retryDelayMs } from "../../src/adapters/providers/shared/retry-delay.ts";
import { recordedErrors, recordingsFolder } from "./recordings.ts";

/** The class of each recorded error, by the text of its body. The first matching line counts. */
const classes: readonly (readonly [RegExp, string])[] = [
  [/maximum context length|exceeded max context length|exceed_context_size_error/, "context-length"],
  [/authentication_error|invalid_api_key|Invalid API Key|API_KEY_INVALID|invalid subscription key/, "auth"],
  [/rate-limited upstream/, "rate-limit"],
  [/No tool output found|without its required following item/, "transcript"],
  [/"code":500/, "network"],
  [/./, "invalid-request"],
];

describe.skipIf(recordingsFolder === null)("recorded errors", () => {
  const rows = recordedErrors();
  test("number 48", () => expect(rows).toHaveLength(48));

  test.each(rows.map((row, at) => [`${at} ${row.api} ${row.host} ${row.status}`, row] as const))(
    "%s has the right class and message",
    (_name, row) => {
      const failure = failureOfReply({
        status: row.status,
        headers: new Headers(row.headers),
        body: row.body,
        nowMs: 0,
      });
      expect(failure.class).toBe(classes.find(([pattern]) => pattern.test(row.body.replaceAll(/\s*:\s*/g, ":")))?.[1]);
      expect(failure.retryable).toBe(failure.class === "rate-limit" || failure.class === "network");
      expect(failure.message.length).toBeGreaterThan(10);
      expect(failure.message).not.toContain('{"');
      expect(failure.status).toBe(row.status);
    },
  );
});

describe("classes", () => {
  test.each([
    [400, '{"error":{"message":"Incorrect API key provided: x","code":"invalid"}}', "auth"],
    [400, '{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***"}', "auth"],
    [
      400,
      '{"error":{"message":"Your credit balance is too low to access the API","type":"invalid_request_error"}}',
      "quota",
    ],
    [
      429,
      '{"error":{"message":"Rate limit reached: Limit 30000 tokens per min. Please reduce the length of the messages","type":"tokens"}}',
      "rate-limit",
    ],
    [
      429,
      '{"error":{"code":429,"message":"Quota exceeded for metric: requests per day","status":"RESOURCE_EXHAUSTED"}}',
      "quota",
    ],
    [429, '{"error":{"code":429,"message":"Resource exhausted","status":"RESOURCE_EXHAUSTED"}}', "rate-limit"],
    [
      400,
      '{"error":{"message":"This model\'s maximum context length is 8192 tokens","code":"context_length_exceeded"}}',
      "context-length",
    ],
    [400, '{"error":{"message":"The response was filtered","code":"content_filter"}}', "content-filter"],
    [400, '{"error":{"message":"messages.1.content.0: Invalid `signature` in `thinking` block"}}', "transcript"],
    [
      400,
      '{"error":{"message":"An assistant message with \'tool_calls\' must be followed by tool messages responding to each \'tool_call_id\'."}}',
      "transcript",
    ],
    [400, '{"error":{"message":"No tool call found for function call output with call_id call_1."}}', "transcript"],
    [
      404,
      '{"error":{"message":"Item with id \'rs_1\' not found. Items are not persisted when `store` is set to false."}}',
      "transcript",
    ],
    [
      400,
      '{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts.","status":"INVALID_ARGUMENT"}}',
      "transcript",
    ],
    [
      400,
      '{"error":{"code":400,"message":"Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.","status":"INVALID_ARGUMENT"}}',
      "transcript",
    ],
    [
      400,
      '{"error":{"code":400,"message":"Please ensure that function call turn comes immediately after a user turn or after a function response turn.","status":"INVALID_ARGUMENT"}}',
      "transcript",
    ],
    [
      503,
      '{"error":{"code":503,"message":"This model is currently experiencing high demand","status":"UNAVAILABLE"}}',
      "overloaded",
    ],
    [500, '[{"error":{"code":500,"message":"Internal","status":"INTERNAL"}}]', "network"],
    [422, '{"detail":[{"loc":["body","messages"],"msg":"Field required"}]}', "invalid-request"],
    [403, '{"error":{"message":"Input is flagged by moderation","code":403}}', "content-filter"],
    [403, '{"Message":"User is not authorized"}', "auth"],
    [
      429,
      '{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]}]}}',
      "rate-limit",
    ],
    [
      429,
      '{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}',
      "quota",
    ],
    [
      400,
      '{"error":{"message":"{\\"error\\":{\\"message\\":\\"No tool output found for function call a\\"}}","code":400}}',
      "transcript",
    ],
    [400, '{"object":"error","message":"Not the same number of function calls and responses"}', "transcript"],
    [400, '{"object":"error","message":"Unexpected role \'user\' after role \'tool\'"}', "transcript"],
    [400, '{"error":{"message":"Missing `reasoning_content` field in the assistant message"}}', "transcript"],
    [
      400,
      '{"error":{"message":"messages: final assistant content cannot end with trailing whitespace"}}',
      "transcript",
    ],
    [
      400,
      '{"error":{"message":"This model does not support assistant message prefill. The conversation must end with a user message."}}',
      "transcript",
    ],
    [
      400,
      '{"error":{"message":"messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`."}}',
      "transcript",
    ],
    [429, '{"errors":[{"message":"slow down","code":7502}]}', "rate-limit"],
    [418, "", "invalid-request"],
    [302, "", "unknown"],
  ])("%d %s is %s", (status, body, expected) => {
    expect(failureOfReply({ status, headers: new Headers(), body, nowMs: 0 }).class).toBe(expected);
  });

  test.each([
    [{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "overloaded"],
    [{ error: { message: "Provider returned error", code: 502 } }, "network"],
    [{ error: { message: "Too many", code: 429 } }, "rate-limit"],
    [{ error: { message: "no", type: "authentication_error" } }, "auth"],
    [{ error: { message: "slow", code: "429" } }, "rate-limit"],
    [{ error: "Something odd" }, "unknown"],
    [{}, "unknown"],
    [null, "unknown"],
  ])("the event %j is %s", (body, expected) => {
    expect(failureOfEvent(body).class).toBe(expected);
  });
});

test.each([
  ['{"errors":["invalid thing"]}', "invalid thing"],
  ['{"error":{"message":{"detail":"deep"}}}', "deep"],
  ['{"error":{"message":"{\\"error\\":{\\"message\\":\\"inner\\"}}"}}', "inner"],
  ['{"Message":"aloud"}', "aloud"],
])("the words of %s", (body, message) => {
  expect(failureOfReply({ status: 400, headers: new Headers(), body, nowMs: 0 }).message).toBe(message);
});

describe("the wait before a retry", () => {
  const now = Date.parse("2026-11-20T10:00:00Z");
  test.each<[string, Record<string, string>, unknown, number | undefined]>([
    ["milliseconds before seconds", { "retry-after-ms": "1500.2", "retry-after": "7" }, null, 1501],
    ["seconds", { "retry-after": "7" }, null, 7000],
    ["a date", { "retry-after": "Fri, 20 Nov 2026 10:00:09 GMT" }, null, 9000],
    ["a date in the past", { "retry-after": "Fri, 20 Nov 2026 09:00:00 GMT" }, null, 0],
    ["Google's detail", {}, { error: { details: [{ "@type": "RetryInfo", retryDelay: "34.07s" }] } }, 34_070],
    [
      "OpenAI's resets, the later of the two",
      {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "12ms",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "6s",
      },
      null,
      6000,
    ],
    ["minutes, capped", { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s" }, null, 60_000],
    [
      "a reset of a limit that is not used up",
      { "x-ratelimit-remaining-requests": "4", "x-ratelimit-reset-requests": "6s" },
      null,
      undefined,
    ],
    [
      "Anthropic's reset",
      { "anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": "2026-11-20T10:00:05Z" },
      null,
      5000,
    ],
    ["nothing", {}, null, undefined],
    ["a negative number", { "retry-after": "-1" }, null, undefined],
  ])("%s", (_name, headers, body, expected) => {
    expect(retryDelayMs(new Headers(headers), body, now)).toBe(expected);
  });
});
