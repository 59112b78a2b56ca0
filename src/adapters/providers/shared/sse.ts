import { createParser, type EventSourceMessage, type EventSourceParser, ParseError } from "eventsource-parser";

/** One server-sent event. */
export interface SseEvent {
  readonly event?: string;
  readonly data: string;
}

/** Longest event or line that is buffered, in UTF-16 units. */
const sseBufferMax = 10 * 1024 * 1024;

/**
 * Splits a byte stream into server-sent events, wherever the chunks are cut. Stateful; one per reply. A class, and none of its
 * functions are made for each reply: those of an object literal are placed among what lives long, and with them what they see
 * outlives its reply until the next whole collection.
 */
export class SseReader {
  readonly #bufferMax: number;
  readonly #text = new TextReader();
  #lines: LineReader | undefined;
  /** Whether what was read ends with a whole event, so that the next text begins one. */
  #isBetween = true;
  #hasPassed = false;
  // The parser may drop the beginning of a line with an unknown field, so it gets whole lines only.
  #unfinished = "";
  #overflowed = false;

  constructor(bufferMax: number = sseBufferMax) {
    this.#bufferMax = bufferMax;
  }

  /** True once a line or event exceeded the bound; nothing more is read then. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  push(bytes: Uint8Array): readonly SseEvent[] {
    return this.#push(this.#text.textOf(bytes));
  }

  /** Returns the events that the end of the stream completes. */
  end(): readonly SseEvent[] {
    const rest = this.#text.rest();
    if (this.#isBetween && this.#unfinished === "" && rest === "") return noEvents;
    // Servers that close right after the last line omit the blank line that ends its event.
    return this.#push(`${rest}\n\n`);
  }

  #push(text: string): readonly SseEvent[] {
    // Most servers send whole events, one at a time.
    if (this.#unfinished === "" && text.charCodeAt(text.length - 1) === 10) return this.#feed(text);
    // Lines that end in a lone carriage return are rare, and looking for one takes longer than all the rest.
    const newLine = text.lastIndexOf("\n");
    const lineEnd = (newLine === -1 ? text.lastIndexOf("\r") : newLine) + 1;
    if (lineEnd === 0) {
      this.#unfinished += text;
      if (this.#unfinished.length > this.#bufferMax) this.#overflowed = true;
      return noEvents;
    }
    const whole = this.#unfinished + text.slice(0, lineEnd);
    this.#unfinished = text.slice(lineEnd);
    return this.#feed(whole);
  }

  #feed(text: string): readonly SseEvent[] {
    if (text === "" || this.#overflowed) return noEvents;
    const lone = this.#isBetween && text.length <= this.#bufferMax ? loneEvent(text) : undefined;
    if (lone !== undefined) {
      this.#hasPassed = true;
      return [lone];
    }
    this.#isBetween = text.endsWith("\n\n") || text.endsWith("\r\n\r\n") || (this.#isBetween && text === "\n");
    // A byte order mark counts at the very beginning alone.
    this.#lines ??= new LineReader(this.#bufferMax, this.#hasPassed ? "\n" : "");
    const events = this.#lines.read(text);
    this.#overflowed = this.#lines.overflowed;
    return events;
  }
}

const noEvents: readonly SseEvent[] = [];

/**
 * Reads a text that is one event, with a name or without, and with one line of data, as nearly all are; undefined for any
 * other. Cutting it here takes half as long as with the parser, which must be ready for everything.
 */
function loneEvent(text: string): SseEvent | undefined {
  const isCrLf = text.charCodeAt(text.length - 2) === 13;
  if (!isCrLf && text.includes("\r")) return undefined;
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

/** Where a line ends; -1 where not with both characters although it should. */
function lineEnd(text: string, from: number, isCrLf: boolean): number {
  const lineFeed = text.indexOf("\n", from);
  if (!isCrLf) return lineFeed;
  const carriageReturn = text.indexOf("\r", from);
  return carriageReturn + 1 === lineFeed ? carriageReturn : -1;
}

/** Reads lines with the parser, which must be ready for everything. */
class LineReader {
  readonly #parser: EventSourceParser;
  #events: SseEvent[] = [];
  #overflowed = false;

  constructor(bufferMax: number, before: string) {
    const onEvent = ({ event, data }: EventSourceMessage): void => {
      this.#events.push(event === undefined ? { data } : { event, data });
    };
    const onError = (problem: ParseError): void => this.#report(problem);
    this.#parser = createParser({ maxBufferSize: bufferMax, onEvent, onError });
    this.#parser.feed(before);
  }

  get overflowed(): boolean {
    return this.#overflowed;
  }

  read(lines: string): readonly SseEvent[] {
    this.#events = [];
    try {
      this.#parser.feed(lines);
    } catch (problem) {
      // After an overflow the parser throws on further input.
      if (!(problem instanceof ParseError)) throw problem;
      this.#overflowed = true;
    }
    return this.#events;
  }

  #report(problem: ParseError): void {
    if (!(problem instanceof ParseError)) return;
    if (problem.type === "max-buffer-size-exceeded") this.#overflowed = true;
    // llama.cpp and servers built on it write a failure as a line `error: {…}` instead of a data line.
    if (problem.type === "unknown-field" && problem.field === "error" && problem.value !== undefined) {
      this.#events.push({ event: "error", data: problem.value });
    }
  }
}

/** Decodes bytes that begin and end between two characters. The parser leaves out a byte order mark. */
const wholeText = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Gives the text of each piece of a stream. Most pieces end with a line: decoding such a piece by itself is twice as fast
 * as with a memory for cut characters.
 */
class TextReader {
  #decoder: TextDecoder | undefined;
  #isCut = false;

  textOf(bytes: Uint8Array): string {
    const last = bytes[bytes.length - 1];
    if (last === undefined) return "";
    const endsWhole = last < 0x80;
    if (endsWhole && !this.#isCut) return wholeText.decode(bytes);
    this.#decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
    this.#isCut = !endsWhole;
    return this.#decoder.decode(bytes, { stream: true });
  }

  /** Returns the text of what is left of a cut character. */
  rest(): string {
    return this.#decoder?.decode() ?? "";
  }
}
