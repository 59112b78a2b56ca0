import type { Actor } from "../base/actor.ts";
import type {
  BlockId,
  DocumentId,
  DraftId,
  LeaseId,
  NodeId,
  PersonId,
  RequestId,
  RootId,
  RunId,
  ThreadId,
  TrashId,
  TurnId,
} from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { Result } from "../base/result.ts";
import type { CanvasRevision, DraftRevision } from "../block/canvas-revision.ts";
import type { Thread } from "../block/comment/thread.ts";
import type { ReadRevisionText, RevisionText } from "../block/change/revision-text.ts";
import type { Suggestion } from "../block/suggestion/suggestion.ts";
import type { BlockChange, BlockHeader } from "../block/types.ts";
import type { TrashEntry } from "../forest/trash-entry.ts";
import type { Folder } from "../base/folder.ts";
import type { Bookmark, ForestNode, ForestRoot, NodeOutline } from "../forest/types.ts";
import type { Lease } from "../lease/types.ts";
import type { PaidNode } from "../model/paid-requests.ts";
import type { AuditEntry } from "../rights/audit.ts";
import type { RightsRow } from "../rights/rights-row.ts";
import type { ReplicaId } from "../text/types.ts";
import type { ApprovalRule } from "../turn/state/approval.ts";
import type { PerformedEffect } from "../turn/event/effect.ts";
import type { TurnSettings } from "../turn/state/settings.ts";
import type { RunEventRecord } from "../turn/event/run-event.ts";
import type { TurnState } from "../turn/state/state.ts";
import type { WaitingMessage } from "../turn/state/waiting.ts";
import type { StoredFeedRecord } from "../turn/state/stored-feed.ts";
import type { TextModule } from "./thread-texts.ts";

