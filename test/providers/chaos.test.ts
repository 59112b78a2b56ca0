import { afterEach, describe, expect, test } from "vitest";
import { createHttpModel, type HttpTimeouts } from "../../src/adapters/providers/shared/http-model.ts";
import { chatCodec } from "../../src/adapters/providers/openai-chat/codec.ts";
import { chatCompats } from "../../src/adapters/providers/openai-chat/compat.ts";
import { type Script, scriptedModel } from "../../src/adapters/providers/scripted.ts";
import type { Message } from "../../src/core/message/types.ts";
import { assemble, assembledMessage, emptyAssembly, partialMessage } from "../../src/core/model/assemble.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import type { LanguageModel } from "../../src/core/port/language-model.ts";
import type { Fault } from "../../src/testing/mock-provider/faults.ts";
import { type MockProvider, startMockProvider } from "../../src/testing/mock-provider/server.ts";
import type { WireName } from "../../src/testing/mock-provider/wires.ts";
import { modelOver } from "./model-over.ts";
import { infoOf, noSleep, realDeps } from "./test-deps.ts";

const open: MockProvider[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((mock) => mock.close()));
});

type Api = WireName;
const apis: readonly Api[] = ["anthropic", "chat", "responses", "gemini", "interactions"];
const shortTimeouts: HttpTimeouts = { connectMs: 150, idleMs: 150 };
const origin = { api: "test", provider: "test", model: "test" };
const said = "Grüße an 世界 😀, and a last word.";
const script: Script = [
  [
    { type: "text", text: said },
    { type: "tool-call", name: "look", parameters: { where: "“here”" }, id: "call_1" },
  ],
];

/** The same fault for a format that needs two events where others need five. */
function inPlaceOf(api: Api, fault: Fault | null): Fault | null {
  return api === "gemini" && fault !== null && "events" in fault
    ? { ...fault, events: Math.min(fault.events, 2) }
    : fault;
}

async function startMock(api: Api, faults: readonly (Fault | null)[], replies: Script = script): Promise<MockProvider> {
  const brain = scriptedModel(replies, noSleep);
  const mock = await startMockProvider({
    api,
    faults: faults.map((fault) => inPlaceOf(api, fault)),
    reply: (request, signal) => brain.stream(request, signal),
    strict: true,
  });
  open.push(mock);
  return mock;
}

const hello: readonly Message[] = [{ role: "user", content: [{ type: "text", text: "hello" }] }];
const tools = [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }];

async function ask(
  model: LanguageModel,
  signal = new AbortController().signal,
  parts: StreamPart[] = [],
): Promise<readonly StreamPart[]> {
  const request = { model: "m", system: "s", messages: hello, tools, maxTokens: 1000, thinking: "off" } as const;
  for await (const part of model.stream(request, signal)) parts.push(part);
  return parts;
}

/** A reply's end in one line: its class, whether a retry can help, and what was kept. */
function verdict(parts: readonly StreamPart[]): string {
  const ends = parts.filter((part) => part.type === "finished" || part.type === "failed");
  expect(ends).toHaveLength(1);
  expect(parts.at(-1)).toBe(ends[0]);
  const assembly = parts.reduce(assemble, emptyAssembly);
  const { end } = assembly;
  if (end.type === "finished") {
    const kept =
      assembledMessage(assembly, origin)
        ?.content.map((block) => block.type)
        .join("+") ?? "nothing";
    return `finished ${end.reason}: ${kept}`;
  }
  if (end.type === "open") return "open";
  const kept =
    partialMessage(assembly, origin)
      ?.content.map((block) => block.type)
      .join("+") ?? "nothing";
  const wait = end.failure.retryAfterMs === undefined ? "" : ` after ${end.failure.retryAfterMs}`;
  return `${end.failure.class}${end.failure.retryable ? ", retry" : ""}${wait}: ${kept}`;
}

const json = (value: unknown): string => JSON.stringify(value);
const rateLimited = json({
  error: { type: "rate_limit_error", message: "Number of requests has exceeded your rate limit" },
});
const whole = "finished tool-use: text+tool-use";

