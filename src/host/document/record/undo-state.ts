import type { HunkId, ToolCallId, TurnId } from "../../../core/base/ids.ts";
import type { AgentId, OpSpan } from "../../../core/text/types.ts";

/** What is undone together, and how it stands. Fit for JSON. */
export interface Unit {
  readonly id: string;
  readonly agent: AgentId;
  readonly turnId?: TurnId | undefined;
  readonly toolCallId?: ToolCallId | undefined;
  readonly actorName: string;
  /** The suggested hunks that it kept or rejected. */
  readonly hunkIds?: readonly HunkId[] | undefined;
  readonly firstVersion: number;
  readonly at: number;
  /** What cancelling turns it over: its own operations at first, then those of the last undo or redo. */
  readonly spans: readonly OpSpan[];
  /** The agent that undid it; null while it stands. */
  readonly undoneBy: AgentId | null;
  /** Once undone or redone it takes in no further edits. */
  readonly closed: boolean;
  /** The units that share its spans, because one change undid or redid them together. */
  readonly group: readonly string[];
}

/** Who changed a block, from a version on. */
export interface Writing {
  readonly version: number;
  readonly agent: AgentId;
  readonly name: string;
}

/** What an undo ledger knows at one version of its block: with it, it can be folded from there on. Fit for JSON. */
export interface UndoState {
  /** Oldest first. */
  readonly units: readonly Unit[];
  /** Units that stand, oldest first. */
  readonly standing: readonly (readonly [AgentId, readonly string[]])[];
  /** Units that their own agent undid, the last one last. */
  readonly undone: readonly (readonly [AgentId, readonly string[]])[];
  readonly writers: readonly Writing[];
  /** Agents of whose units that stood some are known no more. */
  readonly forgetful: readonly AgentId[];
}

/** Of a block that nobody has changed. */
export const noUndo: UndoState = { units: [], standing: [], undone: [], writers: [], forgetful: [] };
