import type { Refusal } from "../../../core/base/errors.ts";
import type { BlockId, RequestId } from "../../../core/base/ids.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { BlockChange, BlockChangeBody } from "../../../core/block/types.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import type { OpenBlock } from "../block/open-block.ts";
import type { PendingSegment, PendingText } from "./pending-text.ts";
import type { Author } from "../record/types.ts";

/** One mutation that waits for its turn. Its plan may be asked again, on a block read afresh, when a commit was refused. */
export interface Mutation {
  readonly blockId: BlockId;
  readonly author: Author;
  /** Names a push of a replica; the log keeps it, and takes no other push of the block under it. */
  readonly requestId?: RequestId | undefined;
  /** Conditions that must hold in the same transaction. A guarded mutation is committed alone. */
  readonly guards?: readonly StoreWrite[] | undefined;
  /** The block that the mutation creates. */
  readonly creates?: () => OpenBlock;
  /** The plan asks who did what: the block's undo ledger is read first. Committed alone. */
  readonly needsLedger?: boolean;
  /** Reads what the plan needs beside the block, each time before it is asked. Committed alone. */
  readonly prepare?: (block: OpenBlock) => Promise<void>;
  /** What belongs into the same transaction, given the version that the plan made; not asked where it changes nothing. */
  readonly also?: ((version: number) => readonly StoreWrite[]) | undefined;
  /** Only writes what is buffered, and is refused when that is. */
  readonly flushes?: boolean;
  /** The stream onto the block ends here: whatever is buffered is written out entirely. */
  readonly closes?: boolean;
  /** Changes the block in memory and says how; no bodies mean that nothing changes. `broken`: streamed text was lost. */
  plan(block: OpenBlock, broken: boolean): Result<readonly BlockChangeBody[], Refusal>;
}

/** What became of a mutation. `repeated`: the request had been carried out before. */
export interface Applied {
  readonly version: number;
  readonly repeated: boolean;
}

/** Whether a mutation is the only one of its commit. */
export function isAlone(mutation: Mutation): boolean {
  return mutation.guards !== undefined || mutation.needsLedger === true || mutation.prepare !== undefined;
}

/** One that only writes out what is buffered. */
export function flushing(author: Author, blockId: BlockId): Mutation {
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
  /** Its own writes are [writesFrom, writesEnd) of the commit. */
  readonly writesFrom: number;
  readonly writesEnd: number;
}

/** What one commit is made of, while it is planned. */
export interface Round {
  readonly writes: StoreWrite[];
  readonly changes: BlockChange[];
  readonly planned: PlannedMutation[];
  readonly touched: Set<OpenBlock>;
  readonly flushed: {
    readonly blockId: BlockId;
    readonly pending: PendingText;
    readonly segments: readonly PendingSegment[];
  }[];
}
