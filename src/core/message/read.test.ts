import { describe, expect, test } from "vitest";
import { asking, assistant, result, use, user } from "./message.test-support.ts";
import { messageJsonDepthMax } from "./json-bounds.ts";
import { readMessage } from "./read.ts";
import type { Message } from "./types.ts";

const full: readonly Message[] = [
  user("hello"),
  {
    role: "user",
    content: [
      { type: "image", mediaType: "image/png", source: { type: "base64", data: "AA==" } },
      {
        type: "file",
        mediaType: "text/plain",
        name: "a.txt",
        source: { type: "url", url: "https://example.org/a.txt" },
      },
      { type: "image", mediaType: "image/png", source: { type: "blob", id: "0f".repeat(32), size: 68 } },
    ],
  },
  {
    role: "assistant",
    content: [
      {
        type: "thinking",
        text: "",
        signature: "s",
        redacted: "r",
        native: { api: "x", model: "m", data: { a: [1, null] } },
      },
      { type: "text", text: "  kept as it is\n" },
      { ...use("a", { deep: { list: [1, { b: true }] } }), rawParameters: "{ }", argumentsError: "not an object" },
      { type: "refusal", text: "no" },
      { type: "opaque", api: "x", raw: {} },
      { type: "notice", text: "cut off" },
    ],
    interrupted: true,
    origin: { api: "x", provider: "p", model: "m" },
  },
  { ...result("a", ""), synthetic: true, revision_id: "3-00c0ffee", lease_id: "lease_1" },
  { role: "system", content: [{ type: "text", text: "be brief" }] },
];

const imageOfBlob = (source: object): unknown => ({
  role: "user",
  content: [{ type: "image", mediaType: "image/png", source: { type: "blob", ...source } }],
});

describe("readMessage", () => {
  test.each(full.map((message) => [message.role, message] as const))(
    "F-32 readMessage returns a written %s message unchanged",
    (_role, message) => {
      expect(readMessage(JSON.parse(JSON.stringify(message)))).toEqual({ ok: true, value: message });
    },
  );

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["a string", "hello"],
    ["a list", []],
    ["F-30 an unknown role", { ...user("x"), role: "developer" }],
    ["an image whose blob id is not a SHA-256", imageOfBlob({ id: "../../etc/passwd", size: 1 })],
    ["an image whose blob has no size", imageOfBlob({ id: "0f".repeat(32) })],
    ["F-31 a user with a call", { role: "user", content: [use("a")] }],
    ["F-31 a tool message without the id of its call", { ...result("a"), tool_call_id: undefined }],
    ["F-30 a tool message with a blank id", { ...result("a"), tool_call_id: "  " }],
    ["F-30 a call with a blank name", { role: "assistant", content: [{ ...use("a"), name: " " }] }],
    ["F-31 an unknown block type", { role: "assistant", content: [{ type: "tool_use", text: "x" }] }],
    ["F-31 no content", { role: "assistant", content: [] }],
    ["content that is a string", { role: "assistant", content: "hello" }],
    ["F-31 parameters that are a list", { role: "assistant", content: [{ ...use("a"), parameters: [] }] }],
    [
      "parameters that JSON cannot represent",
      { role: "assistant", content: [{ ...use("a"), parameters: { n: Number.NaN } }] },
    ],
    ["a text that is a number", { ...user("x"), content: [{ type: "text", text: 1 }] }],
    ["a second block that is broken", { ...assistant("x"), content: [{ type: "text", text: "x" }, null] }],
    ["an unknown outcome", { ...result("a"), outcome: "fine" }],
  ])("%s is refused with the path of the field", (_name, value) => {
    const read = readMessage(value);
    expect(read.ok).toBe(false);
    if (read.ok) return;
    expect(read.error.code).toBe("MESSAGE_INVALID");
    expect(read.error.details).toMatchObject({ at: expect.any(String), problem: expect.stringMatching(/./) });
  });

  test.each<[string, unknown, string, RegExp]>([
    ["a call in a person's message", { role: "user", content: [use("a")] }, "content.0.type", /person.*tool-use/],
    ["a missing id", { ...result("a"), tool_call_id: undefined }, "tool_call_id", /missing|text/],
    ["an unknown block", { role: "assistant", content: [{ type: "citation" }] }, "content.0.type", /citation/],
    ["empty content", { role: "user", content: [] }, "content", /at least one block/],
    [
      "parameters in a list",
      { role: "assistant", content: [{ ...use("a"), parameters: [1] }] },
      "content.0.parameters",
      /object/,
    ],
    ["content that is a number", { role: "user", content: 5 }, "content", /list of blocks/],
  ])("F-31 L10 the refusal of %s says what is wrong and where", (_name, value, at, problem) => {
    const read = readMessage(value);
    expect(read.ok ? {} : read.error.details).toEqual({ at, problem: expect.stringMatching(problem) });
  });

  test("readMessage keeps every key of a call's parameters, including names of Object.prototype", () => {
    const parameters: unknown = JSON.parse('{"__proto__":{"x":1},"constructor":1,"prototype":[2],"toString":"s"}');
    const read = readMessage({ role: "assistant", content: [{ ...use("a"), parameters }] });
    expect(JSON.stringify(read)).toContain(JSON.stringify(parameters));
  });

  test("readMessage refuses parameters nested too deep and accepts deep ones within the limit", () => {
    const nested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
    const reads = (depth: number): boolean =>
      readMessage({ role: "assistant", content: [{ ...use("a"), parameters: nested(depth) }] }).ok;
    expect([64, messageJsonDepthMax, messageJsonDepthMax + 1, 200_000].map(reads)).toEqual([true, true, false, false]);
  });

  test("a refusal of readMessage gives the path of the faulty field", () => {
    const read = readMessage({ role: "assistant", content: [use("a"), { type: "text" }] });
    expect(read.ok ? "" : read.error.details?.["at"]).toBe("content.1.text");
  });

  test("readMessage drops unknown fields", () => {
    expect(readMessage({ ...asking("a"), tool_calls: [] })).toEqual({ ok: true, value: asking("a") });
  });
});
