import type { Folder } from "../../../core/base/folder.ts";
import type {
  BlockId,
  FolderId,
  NodeId,
  RootId,
  RunId,
  SuggestionId,
  ThreadId,
  TrashId,
  TurnId,
} from "../../../core/base/ids.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import type { CanvasRevision, DraftRevision } from "../../../core/block/canvas-revision.ts";
import type { Thread } from "../../../core/block/comment/thread.ts";
import type { RevisionText } from "../../../core/block/change/revision-text.ts";
import type { Suggestion } from "../../../core/block/suggestion/suggestion.ts";
import type { BlockChange, BlockHeader } from "../../../core/block/types.ts";
import type { TrashEntry } from "../../../core/forest/trash-entry.ts";
import type { Bookmark, ForestNode, ForestRoot } from "../../../core/forest/types.ts";
import type { Lease } from "../../../core/lease/types.ts";
import type {
  ReplicaRecord,
  EffectRecord,
  LogStart,
  RequestRecord,
  RightsRecord,
  SignInFact,
  RunRecord,
  SnapshotRecord,
} from "../../../core/port/store.ts";
import type { AuditEntry } from "../../../core/rights/audit.ts";
import type { ApprovalRule } from "../../../core/turn/state/approval.ts";
import type { WaitingMessage } from "../../../core/turn/state/waiting.ts";
import type { StoredFeedRecord } from "../../../core/turn/state/stored-feed.ts";
import type { RunEventRecord } from "../../../core/turn/event/run-event.ts";
import type { ReplicaId } from "../../../core/text/types.ts";
import { ForestIndex } from "./forest-index.ts";
import { placesInOrder, type Placed } from "./placed.ts";

/** The indexed text of a block, and the block's version at that text. */
interface BlockWords {
  readonly version: number;
  readonly text: string;
}

/** Everything committed, as a crash leaves it. Records are immutable; only the maps change. */
export interface MemoryTables {
  readonly rootsById: Map<RootId, Placed<ForestRoot>>;
  /** The time of each deletion; a deleted id is never reused. */
  readonly deletedRoots: Map<RootId, number>;
  readonly nodesById: Map<NodeId, Placed<ForestNode>>;
  /** The conversation of each deleted node and the time of its deletion; a deleted id is never reused. */
  readonly deletedNodes: Map<NodeId, { readonly rootId: RootId; readonly at: number }>;
  readonly forest: ForestIndex;
  readonly bookmarksByTitle: Map<string, Bookmark>;
  readonly foldersById: Map<FolderId, Placed<Folder>>;
  readonly runsById: Map<RunId, Placed<RunRecord>>;
  readonly eventsByRun: Map<RunId, RunEventRecord[]>;
  readonly feedsByRoot: Map<RootId, StoredFeedRecord[]>;
  readonly effectsById: Map<string, Placed<EffectRecord>>;
  readonly waitingById: Map<NodeId, WaitingMessage>;
  readonly headersById: Map<BlockId, Placed<BlockHeader>>;
  readonly changesByBlock: Map<BlockId, Placed<BlockChange>[]>;
  readonly versionsByRequest: Map<string, number>;
  readonly snapshotsByBlock: Map<BlockId, SnapshotRecord>;
  /** Oldest first. */
  readonly revisionsByCanvas: Map<BlockId, { readonly revision: CanvasRevision; readonly text: RevisionText }[]>;
  /** By canvas, all drafts together, in the order in which they were kept. */
  readonly draftRevisionsByCanvas: Map<
    BlockId,
    readonly { readonly revision: DraftRevision; readonly text: RevisionText }[]
  >;
  readonly suggestionsById: Map<SuggestionId, Suggestion>;
  readonly threadsById: Map<ThreadId, Thread>;
  readonly trashById: Map<TrashId, TrashEntry>;
  /** Conversations in the trash, and since when. */
  readonly trashedRoots: Map<RootId, number>;
  readonly trashedNodes: Map<TrashId, readonly ForestNode[]>;
  readonly logStartsByBlock: Map<BlockId, LogStart>;
  /** Turns whose changes were trimmed from a block's log. */
  readonly trimmedTurnsByBlock: Map<BlockId, ReadonlySet<TurnId>>;
  readonly wordsByBlock: Map<BlockId, BlockWords>;
  readonly replicasById: Map<ReplicaId, ReplicaRecord>;
  readonly leasesByCanvas: Map<BlockId, Lease>;
  /** By `clientRequestKey`. */
  readonly requestsByKey: Map<string, RequestRecord>;
  readonly approvalRulesById: Map<string, ApprovalRule>;
  /** By `rowKey`. */
  readonly rightsByKey: Map<string, RightsRecord>;
  readonly signInFacts: Map<string, SignInFact>;
  /** The audit log, oldest first, under its one name. */
  readonly auditLog: Map<"audit", AuditEntry[]>;
  readonly metaByKey: Map<string, JsonObject>;
  /** The next place to assign. */
  readonly counter: { next: number };
}

