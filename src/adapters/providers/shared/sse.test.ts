import { describe, expect, test } from "vitest";
import { createSseReader, type SseEvent } from "./sse.ts";

function read(bytes: Uint8Array, cuts: readonly number[], bufferMax?: number): readonly SseEvent[] {
  const reader = createSseReader(bufferMax);
  const events: SseEvent[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    events.push(...reader.push(bytes.subarray(from, cut)));
    from = cut;
  }
  return [...events, ...reader.end()];
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

  test("a line beyond the bound ends the reading and is not buffered", () => {
    const reader = createSseReader(1000);
    reader.push(new TextEncoder().encode(`data: ${"x".repeat(600)}`));
    expect(reader.overflowed).toBe(false);
    reader.push(new TextEncoder().encode("x".repeat(600)));
    expect(reader.overflowed).toBe(true);
    expect(reader.push(new TextEncoder().encode("\n\ndata: 1\n\n"))).toEqual([]);
  });
});
