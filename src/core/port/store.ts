import type { Actor } from "../base/actor.ts";
import type { BlockId, DocumentId, LeaseId, NodeId, RequestId, RootId, RunId, TurnId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { Result } from "../base/result.ts";
import type { CanvasRevision } from "../block/canvas-revision.ts";
import type { Suggestion } from "../block/suggestion/suggestion.ts";
import type { BlockChange, BlockHeader } from "../block/types.ts";
import type { Bookmark, ForestNode, ForestRoot, NodeOutline } from "../forest/types.ts";
import type { Lease } from "../lease/types.ts";
import type { UserMessage } from "../message/types.ts";
import type { AgentId } from "../text/types.ts";
import type { ApprovalRule } from "../turn/approval.ts";
import type { PerformedEffect } from "../turn/effect.ts";
import type { TurnSettings } from "../turn/settings.ts";
import type { RunEventRecord } from "../turn/run-event.ts";
import type { TurnState } from "../turn/state.ts";
import type { FeedRecord } from "../turn/feed.ts";

/** One turn machine at one branch head, as stored. */
export interface RunRecord {
  readonly id: RunId;
  readonly rootId: RootId;
  /** The last node of the run's branch; null while the branch is empty. */
  readonly headNodeId: NodeId | null;
  readonly state: TurnState;
  /** When it came to stand so, UTC milliseconds: what people are told it has been doing since. */
  readonly stateSince: number;
  /** How much of the model's window the last reply left filled, from 0; null before the first. */
  readonly contextUsed: number | null;
  /** Whom it works for, where it is a sub-agent, and when its time is over (UTC milliseconds). */
  readonly subAgent: SubAgentOf | null;
  /** How many events the run has taken; fences its writer. */
  readonly eventSeq: number;
  /** The turn under way, or the last one. */
  readonly turnId: TurnId | null;
  readonly model: string;
  /** How that turn asks the model, where it asks otherwise than the conversation does. */
  readonly settings?: AskedSettings;
  readonly queued: QueuedMessage | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The part of a turn's settings that its run keeps: the model has a field of its own, and each reply has its own run. */
export type AskedSettings = Pick<TurnSettings, "maxTokens" | "temperature">;

/** The run that set another to work, and until when. */
export interface SubAgentOf {
  readonly parentRootId: RootId;
  readonly parentRunId: RunId;
  readonly deadlineAt: number;
}

/** The one message that waits until its run is idle, with who sent it. */
export interface QueuedMessage {
  readonly message: UserMessage;
  readonly actor: Actor;
  /** How its turn asks the model, as it was settled when the message was sent. */
  readonly settings?: TurnSettings;
}

/** An effect still to be performed, or being performed. Its id is `run/eventSeq/index`. */
export interface EffectRecord {
  readonly id: string;
  readonly runId: RunId;
  readonly effect: PerformedEffect;
  /** Set by the intent row before a tool starts, UTC milliseconds. */
  readonly startedAt: number | null;
  readonly dueAt: number | null;
}

/** The text of a block at a version, with its history; opening reads the newest and the changes after it. */
export interface SnapshotRecord {
  readonly blockId: BlockId;
  readonly version: number;
  readonly bytes: Uint8Array;
}

/** Where a block's log begins, once its older changes were let go. */
export interface LogStart {
  readonly blockId: BlockId;
  /** The first version whose change is kept, or will be the first when it is made. */
  readonly beforeVersion: number;
  /** What the changes before it led to, for whoever folds the log from there; a store does not look into it. */
  readonly state: JsonObject;
}

/**
 * A request that took effect, with its answer: the same request is answered from here and not carried out again. A client
 * gives an id to one request only.
 */
export interface RequestRecord {
  readonly clientId: string;
  readonly requestId: RequestId;
  /** SHA-256 over what was asked, in 64 hex digits: the id with other parameters is another request. */
  readonly paramsHash: string;
  readonly answer: JsonObject;
  /** The conversation that the answer is about, with which the record is deleted; null for the workspace. */
  readonly rootId: RootId | null;
  /** UTC milliseconds. */
  readonly at: number;
}

export interface AgentRecord {
  readonly agent: AgentId;
  readonly actor: Actor;
  readonly createdAt: number;
}

/**
 * One change of a transaction. All of a commit's writes happen or none. A condition that fails refuses the commit with
 * its code; the order of writes is kept. What a write refers to (a node's root and, in that root, its parent; a run's
 * root, an effect's run, a snapshot's, revision's or words' block) was stored before or comes earlier in the commit; a node and a run
 * keep their root, and no node is below itself. A commit that breaks this rejects.
 */
export type StoreWrite =
  /**
   * Refused with CONFLICT (`stored` null) while another root has the slug or, where it has one, the `configHash`; and of
   * a root that was deleted. The root of its parent, where it has one, is stored.
   */
  | { readonly type: "put-root"; readonly root: ForestRoot }
  /** Adds a node, or gives the node of that id another content, parent or hash. */
  | { readonly type: "put-node"; readonly node: ForestNode }
  /**
   * Gives every node below one the prefix hash that its message has there, from the hash of that one downwards. The id of
   * no node changes nothing.
   */
  | { readonly type: "rehash-below"; readonly nodeId: NodeId }
  /**
   * Takes nodes out of the forest, and the bookmarks on them. Their ids are never accepted again: a later `put-node` of
   * one is refused with CONFLICT. Refused with CONFLICT while a node that is not named hangs below one of them, or a run
   * that is not at rest has its head there; the heads of runs at rest move to the nearest ancestor that stays, and
   * nothing else of those runs changes. Ids of no node change nothing; a node of another root rejects.
   */
  | { readonly type: "delete-nodes"; readonly rootId: RootId; readonly ids: readonly NodeId[]; readonly at: number }
  /**
   * Takes a conversation out with everything that is its own: messages, bookmarks, runs, events, feed, records of requests,
   * approval rules, and the live blocks of `documentId`. Its id is never accepted again: a later `put-root` of it is refused
   * with CONFLICT. Refused with CONFLICT while a run of it is not at rest, a sub-agent of it stands, or the document holds a
   * file. A conversation that is not there is gone already.
   */
  | {
      readonly type: "delete-root";
      readonly rootId: RootId;
      readonly documentId: DocumentId;
      readonly at: number;
    }
  /** The title is the key: it replaces what has the title. Its root and its node, in that root, are stored. */
  | { readonly type: "put-bookmark"; readonly bookmark: Bookmark }
  | { readonly type: "delete-bookmark"; readonly title: string }
  /** The words of a block for `searchWords`; an older version than the one that stands changes nothing. */
  | { readonly type: "put-block-words"; readonly blockId: BlockId; readonly version: number; readonly text: string }
  /** Refused with CONFLICT unless the stored eventSeq equals `expectedEventSeq` (null: the run is new). */
  | { readonly type: "put-run"; readonly run: RunRecord; readonly expectedEventSeq: number | null }
  /** Keeps an event that a run took; it replaces what the run has under that number. */
  | { readonly type: "put-run-event"; readonly record: RunEventRecord }
  /** Refused with CONFLICT unless seq is the next of its root. */
  | { readonly type: "append-feed"; readonly record: FeedRecord }
  | { readonly type: "put-effect"; readonly effect: EffectRecord }
  /** Refused with CONFLICT unless the effect is owed and has not been started (`stored`: when it was; null: it is gone). */
  | { readonly type: "start-effect"; readonly id: string; readonly at: number }
  | { readonly type: "finish-effect"; readonly id: string }
  /** Removes every open effect of the run: its turn is over. */
  | { readonly type: "finish-effects-of-run"; readonly runId: RunId }
  /**
   * Header and log row of one mutation. Refused with CONFLICT unless `change.version` follows the stored version. A block
   * keeps its document and its kind; a change of text leaves all of the header but its version and its time, and of such a
   * header no more than those need be stored.
   */
  | { readonly type: "put-change"; readonly header: BlockHeader; readonly change: BlockChange }
  | { readonly type: "put-snapshot"; readonly snapshot: SnapshotRecord }
  /**
   * Lets go of a block's changes before a version, with the requests that they carried out. Refused with CONFLICT unless a
   * snapshot of that version or a later one stands. A log that begins there or later stays as it is.
   */
  | ({ readonly type: "trim-changes" } & LogStart)
  /**
   * Lets go of all that is stored of a deleted file block but its header and its last change: its id and its place are
   * given to no other. Refused with CONFLICT unless the block is a file, no canvas, and was deleted at that version.
   */
  | { readonly type: "purge-block"; readonly blockId: BlockId; readonly version: number }
  /**
   * Commits a text of a canvas. Changes nothing where the canvas's last revision has the same hash, or this version or a
   * later one: whoever comes second finds it done.
   */
  | { readonly type: "put-revision"; readonly revision: CanvasRevision; readonly text: string }
  /**
   * Adds a suggestion or gives it another state. Refused with CONFLICT unless the stored version is the one before
   * `suggestion.version` (1: there is none). It keeps its canvas and its `createdAt`.
   */
  | { readonly type: "put-suggestion"; readonly suggestion: Suggestion }
  /**
   * Lets go of suggestions of a canvas: of those in which nothing is open and that were last touched before `before`; null
   * for all.
   */
  | { readonly type: "delete-suggestions"; readonly canvasId: BlockId; readonly before: number | null }
  /** Refused with CONFLICT when the number is another actor's. */
  | { readonly type: "put-agent"; readonly agent: AgentRecord }
  /** Refused with CONFLICT while the client has a record under that request id. Its root, where it has one, is stored. */
  | { readonly type: "put-request"; readonly request: RequestRecord }
  /** Deletes the records of requests that took effect before a time (UTC milliseconds). */
  | { readonly type: "delete-requests"; readonly before: number }
  /** Adds a rule, or replaces the one of that id, which keeps its root. Its root, where it has one, is stored. */
  | { readonly type: "put-approval-rule"; readonly rule: ApprovalRule }
  /** A rule that is not there is deleted already. */
  | { readonly type: "delete-approval-rule"; readonly id: string }
  /** For facts of the whole workspace: nothing under a key is deleted with a conversation. */
  | { readonly type: "put-meta"; readonly key: string; readonly value: JsonObject }
  | LeaseWrite
  /** Refused unless the lease is held so, now: STALE_EPOCH, LEASE_EXPIRED, LOCK_NOT_OWNED, in this order. */
  | {
      readonly type: "guard-lease";
      readonly canvasId: BlockId;
      readonly leaseId: LeaseId;
      readonly holder: RunId;
      readonly epoch: number;
      readonly monotonicMs: number;
    };

/**
 * Lease changes, each one conditional statement judged by its row count. Times are on the server's monotonic clock.
 * `lease` is the row that the change leaves behind; the condition is that of core/lease/transition.ts.
 */
export type LeaseWrite =
  /**
   * Creates the row at `lease.epoch`, or takes it when free or over, under a later epoch than the row's; its holder may
   * take it again under its own lease id and epoch. Refused with LOCK_NOT_AVAILABLE while another holds it, with
   * STALE_EPOCH when free or over and not taken under a later epoch.
   */
  | { readonly type: "acquire-lease"; readonly lease: Lease; readonly monotonicMs: number }
  /** Refused with LOCK_NOT_OWNED, LEASE_EXPIRED or STALE_EPOCH unless held by that lease id at that epoch, in time. */
  | { readonly type: "renew-lease"; readonly lease: Lease; readonly monotonicMs: number }
  /** Harmless when the lease is no longer held. */
  | { readonly type: "release-lease"; readonly canvasId: BlockId; readonly leaseId: LeaseId }
  /** Ends whatever lease there is and raises the epoch to at least `epoch`. Always succeeds. */
  | { readonly type: "preempt-lease"; readonly canvasId: BlockId; readonly epoch: number };

/** Why a commit was not made. `index` is the write that was refused; the number of writes where the disk refused them all. */
export type StoreRefusal =
  | { readonly code: "CONFLICT"; readonly index: number; readonly stored: number | null }
  | {
      readonly code: "LOCK_NOT_AVAILABLE" | "LOCK_NOT_OWNED" | "LEASE_EXPIRED" | "STALE_EPOCH";
      readonly index: number;
      readonly lease: Lease | null;
    }
  /** A replica's push whose id is in the block's log already; `version` is what it made then. */
  | { readonly code: "DUPLICATE_REQUEST"; readonly index: number; readonly version: number }
  | { readonly code: "STORE_FULL" | "STORE_FAILED"; readonly index: number; readonly reason: string };

/** Ranked search for words; every word must be there, the last one may be the beginning of a word. */
export interface WordQuery {
  /**
   * As a person typed it; all signs but letters, digits and the marks on them part words, which are compared without case
   * and accents. No word in it finds nothing; of more than 100 different words 100 count.
   */
  readonly words: string;
  readonly in: "messages" | "blocks";
  /** null: everywhere. Only for messages. */
  readonly rootId: RootId | null;
  /** 1 or more. */
  readonly limit: number;
}

/** One find. `excerpt` is at most some 200 UTF-16 units around the first word found. */
export interface WordMatch {
  readonly id: NodeId | BlockId;
  readonly rootId: RootId | null;
  readonly excerpt: string;
}

export interface RevisionQuery {
  readonly canvasId: BlockId;
  /** Exclusive upper bound of versions; null for the newest. */
  readonly beforeVersion: number | null;
  /** 1 or more. */
  readonly limit: number;
}

export interface ChangeQuery {
  readonly blockId: BlockId;
  /** Exclusive lower bound of versions; 0 for all. */
  readonly afterVersion: number;
}

/**
 * Keeps everything durable of a workspace. A commit that has resolved is on disk, and every later read sees it.
 * Methods give a refusal where a condition of the commit fails, and reject where the disk fails or a caller is wrong.
 * `describeStore` of `heddle/testing` tests an implementation.
 */
export interface Store {
  commit(writes: readonly StoreWrite[]): Promise<Result<void, StoreRefusal>>;

  roots(): Promise<readonly ForestRoot[]>;
  root(id: RootId): Promise<ForestRoot | null>;
  /** All nodes of a root, oldest first. */
  nodes(rootId: RootId): Promise<readonly ForestNode[]>;
  node(id: NodeId): Promise<ForestNode | null>;
  /** From the first message to the node itself. */
  path(nodeId: NodeId): Promise<readonly ForestNode[]>;
  /** Children of a node (or of the root: `parentId` null), oldest first. */
  children(rootId: RootId, parentId: NodeId | null): Promise<readonly ForestNode[]>;
  nodeByPrefixHash(rootId: RootId, prefixHash: string): Promise<ForestNode | null>;
  /**
   * The longest stored beginning of a conversation, given the prefix hashes of all its beginnings, shortest first:
   * the node it ends in and how many messages it has. O(log n) indexed look-ups. null: not even the first stands.
   */
  longestPrefix(
    rootId: RootId,
    prefixHashes: readonly string[],
  ): Promise<{ readonly node: ForestNode; readonly length: number } | null>;
  /** The root that was asked for with these settings. */
  rootByConfigHash(configHash: string): Promise<ForestRoot | null>;
  /** A node and everything below it, level by level, each level oldest first. Empty for an unknown node. */
  subtree(nodeId: NodeId): Promise<readonly ForestNode[]>;
  /** All nodes of a root (of all roots: null) without their content, oldest first; reads no content. */
  outline(rootId: RootId | null): Promise<readonly NodeOutline[]>;
  /** Of a root, or of all roots; by the code points of their titles. */
  bookmarks(rootId: RootId | null): Promise<readonly Bookmark[]>;
  /** Best first; equal ranks oldest first. One more than `limit` is never given. A deleted block is not found. */
  searchWords(query: WordQuery): Promise<readonly WordMatch[]>;
  /** Files that are not deleted and whose words are of an earlier version than the block, or that have none; oldest first. */
  filesWithoutWords(): Promise<readonly BlockId[]>;

  runs(rootId: RootId): Promise<readonly RunRecord[]>;
  run(id: RunId): Promise<RunRecord | null>;
  /** Every run that is not at rest: what recovery looks at. */
  unsettledRuns(): Promise<readonly RunRecord[]>;
  effects(runId: RunId): Promise<readonly EffectRecord[]>;
  /** Every event that the run took, oldest first. */
  runEvents(runId: RunId): Promise<readonly RunEventRecord[]>;
  /** Feed entries after `seq`, oldest first, at most `limit`. */
  feed(rootId: RootId, afterSeq: number, limit: number): Promise<readonly FeedRecord[]>;
  /** The last seq of a root's feed; 0 for an empty one. */
  feedSeq(rootId: RootId): Promise<number>;

  block(id: BlockId): Promise<BlockHeader | null>;
  /** Headers of a document, or of all documents with kind `file` when null; oldest first, with those that were deleted. */
  blocks(documentId: DocumentId | null): Promise<readonly BlockHeader[]>;
  /** Of a log that begins later, from its beginning. */
  changes(query: ChangeQuery): Promise<readonly BlockChange[]>;
  /** Where the block's log begins; null while it is whole. */
  logStart(blockId: BlockId): Promise<LogStart | null>;
  snapshot(blockId: BlockId): Promise<SnapshotRecord | null>;
  /** Committed revisions of a canvas, newest first. */
  revisions(query: RevisionQuery): Promise<readonly CanvasRevision[]>;
  /** The text of a committed revision, whatever of the block's log was let go since; null where none is of that version. */
  revisionText(canvasId: BlockId, version: number): Promise<string | null>;
  /** Suggestions for a canvas in which something is open, or (`decided`) all that are kept; oldest first, then by id. */
  suggestions(canvasId: BlockId, decided: boolean): Promise<readonly Suggestion[]>;
  /** The version that a replica's push made, by the id in the block's log; null where the log does not have it. */
  requestVersion(blockId: BlockId, requestId: RequestId): Promise<number | null>;
  /** Changes of a turn in all blocks, oldest first. */
  changesOfTurn(turnId: TurnId): Promise<readonly BlockChange[]>;
  /** The blocks in which changes of a turn were let go, oldest first. */
  trimmedOfTurn(turnId: TurnId): Promise<readonly BlockId[]>;

  agents(): Promise<readonly AgentRecord[]>;
  lease(canvasId: BlockId): Promise<Lease | null>;
  leases(): Promise<readonly Lease[]>;
  /** What a client's request came to, if it took effect and its record is kept. */
  request(clientId: string, requestId: RequestId): Promise<RequestRecord | null>;
  /** Rules of one conversation, or (null) those that count in all; oldest first, then by id. */
  approvalRules(rootId: RootId | null): Promise<readonly ApprovalRule[]>;
  meta(key: string): Promise<JsonObject | null>;

  close(): Promise<void>;
}
