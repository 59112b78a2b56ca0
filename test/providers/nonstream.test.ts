import { describe, expect, test } from "vitest";
import { decodeReply as decodeAnthropic } from "../../src/adapters/providers/anthropic/decode.ts";
import { listAt, numberAt, objectAt, parseJson, textAt } from "../../src/adapters/providers/json-read.ts";
import { decodeReply as decodeChat } from "../../src/adapters/providers/openai-chat/decode.ts";
import { assemble, assembledMessage, emptyAssembly } from "../../src/core/model/assemble.ts";
import { recordedReplies, recordingsFolder } from "./recordings.ts";

const origin = { api: "test", provider: "test", model: "test" };

describe.skipIf(recordingsFolder === null)("recorded replies in one body", () => {
  const rows = recordedReplies()
    .filter((row) => row.api === "anthropic" || row.api === "chat")
    .map((row, at) => ({ ...row, at, json: parseJson(row.body) }));
  // Some recordings under these names are other endpoints' answers (counts of tokens, lists of models).
  const replies = rows.filter((row) =>
    row.api === "anthropic" ? textAt(row.json, "type") === "message" : listAt(row.json, "choices").length > 0,
  );

  test("nearly all recordings are replies, and every other one fails as a value", () => {
    expect(replies.length).toBeGreaterThan(1300);
    for (const row of rows) {
      if (replies.includes(row)) continue;
      const parts = row.api === "anthropic" ? decodeAnthropic(row.json) : decodeChat(row.json);
      expect(`${row.at} ${parts.at(-1)?.type}`).toBe(`${row.at} failed`);
    }
  });

  test("each ends cleanly with the text and the calls that its body has", () => {
    for (const row of replies) {
      const parts = row.api === "anthropic" ? decodeAnthropic(row.json) : decodeChat(row.json);
      const assembly = parts.reduce(assemble, emptyAssembly);
      expect(`${row.at} ${assembly.end.type}`).toBe(`${row.at} finished`);
      const content = assembledMessage(assembly, origin)?.content ?? [];
      const text = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
      const calls = content.flatMap((block) =>
        block.type === "tool-use" ? [{ name: block.name, parameters: block.parameters }] : [],
      );
      const expected = row.api === "anthropic" ? inAnthropic(row.json) : inChat(row.json);
      expect({ at: row.at, text: text.join(""), calls }).toEqual({ at: row.at, ...expected });
    }
  });

  test("the counts of tokens are those of the body", () => {
    for (const row of replies) {
      const last = (row.api === "anthropic" ? decodeAnthropic(row.json) : decodeChat(row.json)).at(-1);
      const usage = objectAt(row.json, "usage");
      const output = numberAt(usage, "output_tokens") ?? numberAt(usage, "completion_tokens") ?? 0;
      expect({ at: row.at, output: last?.type === "finished" ? last.usage.outputTokens : -1 }).toEqual({
        at: row.at,
        output,
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
  return {
    text: textAt(message, "content") ?? list.join(""),
    // Snowflake fills every field that it leaves empty: a function without a name is no call.
    calls: functions
      .filter((called) => textAt(called, "name") !== "")
      .map((called) => ({ name: textAt(called, "name"), parameters: argumentsOf(called?.["arguments"]) })),
  };
}

function argumentsOf(args: unknown): unknown {
  if (typeof args !== "string") return args ?? {};
  const parsed = parseJson(args);
  return typeof parsed === "object" && parsed !== null ? parsed : {};
}
