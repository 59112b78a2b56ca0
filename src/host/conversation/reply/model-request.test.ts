import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asking, assistant, result, user } from "../../../core/message/message.test-support.ts";
import { openMemoryBlobs } from "../../../adapters/blobs/memory-blobs.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { createTokenEstimator } from "../../../adapters/tokens/token-estimator.ts";
import { ok } from "../../../core/base/result.ts";
import { estimateInputTokens } from "../../../core/message/tokens.ts";
import type { ImageBlock, Message } from "../../../core/message/types.ts";
import type { TokenEstimator } from "../../../core/port/token-estimator.ts";
import type { ModelInfo } from "../../../core/port/language-model.ts";
import type { WhenFull } from "../../../core/model/when-full.ts";
import { modelRequest } from "./model-request.ts";
import { toolCallingOf, type ToolCallSettings } from "../base/tool-syntax.ts";

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

const blobs = openMemoryBlobs(() => 0);
/** Three tokens per ten units of text. */
const tokens: TokenEstimator = {
  async estimate({ messages, system }) {
    const expected = estimateInputTokens(messages, system);
    return { expected, upper: expected };
  },
  learn: () => {},
};

interface Asked {
  readonly settings?: ToolCallSettings;
  readonly whenFull?: WhenFull;
  readonly wished?: number;
}

async function ask(
  path: readonly Message[],
  change: Partial<ModelInfo> = {},
  { settings = {}, whenFull = "clamp", wished }: Asked = {},
) {
  const asked = { ...info, ...change };
  const calling = toolCallingOf({}, { info: asked }, settings);
  if (!calling.ok) return calling;
  const said = { info: asked, system: "Be brief.", path, tools, calling: calling.value, thinking: "low" } as const;
  const prepared = await modelRequest({ ...said, whenFull, wished }, { blobs, tokens });
  return prepared.ok ? ok(prepared.value.request) : prepared;
}

/** A message that counts how often it is read. */
function counted(message: Message, reads: { count: number }): Message {
  return Object.defineProperty({ ...message }, "content", {
    enumerable: true,
    get: () => {
      reads.count += 1;
      return message.content;
    },
  });
}

