import type { HunkId, ToolCallId, TurnId } from "../../../core/base/ids.ts";
import type { ReplicaId, OpSpan } from "../../../core/text/types.ts";

/** A set of changes that is undone together, and its status. Serializable as JSON. */
export interface Unit {
  readonly id: string;
  readonly replica: ReplicaId;
  readonly turnId?: TurnId | undefined;
  readonly toolCallId?: ToolCallId | undefined;
  readonly actorName: string;
  /** The suggested hunks that the unit kept or rejected. */
  readonly hunkIds?: readonly HunkId[] | undefined;
  readonly firstVersion: number;
  readonly at: number;
  /** The operations that an undo or redo cancels: the unit's own at first, then those of the last undo or redo. */
  readonly spans: readonly OpSpan[];
  /** The agent that undid the unit; null when it is not undone. */
  readonly undoneBy: ReplicaId | null;
  /** Whether the unit was ever undone or redone; a closed unit accepts no further edits. */
  readonly closed: boolean;
  /** The units that share the spans, because one change undid or redid them together. */
  readonly group: readonly string[];
}

/** A writer and the version at which it began to write after another one. */
export interface Writing {
  readonly version: number;
  readonly replica: ReplicaId;
  readonly name: string;
}

/**
 * The state of an undo ledger at one version of its block, from which later changes can be applied. Serializable as JSON.
 */
export interface UndoState {
  /** Oldest first. */
  readonly units: readonly Unit[];
  /** Units that are not undone, oldest first. */
  readonly applied: readonly (readonly [ReplicaId, readonly string[]])[];
  /** Units that their own agent undid, the last one last. */
  readonly undone: readonly (readonly [ReplicaId, readonly string[]])[];
  readonly writers: readonly Writing[];
  /** Agents with units that compaction dropped. */
  readonly forgetful: readonly ReplicaId[];
}

/** The state of a block without changes. */
export const noUndo: UndoState = { units: [], applied: [], undone: [], writers: [], forgetful: [] };