/** A stored run: one turn machine at one branch head. */
export interface RunRecord {
  readonly id: RunId;
  readonly rootId: RootId;
  /** The last node of the run's branch; null while the branch is empty. */
  readonly headNodeId: NodeId | null;
  readonly state: TurnState;
  /** When the run entered this state, UTC milliseconds; shown to people. */
  readonly stateSince: number;
  /** The tokens of the model's window that the last reply left filled, from 0; null before the first reply. */
  readonly contextUsed: number | null;
  /** For a sub-agent: the run it works for, and its deadline (UTC milliseconds). */
  readonly subAgent: SubAgentOf | null;
  /** Number of events the run has accepted; fences its writer. */
  readonly eventSeq: number;
  /** The current turn, or the last one. */
  readonly turnId: TurnId | null;
  readonly model: string;
  /** How this turn asks the model, when it differs from the conversation's settings. */
  readonly settings?: AskedSettings;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The part of a turn's settings that the run stores: the model has its own field, and each reply has its own run. */
export interface AskedSettings
  extends Pick<TurnSettings, "maxTokens" | "temperature" | "fallbacks" | "outputSchema" | "draft">, TurnAskers {}

/** Whom a turn works for, and through what they asked: what it may do is what all of them may. */
export interface TurnAskers {
  /** In a team, who began the turn, and whose budget it uses. */
  readonly payer?: PersonId;
  /** In a team, who else steered it. */
  readonly joined?: readonly PersonId[];
  /** The ids of the scoped tokens, and of the permits, with which somebody began or steered it. */
  readonly tokens?: readonly string[];
}

/** The run that started a sub-agent, and the sub-agent's deadline. */
export interface SubAgentOf {
  readonly parentRootId: RootId;
  readonly parentRunId: RunId;
  readonly deadlineAt: number;
}

/** An effect that is not performed yet, or is being performed. Its id is `run/eventSeq/index`. */
export interface EffectRecord {
  readonly id: string;
  readonly runId: RunId;
  readonly effect: PerformedEffect;
  /** When the intent to start a tool was stored, UTC milliseconds; set before the tool starts. */
  readonly startedAt: number | null;
  readonly dueAt: number | null;
}

/** The text of a block at a version, with its history; a block opens from the newest snapshot and the changes after it. */
export interface SnapshotRecord {
  readonly blockId: BlockId;
  readonly version: number;
  readonly bytes: Uint8Array;
}

/** Where a block's log begins after its older changes were deleted. */
export interface LogStart {
  readonly blockId: BlockId;
  /** The version of the first change that is kept, or of the next change when none is. */
  readonly beforeVersion: number;
  /** The result of the deleted changes, from which readers fold the log; opaque to the store. */
  readonly state: JsonObject;
}

/**
 * A request that took effect, with its answer: a repeat of the request gets this answer and is not carried out again. A
 * client uses an id for one request only.
 */
export interface RequestRecord {
  readonly clientId: string;
  readonly requestId: RequestId;
  /** SHA-256 of the parameters, in 64 hex digits: the same id with other parameters is a different request. */
  readonly paramsHash: string;
  readonly answer: JsonObject;
  /** The conversation of the answer, with which the record is deleted; null for the workspace. */
  readonly rootId: RootId | null;
  /** UTC milliseconds. */
  readonly at: number;
}

/** A row of rights and the number of the change that it is from. */
export interface RightsRecord {
  /** From 1; each change has the next. */
  readonly seq: number;
  readonly row: RightsRow;
}

/** One fact of how people sign in: a session, an invitation, a password's hash. Its record never has a secret in the clear. */
export interface SignInFact {
  /** Its kind and its id, such as `session 1f…`. */
  readonly key: string;
  readonly record: JsonObject;
}

export interface ReplicaRecord {
  readonly replica: ReplicaId;
  readonly actor: Actor;
  readonly createdAt: number;
}

/**
 * One change of a transaction. A commit makes all of its writes, in order, or none. A condition that fails refuses the
 * commit with its code. Whatever a write refers to (a node's root and, in that root, its parent; a run's root; an effect's
 * run; the run of a waiting message; the block of a snapshot, revision or words) was stored before or comes earlier in the commit; a node and a run keep
 * their root, and no node is its own ancestor. A commit that breaks these rules rejects.
 */
export type StoreWrite =
  /**
   * Refused with CONFLICT (`stored` null) while another root has the same slug or the same `configHash` (when it has one),
   * and for a deleted root. The root of its parent, if any, must be stored.
   */
  | { readonly type: "put-root"; readonly root: ForestRoot }
  /** Adds a node, or replaces the content, parent or hash of the node with this id. */
  | { readonly type: "put-node"; readonly node: ForestNode }
  /** Recomputes the prefix hashes of all nodes below a node, from that node's hash down. Does nothing for an unknown id. */
  | { readonly type: "rehash-below"; readonly nodeId: NodeId }
  /**
   * Deletes nodes and their bookmarks. Their ids are never accepted again: a later `put-node` of one is refused with
   * CONFLICT. Refused with CONFLICT while a node that is not listed is below one of them, or a run that is not idle has its
   * head there. Heads of idle runs move to the nearest remaining ancestor; nothing else of those runs changes. Unknown ids
   * are ignored; a node of another root rejects.
   */
  | { readonly type: "delete-nodes"; readonly rootId: RootId; readonly ids: readonly NodeId[]; readonly at: number }
  /**
   * Deletes a conversation with everything it owns, also in the trash: messages, bookmarks, runs, waiting messages, events, feed, request records, approval
   * rules, and the live blocks of `documentId`. Its id is never accepted again: a later `put-root` of it is refused with
   * CONFLICT. Refused with CONFLICT while one of its runs is not idle, it has a sub-agent, or the document contains a file.
   * Does nothing for a conversation that does not exist.
   */
  | {
      readonly type: "delete-root";
      readonly rootId: RootId;
      readonly documentId: DocumentId;
      readonly at: number;
    }
  /** Replaces the bookmark with the same title. Its root and its node, in that root, must be stored. */
  /**
   * Hides a conversation: it is in the trash. `root`, `roots`, `rootByConfigHash`, `node`, `subtree`, `outline(null)` and
   * `searchWords` no longer find it or anything in it; its settings' hash is free for another one.
   * Refused with CONFLICT while one of its runs is not idle. Does nothing for a conversation that does not exist.
   */
  | { readonly type: "trash-root"; readonly rootId: RootId; readonly at: number }
  /** Shows a hidden conversation again. Refused with CONFLICT unless it is hidden. */
  | { readonly type: "restore-root"; readonly rootId: RootId }
  /** Keeps messages that the same commit deletes, under an entry of the trash. */
  | { readonly type: "put-trashed-nodes"; readonly trashId: TrashId; readonly nodes: readonly ForestNode[] }
  /**
   * Drops the messages kept under an entry. `restores`: a later `put-node` of them is accepted, although they were deleted.
   */
  | { readonly type: "drop-trashed-nodes"; readonly trashId: TrashId; readonly restores: boolean }
  | { readonly type: "put-bookmark"; readonly bookmark: Bookmark }
  | { readonly type: "delete-bookmark"; readonly title: string }
  /** Adds a folder, or replaces the one with that id. */
  | { readonly type: "put-folder"; readonly folder: Folder }
  /** The words of a block for `searchWords`; words older than the stored ones change nothing. */
  | { readonly type: "put-block-words"; readonly blockId: BlockId; readonly version: number; readonly text: string }
  /** Refused with CONFLICT unless the stored eventSeq equals `expectedEventSeq` (null: the run is new). */
  | { readonly type: "put-run"; readonly run: RunRecord; readonly expectedEventSeq: number | null }
  /** Stores an event that a run accepted; replaces the run's event with the same number. */
  | { readonly type: "put-run-event"; readonly record: RunEventRecord }
  /** Refused with CONFLICT unless seq is the next of its root. */
  | { readonly type: "append-feed"; readonly record: StoredFeedRecord }
  /** Deletes a root's feed entries before `beforeSeq`. The last entry always stays, because it numbers the next. */
  | { readonly type: "trim-feed"; readonly rootId: RootId; readonly beforeSeq: number }
  | { readonly type: "put-effect"; readonly effect: EffectRecord }
  /**
   * Refused with CONFLICT unless the effect exists and has not started (`stored`: when it started; null: it does not exist).
   */
  | { readonly type: "start-effect"; readonly id: string; readonly at: number }
  | { readonly type: "finish-effect"; readonly id: string }
  /** Removes every open effect of the run, because its turn is over. */
  | { readonly type: "finish-effects-of-run"; readonly runId: RunId }
  /** Adds a message that waits for its run, or replaces the one with this id. */
  | { readonly type: "put-waiting"; readonly waiting: WaitingMessage }
  /** Does nothing for a message that does not wait. */
  | { readonly type: "delete-waiting"; readonly id: NodeId }
  /**
   * Header and log row of one mutation. Refused with CONFLICT unless `change.version` follows the stored version. A block
   * keeps its document and kind; a text change that does not start the block alters only the version and time of the
   * header, and a store may write only those two.
   */
  | { readonly type: "put-change"; readonly header: BlockHeader; readonly change: BlockChange }
  /**
   * With `handsOver`, the memory of the bytes is the store's from then on: nobody else may read them. A long snapshot is
   * written in pieces, so later commits may take effect before its own.
   */
  | { readonly type: "put-snapshot"; readonly snapshot: SnapshotRecord; readonly handsOver?: true }
  /**
   * Deletes a block's changes before a version, with their request ids. Refused with CONFLICT unless a snapshot of that
   * version or a later one exists. Does nothing when the log begins there or later.
   */
  | ({ readonly type: "trim-changes" } & LogStart)
  /**
   * Deletes everything stored of a deleted block except its header and its last change, so that its id and place are never
   * reused. Refused with CONFLICT unless the block was deleted at that version.
   */
  | { readonly type: "purge-block"; readonly blockId: BlockId; readonly version: number }
  /**
   * Commits a text of a canvas, whole or as changes of a revision that is stored. Does nothing when the canvas's last
   * revision has the same hash, or has this version or a later one.
   */
  | { readonly type: "put-revision"; readonly revision: CanvasRevision; readonly text: RevisionText }
  /**
   * Keeps a text of a draft, whole or as changes of a kept text of the same draft and canvas, whose `draftVersion` they name.
   * Does nothing when the last of these texts has the same hash, or has this draft version or a later one.
   */
  | { readonly type: "put-draft-revision"; readonly revision: DraftRevision; readonly text: RevisionText }
  /** Deletes all kept texts that a draft has of a canvas. */
  | { readonly type: "delete-draft-revisions"; readonly canvasId: BlockId; readonly draftId: DraftId }
  /**
   * Adds a suggestion or changes its state. Refused with CONFLICT unless the stored version is the one before
   * `suggestion.version` (1: none is stored). It keeps its canvas and its `createdAt`.
   */
  | { readonly type: "put-suggestion"; readonly suggestion: Suggestion }
  /** Deletes suggestions of a canvas: those with nothing open that were last changed before `before`; null for all. */
  | { readonly type: "delete-suggestions"; readonly canvasId: BlockId; readonly before: number | null }
  /**
   * Adds a thread of comments, or changes it. Refused with CONFLICT unless the stored version is the one before
   * `thread.version` (1: none is stored). It keeps its `createdAt`; its document may be another than before.
   */
  | { readonly type: "put-thread"; readonly thread: Thread }
  /** Deletes a thread for good. Does nothing for one that does not exist. */
  | { readonly type: "delete-thread"; readonly id: ThreadId }
  /**
   * Records that an object is in the trash, or replaces the entry with the same id. Refused with CONFLICT while another entry
   * has the object.
   */
  | { readonly type: "put-trash"; readonly entry: TrashEntry }
  /** Refused with CONFLICT unless the entry exists, so that it is restored or purged once. */
  | { readonly type: "delete-trash"; readonly id: TrashId }
  /** Refused with CONFLICT when the number belongs to another actor. */
  | { readonly type: "put-replica"; readonly replica: ReplicaRecord }
  /** Refused with CONFLICT while the client has a record under this request id. Its root, if any, must be stored. */
  | { readonly type: "put-request"; readonly request: RequestRecord }
  /** Deletes the records of requests that took effect before a time (UTC milliseconds). */
  | { readonly type: "delete-requests"; readonly before: number }
  /** Adds a rule, or replaces the rule with the same id, which keeps its root. Its root, if any, must be stored. */
  | { readonly type: "put-approval-rule"; readonly rule: ApprovalRule }
  /** Does nothing for a rule that does not exist. */
  | { readonly type: "delete-approval-rule"; readonly id: string }
  /**
   * Changes who may do what, each row by its `rowKey`; nothing is ever deleted. Refused with CONFLICT unless `seq` follows the
   * stored one, so that of two changes decided by the same rights one is decided again.
   */
  | { readonly type: "put-rights"; readonly seq: number; readonly rows: readonly RightsRow[] }
  /** Refused with CONFLICT unless the entry's seq is the next. No write changes or deletes an entry. */
  | { readonly type: "append-audit"; readonly entry: AuditEntry }
  /** Stores a fact of how people sign in, or replaces the one with this key of printable ASCII. */
  | { readonly type: "put-sign-in"; readonly fact: SignInFact }
  /** Refused with CONFLICT unless the fact exists, so that a link or a code is used once. */
  | { readonly type: "delete-sign-in"; readonly key: string }
  /** For facts of the whole workspace: no key is deleted with a conversation. */
  | { readonly type: "put-meta"; readonly key: string; readonly value: JsonObject }
  | LeaseWrite
  /** Refused unless the lease is held exactly so now. Checks STALE_EPOCH, LEASE_EXPIRED, LOCK_NOT_OWNED, in this order. */
  | {
      readonly type: "guard-lease";
      readonly canvasId: BlockId;
      readonly leaseId: LeaseId;
      readonly holder: RunId;
      readonly epoch: number;
      readonly monotonicMs: number;
    };

/**
 * Lease changes, each one conditional statement that succeeds when it changes a row. Times are on the server's monotonic
 * clock. `lease` is the row after the change; the condition is that of core/lease/transition.ts.
 */
export type LeaseWrite =
  /**
   * Creates the row at `lease.epoch`, or takes it when it is free or expired, under a later epoch than the row's; its holder
   * may take it again under the same lease id and epoch. Refused with LOCK_NOT_AVAILABLE while another run holds it, with
   * STALE_EPOCH when it is free or expired and the epoch is not later.
   */
  | { readonly type: "acquire-lease"; readonly lease: Lease; readonly monotonicMs: number }
  /** Refused with LOCK_NOT_OWNED, LEASE_EXPIRED or STALE_EPOCH unless that lease id holds it at that epoch, in time. */
  | { readonly type: "renew-lease"; readonly lease: Lease; readonly monotonicMs: number }
  /** Does nothing when the lease is no longer held. */
  | { readonly type: "release-lease"; readonly canvasId: BlockId; readonly leaseId: LeaseId }
  /** Ends any lease and raises the epoch to at least `epoch`. Always succeeds. */
  | { readonly type: "preempt-lease"; readonly canvasId: BlockId; readonly epoch: number };

export interface TrashQuery {
  /** Exclusive upper bound of ids; null for the newest. */
  readonly before: TrashId | null;
  /** 1 or more. */
  readonly limit: number;
}

/** Why a commit was refused. `index` is the refused write, or the number of writes when the disk refused them all. */
export type StoreRefusal =
  | { readonly code: "CONFLICT"; readonly index: number; readonly stored: number | null }
  | {
      readonly code: "LOCK_NOT_AVAILABLE" | "LOCK_NOT_OWNED" | "LEASE_EXPIRED" | "STALE_EPOCH";
      readonly index: number;
      readonly lease: Lease | null;
    }
  /** The id of a replica's push is already in the block's log; `version` is the version it made. */
  | { readonly code: "DUPLICATE_REQUEST"; readonly index: number; readonly version: number }
  | { readonly code: "STORE_FULL" | "STORE_FAILED"; readonly index: number; readonly reason: string };

/** The text of a block as it was when its words were indexed. */
export interface IndexedText {
  readonly blockId: BlockId;
  readonly version: number;
  readonly text: string;
}

/** Ranked search for words: all words must occur; the last one may be the beginning of a word. */
export interface WordQuery {
  /**
   * The query as typed. Every character except letters, digits and their marks separates words, which are compared without
   * case and accents. A query without words finds nothing; only the first 100 different words count.
   */
  readonly words: string;
  readonly in: "messages" | "blocks";
  /** null: all conversations. Only for messages. */
  readonly rootId: RootId | null;
  /** 1 or more. */
  readonly limit: number;
}

/** One match. `excerpt` has at most about 200 UTF-16 units around the first word found. */
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

export interface DraftRevisionQuery {
  readonly canvasId: BlockId;
  readonly draftId: DraftId;
  /** Exclusive upper bound of draft versions; null for the newest. */
  readonly beforeVersion: number | null;
  /** 1 or more. */
  readonly limit: number;
}

export interface ChildQuery {
  readonly rootId: RootId;
  readonly parentId: NodeId | null;
  /** Exclusive upper bound; null for the newest. */
  readonly before: NodeId | null;
  /** 1 or more. */
  readonly limit: number;
}

export interface ChangeQuery {
  readonly blockId: BlockId;
  /** Exclusive lower bound of versions; 0 for all. */
  readonly afterVersion: number;
}

/** When a message was last added to a root; null for one without messages. */
export interface LastMessage {
  readonly rootId: RootId;
  readonly at: number | null;
}

/**
 * Stores all durable data of a workspace. A resolved commit is on disk, and every later read sees it. Methods return a
 * refusal when a condition of the commit fails, and reject when the disk fails or the caller made a mistake. `describeStore`
 * of `heddle/testing` tests an implementation.
 */
export interface Store {
  commit(writes: readonly StoreWrite[]): Promise<Result<void, StoreRefusal>>;

