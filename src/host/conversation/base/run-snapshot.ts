import type { BlockId, ToolCallId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { EffectRecord, RunRecord, StoreWrite } from "../../../core/port/store.ts";
import type { TurnEvent } from "../../../core/turn/event/event.ts";
import type { ReplyRecord } from "./reply-record.ts";
import type { RunStatus } from "../../../core/turn/state/feed.ts";
import type { WaitingMessage } from "../../../core/turn/state/waiting.ts";

/** All that a conversation holds of one run at one moment. Immutable: a commit replaces it with the next snapshot. */
export interface RunSnapshot {
  readonly record: RunRecord;
  readonly head: ForestNode | null;
  /** Live blocks of the reply and of the calls under way, in order. */
  readonly liveBlocks: readonly LiveBlock[];
  /** The messages that wait for the run, in their order, as stored. */
  readonly waiting: readonly WaitingMessage[];
  /** The open effects, as stored. */
  readonly openEffects: readonly EffectRecord[];
  /** Whether the run is stored. */
  readonly isStored: boolean;
  /** The restart event that the run must accept before any other event; null if there is none. */
  readonly restart: Restart | null;
}

/** A restart event, and who wrote what in the reply that it brings. */
export interface Restart {
  readonly event: TurnEvent;
  readonly reply?: ReplyRecord;
}

/** A live block that shows a reply (`callId` null) or the output of a call. */
export interface LiveBlock {
  readonly id: BlockId;
  readonly callId: ToolCallId | null;
}

/** Returns the feed entry that describes a run. */
export function statusOf({ record, liveBlocks, waiting }: RunSnapshot): RunStatus {
  return {
    type: "run-changed",
    runId: record.id,
    headNodeId: record.headNodeId,
    turnId: record.turnId,
    state: record.state,
    since: record.stateSince,
    contextUsed: record.contextUsed,
    model: record.model,
    queued: waiting.some(({ state }) => state === "waiting"),
    liveBlocks: liveBlocks.map(({ id }) => id),
  };
}

/** Stores the record of `next` unless the run has been written since `before`. */
export function putRun(before: RunSnapshot, next: RunSnapshot): StoreWrite {
  return {
    type: "put-run",
    run: next.record,
    expectedEventSeq: before.isStored ? before.record.eventSeq : null,
  };
}
