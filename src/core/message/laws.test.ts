import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import type { ToolCallId } from "../base/ids.ts";
import { canonicalJson, stableDeepEqual, type Json, type JsonObject } from "../base/json.ts";
import type { NonEmptyArray } from "../base/non-empty.ts";
import { coalesceTextOnlyAdjacent } from "./coalesce.ts";
import * as guards from "./guards.ts";
import { asking, assistant, result, user } from "./message.test-support.ts";
import { comparisonKey, isSameMessage, normalizeForComparison, withoutEmptyTexts } from "./normalize.ts";
import { readMessage } from "./read.ts";
import {
  toolOutcomes,
  type AssistantContentBlock,
  type ContentBlock,
  type Message,
  type TextBlock,
  type ThinkingBlock,
  type UserContentBlock,
} from "./types.ts";

// Few values each, so that equal and nearly equal messages are frequent.
const words = fc.constantFrom("", " ", "a", " a", "a\n", "b");
const json: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 2, depthSize: "small" })
  .map((value): Json => JSON.parse(JSON.stringify(value)));
const object: fc.Arbitrary<JsonObject> = fc
  .dictionary(fc.constantFrom("a", "b", "__proto__", "constructor"), json, { maxKeys: 3 })
  .map((value): JsonObject => JSON.parse(JSON.stringify(value)));
const native = fc.record({ api: fc.constant("x"), data: object });
const text: fc.Arbitrary<TextBlock> = fc.record(
  { type: fc.constant("text"), text: words, native },
  { requiredKeys: ["type", "text"] },
);
const thinking: fc.Arbitrary<ThinkingBlock> = fc.record(
  { type: fc.constant("thinking"), text: words, signature: words, native },
  { requiredKeys: ["type", "text"] },
);
const source = fc.oneof(
  fc.record({ type: fc.constant("base64"), data: words }),
  fc.record({ type: fc.constant("blob"), id: fc.constant("0f".repeat(32)), size: fc.nat(5) }),
);
const given: fc.Arbitrary<UserContentBlock> = fc.oneof(
  { weight: 3, arbitrary: text },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("image"), mediaType: fc.constant("image/png"), source }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("file"), mediaType: fc.constant("text/plain"), source }) },
);
const said: fc.Arbitrary<AssistantContentBlock> = fc.oneof(
  { weight: 3, arbitrary: text },
  { weight: 1, arbitrary: thinking },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("tool-use"),
      id: fc.constantFrom("1", "2").map((id) => id as ToolCallId),
      name: fc.constantFrom("look", "find"),
      parameters: object,
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("refusal"), text: words }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("opaque"), api: fc.constant("x"), raw: object }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("notice"), text: words }) },
);
function some<Block>(block: fc.Arbitrary<Block>): fc.Arbitrary<NonEmptyArray<Block>> {
  return fc.tuple(block, fc.array(block, { maxLength: 2 })).map(([first, rest]) => [first, ...rest] as const);
}
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant("user"), content: some(given) }),
  fc.record({ role: fc.constant("system"), content: some(text) }),
  fc.record(
    { role: fc.constant("assistant"), content: some(said), interrupted: fc.boolean() },
    { requiredKeys: ["role", "content"] },
  ),
  fc.record({
    role: fc.constant("tool"),
    tool_call_id: fc.constantFrom("1", "2").map((id) => id as ToolCallId),
    tool_name: fc.constant("look"),
    content: some(given),
    outcome: fc.constantFrom(...toolOutcomes),
  }),
);

