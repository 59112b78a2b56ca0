import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, DocumentId, RequestId, TurnId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { BlockChange, BlockChangeBody, BlockHeader, BlockStatus, EditPolicy } from "../../core/block/types.ts";
import { planHeaderUpdate, type HeaderWish } from "../../core/block/header-update.ts";
import { moveStatus } from "../../core/block/status.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import { createDocument } from "../../core/text/document.ts";
import type { AgentId, TextChange, TextVersion } from "../../core/text/types.ts";
import type { Agents } from "../agents.ts";
import { orderSiblings } from "./block-order.ts";
import { documentOfBlock } from "./document-of.ts";
import { FileDirectory } from "./file-directory.ts";
import { readHistory, type BlockHistory, type HistoryPage } from "./history.ts";
import { blockNotFound, Lane, whyClosed, type LanePorts } from "./lane.ts";
import { hubLimits, type Retention } from "./limits.ts";
import type { Applied, Mutation } from "./mutation.ts";
import { storedTextVersion } from "./log-start.ts";
import { OpenBlock, textRefusal, type TextMutation } from "./open-block.ts";
import type {
  AcceptedChange,
  Author,
  BlockReading,
  BlockWatcher,
  CatchUp,
  DocumentHub,
  EditOptions,
  NewBlock,
  TurnedChange,
  TurnUndo,
  UndoOptions,
} from "./types.ts";
import { Suggestions } from "./suggestions.ts";
import { turningOverOwn, turnOverTurn, type Direction } from "./turn-over.ts";
import { previewTurn, type TurnPreview } from "./turn-preview.ts";
import type { TurnInBlock } from "./undo-ledger.ts";
import { ownHand, type Writer } from "./writer.ts";

/** Whether an agent holds a canvas now: while it does, and its policy is exclusive, people may not type there. */
interface LeaseView {
  isHeld(canvasId: BlockId): boolean;
}

export interface HubPorts {
  readonly store: Store;
  readonly platform: Pick<Platform, "clock" | "logger" | "random">;
  readonly leases: LeaseView;
  readonly agents: Pick<Agents, "handOf" | "ownerOf">;
  /** How much of each block's history is kept; `hubLimits.retention` by default. */
  readonly retention?: Retention;
}

/** The document hub, with what the rest of the host needs of it beside the common contract. */
export interface HostDocumentHub extends DocumentHub {
  /** What agents suggest for canvases, and its review. */
  readonly suggestions: Suggestions;
  /** Runs `work` while nothing else happens in the block's document: what it is given stays true until it is done. */
  hold<Value>(
    blockId: BlockId,
    work: (reading: BlockReading) => Promise<Result<Value, Refusal>>,
  ): Promise<Result<Value, Refusal>>;
  /** Tells that a canvas is gone, or that its metadata and so perhaps its title is another. */
  onCanvasChanged(listener: () => void): () => void;
  /** Tells of every commit's changes, of all documents. */
  onChanges(listener: (changes: readonly BlockChange[]) => void): () => void;
  /** Tells of every file block that a commit changed, with the header that it left. */
  onFileChanged(listener: (header: BlockHeader) => void): () => void;
  /** Undoes everything of an agent's turn that stands, in every file it changed: all or none, and once for a request id. */
  undoTurn(author: Author, turnId: TurnId, requestId?: RequestId): Promise<Result<readonly TurnUndo[], Refusal>>;
  redoTurn(author: Author, turnId: TurnId, requestId?: RequestId): Promise<Result<readonly TurnUndo[], Refusal>>;
  /** What was done to a block, newest first. */
  history(blockId: BlockId, page: HistoryPage): Promise<Result<BlockHistory, Refusal>>;
  /** What a copy of a block at a version lacks; of a deleted one too, up to its end. */
  catchUp(blockId: BlockId, afterVersion: number): Promise<Result<CatchUp, Refusal>>;
  /** Turns of agents that changed this block, newest first. */
  turnsOf(blockId: BlockId): Promise<Result<readonly TurnInBlock[], Refusal>>;
  /** What a turn changed in a block, so that it can be looked at before it is undone or brought back. */
  previewTurn(blockId: BlockId, turnId: TurnId): Promise<Result<TurnPreview, Refusal>>;
  /**
   * Lets go of a file block for good, with all its history: CONFLICT where it is at another version, watched, or a canvas.
   * What is left is a deleted block.
   */
  evict(author: Author, blockId: BlockId, version: number): Promise<Result<void, Refusal>>;
  /**
   * Deletes documents for good with whatever `commit` stores: meanwhile nothing happens in them, and afterwards nothing of
   * them is in memory. They hold no files.
   */
  removeDocuments(
    ids: readonly DocumentId[],
    commit: () => Promise<Result<void, Refusal>>,
  ): Promise<Result<void, Refusal>>;
  /** Writes out all buffered text, so that every header has its last version. */
  settle(): Promise<void>;
}