  roots(): Promise<readonly ForestRoot[]>;
  root(id: RootId): Promise<ForestRoot | null>;
  /** When the last message of each root was added; reads no content. */
  lastMessages(): Promise<readonly LastMessage[]>;
  /** The conversations in the trash, oldest first. */
  trashedRoots(): Promise<readonly ForestRoot[]>;
  /** The messages kept under an entry of the trash, in the order in which they were given. */
  trashedNodes(trashId: TrashId): Promise<readonly ForestNode[]>;
  /** All nodes of a root, oldest first. */
  nodes(rootId: RootId): Promise<readonly ForestNode[]>;
  /** The nodes of a root for which a request was paid, oldest first, without their messages. */
  paidNodes(rootId: RootId): Promise<readonly PaidNode[]>;
  node(id: NodeId): Promise<ForestNode | null>;
  /** The nodes with these ids, in this order, without those that are not stored. Costs what they cost. */
  nodesOf(ids: readonly NodeId[]): Promise<readonly ForestNode[]>;
  /** The path from the first message to the node. */
  path(nodeId: NodeId): Promise<readonly ForestNode[]>;
  /** The last nodes of the path to a node, in its order: `limit` at most, 1 or more. Costs what they cost. */
  pathEnd(nodeId: NodeId, limit: number): Promise<readonly ForestNode[]>;
  /** Children of a node (or of the root: `parentId` null), oldest first. */
  children(rootId: RootId, parentId: NodeId | null): Promise<readonly ForestNode[]>;
  /** The oldest child with a prefix hash. */
  childByHash(rootId: RootId, parentId: NodeId | null, prefixHash: string): Promise<ForestNode | null>;
  /** The newest children before a child (null: of all), oldest first: `limit` at most, 1 or more. */
  childrenBefore(query: ChildQuery): Promise<readonly ForestNode[]>;
  /** How many children each of these has, in their order; null is the root. */
  childCounts(rootId: RootId, parentIds: readonly (NodeId | null)[]): Promise<readonly number[]>;
  /** The message at the end of the way down by newest children; from the newest message of all for null. */
  leafBelow(rootId: RootId, nodeId: NodeId | null): Promise<NodeId | null>;
  /** The number of messages above a node; 0 for one that is not stored. Costs the same at any depth. */
  depth(nodeId: NodeId): Promise<number>;
  /** The number of messages of a root, counted no further than `atMost`. */
  nodeCount(rootId: RootId, atMost: number): Promise<number>;
  nodeByPrefixHash(rootId: RootId, prefixHash: string): Promise<ForestNode | null>;
  /**
   * Finds the longest stored beginning of a conversation, given the prefix hashes of all its beginnings, shortest first: the
   * node at its end and its number of messages. O(log n) indexed look-ups. null when not even the first is stored.
   */
  longestPrefix(
    rootId: RootId,
    prefixHashes: readonly string[],
  ): Promise<{ readonly node: ForestNode; readonly length: number } | null>;
  /** The root with these settings. */
  rootByConfigHash(configHash: string): Promise<ForestRoot | null>;
  /** A node and all its descendants, level by level, each level oldest first. Empty for an unknown node. */
  subtree(nodeId: NodeId): Promise<readonly ForestNode[]>;
  /** All nodes of a root (of all roots: null) without their content, oldest first; reads no content. */
  outline(rootId: RootId | null): Promise<readonly NodeOutline[]>;
  /** Bookmarks of a root, or of all roots; ordered by the code points of their titles. */
  bookmarks(rootId: RootId | null): Promise<readonly Bookmark[]>;
  /** All folders, also removed ones, in the order in which they were added. */
  folders(): Promise<readonly Folder[]>;
  /** Best first; equal ranks oldest first. At most `limit` matches. Deleted blocks are not found. */
  searchWords(query: WordQuery): Promise<readonly WordMatch[]>;
  /** Files that are not deleted and whose indexed words are missing or older than the block; oldest first. */
  filesWithoutWords(): Promise<readonly BlockId[]>;
  /** The texts given with the words of these blocks, in no order; a block without words is left out. */
  indexedTexts(blockIds: readonly BlockId[]): Promise<readonly IndexedText[]>;
  /** Reads the same texts in another thread. Absent where only the store itself can read them. */
  readonly textModule?: TextModule;

