/** Space for a format byte and a length before a framed body. */
const headRoom = 6;
/** Typed arrays up to this size are cheaper to allocate and fill in a loop. */
const smallMax = 64;
/** A text up to this length is encoded faster here than by the platform. */
const longText = 256;

/** Binary records: varints of 7 bits per byte, UTF-8 text, and a checksum over everything. Grows as needed. */
export class ByteWriter {
  private buffer = new Uint8Array(256);
  length = 0;

  /** Begins the body of a record; `frame` ends it. */
  beginBody(): void {
    this.length = headRoom;
  }

  /** Writes the format byte and the length before the body and the checksum after it; returns the record. */
  frame(format: number, checksum: Checksum): Uint8Array {
    const bodyLength = this.length - headRoom;
    const start = headRoom - 1 - varintSize(bodyLength);
    const end = this.length;
    this.length = start;
    this.byte(format);
    this.varint(bodyLength);
    this.length = end;
    this.sum(checksum(this.buffer, start, end));
    return this.copy(start);
  }

  byte(value: number): void {
    if (this.length === this.buffer.length) this.reserve(1);
    this.buffer[this.length] = value;
    this.length += 1;
  }

  /** Writes a whole number from 0 to 2^53 - 1. */
  varint(value: number): void {
    if (value < 128) {
      this.byte(value);
      return;
    }
    this.reserve(8);
    this.length = putVarint(this.buffer, this.length, value);
  }

  /** Writes a signed whole number of magnitude below 2^30. */
  signed(value: number): void {
    this.varint(value < 0 ? -value * 2 - 1 : value * 2);
  }

  /** Writes well-formed text, preceded by its length in bytes. */
  text(text: string): void {
    const bytes = utf8Length(text);
    this.varint(bytes);
    this.reserve(bytes);
    this.length = putText(this.buffer, this.length, text);
  }

  /** Writes well-formed text without its length. */
  utf8(text: string): void {
    this.reserve(utf8Length(text));
    this.length = putText(this.buffer, this.length, text);
  }

  /** Writes four bytes. */
  sum(value: number): void {
    this.reserve(4);
    putSum(this.buffer, this.length, value);
    this.length += 4;
  }

  /** Returns the written bytes themselves, for use before anything else is written. */
  written(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  private copy(from: number): Uint8Array {
    const { buffer, length } = this;
    if (length - from > smallMax) return buffer.slice(from, length);
    const copy = new Uint8Array(length - from);
    for (let at = from; at < length; at += 1) copy[at - from] = buffer[at] as number;
    return copy;
  }

  private reserve(count: number): void {
    if (this.length + count <= this.buffer.length) return;
    const grown = new Uint8Array(Math.max(this.buffer.length * 2, this.length + count));
    grown.set(this.buffer.subarray(0, this.length));
    this.buffer = grown;
  }
}

/**
 * The UTF-8 of many well-formed texts, in parts: a long text is a part of its own, so that a history of large pastes is not
 * copied again each time a buffer grows.
 */
export class TextParts {
  private readonly encodeText: ((text: string) => Uint8Array) | undefined;
  private readonly parts: Uint8Array[] = [];
  private short = new ByteWriter();

  /** `encodeText` is the platform's UTF-8 encoder, which is faster for long texts. */
  constructor(encodeText?: (text: string) => Uint8Array) {
    this.encodeText = encodeText;
  }

  add(text: string): void {
    if (this.encodeText === undefined || text.length <= longText) {
      this.short.utf8(text);
      return;
    }
    this.end().push(this.encodeText(text));
  }

  /** Returns the parts, whose concatenation is the UTF-8 of all texts. */
  end(): Uint8Array[] {
    this.parts.push(this.short.written());
    this.short = new ByteWriter();
    return this.parts;
  }
}

/** Returns the number of bytes of all parts. */
export function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** Bytes that are copied in one step at least: a few milliseconds where the memory is new. */
const stepBytes = 1 << 20;

/** Concatenates parts, in one copy that is made in steps of some parts each. */
export function* joinInSteps(parts: readonly Uint8Array[]): Generator<undefined, Uint8Array, undefined> {
  const joined = new Uint8Array(lengthOf(parts));
  let at = 0;
  let nextStep = stepBytes;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
    if (at < nextStep) continue;
    nextStep = at + stepBytes;
    yield;
  }
  return joined;
}

type Checksum = (bytes: Uint8Array, from: number, to: number) => number;