export function createDocumentHub(ports: HubPorts): HostDocumentHub {
  return new Hub(ports);
}

type Planner = Parameters<DocumentHub["editWith"]>[2];

class Hub implements HostDocumentHub {
  readonly suggestions: Suggestions;
  readonly #store: Store;
  readonly #platform: HubPorts["platform"];
  readonly #leases: LeaseView;
  readonly #agents: HubPorts["agents"];
  readonly #lanesById = new Map<DocumentId, Lane>();
  readonly #canvasListeners = new Set<() => void>();
  readonly #changeListeners = new Set<(changes: readonly BlockChange[]) => void>();
  readonly #files: FileDirectory;
  readonly #retention: Retention;

  constructor({ store, platform, leases, agents, retention = hubLimits.retention }: HubPorts) {
    this.#agents = agents;
    this.#retention = retention;
    this.#store = store;
    this.#files = new FileDirectory(store);
    this.#platform = platform;
    this.#leases = leases;
    this.suggestions = new Suggestions({
      store,
      platform,
      laneOf: (blockId) => this.#laneOf(blockId),
      whyRefused: (author, block) => this.#whyRefused(author, block),
      decidedKeptMs: retention.ageMs,
    });
  }

  create(author: Author, block: NewBlock): Promise<Result<BlockHeader, Refusal>> {
    const lane = this.#lane(block.documentId);
    return lane.alone(async () => {
      const misplaced = await this.#whyMisplaced(block);
      if (misplaced !== null) return err(misplaced);
      // Before anything is built of it: that takes longer than others should wait.
      if (block.text.length > hubLimits.textUnitsMax) {
        return err(refusal("BLOCK_TOO_LARGE", { actual: block.text.length, max: hubLimits.textUnitsMax }));
      }
      const document = createDocument();
      const writer = await this.#writer(author);
      if (!writer.ok) return writer;
      const filled = document.edit(
        writer.value.hand,
        block.text === "" ? [] : [{ from: 0, to: 0, insert: block.text }],
      );
      if (!filled.ok) return err(textRefusal(filled.error));
      const at = this.#platform.clock.now();
      const header: BlockHeader = {
        id: `${block.documentId}/${author.agent}/${await lane.nextSeq(author)}` as BlockId,
        documentId: block.documentId,
        parentId: block.parentId,
        role: block.role,
        kind: block.kind,
        status: block.status,
        version: 0,
        metadata: block.after === undefined ? block.metadata : { ...block.metadata, after: block.after },
        collapsed: false,
        excluded: false,
        ...(block.policy === undefined ? {} : { policy: block.policy }),
        createdAt: at,
        updatedAt: at,
      };
      const body: BlockChangeBody = {
        type: "created",
        header,
        update: block.text === "" ? new Uint8Array() : filled.value.update,
        spans: filled.value.spans,
      };
      let open = new OpenBlock(header, document);
      const created = await lane.mutateNow({
        blockId: header.id,
        author,
        creates: () => {
          open = new OpenBlock(header, document);
          return open;
        },
        plan: () => ok([body]),
      });
      return created.ok ? ok(open.header) : created;
    });
  }

  read(blockId: BlockId): Promise<Result<BlockReading, Refusal>> {
    return this.#alone(blockId, async (block) => ok(readingOf(block)));
  }

  readAt(blockId: BlockId, version: number): Promise<Result<BlockReading, Refusal>> {
    return this.#alone(blockId, async (block) => {
      const newest = block.header.version;
      if (!Number.isSafeInteger(version) || version < 1 || version > newest) {
        return err(refusal("VERSION_UNKNOWN", { requested: version, max: newest }));
      }
      const textVersion = block.textVersionAt(version) ?? (await storedTextVersion(this.#store, blockId, version));
      if (textVersion === undefined) return err(refusal("VERSION_UNKNOWN", { requested: version, max: newest }));
      const text = block.document.textAt(textVersion);
      if (!text.ok) return err(textRefusal(text.error));
      return ok({ header: { ...block.header, version }, text: text.value, textVersion });
    });
  }

