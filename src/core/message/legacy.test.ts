import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { must } from "../base/assert.ts";
import { refusal, type Refusal } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { isNonEmpty } from "../base/non-empty.ts";
import {
  InvalidMessageError,
  isMessageV2,
  legacyToContentBlocks,
  normalizeMessage,
  ToolArgumentParseError,
  v2ToLegacyMessage,
} from "./legacy.ts";
import { asking, assistant, result, use, user } from "./message.test-support.ts";
import { readAnyMessage, type LegacyMessage, type LegacyToolCall } from "./read-legacy.ts";
import { isSameMessage } from "./normalize.ts";
import type { Message, ToolUseBlock } from "./types.ts";

const call = (id: string, args: unknown, name = "look"): object => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

/** Returns the refusal of a value as `CODE at`. */
function refusalOf(value: unknown): string {
  const read = readAnyMessage(value);
  return read.ok ? "ok" : `${read.error.code} ${String(read.error.details?.["at"])}`;
}

describe("a legacy message", () => {
  test("F-29 normalizeMessage keeps a legacy text to the letter", () => {
    expect(normalizeMessage({ role: "user", content: " x\n" })).toEqual(user(" x\n"));
    expect(normalizeMessage({ role: "assistant", content: " x " })).toEqual(assistant(" x "));
    expect(normalizeMessage({ role: "tool", content: " x ", tool_call_id: "a" }, { toolName: "look" })).toEqual(
      result("a", " x "),
    );
  });

  test("F-29 normalizeMessage puts a legacy text first, then the calls in order", () => {
    const message = { role: "assistant", content: "text", tool_calls: [call("b", '{"x":1}'), call("a", '{"y":[2]}')] };
    expect(normalizeMessage(message)).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "text" }, use("b", { x: 1 }), use("a", { y: [2] })],
    });
  });

  test.each([null, "", "  ", undefined])(
    "F-29 a legacy message with calls may have %j as text, which gives no block",
    (content) => {
      expect(normalizeMessage({ role: "assistant", content, tool_calls: [call("a", "{}")] })).toEqual(asking("a"));
    },
  );

  test.each(["", "  ", "\n", "{}"])("F-29 legacy arguments %j are read as an empty object", (args) => {
    expect(normalizeMessage({ role: "assistant", content: null, tool_calls: [call("a", args)] })).toEqual(asking("a"));
  });

  test.each(["[1]", "null", "{bad", '"x"', "1", '{"a":1}}', "{'a':1}", '{"a":NaN}'])(
    "F-29 L3 legacy arguments %j are refused with the call's id, its tool and the given text",
    (args) => {
      const message = { role: "assistant", content: null, tool_calls: [call("a", "{}"), call("b", args, "find")] };
      expect(readAnyMessage(message)).toMatchObject({
        ok: false,
        error: {
          code: "TOOL_ARGUMENTS_INVALID",
          details: { at: "tool_calls.1.function.arguments", id: "b", name: "find", raw: args },
        },
      });
    },
  );

  test("F-29 a refusal repeats at most 100 characters of broken arguments and cuts none in half", () => {
    const thrown = (args: string): ToolArgumentParseError => {
      try {
        normalizeMessage({ role: "assistant", content: null, tool_calls: [call("a", args)] });
      } catch (error) {
        if (error instanceof ToolArgumentParseError) return error;
        throw error;
      }
      throw new Error("the arguments were accepted");
    };
    expect(thrown(`{${"x".repeat(5_000)}`).raw).toBe(`{${"x".repeat(99)}`);
    const cut = thrown(`{${"😀".repeat(100)}`);
    expect(cut.raw).toBe(`{${"😀".repeat(49)}`);
    expect(cut).toMatchObject({ name: "ToolArgumentParseError", id: "a", toolName: "look" });
    expect(cut.message).toContain("look");
    expect(thrown('{"a":'.repeat(50_000) + "1" + "}".repeat(50_000)).raw).toHaveLength(100);
  });

  test("F-12 L4 an empty legacy tool result becomes one empty text", () => {
    expect(normalizeMessage({ role: "tool", content: "", tool_call_id: "a" }, { toolName: "look" })).toEqual(
      result("a", ""),
    );
  });

  test.each<[string, unknown, string]>([
    ["F-29 an empty text", { role: "user", content: "" }, "MESSAGE_INVALID content"],
    ["F-29 a text of blanks", { role: "assistant", content: " \n" }, "MESSAGE_INVALID content"],
    ["F-29 neither text nor calls", { role: "assistant", content: null, tool_calls: [] }, "MESSAGE_INVALID content"],
    [
      "F-30 a blank call id",
      { role: "assistant", content: null, tool_calls: [call(" ", "{}")] },
      "MESSAGE_INVALID tool_calls.0.id",
    ],
    [
      "F-30 a blank tool name",
      { role: "assistant", content: null, tool_calls: [call("a", "{}", "")] },
      "MESSAGE_INVALID tool_calls.0.function.name",
    ],
    ["F-30 a blank tool_call_id", { role: "tool", content: "x", tool_call_id: "" }, "MESSAGE_INVALID tool_call_id"],
    ["F-30 a missing tool_call_id", { role: "tool", content: "x" }, "MESSAGE_INVALID tool_call_id"],
    ["F-30 a system prompt among the messages", { role: "system", content: "x" }, "MESSAGE_INVALID role"],
    ["F-30 an unknown role", { role: "narrator", content: "x" }, "MESSAGE_INVALID role"],
    ["no role", { content: "x" }, "MESSAGE_INVALID role"],
    ["L10 content that is a number", { role: "user", content: 5 }, "MESSAGE_INVALID content"],
    ["L10 content that is an object", { role: "user", content: {} }, "MESSAGE_INVALID content"],
    ["calls of a person", { role: "user", content: "x", tool_calls: [call("a", "{}")] }, "MESSAGE_INVALID tool_calls"],
    ["calls that are not a list", { role: "assistant", content: "x", tool_calls: {} }, "MESSAGE_INVALID tool_calls"],
    ["a call that is null", { role: "assistant", content: "x", tool_calls: [null] }, "MESSAGE_INVALID tool_calls.0"],
    [
      "a call of another type",
      { role: "assistant", content: "x", tool_calls: [{ ...call("a", "{}"), type: "custom" }] },
      "MESSAGE_INVALID tool_calls.0.type",
    ],
    [
      "a call without a function",
      { role: "assistant", content: "x", tool_calls: [{ id: "a" }] },
      "MESSAGE_INVALID tool_calls.0.function",
    ],
    [
      "arguments that are not text",
      { role: "assistant", content: "x", tool_calls: [call("a", { x: 1 })] },
      "TOOL_ARGUMENTS_INVALID tool_calls.0.function.arguments",
    ],
    [
      "blocks with calls beside them",
      { ...assistant("x"), tool_calls: [call("a", "{}")] },
      "MESSAGE_INVALID tool_calls",
    ],
    ["a list", [], "MESSAGE_INVALID "],
    ["nothing", undefined, "MESSAGE_INVALID "],
  ])("%s in a legacy message is refused with the path of the field", (_name, value, expected) => {
    expect(refusalOf(value)).toBe(expected);
    expect(() => normalizeMessage(value)).toThrow(
      expected.startsWith("TOOL") ? ToolArgumentParseError : InvalidMessageError,
    );
  });

  test("F-30 the refusal of a system message names the root as its place", () => {
    expect(() => normalizeMessage({ role: "system", content: "x" })).toThrow(/root/);
  });

  test("legacyToContentBlocks returns the blocks of a legacy message", () => {
    expect(legacyToContentBlocks({ role: "user", content: " x " })).toEqual(user(" x ").content);
    expect(legacyToContentBlocks({ role: "tool", content: "", tool_call_id: "a" })).toEqual([
      { type: "text", text: "" },
    ]);
    expect(() => legacyToContentBlocks({ role: "user", content: "" })).toThrow(InvalidMessageError);
  });

  test("readAnyMessage refuses garbage and never throws", () => {
    const field = fc.constantFrom("role", "content", "tool_calls", "tool_call_id", "type", "text", "id", "function");
    const word = fc.constantFrom("user", "assistant", "tool", "text", "tool-use", "");
    const garbage = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 5 },
        word,
        fc.jsonValue({ maxDepth: 2 }),
        fc.array(tie("any"), { maxLength: 3 }),
        tie("object"),
      ),
      object: fc.dictionary(field, tie("any"), { maxKeys: 5 }),
    })).any;
    fc.assert(
      fc.property(garbage, (value) => {
        const read = readAnyMessage(value);
        expect(isMessageV2(value) && !read.ok).toBe(false);
        if (!read.ok) expect(read.error.details).toHaveProperty("at");
        else expect(readAnyMessage(read.value)).toEqual(read);
      }),
      { numRuns: scaled(1_000) },
    );
  });
});

