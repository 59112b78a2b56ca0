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
import { lacking, lackingOfDeleted } from "./catch-up.ts";
import type { HostDocumentHub } from "./host-document-hub.ts";
import { Lane, type LanePorts } from "./lane.ts";
import { hubLimits, type Retention } from "./limits.ts";
import type { Applied, Mutation } from "./mutation.ts";
import { newHeader } from "./new-header.ts";
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
import { blockNotFound } from "./why-closed.ts";
import { whyMisplaced } from "./why-misplaced.ts";
import { whyTooMuchMetadata } from "./why-too-much-metadata.ts";
import { isReviewed, WriteGate, type LeaseView } from "./write-gate.ts";
import { ownHand, type Writer } from "./writer.ts";

export interface HubPorts {
  readonly store: Store;
  readonly platform: Pick<Platform, "clock" | "logger" | "random">;
  readonly leases: LeaseView;
  readonly agents: Pick<Agents, "handOf" | "ownerOf">;
  /** How much of each block's history is kept; `hubLimits.retention` by default. */
  readonly retention?: Retention;
}

export function createDocumentHub(ports: HubPorts): HostDocumentHub {
  return new Hub(ports);
}

type Planner = Parameters<DocumentHub["editWith"]>[2];
type TextPlan = (block: OpenBlock, writer: Writer) => Result<TextMutation, Refusal>;

class Hub implements HostDocumentHub {
  readonly suggestions: Suggestions;
  readonly #store: Store;
  readonly #platform: HubPorts["platform"];
  readonly #gate: WriteGate;
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
    this.#gate = new WriteGate(leases);
    this.suggestions = new Suggestions({
      store,
      platform,
      laneOf: (blockId) => this.#laneOf(blockId),
      whyRefused: (author, block) => this.#gate.whyRefused(author, block),
      decidedKeptMs: retention.ageMs,
    });
  }

  create(author: Author, block: NewBlock): Promise<Result<BlockHeader, Refusal>> {
    const lane = this.#lane(block.documentId);
    return lane.alone(async () => {
      const misplaced = await whyMisplaced(this.#store, block);
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
      const id = `${block.documentId}/${author.agent}/${await lane.nextSeq(author)}` as BlockId;
      const header = newHeader(block, id, this.#platform.clock.now());
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
    return this.#mutateText(author, blockId, planning(plan), options);
  }

  async tryEdit(
    author: Author,
    blockId: BlockId,
    plan: Planner,
    { guards = [] }: Pick<EditOptions, "guards"> = {},
  ): Promise<Result<void, Refusal>> {
    const writer = await this.#writer(author);
    if (!writer.ok) return writer;
    return this.#alone(blockId, async (block) => {
      const planned = this.#planText(block.copy(), writer.value, planning(plan));
      if (!planned.ok) return planned;
      const held = guards.length === 0 ? ok(undefined) : await this.#store.commit(guards);
      if (held.ok) return held;
      const { code } = held.error;
      return err(refusal(code === "DUPLICATE_REQUEST" ? "INTERNAL" : code));
    });
  }

  push(
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
        const refused = this.#gate.whyRefused(author, block);
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
    return this.#mutateHeader(author, blockId, options, (header) => {
      const planned = planHeaderUpdate(header, wish);
      const next = planned.ok ? planned.value.find((body) => body.type === "metadata") : undefined;
      const tooMuch = next === undefined ? null : whyTooMuchMetadata(next.metadata, header.metadata);
      return tooMuch === null ? planned : err(tooMuch);
    });
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
    const also = (): readonly StoreWrite[] => [{ type: "purge-block", blockId, version: version + 1 }];
    const deleted = await this.#mutateHeader(author, blockId, { closes: true, also }, (header) =>
      isSpare(header) ? ok([{ type: "deleted" }]) : err(refusal("CONFLICT", { block_id: blockId })),
    );
    return deleted.ok ? ok(undefined) : deleted;
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
      if (block !== null) return ok(await lacking(this.#store, block, afterVersion));
      const changes = await lackingOfDeleted(this.#store, blockId, afterVersion);
      return changes === null ? err(blockNotFound(blockId)) : ok(changes);
    });
  }

  watch(blockId: BlockId, afterVersion: number, watcher: BlockWatcher): Promise<Result<() => void, Refusal>> {
    const lane = this.#laneOf(blockId);
    return this.#alone(blockId, async (block) => {
      const missed = await lacking(this.#store, block, afterVersion);
      if (missed.type === "snapshot") watcher.snapshot(missed.header, missed.document, missed.textHash);
      else if (missed.changes.length > 0) watcher.deliver(missed.changes);
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
        const leased = this.#gate.whyLeased(author, block);
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
    change: TextPlan,
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
        const changed = this.#planText(block, writer.value, change);
        if (!changed.ok) return changed;
        made = { text: block.document.text(), delta: changed.value.delta };
        return ok(textBodies(block, changed.value));
      },
    });
    return this.#accepted(blockId, applied, () => made);
  }

  /** Changes a text in memory, for whoever may write there. */
  #planText(block: OpenBlock, writer: Writer, change: TextPlan): Result<TextMutation, Refusal> {
    const refused = this.#gate.whyRefused(writer, block);
    if (refused !== null) return err(refused);
    block.endTyping(writer.agent);
    return change(block, writer);
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
    const ports = {
      store: this.#store,
      whyRefused: (by: Author, block: OpenBlock) => this.#gate.whyRefused(by, block),
    };
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
      whyRefused: (by: Author, block: OpenBlock) => this.#gate.whyRefused(by, block),
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

  #mutate(mutation: Mutation): Promise<Result<Applied, Refusal>> {
    return this.#laneOf(mutation.blockId).mutate(mutation);
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

function readingOf(block: OpenBlock): BlockReading {
  return { header: block.header, text: block.document.text(), textVersion: block.document.version() };
}

/** An edit that is planned for the text as it is right then. */
function planning(plan: Planner): TextPlan {
  return (block, writer) => {
    const decided = plan(readingOf(block));
    return decided.ok ? block.edit(writer, decided.value.changes, decided.value.at) : decided;
  };
}

/** A text mutation, after the status that the first write gives to a pending block. */
function textBodies(block: OpenBlock, { body }: TextMutation): readonly BlockChangeBody[] {
  if (body === null) return [];
  return block.header.status === "pending" ? [{ type: "status", status: "running" }, body] : [body];
}
