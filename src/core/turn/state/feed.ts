import type { BlockId, NodeId, RootId, RunId, TurnId } from "../../base/ids.ts";
import type { Bookmark, ForestNode, ForestRoot } from "../../forest/types.ts";
import type { TurnState } from "./state.ts";
import type { WaitingMessage } from "./waiting.ts";

/** An entry of a conversation's feed, in order and without gaps. Streamed text arrives as changes of live blocks. */
export type RunFeedBody =
  | { readonly type: "node-added"; readonly node: ForestNode }
  /** The node with this id has another content, parent, hash or label. */
  | { readonly type: "node-changed"; readonly node: ForestNode }
  | { readonly type: "nodes-removed"; readonly ids: readonly NodeId[] }
  /** `bookmark` null: the title is free again. */
  | { readonly type: "bookmark-changed"; readonly title: string; readonly bookmark: Bookmark | null }
  | { readonly type: "root-changed"; readonly root: ForestRoot }
  | RunStatus
  /** All messages that wait for the run, in their order. */
  | { readonly type: "waiting-changed"; readonly runId: RunId; readonly waiting: readonly WaitingMessage[] }
  | { readonly type: "notice"; readonly runId: RunId; readonly text: string };

/** The status of a run as its watchers receive it. */
export interface RunStatus {
  readonly type: "run-changed";
  readonly runId: RunId;
  readonly headNodeId: NodeId | null;
  readonly turnId: TurnId | null;
  readonly state: TurnState;
  /** When this status began, in UTC milliseconds. */
  readonly since: number;
  /** The share of the model's window filled after the last reply, from 0; null before the first. */
  readonly contextUsed: number | null;
  /** `provider/model` of the current turn, or of the last one. */
  readonly model: string;
  /** Whether a message waits that is sent by itself. */
  readonly queued: boolean;
  /** The live blocks of the current reply, in order; empty when idle. */
  readonly liveBlocks: readonly BlockId[];
}

/** One entry of a conversation's feed: messages and state changes, numbered without gaps from 1. */
export interface FeedRecord {
  readonly rootId: RootId;
  readonly seq: number;
  readonly at: number;
  readonly body: RunFeedBody;
}