  async list(documentId: DocumentId | null): Promise<readonly BlockHeader[]> {
    if (documentId === null) return this.#files.list();
    // What was deleted still says where the blocks stand that were put after it.
    return orderSiblings(await this.#store.blocks(documentId)).filter((header) => header.deletedAt === undefined);
  }

  hold<Value>(
    blockId: BlockId,
    work: (reading: BlockReading) => Promise<Result<Value, Refusal>>,
  ): Promise<Result<Value, Refusal>> {
    return this.#alone(blockId, (block) => work(readingOf(block)));
  }

  edit(
    author: Author,
    blockId: BlockId,
    plan: { readonly changes: readonly TextChange[]; readonly at?: TextVersion },
    options: EditOptions = {},
  ): Promise<Result<AcceptedChange, Refusal>> {
    return this.#mutateText(author, blockId, (block, writer) => block.edit(writer, plan.changes, plan.at), options);
  }

  editWith(
    author: Author,
    blockId: BlockId,
    plan: Planner,
    options: EditOptions = {},
  ): Promise<Result<AcceptedChange, Refusal>> {
    const planned = (block: OpenBlock, writer: Writer): Result<TextMutation, Refusal> => {
      const decided = plan(readingOf(block));
      return decided.ok ? block.edit(writer, decided.value.changes, decided.value.at) : decided;
    };
    return this.#mutateText(author, blockId, planned, options);
  }

  async push(
    author: Author,
    blockId: BlockId,
    update: Uint8Array,
    requestId: RequestId,
  ): Promise<Result<{ readonly version: number }, Refusal>> {
    return this.#mutate({
      blockId,
      author,
      requestId,
      plan: (block) => {
        const refused = this.#whyRefused(author, block);
        if (refused !== null) return err(refused);
        const typed = { ...author, unit: { id: block.typingUnit(author.agent, this.#platform.clock.monotonic()) } };
        const merged = block.merge(typed, update);
        return merged.ok ? ok(textBodies(block, merged.value)) : merged;
      },
    });
  }

  append(author: Author, blockId: BlockId, text: string): Promise<Result<{ readonly version: number }, Refusal>> {
    return this.#laneOf(blockId).append(author, blockId, text);
  }

  setStatus(
    author: Author,
    blockId: BlockId,
    status: BlockStatus,
    options: EditOptions = {},
  ): Promise<Result<{ readonly version: number }, Refusal>> {
    return this.#mutateHeader(author, blockId, { ...options, closes: true }, (header, broken) => {
      const actual = broken && status === "done" ? "error" : status;
      if (actual === header.status) return ok([]);
      const moved = moveStatus(header.status, actual);
      return moved.ok ? ok([{ type: "status", status: actual }]) : moved;
    });
  }

