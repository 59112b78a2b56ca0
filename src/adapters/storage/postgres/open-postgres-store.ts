import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Client, Pool } from "pg";
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
import type { Result } from "../../../core/base/result.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type {
  ChangeQuery,
  ChildQuery,
  DraftRevisionQuery,
  RevisionQuery,
  Store,
  StoreRefusal,
  StoreWrite,
  TrashQuery,
  WordQuery,
} from "../../../core/port/store.ts";
import { decodeIndexedText } from "../shared/indexed-text.ts";
import { RowReader } from "../row/row-reader.ts";
import type { Row } from "../row/sql.ts";
import type { SharedRight } from "../shared/database-driver.ts";
import { StoreAwayError, StoreClosedError, StoreFaultError } from "../shared/store-error.ts";
import { decodeHeader } from "../sqlite/tables/blocks.ts";
import { decodePieceKey, decodeSnapshot } from "../sqlite/tables/snapshots.ts";
import { decodeApprovalRule, encodeApprovalRulesQuery } from "../sqlite/tables/approval-rules.ts";
import { decodeBookmark } from "../sqlite/tables/bookmarks.ts";
import { decodeFolder } from "../sqlite/tables/folders.ts";
import { decodeChange } from "../sqlite/tables/change-row.ts";
import { decodeLastMessage, decodeRoot } from "../sqlite/tables/conversations.ts";
import { decodeFeed } from "../sqlite/tables/feed.ts";
import { decodeLogStart } from "../sqlite/tables/log-starts.ts";
import { decodeLease } from "../sqlite/tables/leases.ts";
import { DamagedRows } from "../shared/damaged-rows.ts";
import { decodedParts, rowsAtOnce } from "../shared/decoded-parts.ts";
import { inSlices } from "../shared/in-slices.ts";
import { keptBytesMax, KeptPaths } from "../shared/kept-paths.ts";
import { LongSnapshots } from "../shared/long-snapshots.ts";
import { decodeNode, decodePaidNode, outlineSteps } from "../sqlite/tables/messages.ts";
import { decodeReplica, decodeMeta } from "../sqlite/tables/registry.ts";
import { decodeRequest } from "../sqlite/tables/requests.ts";
import {
  decodeDraftRevision,
  decodeRevision,
  decodeRevisionText,
  encodeDraftRevisionQuery,
  encodeRevisionQuery,
  joinRevisionTexts,
} from "../sqlite/tables/revisions.ts";
import { decodeRunEvent } from "../sqlite/tables/run-events.ts";
import { decodeEffect, decodeRun } from "../sqlite/tables/runs.ts";
import { decodeSuggestion, encodeSuggestionQuery } from "../sqlite/tables/suggestions.ts";
import { decodeAudit, decodeRights } from "../sqlite/tables/rights.ts";
import { decodeSignIn } from "../sqlite/tables/sign-in.ts";
import { decodeThread } from "../sqlite/tables/threads.ts";
import { decodeTrash, decodeTrashedNode, encodeTrashQuery } from "../sqlite/tables/trash.ts";
import { decodeWaiting } from "../sqlite/tables/waiting-messages.ts";
import { connectionConfig, nodeConfig, withSilenceTimeout, type PostgresAddress } from "./connection.ts";
import { postgresFailure } from "./failure.ts";
import { longestStored } from "./longest-prefix.ts";
import { planWrite } from "./plan-write.ts";
import { queries } from "./queries.ts";
import { searchWords } from "./search-words.ts";
import { Statements, type SqlParameter } from "./plan/sql.ts";
import { refusePooled } from "./pooled.ts";
import { openReadOnly, readOnly } from "./read-only.ts";
import { openReaders, readersConfig, type StandbyConnections } from "./standby-connections.ts";
import { openProblem, Writer, type Commits } from "./writer.ts";
import { rightOfNode, rightOfOne, writerName } from "./writer-right.ts";

