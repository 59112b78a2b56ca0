import type { RunId } from "../../../core/base/ids.ts";
import type { ForestNode, ForestRoot } from "../../../core/forest/types.ts";
import type { SubAgentOf } from "../../../core/port/store.ts";
import type { WaitingMessage } from "../../../core/turn/state/waiting.ts";
import type { RunSnapshot } from "../base/run-snapshot.ts";

/** The fields of a new run that differ from a person's own run. */
export interface NewRun {
  readonly id?: RunId;
  readonly subAgent?: SubAgentOf;
  /** `provider/model`; defaults to the conversation's model. */
  readonly model?: string;
  /** The messages of another run that wait for this one. */
  readonly waiting?: readonly WaitingMessage[];
}

/** Returns an idle run that begins at a node and is not stored yet. */
export function newRunSnapshot(
  { id: rootId, model }: ForestRoot,
  head: ForestNode | null,
  as: NewRun & { readonly id: RunId; readonly now: number },
): RunSnapshot {
  return {
    record: {
      id: as.id,
      rootId,
      headNodeId: head?.id ?? null,
      state: { type: "idle" },
      stateSince: as.now,
      contextUsed: null,
      subAgent: as.subAgent ?? null,
      eventSeq: 0,
      turnId: null,
      model: as.model ?? model,
      createdAt: as.now,
      updatedAt: as.now,
    },
    head,
    liveBlocks: [],
    waiting: as.waiting ?? [],
    openEffects: [],
    isStored: false,
    restart: null,
  };
}
