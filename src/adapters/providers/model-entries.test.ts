import { xml } from "../../core/syntax/grammars/xml.ts";
import { describe, expect, test } from "vitest";
import { buildCatalogue, type ProviderConfig } from "./catalogue.ts";
import { type ModelEntry, readModelEntries } from "./model-entries.ts";

const clock = { now: () => 0, monotonic: () => 0, setTimer: () => () => undefined };
const read = (...models: readonly object[]) => readModelEntries(JSON.stringify({ models }));

function entries(...models: readonly object[]): readonly ModelEntry[] {
  const result = read(...models);
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(
  config: ProviderConfig,
  id: string,
  answer = "{}",
): Promise<{ readonly sent?: Sent; readonly said: string }> {
  const sent: Sent[] = [];
  const catalogue = buildCatalogue(config, {
    clock,
    sleep: () => Promise.resolve(),
    fetch: (url, init) => {
      sent.push({
        url,
        headers: new Headers(init.headers),
        body: JSON.parse(typeof init.body === "string" ? init.body : "null"),
      });
      return Promise.resolve(new Response(answer, { status: 401 }));
    },
  });
  const request = {
    model: id.slice(id.indexOf("/") + 1),
    system: "",
    messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
    tools: [],
    maxTokens: 10,
    thinking: "low",
  } as const;
  let said = "";
  for await (const part of catalogue.find(id)?.stream(request, new AbortController().signal) ?? [])
    said += JSON.stringify(part);
  return { said, ...(sent[0] === undefined ? {} : { sent: sent[0] }) };
}

const own = { provider: "mine", id: "big", api: "openai-chat", base_url: "https://models.example/v1" };

describe("the catalogue's file", () => {
  test("describes a model with every field", () => {
    expect(
      entries({
        ...own,
        name: "Big",
        context_window: 100_000,
        output_limit: 4_000,
        vision: true,
        thinking: true,
        tools: false,
        prices: {
          input: 1.5,
          output: 6,
          cached_input: 0.15,
          cache_write: 2,
          long_prompt: { above: 100_000, input: 3, output: 9 },
        },
        compat: { maxTokensField: "max_completion_tokens", images: false },
        tool_syntax: "xml",
        starts_in_reasoning: true,
      }),
    ).toEqual([
      {
        provider: "mine",
        id: "big",
        api: "openai-chat",
        baseUrl: "https://models.example/v1",
        name: "Big",
        contextTokensMax: 100_000,
        outputTokensMax: 4_000,
        vision: true,
        thinking: true,
        tools: false,
        prices: {
          input: 1.5,
          output: 6,
          cachedInput: 0.15,
          cacheWrite: 2,
          longPrompt: { above: 100_000, input: 3, output: 9 },
        },
        compat: { maxTokensField: "max_completion_tokens", images: false },
        toolSyntax: "xml",
        startsInReasoning: true,
      },
    ]);
    expect(entries()).toEqual([]);
  });

  test.each<[string, object, string]>([
    ["no list", { models: {} }, "models: must be a list"],
    ["a misspelt list", { model: [] }, "model: unknown field; did you mean models?"],
    ["no object", { models: ["gpt"] }, "models[0]: must be an object that describes a model"],
    ["no provider", { models: [{ id: "x" }] }, "models[0].provider: must be a name such as openai"],
    [
      "a reserved name",
      { models: [{ ...own, provider: "scripted" }] },
      "models[0].provider: scripted is a reserved name",
    ],
    [
      "no id",
      { models: [own, { provider: "openai" }] },
      "models[1].id: must be the provider's name of the model, without blanks",
    ],
    [
      "a misspelt field",
      { models: [{ ...own, context_windw: 1 }] },
      "models[0].context_windw: unknown field; did you mean context_window?",
    ],
    [
      "a window as text",
      { models: [{ ...own, context_window: "8k" }] },
      "models[0].context_window: must be a whole number of tokens, at least 1",
    ],
    [
      "a window of 0",
      { models: [{ ...own, output_limit: 0 }] },
      "models[0].output_limit: must be a whole number of tokens, at least 1",
    ],
    ["a flag as text", { models: [{ ...own, vision: "yes" }] }, "models[0].vision: must be true or false"],
    [
      "a negative price",
      { models: [{ ...own, prices: { input: -1, output: 1 } }] },
      "models[0].prices.input: must be dollars for a million tokens, 0 or more",
    ],
    [
      "a price of long prompts without their length",
      { models: [{ ...own, prices: { input: 1, output: 1, long_prompt: { input: 1, output: 1 } } }] },
      "models[0].prices.long_prompt.above: must be a number of tokens",
    ],
    [
      "half a price",
      { models: [{ ...own, prices: { input: 1 } }] },
      "models[0].prices.output: must be dollars for a million tokens, 0 or more",
    ],
    [
      "an unknown format",
      { models: [{ ...own, api: "soap" }] },
      "models[0].api: must be anthropic, openai-chat, openai-responses, gemini or gemini-interactions",
    ],
    [
      "an unknown flag",
      { models: [{ ...own, compat: { imges: true } }] },
      "models[0].compat.imges: unknown field; did you mean images?",
    ],
    [
      "a flag of another format",
      { models: [{ ...own, compat: { signedCalls: true } }] },
      "models[0].compat.signedCalls: unknown field",
    ],
    [
      "a flag with an unknown value",
      { models: [{ ...own, compat: { systemRole: "boss" } }] },
      "models[0].compat.systemRole: must be system or developer",
    ],
    [
      "an invalid template",
      { models: [{ ...own, response_template: { fields: {} } }] },
      "models[0].response_template: This response_template cannot be used: fields.tool_calls",
    ],
    [
      "two syntaxes",
      { models: [{ ...own, tool_syntax: "xml", response_template: {} }] },
      "models[0].response_template: it cannot be combined with tool_syntax",
    ],
    [
      "a template without marks",
      { models: [{ ...own, chat_template: "{{ messages }}" }] },
      "models[0].chat_template: the template holds the marks of no known tool syntax",
    ],
    [
      "an unknown syntax",
      { models: [{ ...own, tool_syntax: "yaml" }] },
      "models[0].tool_syntax: must be native, caret, xml, invoke",
    ],
    [
      "no address",
      { models: [{ provider: "mine", id: "x", api: "openai-chat" }] },
      "models[0].base_url: mine is not a known provider, so its address is needed",
    ],
    [
      "no format",
      { models: [{ provider: "mine", id: "x", base_url: "https://x.example" }] },
      "models[0].api: mine is not a known provider, so its format is needed",
    ],
    [
      "an invalid address",
      { models: [{ ...own, base_url: "file:///etc/passwd" }] },
      "models[0].base_url: must be an http or https address",
    ],
    [
      "an address with a password",
      { models: [{ ...own, base_url: "https://a:b@x.example" }] },
      "models[0].base_url: an address carries no name and no password",
    ],
    [
      "another address for a known provider",
      { models: [{ ...own, provider: "openai" }] },
      "models[0].base_url: OpenAI has its own address",
    ],
    [
      "another format for a known provider",
      { models: [{ provider: "anthropic", id: "x", api: "gemini" }] },
      "models[0].api: Anthropic speaks anthropic",
    ],
    [
      "two addresses of one provider",
      { models: [own, { ...own, id: "b", base_url: "https://y.example" }] },
      "models[1].base_url: mine has the address https://models.example/v1 already",
    ],
    ["a duplicate model", { models: [own, own] }, "models[1]: mine/big is described in models[0] already"],
  ])("names the entry and the field of %s", (_name, file, expected) => {
    expect(readModelEntries(JSON.stringify(file))).toMatchObject({
      ok: false,
      error: expect.stringContaining(expected),
    });
  });

  test("a file that is not JSON is refused", () => {
    expect(readModelEntries('{"models": [}')).toMatchObject({
      ok: false,
      error: expect.stringContaining("invalid JSON"),
    });
  });
});

describe("an entry of the file", () => {
  const open = (config: ProviderConfig) =>
    buildCatalogue(config, { clock, sleep: () => Promise.resolve(), fetch: () => Promise.reject(new Error()) });

  test("overrides known facts and keeps the others", () => {
    const catalogue = open({
      keys: { anthropic: "a" },
      entries: entries({
        provider: "anthropic",
        id: "claude-haiku-4-5",
        context_window: 1000,
        prices: { input: 9, output: 9 },
      }),
    });
    expect(catalogue.list()[0]).toMatchObject({
      id: "anthropic/claude-haiku-4-5",
      name: "Claude Haiku 4.5",
      contextTokensMax: 1000,
      outputTokensMax: 64_000,
      thinking: true,
      prices: { input: 9, output: 9 },
    });
    expect(catalogue.list().filter(({ id }) => id === "anthropic/claude-haiku-4-5")).toHaveLength(1);
  });

  test("an unknown model has an unknown window and reply", () => {
    const catalogue = open({ entries: entries(own) });
    expect(catalogue.find("mine/big")?.info).toMatchObject({
      contextTokensMax: null,
      outputTokensMax: null,
      tools: true,
    });
    expect(catalogue.find("mine/big")?.info.prices).toBeUndefined();
  });

  test("F-43 a model id keeps further slashes, and errors for missing slashes and unknown names list what exists", () => {
    const catalogue = open({ keys: { openrouter: "r" }, entries: entries(own) });
    expect(catalogue.find("openrouter/anthropic/x")?.info.id).toBe("openrouter/anthropic/x");
    for (const [id, said] of [
      ["gpt-4o", "Write provider/model, such as mine/big, scripted/scribe"],
      ["/x", "Write provider/model"],
      ["nobody/x", 'There is no provider "nobody". Providers: anthropic, openai, google'],
      ["openai/gpt-5", "OpenAI has no key. Set one in the settings, or in OPENAI_API_KEY."],
      ["scripted/nothing", 'There is no model "scripted/nothing".'],
    ] as const) {
      expect(catalogue.find(id)).toBeUndefined();
      expect(catalogue.whyNot?.(id)).toContain(said);
    }
  });

  test("an entry of another provider uses its own address, key and flags", async () => {
    const described = entries({ ...own, compat: { maxTokensField: "max_completion_tokens" } });
    const keys = { mine: "key-m", openrouter: "key-r" };
    const { sent } = await send({ keys: { openai: "key-o", ...keys }, entries: described }, "mine/big");
    expect([sent?.url, sent?.headers.get("authorization")]).toEqual([
      "https://models.example/v1/chat/completions",
      "Bearer key-m",
    ]);
    expect(sent?.body).toMatchObject({ max_completion_tokens: 10 });
    const bare = await send({ keys: { openai: "key-o" }, entries: described }, "mine/big");
    expect(bare.sent?.headers.has("authorization")).toBe(false);
  });

  test.each(["anthropic/claude-opus-4-8", "openai/gpt-4o", "google/gemini-2.5-pro"])(
    "%s: a refused key that the provider repeats is removed",
    async (id) => {
      const key = "sk-very-secret-0123456789";
      const answer = JSON.stringify({
        error: { message: `Incorrect API key provided: ${key}. And ${key}.`, type: "x" },
      });
      const { said, sent } = await send({ keys: { anthropic: key, openai: key, google: key } }, id, answer);
      expect(JSON.stringify([...(sent?.headers ?? [])])).toContain(key);
      expect(said).toContain("Incorrect API key provided: [key]. And [key].");
      expect(said).not.toContain("very-secret");
    },
  );
});

test("15.9 an entry's chat template proposes a syntax, and an entry may name a syntax of the data folder", () => {
  const own = { provider: "mine", id: "x", api: "openai-chat", base_url: "https://x.example" };
  const chat_template = '<TOOLCALL>[{"name": "{{ n }}", "arguments": {{ a }}}]</TOOLCALL>';
  expect(readModelEntries(JSON.stringify({ models: [{ ...own, chat_template }] }))).toMatchObject({
    value: [{ proposedSyntax: "nemotron" }],
  });
  const house = { ...xml, id: "house" };
  const entry = JSON.stringify({ models: [{ ...own, tool_syntax: "house" }] });
  expect(readModelEntries(entry, undefined, [house])).toMatchObject({ value: [{ toolSyntax: "house" }] });
});
