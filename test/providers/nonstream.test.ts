import { describe, expect, test } from "vitest";
import { decodeReply as decodeAnthropic } from "../../src/adapters/providers/anthropic/decode.ts";
import { decodeReply as decodeGemini } from "../../src/adapters/providers/gemini/decode.ts";
import { listAt, numberAt, objectAt, parseJson, textAt } from "../../src/adapters/providers/shared/json-read.ts";
import { decodeReply as decodeChat } from "../../src/adapters/providers/openai-chat/decode.ts";
import { decodeReply as decodeResponses } from "../../src/adapters/providers/openai-responses/decode.ts";
import { assemble, assembledMessage, emptyAssembly } from "../../src/core/model/assemble.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import { recordedReplies, recordingsFolder } from "./recordings.ts";

/** A reply of each format, as its body describes it. */
const formats: Readonly<Record<string, Format>> = {
  anthropic: {
    decode: decodeAnthropic,
    isReply: (body) => textAt(body, "type") === "message",
    content: inAnthropic,
    outputTokens: (body) => {
      const usage = objectAt(body, "usage");
      const iterations = listAt(usage, "iterations").map((each) => numberAt(each, "output_tokens") ?? 0);
      // The totals leave out what compactions and advisors cost.
      return iterations.length > 0
        ? iterations.reduce((sum, each) => sum + each, 0)
        : (numberAt(usage, "output_tokens") ?? 0);
    },
  },
  chat: {
    decode: decodeChat,
    isReply: (body) => listAt(body, "choices").length > 0,
    content: inChat,
    outputTokens: (body) => {
      const usage = objectAt(body, "usage");
      return numberAt(usage, "output_tokens") ?? numberAt(usage, "completion_tokens") ?? 0;
    },
  },
  responses: {
    decode: decodeResponses,
    // A background reply is only a promise.
    isReply: (body) => Array.isArray(objectAt({ body }, "body")?.["output"]) && textAt(body, "status") !== "queued",
    content: inResponses,
    outputTokens: (body) => numberAt(objectAt(body, "usage"), "output_tokens") ?? 0,
  },
  gemini: {
    decode: decodeGemini,
    // A call that the provider itself could not read is a retryable failure.
    isReply: (body) =>
      textAt(listAt(body, "candidates")[0], "finishReason") !== "MALFORMED_FUNCTION_CALL" &&
      (listAt(body, "candidates").length > 0 || objectAt(body, "promptFeedback") !== undefined),
    content: inGemini,
    outputTokens: (body) => {
      const usage = objectAt(body, "usageMetadata");
      return (numberAt(usage, "candidatesTokenCount") ?? 0) + (numberAt(usage, "thoughtsTokenCount") ?? 0);
    },
  },
};

interface Format {
  decode(body: unknown): readonly StreamPart[];
  isReply(body: unknown): boolean;
  content(body: unknown): { readonly text: string; readonly calls: readonly unknown[] };
  outputTokens(body: unknown): number;
}

const origin = { api: "test", provider: "test", model: "test" };

describe.skipIf(recordingsFolder === null)("recorded replies in one body", () => {
  const rows = recordedReplies().flatMap((row, at) => {
    const format = formats[row.api];
    return format === undefined ? [] : [{ ...row, format, at, json: parseJson(row.body) }];
  });
  // Some recordings under these names are answers of other endpoints (token counts, model lists).
  const replies = rows.filter((row) => row.format.isReply(row.json));

  test("are replies with few exceptions, and each exception is a failure value", () => {
    const count = (api: string): number => replies.filter((row) => row.api === api).length;
    expect(count("anthropic") + count("chat")).toBeGreaterThan(1300);
    expect([count("responses"), count("gemini")]).toEqual([405, 452]);
    for (const row of rows) {
      if (replies.includes(row)) continue;
      expect(`${row.at} ${row.format.decode(row.json).at(-1)?.type}`).toBe(`${row.at} failed`);
    }
  });

  test("each end cleanly with the text and the calls of the body", () => {
    for (const row of replies) {
      const assembly = row.format.decode(row.json).reduce(assemble, emptyAssembly);
      expect(`${row.at} ${assembly.end.type}`).toBe(`${row.at} finished`);
      const content = assembledMessage(assembly, origin)?.content ?? [];
      const text = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
      const calls = content.flatMap((block) =>
        block.type === "tool-use" ? [{ name: block.name, parameters: block.parameters }] : [],
      );
      expect({ at: row.at, text: text.join(""), calls }).toEqual({ at: row.at, ...row.format.content(row.json) });
    }
  });

  test("keep the body's token counts", () => {
    for (const row of replies) {
      const last = row.format.decode(row.json).at(-1);
      expect({ at: row.at, output: last?.type === "finished" ? last.usage.outputTokens : -1 }).toEqual({
        at: row.at,
        output: row.format.outputTokens(row.json),
      });
    }
  });
});

function inAnthropic(body: unknown): { readonly text: string; readonly calls: readonly unknown[] } {
  const blocks = listAt(body, "content");
  return {
    text: blocks.map((block) => (textAt(block, "type") === "text" ? (textAt(block, "text") ?? "") : "")).join(""),
    calls: blocks.flatMap((block) =>
      textAt(block, "type") === "tool_use"
        ? [{ name: textAt(block, "name"), parameters: objectAt(block, "input") }]
        : [],
    ),
  };
}

function inChat(body: unknown): { readonly text: string; readonly calls: readonly unknown[] } {
  const choice = listAt(body, "choices").find((entry) => (numberAt(entry, "index") ?? 0) === 0);
  const message = objectAt(choice, "message");
  const single = objectAt(message, "function_call");
  const functions = [
    ...listAt(message, "tool_calls").map((call) => objectAt(call, "function")),
    ...(single === undefined ? [] : [single]),
  ];
  const list = listAt(message, "content").map((part) => textAt(part, "text") ?? "");
  const spoken = textAt(objectAt(message, "audio"), "transcript") ?? "";
  return {
    text: (textAt(message, "content") ?? list.join("")) + spoken,
    // Snowflake fills fields it leaves empty: a function without a name is not a call.
    calls: functions
      .filter((called) => textAt(called, "name") !== "")
      .map((called) => ({ name: textAt(called, "name"), parameters: argumentsOf(called?.["arguments"]) })),
  };
}

function inResponses(body: unknown): { readonly text: string; readonly calls: readonly unknown[] } {
  const items = listAt(body, "output");
  const spoken = items.filter((item) => textAt(item, "type") === "message").flatMap((item) => listAt(item, "content"));
  return {
    text: spoken.map((part) => textAt(part, "text") ?? "").join(""),
    calls: items.flatMap((item) =>
      textAt(item, "type") === "function_call"
        ? [{ name: textAt(item, "name"), parameters: argumentsOf(textAt(item, "arguments")) }]
        : [],
    ),
  };
}

function inGemini(body: unknown): { readonly text: string; readonly calls: readonly unknown[] } {
  const parts = listAt(objectAt(listAt(body, "candidates")[0], "content"), "parts");
  return {
    text: parts
      .map((part) => (JSON.stringify(part).includes('"thought":true') ? "" : (textAt(part, "text") ?? "")))
      .join(""),
    calls: parts.flatMap((part) => {
      const call = objectAt(part, "functionCall");
      return call === undefined ? [] : [{ name: textAt(call, "name"), parameters: objectAt(call, "args") ?? {} }];
    }),
  };
}

function argumentsOf(args: unknown): unknown {
  if (typeof args !== "string") return args ?? {};
  const parsed = parseJson(args);
  return typeof parsed === "object" && parsed !== null ? parsed : {};
}