/** Returns the number of bytes that `putVarint` writes. */
export function varintSize(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x20_0000) return 3;
  let size = 4;
  for (let limit = 0x1000_0000; value >= limit; limit *= 128) size += 1;
  return size;
}

/** Writes a whole number from 0 to 2^53 - 1 into bytes with enough room; returns the end offset. */
export function putVarint(bytes: Uint8Array, at: number, value: number): number {
  if (value < 0x80) {
    bytes[at] = value;
    return at + 1;
  }
  let to = at;
  let rest = value;
  while (rest >= 0x8000_0000) {
    bytes[to] = (rest % 128) | 128;
    to += 1;
    rest = Math.floor(rest / 128);
  }
  while (rest > 127) {
    bytes[to] = (rest & 127) | 128;
    to += 1;
    rest >>>= 7;
  }
  bytes[to] = rest;
  return to + 1;
}

/** Writes well-formed text as UTF-8 into bytes with enough room; returns the end offset. */
export function putText(bytes: Uint8Array, at: number, text: string): number {
  let to = at;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) {
      bytes[to] = unit;
      to += 1;
    } else if (unit < 0x800) {
      bytes[to] = 0xc0 | (unit >> 6);
      bytes[to + 1] = 0x80 | (unit & 63);
      to += 2;
    } else if (unit >= 0xd800 && unit < 0xe000) {
      i += 1;
      const point = 0x10000 + ((unit & 0x3ff) << 10) + (text.charCodeAt(i) & 0x3ff);
      bytes[to] = 0xf0 | (point >> 18);
      bytes[to + 1] = 0x80 | ((point >> 12) & 63);
      bytes[to + 2] = 0x80 | ((point >> 6) & 63);
      bytes[to + 3] = 0x80 | (point & 63);
      to += 4;
    } else {
      bytes[to] = 0xe0 | (unit >> 12);
      bytes[to + 1] = 0x80 | ((unit >> 6) & 63);
      bytes[to + 2] = 0x80 | (unit & 63);
      to += 3;
    }
  }
  return to;
}

/** Writes a checksum of four bytes. */
export function putSum(bytes: Uint8Array, at: number, sum: number): void {
  bytes[at] = sum;
  bytes[at + 1] = sum >>> 8;
  bytes[at + 2] = sum >>> 16;
  bytes[at + 3] = sum >>> 24;
}

/** Thrown by a reader and caught by the decoder around it: the bytes are malformed. */
export class MalformedBytes extends Error {
  override readonly name = "MalformedBytes";
}

/** Reads the output of `ByteWriter`; throws `MalformedBytes` and never reads past `end`. */
export class ByteReader {
  /**
   * Keeps one reader alive. Most readers are short-lived, and V8 discards the code compiled for a class when its last object
   * is collected.
   */
  static readonly lasting = new ByteReader(new Uint8Array(), 0, 0);
  private readonly buffer: Uint8Array;
  at: number;
  readonly end: number;

  constructor(buffer: Uint8Array, at: number, end: number) {
    this.buffer = buffer;
    this.at = at;
    this.end = end;
  }

  byte(): number {
    if (this.at >= this.end) throw new MalformedBytes("ends too early");
    const value = this.buffer[this.at] as number;
    this.at += 1;
    return value;
  }

  /** Reads a whole number below `limit`, which is at most 2^31. */
  varint(limit = 2 ** 31): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 5; i += 1) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) {
        if (value >= limit) throw new MalformedBytes("a number is too large");
        if (byte === 0 && i > 0) throw new MalformedBytes("a number is longer than it needs to be");
        return value;
      }
      scale *= 128;
    }
    throw new MalformedBytes("a number is too large");
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Reads four bytes. */
  sum(): number {
    let sum = 0;
    for (let shift = 0; shift < 32; shift += 8) sum |= this.byte() << shift;
    return sum >>> 0;
  }

  text(): string {
    const bytes = this.varint();
    const to = this.at + bytes;
    if (to > this.end) throw new MalformedBytes("text is longer than what follows");
    const text = decodeUtf8(this.buffer, this.at, to);
    this.at = to;
    return text;
  }
}

