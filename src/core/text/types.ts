import type { Brand } from "../base/brand.ts";
import type { Result } from "../base/result.ts";

/**
 * The number of an editing replica: a whole number from 1 to 2^31-1 that the server assigns once and never reuses. Breaks
 * ties.
 */
export type ReplicaId = Brand<number, "ReplicaId">;

/**
 * The address of one operation unit. Each inserted, deleted or restored UTF-16 unit of a replica takes the next seq, from 0.
 */
export interface OpId {
  readonly replica: ReplicaId;
  readonly seq: number;
}

/** A run of operation units of one replica: seq to seq + length - 1. */
export interface OpSpan {
  readonly replica: ReplicaId;
  readonly seq: number;
  readonly length: number;
}

/**
 * A version of a text: the heads of its event graph, sorted by replica; empty before the first operation. Can be written as
 * JSON.
 */
export type TextVersion = readonly OpId[];

/** Replaces [from, to) by `insert`. UTF-16 units; 0 <= from <= to <= length; no end inside a surrogate pair. */
export interface TextChange {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** A stretch of the text by one author: units id.seq … of replica id.replica wrote [from, to). */
export interface BlameSpan {
  readonly from: number;
  readonly to: number;
  readonly id: OpId;
}

/** The stretch [from, to) of a text. UTF-16 units. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** The result of an accepted operation. */
export interface TextEdit {
  /** The encoded update, to store and send; empty when nothing changed. */
  readonly update: Uint8Array;
  /** The units it added to the log: the input of a later undo. */
  readonly spans: readonly OpSpan[];
  /** Its changes to the text at the head, against the previous head; sorted, not overlapping. */
  readonly delta: readonly TextChange[];
}

/** Limits for bytes from outside, checked before any state changes. */
export interface TextLimits {
  readonly updateBytesMax: number;
  readonly operationsMax: number;
  readonly textUnitsMax: number;
  /** The only replica whose operations the update may contain; undefined allows any (our own store). */
  readonly replica?: ReplicaId;
}

/** Why an edit, an update or a query was refused, by `code`. The document has not changed. */
export type TextRefusal =
  | { readonly code: "UPDATE_TOO_LARGE"; readonly actual: number; readonly max: number }
  | { readonly code: "UPDATE_CORRUPT"; readonly reason: string }
  | { readonly code: "UPDATE_FOREIGN_REPLICA"; readonly expected: ReplicaId; readonly actual: ReplicaId }
  /** The update builds on operations that this replica does not have, or has with other content. */
  | { readonly code: "UPDATE_GAP"; readonly missing: OpId }
  | { readonly code: "UPDATE_OUT_OF_RANGE"; readonly requested: number; readonly max: number }
  | { readonly code: "VERSION_UNKNOWN"; readonly missing: OpId }
  /** The units to undo were compacted away. */
  | { readonly code: "UNDO_TOO_OLD"; readonly missing: OpId }
  | { readonly code: "TEXT_MALFORMED"; readonly at: number };

/** The result of a merged update. */
export interface MergedUpdate {
  readonly delta: readonly TextChange[];
  /** The units that were new to this replica; empty when it had them all (a repeated update is harmless). */
  readonly spans: readonly OpSpan[];
}

/**
 * A text with its history: one replica of a sequence CRDT (eg-walker's event graph with cancel operations for undo).
 * Replicas with the same operations have the same text, in whatever order the operations arrived. Offsets and lengths are
 * UTF-16 units. Methods return a `TextRefusal`, and throw only for a mistake of the caller.
 */
export interface TextDocument {
  /** Length of the text at the head, in UTF-16 units. */
  readonly length: number;
  /** The text at the head. */
  text(): string;
  slice(from: number, to: number): string;
  version(): TextVersion;
  /** Returns the next unused seq of a replica; 0 for one that never edited. */
  nextSeq(replica: ReplicaId): number;

  /** Number of lines, as core/base/lines.ts counts them. */
  lineCount(): number;
  /** Returns the offset of the first unit of a line, 0-based; the length for lineCount. */
  lineStart(line: number): number;
  /** Number of bytes in UTF-8. */
  readonly utf8Length: number;
  /** Returns the UTF-16 offset of a UTF-8 byte offset; undefined inside a code point or out of range. */
  utf16FromUtf8(offset: number): number | undefined;

  /**
   * Applies changes to the text at `at` (default: the head) as one edit by `replica`. Changes are sorted by `from` and do not
   * overlap; several pure insertions at one place keep their order.
   */
  edit(replica: ReplicaId, changes: readonly TextChange[], at?: TextVersion): Result<TextEdit, TextRefusal>;
  /** Like `edit` at the head, without encoding an update: `updateSince` encodes several edits at once. */
  apply(replica: ReplicaId, changes: readonly TextChange[]): Result<Omit<TextEdit, "update">, TextRefusal>;
  /**
   * Undoes units exactly: deletes what survives of their insertions, and cancels their deletions and restorations. To redo,
   * cancel the spans of the cancel.
   */
  cancel(replica: ReplicaId, spans: readonly OpSpan[]): Result<TextEdit, TextRefusal>;
  /** Merges another replica's update. A refused update changes nothing. */
  merge(update: Uint8Array, limits: TextLimits): Result<MergedUpdate, TextRefusal>;

  textAt(version: TextVersion): Result<string, TextRefusal>;
  /** Returns the changes from one version to another, against the text at `from`. */
  diff(from: TextVersion, to: TextVersion): Result<readonly TextChange[], TextRefusal>;
  /**
   * Encodes everything a replica at `version` is missing as one update; ignores unknown heads. For a compacted document,
   * only the kept part: a replica that is missing more refuses the update with `UPDATE_GAP`.
   */
  updateSince(version: TextVersion): Uint8Array;
  blame(from: number, to: number): readonly BlameSpan[];
  /**
   * Returns, for each list of inserted units, the range from its first unit to its last that is in the text now; null when
   * none is. Units that this replica does not know are skipped. O(log n) for each run of units, once the history was read.
   */
  locate(places: readonly (readonly OpSpan[])[]): readonly (TextRange | null)[];
  /**
   * Deletes history that is needed neither for these versions nor to cancel these units; returns the number of deleted
   * units. The text, its authors, these and all later versions, and all future operations are unaffected. An update that
   * builds on something older is refused with `UPDATE_GAP`, an older version with `VERSION_UNKNOWN`, an older unit with
   * `UNDO_TOO_OLD`.
   */
  compact(versions: readonly TextVersion[], spans: readonly OpSpan[]): number;
  /**
   * Encodes the whole document with its history; `decodeDocument` reads it. `encodeText` is the platform's UTF-8 encoder, with
   * which long texts are encoded faster, to the same bytes.
   */
  encode(encodeText?: (text: string) => Uint8Array): Uint8Array;
  /**
   * Does the same in steps of some milliseconds, between which the document may be edited: the result is the document as it
   * was at the first step; null when history was deleted meanwhile. Nothing else uses the bytes.
   */
  encodeInSteps(encodeText?: (text: string) => Uint8Array): Generator<undefined, Uint8Array | null, undefined>;
}
