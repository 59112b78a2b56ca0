import { readRevision, type ReadRevisionText, type RevisionText } from "../../../core/block/change/revision-text.ts";
import type { TextChange } from "../../../core/text/types.ts";
import { assert } from "../../../core/base/assert.ts";
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
import { turnsIn, type Thread } from "../../../core/block/comment/thread.ts";
import { isOpen } from "../../../core/block/suggestion/suggestion.ts";
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
import { isSettled } from "../../../core/turn/step/precheck.ts";
import { longestStored } from "../shared/longest-prefix.ts";
import { turnOfChange } from "../shared/turn-of-change.ts";
import { paidNode } from "../shared/paid-node.ts";
import { applyAll } from "./apply.ts";
import { searchMemory } from "./search-memory.ts";
import { dueTrashIn, trashedIn, trashEntryIn, trashIn } from "./trash.ts";
import { inOrder, type Placed } from "./placed.ts";
import { clientRequestKey, emptyTables, MemoryImage, requestKey, type MemoryTables } from "./tables.ts";

export interface MemoryStoreOptions {
  /** Schedules a queued commit; by default in a microtask. One call makes the oldest commit. */
  readonly schedule?: (makeCommit: () => void) => void;
  /** Called before each commit; a returned code makes the disk fail for that commit. */
  readonly fault?: (writes: readonly StoreWrite[]) => "STORE_FULL" | "STORE_FAILED" | null;
}

export interface MemoryStore extends Store {
  /** Returns what is committed now; later commits do not change it. */
  image(): MemoryImage;
}

/**
 * Opens a store in memory for tests and simulations, empty or with the content of `from`. Its content can be copied at any
 * time.
 */
export function openMemoryStore(from?: MemoryImage, options: MemoryStoreOptions = {}): MemoryStore {
  return new OpenMemoryStore(from?.open() ?? emptyTables(), options);
}

interface QueuedCommit {
  readonly writes: readonly StoreWrite[];
  readonly resolve: (result: Result<void, StoreRefusal>) => void;
  readonly reject: (bug: unknown) => void;
}

class OpenMemoryStore implements MemoryStore {
  readonly #tables: MemoryTables;
  readonly #options: MemoryStoreOptions;
  readonly #queue: QueuedCommit[] = [];
  #closed: Promise<void> | null = null;
  #onDrained: (() => void) | null = null;

  constructor(tables: MemoryTables, options: MemoryStoreOptions) {
    this.#tables = tables;
    this.#options = options;
  }