/** Reads well-formed UTF-8 text of a number of bytes. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes;
}

const asciiPiece = 4096;

/** Decodes UTF-8 text from bytes [from, to); throws `MalformedBytes` when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  let at = from;
  while (at < to) {
    const start = at;
    const stop = Math.min(to, at + asciiPiece);
    while (at < stop && (bytes[at] as number) < 0x80) at += 1;
    if (at - start < 8) for (let i = start; i < at; i += 1) text += String.fromCharCode(bytes[i] as number);
    else text += fromUnits(bytes.subarray(start, at));
    if (at === stop) continue;
    const units: number[] = [];
    while (at < to && units.length < asciiPiece) {
      const lead = bytes[at] as number;
      if (lead < 0x80) {
        units.push(lead);
        at += 1;
        continue;
      }
      const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
      if (lead < 0xc2 || lead > 0xf4 || at + length > to) throw new MalformedBytes("text is not UTF-8");
      let point = lead & (0x7f >> length);
      for (let i = 1; i < length; i += 1) {
        const next = bytes[at + i] as number;
        if ((next & 0xc0) !== 0x80) throw new MalformedBytes("text is not UTF-8");
        point = (point << 6) | (next & 63);
      }
      const least = length === 4 ? 0x10000 : length === 3 ? 0x800 : 0x80;
      if (point < least || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) {
        throw new MalformedBytes("text is not UTF-8");
      }
      if (point < 0x10000) units.push(point);
      else units.push(0xd800 + ((point - 0x10000) >> 10), 0xdc00 + ((point - 0x10000) & 0x3ff));
      at += length;
    }
    text += fromUnits(units);
  }
  return text;
}

function fromUnits(units: ArrayLike<number>): string {
  return String(Reflect.apply(String.fromCharCode, undefined, units));
}

/** Four tables, so that one step handles four bytes: table n has the effect of a byte n bytes later. */
const crcTables = new Uint32Array(4 * 256);
for (let index = 0; index < 256; index += 1) {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  crcTables[index] = value;
}
for (let at = 256; at < 1024; at += 1) {
  const before = crcTables[at - 256] as number;
  crcTables[at] = (before >>> 8) ^ (crcTables[before & 255] as number);
}

/** Computes the CRC-32 (IEEE) of bytes [from, to). */
export function crc32(bytes: Uint8Array, from: number, to: number): number {
  const tables = crcTables;
  let crc = -1;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    crc =
      (tables[768 + ((crc ^ (bytes[at] as number)) & 255)] as number) ^
      (tables[512 + (((crc >>> 8) ^ (bytes[at + 1] as number)) & 255)] as number) ^
      (tables[256 + (((crc >>> 16) ^ (bytes[at + 2] as number)) & 255)] as number) ^
      (tables[(crc >>> 24) ^ (bytes[at + 3] as number)] as number);
  }
  for (; at < to; at += 1) crc = (crc >>> 8) ^ (tables[(crc ^ (bytes[at] as number)) & 255] as number);
  return ~crc >>> 0;
}

const laneFactor = 0x85ebca6b | 0;

/**
 * A checksum of bytes [from, to) for long records: two lanes alternate over groups of four bytes, with one multiplication
 * per eight groups. Each step maps the states of a lane one to one, and so does the step that joins the lanes: a change
 * within one group is always detected.
 */
export function laneSum(bytes: Uint8Array, from: number, to: number): number {
  const length = to - from;
  let a = 0x1e3779b9 ^ length;
  let b = 0x3f4a7c15;
  let at = from;
  if (length >= 64) {
    const v = new DataView(bytes.buffer, bytes.byteOffset + from, length);
    let i = 0;
    for (const end = length - 64; i <= end; i += 64) {
      a = ((Math.imul(a ^ v.getInt32(i, true), laneFactor) + v.getInt32(i + 8, true)) ^ v.getInt32(i + 16, true)) | 0;
      a = (((a + v.getInt32(i + 24, true)) ^ v.getInt32(i + 32, true)) + v.getInt32(i + 40, true)) | 0;
      a = turned(((a ^ v.getInt32(i + 48, true)) + v.getInt32(i + 56, true)) | 0);
      b =
        ((Math.imul(b ^ v.getInt32(i + 4, true), laneFactor) + v.getInt32(i + 12, true)) ^ v.getInt32(i + 20, true)) |
        0;
      b = (((b + v.getInt32(i + 28, true)) ^ v.getInt32(i + 36, true)) + v.getInt32(i + 44, true)) | 0;
      b = turned(((b ^ v.getInt32(i + 52, true)) + v.getInt32(i + 60, true)) | 0);
    }
    at += i;
  }
  for (; at < to; at += 1) a = turned(Math.imul(a ^ (bytes[at] as number), laneFactor));
  a = turned(Math.imul(a ^ b, laneFactor));
  return (a ^ (a >>> 15)) >>> 0;
}

function turned(value: number): number {
  return (value << 13) | (value >>> 19);
}
