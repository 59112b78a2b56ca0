import { assert, must } from "../../../core/base/assert.ts";
import type { HunkId, ToolCallId, TurnId } from "../../../core/base/ids.ts";
import type { BlockChange } from "../../../core/block/types.ts";
import type { ReplicaId, OpSpan } from "../../../core/text/types.ts";
import { noUndo, type Unit, type UndoState, type Writing } from "./undo-state.ts";

/** One step of undo or redo: the ids of its units as stored, and the operations to cancel. */
export interface UndoStep {
  readonly unitIds: readonly string[];
  readonly spans: readonly OpSpan[];
  /** The suggested hunks whose decision is undone or redone. */
  readonly hunkIds: readonly HunkId[];
}

/** One turn of an agent in a block. */
export interface TurnInBlock {
  readonly turnId: TurnId;
  readonly actorName: string;
  /** Time of the turn's first change, UTC milliseconds. */
  readonly at: number;
  readonly undone: boolean;
}

/**
 * Who can undo what in one block, computed from its changes in order, so that it is the same after a restart. A unit
 * toggles: each undo or redo cancels the operations of the last one, so that the edits of others stay.
 */
export class UndoLedger {
  readonly #unitsById = new Map<string, OpenUnit>();
  /** Units that are not undone, oldest first. */
  readonly #appliedByReplica = new Map<ReplicaId, string[]>();
  /** Units that their own agent undid, the last one last; emptied by its next edit. */
  readonly #undoneByReplica = new Map<ReplicaId, string[]>();
  readonly #writers: Writing[] = [];
  /** The turn that an agent undid with its last change; gone with its next one. Compaction drops it with its change. */
  readonly #turnUndoneLastBy = new Map<ReplicaId, TurnId>();
  /** Agents with units that compaction dropped. */
  readonly #forgetful: ReadonlySet<ReplicaId>;

  /** Begins with the state that the compacted changes led to. */
  constructor(state: UndoState = noUndo) {
    const spansByGroup = new Map<string, OpSpan[]>();
    for (const unit of state.units) {
      const group = JSON.stringify(unit.group);
      const spans = spansByGroup.get(group) ?? [...unit.spans];
      spansByGroup.set(group, spans);
      this.#unitsById.set(unit.id, { ...unit, spans });
    }
    for (const [replica, ids] of state.applied) this.#appliedByReplica.set(replica, [...ids]);
    for (const [replica, ids] of state.undone) this.#undoneByReplica.set(replica, [...ids]);
    this.#writers.push(...state.writers);
    this.#forgetful = new Set(state.forgetful);
  }

