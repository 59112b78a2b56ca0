import { must } from "../../../core/base/assert.ts";
import type {
  BlockId,
  DocumentId,
  DraftId,
  NodeId,
  RequestId,
  RootId,
  RunId,
  TrashId,
  TurnId,
  ThreadId,
} from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type {
  ChangeQuery,
  ChildQuery,
  DraftRevisionQuery,
  RevisionQuery,
  Store,
  StoreRefusal,
  StoreWrite,
  TrashQuery,
  WordMatch,
  WordQuery,
} from "../../../core/port/store.ts";
import { DamagedRows } from "../shared/damaged-rows.ts";
import { inSlices } from "../shared/in-slices.ts";
import { decodedParts, rowsAtOnce } from "../shared/decoded-parts.ts";
import { KeptPaths } from "../shared/kept-paths.ts";
import { LongSnapshots } from "../shared/long-snapshots.ts";
import { encodeHashes, type ReadName } from "./reads.ts";
import { encodeWrite } from "./row-write.ts";
import { decodeIndexedText } from "../shared/indexed-text.ts";
import { RowReader } from "../row/row-reader.ts";
import type { Row } from "../row/sql.ts";
import { textModule } from "./thread-texts.ts";
import { Threads } from "./threads.ts";
import { decodeHeader } from "./tables/blocks.ts";
import { decodePieceKey, decodeSnapshot } from "./tables/snapshots.ts";
import { decodeApprovalRule, encodeApprovalRulesQuery } from "./tables/approval-rules.ts";
import { decodeBookmark } from "./tables/bookmarks.ts";
import { decodeFolder } from "./tables/folders.ts";
import { decodeChange } from "./tables/change-row.ts";
import { decodeLastMessage, decodeRoot } from "./tables/conversations.ts";
import { decodeFeed } from "./tables/feed.ts";
import { decodeLogStart } from "./tables/log-starts.ts";
import { decodeLease } from "./tables/leases.ts";
import { decodeNode, decodePaidNode, outlineSteps } from "./tables/messages.ts";
import { decodeReplica, decodeMeta } from "./tables/registry.ts";
import { decodeRequest } from "./tables/requests.ts";
import {
  decodeDraftRevision,
  decodeRevision,
  decodeRevisionText,
  encodeDraftRevisionQuery,
  encodeRevisionQuery,
  joinRevisionTexts,
} from "./tables/revisions.ts";
import { decodeRunEvent } from "./tables/run-events.ts";
import { decodeEffect, decodeRun } from "./tables/runs.ts";
import { decodeSuggestion, encodeSuggestionQuery } from "./tables/suggestions.ts";
import { decodeAudit, decodeRights } from "./tables/rights.ts";
import { decodeSignIn } from "./tables/sign-in.ts";
import { decodeThread } from "./tables/threads.ts";
import { decodeTrash, decodeTrashedNode, encodeTrashQuery } from "./tables/trash.ts";
import { decodeWaiting } from "./tables/waiting-messages.ts";
import type { CommitRefusal } from "./wire.ts";

export interface SqliteStoreOptions {
  /** The database file; created with its tables when missing. Its folder must exist. */
  readonly file: string;
  /** Called when the store's thread ends by itself: reads and writes fail from then on, and the process should exit. */
  readonly onLost?: (problem: Error) => void;
  /**
   * Called when a row of a list is unreadable (the list omits it), once per kind of damage; or when the newest changes
   * cannot be filed and stay where they are.
   */
  readonly onDamaged?: (problem: string) => void;
}