  async commit(writes: readonly StoreWrite[]): Promise<Result<void, StoreRefusal>> {
    assert(this.#closed === null, "the store is open");
    return new Promise((resolve, reject) => {
      this.#queue.push({ writes, resolve, reject });
      const schedule = this.#options.schedule ?? queueMicrotask;
      schedule(() => this.#makeOldestCommit());
    });
  }

  #makeOldestCommit(): void {
    const next = this.#queue.shift();
    if (next === undefined) return;
    try {
      const fault = this.#options.fault?.(next.writes) ?? null;
      const refused: StoreRefusal | null =
        fault === null
          ? applyAll(this.#tables, next.writes)
          : { code: fault, index: next.writes.length, reason: "injected fault" };
      next.resolve(refused === null ? ok(undefined) : err(refused));
    } catch (bug) {
      next.reject(bug);
    }
    if (this.#queue.length === 0) this.#onDrained?.();
  }

  image(): MemoryImage {
    return new MemoryImage(this.#tables);
  }

  async roots() {
    const { rootsById, trashedRoots } = this.#read();
    return inOrder(rootsById.values()).filter(({ id }) => !trashedRoots.has(id));
  }

  async lastMessages() {
    const roots = await this.roots();
    return Promise.all(
      roots.map(async ({ id: rootId }) => ({ rootId, at: (await this.nodes(rootId)).at(-1)?.createdAt ?? null })),
    );
  }

  async trashedRoots() {
    const { rootsById, trashedRoots } = this.#read();
    return inOrder(rootsById.values()).filter(({ id }) => trashedRoots.has(id));
  }

  async trashedNodes(trashId: TrashId) {
    return this.#read().trashedNodes.get(trashId) ?? [];
  }

  async root(id: RootId) {
    const { rootsById, trashedRoots } = this.#read();
    return trashedRoots.has(id) ? null : (rootsById.get(id)?.value ?? null);
  }

  async nodes(rootId: RootId) {
    return valuesOf(this.#read().forest.ofRoot(rootId));
  }

  async paidNodes(rootId: RootId) {
    const isPaid = ({ usage, variants }: ForestNode): boolean => usage !== null || variants !== undefined;
    return (await this.nodes(rootId)).filter(isPaid).map(paidNode);
  }

  async node(id: NodeId) {
    const { nodesById, trashedRoots } = this.#read();
    const node = nodesById.get(id)?.value;
    return node === undefined || trashedRoots.has(node.rootId) ? null : node;
  }

  async nodesOf(ids: readonly NodeId[]) {
    return (await Promise.all(ids.map((id) => this.node(id)))).filter((node) => node !== null);
  }

  async path(nodeId: NodeId) {
    const path: ForestNode[] = [];
    const { nodesById } = this.#read();
    for (let node = nodesById.get(nodeId)?.value; node !== undefined;) {
      path.push(node);
      node = node.parentId === null ? undefined : nodesById.get(node.parentId)?.value;
    }
    return path.toReversed();
  }

  async pathEnd(nodeId: NodeId, limit: number) {
    return (await this.path(nodeId)).slice(-limit);
  }

  async children(rootId: RootId, parentId: NodeId | null) {
    return valuesOf(this.#read().forest.children(rootId, parentId));
  }

  async childByHash(rootId: RootId, parentId: NodeId | null, prefixHash: string) {
    return (await this.children(rootId, parentId)).find((child) => child.prefixHash === prefixHash) ?? null;
  }

  async childrenBefore({ rootId, parentId, before, limit }: ChildQuery) {
    const children = await this.children(rootId, parentId);
    const end = before === null ? children.length : children.findIndex(({ id }) => id === before);
    return children.slice(Math.max(0, end - limit), Math.max(0, end));
  }

  async childCounts(rootId: RootId, parentIds: readonly (NodeId | null)[]) {
    const { forest } = this.#read();
    return parentIds.map((parentId) => [...forest.children(rootId, parentId)].length);
  }

  async leafBelow(rootId: RootId, nodeId: NodeId | null) {
    let leaf = nodeId ?? (await this.nodes(rootId)).at(-1)?.id ?? null;
    for (let next = leaf; next !== null;) {
      leaf = next;
      next = (await this.children(rootId, next)).at(-1)?.id ?? null;
    }
    return leaf;
  }

  async depth(nodeId: NodeId) {
    return Math.max(0, (await this.path(nodeId)).length - 1);
  }

  async nodeCount(rootId: RootId, atMost: number) {
    return Math.min(atMost, (await this.nodes(rootId)).length);
  }

  async nodeByPrefixHash(rootId: RootId, prefixHash: string) {
    return this.#read().forest.byHash(rootId, prefixHash)?.value ?? null;
  }

  async longestPrefix(rootId: RootId, prefixHashes: readonly string[]) {
    const { forest } = this.#read();
    const longest = longestStored(prefixHashes, (hash) => forest.byHash(rootId, hash));
    return longest === null ? null : { node: longest.found.value, length: longest.length };
  }

  async rootByConfigHash(configHash: string) {
    return (await this.roots()).find((root) => root.configHash === configHash) ?? null;
  }

  async subtree(nodeId: NodeId) {
    const { nodesById, forest, trashedRoots } = this.#read();
    const top = nodesById.get(nodeId)?.value;
    const found = top === undefined || trashedRoots.has(top.rootId) ? [] : [top];
    for (let next = 0; next < found.length;) {
      const level = found.slice(next).flatMap(({ rootId, id }) => forest.children(rootId, id));
      next = found.length;
      for (const { value } of level.toSorted((a, b) => a.place - b.place)) found.push(value);
    }
    return found;
  }

  async outline(rootId: RootId | null) {
    const tables = this.#read();
    const shown = ({ rootId: of }: ForestNode): boolean => !tables.trashedRoots.has(of);
    const nodes =
      rootId === null ? inOrder(tables.nodesById.values()).filter(shown) : valuesOf(tables.forest.ofRoot(rootId));
    return nodes.map((node) => ({
      id: node.id,
      rootId: node.rootId,
      parentId: node.parentId,
      role: node.message.role,
      createdAt: node.createdAt,
    }));
  }

  async bookmarks(rootId: RootId | null) {
    return [...this.#read().bookmarksByTitle.values()]
      .filter((bookmark) => rootId === null || bookmark.rootId === rootId)
      .toSorted((a, b) => compareCodePoints(a.title, b.title));
  }

  async folders() {
    return inOrder(this.#read().foldersById.values());
  }

  async searchWords(query: WordQuery) {
    return searchMemory(this.#read(), query);
  }

  async filesWithoutWords() {
    const { headersById, wordsByBlock } = this.#read();
    return inOrder(headersById.values())
      .filter(({ kind, deletedAt }) => kind === "file" && deletedAt === undefined)
      .filter(({ id, version }) => (wordsByBlock.get(id)?.version ?? 0) < version)
      .map(({ id }) => id);
  }

  async indexedTexts(blockIds: readonly BlockId[]) {
    const { wordsByBlock } = this.#read();
    return blockIds.flatMap((blockId) => {
      const words = wordsByBlock.get(blockId);
      return words === undefined ? [] : [{ blockId, version: words.version, text: words.text }];
    });
  }

  async runs(rootId: RootId) {
    return inOrder(this.#read().runsById.values()).filter((run) => run.rootId === rootId);
  }

  async run(id: RunId) {
    return this.#read().runsById.get(id)?.value ?? null;
  }

  async unsettledRuns() {
    return inOrder(this.#read().runsById.values()).filter(({ state }) => !isSettled(state));
  }

  async waiting(runId: RunId) {
    return [...this.#read().waitingById.values()]
      .filter((waiting) => waiting.runId === runId)
      .toSorted((a, b) => a.place - b.place || (a.id < b.id ? -1 : 1));
  }

  async effects(runId: RunId) {
    return inOrder(this.#read().effectsById.values()).filter((effect) => effect.runId === runId);
  }

  async runEvents(runId: RunId) {
    return [...(this.#read().eventsByRun.get(runId) ?? [])];
  }

  async feed(rootId: RootId, afterSeq: number, limit: number) {
    const kept = this.#read().feedsByRoot.get(rootId) ?? [];
    return kept.filter(({ seq }) => seq > afterSeq).slice(0, limit);
  }

  async feedSeq(rootId: RootId) {
    return this.#read().feedsByRoot.get(rootId)?.at(-1)?.seq ?? 0;
  }

  async block(id: BlockId) {
    return this.#read().headersById.get(id)?.value ?? null;
  }

  async blocks(documentId: DocumentId | null) {
    return inOrder(this.#read().headersById.values()).filter((header) =>
      documentId === null ? header.kind === "file" : header.documentId === documentId,
    );
  }

  async changes(query: ChangeQuery) {
    const changes = this.#read().changesByBlock.get(query.blockId) ?? [];
    const before = (changes[0]?.value.version ?? 1) - 1;
    return changes.slice(Math.max(0, query.afterVersion - before)).map((entry) => entry.value);
  }

  async logStart(blockId: BlockId) {
    return this.#read().logStartsByBlock.get(blockId) ?? null;
  }

  async snapshot(blockId: BlockId) {
    return this.#read().snapshotsByBlock.get(blockId) ?? null;
  }

  async revisions({ canvasId, beforeVersion, limit }: RevisionQuery) {
    const revisions = this.#read().revisionsByCanvas.get(canvasId) ?? [];
    const before = beforeVersion ?? Number.POSITIVE_INFINITY;
    return revisions
      .map(({ revision }) => revision)
      .filter(({ version }) => version < before)
      .slice(-limit)
      .toReversed();
  }

  async revisionText(canvasId: BlockId, version: number) {
    const revisions = this.#read().revisionsByCanvas.get(canvasId) ?? [];
    return textThrough(version, (at) => revisions.find(({ revision }) => revision.version === at)?.text);
  }

  async draftRevisions({ canvasId, draftId, beforeVersion, limit }: DraftRevisionQuery) {
    const kept = this.#read().draftRevisionsByCanvas.get(canvasId) ?? [];
    const before = beforeVersion ?? Number.POSITIVE_INFINITY;
    return kept
      .flatMap(({ revision }) => (revision.draftId === draftId && revision.draftVersion < before ? [revision] : []))
      .slice(-limit)
      .toReversed();
  }

  async draftRevisionText(canvasId: BlockId, revisionId: string) {
    const kept = this.#read().draftRevisionsByCanvas.get(canvasId) ?? [];
    const found = kept.find(({ revision }) => revision.revisionId === revisionId)?.revision;
    if (found === undefined) return null;
    const own = kept.filter(({ revision }) => revision.draftId === found.draftId);
    return textThrough(found.draftVersion, (at) => own.find(({ revision }) => revision.draftVersion === at)?.text);
  }

  async suggestions(canvasId: BlockId, decided: boolean) {
    return [...this.#read().suggestionsById.values()]
      .filter((suggestion) => suggestion.canvasId === canvasId && (decided || isOpen(suggestion)))
      .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  async suggestionsOfDraft(draftId: DraftId) {
    return [...this.#read().suggestionsById.values()]
      .filter((suggestion) => suggestion.draftId === draftId)
      .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  async threads(blockId: BlockId) {
    return this.#threadsWhere((thread) => thread.blockId === blockId);
  }

  async thread(id: ThreadId) {
    return this.#read().threadsById.get(id) ?? null;
  }

  async threadsOfTurn(turnId: TurnId) {
    return this.#threadsWhere((thread) => turnsIn(thread).includes(turnId));
  }

  #threadsWhere(isWanted: (thread: Thread) => boolean): readonly Thread[] {
    return [...this.#read().threadsById.values()]
      .filter(isWanted)
      .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  async requestVersion(blockId: BlockId, requestId: RequestId) {
    return this.#read().versionsByRequest.get(requestKey(blockId, requestId)) ?? null;
  }

  async changesOfTurn(turnId: TurnId) {
    return inOrder([...this.#read().changesByBlock.values()].flat()).filter(
      (change) => turnOfChange(change) === turnId,
    );
  }

  async trimmedOfTurn(turnId: TurnId) {
    const { headersById, trimmedTurnsByBlock } = this.#read();
    return inOrder(headersById.values())
      .map(({ id }) => id)
      .filter((id) => trimmedTurnsByBlock.get(id)?.has(turnId));
  }

  async trash(query: TrashQuery) {
    return trashIn(this.#read(), query);
  }

  async trashEntry(id: TrashId) {
    return trashEntryIn(this.#read(), id);
  }

  async trashed(objectId: string) {
    return trashedIn(this.#read(), objectId);
  }

  async dueTrash(at: number, limit: number) {
    return dueTrashIn(this.#read(), at, limit);
  }

  async replicas() {
    return [...this.#read().replicasById.values()].toSorted((a, b) => a.replica - b.replica);
  }

  async lease(canvasId: BlockId) {
    return this.#read().leasesByCanvas.get(canvasId) ?? null;
  }

  async leases() {
    return [...this.#read().leasesByCanvas.values()].toSorted((a, b) => (a.canvasId < b.canvasId ? -1 : 1));
  }

  async request(clientId: string, requestId: RequestId) {
    return this.#read().requestsByKey.get(clientRequestKey({ clientId, requestId })) ?? null;
  }

  async approvalRules(rootId: RootId | null) {
    return [...this.#read().approvalRulesById.values()]
      .filter((rule) => rule.rootId === rootId)
      .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  async rights(afterSeq: number) {
    const later = [...this.#read().rightsByKey].filter(([, { seq }]) => seq > afterSeq);
    // Keys in the order of the databases, which compare them as JSON.
    const order = ([key]: (typeof later)[number]): string => JSON.stringify(key);
    return later.toSorted((a, b) => a[1].seq - b[1].seq || (order(a) < order(b) ? -1 : 1)).map(([, record]) => record);
  }

  async audit(afterSeq: number, limit: number) {
    return (this.#read().auditLog.get("audit") ?? []).slice(afterSeq, afterSeq + limit);
  }

  async signInFacts() {
    return [...this.#read().signInFacts.values()].toSorted((one, other) => (one.key < other.key ? -1 : 1));
  }

  async auditHead() {
    return this.#read().auditLog.get("audit")?.at(-1) ?? null;
  }

  async meta(key: string) {
    return this.#read().metaByKey.get(key) ?? null;
  }

  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      if (this.#queue.length === 0) resolve();
      else this.#onDrained = resolve;
    });
    return this.#closed;
  }

  #read(): MemoryTables {
    assert(this.#closed === null, "the store is open");
    return this.#tables;
  }
}

function valuesOf<Value>(placed: readonly Placed<Value>[]): readonly Value[] {
  return placed.map(({ value }) => value);
}

/** Compares like a database's binary collation, which sorts by UTF-8: a surrogate pair comes after every single unit. */
function compareCodePoints(a: string, b: string): number {
  const left = Array.from(a, (sign) => sign.codePointAt(0) ?? 0);
  const right = Array.from(b, (sign) => sign.codePointAt(0) ?? 0);
  for (const [at, point] of left.entries()) {
    const other = right[at];
    if (other === undefined) return 1;
    if (point !== other) return point - other;
  }
  return left.length - right.length;
}

/** Reads a text through all that it is stored as changes of. */
function textThrough(version: number, textAt: (version: number) => RevisionText | undefined): ReadRevisionText | null {
  const steps: (readonly TextChange[])[] = [];
  for (let at = version; ;) {
    const text = textAt(at);
    if (text === undefined) return null;
    if (typeof text === "string") return readRevision(text, steps.toReversed());
    steps.push(text.changes);
    at = text.from;
  }
}
