import type { Refusal } from "../../../core/base/errors.ts";
import type { BlockId, RequestId } from "../../../core/base/ids.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { BlockChange, BlockChangeBody } from "../../../core/block/types.ts";
import type { Thread } from "../../../core/block/comment/thread.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import type { OpenBlock } from "../block/open-block.ts";
import type { PendingSegment, PendingText } from "./pending-text.ts";
import type { Author } from "../record/types.ts";

/**
 * A mutation that waits in the queue. After a refused commit its plan may run again, on a block read again from the store.
 */
export interface Mutation {
  readonly blockId: BlockId;
  readonly author: Author;
  /** Identifies a push of a replica; the log stores it and refuses a second push to the block with the same id. */
  readonly requestId?: RequestId | undefined;
  /** Conditions that must hold in the same transaction. A guarded mutation is committed alone. */
  readonly guards?: readonly StoreWrite[] | undefined;
  /** The block that the mutation creates. */
  readonly creates?: () => OpenBlock;
  /** The block leaves memory with the commit, because little of it remains in the store. */
  readonly leavesMemory?: boolean | undefined;
  /** The mutation works on a block in the trash; on one that exists too. */
  readonly revives?: boolean | undefined;
  /** The mutation works on a block that only drafts have; on one that exists too. */
  readonly ofDrafts?: boolean;
  /** The plan uses the block's undo ledger, which is read first. Committed alone. */
  readonly needsLedger?: boolean;
  /** Reads what the plan needs besides the block, before each run of the plan. Committed alone. */
  readonly prepare?: (block: OpenBlock) => Promise<void>;
  /** Returns further writes of the same transaction, given the new version; not called when the plan changes nothing. */
  readonly also?: ((version: number) => readonly StoreWrite[]) | undefined;
  /** Returns changes that follow those of `plan` in the same commit: planned when these are versions of the block. */
  readonly next?: (block: OpenBlock) => readonly BlockChangeBody[];
  /** Only flushes buffered text, and is refused when the flush is. */
  readonly flushes?: boolean;
  /** Ends the stream onto the block: all buffered text is written. */
  readonly closes?: boolean;
  /** Changes the block in memory and returns the changes; empty when nothing changes. `broken`: streamed text was lost. */
  plan(block: OpenBlock, broken: boolean): Result<readonly BlockChangeBody[], Refusal>;
}

/** The result of a mutation. `repeated`: the request had been carried out before. */
export interface Applied {
  readonly version: number;
  readonly repeated: boolean;
}

/** Returns whether a mutation must be the only one of its commit. */
export function needsOwnCommit(mutation: Mutation): boolean {
  return mutation.guards !== undefined || mutation.needsLedger === true || mutation.prepare !== undefined;
}

/** Returns a mutation that only flushes buffered text. */
export function flushMutation(author: Author, blockId: BlockId): Mutation {
  return { blockId, author, flushes: true, plan: () => ok([]) };
}

export interface QueuedMutation {
  readonly mutation: Mutation;
  readonly resolve: (outcome: Result<Applied, Refusal>) => void;
  readonly reject: (bug: unknown) => void;
}

export interface PlannedMutation {
  readonly queued: QueuedMutation;
  readonly outcome: Result<Applied, Refusal>;
  /** The mutation's own writes are [writesFrom, writesEnd) of the commit. */
  readonly writesFrom: number;
  readonly writesEnd: number;
}

/** The parts of one commit while it is planned. */
export interface CommitDraft {
  readonly writes: StoreWrite[];
  readonly changes: BlockChange[];
  readonly planned: PlannedMutation[];
  readonly touched: Set<OpenBlock>;
  /** The threads of comments whose anchors the changes altered. */
  readonly threads: Thread[];
  readonly flushed: {
    readonly blockId: BlockId;
    readonly pending: PendingText;
    readonly segments: readonly PendingSegment[];
  }[];
}

/** Begins a commit; `guards` are the conditions under which the store carries it out. */
export function beginDraft(guards: readonly StoreWrite[] = []): CommitDraft {
  return { writes: [...guards], changes: [], planned: [], touched: new Set(), threads: [], flushed: [] };
}
