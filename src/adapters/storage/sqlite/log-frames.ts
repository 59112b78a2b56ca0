import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { endianness } from "node:os";

// The file formats: https://www.sqlite.org/fileformat2.html#the_write_ahead_log, https://www.sqlite.org/walformat.html

export const logHeaderBytes = 32;
const frameHeaderBytes = 24;
const magicLittleEndian = 0x377f0682;
const magicBigEndian = 0x377f0683;

/** One page of a write-ahead log. */
export interface LogFrame {
  readonly pageNumber: number;
  /** The database's size in pages after a commit; 0 for a frame that no commit ends. */
  readonly databasePages: number;
  /** Its checksum fits the frame before it, as that frame gives its own. */
  readonly isWhole: boolean;
  /** Frames of the log's earlier rounds have other salts. */
  readonly isOfThisRound: boolean;
  /** Valid until the next frame is read. */
  readonly page: Buffer;
}

/** SQLite's size of a page, which Heddle never sets. */
const pageBytes = 4096;
const formatVersion = 3_007_000;
/** How often a log has begun anew at the most where its header is made again. */
const roundsMax = 2 ** 17;

/** Whether a write-ahead log begins as SQLite begins one. */
export function hasWholeHeader(log: string): boolean {
  const handle = openSync(log, "r");
  try {
    return readHeader(handle) !== null;
  } finally {
    closeSync(handle);
  }
}

/**
 * Returns how many frames SQLite last noted in the index of the log (`-shm`); null where the index is of another round, or
 * tells nothing. SQLite notes a commit there after the log is on the disk, so a log with fewer frames was cut.
 */
export function notedFrames(log: string, index: string): number | null {
  const head = Buffer.alloc(2 * indexHeaderBytes);
  const header = readBytes(log, Buffer.alloc(logHeaderBytes));
  if (header === null || readBytes(index, head) === null) return null;
  const [one, other] = [head.subarray(0, indexHeaderBytes), head.subarray(indexHeaderBytes)];
  const isNative = endianness() === "BE";
  if (!one.equals(other) || one[12] !== 1 || one.compare(header, 16, 24, 32, 40) !== 0) return null;
  const [first, second] = add([0, 0], one.subarray(0, 40), isNative);
  const number = (at: number): number => (isNative ? one.readUInt32BE(at) : one.readUInt32LE(at));
  return number(40) === first && number(44) === second ? number(16) : null;
}

const indexHeaderBytes = 48;

function readBytes(file: string, into: Buffer): Buffer | null {
  try {
    const handle = openSync(file, "r");
    try {
      return readSync(handle, into, 0, into.length, 0) === into.length ? into : null;
    } finally {
      closeSync(handle);
    }
  } catch {
    return null;
  }
}

/** Returns null for a header that is damaged. */
function readHeader(handle: number): Buffer | null {
  const header = Buffer.alloc(logHeaderBytes);
  if (readSync(handle, header, 0, logHeaderBytes, 0) < logHeaderBytes) return null;
  const magic = header.readUInt32BE(0);
  if (magic !== magicLittleEndian && magic !== magicBigEndian) return null;
  return isSum(add([0, 0], header.subarray(0, 24), magic === magicBigEndian), header, 24) ? header : null;
}

/**
 * Makes a damaged header again, from the first frame, which tells its salts, and by trying how often the log has begun anew.
 * Returns null where the first frame is damaged too.
 */
function madeAgain(handle: number): Buffer | null {
  const frame = Buffer.alloc(frameHeaderBytes + pageBytes);
  if (readSync(handle, frame, 0, frame.length, logHeaderBytes) < frame.length || frame.readUInt32BE(0) === 0)
    return null;
  const header = Buffer.alloc(logHeaderBytes);
  header.writeUInt32BE(formatVersion, 4);
  header.writeUInt32BE(pageBytes, 8);
  frame.copy(header, 16, 8, 16);
  for (const magic of [magicLittleEndian, magicBigEndian]) {
    const isBigEndian = magic === magicBigEndian;
    const words = wordsOf(Buffer.concat([frame.subarray(0, 8), frame.subarray(frameHeaderBytes)]), isBigEndian);
    header.writeUInt32BE(magic, 0);
    for (let round = 0; round < roundsMax; round += 1) {
      header.writeUInt32BE(round, 12);
      const sums = add([0, 0], header.subarray(0, 24), isBigEndian);
      if (!isSum(addWords(sums, words), frame, 16)) continue;
      header.writeUInt32BE(sums[0], 24);
      header.writeUInt32BE(sums[1], 28);
      return header;
    }
  }
  return null;
}

/** Reads the frames of a write-ahead log in order, also those behind a damaged one or a damaged header. */
export function* framesOf(log: string): Generator<LogFrame, void, undefined> {
  const handle = openSync(log, "r");
  try {
    const header = readHeader(handle) ?? madeAgain(handle);
    if (header === null) return;
    const frameBytes = frameHeaderBytes + header.readUInt32BE(8);
    const isBigEndian = header.readUInt32BE(0) === magicBigEndian;
    let sums: Sums = [header.readUInt32BE(24), header.readUInt32BE(28)];
    const frame = Buffer.alloc(frameBytes);
    const frames = Math.floor((fstatSync(handle).size - logHeaderBytes) / frameBytes);
    for (let index = 0; index < frames; index += 1) {
      if (readSync(handle, frame, 0, frameBytes, logHeaderBytes + index * frameBytes) < frameBytes) return;
      const page = frame.subarray(frameHeaderBytes);
      const isOfThisRound = frame.compare(header, 16, 24, 8, 16) === 0;
      const after = add(add(sums, frame.subarray(0, 8), isBigEndian), page, isBigEndian);
      yield {
        pageNumber: frame.readUInt32BE(0),
        databasePages: frame.readUInt32BE(4),
        isWhole: isOfThisRound && isSum(after, frame, 16),
        isOfThisRound,
        page,
      };
      // What a frame says of the sums before the next: the next is judged by it, whole or not.
      sums = [frame.readUInt32BE(16), frame.readUInt32BE(20)];
    }
  } finally {
    closeSync(handle);
  }
}

type Sums = readonly [number, number];

/** SQLite's checksum, continued over more bytes. */
function add(sums: Sums, bytes: Buffer, isBigEndian: boolean): Sums {
  return addWords(sums, wordsOf(bytes, isBigEndian));
}

function addWords([first, second]: Sums, words: Uint32Array): Sums {
  let one = first;
  let two = second;
  for (let at = 0; at < words.length; at += 2) {
    one = (one + (words[at] ?? 0) + two) >>> 0;
    two = (two + (words[at + 1] ?? 0) + one) >>> 0;
  }
  return [one, two];
}

function wordsOf(bytes: Buffer, isBigEndian: boolean): Uint32Array {
  const words = new Uint32Array(bytes.length / 4);
  for (let at = 0; at < words.length; at += 1) {
    words[at] = isBigEndian ? bytes.readUInt32BE(at * 4) : bytes.readUInt32LE(at * 4);
  }
  return words;
}

function isSum([first, second]: Sums, bytes: Buffer, at: number): boolean {
  return bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second;
}
