import { describe, expect, test } from "vitest";
import type { Clock } from "../../core/port/platform.ts";
import { imageTakenByAll } from "../../core/message/media-limits.ts";
import { knownProviders } from "./catalogue-providers.ts";
import { buildCatalogue, type ProviderConfig } from "./catalogue.ts";
import { endpointUrl } from "./shared/http-model.ts";

const clock: Clock = { now: () => 0, monotonic: () => 0, setTimer: () => () => undefined };

interface Sent {
  readonly url: string;
  readonly headers: Headers;
}

/** A catalogue whose requests are only recorded. */
function open(config: ProviderConfig): {
  readonly catalogue: ReturnType<typeof buildCatalogue>;
  readonly sent: Sent[];
} {
  const sent: Sent[] = [];
  const catalogue = buildCatalogue(config, {
    clock,
    sleep: () => Promise.resolve(),
    fetch: (url, init) => {
      sent.push({ url, headers: new Headers(init.headers) });
      return Promise.resolve(new Response("{}", { status: 401 }));
    },
  });
  return { catalogue, sent };
}

async function send(config: ProviderConfig, id: string): Promise<Sent | undefined> {
  const { catalogue, sent } = open(config);
  const request = {
    model: id.slice(id.indexOf("/") + 1),
    system: "",
    messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
    tools: [],
    maxTokens: 10,
    thinking: "off",
  } as const;
  for await (const _part of catalogue.find(id)?.stream(request, new AbortController().signal) ?? []);
  return sent[0];
}

test("14.23 the limits that a copy is made for are the least of all providers'", () => {
  const limits = knownProviders.flatMap(({ media }) => (media === undefined ? [] : [media]));
  expect(limits.length).toBeGreaterThan(2);
  expect(imageTakenByAll).toEqual({
    bytesMax: Math.min(...limits.map(({ imageBytesMax }) => imageBytesMax)),
    sideMax: Math.min(...limits.map(({ imageSideMax }) => imageSideMax)),
  });
});

