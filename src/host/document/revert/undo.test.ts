import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { openMemoryStore, type MemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import type { BlockId, RunId, TurnId } from "../../../core/base/ids.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import type { TextChange } from "../../../core/text/types.ts";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { accept, codeOf } from "../../../core/base/result.test-support.ts";
import {
  authorOf,
  createBlock,
  insertion,
  model,
  openWorld,
  person,
  requestId,
  TestReplica,
  textOf,
  type World,
} from "../world.test-support.ts";

async function openFile(text = "", store: MemoryStore = openMemoryStore()): Promise<[World, BlockId]> {
  const world = await openWorld(store);
  return [world, (await createBlock(world, { kind: "file", status: "done", text })).id];
}

describe("undo", () => {
  test("B-34 undo reverts the author's last unit, then the one before, and keeps the text of others", async () => {
    const [world, id] = await openFile("start\n");
    const edit = async (actor: Parameters<typeof authorOf>[1], unit: string, changes: readonly TextChange[]) =>
      accept(await world.hub.editor.edit(await authorOf(world, actor, unit), id, { changes })).text;
    await edit(model("a"), "call-1", [insertion(6, "one\n")]);
    await edit(person("bob"), "bob", [insertion(10, "bob\n")]);
    expect(await edit(model("a"), "call-2", [{ from: 0, to: 5, insert: "START" }])).toBe("START\none\nbob\n");
    const a = await authorOf(world, model("a"));
    expect(accept(await world.hub.history.undo(a, id))).toMatchObject({ version: 5, text: "start\none\nbob\n" });
    expect(accept(await world.hub.history.undo(a, id)).text).toBe("start\nbob\n");
    expect(codeOf(await world.hub.history.undo(a, id))).toBe("NOTHING_TO_UNDO");
    expect(accept(await world.hub.history.redo(a, id)).text).toBe("start\none\nbob\n");
    expect(accept(await world.hub.history.redo(a, id)).text).toBe("START\none\nbob\n");
    expect(codeOf(await world.hub.history.redo(a, id))).toBe("NOTHING_TO_REDO");
    expect(accept(await world.hub.history.undo(a, id)).text).toBe("start\none\nbob\n");
  });

  test("B-34 the units to undo and redo are the same after a restart", async () => {
    const [world, id] = await openFile();
    for (const unit of ["1", "2", "3"]) {
      const author = await authorOf(world, person("ada"), unit);
      accept(await world.hub.editor.edit(author, id, { changes: [insertion(0, unit)] }));
    }
    const ada = await authorOf(world, person("ada"));
    accept(await world.hub.history.undo(ada, id));
    accept(await world.hub.history.undo(ada, id));
    accept(await world.hub.history.redo(ada, id));
    const later = await openWorld(openMemoryStore(world.store.image()));
    const again = await authorOf(later, person("ada"));
    expect(await textOf(later, id)).toBe("21");
    expect(accept(await later.hub.history.redo(again, id)).text).toBe("321");
    for (const text of ["21", "1", ""]) expect(accept(await later.hub.history.undo(again, id)).text).toBe(text);
    expect(codeOf(await later.hub.history.undo(again, id))).toBe("NOTHING_TO_UNDO");
  });

  test("B-35 undoing an edit that others changed removes only its surviving text", async () => {
    const [world, id] = await openFile("keep ");
    const a = await authorOf(world, model("a"), "call");
    const b = await authorOf(world, person("bob"));
    accept(await world.hub.editor.edit(a, id, { changes: [{ from: 0, to: 5, insert: "abcdef" }] }));
    accept(await world.hub.editor.edit(b, id, { changes: [{ from: 1, to: 3, insert: "BOB" }] }));
    expect(await textOf(world, id)).toBe("aBOBdef");
    const undone = accept(await world.hub.history.undo(a, id)).text;
    expect(undone.replace("BOB", "")).toBe("keep ");
    expect(undone).toContain("BOB");
    expect(accept(await world.hub.history.redo(a, id)).text).toBe("aBOBdef");
  });

  test("text typed after a pause is undone alone, also when the clock was set back an hour", async () => {
    const clock = simulatedClock();
    let setBackMs = 0;
    const world = await openWorld(openMemoryStore(), { ...clock, now: () => clock.now() - setBackMs });
    const id = (await createBlock(world, { kind: "file", status: "done", text: "" })).id;
    const ada = await authorOf(world, person("ada"));
    const replica = new TestReplica(id);
    await replica.join(world);
    for (const text of ["a", "b"]) {
      const update = replica.edit(ada.replica, [insertion(replica.text().length, text)]);
      accept(await world.hub.editor.push(ada, id, update, requestId()));
      await clock.advance(2000);
      setBackMs = 3_600_000;
    }
    expect(accept(await world.hub.history.undo(ada, id)).text).toBe("a");
  });

  test("edits typed less than a second apart are undone together", async () => {
    const [world, id] = await openFile();
    const ada = await authorOf(world, person("ada"));
    const replica = new TestReplica(id);
    await replica.join(world);
    const type = async (text: string): Promise<void> => {
      const update = replica.edit(ada.replica, [insertion(replica.text().length, text)]);
      accept(await world.hub.editor.push(ada, id, update, requestId()));
    };
    await type("a");
    await world.clock.advance(999);
    await type("b");
    await world.clock.advance(999);
    await type("c");
    await world.clock.advance(1000);
    await type("d");
    expect(accept(await world.hub.history.undo(ada, id)).text).toBe("abc");
    await type("e");
    expect(codeOf(await world.hub.history.redo(ada, id))).toBe("NOTHING_TO_REDO");
    expect(accept(await world.hub.history.undo(ada, id)).text).toBe("abc");
    expect(accept(await world.hub.history.undo(ada, id)).text).toBe("");
  });

  test("watchers receive an undo like any other mutation", async () => {
    const [world, id] = await openFile("abc");
    const ada = await authorOf(world, person("ada"), "unit");
    const replica = new TestReplica(id);
    await replica.join(world);
    accept(await world.hub.editor.edit(ada, id, { changes: [{ from: 1, to: 2, insert: "xyz" }] }));
    accept(await world.hub.history.undo(ada, id));
    expect(replica.text()).toBe("abc");
    expect(replica.deliveries.at(-1)?.[0]?.body).toMatchObject({ type: "text", undoes: ["unit"] });
  });
});

describe("a turn", () => {
  const turnId = "t" as TurnId;

  async function editedByTurn(store?: MemoryStore): Promise<[World, BlockId, BlockId]> {
    const [world, first] = await openFile("first\n", store);
    const second = (await createBlock(world, { kind: "file", text: "second\n", document: "two" })).id;
    const live = (await createBlock(world, { document: "root" })).id;
    for (const [unit, blockId] of [
      ["1", first],
      ["2", first],
      ["3", second],
      ["4", live],
    ] as const) {
      const scribe = await authorOf(world, model("run", turnId), unit);
      accept(await world.hub.editor.edit(scribe, blockId, { changes: [insertion(0, `${unit}\n`)] }));
    }
    return [world, first, second];
  }

  test("a turn is undone and redone in every file it changed", async () => {
    const [world, first, second] = await editedByTurn();
    const bob = await authorOf(world, person("bob"));
    accept(await world.hub.editor.edit(bob, first, { changes: [insertion(4, "bob\n")] }));
    const undone = accept(await world.hub.history.undoTurn(bob, turnId));
    expect(undone).toEqual([
      { blockId: first, version: 5, changedByOthers: ["bob"] },
      { blockId: second, version: 3, changedByOthers: [] },
    ]);
    expect([await textOf(world, first), await textOf(world, second)]).toEqual(["bob\nfirst\n", "second\n"]);
    expect(codeOf(await world.hub.history.undoTurn(bob, turnId))).toBe("NOTHING_TO_UNDO");
    accept(await world.hub.history.redoTurn(bob, turnId));
    expect([await textOf(world, first), await textOf(world, second)]).toEqual(["2\n1\nbob\nfirst\n", "3\nsecond\n"]);
    expect(codeOf(await world.hub.history.redoTurn(bob, turnId))).toBe("NOTHING_TO_REDO");
    expect(accept(await world.hub.history.undo(bob, first)).text).toBe("2\n1\nfirst\n");
  });

  test("17.10 the turn that a person undid last is known until they do anything else, also after a restart", async () => {
    const [world, first] = await editedByTurn();
    const bob = await authorOf(world, person("bob"));
    const undoneLast = async (in_ = world) =>
      accept(await in_.hub.history.turnUndoneLastBy(await authorOf(in_, person("bob")), first));
    accept(await world.hub.editor.edit(bob, first, { changes: [insertion(4, "bob\n")] }));
    expect(await undoneLast()).toBeNull();
    accept(await world.hub.history.undoTurn(bob, turnId));
    expect(await undoneLast()).toBe(turnId);
    expect(await undoneLast(await openWorld(openMemoryStore(world.store.image())))).toBe(turnId);
    const ada = await authorOf(world, person("ada"));
    expect(accept(await world.hub.history.turnUndoneLastBy(ada, first))).toBeNull();
    accept(await world.hub.history.redoTurn(bob, turnId));
    expect(await undoneLast()).toBeNull();
    accept(await world.hub.history.undoTurn(bob, turnId));
    accept(await world.hub.editor.edit(bob, first, { changes: [insertion(0, "later\n")] }));
    expect(await undoneLast()).toBeNull();
  });

  test("a turn is undone in two files of one document, whose changes wait for each other", async () => {
    const [world, first] = await openFile("first\n");
    const second = (await createBlock(world, { kind: "file", text: "second\n" })).id;
    const scribe = await authorOf(world, model("run", turnId), "1");
    for (const id of [first, second]) accept(await world.hub.editor.edit(scribe, id, { changes: [insertion(0, "x")] }));
    accept(await world.hub.history.undoTurn(await authorOf(world, person("bob")), turnId));
    expect([await textOf(world, first), await textOf(world, second)]).toEqual(["first\n", "second\n"]);
  });

  test("turnsOf lists each turn with its author and whether it is undone, also after a restart", async () => {
    const [world, first] = await editedByTurn();
    const later = await authorOf(world, model("other", "u"), "5");
    await world.clock.advance(5000);
    accept(await world.hub.editor.edit(later, first, { changes: [insertion(0, "5\n")] }));
    const listed = async (at: World) =>
      accept(await at.hub.history.turnsOf(first)).map(({ turnId: id, actorName, undone }) => [id, actorName, undone]);
    expect(await listed(world)).toEqual([
      ["u", "scribe", false],
      ["t", "scribe", false],
    ]);
    accept(await world.hub.history.undoTurn(await authorOf(world, person("bob")), turnId));
    const restarted = await openWorld(openMemoryStore(world.store.image()));
    expect(await listed(restarted)).toEqual([
      ["u", "scribe", false],
      ["t", "scribe", true],
    ]);
    expect(
      codeOf(await restarted.hub.history.undoTurn(await authorOf(restarted, person("bob")), "none" as TurnId)),
    ).toBe("NOTHING_TO_UNDO");
  });

  test("a turn is undone in all its files in one transaction, or in none", async () => {
    let fault: (writes: readonly StoreWrite[]) => "STORE_FULL" | null = () => null;
    const store = openMemoryStore(undefined, { fault: (writes) => fault(writes) });
    const [world, first, second] = await editedByTurn(store);
    const bob = await authorOf(world, person("bob"));
    const watched = new TestReplica(second);
    await watched.join(world);
    const commits: number[] = [];
    fault = (writes) => {
      const changes = writes.filter((write) => write.type === "put-change").length;
      if (changes === 0) return null;
      commits.push(changes);
      return commits.length === 1 ? "STORE_FULL" : null;
    };
    expect(codeOf(await world.hub.history.undoTurn(bob, turnId))).toBe("STORE_FULL");
    expect([await textOf(world, first), await textOf(world, second)]).toEqual(["2\n1\nfirst\n", "3\nsecond\n"]);
    accept(await world.hub.history.undoTurn(bob, turnId));
    expect(commits).toEqual([2, 2]);
    expect([await textOf(world, first), await textOf(world, second)]).toEqual(["first\n", "second\n"]);
    expect(watched.text()).toBe("second\n");
  });

  test("a turn is undone in no file while a person may not write to one of them", async () => {
    const [world, first, second] = await editedByTurn();
    const bob = await authorOf(world, person("bob"));
    accept(await world.hub.editor.setPolicy(bob, second, "lease"));
    const lease = { canvasId: second, runId: "other" as RunId, holderName: "scribe", revisionId: "1-0" };
    accept(await world.leases.acquire(lease));
    expect(codeOf(await world.hub.history.undoTurn(bob, turnId))).toBe("CANVAS_LEASED");
    expect([await textOf(world, first), await textOf(world, second)]).toEqual(["2\n1\nfirst\n", "3\nsecond\n"]);
    await world.leases.releaseAll("other" as RunId);
    accept(await world.hub.history.undoTurn(bob, turnId));
    expect([await textOf(world, first), await textOf(world, second)]).toEqual(["first\n", "second\n"]);
  });

  test("two turns that share files are undone concurrently without a deadlock", async () => {
    const [world, first, second] = await editedByTurn();
    for (const [unit, blockId] of [
      ["5", second],
      ["6", first],
    ] as const) {
      const other = await authorOf(world, model("other", "u"), unit);
      accept(await world.hub.editor.edit(other, blockId, { changes: [insertion(0, `${unit}\n`)] }));
    }
    const bob = await authorOf(world, person("bob"));
    const both = await Promise.all([
      world.hub.history.undoTurn(bob, turnId),
      world.hub.history.undoTurn(bob, "u" as TurnId),
    ]);
    expect(both.map((done) => accept(done).length)).toEqual([2, 2]);
    expect([await textOf(world, first), await textOf(world, second)]).toEqual(["first\n", "second\n"]);
  });

  test("redoing a turn does not redo what its agent had undone itself", async () => {
    const [world, id] = await openFile();
    const bob = await authorOf(world, person("bob"));
    for (const unit of ["1", "2"]) {
      const scribe = await authorOf(world, model("run", turnId), unit);
      accept(await world.hub.editor.edit(scribe, id, { changes: [insertion(0, unit)] }));
    }
    accept(await world.hub.history.undo(await authorOf(world, model("run", turnId)), id));
    accept(await world.hub.history.undoTurn(bob, turnId));
    expect(await textOf(world, id)).toBe("");
    accept(await world.hub.history.redoTurn(bob, turnId));
    expect(await textOf(world, id)).toBe("1");
  });
});

test("undoing all edits of one author leaves exactly the text of the others", async () => {
  const step = fc.record({
    who: fc.constantFrom("a", "b"),
    what: fc.constantFrom("insert", "insert", "delete", "undo", "redo"),
    at: fc.nat(),
    length: fc.integer({ min: 1, max: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const [world, id] = await openFile("0123456789");
      let made = 0;
      for (const { who, what, at, length } of steps) {
        const author = await authorOf(world, person(who));
        const text = await textOf(world, id);
        const from = text.length === 0 ? 0 : at % text.length;
        made += 1;
        if (what === "undo") await world.hub.history.undo(author, id);
        else if (what === "redo") await world.hub.history.redo(author, id);
        else if (what === "insert")
          await world.hub.editor.edit(author, id, { changes: [insertion(from, who.repeat(length))] });
        else {
          // Each author deletes only original text: an author cannot undo another author's deletion of their text.
          const digit = text.slice(from).search(/\d/) + from;
          if (digit >= from)
            await world.hub.editor.edit(author, id, { changes: [{ from: digit, to: digit + 1, insert: "" }] });
        }
      }
      expect(made).toBe(steps.length);
      const [a, b] = [await authorOf(world, person("a")), await authorOf(world, person("b"))];
      while ((await world.hub.history.undo(a, id)).ok);
      expect(await textOf(world, id)).not.toContain("a");
      while ((await world.hub.history.undo(b, id)).ok);
      expect(await textOf(world, id)).toBe("0123456789");
    }),
    { numRuns: scaled(500) },
  );
});

test("undoing and redoing a turn restores the text, whatever others did to it", async () => {
  const step = fc.record({
    person: fc.boolean(),
    at: fc.nat(),
    remove: fc.nat(4),
    insert: fc.string({ maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), fc.nat(3), async (steps, rounds) => {
      const [world, id] = await openFile("0123456789");
      const turnId = "t" as TurnId;
      for (const { person: byPerson, at, remove, insert } of steps) {
        const author = await authorOf(world, byPerson ? person("ada") : model("run", turnId));
        const { length } = await textOf(world, id);
        const from = at % (length + 1);
        const change = { from, to: Math.min(length, from + remove), insert: insert.replaceAll(/[^ -~]/g, "") };
        accept(await world.hub.editor.edit(author, id, { changes: [change] }));
      }
      const text = await textOf(world, id);
      const ada = await authorOf(world, person("ada"));
      for (let round = 0; round < rounds; round += 1) {
        if (!(await world.hub.history.undoTurn(ada, turnId)).ok) continue;
        accept(await world.hub.history.redoTurn(ada, turnId));
        expect(await textOf(world, id)).toBe(text);
      }
    }),
    { numRuns: scaled(500) },
  );
});
