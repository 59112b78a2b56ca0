import type { Refusal } from "../../../core/base/errors.ts";
import type { BlockId, TurnId } from "../../../core/base/ids.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { Platform } from "../../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../../core/port/store.ts";
import type { Replicas } from "../../replica/replica-registry.ts";
import { readHistory, type BlockHistory, type HistoryPage } from "../block/history.ts";
import type { Lanes } from "../queue/lanes.ts";
import type { OpenBlock } from "../block/open-block.ts";
import type { Suggestions } from "../review/suggestions.ts";
import { revertOwnUnit, revertTurn, type ExtraWrites, type Direction } from "./revert.ts";
import { restoreVersion, type EarlierText } from "./restore-version.ts";
import { previewTurn, type TurnPreview } from "./turn-preview.ts";
import type { Author, RevertedUnit, RevertedBlock, UndoOptions } from "../record/types.ts";
import type { TurnInBlock } from "../record/undo-ledger.ts";
import type { WriteGate } from "../block/write-gate.ts";
import { writerOf } from "../record/writer.ts";

interface HistoryPorts {
  readonly store: Store;
  readonly platform: Pick<Platform, "clock" | "random">;
  readonly lanes: Lanes;
  readonly gate: WriteGate;
  readonly replicas: Pick<Replicas, "serverReplicaOf" | "ownerOf">;
  readonly suggestions: Pick<Suggestions, "tell">;
}

interface TurnOptions {
  /** The blocks in which the turn is undone or redone; null, the default: all that it changed. */
  readonly within?: ReadonlySet<BlockId> | null;
  /** Stored with it. */
  readonly also?: ExtraWrites;
}

/** The edits of blocks, and their undo and redo: of an author's own units, or of an agent's whole turn. */
export class EditHistory {
  readonly #ports: HistoryPorts;
  readonly #turnPorts: Parameters<typeof revertTurn>[0];

  constructor(ports: HistoryPorts) {
    const { store, platform, lanes, gate } = ports;
    this.#ports = ports;
    this.#turnPorts = {
      store,
      platform,
      laneOf: (blockId) => lanes.of(blockId),
      whyRefused: (author, block) => gate.whyRefused(author, block),
    };
  }

  /** Undoes the author's own last unit in this block. */
  undo(author: Author, blockId: BlockId, options: UndoOptions = {}): Promise<Result<RevertedUnit, Refusal>> {
    return this.#revert(author, blockId, "undoes", options);
  }

  /** Redoes what the author undid last in this block. */
  redo(author: Author, blockId: BlockId, options: UndoOptions = {}): Promise<Result<RevertedUnit, Refusal>> {
    return this.#revert(author, blockId, "redoes", options);
  }

  /** Brings an earlier text back, as one change that can be undone; the letters of then return with their authors. */
  async restore(
    author: Author,
    blockId: BlockId,
    then: EarlierText,
    options: Pick<UndoOptions, "also"> = {},
  ): Promise<Result<{ readonly version: number }, Refusal>> {
    const { lanes, replicas } = this.#ports;
    const writer = await writerOf(replicas, author);
    if (!writer.ok) return writer;
    const restoring = restoreVersion(this.#turnPorts, writer.value, then);
    return lanes.of(blockId).mutate({ blockId, author, ...options, ...restoring });
  }

  /** Undoes everything of an agent's turn that is not undone yet, in all blocks that are asked for or in none. */
  undoTurn(
    author: Author,
    turnId: TurnId,
    options: TurnOptions = {},
  ): Promise<Result<readonly RevertedBlock[], Refusal>> {
    return this.#revertTurn(author, turnId, options, "undoes");
  }

  /** Redoes an agent's turn that was undone, under the same rules. */
  redoTurn(
    author: Author,
    turnId: TurnId,
    options: TurnOptions = {},
  ): Promise<Result<readonly RevertedBlock[], Refusal>> {
    return this.#revertTurn(author, turnId, options, "redoes");
  }

  /** Returns the turn that the author undid with their last change of this block; null where that was anything else. */
  async turnUndoneLastBy(author: Author, blockId: BlockId): Promise<Result<TurnId | null, Refusal>> {
    const writer = await writerOf(this.#ports.replicas, author);
    if (!writer.ok) return writer;
    return this.#withLedger(blockId, (block) => ok(block.ledger.turnUndoneLastBy(writer.value.replica)));
  }

  /** Returns the turns of agents that changed this block, newest first. */
  turnsOf(blockId: BlockId): Promise<Result<readonly TurnInBlock[], Refusal>> {
    return this.#withLedger(blockId, (block) => ok(block.ledger.turns()));
  }

  /** Returns a preview of undoing or redoing a turn in a block. */
  previewTurn(blockId: BlockId, turnId: TurnId): Promise<Result<TurnPreview, Refusal>> {
    return this.#withLedger(blockId, (block) => previewTurn(block, turnId));
  }

  /** Returns a page of a block's edits, newest first. */
  page(blockId: BlockId, page: HistoryPage): Promise<Result<BlockHistory, Refusal>> {
    const { store, lanes } = this.#ports;
    return lanes.alone(blockId, async (block) => ok(await readHistory(store, block, page)));
  }

  #withLedger<Value>(
    blockId: BlockId,
    read: (block: OpenBlock) => Result<Value, Refusal>,
  ): Promise<Result<Value, Refusal>> {
    const { store, lanes, replicas } = this.#ports;
    return lanes.alone(blockId, async (block) => {
      await block.openLedger(store, (replica) => replicas.ownerOf(replica));
      return read(block);
    });
  }

  /** Undoes or redoes the last of the author's own units that still has an effect. */
  async #revert(
    author: Author,
    blockId: BlockId,
    direction: Direction,
    { toolCallId, ...options }: UndoOptions,
  ): Promise<Result<RevertedUnit, Refusal>> {
    const { lanes, replicas, suggestions } = this.#ports;
    const writer = await writerOf(replicas, author);
    if (!writer.ok) return writer;
    const own = revertOwnUnit(this.#turnPorts, { writer: writer.value, direction, toolCallId });
    const also = (version: number): readonly StoreWrite[] => [
      ...(own.mutation.also?.(version) ?? []),
      ...(options.also?.(version) ?? []),
    ];
    const applied = await lanes.of(blockId).mutate({ blockId, author, ...options, ...own.mutation, also });
    if (!applied.ok) return applied;
    suggestions.tell(blockId, own.reviewed());
    return ok({ version: applied.value.version, ...own.made() });
  }

  async #revertTurn(
    author: Author,
    turnId: TurnId,
    { also = () => [], within = null }: TurnOptions,
    direction: Direction,
  ): Promise<Result<readonly RevertedBlock[], Refusal>> {
    const writer = await writerOf(this.#ports.replicas, author);
    if (!writer.ok) return writer;
    return revertTurn(this.#turnPorts, { turnId, within, also, direction, writer: writer.value });
  }
}
