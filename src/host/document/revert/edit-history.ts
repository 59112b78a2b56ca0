import type { Refusal } from "../../../core/base/errors.ts";
import type { BlockId, TurnId } from "../../../core/base/ids.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { Store, StoreWrite } from "../../../core/port/store.ts";
import type { Agents } from "../../replica/replica-registry.ts";
import { readHistory, type BlockHistory, type HistoryPage } from "../block/history.ts";
import type { Lanes } from "../queue/lanes.ts";
import type { OpenBlock } from "../block/open-block.ts";
import type { Suggestions } from "../review/suggestions.ts";
import { turningOverOwn, turnOverTurn, type AlsoWithTurn, type Direction } from "./revert.ts";
import { previewTurn, type TurnPreview } from "./turn-preview.ts";
import type { Author, TurnedChange, TurnUndo, UndoOptions } from "../record/types.ts";
import type { TurnInBlock } from "../record/undo-ledger.ts";
import type { WriteGate } from "../block/write-gate.ts";
import { writerOf } from "../record/writer.ts";

interface HistoryPorts {
  readonly store: Store;
  readonly lanes: Lanes;
  readonly gate: WriteGate;
  readonly agents: Pick<Agents, "handOf" | "ownerOf">;
  readonly suggestions: Pick<Suggestions, "tell">;
}

/** What was done to blocks, and its undo and redo: by an author, or of an agent's whole turn. */
export class EditHistory {
  readonly #ports: HistoryPorts;
  readonly #turnPorts: Parameters<typeof turnOverTurn>[0];

  constructor(ports: HistoryPorts) {
    const { store, lanes, gate } = ports;
    this.#ports = ports;
    this.#turnPorts = {
      store,
      laneOf: (blockId) => lanes.of(blockId),
      whyRefused: (author, block) => gate.whyRefused(author, block),
    };
  }

  /** Undoes the author's own last unit in this block. */
  undo(author: Author, blockId: BlockId, options: UndoOptions = {}): Promise<Result<TurnedChange, Refusal>> {
    return this.#turnOver(author, blockId, "undoes", options);
  }

  /** Redoes what the author undid last in this block. */
  redo(author: Author, blockId: BlockId, options: UndoOptions = {}): Promise<Result<TurnedChange, Refusal>> {
    return this.#turnOver(author, blockId, "redoes", options);
  }

  /** Undoes all of an agent's turn that is not undone, in every file it changed: all or none. `also` is stored with it. */
  undoTurn(
    author: Author,
    turnId: TurnId,
    also: AlsoWithTurn = nothingElse,
  ): Promise<Result<readonly TurnUndo[], Refusal>> {
    return this.#turnOverTurn(author, turnId, also, "undoes");
  }

  /** Redoes an agent's turn that was undone, under the same rules. */
  redoTurn(
    author: Author,
    turnId: TurnId,
    also: AlsoWithTurn = nothingElse,
  ): Promise<Result<readonly TurnUndo[], Refusal>> {
    return this.#turnOverTurn(author, turnId, also, "redoes");
  }

  /** Returns the turns of agents that changed this block, newest first. */
  turnsOf(blockId: BlockId): Promise<Result<readonly TurnInBlock[], Refusal>> {
    return this.#withLedger(blockId, (block) => ok(block.ledger.turns()));
  }

  /** Returns what a turn changed in a block, to be looked at before it is undone or redone. */
  previewTurn(blockId: BlockId, turnId: TurnId): Promise<Result<TurnPreview, Refusal>> {
    return this.#withLedger(blockId, (block) => previewTurn(block, turnId));
  }

  /** Returns what was done to a block, newest first. */
  page(blockId: BlockId, page: HistoryPage): Promise<Result<BlockHistory, Refusal>> {
    const { store, lanes } = this.#ports;
    return lanes.alone(blockId, async (block) => ok(await readHistory(store, block, page)));
  }

  #withLedger<Value>(
    blockId: BlockId,
    look: (block: OpenBlock) => Result<Value, Refusal>,
  ): Promise<Result<Value, Refusal>> {
    const { store, lanes, agents } = this.#ports;
    return lanes.alone(blockId, async (block) => {
      await block.openLedger(store, (agent) => agents.ownerOf(agent));
      return look(block);
    });
  }

  /** Undoes or redoes the last of the author's own units that still changes anything. */
  async #turnOver(
    author: Author,
    blockId: BlockId,
    direction: Direction,
    { toolCallId, ...options }: UndoOptions,
  ): Promise<Result<TurnedChange, Refusal>> {
    const { lanes, agents, suggestions } = this.#ports;
    const writer = await writerOf(agents, author);
    if (!writer.ok) return writer;
    const own = turningOverOwn(this.#turnPorts, { writer: writer.value, direction, toolCallId });
    const also = (version: number): readonly StoreWrite[] => [
      ...(own.mutation.also?.(version) ?? []),
      ...(options.also?.(version) ?? []),
    ];
    const applied = await lanes.of(blockId).mutate({ blockId, author, ...options, ...own.mutation, also });
    if (!applied.ok) return applied;
    suggestions.tell(blockId, own.reviewed());
    return ok({ version: applied.value.version, ...own.made() });
  }

  async #turnOverTurn(
    author: Author,
    turnId: TurnId,
    also: AlsoWithTurn,
    direction: Direction,
  ): Promise<Result<readonly TurnUndo[], Refusal>> {
    const writer = await writerOf(this.#ports.agents, author);
    return writer.ok ? turnOverTurn(this.#turnPorts, { turnId, also, direction, writer: writer.value }) : writer;
  }
}

function nothingElse(): readonly StoreWrite[] {
  return [];
}