describe("a request", () => {
  test("reads of a path that goes on from the one before only the new messages", async () => {
    const reads = { count: 0 };
    const path = Array.from({ length: 500 }, (_, at) => counted(at % 2 === 0 ? user(`${at}`) : assistant("b"), reads));
    const estimator = createTokenEstimator();
    const calling = accept(toolCallingOf({}, { info }, {}));
    const asked = async (messages: readonly Message[]): Promise<number> => {
      const before = reads.count;
      const wish = { info: { ...info, contextTokensMax: null }, system: "", tools, calling, thinking: "off" } as const;
      const prepared = accept(
        await modelRequest({ ...wish, path: messages, whenFull: "refuse" }, { blobs, tokens: estimator }),
      );
      expect(prepared.request.messages).toHaveLength(messages.length);
      return reads.count - before;
    };
    const first = await asked(path.slice(0, 499));
    const second = await asked([...path, counted(user("c"), reads)]);
    expect(first).toBeGreaterThan(499);
    expect(second).toBeLessThan(30);
  });

  test("F-43 names the model by what follows the first slash", async () => {
    expect(await ask([user("q")])).toMatchObject({ ok: true, value: { model: "maker/model", thinking: "low", tools } });
  });

  test("describes the tools in the prompt of a model without native calls", async () => {
    const request = await ask([user("q")], { tools: false, thinking: false, contextTokensMax: 9_000 });
    expect(request).toMatchObject({ ok: true, value: { tools: [] } });
    expect(request.ok ? request.value.system : "").toMatch(/^Be brief\.\n\n# Tools\n[\s\S]*<tool:look>/);
  });

  test("counts the tools described in the prompt as input", async () => {
    const native = await ask([user("q")], { outputTokensMax: 1_000 });
    const text = await ask([user("q")], { outputTokensMax: 1_000 }, { settings: { syntax: "caret" } });
    if (!native.ok || !text.ok) throw new Error("refused");
    expect(text.value.maxTokens).toBeLessThan(native.value.maxTokens ?? 0);
  });

  test("F-35 asks for as many tokens as fit beside the input, and for at least one", async () => {
    const asked = async (text: string): Promise<number | null> => {
      const request = await ask([user(text)]);
      return request.ok ? request.value.maxTokens : -1;
    };
    expect(await asked("q")).toBe(500);
    expect(await asked("q".repeat(2_500))).toBeLessThan(250);
    expect(await asked("q".repeat(10_000))).toBe(1);
  });

  test.each<[string, Partial<ModelInfo>, number | undefined, number | null]>([
    [
      "no limit where window and longest reply are unknown",
      { contextTokensMax: null, outputTokensMax: null },
      undefined,
      null,
    ],
    ["the wish where nothing else is known", { contextTokensMax: null, outputTokensMax: null }, 40, 40],
    ["the longest reply where the window is unknown", { contextTokensMax: null }, undefined, 500],
    [
      "the rest of the window where the longest reply is unknown",
      { contextTokensMax: 5_000, outputTokensMax: null },
      undefined,
      4_982,
    ],
    ["the smaller one of wish and longest reply", {}, 30, 30],
  ])("14.15 asks for %s", async (_name, change, wished, expected) => {
    const request = await ask([user("q")], change, { whenFull: "refuse", ...(wished === undefined ? {} : { wished }) });
    expect(request.ok && request.value.maxTokens).toBe(expected);
  });

  test.each<[string, number, number | undefined, "sent" | "refused"]>([
    ["256 tokens are left", 256, undefined, "sent"],
    ["255 tokens are left", 255, undefined, "refused"],
    ["a smaller wish has room", 30, 30, "sent"],
    ["a smaller wish has no room", 29, 30, "refused"],
    ["nothing is left", -50, undefined, "refused"],
  ])("14.16 when %s, is %s", async (_name, left, wished, expected) => {
    const path = [user("q")];
    const used = estimateInputTokens(path, "Be brief.");
    const change = { contextTokensMax: used + left, outputTokensMax: null };
    const refused = await ask(path, change, { whenFull: "refuse", ...(wished === undefined ? {} : { wished }) });
    expect(refused.ok ? "sent" : "refused").toBe(expected);
    if (!refused.ok)
      expect(refused.error).toMatchObject({
        code: "CONTEXT_FULL",
        details: { window: used + left, estimated_input: used, left, least: wished ?? 256 },
      });
    expect((await ask(path, change, { whenFull: "clamp" })).ok).toBe(true);
  });

  test("leaves out Heddle's notices, and messages that hold nothing else", async () => {
    const notice = { type: "notice", text: "cut off" } as const;
    const path: readonly Message[] = [
      user("q"),
      { role: "assistant", content: [{ type: "text", text: "a" }, notice] },
      user("r"),
      { role: "assistant", content: [notice] },
      user("s"),
    ];
    const request = await ask(path);
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
  ])("is not made of %s", async (_name, path) => {
    expect((await ask(path)).ok).toBe(false);
  });

  test.each(["native", "xml", "caret", "harmony"])(
    "TR6 %s: begins with the blocks of the previous request",
    async (syntax) => {
      const turn = fc.oneof(
        fc.constant([user("q"), assistant("a")]),
        fc.constant([user("q"), asking("x"), result("x"), assistant("a")]),
        // A question whose answer failed is followed by the next question.
        fc.constant([user("q")]),
      );
      const blocks = async (path: readonly Message[]): Promise<readonly string[]> => {
        const request = await ask(path, { contextTokensMax: 1_000_000 }, { settings: { syntax } });
        if (!request.ok) throw new Error(request.error.code);
        return request.value.messages.flatMap((message) =>
          [...message.content].map((block) => JSON.stringify([message.role, block])),
        );
      };
      await fc.assert(
        fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 6 }), async (turns) => {
          const path = [...turns.flat(), user("last")];
          const whole = await blocks(path);
          for (const [at, message] of path.entries()) {
            if (message.role === "assistant") continue;
            const part = await blocks(path.slice(0, at + 1));
            expect(whole.slice(0, part.length)).toEqual(part);
          }
        }),
      );
    },
  );

  describe("with an image", () => {
    const png = Buffer.from("89504e470d0a1a0a0000000d49484452000000640000003208060000000000", "hex");
    const imageOf = (source: ImageBlock["source"]): Message => ({
      role: "user",
      content: [
        { type: "image", mediaType: "image/png", source },
        { type: "text", text: "what is this?" },
      ],
    });
    const stored = async (): Promise<Message> => imageOf({ type: "blob", ...(await blobs.put(png)) });
    const sent = async (message: Message, change: Partial<ModelInfo> = {}): Promise<unknown> => {
      const request = await ask([message], { contextTokensMax: 100_000, ...change });
      return request.ok ? request.value.messages[0]?.content[0] : request.error.code;
    };

    test("has the image's bytes, from the blob that the message names", async () => {
      const source = { type: "base64", data: png.toString("base64") };
      expect(await sent(await stored())).toEqual({ type: "image", mediaType: "image/png", source });
    });

    test.each<[string, ImageBlock["source"], Partial<ModelInfo>, string]>([
      ["is missing", { type: "blob", id: "ab".repeat(32), size: 9 }, {}, "[image (image/png) is not available]"],
      ["has an invalid id", { type: "blob", id: "../../x", size: 9 }, {}, "[image (image/png) is not available]"],
      [
        "the model cannot see",
        { type: "url", url: "https://example.org/a.png" },
        { vision: false },
        "[image (image/png) is not available to Model]",
      ],
    ])("replaces an image by words when it %s, and the turn continues", async (_name, source, change, text) => {
      expect(await sent(imageOf(source), change)).toEqual({ type: "text", text });
    });

    test("replaces an image by words when it is too large for the model chosen since", async () => {
      const said = { type: "text", text: "[image (image/png) is not available to Model]" };
      const media = { imageBytesMax: 1_000, imageSideMax: 100, fileBytesMax: 1_000, totalBytesMax: 9_000 };
      expect(await sent(await stored(), { media })).toMatchObject({ type: "image" });
      expect(await sent(await stored(), { media: { ...media, imageSideMax: 99 } })).toEqual(said);
      expect(await sent(await stored(), { media: { ...media, imageBytesMax: png.length - 1 } })).toEqual(said);
      expect(await sent(await stored(), { vision: false })).toEqual(said);
      expect(await sent(await stored(), { media: { ...media, totalBytesMax: png.length - 1 } })).toEqual(said);
    });

    test("sends the first of many images that fit together, so that the earlier prefix does not change", async () => {
      const media = { imageBytesMax: 1_000, imageSideMax: 100, fileBytesMax: 1_000, totalBytesMax: png.length * 2 };
      const path = [await stored(), assistant("a"), await stored(), assistant("b"), await stored()];
      const request = await ask(path, { contextTokensMax: 100_000, media });
      const kinds = request.ok ? request.value.messages.map(({ content }) => content[0].type) : [];
      expect(kinds).toEqual(["image", "text", "image", "text", "text"]);
    });
  });
});