const table: readonly (readonly [string, Fault, string])[] = [
  ["nothing wrong", { type: "split", bytes: 1_000_000 }, whole],
  ["every byte by itself", { type: "split", bytes: 1 }, whole],
  ["three bytes at a time", { type: "split", bytes: 3 }, whole],
  ["CR LF line ends", { type: "crlf" }, whole],
  ["the end event is missing", { type: "no-end" }, whole],
  ["the end event is cut in half", { type: "half-event" }, whole],
  ["the stream breaks off in its text", { type: "half-stream", events: 5 }, "network, retry: text"],
  ["the stream breaks off before anything", { type: "half-stream", events: 1 }, "network, retry: nothing"],
  ["the connection is reset", { type: "reset", events: 5 }, "network, retry: text"],
  ["a stall in mid-reply", { type: "stall", events: 5 }, "network, retry: text"],
  ["no answer at all", { type: "silence" }, "network, retry: nothing"],
  ["200 with an empty body", { type: "empty" }, "network, retry: nothing"],
  ["200 with a web page", { type: "web-page" }, "invalid-request: nothing"],
  ["a wrong content type", { type: "content-type", value: "text/plain" }, whole],
  ["a stream that claims to be JSON", { type: "content-type", value: "application/json" }, whole],
  ["a stream that claims to be bytes", { type: "content-type", value: "application/octet-stream" }, whole],
  [
    "overloaded inside a 200 stream",
    {
      type: "error-event",
      events: 5,
      name: "error",
      data: json({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
    },
    "overloaded, retry: text",
  ],
  [
    "an error object as data",
    {
      type: "error-event",
      events: 5,
      data: json({ error: { message: "Rate limit reached for gpt", type: "requests", code: "rate_limit_exceeded" } }),
    },
    "rate-limit, retry: text",
  ],
  ["half JSON in mid-stream", { type: "error-event", events: 5, data: '{"type":"content_blo' }, "network, retry: text"],
  ["a line of 11 MB", { type: "long-line", bytes: 11 * 1024 * 1024 }, "unknown: nothing"],
  [
    "400",
    { type: "status", status: 400, body: json({ error: { message: "nope", type: "invalid_request_error" } }) },
    "invalid-request: nothing",
  ],
  [
    "400 about unanswered calls",
    {
      type: "status",
      status: 400,
      body: json({
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1",
        },
      }),
    },
    "transcript: nothing",
  ],
  [
    "400 about the context",
    {
      type: "status",
      status: 400,
      body: json({
        type: "error",
        error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
      }),
    },
    "context-length: nothing",
  ],
  [
    "401",
    {
      type: "status",
      status: 401,
      body: json({ type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } }),
    },
    "auth: nothing",
  ],
  [
    "402",
    { type: "status", status: 402, body: json({ error: { message: "Insufficient Balance" } }) },
    "quota: nothing",
  ],
  [
    "403 with a proxy's page",
    {
      type: "status",
      status: 403,
      headers: { "content-type": "text/html" },
      body: "<html><title>Forbidden</title></html>",
    },
    "auth: nothing",
  ],
  [
    "404",
    { type: "status", status: 404, body: json({ error: { message: "model: x", type: "not_found_error" } }) },
    "invalid-request: nothing",
  ],
  ["408", { type: "status", status: 408, body: "" }, "network, retry: nothing"],
  ["409", { type: "status", status: 409, body: "" }, "invalid-request, retry: nothing"],
  [
    "413",
    {
      type: "status",
      status: 413,
      body: json({ type: "error", error: { type: "request_too_large", message: "Request exceeds the maximum size" } }),
    },
    "context-length: nothing",
  ],
  ["429 without a wait", { type: "status", status: 429, body: rateLimited }, "rate-limit, retry: nothing"],
  [
    "429 with seconds",
    { type: "status", status: 429, headers: { "retry-after": "3" }, body: rateLimited },
    "rate-limit, retry after 3000: nothing",
  ],
  [
    "429 with milliseconds",
    { type: "status", status: 429, headers: { "retry-after": "3", "retry-after-ms": "250" }, body: rateLimited },
    "rate-limit, retry after 250: nothing",
  ],
  [
    "429 with an absurd wait",
    { type: "status", status: 429, headers: { "retry-after": "9999999" }, body: rateLimited },
    "rate-limit, retry after 60000: nothing",
  ],
  [
    "429 with an unreadable wait",
    { type: "status", status: 429, headers: { "retry-after": "-soon" }, body: rateLimited },
    "rate-limit, retry: nothing",
  ],
  [
    "429 that forbids a retry",
    { type: "status", status: 429, headers: { "x-should-retry": "false" }, body: rateLimited },
    "rate-limit: nothing",
  ],
  [
    "429 because the credit is used up",
    {
      type: "status",
      status: 429,
      body: json({
        error: { message: "You exceeded your current quota", type: "insufficient_quota", code: "insufficient_quota" },
      }),
    },
    "quota: nothing",
  ],
  [
    "500",
    {
      type: "status",
      status: 500,
      body: json({ type: "error", error: { type: "api_error", message: "Internal server error" } }),
    },
    "network, retry: nothing",
  ],
  ["500 caused by another server", { type: "status", status: 500, body: "" }, "network, retry: nothing"],
  [
    "502 with a web page",
    {
      type: "status",
      status: 502,
      headers: { "content-type": "text/html" },
      body: "<html><head><title>502 Bad Gateway</title></head></html>",
    },
    "network, retry: nothing",
  ],
  ["503", { type: "status", status: 503, body: "upstream connect error" }, "overloaded, retry: nothing"],
  ["504", { type: "status", status: 504, body: "" }, "network, retry: nothing"],
  ["520", { type: "status", status: 520, body: "error code: 520" }, "network, retry: nothing"],
  [
    "529",
    {
      type: "status",
      status: 529,
      body: json({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
    },
    "overloaded, retry: nothing",
  ],
  [
    "a redirect to a page",
    { type: "status", status: 302, headers: { location: "http://127.0.0.1:9/" }, body: "" },
    "network, retry: nothing",
  ],
];

/** Formats in which only the last event says that a reply is complete, and why: without it the reply was cut off. */
const cutWithoutEnd = "network, retry: text+tool-use";
const endings: Readonly<Record<string, Partial<Record<Api, string>>>> = {
  "the end event is missing": { responses: cutWithoutEnd, gemini: cutWithoutEnd, interactions: cutWithoutEnd },
  "the end event is cut in half": { responses: cutWithoutEnd, gemini: cutWithoutEnd, interactions: cutWithoutEnd },
};

describe.each(apis)("faults over %s", (api) => {
  test.each(table)("%s", async (name, fault, usual) => {
    const expected = endings[name]?.[api] ?? usual;
    const mock = await startMock(api, [fault]);
    const parts = await ask(
      modelOver(api, mock.url, fault.type === "stall" || fault.type === "silence" ? shortTimeouts : undefined),
    );
    expect(verdict(parts)).toBe(expected);
    if (expected === whole) {
      const text = parts.map((part) => (part.type === "text-delta" ? part.text : "")).join("");
      expect(text).toBe(said);
    }
  });

  test("an unreachable server is a network failure that names the cause", async () => {
    const mock = await startMock(api, []);
    await mock.close();
    open.length = 0;
    const parts = await ask(modelOver(api, mock.url));
    expect(verdict(parts)).toBe("network, retry: nothing");
    expect(JSON.stringify(parts)).toContain("ECONNREFUSED");
  });

  test("a call with arguments that are not JSON carries the reason, and an unfinished call is dropped", async () => {
    const mock = await startMock(
      api,
      // A call that arrives in one piece is cut off before it.
      [null, { type: "half-stream", events: api === "gemini" ? 1 : 8 }],
      [
        [{ type: "tool-call", name: "look", parameters: '{"where": nowhere', id: "call_1" }],
        [{ type: "tool-call", name: "look", parameters: { where: "x".repeat(500) }, id: "call_1" }],
      ],
    );
    const model = modelOver(api, mock.url);
    const first = await ask(model);
    // Where arguments are objects, the provider itself cannot read broken ones.
    if (api === "gemini") expect(verdict(first)).toBe("unknown, retry: nothing");
    else
      expect(assembledMessage(first.reduce(assemble, emptyAssembly), origin)?.content).toMatchObject([
        {
          type: "tool-use",
          parameters: {},
          rawParameters: '{"where": nowhere',
          argumentsError: expect.stringContaining("not valid JSON"),
        },
      ]);
    expect(verdict(await ask(model))).toBe("network, retry: nothing");
  });

  test("two calls with the same id get two ids, and a reply without content is no message", async () => {
    const call = { type: "tool-call", name: "look", parameters: {}, id: "same" } as const;
    const mock = await startMock(api, [], [[call, call], []]);
    const model = modelOver(api, mock.url);
    const twice = assembledMessage((await ask(model)).reduce(assemble, emptyAssembly), origin);
    expect(twice?.content.map((block) => (block.type === "tool-use" ? block.id : ""))).toEqual(["same", "same_2"]);
    expect(assembledMessage((await ask(model)).reduce(assemble, emptyAssembly), origin)).toBeNull();
  });

  test.each([
    ["before the answer", { type: "silence" }, "cancelled: nothing"],
    ["in mid-reply", { type: "stall", events: 5 }, "cancelled: text"],
  ] as const)("an abort %s ends the stream within 100 ms: it waits for nothing", async (_when, fault, expected) => {
    const mock = await startMock(api, [fault]);
    const controller = new AbortController();
    const seen: StreamPart[] = [];
    const asked = ask(modelOver(api, mock.url), controller.signal, seen);
    const ready = (): boolean =>
      fault.type === "stall" ? seen.some((part) => part.type === "text-delta") : mock.requests.length > 0;
    while (!ready()) {
      await new Promise((resolve) => {
        setTimeout(resolve, 1);
      });
    }
    controller.abort();
    expect(await settledSoon(asked)).toBe(true);
    expect(verdict(await asked)).toBe(expected);
  });

  test("a fetch that ignores its signal is abandoned within 100 ms", async () => {
    const deaf = { ...realDeps, fetch: () => new Promise<Response>(() => undefined) };
    const model = createHttpModel(
      { info: infoOf("x/y"), baseUrl: "http://127.0.0.1:9", codec: chatCodec(chatCompats.openai), streamed: true },
      deaf,
    );
    const controller = new AbortController();
    const asked = ask(model, controller.signal);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    controller.abort();
    expect(await settledSoon(asked)).toBe(true);
    expect(verdict(await asked)).toBe("cancelled: nothing");
  });

  test("after an abort only the end follows, even if the rest of the reply has already arrived", async () => {
    const mock = await startMock(api, []);
    const controller = new AbortController();
    const request = { model: "m", system: "", messages: hello, tools, maxTokens: 10, thinking: "off" } as const;
    const seen: StreamPart[] = [];
    for await (const part of modelOver(api, mock.url).stream(request, controller.signal)) {
      seen.push(part);
      if (part.type === "text-delta") controller.abort();
    }
    expect(seen.filter((part) => part.type === "text-delta")).toHaveLength(1);
    expect(verdict(seen)).toBe("cancelled: text");
  });

  test("a reply that runs out of space before its first word is a context-length failure", async () => {
    const usage = { inputTokens: 199_000, outputTokens: 0, cachedInputTokens: 0, thinkingTokens: 0 };
    const mock = await startMockProvider({
      api,
      reply: async function* () {
        yield { type: "response-started" };
        yield { type: "finished", reason: "max-tokens", usage };
      },
    });
    open.push(mock);
    expect(verdict(await ask(modelOver(api, mock.url)))).toBe("context-length: nothing");
  });

  test("a request that is aborted before it starts is not sent", async () => {
    const mock = await startMock(api, []);
    expect(verdict(await ask(modelOver(api, mock.url), AbortSignal.abort()))).toBe("cancelled: nothing");
    expect(mock.requests).toHaveLength(0);
  });

  test("closing the stream early closes the connection", async () => {
    const mock = await startMock(api, [{ type: "stall", events: 5 }]);
    const request = { model: "m", system: "", messages: hello, tools, maxTokens: 10, thinking: "off" } as const;
    const stream = modelOver(api, mock.url).stream(request, new AbortController().signal);
    for await (const part of stream) if (part.type === "text-delta") break;
    await mock.close();
    open.length = 0;
  });
});

/**
 * Returns whether a promise settles within a few turns of the event loop, a time that does not grow on a busy machine.
 */
async function settledSoon(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const mark = (): void => {
    settled = true;
  };
  promise.then(mark, mark);
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  return settled;
}
