import { createParser } from "eventsource-parser";
import { createSseReader } from "../../src/adapters/providers/shared/sse.ts";
import { decoderFor } from "../../test/providers/recorded-codecs.ts";
import type { RecordedStream } from "../../test/providers/recordings.ts";

/** A recorded stream in the pieces it arrives in. */
export interface ArrivingStream {
  readonly api: string;
  readonly body: string;
  readonly pieces: readonly Uint8Array[];
}

/** Cuts streams behind every event, as servers send them. */
export function byEvent(rows: readonly RecordedStream[]): readonly ArrivingStream[] {
  return rows.map(({ api, body }) => ({
    api,
    body,
    pieces: body.split(/(?<=\r?\n\r?\n)/u).map((event) => new TextEncoder().encode(event)),
  }));
}

/** Cuts streams into pieces of one size, as a fast network or a file gives them. */
export function bySize(rows: readonly RecordedStream[], size: number): readonly ArrivingStream[] {
  return rows.map(({ api, body }) => {
    const bytes = new TextEncoder().encode(body);
    const count = Math.ceil(bytes.length / size);
    return { api, body, pieces: Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size)) };
  });
}

/** The limit: bytes to text to events, without reading them. */
export function parserAlone(streams: readonly ArrivingStream[]): number {
  let units = 0;
  for (const { pieces } of streams) {
    const text = new TextDecoder();
    const parser = createParser({ onEvent: ({ data }) => (units += data.length) });
    for (const piece of pieces) parser.feed(text.decode(piece, { stream: true }));
  }
  return units;
}

/** The same with each event's JSON parsed: the minimum for a decoder that looks at every event. */
export function parserAndJson(streams: readonly ArrivingStream[]): number {
  let events = 0;
  for (const { pieces } of streams) {
    const text = new TextDecoder();
    const parser = createParser({
      onEvent: ({ data }) => {
        if (data.startsWith("{") && isJson(data)) events += 1;
      },
    });
    for (const piece of pieces) parser.feed(text.decode(piece, { stream: true }));
  }
  return events;
}

function isJson(data: string): boolean {
  try {
    return JSON.parse(data) !== undefined;
  } catch {
    return false;
  }
}

/** Bytes to parts of replies, as the pipe decodes them. */
export function heddleDecoding(streams: readonly ArrivingStream[]): number {
  let parts = 0;
  for (const { api, pieces } of streams) {
    const reader = createSseReader();
    const decoder = decoderFor(api).start();
    for (const piece of pieces) for (const event of reader.push(piece)) parts += decoder.push(event).length;
    for (const event of reader.end()) parts += decoder.push(event).length;
    parts += decoder.end().length;
  }
  return parts;
}