/**
 * Opens the store in one SQLite file and creates the file when it is missing. One process at a time may open it. Rejects
 * with `StoreOpenError` when the file cannot be used.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const threads = await Threads.open(options.file, options);
  return new SqliteStore(options.file, threads, options.onDamaged);
}

class SqliteStore implements Store {
  readonly textModule;
  readonly #threads: Threads;
  readonly #damaged: DamagedRows;
  readonly #paths = new KeptPaths((nodeId) => this.#all("path", [nodeId], decodeNode));
  readonly #commits = new LongSnapshots({
    commit: async (writes) => {
      const refused = await this.#threads.commit(writes.map(encodeWrite));
      return refused === null ? ok(undefined) : err(decodeRefusal(refused));
    },
    unnamedPieces: (blockId) => this.#all("unnamedPieces", [blockId], decodePieceKey),
  });

  constructor(file: string, threads: Threads, onDamaged: ((problem: string) => void) | undefined) {
    this.textModule = textModule(file);
    this.#threads = threads;
    this.#damaged = new DamagedRows(onDamaged);
  }

  async commit(writes: readonly StoreWrite[]): Promise<Result<void, StoreRefusal>> {
    const committed = await this.#commits.commit(writes);
    if (committed.ok) this.#paths.committed(writes);
    return committed;
  }

  roots() {
    return this.#readable("roots", decodeRoot);
  }

  lastMessages() {
    return this.#all("lastMessages", [], decodeLastMessage);
  }

  root(id: RootId) {
    return this.#first("root", [id], decodeRoot);
  }

  nodes(rootId: RootId) {
    return this.#all("nodes", [rootId], decodeNode);
  }

  paidNodes(rootId: RootId) {
    return this.#all("paidNodes", [rootId], decodePaidNode);
  }

  node(id: NodeId) {
    return this.#first("node", [id], decodeNode);
  }

  nodesOf(ids: readonly NodeId[]) {
    return this.#all("nodesOf", [JSON.stringify(ids)], decodeNode);
  }

  path(nodeId: NodeId) {
    return this.#paths.path(nodeId);
  }

  pathEnd(nodeId: NodeId, limit: number) {
    return this.#all("pathEnd", [nodeId, limit], decodeNode);
  }

  children(rootId: RootId, parentId: NodeId | null) {
    return this.#all("children", [rootId, parentId], decodeNode);
  }

  async childrenBefore({ rootId, parentId, before, limit }: ChildQuery) {
    return (await this.#all("childrenBefore", [rootId, parentId, before, limit], decodeNode)).toReversed();
  }

  childCounts(rootId: RootId, parentIds: readonly (NodeId | null)[]) {
    return this.#all("childCounts", [rootId, JSON.stringify(parentIds)], decodeInteger);
  }

  async leafBelow(rootId: RootId, nodeId: NodeId | null) {
    const from = nodeId ?? (await this.#first("newestNode", [rootId], decodeNodeId));
    return from === null ? null : this.#first("leafBelow", [rootId, from], decodeNodeId);
  }

  async depth(nodeId: NodeId) {
    return (await this.#first("depth", [nodeId], decodeInteger)) ?? 0;
  }

  async nodeCount(rootId: RootId, atMost: number) {
    return must(await this.#first("nodeCount", [rootId, atMost], decodeInteger), "a count is one row");
  }

  childByHash(rootId: RootId, parentId: NodeId | null, prefixHash: string) {
    return this.#first("childByHash", [rootId, parentId, prefixHash], decodeNode);
  }

  nodeByPrefixHash(rootId: RootId, prefixHash: string) {
    return this.#first("nodeByPrefixHash", [rootId, prefixHash], decodeNode);
  }

  longestPrefix(rootId: RootId, prefixHashes: readonly string[]) {
    return this.#first("longestPrefix", encodeHashes(rootId, prefixHashes), ([length = null, ...row]) => ({
      node: decodeNode(row),
      length: decodeInteger([length]),
    }));
  }

  rootByConfigHash(configHash: string) {
    return this.#first("rootByConfigHash", [configHash], decodeRoot);
  }

  subtree(nodeId: NodeId) {
    return this.#all("subtree", [nodeId], decodeNode);
  }

  async outline(rootId: RootId | null) {
    const [query, values] = rootId === null ? (["outlineOfAll", []] as const) : (["outline", [rootId]] as const);
    const steps = await this.#first(query, values, (row) => outlineSteps(row, rootId));
    return inSlices(must(steps, "an outline is one row"));
  }

  bookmarks(rootId: RootId | null) {
    return rootId === null
      ? this.#all("bookmarks", [], decodeBookmark)
      : this.#all("bookmarksOfRoot", [rootId], decodeBookmark);
  }

  folders() {
    return this.#all("folders", [], decodeFolder);
  }

  searchWords(query: WordQuery) {
    return query.in === "messages"
      ? this.#all("searchMessages", [query.words, query.rootId, query.limit], decodeMatch)
      : this.#all("searchBlocks", [query.words, query.limit], decodeMatch);
  }

  filesWithoutWords() {
    return this.#all("filesWithoutWords", [], decodeBlockId);
  }

  indexedTexts(blockIds: readonly BlockId[]) {
    return this.#all("indexedTexts", [JSON.stringify(blockIds)], decodeIndexedText);
  }

  runs(rootId: RootId) {
    return this.#all("runs", [rootId], decodeRun);
  }

  run(id: RunId) {
    return this.#first("run", [id], decodeRun);
  }

  unsettledRuns() {
    return this.#readable("unsettledRuns", decodeRun);
  }

  effects(runId: RunId) {
    return this.#all("effects", [runId], decodeEffect);
  }

  waiting(runId: RunId) {
    return this.#all("waiting", [runId], decodeWaiting);
  }

  runEvents(runId: RunId) {
    return this.#all("runEvents", [runId], decodeRunEvent);
  }

  feed(rootId: RootId, afterSeq: number, limit: number) {
    return this.#all("feed", [rootId, afterSeq, limit], decodeFeed);
  }

  async feedSeq(rootId: RootId) {
    return must(await this.#first("feedSeq", [rootId], decodeInteger), "an empty feed counts 0");
  }

  block(id: BlockId) {
    return this.#first("block", [id], decodeHeader);
  }

  blocks(documentId: DocumentId | null) {
    return documentId === null
      ? this.#readable("fileBlocks", decodeHeader)
      : this.#all("blocks", [documentId], decodeHeader);
  }

  changes(query: ChangeQuery) {
    return this.#all("changes", [query.blockId, query.afterVersion], decodeChange);
  }

  logStart(blockId: BlockId) {
    return this.#first("logStart", [blockId], decodeLogStart);
  }

  async snapshot(blockId: BlockId) {
    return decodeSnapshot(await this.#threads.read("snapshot", [blockId]));
  }

  revisions(query: RevisionQuery) {
    return this.#all("revisions", encodeRevisionQuery(query), decodeRevision);
  }

  draftRevisions(query: DraftRevisionQuery) {
    return this.#all("draftRevisions", encodeDraftRevisionQuery(query), decodeDraftRevision);
  }

  async draftRevisionText(canvasId: BlockId, revisionId: string) {
    return joinRevisionTexts(await this.#all("draftRevisionText", [canvasId, revisionId], decodeRevisionText));
  }

  async revisionText(canvasId: BlockId, version: number) {
    return joinRevisionTexts(await this.#all("revisionText", [canvasId, version], decodeRevisionText));
  }

  suggestions(canvasId: BlockId, decided: boolean) {
    return this.#all(...encodeSuggestionQuery(canvasId, decided), decodeSuggestion);
  }

  suggestionsOfDraft(draftId: DraftId) {
    return this.#all("suggestionsOfDraft", [draftId], decodeSuggestion);
  }

  threads(blockId: BlockId) {
    return this.#all("threads", [blockId], decodeThread);
  }

  thread(id: ThreadId) {
    return this.#first("thread", [id], decodeThread);
  }

  threadsOfTurn(turnId: TurnId) {
    return this.#all("threadsOfTurn", [turnId], decodeThread);
  }

  requestVersion(blockId: BlockId, requestId: RequestId) {
    return this.#first("requestVersion", [blockId, requestId], decodeInteger);
  }

  changesOfTurn(turnId: TurnId) {
    return this.#all("changesOfTurn", [turnId], decodeChange);
  }

  trimmedOfTurn(turnId: TurnId) {
    return this.#all("trimmedOfTurn", [turnId], decodeBlockId);
  }

  replicas() {
    return this.#readable("replicas", decodeReplica);
  }

  trashedNodes(trashId: TrashId) {
    return this.#all("trashedNodes", [trashId], decodeTrashedNode);
  }

  trashedRoots() {
    return this.#readable("trashedRoots", decodeRoot);
  }

  trash(query: TrashQuery) {
    return this.#all("trash", encodeTrashQuery(query), decodeTrash);
  }

  trashEntry(id: TrashId) {
    return this.#first("trashEntry", [id], decodeTrash);
  }

  trashed(objectId: string) {
    return this.#first("trashed", [objectId], decodeTrash);
  }

  dueTrash(at: number, limit: number) {
    return this.#all("dueTrash", [at, limit], decodeTrash);
  }

  lease(canvasId: BlockId) {
    return this.#first("lease", [canvasId], decodeLease);
  }

  leases() {
    return this.#readable("leases", decodeLease);
  }

  request(clientId: string, requestId: RequestId) {
    return this.#first("request", [clientId, requestId], decodeRequest);
  }

  async approvalRules(rootId: RootId | null) {
    const [query, values] = encodeApprovalRulesQuery(rootId);
    return this.#damaged.readable(query, await this.#threads.read(query, values), decodeApprovalRule);
  }

  rights(afterSeq: number) {
    return this.#all("rights", [afterSeq], decodeRights);
  }

  audit(afterSeq: number, limit: number) {
    return this.#all("audit", [afterSeq, limit], decodeAudit);
  }

  auditHead() {
    return this.#first("auditHead", [], decodeAudit);
  }

  signInFacts() {
    return this.#all("signInFacts", [], decodeSignIn);
  }

  meta(key: string) {
    return this.#first("meta", [key], decodeMeta);
  }

  async close() {
    // A snapshot that is half written when the store is closed is finished.
    if (this.#commits.pending !== null) await this.#commits.pending;
    await this.#threads.close();
  }

  async #all<Value>(query: ReadName, values: Row, decode: (row: Row) => Value): Promise<readonly Value[]> {
    const rows = await this.#threads.read(query, values);
    return rows.length <= rowsAtOnce ? rows.map(decode) : inSlices(decodedParts(rows, decode));
  }

  async #readable<Value>(query: ReadName, decode: (row: Row) => Value): Promise<readonly Value[]> {
    return this.#damaged.readable(query, await this.#threads.read(query, []), decode);
  }

  async #first<Value>(query: ReadName, values: Row, decode: (row: Row) => Value): Promise<Value | null> {
    const row = (await this.#threads.read(query, values))[0];
    return row === undefined ? null : decode(row);
  }
}

function decodeBlockId(row: Row): BlockId {
  return new RowReader("a file", row).text<BlockId>();
}

function decodeNodeId(row: Row): NodeId {
  return new RowReader("a message", row).text<NodeId>();
}

function decodeInteger(row: Row): number {
  return new RowReader("a count", row).integer();
}

function decodeMatch(row: Row): WordMatch {
  const read = new RowReader("words", row);
  return { id: read.text<NodeId | BlockId>(), rootId: read.textOrNull(), excerpt: read.text() };
}

function decodeRefusal(refused: CommitRefusal): StoreRefusal {
  return "lease" in refused
    ? { ...refused, lease: refused.lease === null ? null : decodeLease(refused.lease) }
    : refused;
}
