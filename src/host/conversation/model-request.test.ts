import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asking, assistant, result, user } from "../../core/message/message.test-support.ts";
import type { Message } from "../../core/message/types.ts";
import type { ModelInfo } from "../../core/port/language-model.ts";
import { modelRequest } from "./model-request.ts";

const info: ModelInfo = {
  id: "router/maker/model",
  name: "Model",
  contextTokensMax: 1_000,
  outputTokensMax: 500,
  tools: true,
  thinking: true,
  local: false,
};
const tools = [{ name: "look", description: "Looks.", inputSchema: {} }];

function ask(path: readonly Message[], change: Partial<ModelInfo> = {}) {
  return modelRequest({ info: { ...info, ...change }, system: "Be brief.", path, tools, thinking: "low" });
}

describe("a request", () => {
  test("F-43 names the model by what stands behind the first slash", () => {
    expect(ask([user("q")])).toMatchObject({ ok: true, value: { model: "maker/model", thinking: "low", tools } });
  });

  test("offers neither tools nor thinking to a model without", () => {
    expect(ask([user("q")], { tools: false, thinking: false })).toMatchObject({
      ok: true,
      value: { tools: [], thinking: "off" },
    });
  });

  test("F-35 asks for no more than fits beside the input, and for at least one token", () => {
    const asked = (text: string): number => {
      const request = ask([user(text)]);
      return request.ok ? request.value.maxTokens : -1;
    };
    expect(asked("q")).toBe(500);
    expect(asked("q".repeat(2_500))).toBeLessThan(250);
    expect(asked("q".repeat(10_000))).toBe(1);
  });

  test("leaves out what Heddle remarked, and what is then empty", () => {
    const notice = { type: "notice", text: "cut off" } as const;
    const path: readonly Message[] = [
      user("q"),
      { role: "assistant", content: [{ type: "text", text: "a" }, notice] },
      user("r"),
      { role: "assistant", content: [notice] },
      user("s"),
    ];
    const request = ask(path);
    expect(request.ok ? request.value.messages : null).toEqual([
      user("q"),
      assistant("a"),
      {
        role: "user",
        content: [
          { type: "text", text: "r" },
          { type: "text", text: "s" },
        ],
      },
    ]);
  });

  test.each<[string, readonly Message[]]>([
    ["TR1 a call without a result", [user("q"), asking("a", "b"), result("a")]],
    ["TR4 nothing to answer", [user("q"), assistant("a")]],
    ["TR4 nothing at all", []],
  ])("is not made of %s", (_name, path) => {
    expect(ask(path).ok).toBe(false);
  });

  test("TR6 begins as the request before it did, block by block", () => {
    const turn = fc.oneof(
      fc.constant([user("q"), assistant("a")]),
      fc.constant([user("q"), asking("x"), result("x"), assistant("a")]),
      // A question whose answer failed is followed by the next one.
      fc.constant([user("q")]),
    );
    const blocks = (path: readonly Message[]): readonly string[] => {
      const request = ask(path, { contextTokensMax: 1_000_000 });
      if (!request.ok) throw new Error(request.error.code);
      return request.value.messages.flatMap((message) =>
        [...message.content].map((block) => JSON.stringify([message.role, block])),
      );
    };
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 6 }), (turns) => {
        const path = [...turns.flat(), user("last")];
        const whole = blocks(path);
        for (const [at, message] of path.entries()) {
          if (message.role === "assistant") continue;
          const part = blocks(path.slice(0, at + 1));
          expect(whole.slice(0, part.length)).toEqual(part);
        }
      }),
    );
  });
});
