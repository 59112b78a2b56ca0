import { describe, expect, test } from "vitest";
import { claudeCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import { anthropicCodec } from "../../src/adapters/providers/anthropic/codec.ts";
import { geminiCodec } from "../../src/adapters/providers/gemini/codec.ts";
import { geminiCompat } from "../../src/adapters/providers/gemini/compat.ts";
import { chatCodec } from "../../src/adapters/providers/openai-chat/codec.ts";
import { plainChatCompat } from "../../src/adapters/providers/openai-chat/compat.ts";
import { responsesCodec } from "../../src/adapters/providers/openai-responses/codec.ts";
import { responsesCompat } from "../../src/adapters/providers/openai-responses/compat.ts";
import { listAt, numberAt, objectAt, parseJson, textAt } from "../../src/adapters/providers/shared/json-read.ts";
import { assemble, assembledMessage, emptyAssembly } from "../../src/core/model/assemble.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import { recordedStreams, recordingsFolder, type RecordedStream } from "./recordings.ts";
import { replay } from "./replay.ts";
import { seededRandom } from "./seeded-random.ts";

/** Recordings of replies that the provider ended with an error, and the class of that error. */
const brokenByTheProvider: Readonly<Record<string, string>> = {
  // The model's call did not fit the tool's schema and Groq ended the stream with an error event.
  "602d39217d1c": "invalid-request",
  // The server ran out of context in mid-sentence and wrote an `error:` line.
  ce51379f7d30: "context-length",
};

/** Recordings whose pieces contradict the whole form, and why. The earlier one, from the pieces, counts. */
const disagreeing: Readonly<Record<string, string>> = {
  e89235048cf6: "who recorded it wrote another path into the whole form of a call than its pieces have",
  "2fd68fc14640": "as before",
  "83385d59d16c": "as before",
  dfda2e1a6cf2: "a fixture whose pieces say less, in other words, than its whole form",
};

const cutsEach = 20;
const anthropic = anthropicCodec(claudeCompat("claude-opus-4-8"));
const chat = chatCodec(plainChatCompat);
const responses = responsesCodec(responsesCompat("gpt-5.4"));
const gemini = geminiCodec(geminiCompat("gemini-3-flash-preview"));

function decode(row: RecordedStream, cuts: readonly number[]): readonly (readonly StreamPart[])[] {
  const bytes = new TextEncoder().encode(row.body);
  switch (row.api) {
    case "anthropic":
      return replay(anthropic, bytes, cuts);
    case "responses":
      return replay(responses, bytes, cuts);
    case "gemini-stream":
      return replay(gemini, bytes, cuts);
    default:
      return replay(chat, bytes, cuts);
  }
}

function outcome(row: RecordedStream, cuts: readonly number[]): unknown {
  const origin = { api: row.api, provider: row.host, model: "recorded" };
  return decode(row, cuts).map((parts) => {
    const assembly = parts.reduce(assemble, emptyAssembly);
    return { end: assembly.end, message: assembledMessage(assembly, origin) };
  });
}

describe.skipIf(recordingsFolder === null)("recorded streams", () => {
  const rows = recordedStreams();

  test("are as many as the data's description says", () => {
    expect(rows.filter((row) => row.api === "anthropic")).toHaveLength(202);
    expect(rows.filter((row) => row.api === "chat")).toHaveLength(405);
    expect(rows.filter((row) => row.api === "responses")).toHaveLength(182);
    expect(rows.filter((row) => row.api === "gemini-stream")).toHaveLength(90);
  });

  test("each decode to the end that the provider gave", () => {
    for (const row of rows) {
      for (const parts of decode(row, [])) {
        const last = parts.at(-1);
        const expected = brokenByTheProvider[row.id];
        const seen = last?.type === "failed" ? last.failure.class : last?.type;
        expect(`${row.id} ${seen}`).toBe(`${row.id} ${expected ?? "finished"}`);
      }
    }
  });

  test("open each block before it grows, close it once, and number blocks in order of arrival", () => {
    for (const row of rows) {
      for (const parts of decode(row, [])) expect(`${row.id} ${disorder(parts)}`).toBe(`${row.id} in order`);
    }
  });

  test("have content in every reply that counted output tokens, unless it ran out of them", () => {
    const empty = rows.filter((row) =>
      decode(row, []).some((parts) => {
        const last = parts.at(-1);
        return (
          last?.type === "finished" &&
          last.reason !== "max-tokens" &&
          last.usage.outputTokens > 1 &&
          !parts.some((part) => "index" in part)
        );
      }),
    );
    expect(empty.map((row) => row.id)).toEqual([]);
  });

  test("yield every text, thought and argument that a plain reading of the events finds", () => {
    for (const row of rows) {
      const parts = decode(row, []).flat();
      const read = {
        text: parts.map((part) => (part.type === "text-delta" ? part.text : "")).join(""),
        thinking: parts.map((part) => (part.type === "thinking-delta" ? part.text : "")).join(""),
        // The next test covers arguments that arrived value by value.
        json: comesInValues(row) ? 0 : argumentsOf(parts).length,
        calls: parts.flatMap((part) => (part.type === "tool-call-start" ? [part.name] : [])),
      };
      if (disagreeing[row.id] !== undefined) expect(read).not.toEqual(plainReading(row));
      else expect({ id: row.id, ...read }).toEqual({ id: row.id, ...plainReading(row) });
    }
  });

  test("yield every value of arguments that arrived value by value", () => {
    const piecewise = rows.filter(comesInValues);
    expect(piecewise).toHaveLength(3);
    for (const row of piecewise) {
      const args = argumentsOf(decode(row, []).flat());
      let found = 0;
      for (const piece of partialArgs(row)) {
        const value = textAt(piece, "stringValue") ?? numberAt(piece, "numberValue") ?? "";
        // In order: each piece of a text follows the previous one.
        found = args.indexOf(JSON.stringify(value).replaceAll(/^"|"$/gu, ""), found);
        expect(`${row.id} ${JSON.stringify(piece)} ${found >= 0}`).toBe(`${row.id} ${JSON.stringify(piece)} true`);
      }
    }
  });

  test(`decode the same after random cuts of the bytes (${cutsEach} each)`, () => {
    for (const [at, row] of rows.entries()) {
      const random = seededRandom(at + 1);
      const length = new TextEncoder().encode(row.body).length;
      const whole = JSON.stringify(outcome(row, []));
      for (let n = 0; n < cutsEach; n += 1) {
        const cuts = Array.from({ length: 1 + random(30) }, () => random(length)).toSorted((a, b) => a - b);
        expect(JSON.stringify(outcome(row, cuts)) === whole ? row.id : `${row.id} differs at ${cuts.join()}`).toBe(
          row.id,
        );
      }
    }
  }, 120_000);
});

function disorder(parts: readonly StreamPart[]): string {
  const open = new Map<number, string>();
  const seen = new Set<number>();
  let highest = -1;
  for (const part of parts) {
    if (!("index" in part)) continue;
    const { index, type } = part;
    if (type.endsWith("-start") || type === "opaque" || (type === "refusal" && !seen.has(index))) {
      if (seen.has(index)) return `${type} opens ${index} again`;
      if (type.endsWith("-start") && index < highest) return `${type} opens ${index} after ${highest}`;
      highest = Math.max(highest, index);
      seen.add(index);
      if (type.endsWith("-start")) open.set(index, type.replace("-start", ""));
    } else if (type !== "refusal") {
      if (open.get(index) !== type.replace(/-(?:delta|end)$/, "")) return `${type} of ${index}, which is not open`;
      if (type.endsWith("-end")) open.delete(index);
    }
  }
  return "in order";
}

/**
 * A slow, stateless decoder that reads each event by itself. It compares arguments by length, since calls may
 * interleave.
 */
function plainReading(row: RecordedStream): {
  readonly text: string;
  readonly thinking: string;
  readonly json: number;
  readonly calls: readonly string[];
} {
  let [text, thinking, json] = ["", "", 0];
  const calls: string[] = [];
  const ids = new Set<string>();
  const whole = (value: unknown): void => {
    json +=
      typeof value === "object" && value !== null && Object.keys(value).length > 0 ? JSON.stringify(value).length : 0;
  };
  const toolBlocks = new Set<number>();
  for (const block of row.body.split(/\r?\n\r?\n/u)) {
    const data = /^data: ?(.*)$/mu.exec(block)?.[1] ?? "";
    const body = parseJson(data);
    if (row.api === "anthropic") {
      const index = numberAt(body, "index") ?? -1;
      const started = textAt(body, "type") === "content_block_start" ? objectAt(body, "content_block") : undefined;
      const inMessage = textAt(body, "type") === "message_start" ? listAt(objectAt(body, "message"), "content") : [];
      for (const opened of [started, ...inMessage]) {
        if (textAt(opened, "type") === "text") text += textAt(opened, "text") ?? "";
        if (textAt(opened, "type") !== "tool_use") {
          if (opened === started && started !== undefined) toolBlocks.delete(index);
          continue;
        }
        calls.push(textAt(opened, "name") ?? "");
        whole(objectAt(opened, "input"));
        if (opened === started) toolBlocks.add(index);
      }
      const delta = objectAt(body, "delta");
      text += textAt(delta, "text") ?? "";
      thinking += textAt(delta, "thinking") ?? "";
      if (toolBlocks.has(index)) json += (textAt(delta, "partial_json") ?? "").length;
      continue;
    }
    if (row.api === "responses") {
      const item = textAt(body, "type") === "response.output_item.done" ? objectAt(body, "item") : undefined;
      for (const part of textAt(item, "type") === "message" ? listAt(item, "content") : [])
        text += textAt(part, "text") ?? "";
      if (textAt(item, "type") === "reasoning") {
        const shown = listAt(item, "summary").length > 0 ? listAt(item, "summary") : listAt(item, "content");
        thinking += shown.map((part) => textAt(part, "text") ?? "").join("\n\n");
      }
      if (textAt(item, "type") === "function_call") {
        calls.push(textAt(item, "name") ?? "");
        json += (textAt(item, "arguments") ?? "").length;
      }
      continue;
    }
    for (const candidate of listAt(body, "candidates")) {
      for (const part of listAt(objectAt(candidate, "content"), "parts")) {
        const said = textAt(part, "text") ?? "";
        if (objectAt(part, "functionCall") === undefined && isThought(part)) thinking += said;
        else text += said;
        const call = objectAt(part, "functionCall");
        const name = textAt(call, "name") ?? "";
        if (name === "") continue;
        calls.push(name);
        json += JSON.stringify(objectAt(call, "args") ?? {}).length;
      }
    }
    for (const choice of listAt(body, "choices")) {
      if (numberAt(choice, "index") !== 0) continue;
      const delta = objectAt(choice, "delta");
      text +=
        textAt(delta, "content") ??
        listAt(delta, "content")
          .map((part) => textAt(part, "text") ?? "")
          .join("");
      thinking +=
        textAt(delta, "reasoning_content") ??
        textAt(delta, "reasoning") ??
        [
          ...listAt(delta, "reasoning_details").map(
            (detail) => textAt(detail, "text") ?? textAt(detail, "summary") ?? "",
          ),
          ...listAt(delta, "content").flatMap((part) =>
            listAt(part, "thinking").map((piece) => textAt(piece, "text") ?? ""),
          ),
        ].join("");
      for (const call of listAt(delta, "tool_calls")) {
        const called = objectAt(call, "function");
        const named = textAt(called, "name") ?? "";
        const id = textAt(call, "id") ?? "";
        // Some servers repeat name and id with every piece.
        if (named !== "" && !(id !== "" && ids.has(id))) calls.push(named);
        if (id !== "") ids.add(id);
        json += (textAt(called, "arguments") ?? "").length;
      }
    }
  }
  return { text, thinking, json: comesInValues(row) ? 0 : json, calls };
}

function isThought(part: unknown): boolean {
  return typeof part === "object" && part !== null && "thought" in part && part.thought === true;
}

/** Returns whether the arguments of its calls arrive value by value. */
function comesInValues(row: RecordedStream): boolean {
  return row.body.includes('"partialArgs"');
}

function argumentsOf(parts: readonly StreamPart[]): string {
  return parts.map((part) => (part.type === "tool-call-delta" ? part.text : "")).join("");
}

function partialArgs(row: RecordedStream): readonly unknown[] {
  return row.body
    .split("\n")
    .flatMap((line) => listAt(parseJson(line.replace(/^data: ?/, "")), "candidates"))
    .flatMap((candidate) => listAt(objectAt(candidate, "content"), "parts"))
    .flatMap((part) => listAt(objectAt(part, "functionCall"), "partialArgs"));
}
