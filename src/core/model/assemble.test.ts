import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noUsage } from "../message/usage.ts";
import {
  assemble,
  assembledMessage,
  type Assembly,
  emptyAssembly,
  partialMessage,
  readToolArguments,
} from "./assemble.ts";
import type { StreamPart } from "./stream-part.ts";

const origin = { api: "a", provider: "p", model: "m" };
const together = (parts: readonly StreamPart[]): Assembly => parts.reduce(assemble, emptyAssembly);

const whole: readonly StreamPart[] = [
  { type: "response-started" },
  { type: "thinking-start", index: 0 },
  { type: "thinking-delta", index: 0, text: "hm" },
  { type: "thinking-end", index: 0, signature: "s" },
  { type: "text-start", index: 1 },
  { type: "text-delta", index: 1, text: "Hello " },
  { type: "text-delta", index: 1, text: "there.  \n" },
  { type: "text-end", index: 1 },
  { type: "tool-call-start", index: 2, id: "c", name: "look" },
  { type: "tool-call-delta", index: 2, text: '{"at":' },
  { type: "tool-call-delta", index: 2, text: "1}" },
  { type: "tool-call-end", index: 2 },
  { type: "tool-call-start", index: 3, id: "c", name: "look" },
  { type: "tool-call-end", index: 3 },
  { type: "finished", reason: "tool-use", usage: noUsage },
];

describe("assembledMessage", () => {
  test("assembledMessage returns the blocks in order of arrival, with distinct call ids", () => {
    expect(assembledMessage(together(whole), origin)).toEqual({
      role: "assistant",
      origin,
      content: [
        { type: "thinking", text: "hm", signature: "s" },
        { type: "text", text: "Hello there.  \n" },
        { type: "tool-use", id: "c", name: "look", parameters: { at: 1 }, rawParameters: '{"at":1}' },
        { type: "tool-use", id: "c_2", name: "look", parameters: {} },
      ],
    });
    expect(together(whole).end).toEqual({ type: "finished", reason: "tool-use", usage: noUsage });
  });

  test("assembledMessage returns null for a reply without content", () => {
    expect(
      assembledMessage(
        together([
          { type: "text-start", index: 0 },
          { type: "text-end", index: 0 },
        ]),
        origin,
      ),
    ).toBeNull();
    expect(assembledMessage(emptyAssembly, origin)).toBeNull();
  });

  test("assemble ignores parts after the end of a reply", () => {
    const ended = together(whole);
    expect(assemble(ended, { type: "text-delta", index: 1, text: "late" })).toBe(ended);
  });

  test("assembledMessage joins a refusal that streams in pieces and keeps opaque items", () => {
    const parts: readonly StreamPart[] = [
      { type: "refusal", index: 0, text: "I " },
      { type: "refusal", index: 0, text: "will not." },
      { type: "opaque", index: 1, api: "x", raw: { type: "web" } },
    ];
    expect(assembledMessage(together(parts), origin)?.content).toEqual([
      { type: "refusal", text: "I will not." },
      { type: "opaque", api: "x", raw: { type: "web" } },
    ]);
  });
});

describe("partialMessage", () => {
  test.each<[string, number, readonly string[] | null]>([
    ["before anything", 1, null],
    ["in its thinking", 3, null],
    ["after its thinking", 4, null],
    ["in its text (trailing blanks are trimmed)", 6, ["thinking", "text Hello"]],
    ["in a call (the call is dropped)", 11, ["thinking", "text Hello there."]],
    ["after a call (the call is kept)", 12, ["thinking", "text Hello there.  \n", "tool-use c"]],
    ["in the next call", 13, ["thinking", "text Hello there.  \n", "tool-use c"]],
  ])("partialMessage of a reply cut %s keeps its complete blocks", (_where, count, expected) => {
    const message = partialMessage(together(whole.slice(0, count)), origin);
    const blocks =
      message?.content.map((block) =>
        block.type === "text" ? `text ${block.text}` : block.type === "tool-use" ? `tool-use ${block.id}` : block.type,
      ) ?? null;
    expect(blocks).toEqual(expected);
    if (message !== null) expect(message.interrupted).toBe(true);
  });

  test("partialMessage trims trailing blanks that are spread over many texts", () => {
    const blank = (index: number) =>
      ({ type: "text", index, text: index === 0 ? "word " : " ", complete: true }) as const;
    const blocks = Array.from({ length: 30_000 }, (_, index) => blank(index));
    expect(partialMessage({ blocks, end: { type: "open" } }, origin)?.content).toEqual([
      { type: "text", text: "word" },
    ]);
    expect(partialMessage({ blocks: blocks.slice(1), end: { type: "open" } }, origin)).toBeNull();
  });

  test("partialMessage never holds an unfinished call or trailing blanks, wherever the reply is cut", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length - 1 }), (count) => {
        const content = partialMessage(together(whole.slice(0, count)), origin)?.content ?? [];
        const ended = new Set(
          whole.slice(0, count).flatMap((part) => (part.type === "tool-call-end" ? [part.index] : [])),
        );
        expect(content.filter((block) => block.type === "tool-use")).toHaveLength(ended.size);
        const last = content.at(-1);
        if (last?.type === "text") expect(last.text).toBe(last.text.trimEnd());
      }),
    );
  });
});

describe("readToolArguments", () => {
  test.each<[string, object, boolean]>([
    ["", {}, false],
    ["  ", {}, false],
    ['{"a":1}', { a: 1 }, false],
    ["{}", {}, false],
    ['{"a":', {}, true],
    ['{"patch":"one","patch":"another"}', {}, true],
    ["[1]", {}, true],
    ["null", {}, false],
    ['"text"', {}, true],
  ])("%j", (json, parameters, broken) => {
    const read = readToolArguments(json);
    expect(read.parameters).toEqual(parameters);
    expect(read.argumentsError !== undefined).toBe(broken);
    if (broken) expect(read.rawParameters).toBe(json);
  });
});

test("readToolArguments asks the model to resend arguments that nest too deep or hold a number out of range", () => {
  const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
  for (const json of [deep, '{"a":1e400}']) {
    const read = readToolArguments(json);
    expect(read).toMatchObject({ parameters: {}, rawParameters: json });
    expect(read.argumentsError).toContain("nest more than 256 deep. The call was not run: send it again");
  }
});