/** Returns the value with the keys of every object reversed. */
function withKeysReversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withKeysReversed);
  if (typeof value !== "object" || value === null) return value;
  const copy = {};
  for (const [key, field] of Object.entries(value).toReversed()) {
    Object.defineProperty(copy, key, {
      value: withKeysReversed(field),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

function read(value: unknown): Message {
  const got = readMessage(value);
  if (!got.ok) throw new Error(JSON.stringify(got.error));
  return got.value;
}

describe("any message", () => {
  test("F-32 readMessage returns any written message unchanged", () => {
    fc.assert(
      fc.property(message, (each) => {
        expect(canonicalJson(readMessage(JSON.parse(JSON.stringify(each))))).toBe(
          canonicalJson({ ok: true, value: each }),
        );
      }),
    );
  });

  test("F-06 messages are equal whatever the order of keys at any depth", () => {
    fc.assert(
      fc.property(message, (each) => {
        expect(isSameMessage(each, read(withKeysReversed(each)))).toBe(true);
      }),
    );
  });

  test("isSameMessage is an equivalence: deep equality of normalised messages", () => {
    const bare = (each: Message): unknown => {
      const normal = normalizeForComparison(each);
      if (normal === null) return null;
      const content: readonly ContentBlock[] = normal.content;
      const interrupted = normal.role === "assistant" && normal.interrupted === true ? true : undefined;
      return { ...normal, interrupted, content: content.map((block) => ({ ...block, native: undefined })) };
    };
    fc.assert(
      fc.property(message, message, message, (a, b, c) => {
        expect(isSameMessage(a, b)).toBe(stableDeepEqual(bare(a), bare(b)));
        expect(isSameMessage(a, a)).toBe(true);
        expect(isSameMessage(b, a)).toBe(isSameMessage(a, b));
        if (isSameMessage(a, b) && isSameMessage(b, c)) expect(isSameMessage(a, c)).toBe(true);
        if (isSameMessage(a, b)) expect(isSameMessage(a, b, "trimmed")).toBe(true);
      }),
      { numRuns: scaled(2_000) },
    );
  });

  test("normalizeForComparison keeps what a message says, and is idempotent", () => {
    fc.assert(
      fc.property(message, (each) => {
        const normal = normalizeForComparison(each);
        expect(normal === null ? null : normalizeForComparison(normal)).toEqual(normal);
        const stored = withoutEmptyTexts(each);
        if (normal !== null) expect(isSameMessage(normal, each)).toBe(true);
        if (stored !== null) expect(comparisonKey(stored)).toBe(comparisonKey(each));
        expect(stored === null ? null : withoutEmptyTexts(stored)).toEqual(stored);
      }),
    );
  });

  test("exactly one guard accepts each block and each message", () => {
    const ofBlocks = [
      guards.isTextBlock,
      guards.isThinkingBlock,
      guards.isToolUseBlock,
      guards.isImageBlock,
      guards.isFileBlock,
      guards.isRefusalBlock,
      guards.isOpaqueBlock,
      guards.isNoticeBlock,
    ];
    const ofMessages = [guards.isUserMessage, guards.isAssistantMessage, guards.isToolMessage, guards.isSystemMessage];
    fc.assert(
      fc.property(message, (each) => {
        expect(ofMessages.filter((is) => is(each))).toHaveLength(1);
        for (const block of each.content) expect(ofBlocks.filter((is) => is(block))).toHaveLength(1);
      }),
    );
  });
});

describe("coalescing any messages", () => {
  const conversation = fc.array(
    fc.oneof(message, fc.constantFrom(user("a"), assistant("b"), asking("1"), result("1"))),
    {
      maxLength: 8,
    },
  );
  const aboutMore = (each: Message): boolean =>
    each.role === "tool" || each.role === "system" || each.content.some((block) => block.type !== "text");

  test("coalesceTextOnlyAdjacent leaves messages with more than text unchanged and in place, with or without a separator", () => {
    fc.assert(
      fc.property(conversation, fc.constantFrom(undefined, "", " ", "\n\n"), (messages, separator) => {
        const joined = coalesceTextOnlyAdjacent(messages, separator);
        expect(joined.filter(aboutMore)).toEqual(messages.filter(aboutMore));
        expect(coalesceTextOnlyAdjacent(joined, separator)).toEqual(joined);
        const turns = (list: readonly Message[]): readonly string[] =>
          list
            .map((each) => (aboutMore(each) ? `${each.role}!` : each.role))
            .filter((each, at, all) => each.endsWith("!") || each !== all[at - 1]);
        expect(turns(joined)).toEqual(turns(messages));
        expect(joined.length).toBe(turns(messages).length);
      }),
      { numRuns: scaled(500) },
    );
  });
});

describe("coalescing a growing conversation", () => {
  const spoken = fc.array(fc.constantFrom(user("a"), user("b"), assistant("b"), asking("1"), result("1")), {
    maxLength: 8,
  });

  test("the coalesced messages of a conversation remain a prefix when another role goes on", () => {
    fc.assert(
      fc.property(spoken, fc.nat(8), (messages, cut) => {
        const sent = coalesceTextOnlyAdjacent(messages.slice(0, cut));
        const next = coalesceTextOnlyAdjacent(messages);
        const last = messages[cut - 1];
        if (last?.role !== messages[cut]?.role || last?.role === "tool") {
          expect(next.slice(0, sent.length)).toEqual(sent);
          return;
        }
        // The same role went on: its message has grown at the end.
        expect(next.slice(0, sent.length - 1)).toEqual(sent.slice(0, -1));
        const before: readonly ContentBlock[] = sent.at(-1)?.content ?? [];
        expect(next[sent.length - 1]?.content.slice(0, before.length) ?? []).toEqual(before);
      }),
      { numRuns: scaled(500) },
    );
  });
});

describe("stableDeepEqual", () => {
  test("stableDeepEqual agrees with canonical JSON: it ignores the order of keys, not of list items", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(stableDeepEqual(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
        expect(stableDeepEqual(a, withKeysReversed(a))).toBe(true);
      }),
      { numRuns: scaled(1_000) },
    );
  });

  test.each<[unknown, unknown, boolean]>([
    [{ a: 1, b: { c: [1, 2], d: 3 } }, { b: { d: 3, c: [1, 2] }, a: 1 }, true],
    [[1, 2], [2, 1], false],
    [{ a: [1, 2] }, { a: [2, 1] }, false],
    [{ a: 1 }, { a: 1, b: undefined }, true],
    [{ a: 1 }, { a: 1, b: null }, false],
    [{ a: 1 }, { b: 1 }, false],
    [[], {}, false],
    [[undefined], [], false],
    [{ 0: "a" }, ["a"], false],
    [null, undefined, false],
    [0, -0, true],
    [Number.NaN, Number.NaN, true],
    ["1", 1, false],
    ["\u00e9", "e\u0301", false],
  ])("stableDeepEqual of %j and %j is %s", (a, b, expected) => {
    expect(stableDeepEqual(a, b)).toBe(expected);
    expect(stableDeepEqual(b, a)).toBe(expected);
  });
});