export function emptyTables(): MemoryTables {
  return {
    rootsById: new Map(),
    deletedRoots: new Map(),
    nodesById: new Map(),
    deletedNodes: new Map(),
    forest: new ForestIndex([]),
    bookmarksByTitle: new Map(),
    foldersById: new Map(),
    runsById: new Map(),
    eventsByRun: new Map(),
    feedsByRoot: new Map(),
    effectsById: new Map(),
    waitingById: new Map(),
    headersById: new Map(),
    changesByBlock: new Map(),
    versionsByRequest: new Map(),
    snapshotsByBlock: new Map(),
    revisionsByCanvas: new Map(),
    draftRevisionsByCanvas: new Map(),
    suggestionsById: new Map(),
    threadsById: new Map(),
    trashById: new Map(),
    trashedRoots: new Map(),
    trashedNodes: new Map(),
    logStartsByBlock: new Map(),
    trimmedTurnsByBlock: new Map(),
    wordsByBlock: new Map(),
    replicasById: new Map(),
    leasesByCanvas: new Map(),
    requestsByKey: new Map(),
    approvalRulesById: new Map(),
    rightsByKey: new Map(),
    signInFacts: new Map(),
    auditLog: new Map(),
    metaByKey: new Map(),
    counter: { next: 1 },
  };
}

/** Copies tables: the copy shares no map with the original, only the immutable records. */
function copyTables(tables: MemoryTables): MemoryTables {
  return {
    rootsById: new Map(tables.rootsById),
    deletedRoots: new Map(tables.deletedRoots),
    nodesById: new Map(tables.nodesById),
    deletedNodes: new Map(tables.deletedNodes),
    forest: new ForestIndex(placesInOrder(tables.nodesById.values())),
    bookmarksByTitle: new Map(tables.bookmarksByTitle),
    foldersById: new Map(tables.foldersById),
    runsById: new Map(tables.runsById),
    eventsByRun: new Map([...tables.eventsByRun].map(([id, events]) => [id, [...events]])),
    feedsByRoot: new Map([...tables.feedsByRoot].map(([id, feed]) => [id, [...feed]])),
    effectsById: new Map(tables.effectsById),
    waitingById: new Map(tables.waitingById),
    headersById: new Map(tables.headersById),
    changesByBlock: new Map([...tables.changesByBlock].map(([id, changes]) => [id, [...changes]])),
    versionsByRequest: new Map(tables.versionsByRequest),
    snapshotsByBlock: new Map(tables.snapshotsByBlock),
    revisionsByCanvas: new Map([...tables.revisionsByCanvas].map(([id, revisions]) => [id, [...revisions]])),
    draftRevisionsByCanvas: new Map(tables.draftRevisionsByCanvas),
    suggestionsById: new Map(tables.suggestionsById),
    threadsById: new Map(tables.threadsById),
    trashById: new Map(tables.trashById),
    trashedRoots: new Map(tables.trashedRoots),
    trashedNodes: new Map(tables.trashedNodes),
    logStartsByBlock: new Map(tables.logStartsByBlock),
    trimmedTurnsByBlock: new Map(tables.trimmedTurnsByBlock),
    wordsByBlock: new Map(tables.wordsByBlock),
    replicasById: new Map(tables.replicasById),
    leasesByCanvas: new Map(tables.leasesByCanvas),
    requestsByKey: new Map(tables.requestsByKey),
    approvalRulesById: new Map(tables.approvalRulesById),
    rightsByKey: new Map(tables.rightsByKey),
    signInFacts: new Map(tables.signInFacts),
    auditLog: new Map([...tables.auditLog].map(([name, entries]) => [name, [...entries]])),
    metaByKey: new Map(tables.metaByKey),
    counter: { ...tables.counter },
  };
}

export function requestKey(blockId: BlockId, requestId: string): string {
  return `${blockId}\n${requestId}`;
}

export function clientRequestKey({ clientId, requestId }: Pick<RequestRecord, "clientId" | "requestId">): string {
  return `${clientId}\n${requestId}`;
}

/**
 * The committed content of a memory store at one instant. Opening it again simulates a restart after a crash at that
 * instant.
 */
export class MemoryImage {
  readonly #tables: MemoryTables;

  constructor(tables: MemoryTables) {
    this.#tables = copyTables(tables);
  }

  /** Returns tables for a store that starts from this image; an image may be opened any number of times. */
  open(): MemoryTables {
    return copyTables(this.#tables);
  }
}
