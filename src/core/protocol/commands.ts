import type { BlockId, NodeId, RequestId, RootId, RunId, TurnId } from "../base/ids.ts";
import type { EditPolicy } from "../block/types.ts";

/**
 * What a client can ask for, over the WebSocket (`call`) and over HTTP (`POST /api/commands/NAME`): the parameters and
 * the answer of each. Refusals are those of the one table of codes. The schemas that read them stand beside.
 */
interface Commands {
  "conversation.create": {
    params: { title?: string; model?: string; canvasId?: BlockId | null };
    answer: { rootId: RootId };
  };
  "conversation.rename": { params: { rootId: RootId; title: string }; answer: Record<never, never> };
  "conversation.set-model": { params: { rootId: RootId; model: string }; answer: Record<never, never> };
  "conversation.set-canvas": { params: { rootId: RootId; canvasId: BlockId | null }; answer: Record<never, never> };
  /** `parentNodeId` is the last message of the branch that is answered; null starts a first branch. */
  "message.send": {
    params: { rootId: RootId; parentNodeId: NodeId | null; text: string; queue?: boolean; clientRequestId: RequestId };
    answer: { nodeId: NodeId | null; runId: RunId; queued: boolean };
  };
  /** Editing a question makes a branch: a sibling with the new text, and a reply to it. */
  "message.edit": {
    params: { nodeId: NodeId; text: string; clientRequestId: RequestId };
    answer: { nodeId: NodeId; runId: RunId };
  };
  /** Another reply to the same question, beside the first. */
  "message.regenerate": { params: { nodeId: NodeId; clientRequestId: RequestId }; answer: { runId: RunId } };
  "run.cancel": { params: { runId: RunId }; answer: Record<never, never> };
  /** Ask again after an error. */
  "run.retry": { params: { runId: RunId }; answer: Record<never, never> };
  "canvas.create": { params: { title: string; text?: string }; answer: { canvasId: BlockId } };
  "canvas.set-policy": { params: { canvasId: BlockId; policy: EditPolicy }; answer: Record<never, never> };
  /** Cancels the run that holds the lease and raises the epoch: nothing more of it is written. */
  "canvas.take-control": { params: { canvasId: BlockId }; answer: { epoch: number; cancelledRunId: RunId | null } };
  /** Undoes the caller's own last unit. */
  "block.undo-mine": { params: { blockId: BlockId }; answer: { version: number } };
  "block.redo-mine": { params: { blockId: BlockId }; answer: { version: number } };
  /** Undoes everything that one turn of an agent did, in every block it touched. `changedByOthers` names what others had edited in it since. */
  "turn.undo": { params: { turnId: TurnId }; answer: { blocks: readonly TurnedBlock[] } };
  "turn.redo": { params: { turnId: TurnId }; answer: { blocks: readonly TurnedBlock[] } };
  /** Turns of agents that changed this block, newest first, and whether they stand undone. */
  "block.turns": {
    params: { blockId: BlockId };
    answer: { turns: readonly { turnId: TurnId; actorName: string; at: number; undone: boolean }[] };
  };
  "models.list": {
    params: Record<never, never>;
    answer: {
      models: readonly { id: string; name: string; contextTokensMax: number; tools: boolean; local: boolean }[];
    };
  };
}

/** A block that undoing or redoing a turn changed; what others had changed in it since stays. */
interface TurnedBlock {
  readonly blockId: BlockId;
  readonly version: number;
  readonly changedByOthers: readonly string[];
}

export type CommandName = keyof Commands;
export type CommandParams<Name extends CommandName> = Commands[Name]["params"];
export type CommandAnswer<Name extends CommandName> = Commands[Name]["answer"];
