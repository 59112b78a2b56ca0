import type { Brand } from "../base/brand.ts";
import type { Result } from "../base/result.ts";

/** A replica that edits: a whole number from 1 to 2^31-1 that the server hands out once and never reuses. Breaks ties. */
export type AgentId = Brand<number, "AgentId">;

/** The address of one operation unit. Each inserted, deleted or restored UTF-16 unit of an agent takes the next seq, from 0. */
export interface OpId {
  readonly agent: AgentId;
  readonly seq: number;
}

/** A run of operation units of one agent: seq to seq + length - 1. */
export interface OpSpan {
  readonly agent: AgentId;
  readonly seq: number;
  readonly length: number;
}

/** A version of a text: the heads of its event graph, sorted by agent; empty before the first operation. Fit for JSON. */
export type TextVersion = readonly OpId[];

/** Replaces [from, to) by `insert`. UTF-16 units; 0 <= from <= to <= length; no end inside a surrogate pair. */
export interface TextChange {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** A stretch of the text by one author: [from, to) came from units id.seq … of id.agent. */
export interface BlameSpan {
  readonly from: number;
  readonly to: number;
  readonly id: OpId;
}

/** What an accepted operation did. */
export interface TextEdit {
  /** The encoded update, to be stored and sent; empty when nothing changed. */
  readonly update: Uint8Array;
  /** The units it added to the log: what undo is given later. */
  readonly spans: readonly OpSpan[];
  /** What it did to the text at the head, as changes against the head before; sorted, not overlapping. */
  readonly delta: readonly TextChange[];
}

/** Bounds for bytes that came from outside, checked before any state changes. */
export interface TextLimits {
  readonly updateBytesMax: number;
  readonly operationsMax: number;
  readonly textUnitsMax: number;
  /** The only agent whose operations the update may carry; undefined trusts any (our own store). */
  readonly agent?: AgentId;
}

/** Why an edit, an update or a question was refused, by `code`. The document has not changed. */
export type TextRefusal =
  | { readonly code: "UPDATE_TOO_LARGE"; readonly actual: number; readonly max: number }
  | { readonly code: "UPDATE_CORRUPT"; readonly reason: string }
  | { readonly code: "UPDATE_FOREIGN_AGENT"; readonly expected: AgentId; readonly actual: AgentId }
  /** The update builds on operations that this replica does not have, or has as something else. */
  | { readonly code: "UPDATE_GAP"; readonly missing: OpId }
  | { readonly code: "UPDATE_OUT_OF_RANGE"; readonly requested: number; readonly max: number }
  | { readonly code: "VERSION_UNKNOWN"; readonly missing: OpId }
  /** What is to be undone was compacted away. */
  | { readonly code: "UNDO_TOO_OLD"; readonly missing: OpId }
  | { readonly code: "TEXT_MALFORMED"; readonly at: number };

/** What taking in an update did. */
export interface MergedUpdate {
  readonly delta: readonly TextChange[];
  /** The units that were new to this replica; empty when it knew them all (a repeated update is harmless). */
  readonly spans: readonly OpSpan[];
}

/**
 * A text with its history: one replica of a sequence CRDT (eg-walker's event graph with cancel operations for undo).
 * Replicas that hold the same operations hold the same text, in whatever order the operations arrived. Offsets and
 * lengths are UTF-16 units. Methods give a `TextRefusal` and throw only for a mistake of the caller.
 */
export interface TextDocument {
  /** Length of the text at the head, in UTF-16 units. */
  readonly length: number;
  /** The text at the head. */
  text(): string;
  slice(from: number, to: number): string;
  version(): TextVersion;
  /** Next unused seq of an agent; 0 for one that never edited. */
  nextSeq(agent: AgentId): number;

  /** Lines as core/base/lines.ts counts them. */
  lineCount(): number;
  /** Offset of the first unit of a line, 0-based; the length for lineCount. */
  lineStart(line: number): number;
  /** Bytes in UTF-8. */
  readonly utf8Length: number;
  /** UTF-16 offset of a UTF-8 byte offset; undefined inside a code point or out of range. */
  utf16FromUtf8(offset: number): number | undefined;

  /**
   * Applies changes that refer to the text at `at` (default: the head), as one edit by `agent`.
   * Changes are sorted by `from` and do not overlap; several pure insertions at one place keep their order.
   */
  edit(agent: AgentId, changes: readonly TextChange[], at?: TextVersion): Result<TextEdit, TextRefusal>;
  /** `edit` at the head without an update: several edits are encoded together, once, by `updateSince`. */
  apply(agent: AgentId, changes: readonly TextChange[]): Result<Omit<TextEdit, "update">, TextRefusal>;
  /**
   * Undoes units exactly: what survives of their insertions is deleted, their deletions and restorations are cancelled.
   * Redo is the cancel of a cancel's own spans.
   */
  cancel(agent: AgentId, spans: readonly OpSpan[]): Result<TextEdit, TextRefusal>;
  /** Takes in another replica's update. Refused updates leave no trace. */
  merge(update: Uint8Array, limits: TextLimits): Result<MergedUpdate, TextRefusal>;

  textAt(version: TextVersion): Result<string, TextRefusal>;
  /** What changed from one version to another, as changes against the text at `from`. */
  diff(from: TextVersion, to: TextVersion): Result<readonly TextChange[], TextRefusal>;
  /**
   * Everything a replica at `version` lacks, as one update; unknown heads are ignored. Of a compacted document, that part
   * of it which is kept: who lacks more finds it an `UPDATE_GAP`.
   */
  updateSince(version: TextVersion): Uint8Array;
  blame(from: number, to: number): readonly BlameSpan[];
  /**
   * Forgets history that is needed neither for these versions nor to cancel these units, and gives how many units went.
   * The text, who wrote it, these versions and all later ones, and whatever is done from now on stay as they would be.
   * What builds on something older is `UPDATE_GAP`, an older version `VERSION_UNKNOWN`, an older unit `UNDO_TOO_OLD`.
   */
  compact(versions: readonly TextVersion[], spans: readonly OpSpan[]): number;
  /** The whole document with its history; `decodeDocument` reads it. */
  encode(): Uint8Array;
}
