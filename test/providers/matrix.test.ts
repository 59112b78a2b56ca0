import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claudeCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import { encodeRequest as encodeAnthropic } from "../../src/adapters/providers/anthropic/encode.ts";
import { geminiCompat } from "../../src/adapters/providers/gemini/compat.ts";
import { encodeRequest as encodeGemini } from "../../src/adapters/providers/gemini/encode.ts";
import { interactionsCompat } from "../../src/adapters/providers/gemini-interactions/compat.ts";
import { encodeRequest as encodeInteractions } from "../../src/adapters/providers/gemini-interactions/encode.ts";
import { chatCompats } from "../../src/adapters/providers/openai-chat/compat.ts";
import { encodeRequest as encodeChat } from "../../src/adapters/providers/openai-chat/encode.ts";
import { responsesCompat } from "../../src/adapters/providers/openai-responses/compat.ts";
import { encodeRequest as encodeResponses } from "../../src/adapters/providers/openai-responses/encode.ts";
import { safeRequest } from "../../src/adapters/providers/shared/project.ts";
import { isJsonObject, type JsonObject } from "../../src/core/base/json.ts";
import type { ContentBlock, Message } from "../../src/core/message/types.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import { anthropicFault } from "../../src/testing/mock-provider/anthropic-rules.ts";
import { chatFault } from "../../src/testing/mock-provider/chat-rules.ts";
import { geminiFault } from "../../src/testing/mock-provider/gemini-rules.ts";
import { interactionsFault } from "../../src/testing/mock-provider/interactions-rules.ts";
import { responsesFault } from "../../src/testing/mock-provider/responses-rules.ts";
import { scaled } from "../scale.ts";
import { forestFrom } from "./stored-paths.ts";
import { model, requestOf } from "./wires.ts";

/** One of the formats, as its own server accepts it. */
interface Side {
  readonly api: string;
  readonly path: string;
  encode(request: ModelRequest, images: boolean): JsonObject;
  fault(body: unknown): unknown;
  /** Ids of calls and of results, each in the order of the body. */
  ids(body: JsonObject): readonly [readonly string[], readonly string[]];
}

const sides: Readonly<Record<string, Side>> = {
  Anthropic: {
    api: "anthropic",
    path: "messages",
    encode: (request, images) => encodeAnthropic(request, { ...claudeCompat(model), images }, true),
    fault: anthropicFault,
    ids: (body) => [valuesOf(body, "tool_use", "id"), valuesOf(body, "tool_result", "tool_use_id")],
  },
  Chat: {
    api: "openai-chat",
    path: "messages",
    encode: (request, images) => encodeChat(request, { ...chatCompats.openai, images }, true),
    fault: chatFault,
    ids: (body) => [valuesOf(body, "function", "id"), allValues(body, "tool_call_id")],
  },
  Responses: {
    api: "openai-responses",
    path: "input",
    encode: (request, images) => encodeResponses(request, { ...responsesCompat("gpt-5.4"), images }, true),
    fault: responsesFault,
    ids: (body) => [
      [...valuesOf(body, "function_call", "call_id"), ...valuesOf(body, "custom_tool_call", "call_id")],
      [...valuesOf(body, "function_call_output", "call_id"), ...valuesOf(body, "custom_tool_call_output", "call_id")],
    ],
  },
  Gemini: {
    api: "gemini",
    path: "contents",
    encode: (request, images) => encodeGemini(request, { ...geminiCompat("gemini-3-flash-preview"), images }),
    fault: (body) => geminiFault(body, "gemini-3-flash-preview"),
    ids: (body) => [idsIn(body, "functionCall"), idsIn(body, "functionResponse")],
  },
  Interactions: {
    api: "gemini-interactions",
    path: "input",
    encode: (request, images) =>
      encodeInteractions(request, { ...interactionsCompat("gemini-3-flash-preview"), images }, true),
    fault: (body) => interactionsFault({ ...(body as object), model: "gemini-3-flash-preview" }),
    ids: (body) => [valuesOf(body, "function_call", "id"), valuesOf(body, "function_result", "call_id")],
  },
};

const pairs = Object.keys(sides).flatMap((from) => Object.keys(sides).map((to) => [from, to] as const));
const numRuns = scaled(40);

