import { describe, expect, test } from "vitest";
import type { ToolCallId, TurnId } from "../../../core/base/ids.ts";
import type { BlockChange } from "../../../core/block/types.ts";
import type { OpSpan, ReplicaId } from "../../../core/text/types.ts";
import { UndoLedger, type UndoStep } from "./undo-ledger.ts";

const [ada, bob, bot] = [1, 2, 3] as unknown as readonly [ReplicaId, ReplicaId, ReplicaId];
const names = new Map([
  [ada, "Ada"],
  [bob, "Bob"],
  [bot, "Bot"],
]);
const turn = "turn" as TurnId;
const at = (seq: number, length = 1, replica = ada): OpSpan => ({ replica, seq, length });

/** A ledger, and how to write to it; versions count from 1. */
function world(ledger = new UndoLedger(), version = 0) {
  let last = version;
  const take = (replica: ReplicaId, body: object): void => {
    last += 1;
    const change = {
      version: last,
      at: last * 10,
      actor: { name: names.get(replica) },
      body,
    } as unknown as BlockChange;
    ledger.take(change, replica);
  };
  const unit = (id: string, facts: object = {}): object => ({ type: "text", unit: { id, ...facts } });
  return {
    ledger,
    edit: (replica: ReplicaId, id: string, spans: readonly OpSpan[], facts: object = {}) =>
      take(replica, { ...unit(id, facts), spans }),
    undo: (replica: ReplicaId, ids: readonly string[], spans: readonly OpSpan[]) =>
      take(replica, { ...unit("undo"), undoes: ids, spans }),
    redo: (replica: ReplicaId, ids: readonly string[], spans: readonly OpSpan[]) =>
      take(replica, { ...unit("redo"), redoes: ids, spans }),
    take,
  };
}

const ids = (steps: Iterable<UndoStep>): readonly string[] => [...steps].map(({ unitIds }) => unitIds.join("+"));

describe("who can undo what", () => {
  test("each their own units, the last one first; edits of one unit are one step", () => {
    const { ledger, edit } = world();
    edit(ada, "a1", [at(0)]);
    edit(bob, "b1", [at(0, 1, bob)]);
    edit(ada, "a1", [at(1, 2)]);
    edit(ada, "a2", [at(5)]);
    expect([ids(ledger.undoable(ada)), ids(ledger.undoable(bob)), ids(ledger.undoable(bot))]).toEqual([
      ["a2", "a1"],
      ["b1"],
      [],
    ]);
    expect([...ledger.undoable(ada)][1]).toEqual({ unitIds: ["a1"], spans: [at(0, 3)], hunkIds: [] });
    expect([ledger.has("a1"), ledger.has("a3"), ids(ledger.redoable(ada))]).toEqual([true, false, []]);
    expect(ledger.spans()).toEqual([at(0, 3), at(0, 1, bob), at(5)]);
  });

  test("spans that do not follow each other stay apart", () => {
    const { ledger, edit } = world();
    edit(ada, "a1", [at(0), at(2), at(3, 1, bob)]);
    expect(ledger.spans()).toEqual([at(0), at(2), at(3, 1, bob)]);
  });

  test("a unit toggles: undone, it can be redone until its author edits again", () => {
    const { ledger, edit, undo, redo } = world();
    edit(ada, "a1", [at(0)]);
    edit(ada, "a2", [at(1)]);
    undo(ada, ["a2"], [at(2)]);
    expect([ids(ledger.undoable(ada)), ids(ledger.redoable(ada))]).toEqual([["a1"], ["a2"]]);
    expect([...ledger.redoable(ada)][0]?.spans).toEqual([at(2)]);
    redo(ada, ["a2"], [at(3)]);
    expect([ids(ledger.undoable(ada)), ids(ledger.redoable(ada))]).toEqual([["a2", "a1"], []]);
    undo(ada, ["a2"], [at(4)]);
    edit(ada, "a3", [at(5)]);
    expect([ids(ledger.undoable(ada)), ids(ledger.redoable(ada))]).toEqual([["a3", "a1"], []]);
  });

  test("a unit that another undid is not the author's to redo", () => {
    const { ledger, edit, undo } = world();
    edit(ada, "a1", [at(0)], { turnId: turn });
    undo(bob, ["a1"], [at(0, 1, bob)]);
    expect([ids(ledger.undoable(ada)), ids(ledger.redoable(ada)), ids(ledger.redoable(bob))]).toEqual([[], [], []]);
    expect([ids(ledger.turnUndoable(turn)), ids(ledger.turnRedoable(turn))]).toEqual([[], ["a1"]]);
  });

  test("an edit after its unit was undone, or under another's unit id, begins a unit", () => {
    const { ledger, edit, undo } = world();
    edit(bot, "call", [at(0, 1, bot)]);
    undo(ada, ["call"], [at(0)]);
    edit(bot, "call", [at(1, 1, bot)]);
    edit(ada, "call", [at(1)]);
    expect([ids(ledger.undoable(bot)), ids(ledger.undoable(ada))]).toEqual([["call#3"], ["call#4"]]);
  });

  test("units that one change reverted are always reverted together", () => {
    const { ledger, edit, undo, redo } = world();
    edit(bot, "b1", [at(0, 1, bot)], { turnId: turn, toolCallId: "call-1" as ToolCallId });
    edit(bot, "b2", [at(2, 1, bot)], { turnId: turn, toolCallId: "call-2" as ToolCallId });
    expect(ids(ledger.undoable(bot, "call-1" as ToolCallId))).toEqual(["b1"]);
    expect(ids(ledger.turnUndoable(turn))).toEqual(["b1+b2"]);
    undo(ada, ["b1", "b2"], [at(7)]);
    redo(ada, ["b1", "b2"], [at(9)]);
    expect([...ledger.undoable(bot, "call-1" as ToolCallId)]).toEqual([
      { unitIds: ["b1", "b2"], spans: [at(9)], hunkIds: [] },
    ]);
  });

  test("a rejected or kept suggestion is its reviewer's unit; a renaming is nobody's", () => {
    const { ledger, take } = world();
    take(ada, { type: "review", unit: { id: "r" }, hunkIds: ["h1"] });
    take(ada, { type: "text", unit: { id: "k" }, kept: { hunkIds: ["h2"] }, spans: [at(0)] });
    take(ada, { type: "text", unit: { id: "k" }, kept: { hunkIds: ["h3"] }, spans: [at(1)] });
    take(ada, { type: "renamed" });
    expect([...ledger.undoable(ada)]).toEqual([
      { unitIds: ["k"], spans: [at(0, 2)], hunkIds: ["h2", "h3"] },
      { unitIds: ["r"], spans: [], hunkIds: ["h1"] },
    ]);
  });
});