describe("the catalogue", () => {
  test("has only the scribe when nothing is configured", () => {
    const { catalogue } = open({});
    expect(catalogue.list().map((info) => info.id)).toEqual(["scripted/scribe"]);
    expect(catalogue.find("scripted/scribe")?.info).toMatchObject({ local: true, tools: true, thinking: false });
    for (const id of [
      "anthropic/claude-opus-4-8",
      "openai/gpt-5",
      "google/gemini-2.5-pro",
      "local/x",
      "scribe",
      "",
      "/",
      "x/",
    ])
      expect(catalogue.find(id)).toBeUndefined();
  });

  test("opens a provider with its key and lists its known models before the scribe", () => {
    const { catalogue } = open({ keys: { anthropic: "a", openai: "o", google: "g" } });
    const ids = catalogue.list().map((info) => info.id);
    expect(ids[0]).toMatch(/^anthropic\/claude-/);
    expect(ids).toContain("openai/gpt-5");
    expect(ids).toContain("google/gemini-2.5-pro");
    expect(ids.at(-1)).toBe("scripted/scribe");
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(catalogue.find(id)?.info.id).toBe(id);
  });

  test.each([
    ["anthropic/claude-opus-4-8", 1_000_000, 128_000],
    ["anthropic/claude-haiku-4-5-20251001", 200_000, 64_000],
    ["anthropic/claude-of-tomorrow", null, null],
    ["openai/gpt-4o-2024-11-20", 128_000, 16_384],
    ["openai/ft:my/model", null, null],
    ["openai/gpt-5.5-2026-04-01", 1_050_000, 128_000],
    ["google/gemini-2.5-flash", 1_048_576, 65_536],
    ["google/gemini-of-tomorrow", null, null],
  ])("gives %s a window of %s and %s out", (id, context, output) => {
    const { catalogue } = open({ keys: { anthropic: "a", openai: "o", google: "g" } });
    expect(catalogue.find(id)?.info).toMatchObject({ id, contextTokensMax: context, outputTokensMax: output });
  });

  test("sends each key in its own header to its own provider only", async () => {
    const config = {
      keys: { anthropic: "key-a", openai: "key-o", google: "key-g" },
      compatibleBaseUrl: "http://localhost:11434/v1",
      compatibleModel: "llama",
    };
    const anthropic = await send(config, "anthropic/claude-opus-4-8");
    expect([anthropic?.url, anthropic?.headers.get("x-api-key")]).toEqual([
      "https://api.anthropic.com/v1/messages",
      "key-a",
    ]);
    const openai = await send(config, "openai/gpt-5");
    expect([openai?.url, openai?.headers.get("authorization")]).toEqual([
      "https://api.openai.com/v1/chat/completions",
      "Bearer key-o",
    ]);
    const google = await send(config, "google/gemini-3-flash-preview");
    expect([google?.url, google?.headers.get("x-goog-api-key"), google?.headers.get("authorization")]).toEqual([
      "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-flash-preview:streamGenerateContent?alt=sse",
      "key-g",
      null,
    ]);
    const local = await send(config, "local/llama");
    expect(local?.url).toBe("http://localhost:11434/v1/chat/completions");
    expect(JSON.stringify([...(local?.headers ?? [])])).not.toContain("key-");
  });

  test.each([
    ["gpt-5", "chat/completions"],
    ["gpt-4o", "chat/completions"],
    ["a-model-of-tomorrow", "chat/completions"],
    ["gpt-5.5", "responses"],
    ["gpt-5.4-mini-2026-03-17", "responses"],
    ["gpt-5.3-codex", "responses"],
    ["gpt-5-pro", "responses"],
    ["o3-pro-2025-06-10", "responses"],
    ["codex-mini-latest", "responses"],
  ])("sends openai/%s to %s", async (name, path) => {
    const sent = await send({ keys: { openai: "k" } }, `openai/${name}`);
    expect([sent?.url, sent?.headers.get("authorization")]).toEqual([`https://api.openai.com/v1/${path}`, "Bearer k"]);
    const local = await send({ compatibleBaseUrl: "http://localhost:1234/v1" }, `local/${name}`);
    expect(local?.url).toBe("http://localhost:1234/v1/chat/completions");
  });

  test.each([
    ["https://gateway.example", "https://gateway.example/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse"],
    ["https://gateway.example/v1/", "https://gateway.example/v1/models/gemini-2.5-pro:streamGenerateContent?alt=sse"],
    ["http://localhost:9/v1beta", "http://localhost:9/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse"],
  ])("reaches Google's models at %s", async (google, url) => {
    expect((await send({ addresses: { google } }, "google/gemini-2.5-pro"))?.url).toBe(url);
  });

  test("lists a local server's model and accepts any other model name for that server", () => {
    const { catalogue } = open({ compatibleBaseUrl: "http://127.0.0.1:8080", compatibleModel: "qwen3:8b" });
    expect(catalogue.list().map((info) => info.id)).toEqual(["local/qwen3:8b", "scripted/scribe"]);
    expect(catalogue.find("local/other")?.info).toMatchObject({ local: true });
  });

  test("plays a script when one is given", () => {
    const { catalogue } = open({ script: [[{ type: "text", text: "hi" }]] });
    expect(catalogue.list().map((info) => info.id)).toEqual(["scripted/scribe", "scripted/script"]);
    expect(catalogue.find("scripted/script")?.api).toBe("scripted");
  });

  test("opens a provider without a key when an address is given", async () => {
    const sent = await send({ addresses: { anthropic: "http://127.0.0.1:4000" } }, "anthropic/whatever");
    expect(sent?.url).toBe("http://127.0.0.1:4000/v1/messages");
    expect(sent?.headers.has("x-api-key")).toBe(false);
  });
});

test.each([
  ["https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"],
  ["https://api.openai.com/v1/", "https://api.openai.com/v1/chat/completions"],
  ["http://localhost:8080", "http://localhost:8080/v1/chat/completions"],
  ["https://api.groq.com/openai/v1", "https://api.groq.com/openai/v1/chat/completions"],
  ["https://api.z.ai/api/paas/v4", "https://api.z.ai/api/paas/v4/chat/completions"],
  ["https://example.org/v1beta1/chat/completions", "https://example.org/v1beta1/chat/completions"],
])("the base URL %s gives the endpoint %s", (base, expected) => {
  expect(endpointUrl(base, "/v1/chat/completions")).toBe(expected);
});