  /**
   * Returns the state of these units, of the units in their groups, and of the units above them in their stacks: enough to
   * apply changes that name no other units.
   */
  stateFor(ids: ReadonlySet<string>): UndoState {
    const kept = new Set<string>();
    const waiting = [...ids];
    const stacks = [...this.#appliedByReplica.values(), ...this.#undoneByReplica.values()];
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const unit = this.#unitsById.get(id);
      if (unit === undefined || kept.has(id)) continue;
      kept.add(id);
      waiting.push(...unit.group);
      for (const stack of stacks) {
        const at = stack.lastIndexOf(id);
        if (at >= 0) waiting.push(...stack.slice(at + 1));
      }
    }
    const units = [...this.#unitsById.values()].filter(({ id }) => kept.has(id));
    const since = Math.min(...units.map((unit) => unit.firstVersion));
    // Only the last write of each writer matters: whether it came after a unit was made.
    const lastByReplica = new Map(this.#writers.map((writing) => [writing.replica, writing]));
    const writers = this.#writers.filter(
      (writing) =>
        writing === this.#writers.at(-1) || (writing === lastByReplica.get(writing.replica) && writing.version > since),
    );
    const forgetful = new Set(this.#forgetful);
    for (const [replica, stack] of this.#appliedByReplica)
      if (stack.some((id) => !kept.has(id))) forgetful.add(replica);
    return {
      // Copied, because the spans of an open unit still grow.
      units: units.map((unit) => ({ ...unit, spans: [...unit.spans] })),
      applied: listed(this.#appliedByReplica, kept),
      undone: listed(this.#undoneByReplica, kept),
      writers,
      forgetful: [...forgetful],
    };
  }

  /** Returns whether an agent has changes that are too old to undo. */
  hasForgotten(replica: ReplicaId): boolean {
    return this.#forgetful.has(replica);
  }

  has(unitId: string): boolean {
    return this.#unitsById.has(unitId);
  }

  /** Returns all operations that an undo or redo may cancel. */
  spans(): readonly OpSpan[] {
    return [...new Set([...this.#unitsById.values()].map((unit) => unit.spans))].flat();
  }

  /** Applies the next change; `agent` is its owner. */
  take(change: BlockChange, replica: ReplicaId): void {
    const { body } = change;
    if (body.type !== "text" && body.type !== "review") return;
    // A rejection changes no text, so it does not count among the changes of others.
    if (body.type === "text" && this.#writers.at(-1)?.replica !== replica) {
      this.#writers.push({ version: change.version, replica, name: change.actor.name });
    }
    const spans = body.type === "text" ? body.spans : [];
    this.#turnUndoneLastBy.delete(replica);
    if (body.undoes !== undefined) this.#undo(replica, body.undoes, spans);
    else if (body.redoes !== undefined) this.#redo(body.redoes, spans);
    else this.#edit(replica, change, body);
  }

  /** Returns the turn of another that this agent undid with its last change, and that is still undone. */
  turnUndoneLastBy(replica: ReplicaId): TurnId | null {
    const turnId = this.#turnUndoneLastBy.get(replica);
    return turnId !== undefined && this.turnRedoable(turnId).length > 0 ? turnId : null;
  }

  /** Returns the agent's units that are not undone, the last one first; with a tool call, only its units. */
  undoable(replica: ReplicaId, toolCallId?: ToolCallId): Iterable<UndoStep> {
    return this.#stepsBack(this.#appliedByReplica.get(replica), toolCallId);
  }

  /** Returns the units that the agent undid itself, the last one first; with a tool call, only its units. */
  redoable(replica: ReplicaId, toolCallId?: ToolCallId): Iterable<UndoStep> {
    return this.#stepsBack(this.#undoneByReplica.get(replica), toolCallId);
  }

  /** Returns a step for all units of a turn that are not undone; empty when there are none. */
  turnUndoable(turnId: TurnId): readonly UndoStep[] {
    return this.#stepOf((unit) => unit.turnId === turnId && unit.undoneBy === null);
  }

  /** Returns a step for all units of a turn that someone else undid. Units that the agent undid itself stay undone. */
  turnRedoable(turnId: TurnId): readonly UndoStep[] {
    return this.#stepOf((unit) => unit.turnId === turnId && unit.undoneBy !== null && unit.undoneBy !== unit.replica);
  }

  /** Returns the turns that changed this block, newest first. */
  turns(): readonly TurnInBlock[] {
    const byTurn = new Map<TurnId, TurnInBlock>();
    for (const unit of this.#unitsById.values()) {
      if (unit.turnId === undefined) continue;
      const undone = unit.undoneBy !== null;
      const known = byTurn.get(unit.turnId);
      byTurn.set(
        unit.turnId,
        known === undefined
          ? { turnId: unit.turnId, actorName: unit.actorName, at: unit.at, undone }
          : { ...known, undone: known.undone && undone },
      );
    }
    return [...byTurn.values()].toReversed();
  }

  /** Returns the names of others who changed the block after the turn's first change. */
  othersSince(turnId: TurnId): readonly string[] {
    return this.#othersSince([...this.#unitsById.values()].filter((unit) => unit.turnId === turnId));
  }

  /** Returns the names of others who changed the block since the first of these units was made. */
  othersSinceUnits(ids: readonly string[]): readonly string[] {
    return this.#othersSince(ids.map((id) => this.#unit(id)));
  }

  #othersSince(units: readonly OpenUnit[]): readonly string[] {
    const since = Math.min(...units.map((unit) => unit.firstVersion));
    const own = new Set(units.map((unit) => unit.replica));
    const later = this.#writers.filter(({ version, replica }) => version > since && !own.has(replica));
    // In the order of their last write; earlier writes are not kept.
    return [...new Set(later.map((writer) => writer.name).toReversed())].toReversed();
  }

  *#stepsBack(ids: readonly string[] = [], toolCallId?: ToolCallId): Generator<UndoStep> {
    for (const id of ids.toReversed()) {
      const unit = this.#unit(id);
      if (toolCallId === undefined || unit.toolCallId === toolCallId) yield this.#step(unit.group);
    }
  }

  #edit(
    replica: ReplicaId,
    change: BlockChange,
    body: Extract<BlockChange["body"], { type: "text" | "review" }>,
  ): void {
    this.#undoneByReplica.delete(replica);
    const spans = body.type === "text" ? body.spans : [];
    const hunkIds = body.type === "text" ? (body.kept?.hunkIds ?? []) : body.hunkIds;
    const open = this.#unitsById.get(body.unit.id);
    if (open !== undefined && !open.closed && open.replica === replica) {
      for (const span of spans) addSpan(open.spans, span);
      if (hunkIds.length > 0) {
        this.#unitsById.set(open.id, { ...open, hunkIds: [...(open.hunkIds ?? []), ...hunkIds] });
      }
      return;
    }
    // A call that edits again after its edit was undone begins a new unit.
    const id = open === undefined ? body.unit.id : `${body.unit.id}#${change.version}`;
    const unit: OpenUnit = {
      id,
      replica,
      turnId: body.unit.turnId,
      toolCallId: body.unit.toolCallId,
      actorName: change.actor.name,
      ...(hunkIds.length === 0 ? {} : { hunkIds }),
      firstVersion: change.version,
      at: change.at,
      spans: [],
      undoneBy: null,
      closed: false,
      group: [id],
    };
    for (const span of spans) addSpan(unit.spans, span);
    this.#unitsById.set(id, unit);
    push(this.#appliedByReplica, replica, id);
  }

  #undo(by: ReplicaId, ids: readonly string[], spans: readonly OpSpan[]): void {
    const shared = [...spans];
    for (const id of ids) {
      const unit = this.#unit(id);
      this.#unitsById.set(id, { ...unit, spans: shared, undoneBy: by, closed: true, group: ids });
      remove(this.#appliedByReplica, unit.replica, id);
      if (by === unit.replica) push(this.#undoneByReplica, by, id);
      else if (unit.turnId !== undefined) this.#turnUndoneLastBy.set(by, unit.turnId);
    }
  }

  #redo(ids: readonly string[], spans: readonly OpSpan[]): void {
    const shared = [...spans];
    for (const id of ids) {
      const unit = this.#unit(id);
      this.#unitsById.set(id, { ...unit, spans: shared, undoneBy: null, closed: true, group: ids });
      remove(this.#undoneByReplica, unit.replica, id);
      push(this.#appliedByReplica, unit.replica, id);
    }
  }

  /** Returns one step for all units that match; empty when none does. */
  #stepOf(matches: (unit: OpenUnit) => boolean): readonly UndoStep[] {
    const ids = [...this.#unitsById.values()].filter(matches).map((unit) => unit.id);
    return ids.length === 0 ? [] : [this.#step(ids)];
  }

  /** Returns a step for these units and their whole groups: units that one change reverted are always reverted together. */
  #step(ids: readonly string[]): UndoStep {
    const whole = new Set(ids.flatMap((id) => this.#unit(id).group));
    const spans = new Set<readonly OpSpan[]>();
    for (const id of whole) spans.add(this.#unit(id).spans);
    const hunkIds = [...whole].flatMap((id) => this.#unit(id).hunkIds ?? []);
    return { unitIds: [...whole], spans: [...spans].flat(), hunkIds };
  }

  #unit(id: string): OpenUnit {
    return must(this.#unitsById.get(id), `the undo unit ${id} was made before it was undone`);
  }
}

/** A unit whose spans are shared with its group, and grow while the unit accepts edits. */
interface OpenUnit extends Unit {
  readonly spans: OpSpan[];
}

function listed(
  idsByReplica: ReadonlyMap<ReplicaId, readonly string[]>,
  kept: ReadonlySet<string>,
): readonly (readonly [ReplicaId, readonly string[]])[] {
  return [...idsByReplica].flatMap(([replica, ids]) => {
    const own = ids.filter((id) => kept.has(id));
    return own.length === 0 ? [] : [[replica, own] as const];
  });
}

/** Adds a span; joins it to the last span when it continues it. */
function addSpan(spans: OpSpan[], span: OpSpan): void {
  const last = spans.at(-1);
  if (last !== undefined && last.replica === span.replica && last.seq + last.length === span.seq) {
    spans[spans.length - 1] = { ...last, length: last.length + span.length };
  } else {
    spans.push(span);
  }
}

function push(lists: Map<ReplicaId, string[]>, replica: ReplicaId, id: string): void {
  const list = lists.get(replica);
  if (list === undefined) lists.set(replica, [id]);
  else list.push(id);
}

function remove(lists: Map<ReplicaId, string[]>, replica: ReplicaId, id: string): void {
  const list = lists.get(replica);
  const at = list?.lastIndexOf(id) ?? -1;
  if (list !== undefined && at >= 0) list.splice(at, 1);
  assert(list === undefined || !list.includes(id), `the undo unit ${id} is listed once`);
}