export interface PostgresStoreOptions {
  /** Reads beside the process that writes, and refuses commits; default false. */
  readonly readOnly?: boolean;
  /** Connections for reading, beside the one that writes; default 4. */
  readonly readersMax?: number;
  /** Connections that were made before; only of a node. */
  readonly standby?: StandbyConnections;
  /** Milliseconds that a commit or a read waits for an unreachable database before it fails; default 10,000. */
  readonly reconnectMs?: number;
  /** The right of a node that shares the database with others; absent: this process is alone, and others are refused. */
  readonly shared?: SharedRight;
  /**
   * Called when another process took the database, or it was lost in the middle of a commit: open requests get no answer,
   * and the process should exit.
   */
  readonly onLost?: (problem: Error) => void;
  /** Called when a row of a list is unreadable, once per kind of damage; the list omits the row. */
  readonly onDamaged?: (problem: string) => void;
}

const reconnectMsDefault = 10_000;
const retryReadMs = 50;

/**
 * Opens the store of one process in one schema of a PostgreSQL database (15 or later); a second process is refused. Rejects
 * with StoreOpenError when the database cannot be used.
 */
export async function openPostgresStore(options: PostgresAddress & PostgresStoreOptions): Promise<Store> {
  const { onDamaged = () => {}, readOnly = false, shared, standby } = options;
  const name = randomUUID();
  const ready = shared === undefined ? undefined : await standby?.take(writerName(shared.incarnation));
  try {
    const writer = await openWriter(options, { name, ready: ready?.writer ?? null });
    const readers = ready?.readers ?? openReaders(readersConfig(options, `heddle reader ${name}`, options.readersMax));
    const { reconnectMs = reconnectMsDefault } = options;
    const closed = (): void => standby?.prepare();
    return new PostgresStore({ writer, readers, reconnectMs, onDamaged, closed, isAlone: !readOnly });
  } catch (problem) {
    await ready?.readers.end();
    standby?.prepare();
    throw openProblem(problem);
  }
}

/** The store as it is read over connections that somebody else closes, beside whoever writes. It refuses commits. */
export function storeReadOver(readers: Pool): Store {
  const nothing = (): void => {};
  const parts = { writer: readOnly, readers, reconnectMs: 0, onDamaged: nothing, closed: nothing, isAlone: false };
  return new PostgresStore(parts);
}

async function openWriter(
  {
    readOnly = false,
    shared,
    reconnectMs = reconnectMsDefault,
    onLost = () => {},
    ...address
  }: PostgresAddress & PostgresStoreOptions,
  { name, ready }: { readonly name: string; readonly ready: Client | null },
): Promise<Commits> {
  const rest = { reconnectMs, onLost };
  if (shared !== undefined && !readOnly) {
    const config = nodeConfig(address, writerName(shared.incarnation), shared.ttlMs);
    return Writer.open({ config, ready, right: rightOfNode(shared), ...rest });
  }
  const config = connectionConfig(address, `heddle ${name}`);
  if (readOnly) return openReadOnly(config);
  await refusePooled(config);
  return Writer.open({ config: withSilenceTimeout(config), right: rightOfOne(config), ...rest });
}

interface StoreParts {
  readonly writer: Commits;
  readonly readers: Pool;
  readonly reconnectMs: number;
  readonly onDamaged: (problem: string) => void;
  /** Its connections are closed. */
  readonly closed: () => void;
  /** Whether no other process writes. */
  readonly isAlone: boolean;
}