  setPolicy(
    author: Author,
    blockId: BlockId,
    policy: EditPolicy,
  ): Promise<Result<{ readonly version: number }, Refusal>> {
    return this.#mutate({
      blockId,
      author,
      plan: ({ header }) => ok(header.policy === policy ? [] : [{ type: "policy", policy }]),
    });
  }

  update(
    author: Author,
    blockId: BlockId,
    wish: HeaderWish,
    options: EditOptions = {},
  ): Promise<Result<{ readonly version: number }, Refusal>> {
    return this.#mutateHeader(author, blockId, options, (header) => planHeaderUpdate(header, wish));
  }

  delete(
    author: Author,
    blockId: BlockId,
    options: EditOptions = {},
  ): Promise<Result<{ readonly version: number }, Refusal>> {
    let canvasId: BlockId | null = null;
    // What is suggested for a canvas is nothing without it.
    const also = (): readonly StoreWrite[] =>
      canvasId === null ? [] : [{ type: "delete-suggestions", canvasId, before: null }];
    return this.#mutateHeader(author, blockId, { ...options, closes: true, also }, (header) => {
      if (isReviewed(author, header)) return err(refusal("REVIEW_NEEDED", { block_id: blockId }));
      canvasId = header.policy === undefined ? null : blockId;
      return ok([{ type: "deleted" }]);
    });
  }

  async evict(author: Author, blockId: BlockId, version: number): Promise<Result<void, Refusal>> {
    const isSpare = (header: BlockHeader): boolean =>
      header.kind === "file" &&
      header.policy === undefined &&
      header.version === version &&
      !this.#laneOf(blockId).feed.isWatched(blockId);
    const deleted = await this.#mutateHeader(author, blockId, { closes: true }, (header) =>
      isSpare(header) ? ok([{ type: "deleted" }]) : err(refusal("CONFLICT", { block_id: blockId })),
    );
    if (!deleted.ok) return deleted;
    const purged = await this.#store.commit([{ type: "purge-block", blockId, version: deleted.value.version }]);
    return purged.ok ? ok(undefined) : err(refusal(purged.error.code === "STORE_FULL" ? "STORE_FULL" : "STORE_FAILED"));
  }

  onCanvasChanged(listener: () => void): () => void {
    const own = (): void => listener();
    this.#canvasListeners.add(own);
    return () => this.#canvasListeners.delete(own);
  }

  onChanges(listener: (changes: readonly BlockChange[]) => void): () => void {
    const own = (changes: readonly BlockChange[]): void => listener(changes);
    this.#changeListeners.add(own);
    return () => this.#changeListeners.delete(own);
  }

  onFileChanged(listener: (header: BlockHeader) => void): () => void {
    return this.#files.onChanged(listener);
  }

  undo(author: Author, blockId: BlockId, options: UndoOptions = {}): Promise<Result<TurnedChange, Refusal>> {
    return this.#turnOver(author, blockId, "undoes", options);
  }

  redo(author: Author, blockId: BlockId, options: UndoOptions = {}): Promise<Result<TurnedChange, Refusal>> {
    return this.#turnOver(author, blockId, "redoes", options);
  }

  undoTurn(author: Author, turnId: TurnId, requestId?: RequestId): Promise<Result<readonly TurnUndo[], Refusal>> {
    return this.#turnOverTurn(author, { turnId, requestId, direction: "undoes" });
  }

  redoTurn(author: Author, turnId: TurnId, requestId?: RequestId): Promise<Result<readonly TurnUndo[], Refusal>> {
    return this.#turnOverTurn(author, { turnId, requestId, direction: "redoes" });
  }

  turnsOf(blockId: BlockId): Promise<Result<readonly TurnInBlock[], Refusal>> {
    return this.#alone(blockId, async (block) => {
      await block.openLedger(this.#store, this.#ownerOf);
      return ok(block.ledger.turns());
    });
  }

  previewTurn(blockId: BlockId, turnId: TurnId): Promise<Result<TurnPreview, Refusal>> {
    return this.#alone(blockId, async (block) => {
      await block.openLedger(this.#store, this.#ownerOf);
      return previewTurn(block, turnId);
    });
  }

  history(blockId: BlockId, page: HistoryPage): Promise<Result<BlockHistory, Refusal>> {
    return this.#alone(blockId, async (block) => ok(await readHistory(this.#store, block, page)));
  }

  catchUp(blockId: BlockId, afterVersion: number): Promise<Result<CatchUp, Refusal>> {
    const lane = this.#laneOf(blockId);
    return lane.alone(async () => {
      const block = await lane.settled(blockId);
      if (block !== null) return ok(await this.#lacking(block, afterVersion));
      const header = await this.#store.block(blockId);
      if (header === null) return err(blockNotFound(blockId));
      const changes = await this.#store.changes({ blockId, afterVersion });
      // Of what is gone, only its end can be told to whoever missed more than is kept.
      return ok({ type: "changes", header, changes: isGapless(changes, afterVersion) ? changes : changes.slice(-1) });
    });
  }

  watch(blockId: BlockId, afterVersion: number, watcher: BlockWatcher): Promise<Result<() => void, Refusal>> {
    const lane = this.#laneOf(blockId);
    return this.#alone(blockId, async (block) => {
      const lacking = await this.#lacking(block, afterVersion);
      if (lacking.type === "snapshot") watcher.snapshot(lacking.header, lacking.document, lacking.textHash);
      else if (lacking.changes.length > 0) watcher.deliver(lacking.changes);
      return ok(lane.feed.watch(blockId, watcher));
    });
  }

  watchDocument(documentId: DocumentId, deliver: Parameters<DocumentHub["watchDocument"]>[1]): () => void {
    return this.#lane(documentId).feed.watchDocument(deliver);
  }

  removeDocuments: HostDocumentHub["removeDocuments"] = ([first, ...rest], commit) =>
    first === undefined ? commit() : this.#lane(first).remove(() => this.removeDocuments(rest, commit));

  async settle(): Promise<void> {
    await Promise.all([...this.#lanesById.values()].map((lane) => lane.settle()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lanesById.values()].map((lane) => lane.close()));
    this.#lanesById.clear();
  }

  /** Changes something beside the text. */
  async #mutateHeader(
    author: Author,
    blockId: BlockId,
    options: EditOptions & Pick<Mutation, "closes" | "also">,
    plan: (header: BlockHeader, broken: boolean) => Result<readonly BlockChangeBody[], Refusal>,
  ): Promise<Result<{ readonly version: number }, Refusal>> {
    let canvasChanged = false;
    const applied = await this.#mutate({
      ...options,
      blockId,
      author,
      plan: (block, broken) => {
        const leased = this.#whyLeased(author, block);
        if (leased !== null) return err(leased);
        const bodies = plan(block.header, broken);
        const told = bodies.ok && bodies.value.some(({ type }) => type === "metadata" || type === "deleted");
        canvasChanged = told && block.header.policy !== undefined;
        return bodies;
      },
    });
    if (applied.ok && canvasChanged) for (const listener of this.#canvasListeners) listener();
    return applied.ok ? ok({ version: applied.value.version }) : applied;
  }

  async #mutateText(
    author: Author,
    blockId: BlockId,
    change: (block: OpenBlock, writer: Writer) => Result<TextMutation, Refusal>,
    options: EditOptions,
  ): Promise<Result<AcceptedChange, Refusal>> {
    let made: Pick<AcceptedChange, "text" | "delta"> = { text: "", delta: [] };
    // Without a wait where there is none to make: edits keep the order in which they were asked for.
    const writer = author.actor.type === "person" ? await this.#writer(author) : ok(ownHand(author));
    if (!writer.ok) return writer;
    const applied = await this.#mutate({
      blockId,
      author,
      ...options,
      plan: (block) => {
        const refused = this.#whyRefused(author, block);
        if (refused !== null) return err(refused);
        block.endTyping(author.agent);
        const changed = change(block, writer.value);
        if (!changed.ok) return changed;
        made = { text: block.document.text(), delta: changed.value.delta };
        return ok(textBodies(block, changed.value));
      },
    });
    return this.#accepted(blockId, applied, () => made);
  }

  /** Undoes or redoes the last of the author's own units that still changes anything. */
  async #turnOver(
    author: Author,
    blockId: BlockId,
    direction: Direction,
    { toolCallId, ...options }: UndoOptions,
  ): Promise<Result<TurnedChange, Refusal>> {
    const writer = await this.#writer(author);
    if (!writer.ok) return writer;
    const ports = { store: this.#store, whyRefused: (by: Author, block: OpenBlock) => this.#whyRefused(by, block) };
    const { mutation, made, reviewed } = turningOverOwn(ports, { writer: writer.value, direction, toolCallId });
    const applied = await this.#mutate({ blockId, author, ...options, ...mutation });
    if (applied.ok && !applied.value.repeated) this.suggestions.tell(blockId, reviewed());
    const accepted = await this.#accepted(blockId, applied, made);
    return accepted.ok ? ok({ changedByOthers: [], ...accepted.value }) : accepted;
  }

  async #turnOverTurn(
    author: Author,
    wish: { readonly turnId: TurnId; readonly requestId: RequestId | undefined; readonly direction: Direction },
  ): Promise<Result<readonly TurnUndo[], Refusal>> {
    const writer = await this.#writer(author);
    if (!writer.ok) return writer;
    const ports = {
      store: this.#store,
      laneOf: (blockId: BlockId) => this.#laneOf(blockId),
      whyRefused: (by: Author, block: OpenBlock) => this.#whyRefused(by, block),
      ownerOf: this.#ownerOf,
    };
    return turnOverTurn(ports, { ...wish, writer: writer.value });
  }

  /** What became of a text mutation; the text as it is now for a request that was carried out before. */
  async #accepted(
    blockId: BlockId,
    applied: Result<Applied, Refusal>,
    made: () => Pick<AcceptedChange, "text" | "delta">,
  ): Promise<Result<AcceptedChange, Refusal>> {
    if (!applied.ok) return applied;
    const { version, repeated } = applied.value;
    if (!repeated) return ok({ version, ...made() });
    const now = await this.read(blockId);
    return now.ok ? ok({ version, text: now.value.text, delta: [] }) : now;
  }

  async #mutate(mutation: Mutation): Promise<Result<Applied, Refusal>> {
    return this.#laneOf(mutation.blockId).mutate(mutation);
  }

  async #lacking(block: OpenBlock, afterVersion: number): Promise<CatchUp> {
    const { header } = block;
    if (afterVersion >= 1 && afterVersion <= header.version) {
      const changes = await this.#store.changes({ blockId: header.id, afterVersion });
      if (isGapless(changes, afterVersion)) return { type: "changes", header, changes };
    }
    return { type: "snapshot", header, ...block.snapshot() };
  }

  #alone<Value>(
    blockId: BlockId,
    work: (block: OpenBlock) => Promise<Result<Value, Refusal>>,
  ): Promise<Result<Value, Refusal>> {
    const lane = this.#laneOf(blockId);
    return lane.alone(async () => {
      const block = await lane.settled(blockId);
      return block === null ? err(blockNotFound(blockId)) : work(block);
    });
  }

  readonly #ownerOf = (agent: AgentId): Promise<AgentId> => this.#agents.ownerOf(agent);

  /** A page's operations are numbered by the page: what the server writes for it, it writes by a hand of its own. */
  async #writer(author: Author): Promise<Result<Writer, Refusal>> {
    if (author.actor.type !== "person") return ok(ownHand(author));
    const hand = await this.#agents.handOf(author.agent);
    return hand.ok ? ok({ ...author, hand: hand.value }) : hand;
  }

  #whyRefused(author: Author, block: OpenBlock): Refusal | null {
    const unreviewed = isReviewed(author, block.header) ? refusal("REVIEW_NEEDED", { block_id: block.id }) : null;
    return this.#whyLeased(author, block) ?? unreviewed ?? whyClosed(block);
  }

  /** Why a person may not write here now: an agent has the canvas to itself. */
  #whyLeased(author: Author, block: OpenBlock): Refusal | null {
    const exclusive = block.header.policy === "lease" && author.actor.type === "person";
    return exclusive && this.#leases.isHeld(block.id) ? refusal("CANVAS_LEASED", { canvas_id: block.id }) : null;
  }

  async #whyMisplaced(block: NewBlock): Promise<Refusal | null> {
    if (block.parentId !== null && (await this.#standing(block.parentId)) === null) {
      return blockNotFound(block.parentId);
    }
    if (block.after === undefined) return null;
    const sibling = await this.#standing(block.after);
    if (sibling === null || sibling.documentId !== block.documentId) return blockNotFound(block.after);
    return sibling.parentId === block.parentId
      ? null
      : refusal("INVALID_PARAMS", { path: "after", expected: "a block under the same parent" });
  }

  /** The header of a block that is not deleted. */
  async #standing(blockId: BlockId): Promise<BlockHeader | null> {
    const header = await this.#store.block(blockId);
    return header?.deletedAt === undefined ? header : null;
  }

  #laneOf(blockId: BlockId): Lane {
    return this.#lane(documentOfBlock(blockId));
  }

  #lane(documentId: DocumentId): Lane {
    const known = this.#lanesById.get(documentId);
    if (known !== undefined) return known;
    const { clock, logger } = this.#platform;
    const onCommitted: LanePorts["onCommitted"] = (headers, changes) => {
      for (const header of headers) this.#files.committed(header);
      for (const listener of this.#changeListeners) listener(changes);
    };
    const ports = {
      store: this.#store,
      clock,
      logger,
      ownerOf: this.#ownerOf,
      retention: this.#retention,
      onCommitted,
    };
    const lane = new Lane(documentId, ports, () => {
      if (this.#lanesById.get(documentId) === lane) this.#lanesById.delete(documentId);
    });
    this.#lanesById.set(documentId, lane);
    return lane;
  }
}

/** Whether these changes go on from a version; those right after it may have been let go of. */
function isGapless([first]: readonly BlockChange[], afterVersion: number): boolean {
  return first === undefined || first.version === afterVersion + 1;
}

/** Whether what the author does to the block waits for a person. */
function isReviewed({ actor }: Author, { policy }: BlockHeader): boolean {
  return policy === "suggest" && actor.type === "model";
}

function readingOf(block: OpenBlock): BlockReading {
  return { header: block.header, text: block.document.text(), textVersion: block.document.version() };
}

/** A text mutation, after the status that the first write gives to a pending block. */
function textBodies(block: OpenBlock, { body }: TextMutation): readonly BlockChangeBody[] {
  if (body === null) return [];
  return block.header.status === "pending" ? [{ type: "status", status: "running" }, body] : [body];
}