describe.each(pairs)("a conversation with %s continued with %s", (from, to) => {
  const source = side(from);
  const target = side(to);
  const forest = forestFrom({ api: source.api, provider: from, model });
  const body = (messages: readonly Message[], images = true): JsonObject => target.encode(requestOf(messages), images);

  test("follows the provider's rules at every node, and branches share the wire form of their common path (TR1 to TR6)", () => {
    fc.assert(
      fc.property(forest, ({ trunk, branches }) => {
        const wires = branches.map((branch) => {
          const sent = body(branch);
          expect(target.fault(sent)).toBeNull();
          return unmarked(sent[target.path]);
        });
        const last = trunk.at(-1);
        // A request is sent when there is something to answer; other tests cover the repair of its end.
        if (last?.role !== "user" && last?.role !== "tool") return;
        const shared = unmarked(body(trunk)[target.path]);
        // Where a format has one message for both, the next message may add to a person's last one.
        for (const wire of wires) expect(isBeginning(shared, wire)).toBe(true);
      }),
      { numRuns },
    );
  });

  test("loses no word, no call, no result", () => {
    fc.assert(
      fc.property(forest, ({ branches: [branch = []] }) => {
        const sent = JSON.stringify(body(branch));
        for (const said of wordsOf(branch)) expect(sent).toContain(JSON.stringify(said).slice(1, -1));
      }),
      { numRuns },
    );
  });

  test("gives each call its own id and each result its call's id", () => {
    fc.assert(
      fc.property(forest, ({ branches: [branch = []] }) => {
        const [calls, results] = target.ids(body(branch));
        expect(new Set(calls).size).toBe(calls.length);
        expect([...results].toSorted()).toEqual([...calls].toSorted());
        expect(calls).toHaveLength(count(branch, "tool-use"));
      }),
      { numRuns },
    );
  });

  test("shows no thinking, signature or item of another model, and its own unchanged", () => {
    fc.assert(
      fc.property(forest, ({ branches: [branch = []] }) => {
        const sent = JSON.stringify(body(branch));
        const foreign = branch.flatMap(blocksOf).flatMap(secretsOf(from === to ? target.api : undefined));
        for (const secret of foreign) expect(sent).not.toContain(secret);
      }),
      { numRuns },
    );
  });

  test("describes images in words to a model that cannot see them", () => {
    fc.assert(
      fc.property(forest, ({ branches: [branch = []] }) => {
        const blind = body(branch, false);
        expect(target.fault(blind)).toBeNull();
        const images = branch.flatMap(blocksOf).filter((block) => block.type === "image");
        expect(JSON.stringify(blind).split("is not available]").length - 1).toBe(images.length);
        for (const mark of ["image_url", "input_image", '"type":"image"', 'image/png","data'])
          expect(JSON.stringify(blind)).not.toContain(mark);
      }),
      { numRuns },
    );
  });

  test("can be sent again without anything that ties it to a model", () => {
    fc.assert(
      fc.property(forest, ({ branches: [branch = []] }) => {
        const safe = safeRequest(requestOf(branch));
        const sent = target.encode(safe, true);
        expect(target.fault(sent)).toBeNull();
        for (const secret of branch.flatMap(blocksOf).flatMap(secretsOf(undefined)))
          expect(JSON.stringify(sent)).not.toContain(secret);
        expect(wordsOf(safe.messages)).toEqual(wordsOf(branch));
        expect(safeRequest(safe)).toEqual(safe);
      }),
      { numRuns },
    );
  });
});

function side(name: string): Side {
  const found = sides[name];
  if (found === undefined) throw new Error(name);
  return found;
}

function blocksOf(message: Message): readonly ContentBlock[] {
  return message.content;
}

function count(messages: readonly Message[], type: ContentBlock["type"]): number {
  return messages.flatMap(blocksOf).filter((block) => block.type === type).length;
}

/** The texts that must arrive, and the names of the calls. */
function wordsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(blocksOf).flatMap((block) => {
    if (block.type === "text" || block.type === "refusal") return block.text.trim() === "" ? [] : [block.text];
    return block.type === "tool-use" ? [block.name] : [];
  });
}

/** Content that only its own model may read; `own` is the format whose items may be sent back. */
function secretsOf(own: string | undefined): (block: ContentBlock) => readonly string[] {
  return (block) => {
    if (block.type === "opaque") return block.api === own ? [] : [JSON.stringify(block.raw)];
    if (block.type === "thinking") {
      if (own !== undefined) return [];
      return [block.signature, block.redacted].flatMap((proof) => (proof === undefined ? [] : [`"${proof}"`]));
    }
    if (!("native" in block) || block.native === undefined || block.native.api === own) return [];
    return [JSON.stringify(block.native.data).slice(1, -1)];
  };
}

function isBeginning(shared: readonly unknown[], whole: readonly unknown[]): boolean {
  const [sharedText, wholeText] = [
    JSON.stringify(shared.slice(0, -1)),
    JSON.stringify(whole.slice(0, shared.length - 1)),
  ];
  if (sharedText !== wholeText) return false;
  const [last, there] = [shared.at(-1), whole[shared.length - 1]];
  if (JSON.stringify(last) === JSON.stringify(there)) return true;
  const [before, after] = [contentOf(last), contentOf(there)];
  return JSON.stringify(after.slice(0, before.length)) === JSON.stringify(before);
}

function contentOf(message: unknown): readonly unknown[] {
  const content = isJsonObject(message) ? (message["content"] ?? message["parts"]) : undefined;
  return Array.isArray(content) ? content : [{ type: "text", text: content }];
}

function unmarked(messages: unknown): readonly unknown[] {
  const plain: unknown = JSON.parse(
    JSON.stringify(messages, (key, value: unknown) => (key === "cache_control" ? undefined : value)),
  );
  return Array.isArray(plain) ? plain : [];
}

/** Every object in a body, outermost first. */
function objectsIn(value: unknown): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  return isJsonObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}

function valuesOf(body: JsonObject, type: string, key: string): readonly string[] {
  return objectsIn(body).flatMap((each) => {
    const value = each["type"] === type ? each[key] : undefined;
    return typeof value === "string" ? [value] : [];
  });
}

function allValues(body: JsonObject, key: string): readonly string[] {
  return objectsIn(body).flatMap((each) => (typeof each[key] === "string" ? [each[key]] : []));
}

function idsIn(body: JsonObject, key: string): readonly string[] {
  return objectsIn(body).flatMap((each) => {
    const held = each[key];
    const id = isJsonObject(held) ? held["id"] : undefined;
    return typeof id === "string" ? [id] : [];
  });
}