class PostgresStore implements Store {
  readonly #writer: Commits;
  readonly #readers: Pool;
  readonly #reconnectMs: number;
  readonly #damaged: DamagedRows;
  readonly #whenClosed: () => void;
  readonly #paths: KeptPaths;
  readonly #commits = new LongSnapshots({
    commit: (writes) => this.#writer.commit(writes.map(planWrite)),
    unnamedPieces: (blockId) => this.#all(queries.unnamedPieces, [blockId], decodePieceKey),
  });
  #closed: Promise<void> | null = null;

  constructor({ writer, readers, reconnectMs, onDamaged, closed, isAlone }: StoreParts) {
    this.#whenClosed = closed;
    this.#writer = writer;
    this.#readers = readers;
    this.#reconnectMs = reconnectMs;
    this.#damaged = new DamagedRows(onDamaged);
    // Beside a process that writes, what was read may be old at once.
    this.#paths = new KeptPaths((nodeId) => this.#all(queries.path, [nodeId], decodeNode), isAlone ? keptBytesMax : 0);
  }

  async commit(writes: readonly StoreWrite[]): Promise<Result<void, StoreRefusal>> {
    try {
      const committed = await this.#commits.commit(writes);
      if (committed.ok) this.#paths.committed(writes);
      return committed;
    } catch (problem) {
      // A connection that was lost in the middle of a commit leaves open whether it took effect.
      this.#paths.clear();
      throw problem;
    }
  }

  roots() {
    return this.#readable("roots", decodeRoot);
  }

  lastMessages() {
    return this.#all(queries.lastMessages, [], decodeLastMessage);
  }

  root(id: RootId) {
    return this.#first(queries.root, [id], decodeRoot);
  }

  nodes(rootId: RootId) {
    return this.#all(queries.nodes, [rootId], decodeNode);
  }

  paidNodes(rootId: RootId) {
    return this.#all(queries.paidNodes, [rootId], decodePaidNode);
  }

  node(id: NodeId) {
    return this.#first(queries.node, [id], decodeNode);
  }

  nodesOf(ids: readonly NodeId[]) {
    return this.#all(queries.nodesOf, [ids], decodeNode);
  }

  path(nodeId: NodeId) {
    return this.#paths.path(nodeId);
  }

  pathEnd(nodeId: NodeId, limit: number) {
    return this.#all(queries.pathEnd, [nodeId, limit], decodeNode);
  }

  children(rootId: RootId, parentId: NodeId | null) {
    return parentId === null
      ? this.#all(queries.topNodes, [rootId], decodeNode)
      : this.#all(queries.children, [rootId, parentId], decodeNode);
  }

  async childrenBefore({ rootId, parentId, before, limit }: ChildQuery) {
    const nodes =
      parentId === null
        ? await this.#all(queries.topNodesBefore, [rootId, before, limit], decodeNode)
        : await this.#all(queries.childrenBefore, [rootId, parentId, before, limit], decodeNode);
    return nodes.toReversed();
  }

  childCounts(rootId: RootId, parentIds: readonly (NodeId | null)[]) {
    return this.#all(queries.childCounts, [rootId, parentIds], decodeInteger);
  }

  async leafBelow(rootId: RootId, nodeId: NodeId | null) {
    const from = nodeId ?? (await this.#first(queries.newestNode, [rootId], decodeNodeId));
    return from === null ? null : this.#first(queries.leafBelow, [rootId, from], decodeNodeId);
  }

  async depth(nodeId: NodeId) {
    return (await this.#first(queries.depth, [nodeId], decodeInteger)) ?? 0;
  }

  async nodeCount(rootId: RootId, atMost: number) {
    return must(await this.#first(queries.nodeCount, [rootId, atMost], decodeInteger), "a count is one row");
  }

  childByHash(rootId: RootId, parentId: NodeId | null, prefixHash: string) {
    return this.#first(queries.childByHash, [rootId, parentId, prefixHash], decodeNode);
  }

  nodeByPrefixHash(rootId: RootId, prefixHash: string) {
    return this.#first(queries.nodeByPrefixHash, [rootId, prefixHash], decodeNode);
  }

  async longestPrefix(
    rootId: RootId,
    prefixHashes: readonly string[],
  ): Promise<{ readonly node: ForestNode; readonly length: number } | null> {
    for (;;) {
      const length = await longestStored(prefixHashes, async (hashes) => {
        const rows = await this.#rows(queries.storedHashes, [rootId, hashes]);
        return new Set(rows.map((row) => new RowReader("messages", row).text()));
      });
      if (length === 0) return null;
      const node = await this.nodeByPrefixHash(rootId, prefixHashes[length - 1] ?? "");
      // The node may have been deleted between the two queries.
      if (node !== null) return { node, length };
    }
  }

  rootByConfigHash(configHash: string) {
    return this.#first(queries.rootByConfigHash, [configHash], decodeRoot);
  }

  subtree(nodeId: NodeId) {
    return this.#all(queries.subtree, [nodeId], decodeNode);
  }

  async outline(rootId: RootId | null) {
    const decode = (row: Row) => outlineSteps(row, rootId);
    const steps =
      rootId === null
        ? await this.#first(queries.outlineOfAll, [], decode)
        : await this.#first(queries.outline, [rootId], decode);
    return steps === null ? [] : inSlices(steps);
  }

  bookmarks(rootId: RootId | null) {
    return rootId === null
      ? this.#all(queries.bookmarks, [], decodeBookmark)
      : this.#all(queries.bookmarksOfRoot, [rootId], decodeBookmark);
  }

  folders() {
    return this.#all(queries.folders, [], decodeFolder);
  }

  searchWords(query: WordQuery) {
    return searchWords((sql, values) => this.#rows(sql, values), query);
  }

  filesWithoutWords() {
    return this.#all(queries.filesWithoutWords, [], decodeBlockId);
  }

  indexedTexts(blockIds: readonly BlockId[]) {
    return this.#all(queries.indexedTexts, [JSON.stringify(blockIds)], decodeIndexedText);
  }

  runs(rootId: RootId) {
    return this.#all(queries.runs, [rootId], decodeRun);
  }

  run(id: RunId) {
    return this.#first(queries.run, [id], decodeRun);
  }

  unsettledRuns() {
    return this.#readable("unsettledRuns", decodeRun);
  }

  effects(runId: RunId) {
    return this.#all(queries.effects, [runId], decodeEffect);
  }

  waiting(runId: RunId) {
    return this.#all(queries.waiting, [runId], decodeWaiting);
  }

  runEvents(runId: RunId) {
    return this.#all(queries.runEvents, [runId], decodeRunEvent);
  }

  feed(rootId: RootId, afterSeq: number, limit: number) {
    return this.#all(queries.feed, [rootId, afterSeq, limit], decodeFeed);
  }

  async feedSeq(rootId: RootId) {
    return must(await this.#first(queries.feedSeq, [rootId], decodeInteger), "an empty feed counts 0");
  }

  block(id: BlockId) {
    return this.#first(queries.block, [id], decodeHeader);
  }

  blocks(documentId: DocumentId | null) {
    return documentId === null
      ? this.#readable("fileBlocks", decodeHeader)
      : this.#all(queries.blocks, [documentId], decodeHeader);
  }

  changes(query: ChangeQuery) {
    return this.#all(queries.changes, [query.blockId, query.afterVersion], decodeChange);
  }

  logStart(blockId: BlockId) {
    return this.#first(queries.logStart, [blockId], decodeLogStart);
  }

  async snapshot(blockId: BlockId) {
    return decodeSnapshot(await this.#rows(queries.snapshot, [blockId]));
  }

  revisions(query: RevisionQuery) {
    return this.#all(queries.revisions, encodeRevisionQuery(query), decodeRevision);
  }

  draftRevisions(query: DraftRevisionQuery) {
    return this.#all(queries.draftRevisions, encodeDraftRevisionQuery(query), decodeDraftRevision);
  }

  async draftRevisionText(canvasId: BlockId, revisionId: string) {
    return joinRevisionTexts(await this.#all(queries.draftRevisionText, [canvasId, revisionId], decodeRevisionText));
  }

  async revisionText(canvasId: BlockId, version: number) {
    return joinRevisionTexts(await this.#all(queries.revisionText, [canvasId, version], decodeRevisionText));
  }

  suggestions(canvasId: BlockId, decided: boolean) {
    const [query, values] = encodeSuggestionQuery(canvasId, decided);
    return this.#all(queries[query], values, decodeSuggestion);
  }

  suggestionsOfDraft(draftId: DraftId) {
    return this.#all(queries.suggestionsOfDraft, [draftId], decodeSuggestion);
  }

  threads(blockId: BlockId) {
    return this.#all(queries.threads, [blockId], decodeThread);
  }

  thread(id: ThreadId) {
    return this.#first(queries.thread, [id], decodeThread);
  }

  threadsOfTurn(turnId: TurnId) {
    return this.#all(queries.threadsOfTurn, [turnId], decodeThread);
  }

  trashedNodes(trashId: TrashId) {
    return this.#all(queries.trashedNodes, [trashId], decodeTrashedNode);
  }

  trashedRoots() {
    return this.#all(queries.trashedRoots, [], decodeRoot);
  }

  trash(query: TrashQuery) {
    return this.#all(queries.trash, encodeTrashQuery(query), decodeTrash);
  }

  trashEntry(id: TrashId) {
    return this.#first(queries.trashEntry, [id], decodeTrash);
  }

  trashed(objectId: string) {
    return this.#first(queries.trashed, [objectId], decodeTrash);
  }

  dueTrash(at: number, limit: number) {
    return this.#all(queries.dueTrash, [at, limit], decodeTrash);
  }

  requestVersion(blockId: BlockId, requestId: RequestId) {
    return this.#first(queries.requestVersion, [blockId, requestId], decodeInteger);
  }

  changesOfTurn(turnId: TurnId) {
    return this.#all(queries.changesOfTurn, [turnId], decodeChange);
  }

  trimmedOfTurn(turnId: TurnId) {
    return this.#all(queries.trimmedOfTurn, [turnId], decodeBlockId);
  }

  replicas() {
    return this.#readable("replicas", decodeReplica);
  }

  lease(canvasId: BlockId) {
    return this.#first(queries.lease, [canvasId], decodeLease);
  }

  leases() {
    return this.#readable("leases", decodeLease);
  }

  request(clientId: string, requestId: RequestId) {
    return this.#first(queries.request, [clientId, requestId], decodeRequest);
  }

  async approvalRules(rootId: RootId | null) {
    const [query, values] = encodeApprovalRulesQuery(rootId);
    return this.#damaged.readable(query, await this.#rows(queries[query], values), decodeApprovalRule);
  }

  rights(afterSeq: number) {
    return this.#all(queries.rights, [afterSeq], decodeRights);
  }

  audit(afterSeq: number, limit: number) {
    return this.#all(queries.audit, [afterSeq, limit], decodeAudit);
  }

  auditHead() {
    return this.#first(queries.auditHead, [], decodeAudit);
  }

  signInFacts() {
    return this.#all(queries.signInFacts, [], decodeSignIn);
  }

  meta(key: string) {
    return this.#first(queries.meta, [key], decodeMeta);
  }

  async close(): Promise<void> {
    // A snapshot that is half written when the store is closed is finished.
    if (this.#closed === null && this.#commits.pending !== null) await this.#commits.pending;
    this.#closed ??= this.#writer
      .close()
      .then(() => this.#readers.end())
      .finally(() => this.#whenClosed());
    await this.#closed;
  }

  async #all<Value>(
    sql: string,
    values: readonly SqlParameter[],
    decode: (row: Row) => Value,
  ): Promise<readonly Value[]> {
    const rows = await this.#rows(sql, values);
    return rows.length <= rowsAtOnce ? rows.map(decode) : inSlices(decodedParts(rows, decode));
  }

  async #first<Value>(
    sql: string,
    values: readonly SqlParameter[],
    decode: (row: Row) => Value,
  ): Promise<Value | null> {
    const row = (await this.#rows(sql, values))[0];
    return row === undefined ? null : decode(row);
  }

  async #readable<Value>(query: keyof typeof queries, decode: (row: Row) => Value): Promise<readonly Value[]> {
    return this.#damaged.readable(query, await this.#rows(queries[query], []), decode);
  }

  /** Retries over another connection when one is lost, since a read changes nothing. */
  async #rows(sql: string, values: readonly SqlParameter[]): Promise<readonly Row[]> {
    const deadline = performance.now() + this.#reconnectMs;
    for (;;) {
      if (this.#closed !== null) throw new StoreClosedError("the store is closed");
      try {
        return await new Statements(this.#readers).all(sql, values);
      } catch (problem) {
        const { type, reason } = postgresFailure(problem);
        if (type !== "lost") throw new StoreFaultError(reason, { cause: problem });
        if (performance.now() > deadline) throw new StoreAwayError(reason, { cause: problem });
      }
      await delay(retryReadMs);
    }
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
