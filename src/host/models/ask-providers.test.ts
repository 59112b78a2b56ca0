import { expect, test } from "vitest";
import { must } from "../../core/base/assert.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { openModelSettings } from "./model-settings.ts";
import type { ModelSettings } from "./types.ts";

/** Settings over a network that answers these addresses; each answer gets the headers of its request. */
async function settingsAt(
  answers: Readonly<Record<string, (headers: Headers) => Response>>,
  config: Parameters<typeof openModelSettings>[0]["config"],
): Promise<ModelSettings> {
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const answer = answers[url.split("?")[0] ?? ""];
    if (answer === undefined) throw new TypeError("fetch failed", { cause: new Error(`connect ECONNREFUSED ${url}`) });
    return answer(new Headers(init.headers));
  };
  const opened = await openModelSettings({
    config,
    deps: { fetch, clock: simulatedClock(), sleep: () => Promise.resolve() },
    logger: { info() {}, warn() {}, error() {} },
  });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

const json =
  (body: unknown, status = 200) =>
  () =>
    new Response(JSON.stringify(body), { status });

test("15.9 each provider is asked in its own way, and its windows and syntaxes are told", async () => {
  const settings = await settingsAt(
    {
      "https://api.anthropic.com/v1/models": (headers) =>
        headers.get("x-api-key") === "a" && headers.has("anthropic-version")
          ? json({ data: [{ id: "claude-opus-4-8", display_name: "Claude Opus 4.8" }] })()
          : json({}, 400)(),
      "https://generativelanguage.googleapis.com/v1beta/models": (headers) =>
        headers.get("x-goog-api-key") === "g"
          ? json({
              models: [
                {
                  name: "models/gemini-x",
                  inputTokenLimit: 1_000_000,
                  supportedGenerationMethods: ["generateContent"],
                },
                { name: "models/embedding-x", supportedGenerationMethods: ["embedContent"] },
              ],
            })()
          : json({}, 400)(),
      "http://127.0.0.1:8080/v1/models": json({ data: [{ id: "qwen", meta: { n_ctx: 4_096 } }] }),
      "http://127.0.0.1:8080/props": json({
        default_generation_settings: { n_ctx: 4_096 },
        chat_template:
          "{%- for t in tools %}<tool_call>\n<function=x>\n<parameter=y>\n</parameter></function></tool_call>",
      }),
    },
    { keys: { anthropic: "a", google: "g" }, compatibleBaseUrl: "http://127.0.0.1:8080/v1" },
  );
  const asked = await settings.ask();
  const found = (id: string) =>
    must(
      asked.find((each) => each.id === id),
      id,
    );
  const opus = found("anthropic").models.find(({ id }) => id === "anthropic/claude-opus-4-8");
  expect(opus).toMatchObject({ from: "server", syntax: "native", window: expect.any(Number) });
  expect(found("anthropic").models.some(({ from }) => from === "heddle")).toBe(true);
  expect(found("google").models[0]).toMatchObject({ id: "google/gemini-x", window: 1_000_000, from: "server" });
  expect(found("google").models.some(({ id }) => id.includes("embedding"))).toBe(false);
  const local = { id: "local/qwen", window: 4_096, syntax: "native", proposedSyntax: "qwen-xml", from: "server" };
  expect(found("local")).toMatchObject({ problem: null, models: [local] });
  settings.close();
});

test("15.9 a refused key, a missing one, a server that is not there and a web page are each told", async () => {
  const settings = await settingsAt(
    {
      "https://api.openai.com/v1/models": json({ error: { message: "Incorrect API key provided" } }, 401),
      "https://api.groq.com/openai/v1/models": () =>
        new Response("<html>", { headers: { "content-type": "text/html" } }),
    },
    { keys: { openai: "wrong", groq: "k" }, compatibleBaseUrl: "http://127.0.0.1:8080/v1" },
  );
  const problems = Object.fromEntries((await settings.ask()).map(({ id, problem }) => [id, problem?.message]));
  expect(problems).toMatchObject({
    openai:
      "OpenAI refused the key (401): Incorrect API key provided. Set a valid key in the settings of the app or in OPENAI_API_KEY.",
    groq: expect.stringContaining("The server's answer is not a list of models. Check that the server runs"),
    local: expect.stringContaining("connect ECONNREFUSED"),
    ollama: expect.stringContaining("did not list its models"),
  });
  settings.close();
});
