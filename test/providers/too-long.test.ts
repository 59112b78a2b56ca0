import { expect, test } from "vitest";
import { textOf } from "../../src/core/message/content.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import { isSettled } from "../../src/core/turn/step/precheck.ts";
import type { Fault } from "../../src/testing/mock-provider/faults.ts";
import type { MockProviderOptions } from "../../src/testing/mock-provider/server.ts";
import { until } from "../../src/testing/test-client.ts";
import { atBench, brain, type ProviderBench } from "../process/provider-bench.ts";
import { viewOf } from "../process/typist.ts";

/** How servers refuse a request that is too long, as recorded or documented, and how often one such request is sent. */
const refusals: readonly (readonly [string, MockProviderOptions["api"], object, number])[] = [
  [
    "Anthropic",
    "anthropic",
    {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
    },
    // A refusal that names the window is tried without a limit for the reply.
    2,
  ],
  [
    "OpenAI",
    "responses",
    {
      error: {
        message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
        type: "invalid_request_error",
        param: "input",
        code: "context_length_exceeded",
      },
    },
    1,
  ],
  [
    "Google",
    "gemini",
    {
      error: {
        code: 400,
        message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        status: "INVALID_ARGUMENT",
      },
    },
    2,
  ],
  [
    "DeepSeek",
    "chat",
    {
      error: {
        message:
          "This model's maximum context length is 1048565 tokens. However, you requested 1250025 tokens (1250025 in the messages, 0 in the completion). Please reduce the length of the messages or completion.",
        type: "invalid_request_error",
        param: null,
        code: "invalid_request_error",
      },
    },
    1,
  ],
  [
    "Ollama",
    "chat",
    {
      error: {
        message: "prompt too long; exceeded max context length by 1119046 tokens (ref: 96164522)",
        type: "invalid_request_error",
        param: null,
        code: null,
      },
    },
    1,
  ],
  [
    "llama.cpp",
    "chat",
    {
      error: {
        code: 400,
        message: "request (20090 tokens) exceeds the available context size (16384 tokens), try increasing it",
        n_ctx: 16_384,
        n_prompt_tokens: 20_090,
        type: "exceed_context_size_error",
      },
    },
    1,
  ],
];

const long = "word after word ".repeat(80);

function asksForSummary({ messages }: ModelRequest): boolean {
  const last = messages.at(-1);
  return last?.role === "user" && textOf(last).includes("Later requests hold your summary");
}

async function settled(bench: ProviderBench): Promise<void> {
  await until(bench.person.conversation, () => isSettled(bench.run().state) && !bench.run().queued);
}

test.each(refusals)(
  "14.21 a request that %s refuses as too long is made again after a compaction, whose own request gets shorter when it is refused",
  async (_name, api, body, times) => {
    const seen: ModelRequest[] = [];
    const faults: (Fault | null)[] = [];
    const reply: MockProviderOptions["reply"] = (request, signal) => {
      seen.push(request);
      const text = asksForSummary(request) ? "Goal: many words. Next: go on." : `A reply. ${long}`;
      return brain(() => [{ type: "text", text }])(request, signal);
    };
    await atBench({ api, reply, faults }, async (bench) => {
      for (const question of ["one", "two", "three", "four"]) {
        await bench.ask(`${question} ${long}`);
        await settled(bench);
      }
      const refused: Fault = { type: "status", status: 400, body: JSON.stringify(body) };
      const before = bench.provider.requests.length;
      for (let at = 0; at <= times; at += 1) faults[before + at] = refused;
      await bench.ask("And now?");
      await settled(bench);
      expect(bench.run().state).toEqual({ type: "idle" });
      // The refused request, the refused summary, a smaller one, and the request again.
      expect(bench.provider.requests.length - before).toBe(times + 3);
      expect(bench.provider.rejections).toEqual([]);
      const [summary, again] = seen.slice(-2);
      expect(summary === undefined ? false : asksForSummary(summary)).toBe(true);
      const sizes = bench.provider.requests.slice(-3).map(({ body: sent }) => JSON.stringify(sent).length);
      expect(sizes[1]).toBeLessThan((sizes[0] ?? 0) * 0.9);
      const [first] = again?.messages ?? [];
      expect(first === undefined ? "" : textOf(first)).toMatch(/^A model wrote this summary\./);
      expect(JSON.stringify(again?.messages)).toContain("And now?");
      const nodes = [...viewOf(bench.person).nodesById.values()];
      expect(nodes.filter(({ compacts }) => compacts !== undefined)).toHaveLength(1);
    });
  },
);

test("14.21 a request that stays too long after a compaction ends the turn with the server's words", async () => {
  const faults: (Fault | null)[] = [];
  const [, api, body] = refusals[4] ?? [];
  if (api === undefined) throw new Error("a refusal");
  const reply = brain((request) => [{ type: "text", text: asksForSummary(request) ? "Goal: words." : long }]);
  await atBench({ api, reply, faults }, async (bench) => {
    for (const question of ["one", "two", "three"]) {
      await bench.ask(`${question} ${long}`);
      await settled(bench);
    }
    const refused: Fault = { type: "status", status: 400, body: JSON.stringify(body) };
    const before = bench.provider.requests.length;
    faults[before] = refused;
    faults[before + 2] = refused;
    await bench.ask("And now?");
    await settled(bench);
    expect(bench.provider.requests.length - before).toBe(3);
    expect(bench.run().state).toMatchObject({
      type: "error",
      detail: "context-length",
      message: expect.stringContaining("prompt too long"),
    });
  });
});
