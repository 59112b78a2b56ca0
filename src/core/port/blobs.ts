import type { Refusal } from "../base/errors.ts";
import type { Result } from "../base/result.ts";

/** What names stored bytes: the SHA-256 of the bytes in 64 hex digits, and their number. */
export interface BlobRef {
  readonly id: string;
  readonly size: number;
}

/** Stored bytes as a list has them. */
export interface BlobEntry extends BlobRef {
  /** When the bytes were last put, UTC milliseconds. */
  readonly storedAt: number;
}

/**
 * Keeps images and files by the SHA-256 of their bytes, beside the database. It keeps bytes alone: their type is read
 * from the bytes themselves. Reads and writes of a missing or damaged blob give a refusal; a failing disk rejects.
 * `describeBlobs` of `heddle/testing` tests an implementation.
 */
export interface BlobStore {
  /**
   * Keeps bytes; they are on disk when this resolves. The same bytes are kept once, and count as put anew. When the pieces
   * fail nothing is kept, and this rejects with what they failed with.
   */
  put(content: Uint8Array | AsyncIterable<Uint8Array>): Promise<BlobRef>;
  /** The bytes, read anew and checked against the id: BLOB_NOT_FOUND, or BLOB_DAMAGED where they are others. */
  get(id: string): Promise<Result<Uint8Array, Refusal>>;
  /** How many bytes there are under an id, unread; null where there are none. */
  sizeOf(id: string): Promise<number | null>;
  /** Everything that is kept, in the order of ids. */
  list(): Promise<readonly BlobEntry[]>;
  /** Forgets bytes. Harmless when there are none. */
  remove(id: string): Promise<void>;
}

/** Whether a text has the form of a blob's id. */
export function isBlobId(id: string): boolean {
  return /^[0-9a-f]{64}$/.test(id);
}
