import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { SseReader, type SseEvent } from "./sse.ts";

function read(bytes: Uint8Array, cuts: readonly number[], bufferMax?: number): readonly SseEvent[] {
  const reader = new SseReader(bufferMax);
  const events: SseEvent[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    events.push(...reader.push(bytes.subarray(from, cut)));
    from = cut;
  }
  return [...events, ...reader.end()];
}

/** The events of a whole text as the parser gives them by itself. */
function parsed(text: string): readonly SseEvent[] {
  const events: SseEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => events.push(event === undefined ? { data } : { event, data }),
  });
  parser.feed(`${text}\n\n`);
  return events;
}

const streams: readonly (readonly [string, string, readonly SseEvent[]])[] = [
  ["named events", "event: a\ndata: 1\n\ndata: 2\n\n", [{ event: "a", data: "1" }, { data: "2" }]],
  ["CR LF", "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", [{ event: "a", data: "1" }, { data: "2" }]],
  ["lone CR", "data: 1\r\rdata: 2\r\r", [{ data: "1" }, { data: "2" }]],
  ["several data lines", "data: 1\ndata: 2\n\n", [{ data: "1\n2" }]],
  ["a byte order mark, comments, other fields", "\uFEFF: hello\nid: 4\nretry: 9\ndata:x\n\n", [{ data: "x" }]],
  ["characters of two to four bytes", 'data: {"t":"é世😀"}\n\n', [{ data: '{"t":"é世😀"}' }]],
  [
    "an error line",
    'data: 1\n\nerror: {"message":"out of context"}\n\n',
    [{ data: "1" }, { event: "error", data: '{"message":"out of context"}' }],
  ],
  ["no blank line at the end", "data: 1\n\ndata: [DONE]", [{ data: "1" }, { data: "[DONE]" }]],
  ["nothing", "", []],
];

describe("server-sent events", () => {
  test.each(streams)("S-45 %s, cut at every byte", (_name, text, expected) => {
    const bytes = new TextEncoder().encode(text);
    expect(read(bytes, [])).toEqual(expected);
    for (let cut = 1; cut < bytes.length; cut += 1) expect(read(bytes, [cut])).toEqual(expected);
    expect(read(bytes, [...bytes.keys()])).toEqual(expected);
  });

  test("S-45 events that come alone are those that the parser cuts, in any order with others and under any cut", () => {
    const piece = fc.constantFrom(
      "data: 1\n\n",
      'event: a\ndata: {"t":"é😀"}\n\n',
      "event: b\r\ndata:2\r\n\r\n",
      "event: \ndata: 3\n\n",
      "event:c\ndata: 4\n\n",
      "data:  5\rx\n\n",
      "data: 6\r\n\n",
      "data: 7\n\r\n",
      "data\n\n",
      "event: d\n",
      "data: 8\n",
      "id: 9\n",
      ": c\n\n",
      "\n",
      "\r\n",
      "\uFEFF",
      "data: \uFEFF\n\n",
      "event: e\n\n",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.array(fc.nat(120), { maxLength: 4 }), (pieces, at) => {
        const text = pieces.join("");
        const bytes = new TextEncoder().encode(text);
        const ends = pieces.map((_, n) => new TextEncoder().encode(pieces.slice(0, n + 1).join("")).length);
        const cuts = at.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b);
        const expected = parsed(text);
        expect(read(bytes, [])).toEqual(expected);
        expect(read(bytes, ends)).toEqual(expected);
        expect(read(bytes, cuts)).toEqual(expected);
      }),
      { numRuns: scaled(500) },
    );
  });

  test("a line beyond the bound ends the reading and is not buffered", () => {
    const reader = new SseReader(1000);
    reader.push(new TextEncoder().encode(`data: ${"x".repeat(600)}`));
    expect(reader.overflowed).toBe(false);
    reader.push(new TextEncoder().encode("x".repeat(600)));
    expect(reader.overflowed).toBe(true);
    expect(reader.push(new TextEncoder().encode("\n\ndata: 1\n\n"))).toEqual([]);
  });
});
