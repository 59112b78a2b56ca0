import { closeSync, fstatSync, openSync, readSync } from "node:fs";

// The file format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log

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

/** Whether a write-ahead log begins as SQLite begins one. */
export function hasWholeHeader(log: string): boolean {
  const handle = openSync(log, "r");
  try {
    return readHeader(handle) !== null;
  } finally {
    closeSync(handle);
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

/** Reads the frames of a write-ahead log in order, also those behind a damaged one. None where its header is damaged. */
export function* framesOf(log: string): Generator<LogFrame, void, undefined> {
  const handle = openSync(log, "r");
  try {
    const header = readHeader(handle);
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

/** SQLite's checksum, continued over more words. */
function add([first, second]: Sums, bytes: Buffer, isBigEndian: boolean): Sums {
  let one = first;
  let two = second;
  for (let at = 0; at < bytes.length; at += 8) {
    one = (one + (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + two) >>> 0;
    two = (two + (isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + one) >>> 0;
  }
  return [one, two];
}

function isSum([first, second]: Sums, bytes: Buffer, at: number): boolean {
  return bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second;
}