  runs(rootId: RootId): Promise<readonly RunRecord[]>;
  run(id: RunId): Promise<RunRecord | null>;
  /** Every run that is not idle: the input of recovery. */
  unsettledRuns(): Promise<readonly RunRecord[]>;
  effects(runId: RunId): Promise<readonly EffectRecord[]>;
  /** The messages that wait for the run, in their order. */
  waiting(runId: RunId): Promise<readonly WaitingMessage[]>;
  /** Every event of the run, oldest first. */
  runEvents(runId: RunId): Promise<readonly RunEventRecord[]>;
  /** Feed entries after `seq` that are still kept, oldest first, at most `limit`. */
  feed(rootId: RootId, afterSeq: number, limit: number): Promise<readonly StoredFeedRecord[]>;
  /** The last seq of a root's feed; 0 for an empty one. */
  feedSeq(rootId: RootId): Promise<number>;

  block(id: BlockId): Promise<BlockHeader | null>;
  /** Headers of a document, or of all documents with kind `file` when null; oldest first, including deleted blocks. */
  blocks(documentId: DocumentId | null): Promise<readonly BlockHeader[]>;
  /** From the beginning of the log when it begins later. */
  changes(query: ChangeQuery): Promise<readonly BlockChange[]>;
  /** Where the block's log begins; null while it is complete. */
  logStart(blockId: BlockId): Promise<LogStart | null>;
  snapshot(blockId: BlockId): Promise<SnapshotRecord | null>;
  /** Committed revisions of a canvas, newest first. */
  revisions(query: RevisionQuery): Promise<readonly CanvasRevision[]>;
  /**
   * The text of a committed revision, even when the block's changes have been deleted; null when no revision has this
   * version.
   */
  revisionText(canvasId: BlockId, version: number): Promise<ReadRevisionText | null>;
  /** The kept texts of a draft of a canvas, newest first. */
  draftRevisions(query: DraftRevisionQuery): Promise<readonly DraftRevision[]>;
  /** The text of a draft of a canvas, by the id of its revision; null when no draft has this revision. */
  draftRevisionText(canvasId: BlockId, revisionId: string): Promise<ReadRevisionText | null>;
  /** Suggestions for a canvas that have an open hunk or, with `decided`, all stored ones; oldest first, then by id. */
  suggestions(canvasId: BlockId, decided: boolean): Promise<readonly Suggestion[]>;
  /** All stored suggestions of a draft, whatever the document; oldest first, then by id. */
  suggestionsOfDraft(draftId: DraftId): Promise<readonly Suggestion[]>;
  /** The threads of a document's comments, also resolved ones and those in the trash; oldest first, then by id. */
  threads(blockId: BlockId): Promise<readonly Thread[]>;
  thread(id: ThreadId): Promise<Thread | null>;
  /** The threads in which a turn of an agent wrote, oldest first. */
  threadsOfTurn(turnId: TurnId): Promise<readonly Thread[]>;
  /** The version that a replica's push made, by its id in the block's log; null when the log does not have it. */
  requestVersion(blockId: BlockId, requestId: RequestId): Promise<number | null>;
  /** Changes of a turn in all blocks, oldest first. */
  changesOfTurn(turnId: TurnId): Promise<readonly BlockChange[]>;
  /** The files and canvases from which changes of a turn were deleted, oldest first. */
  trimmedOfTurn(turnId: TurnId): Promise<readonly BlockId[]>;

