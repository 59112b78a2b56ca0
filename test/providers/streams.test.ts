import { describe, expect, test } from "vitest";
import { claudeCompat } from "../../src/adapters/providers/anthropic/compat.ts";
import { anthropicCodec } from "../../src/adapters/providers/anthropic/codec.ts";
import { chatCodec } from "../../src/adapters/providers/openai-chat/codec.ts";
import { plainChatCompat } from "../../src/adapters/providers/openai-chat/compat.ts";
import { assemble, assembledMessage, emptyAssembly } from "../../src/core/model/assemble.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import { recordedStreams, recordingsFolder, type RecordedStream } from "./recordings.ts";
import { replay } from "./replay.ts";
import { seededRandom } from "./seeded-random.ts";

/** Recordings of replies that the provider itself broke off with an error, and the class of that error. */
const brokenByTheProvider: Readonly<Record<string, string>> = {
  // The model's call did not fit the tool's schema and Groq ended the stream with an error event.
  "602d39217d1c": "invalid-request",
  // The server ran out of context in mid-sentence and wrote an `error:` line.
  ce51379f7d30: "context-length",
};

const cutsEach = process.env["HEDDLE_TORTURE"] === undefined ? 5 : 20;
const anthropic = anthropicCodec(claudeCompat("claude-opus-4-8"));
const chat = chatCodec(plainChatCompat);

function decode(row: RecordedStream, cuts: readonly number[]): readonly (readonly StreamPart[])[] {
  const bytes = new TextEncoder().encode(row.body);
  return row.api === "anthropic" ? replay(anthropic, bytes, cuts) : replay(chat, bytes, cuts);
}

function outcome(row: RecordedStream, cuts: readonly number[]): unknown {
  const origin = { api: row.api, provider: row.host, model: "recorded" };
  return decode(row, cuts).map((parts) => {
    const assembly = parts.reduce(assemble, emptyAssembly);
    return { end: assembly.end, message: assembledMessage(assembly, origin) };
  });
}

describe.skipIf(recordingsFolder === null)("recorded streams", () => {
  const rows = recordedStreams().filter((row) => row.api === "anthropic" || row.api === "chat");

  test("there are as many as the data's description says", () => {
    expect(rows.filter((row) => row.api === "anthropic")).toHaveLength(202);
    expect(rows.filter((row) => row.api === "chat")).toHaveLength(405);
  });

  test("every one decodes to the end that its provider gave it", () => {
    for (const row of rows) {
      for (const parts of decode(row, [])) {
        const last = parts.at(-1);
        const expected = brokenByTheProvider[row.id];
        const seen = last?.type === "failed" ? last.failure.class : last?.type;
        expect(`${row.id} ${seen}`).toBe(`${row.id} ${expected ?? "finished"}`);
      }
    }
  });

  test("blocks open before they grow, close once, and are numbered in order of arrival", () => {
    for (const row of rows) {
      for (const parts of decode(row, [])) expect(`${row.id} ${disorder(parts)}`).toBe(`${row.id} in order`);
    }
  });

  test("every reply that counted output tokens has something in it, unless they ran out", () => {
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

  test(`random cuts of the bytes change nothing (${cutsEach} each)`, () => {
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