describe("what people are told of turns", () => {
  test("turns are listed newest first, undone where all their units are", () => {
    const { ledger, edit, undo } = world();
    const later = "later" as TurnId;
    edit(bot, "b1", [at(0, 1, bot)], { turnId: turn });
    edit(bot, "b2", [at(1, 1, bot)], { turnId: turn });
    edit(ada, "a1", [at(0)]);
    edit(bot, "b3", [at(2, 1, bot)], { turnId: later });
    undo(ada, ["b1"], []);
    undo(ada, ["b3"], []);
    expect(ledger.turns()).toEqual([
      { turnId: later, actorName: "Bot", at: 40, undone: true },
      { turnId: turn, actorName: "Bot", at: 10, undone: false },
    ]);
    undo(ada, ["b2"], []);
    expect(ledger.turns().map(({ undone }) => undone)).toEqual([true, true]);
  });

  test("others who wrote since are named in the order of their last write, and never the author", () => {
    const { ledger, edit, take } = world();
    edit(bob, "b1", [at(0, 1, bob)]);
    edit(bot, "t1", [at(0, 1, bot)], { turnId: turn });
    expect(ledger.othersSince(turn)).toEqual([]);
    edit(bob, "b2", [at(1, 1, bob)]);
    edit(ada, "a1", [at(0)]);
    edit(bob, "b3", [at(2, 1, bob)]);
    edit(bot, "t2", [at(1, 1, bot)], { turnId: turn });
    take(ada, { type: "review", unit: { id: "r" }, hunkIds: [] });
    expect([ledger.othersSince(turn), ledger.othersSinceUnits(["t2"]), ledger.othersSinceUnits(["a1"])]).toEqual([
      ["Ada", "Bob"],
      [],
      ["Bob", "Bot"],
    ]);
  });
});

describe("the state that a compacted log leaves", () => {
  test("later changes lead to the same as on the whole log, but for the units that were dropped", () => {
    const { ledger, edit, undo } = world();
    edit(ada, "old", [at(0)]);
    edit(bob, "bobs", [at(0, 1, bob)]);
    edit(ada, "a1", [at(1)]);
    edit(bot, "b1", [at(0, 1, bot)], { turnId: turn });
    edit(ada, "a2", [at(2)]);
    undo(ada, ["a1", "a2"], [at(3)]);
    const state = ledger.stateFor(new Set(["a1", "gone"]));
    expect(state.units.map(({ id }) => id)).toEqual(["a1", "a2"]);
    expect([state.applied, state.undone]).toEqual([[], [[ada, ["a1", "a2"]]]]);
    expect([...state.forgetful].toSorted((a, b) => a - b)).toEqual([ada, bob, bot]);
    expect(state.writers.map(({ name }) => name)).toEqual(["Bot", "Ada"]);
    const after = world(new UndoLedger(JSON.parse(JSON.stringify(state))), 6);
    expect([after.ledger.hasForgotten(ada), new UndoLedger().hasForgotten(ada)]).toEqual([true, false]);
    expect(ids(after.ledger.redoable(ada))).toEqual(["a1+a2", "a1+a2"]);
    after.redo(ada, ["a1", "a2"], [at(4)]);
    expect([...after.ledger.undoable(ada)][0]).toEqual({ unitIds: ["a1", "a2"], spans: [at(4)], hunkIds: [] });
    expect(after.ledger.spans()).toEqual([at(4)]);
  });

  test("keeps the units above one in its stack, and its open spans apart", () => {
    const { ledger, edit } = world();
    edit(ada, "a1", [at(0)]);
    edit(ada, "a2", [at(1)]);
    edit(ada, "a3", [at(2)]);
    const state = ledger.stateFor(new Set(["a2"]));
    expect(state.applied).toEqual([[ada, ["a2", "a3"]]]);
    edit(ada, "a3", [at(3)]);
    expect(state.units.at(-1)?.spans).toEqual([at(2)]);
    expect(ledger.stateFor(new Set(["a1"])).forgetful).toEqual([]);
  });
});
