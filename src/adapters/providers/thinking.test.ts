import { describe, expect, test } from "vitest";
import { thinkingLevels } from "../../core/forest/run-rules.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { buildCatalogue } from "./catalogue.ts";

/** Returns what a model is sent, at the level of thinking. */
async function sent(id: string, thinking: ModelRequest["thinking"]): Promise<Record<string, unknown>> {
  let body: unknown;
  const fetch = (_url: string, init: RequestInit): Promise<Response> => {
    body = JSON.parse(typeof init.body === "string" ? init.body : "{}");
    return Promise.resolve(new Response("{}", { status: 401 }));
  };
  const keys = { anthropic: "a", openai: "o", google: "g" };
  const catalogue = buildCatalogue({ keys }, { fetch, clock: simulatedClock(), sleep: () => Promise.resolve() });
  const messages = [{ role: "user", content: [{ type: "text", text: "hi" }] }] as const;
  const request = {
    model: id.slice(id.indexOf("/") + 1),
    system: "",
    messages,
    tools: [],
    maxTokens: 30_000,
    thinking,
  };
  for await (const _part of catalogue.find(id)?.stream(request, new AbortController().signal) ?? []);
  return body as Record<string, unknown>;
}

describe("14.19 each level of thinking is sent in each of the four formats", () => {
  test.each<[string, (body: Record<string, unknown>) => unknown, readonly unknown[]]>([
    ["anthropic/claude-sonnet-4-5", ({ thinking }) => thinking, [undefined, 2048, 8192, 16_384]],
    ["openai/gpt-5", (body) => body["reasoning_effort"], [undefined, "low", "medium", "high"]],
    ["openai/gpt-5.5", ({ reasoning }) => (reasoning as { effort: string }).effort, ["none", "low", "medium", "high"]],
    [
      "google/gemini-2.5-flash",
      (body) =>
        (body["generationConfig"] as { thinkingConfig: { thinkingBudget: number } }).thinkingConfig.thinkingBudget,
      [0, 2048, 8192, 16_384],
    ],
  ])("%s", async (id, read, expected) => {
    const found = [];
    for (const level of thinkingLevels) {
      const value = read(await sent(id, level));
      found.push((value as { budget_tokens?: number } | undefined)?.budget_tokens ?? value);
    }
    expect(found).toEqual(expected);
  });
});