  /** Entries of the trash, newest first. */
  trash(query: TrashQuery): Promise<readonly TrashEntry[]>;
  trashEntry(id: TrashId): Promise<TrashEntry | null>;
  /** The entry of an object (see `trashedId`); null while it is not in the trash. */
  trashed(objectId: string): Promise<TrashEntry | null>;
  /** Entries to be purged at a time (UTC milliseconds), those due first. */
  dueTrash(at: number, limit: number): Promise<readonly TrashEntry[]>;

  replicas(): Promise<readonly ReplicaRecord[]>;
  lease(canvasId: BlockId): Promise<Lease | null>;
  leases(): Promise<readonly Lease[]>;
  /** The stored record of a client's request, if the request took effect. */
  request(clientId: string, requestId: RequestId): Promise<RequestRecord | null>;
  /** Rules of one conversation or, for null, those that apply to all; oldest first, then by id. */
  approvalRules(rootId: RootId | null): Promise<readonly ApprovalRule[]>;
  /** The rows of rights that changed after a seq, oldest first; 0 for all. */
  rights(afterSeq: number): Promise<readonly RightsRecord[]>;
  /** Entries of the audit log after a seq, oldest first, at most `limit`. */
  audit(afterSeq: number, limit: number): Promise<readonly AuditEntry[]>;
  /** The last entry of the audit log. */
  auditHead(): Promise<AuditEntry | null>;
  /** All facts of how people sign in, by key. */
  signInFacts(): Promise<readonly SignInFact[]>;
  meta(key: string): Promise<JsonObject | null>;

  close(): Promise<void>;
}
