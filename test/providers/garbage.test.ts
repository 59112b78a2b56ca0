import { describe, expect, test } from "vitest";
import { parseJson } from "../../src/adapters/providers/shared/json-read.ts";
import { failureOfEvent, failureOfReply, isErrorBody } from "../../src/adapters/providers/shared/errors.ts";
import { SseReader, type SseEvent } from "../../src/adapters/providers/shared/sse.ts";
import { isJsonObject, type Json } from "../../src/core/base/json.ts";
import { assemble, assembledMessage, emptyAssembly } from "../../src/core/model/assemble.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import { scaled } from "../scale.ts";
import { decoderFor } from "./recorded-codecs.ts";
import { recordedErrors, recordedReplies, recordedRequests, recordedStreams, recordingsFolder } from "./recordings.ts";
import { replyReaders } from "./reply-readers.ts";
import { rewritten } from "./rewritten.ts";
import { seededRandom } from "./seeded-random.ts";

type Random = (below: number) => number;

const odd: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1e300,
  "",
  " ",
  "x",
  "[DONE]",
  [],
  {},
  [null],
  [[]],
  { type: "error" },
  "\ud800",
];

/** A value in which some parts are replaced by unexpected ones, or removed. */
function bent(value: Json, random: Random): Json {
  if (random(12) === 0) return odd[random(odd.length)] ?? null;
  if (Array.isArray(value)) return value.flatMap((each: Json) => (random(20) === 0 ? [] : [bent(each, random)]));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]) => (random(20) === 0 ? [] : [[key, bent(field, random)]])),
  );
}

function bentText(text: string, random: Random): string {
  const json = parseJson(text);
  if (json === undefined || random(30) === 0) return text.slice(0, random(text.length + 1));
  return JSON.stringify(bent(json as Json, random));
}

/** Checks the rules that every reader of a stream relies on. */
function orderly(parts: readonly StreamPart[]): string {
  const open = new Set<number>();
  const seen = new Set<number>();
  for (const [at, part] of parts.entries()) {
    if (part.type === "finished" || part.type === "failed")
      return at === parts.length - 1 ? "ended" : "more after its end";
    if (!("index" in part)) continue;
    if (part.type.endsWith("-start")) {
      if (seen.has(part.index)) return `${part.index} opens twice`;
      open.add(part.index);
    } else if (part.type.endsWith("-delta") && !open.has(part.index)) return `${part.index} grows while it is closed`;
    else if (part.type.endsWith("-end") && !open.delete(part.index)) return `${part.index} ends while it is closed`;
    seen.add(part.index);
  }
  return "no end";
}

describe.skipIf(recordingsFolder === null)("garbage from a provider", () => {
  test("in a stream gives ordered parts and one end, whatever it is", () => {
    const rounds = scaled(2);
    for (const [at, row] of recordedStreams().entries()) {
      const reader = new SseReader();
      const events = [...reader.push(new TextEncoder().encode(row.body)), ...reader.end()].slice(0, 120);
      for (let round = 0; round < rounds; round += 1) {
        const random = seededRandom(at * 100 + round);
        const decoder = decoderFor(row.api).start();
        const sent = events.flatMap((event): readonly SseEvent[] => {
          const wrong = { ...event, data: random(6) === 0 ? bentText(event.data, random) : event.data };
          return random(40) === 0 ? [] : random(40) === 0 ? [wrong, wrong] : [wrong];
        });
        const parts = [...sent.flatMap((event) => decoder.push(event)), ...decoder.end()];
        expect(`${row.id} ${round}: ${orderly(parts)}`).toBe(`${row.id} ${round}: ended`);
        assembledMessage(parts.reduce(assemble, emptyAssembly), { api: "a", provider: "p", model: "m" });
      }
    }
  }, 60_000);

  test("in one body gives ordered parts and one end", () => {
    for (const [at, row] of recordedReplies().entries()) {
      const read = replyReaders[row.api];
      if (read === undefined || at % 3 !== 0) continue;
      const parts = read(parseJson(bentText(row.body, seededRandom(at))));
      expect(`${at}: ${orderly(parts)}`).toBe(`${at}: ended`);
    }
  }, 60_000);

  test("as an error is a failure with a message", () => {
    for (const [at, row] of recordedErrors().entries()) {
      for (let round = 0; round < scaled(50); round += 1) {
        const body = bentText(row.body, seededRandom(at * 1000 + round));
        const failure = failureOfReply({ status: row.status, headers: new Headers(), body, nowMs: 0 });
        expect(failure.message.length).toBeGreaterThan(0);
        isErrorBody(parseJson(body));
        expect(failureOfEvent(parseJson(body)).message.length).toBeGreaterThan(0);
      }
    }
  });

  test("as a request is read and written without a crash", () => {
    for (const [at, row] of recordedRequests().entries()) {
      if (at % 2 === 0) rewritten({ ...row, req: bent(row.req as Json, seededRandom(at)) });
    }
  }, 60_000);
});