describe("a message of content blocks", () => {
  test("F-32 a message of content blocks is already canonical and has no legacy field", () => {
    for (const message of [user("x"), assistant("x"), asking("a"), result("a")]) {
      expect(normalizeMessage(message)).toEqual(message);
      expect(isMessageV2(message)).toBe(true);
    }
  });

  test("an older tool message gets its missing fields, the tool's name from the context when known", () => {
    const earlier = { role: "tool", content: [{ type: "text", text: "seen" }], tool_call_id: "a" };
    expect(isMessageV2(earlier)).toBe(true);
    expect(normalizeMessage(earlier, { toolName: "look" })).toEqual(result("a"));
    expect(normalizeMessage(earlier)).toEqual({ ...result("a"), tool_name: "unknown" });
    const complete = { ...result("a"), outcome: "error" };
    expect(normalizeMessage(complete, { toolName: "other" })).toEqual(complete);
  });

  test.each<[string, unknown]>([
    ["one string", { role: "user", content: "x" }],
    ["F-31 a person's call", { role: "user", content: [use("a")] }],
    ["F-31 a result without an id", { role: "tool", content: [{ type: "text", text: "x" }] }],
    ["F-31 an unknown block", { role: "assistant", content: [{ type: "x" }] }],
    ["F-31 empty content", { role: "assistant", content: [] }],
    ["F-31 parameters in a list", { role: "assistant", content: [{ ...use("a"), parameters: [] }] }],
    ["calls beside the blocks", { ...assistant("x"), tool_calls: [call("a", "{}")] }],
    ["null", null],
  ])("%s is not a message of content blocks", (_name, value) => {
    expect(isMessageV2(value)).toBe(false);
  });

  test.each<[string, Message]>([
    [
      "an image",
      { role: "user", content: [{ type: "image", mediaType: "image/png", source: { type: "url", url: "u" } }] },
    ],
    [
      "an image beside words",
      {
        role: "user",
        content: [
          { type: "text", text: "See:" },
          { type: "image", mediaType: "image/png", source: { type: "url", url: "u" } },
        ],
      },
    ],
    ["a refusal", { role: "assistant", content: [{ type: "refusal", text: "no" }] }],
    ["an instruction", { role: "system", content: [{ type: "text", text: "x" }] }],
    ["thinking alone", { role: "assistant", content: [{ type: "thinking", text: "hm" }] }],
  ])("v2ToLegacyMessage refuses %s", (_name, message) => {
    expect(() => v2ToLegacyMessage(message)).toThrow(InvalidMessageError);
  });

  const json = fc
    .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }))
    .map((value): JsonObject => JSON.parse(JSON.stringify(value)));
  const words = fc.string({ minLength: 1 }).filter((text) => text.trim() !== "");
  const calls = fc
    .uniqueArray(fc.tuple(fc.uuid(), json), { minLength: 1, maxLength: 3, selector: ([id]) => id })
    .map((list) => list.map(([id, parameters]) => use(id, parameters)));
  const sayable: fc.Arbitrary<Message> = fc.oneof(
    words.map(user),
    words.map(assistant),
    fc.tuple(fc.option(words), calls).map(([text, uses]): Message => {
      const [first, ...rest]: readonly ToolUseBlock[] = uses;
      const asked = [must(first, "a call"), ...rest] as const;
      return { role: "assistant", content: text === null ? asked : [{ type: "text", text }, ...asked] };
    }),
    fc.string().map((text) => result("a", text)),
  );

  test("a message of one text and then calls survives the round trip through the legacy form", () => {
    fc.assert(
      fc.property(sayable, (message) => {
        const legacy = v2ToLegacyMessage(message);
        expect(normalizeMessage(JSON.parse(JSON.stringify(legacy)), { toolName: "look" })).toEqual(message);
      }),
    );
  });

  test("a legacy message survives the round trip through content blocks, whatever the spelling of its arguments", () => {
    const legacy: fc.Arbitrary<LegacyMessage> = fc.oneof(
      words.map((content): LegacyMessage => ({ role: "user", content })),
      fc.tuple(words, fc.array(json, { maxLength: 2 })).map(([content, args]): LegacyMessage => {
        const tool_calls = args.map((each, at): LegacyToolCall => ({
          id: `c${at}`,
          type: "function",
          function: { name: "look", arguments: JSON.stringify(each, null, 2) },
        }));
        return { role: "assistant", content, ...(isNonEmpty(tool_calls) ? { tool_calls } : {}) };
      }),
    );
    fc.assert(
      fc.property(legacy, (message) => {
        const once = normalizeMessage(message);
        expect(isSameMessage(normalizeMessage(v2ToLegacyMessage(once)), once)).toBe(true);
      }),
    );
  });
});

test("an error names the place and the problem where a refusal has both, and is its words otherwise", () => {
  const of = (details: Refusal["details"]): string =>
    new InvalidMessageError({ ...refusal("MESSAGE_INVALID", {}, "Words."), ...(details && { details }) }).message;
  expect(of({ at: "content.0", problem: "is no block" })).toBe("content.0: is no block");
  expect([of({ at: "content.0" }), of({ problem: "is no block" }), of(undefined)]).toEqual([
    "Words.",
    "Words.",
    "Words.",
  ]);
});
