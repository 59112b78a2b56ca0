import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createHttpModel } from "../../src/adapters/providers/shared/http-model.ts";
import { scriptedModel } from "../../src/adapters/providers/scripted.ts";
import type { Message } from "../../src/core/message/types.ts";
import { assemble, assembledMessage, emptyAssembly, partialMessage } from "../../src/core/model/assemble.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import type { Fault, RefusalStatus } from "../../src/testing/mock-provider/faults.ts";
import { type MockProvider, startMockProvider } from "../../src/testing/mock-provider/server.ts";
import { anthropicCodec } from "../../src/adapters/providers/anthropic/codec.ts";
import { claudeCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import type { Codec } from "../../src/adapters/providers/shared/codec.ts";
import { geminiCodec } from "../../src/adapters/providers/gemini/codec.ts";
import { geminiCompat } from "../../src/adapters/providers/gemini/compat.ts";
import { interactionsCodec } from "../../src/adapters/providers/gemini-interactions/codec.ts";
import { interactionsCompat } from "../../src/adapters/providers/gemini-interactions/compat.ts";
import { chatCodec } from "../../src/adapters/providers/openai-chat/codec.ts";
import { chatCompats } from "../../src/adapters/providers/openai-chat/compat.ts";
import { responsesCodec } from "../../src/adapters/providers/openai-responses/codec.ts";
import { responsesCompat } from "../../src/adapters/providers/openai-responses/compat.ts";
import type { WireName } from "../../src/testing/mock-provider/wires.ts";
import { infoOf, noSleep, realDeps } from "./test-deps.ts";

const open: MockProvider[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((mock) => mock.close()));
});

// Certificate trust is set for the whole process and restored afterwards.
const trusted = getCACertificates("default");
beforeAll(() => setDefaultCACertificates(trusted));
afterAll(() => setDefaultCACertificates(trusted));

const apis = ["anthropic", "chat", "responses", "gemini", "interactions"] as const satisfies readonly WireName[];
const said = "Grüße an 世界 😀, and a last word.";
const hello: readonly Message[] = [{ role: "user", content: [{ type: "text", text: "hello" }] }];
const origin = { api: "test", provider: "test", model: "test" };
const tools = [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }];

async function reply(api: WireName, fault: Fault, streamed: boolean): Promise<readonly StreamPart[]> {
  const brain = scriptedModel(
    [
      [
        { type: "text", text: said },
        { type: "tool-call", name: "look", parameters: { where: "“here”" }, id: "call_1" },
        { type: "tool-call", name: "look", parameters: { where: "there" }, id: "call_2" },
      ],
    ],
    noSleep,
  );
  const tls = fault.type === "tls-cut";
  const mock = await startMockProvider({
    api,
    faults: [fault],
    tls,
    reply: (request, signal) => brain.stream(request, signal),
    sleep: () => Promise.resolve(),
  });
  open.push(mock);
  if (mock.certificate !== null) setDefaultCACertificates([...trusted, mock.certificate]);
  const quick = fault.type === "stall" || fault.type === "silence" ? { timeouts: { connectMs: 80, idleMs: 80 } } : {};
  const shared = { baseUrl: mock.url, streamed, ...quick };
  const over = <State>(codec: Codec<State>, id: string) =>
    createHttpModel({ ...shared, info: infoOf(id), codec }, realDeps);
  const model = {
    anthropic: () => over(anthropicCodec(claudeCompat("claude-opus-4-8")), "anthropic/claude-opus-4-8"),
    chat: () => over(chatCodec(chatCompats.openai), "openai/gpt"),
    responses: () => over(responsesCodec(responsesCompat("gpt-5.4")), "openai/gpt-5.4"),
    gemini: () => over(geminiCodec(geminiCompat("gemini-3-flash-preview")), "google/gemini-3-flash-preview"),
    interactions: () =>
      over(interactionsCodec(interactionsCompat("gemini-3-flash-preview")), "google/gemini-3-flash-preview"),
  }[api]();
  const request = { model: "m", system: "s", messages: hello, tools, maxTokens: 1000, thinking: "off" } as const;
  const parts: StreamPart[] = [];
  for await (const part of model.stream(request, new AbortController().signal)) parts.push(part);
  expect(mock.rejections).toEqual([]);
  return parts;
}

/** How a reply ended, and the calls that would run. */
function outcome(parts: readonly StreamPart[]): {
  readonly end: string;
  readonly text: string;
  readonly calls: readonly string[];
} {
  const ends = parts.filter((part) => part.type === "finished" || part.type === "failed");
  expect([ends.length, parts.at(-1)]).toEqual([1, ends[0]]);
  const assembly = parts.reduce(assemble, emptyAssembly);
  const message =
    assembly.end.type === "finished" ? assembledMessage(assembly, origin) : partialMessage(assembly, origin);
  const content = message?.content ?? [];
  return {
    end: assembly.end.type === "failed" ? assembly.end.failure.class : assembly.end.type,
    text: content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""),
    calls: content.flatMap((block) =>
      block.type === "tool-use" && block.argumentsError === undefined
        ? [`${block.id} ${JSON.stringify(block.parameters)}`]
        : [],
    ),
  };
}

