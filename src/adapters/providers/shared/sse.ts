import { createParser, ParseError } from "eventsource-parser";

/** One server-sent event. */
export interface SseEvent {
  readonly event?: string;
  readonly data: string;
}

/** Longest event or line that is buffered, in UTF-16 units. */
const sseBufferMax = 10 * 1024 * 1024;

/** Splits a byte stream into server-sent events, wherever the chunks are cut. Stateful; one per reply. */
export interface SseReader {
  push(bytes: Uint8Array): readonly SseEvent[];
  /** Returns the events that the end of the stream completes. */
  end(): readonly SseEvent[];
  /** True once a line or event exceeded the bound; nothing more is read then. */
  readonly overflowed: boolean;
}

export function createSseReader(bufferMax: number = sseBufferMax): SseReader {
  const textOf = createTextReader();
  let lines: LineReader | undefined;
  /** Whether what was read ends with a whole event, so that the next text begins one. */
  let isBetween = true;
  let hasPassed = false;
  // The parser may drop the beginning of a line with an unknown field, so it gets whole lines only.
  let unfinished = "";
  let overflowed = false;
  const feed = (text: string): readonly SseEvent[] => {
    if (text === "" || overflowed) return [];
    const lone = isBetween && text.length <= bufferMax ? loneEvent(text) : undefined;
    if (lone !== undefined) {
      hasPassed = true;
      return [lone];
    }
    isBetween = text.endsWith("\n\n") || text.endsWith("\r\n\r\n") || (isBetween && text === "\n");
    // A byte order mark counts at the very beginning alone.
    lines ??= createLineReader(bufferMax, hasPassed ? "\n" : "");
    const events = lines.read(text);
    overflowed = lines.overflowed;
    return events;
  };
  const push = (text: string): readonly SseEvent[] => {
    // Most servers send whole events, one at a time.
    if (unfinished === "" && text.charCodeAt(text.length - 1) === 10) return feed(text);
    // Lines that end in a lone carriage return are rare, and looking for one takes longer than all the rest.
    const newLine = text.lastIndexOf("\n");
    const lineEnd = (newLine === -1 ? text.lastIndexOf("\r") : newLine) + 1;
    if (lineEnd === 0) {
      unfinished += text;
      if (unfinished.length > bufferMax) overflowed = true;
      return [];
    }
    const whole = unfinished + text.slice(0, lineEnd);
    unfinished = text.slice(lineEnd);
    return feed(whole);
  };
  return {
    push: (bytes) => push(textOf(bytes)),
    // Servers that close right after the last line omit the blank line that ends its event.
    end: () => push(`${textOf(null)}\n\n`),
    get overflowed() {
      return overflowed;
    },
  };
}

/**
 * Reads a text that is one event, with a name or without, and with one line of data, as nearly all are; undefined for any
 * other. Cutting it here takes half as long as with the parser, which must be ready for everything.
 */
function loneEvent(text: string): SseEvent | undefined {
  const isCrLf = text.charCodeAt(text.length - 2) === 13;
  const end = text.length - (isCrLf ? 4 : 2);
  let from = 0;
  let event: string | undefined;
  if (text.startsWith("event: ")) {
    const nameEnd = lineEnd(text, 0, isCrLf);
    if (nameEnd <= 7) return undefined;
    event = text.slice(7, nameEnd);
    from = nameEnd + (isCrLf ? 2 : 1);
  }
  if (!text.startsWith("data:", from) || lineEnd(text, from, isCrLf) !== end) return undefined;
  if (isCrLf ? !text.endsWith("\r\n\r\n") : text.charCodeAt(end + 1) !== 10) return undefined;
  const data = text.slice(from + (text.charCodeAt(from + 5) === 32 ? 6 : 5), end);
  return event === undefined ? { data } : { event, data };
}

/** Where a line ends; -1 if not in the way that is asked for. */
function lineEnd(text: string, from: number, isCrLf: boolean): number {
  const lineFeed = text.indexOf("\n", from);
  const carriageReturn = text.indexOf("\r", from);
  if (isCrLf) return carriageReturn + 1 === lineFeed ? carriageReturn : -1;
  return carriageReturn === -1 ? lineFeed : -1;
}

interface LineReader {
  read(lines: string): readonly SseEvent[];
  readonly overflowed: boolean;
}

function createLineReader(bufferMax: number, before: string): LineReader {
  let events: SseEvent[] = [];
  let overflowed = false;
  const parser = createParser({
    maxBufferSize: bufferMax,
    onEvent: ({ event, data }) => events.push(event === undefined ? { data } : { event, data }),
    onError: (problem) => {
      if (!(problem instanceof ParseError)) return;
      if (problem.type === "max-buffer-size-exceeded") overflowed = true;
      // llama.cpp and servers built on it write a failure as a line `error: {…}` instead of a data line.
      if (problem.type === "unknown-field" && problem.field === "error" && problem.value !== undefined) {
        events.push({ event: "error", data: problem.value });
      }
    },
  });
  parser.feed(before);
  return {
    read(lines) {
      events = [];
      try {
        parser.feed(lines);
      } catch (problem) {
        // After an overflow the parser throws on further input.
        if (!(problem instanceof ParseError)) throw problem;
        overflowed = true;
      }
      return events;
    },
    get overflowed() {
      return overflowed;
    },
  };
}

/** Decodes bytes that begin and end between two characters. The parser leaves out a byte order mark. */
const wholeText = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Returns a function that gives the text of each piece of a stream, and for null what is left. Most pieces end with a line:
 * decoding such a piece by itself is twice as fast as with a memory for cut characters.
 */
function createTextReader(): (bytes: Uint8Array | null) => string {
  let decoder: TextDecoder | undefined;
  let isCut = false;
  return (bytes) => {
    if (bytes === null) return decoder?.decode() ?? "";
    const last = bytes[bytes.length - 1];
    if (last === undefined) return "";
    const endsWhole = last < 0x80;
    if (endsWhole && !isCut) return wholeText.decode(bytes);
    decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
    isCut = !endsWhole;
    return decoder.decode(bytes, { stream: true });
  };
}
