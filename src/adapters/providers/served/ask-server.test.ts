import { describe, expect, test } from "vitest";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { must } from "../../../core/base/assert.ts";
import { listServedModels, showServedModel } from "./ask-server.ts";
import { readModelList } from "./read-lists.ts";
import { namedWindow } from "../shared/named-window.ts";

/** Answers by method and address; anything else is 404. */
function network(answers: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const clock = simulatedClock();
  const fetch = (url: string, init: RequestInit): Promise<Response> => {
    const key = `${init.method} ${url}`;
    asked.push(key);
    if (!Object.hasOwn(answers, key)) return Promise.resolve(new Response("Not Found", { status: 404 }));
    const answer = answers[key];
    return Promise.resolve(new Response(typeof answer === "string" ? answer : JSON.stringify(answer)));
  };
  return { asked, deps: { fetch, clock } };
}

const house = { baseUrl: "http://127.0.0.1:8080/v1" };

describe("14.15 the list of models", () => {
  test.each<[string, object, object]>([
    ["vLLM", { id: "m", owned_by: "vllm", root: "m", max_model_len: 8096 }, { contextTokensMax: 8096 }],
    ["llama.cpp", { id: "m", owned_by: "llamacpp", meta: { n_ctx_train: 131_072 } }, {}],
    ["newer llama.cpp", { id: "m", meta: { n_ctx_train: 131_072, n_ctx: 4096 } }, { contextTokensMax: 4096 }],
    ["Ollama", { id: "m", owned_by: "library" }, {}],
    [
      "Groq",
      { id: "m", context_window: 131_072, max_completion_tokens: 32_768 },
      { contextTokensMax: 131_072, outputTokensMax: 32_768 },
    ],
    [
      "Mistral",
      { id: "m", max_context_length: 32_768, capabilities: { vision: true } },
      { contextTokensMax: 32_768, vision: true },
    ],
    [
      "OpenRouter",
      {
        id: "m",
        name: "Maker: M",
        context_length: 200_000,
        architecture: { input_modalities: ["text", "image"] },
        top_provider: { context_length: 163_840, max_completion_tokens: 65_536 },
        pricing: { prompt: "0.000003", completion: "0.000015", input_cache_read: "0.0000003" },
        supported_parameters: ["tools", "reasoning", "max_tokens"],
      },
      {
        name: "Maker: M",
        contextTokensMax: 163_840,
        outputTokensMax: 65_536,
        vision: true,
        tools: true,
        thinking: true,
        prices: { input: 3, output: 15, cachedInput: 0.3 },
      },
    ],
    ["a hostile server", { id: "m", max_model_len: -5, context_length: 1e300, name: 7, meta: "x" }, {}],
  ])("of %s is read", (_name, entry, expected) => {
    const [model, ...others] = must(readModelList({ object: "list", data: [entry] }), "a list");
    expect(others).toEqual([]);
    expect(JSON.parse(JSON.stringify(model, rounded))).toEqual({ model: "m", ...expected });
  });

  test("leaves out models that write no replies, repeated ones and names with blanks", () => {
    const ids = ["a", "nomic-embed-text:latest", "text-embedding-3-small", "whisper-large-v3", "a", "b c", "", "tts-1"];
    expect(readModelList({ data: ids.map((id) => ({ id })) })).toEqual([{ model: "a" }]);
  });

  test.each([null, [], "x", { data: "x" }, { models: [] }])("is null for %j", (body) => {
    expect(readModelList(body)).toBeNull();
  });
});

function rounded(_key: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toFixed(6)) : value;
}