const allCalls = ['call_1 {"where":"“here”"}', 'call_2 {"where":"there"}'];
const classOf: Readonly<Record<RefusalStatus, string>> = {
  400: "invalid-request",
  401: "auth",
  403: "auth",
  404: "invalid-request",
  408: "network",
  413: "context-length",
  429: "rate-limit",
  500: "network",
  502: "network",
  503: "overloaded",
  504: "network",
  529: "overloaded",
};

const statuses = Object.keys(classOf).map((status) => Number(status) as RefusalStatus);

describe.each(apis)("faults of a provider over %s", (api) => {
  describe.each([true, false])("streamed: %s", (streamed) => {
    test.each(statuses)("a refusal with status %i gets its class and yields no text and no calls", async (status) => {
      expect(outcome(await reply(api, { type: "refusal", status }, streamed))).toEqual({
        end: classOf[status],
        text: "",
        calls: [],
      });
    });

    test.each<Fault>([
      { type: "split", bytes: 1 },
      { type: "split", bytes: 1, crlf: true },
      { type: "drip", bytes: 1, everyMs: 1000 },
      { type: "crlf" },
      { type: "content-type", value: "text/plain" },
    ])("a reply that only comes oddly is whole: $type $bytes $crlf $value", async (fault) => {
      const got = outcome(await reply(api, fault, streamed));
      // A body with the wrong content type is read as a stream, and is none.
      if (fault.type === "content-type" && !streamed) expect(got).toMatchObject({ calls: [] });
      else expect(got).toEqual({ end: "finished", text: said, calls: allCalls });
    });

    test.each<Fault>([
      { type: "half-stream", events: 2 },
      { type: "reset", events: 2 },
      { type: "tls-cut", events: 2 },
      { type: "stall", events: 2 },
      { type: "silence" },
      { type: "empty" },
    ])("an unfinished reply is a network failure, and its text is kept: $type", async (fault) => {
      const got = outcome(await reply(api, fault, streamed));
      expect(got.end).toBe("network");
      expect(said.startsWith(got.text)).toBe(true);
      expect(got.calls).toEqual([]);
    });

    test("an overload reported within a reply is an overload failure, and the text is kept", async () => {
      const got = outcome(await reply(api, { type: "overloaded-event", events: 3 }, streamed));
      expect([got.end, said.startsWith(got.text), got.calls]).toEqual(["overloaded", true, []]);
    });

    test.each<Fault>(
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].flatMap((at) => [
        { type: "duplicate", at },
        { type: "reorder", at },
      ]),
    )("an event that is repeated or late makes no call that was not asked: $type $at", async (fault) => {
      const { calls } = outcome(await reply(api, fault, streamed));
      const arguments_ = new Set(allCalls.map((call) => call.slice(call.indexOf(" "))));
      for (const call of calls) expect(arguments_).toContain(call.slice(call.indexOf(" ")));
    });

    test("a single piece of 10,000,000 characters is read whole", async () => {
      const got = outcome(await reply(api, { type: "big-delta", characters: 10_000_000 }, streamed));
      expect([got.end, got.text.length >= 10_000_000, got.calls]).toEqual(["finished", true, allCalls]);
    });

    test.each([200, 500] as const)(
      "an answer of 64 MB, compressed to a few kilobytes, is not read under status %i",
      async (status) => {
        const got = outcome(await reply(api, { type: "gzip-bomb", bytes: 64 * 1024 * 1024, status }, streamed));
        expect(got).toEqual({ end: status === 500 ? "network" : "unknown", text: "", calls: [] });
      },
    );

    test("a call whose arguments are not JSON never runs", async () => {
      const got = outcome(await reply(api, { type: "broken-arguments" }, streamed));
      expect(got.calls).toEqual([]);
    });

    test("calls with the same id get distinct ids", async () => {
      const got = outcome(await reply(api, { type: "same-ids" }, streamed));
      expect(got.calls.map((call) => call.slice(0, call.indexOf(" ")))).toEqual(["call_1", "call_1_2"]);
    });

    test("a reply without content is empty, and a web page is a failure", async () => {
      expect(outcome(await reply(api, { type: "empty-content" }, streamed))).toEqual({
        end: "finished",
        text: "",
        calls: [],
      });
      expect(outcome(await reply(api, { type: "web-page" }, streamed)).end).toBe("invalid-request");
      expect(outcome(await reply(api, { type: "web-page", status: 502 }, streamed)).end).toBe("network");
    });
  });
});
