import type { Refusal } from "../base/errors.ts";
import type { Result } from "../base/result.ts";

/** The name of stored bytes: their SHA-256 in 64 hex digits, and their number. */
export interface BlobRef {
  readonly id: string;
  readonly size: number;
}

/** A blob as a list shows it. */
export interface BlobEntry extends BlobRef {
  /** When the bytes were last stored, UTC milliseconds. */
  readonly storedAt: number;
}

/**
 * Stores images and files by the SHA-256 of their bytes, beside the database. Stores bytes only: their type is read from the
 * bytes. Reads of a missing or damaged blob and failed writes return a refusal; a failing disk rejects, and a store over a network
 * rejects with `BlobsAwayError`. `describeBlobs` of
 * `heddle/testing` tests an implementation.
 */
export interface BlobStore {
  /**
   * Stores bytes; they are on disk when this resolves. Equal bytes are stored once, and storing them again updates the time.
   * When `pieces` fails, nothing is stored and this rejects with the same error.
   */
  put(content: Uint8Array | AsyncIterable<Uint8Array>): Promise<BlobRef>;
  /**
   * Reads the bytes from disk and checks them against the id. Refuses with BLOB_NOT_FOUND, or BLOB_DAMAGED when the hash
   * differs.
   */
  get(id: string): Promise<Result<Uint8Array, Refusal>>;
  /** Returns the number of bytes of a blob without reading it; null when there is none. */
  sizeOf(id: string): Promise<number | null>;
  /** Lists all blobs, ordered by id. */
  list(): Promise<readonly BlobEntry[]>;
  /** Deletes a blob. Does nothing when there is none. */
  remove(id: string): Promise<void>;
}

/** A store of blobs over a network did not do what was asked: it refuses this server, or it cannot be reached now. */
export class BlobsAwayError extends Error {
  readonly reason: "refused" | "unreachable";

  constructor(message: string, reason: "refused" | "unreachable") {
    super(message);
    this.reason = reason;
  }
}

/** Whether a text has the form of a blob id. */
export function isBlobId(id: string): boolean {
  return /^[0-9a-f]{64}$/.test(id);
}