describe("14.15 a server's word on one model", () => {
  const show = "POST http://127.0.0.1:8080/api/show";
  const ps = "GET http://127.0.0.1:8080/api/ps";
  const props = "GET http://127.0.0.1:8080/props";
  const modelInfo = { "general.architecture": "llama", "llama.context_length": 131_072 };

  test.each<[string, Readonly<Record<string, unknown>>, object | null]>([
    [
      "llama.cpp",
      { [props]: { default_generation_settings: { n_ctx: 4096 }, modalities: { vision: true } } },
      { contextTokensMax: 4096, vision: true },
    ],
    ["Ollama without a set window", { [show]: { model_info: modelInfo } }, { contextTokensMax: 131_072 }],
    [
      "Ollama with a set window",
      {
        [show]: {
          model_info: modelInfo,
          parameters: 'stop "<|end|>"\nnum_ctx    2048\ntop_p 1',
          capabilities: ["completion", "thinking"],
        },
      },
      { contextTokensMax: 2048, vision: false, tools: false, thinking: true },
    ],
    [
      "Ollama with the model loaded",
      { [show]: { model_info: modelInfo }, [ps]: { models: [{ name: "m:latest", context_length: 4096 }] } },
      { contextTokensMax: 4096 },
    ],
    [
      "Ollama with another model loaded",
      { [show]: { model_info: modelInfo }, [ps]: { models: [{ name: "n:latest", context_length: 9 }] } },
      { contextTokensMax: 131_072 },
    ],
    [
      "15.9 llama.cpp with a chat template",
      {
        [props]: {
          default_generation_settings: { n_ctx: 4096 },
          chat_template: "<tool_call>{{ n }}<arg_key>{{ k }}</arg_key><arg_value>{{ v }}</arg_value></tool_call>",
        },
      },
      { contextTokensMax: 4096, proposedSyntax: "glm" },
    ],
    [
      "15.9 Ollama with a template",
      {
        [show]: {
          model_info: modelInfo,
          template:
            '{{ range .ToolCalls }}<tool_call>\n{"name": "{{ .Name }}", "arguments": {{ .Arguments }}}\n</tool_call>{{ end }}',
        },
      },
      { contextTokensMax: 131_072, proposedSyntax: "hermes" },
    ],
    ["15.9 llama.cpp with a hostile template", { [props]: { default_generation_settings: {}, chat_template: 7 } }, {}],
    ["a server that knows neither", {}, null],
    ["a web page", { [props]: "<html>", [show]: "<html>", [ps]: "<html>" }, null],
  ])("%s", async (_name, answers, expected) => {
    const { deps } = network(answers);
    expect(await showServedModel(house, "m", deps)).toEqual(expected === null ? null : { model: "m", ...expected });
  });

  test("is asked below the address without its version, with the key of that server", async () => {
    const { asked, deps } = network({});
    const sent: (string | null)[] = [];
    const fetch = (url: string, init: RequestInit): Promise<Response> => {
      sent.push(new Headers(init.headers).get("authorization"));
      return deps.fetch(url, init);
    };
    await listServedModels({ baseUrl: "http://127.0.0.1:8080/v1/", apiKey: "k" }, { ...deps, fetch });
    await showServedModel({ baseUrl: "http://127.0.0.1:8080" }, "m", { ...deps, fetch });
    expect(asked).toEqual(["GET http://127.0.0.1:8080/v1/models", show, ps, props]);
    expect(sent).toEqual(["Bearer k", null, null, null]);
  });

  test("a server that never answers is given up after 3 s", async () => {
    const clock = simulatedClock();
    const fetch = (_url: string, { signal }: RequestInit): Promise<Response> =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("aborted")));
      });
    const listing = listServedModels(house, { fetch, clock });
    await clock.advance(3_000);
    expect(await listing).toBeNull();
  });
});

test.each<[unknown, string, number | undefined]>([
  [
    { error: { n_ctx: 512, n_prompt_tokens: 2009 } },
    "request (2009 tokens) exceeds the available context size (512 tokens), try increasing it",
    512,
  ],
  [
    {},
    "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion).",
    16_384,
  ],
  [{}, "prompt is too long: 208310 tokens > 200000 maximum", 200_000],
  [{}, "The input token count (1048599) exceeds the maximum number of tokens allowed (1048576).", 1_048_576],
  [{}, "This endpoint's maximum context length is 131,072 tokens.", 131_072],
  [{}, "prompt too long; exceeded max context length by 1119046 tokens", undefined],
  [{}, "maximum context length is 3 tokens", undefined],
])("14.15 the window is read from the refusal %j %s", (body, message, expected) => {
  expect(namedWindow(body, message)).toBe(expected);
});
