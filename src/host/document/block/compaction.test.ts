import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import type { BlockId, ToolCallId, TurnId } from "../../../core/base/ids.ts";
import { ok } from "../../../core/base/result.ts";
import type { HistoryEntry } from "../../../core/block/history.ts";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { documentOfBlock } from "../record/document-of.ts";
import { countDroppable, nextCompaction, unitsNamedBy } from "../record/retention.ts";
import { hubLimits, type Retention } from "../record/limits.ts";
import { accept, codeOf } from "../../../core/base/result.test-support.ts";
import {
  atRest,
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

const dayMs = 24 * 60 * 60 * 1000;
const few: Retention = { changesMin: 10, ageMs: 0, changesMax: 100, bytesMax: 1e9, stepChanges: 4 };

const sized = (...sizes: readonly number[]) => sizes.map((bytes) => ({ at: 100 * dayMs, bytes }));

describe("countDroppable keeps", () => {
  const ages = (...days: readonly number[]) => days.map((age) => ({ at: 100 * dayMs - age * dayMs }));
  const gone = (log: readonly { readonly at: number }[], retention: Partial<Retention>) =>
    countDroppable(log, 100 * dayMs, {
      changesMin: 2,
      ageMs: 7 * dayMs,
      changesMax: 5,
      bytesMax: 1e9,
      stepChanges: 1,
      ...retention,
    });

  test.each([
    ["all of a short log", ages(90, 80), {}, 0],
    ["the newest, however old", ages(90, 80, 70, 60), {}, 2],
    ["every young change", ages(90, 6, 5, 4), {}, 1],
    ["every change after a young one, whatever its timestamp", ages(90, 6, 80, 70, 60), {}, 1],
    ["at most the maximum number", ages(3, 3, 2, 2, 1, 1, 0), {}, 2],
    ["the last change, also when the minimum is zero", ages(90, 80), { changesMin: 0 }, 1],
    ["nothing of an empty log", [], {}, 0],
    ["19.4 the newest changes with so many bytes, however few and young", sized(1, 3, 3, 3), { bytesMax: 6 }, 2],
    ["19.4 the last change, also when it alone is larger", sized(1, 9), { bytesMax: 6 }, 1],
    ["19.4 every change as long as all are no larger", sized(3, 3), { bytesMax: 6 }, 0],
  ])("%s", (_what, log, retention, expected) => {
    expect(gone(log, retention)).toBe(expected);
  });
});

test("later returns a time or version at which enough changes can be dropped", () => {
  const at = fc.integer({ min: 0, max: 1000 });
  const bounds = fc.record({
    changesMin: fc.nat(12),
    ageMs: fc.nat(800),
    changesMax: fc.integer({ min: 12, max: 40 }),
    bytesMax: fc.constant(1e9),
    stepChanges: fc.integer({ min: 1, max: 6 }),
  });
  fc.assert(
    fc.property(fc.array(at, { maxLength: 60 }), bounds, fc.integer({ min: 1, max: 50 }), (ats, retention, first) => {
      const log = ats.map((each) => ({ at: each }));
      const now = 1000;
      if (countDroppable(log, now, retention) >= retention.stepChanges) return;
      const { notBefore, unlessVersion } = nextCompaction(log, first, retention);
      expect(first - 1 + log.length).toBeLessThan(unlessVersion);
      expect(now).toBeLessThan(notBefore);
      // At that time or version enough changes can be dropped.
      const longer = [...log, ...Array.from({ length: unlessVersion - first + 1 - log.length }, () => ({ at: now }))];
      const isByLength = notBefore === Number.POSITIVE_INFINITY;
      if (!isByLength) expect(countDroppable(log, notBefore, retention)).toBeGreaterThanOrEqual(retention.stepChanges);
      if (!isByLength) expect(countDroppable(longer, now, retention)).toBeGreaterThanOrEqual(retention.stepChanges);
    }),
    { numRuns: scaled(500) },
  );
});

/** Opens a file with changes by a model's calls, one a minute; returns the world after all compaction. */
async function written(count: number, retention: Retention = few): Promise<{ world: World; id: BlockId }> {
  const world = await openWorld(openMemoryStore(), simulatedClock(), retention);
  const { id } = await createBlock(world, { kind: "file", status: "done", text: "start\n" });
  for (let call = 1; call <= count; call += 1) {
    const author = await authorOf(world, { ...model("a"), toolCallId: `call-${call}` as ToolCallId }, `call-${call}`);
    const unit = { ...author.unit, toolCallId: `call-${call}` as ToolCallId };
    accept(await world.hub.editor.edit({ ...author, unit }, id, { changes: [insertion(0, `${call}\n`)] }));
    await world.clock.advance(60_000);
    await atRest();
  }
  return { world, id };
}

async function reopened(world: World, retention: Retention = few): Promise<World> {
  return openWorld(openMemoryStore(world.store.image()), world.clock, retention);
}

test("19.4 a text that is replaced again and again keeps a bounded history, in memory and in the store", async () => {
  const retention: Retention = {
    changesMin: 1_000,
    ageMs: dayMs,
    changesMax: 20_000,
    bytesMax: 100_000,
    stepChanges: 500,
  };
  const world = await openWorld(openMemoryStore(), simulatedClock(), retention);
  const { id } = await createBlock(world, { kind: "file", status: "done", text: "0".repeat(10_000) });
  let reads = 0;
  const changes = world.store.changes.bind(world.store);
  world.store.changes = (query) => {
    reads += 1;
    return changes(query);
  };
  const author = await authorOf(world, person("ada"));
  const most = { log: 0, snapshot: 0 };
  const rewrites = 200;
  for (let count = 1; count <= rewrites; count += 1) {
    const insert = String(count % 10).repeat(10_000);
    const unit = { id: `rewrite ${count}` };
    accept(await world.hub.editor.edit({ ...author, unit }, id, { changes: [{ from: 0, to: 10_000, insert }] }));
    await atRest();
    const log = await changes({ blockId: id, afterVersion: 0 });
    const bytes = log.map(({ body }) => (body.type === "text" || body.type === "created" ? body.update.length : 0));
    most.log = Math.max(
      most.log,
      bytes.reduce((sum, each) => sum + each, 0),
    );
    most.snapshot = Math.max(most.snapshot, (await world.store.snapshot(id))?.bytes.length ?? 0);
  }
  expect(most.log).toBeGreaterThan(retention.bytesMax);
  // Half as much more may gather, and the last rewrite.
  expect(most.log).toBeLessThan(1.5 * retention.bytesMax + 20_500);
  expect(most.snapshot).toBeLessThan(1.5 * retention.bytesMax + 40_000);
  // Reading the log takes as long as writing half of it.
  expect(reads).toBeLessThan(rewrites / 2);
  expect(await textOf(world, id)).toBe("0".repeat(10_000));
  for (const left of [9, 8, 7]) {
    accept(await world.hub.history.undo(author, id));
    expect(await textOf(world, id)).toBe(String(left).repeat(10_000));
  }
});

describe("a compacted block", () => {
  test("a compacted block with a late log start is read and written as before, also after a restart", async () => {
    const { world, id } = await written(40);
    const log = await world.store.changes({ blockId: id, afterVersion: 0 });
    expect(log.length).toBeGreaterThanOrEqual(few.changesMin);
    expect(log.length).toBeLessThan(few.changesMin + few.stepChanges);
    const text = await textOf(world, id);
    for (const each of [world, await reopened(world)]) {
      expect(await textOf(each, id)).toBe(text);
      const first = log[0]?.version ?? 0;
      for (let version = first - 1; version <= 41; version += 1) {
        expect(accept(await each.hub.reader.readAt(id, version)).text.split("\n")[0]).toBe(String(version - 1));
      }
      for (const version of [1, first - 2])
        expect(codeOf(await each.hub.reader.readAt(id, version))).toBe("VERSION_UNKNOWN");
      const { entries } = accept(await each.hub.history.page(id, { entriesMax: 100 }));
      expect(entries).toHaveLength(log.length);
      expect(entries.at(-1)?.delta).toEqual([insertion(0, `${first - 1}\n`)]);
    }
  });

  test("a compacted block undoes and redoes kept changes and refuses the others as too old", async () => {
    const { world, id } = await written(40);
    for (const each of [world, await reopened(world)]) {
      const author = await authorOf(each, model("a"));
      const before = await textOf(each, id);
      const undone: string[] = [];
      for (;;) {
        const result = await each.hub.history.undo(author, id);
        if (!result.ok) {
          expect(result.error.code).toBe("UNDO_TOO_OLD");
          break;
        }
        undone.push(result.value.text);
        await atRest();
      }
      // Each undo is a change too, so each one pushes out an older change.
      expect(undone.length).toBeGreaterThanOrEqual(few.changesMin / 2);
      for (const _ of undone) accept(await each.hub.history.redo(author, id));
      expect(await textOf(each, id)).toBe(before);
      expect(codeOf(await each.hub.history.redo(author, id))).toBe("NOTHING_TO_REDO");
      const old = { toolCallId: "call-2" as ToolCallId };
      expect(codeOf(await each.hub.history.undo(author, id, old))).toBe("UNDO_TOO_OLD");
      const stranger = await authorOf(each, person("stranger"));
      expect(codeOf(await each.hub.history.undo(stranger, id))).toBe("NOTHING_TO_UNDO");
    }
  });

  test("a compacted block keeps an old unit that was undone recently", async () => {
    const { world, id } = await written(3);
    const ada = await authorOf(world, person("ada"), "ada");
    accept(await world.hub.editor.edit(ada, id, { changes: [insertion(0, "ada\n"), { from: 2, to: 4, insert: "" }] }));
    const withAda = await textOf(world, id);
    const without = accept(await world.hub.history.undo(ada, id)).text;
    for (let round = 0; round < 12; round += 1) {
      const redone = accept(await world.hub.history.redo(ada, id)).text;
      expect([redone, accept(await world.hub.history.undo(ada, id)).text]).toEqual([withAda, without]);
      await world.clock.advance(60_000);
      await atRest();
    }
    expect((await world.store.changes({ blockId: id, afterVersion: 0 })).length).toBeLessThan(15);
    const later = await reopened(world);
    const again = await authorOf(later, person("ada"));
    expect(accept(await later.hub.history.redo(again, id)).text).toBe(withAda);
    expect(accept(await later.hub.history.undo(again, id)).text).toBe(without);
  });

  test("a turn is undone in all its files, or refused as too old when one file's history was compacted", async () => {
    const { world, id } = await written(3);
    const quiet = await createBlock(world, { kind: "file", status: "done", text: "quiet\n", document: "other" });
    const turn = "b-turn" as TurnId;
    for (const file of [id, quiet.id]) {
      const author = await authorOf(world, model("b"), `b-${file}`);
      accept(await world.hub.editor.edit(author, file, { changes: [insertion(0, "b\n")] }));
    }
    const asker = await authorOf(world, person("ada"));
    expect(accept(await world.hub.history.undoTurn(asker, turn))).toHaveLength(2);
    expect(accept(await world.hub.history.redoTurn(asker, turn))).toHaveLength(2);
    for (let index = 0; index < 30; index += 1) {
      const author = await authorOf(world, person("bob"));
      accept(await world.hub.editor.edit(author, id, { changes: [insertion(0, "x")] }));
      await world.clock.advance(60_000);
      await atRest();
    }
    for (const each of [world, await reopened(world)]) {
      expect(codeOf(await each.hub.history.undoTurn(asker, turn))).toBe("UNDO_TOO_OLD");
      expect(await textOf(each, quiet.id)).toBe("b\nquiet\n");
    }
  });

  test("a watcher with a version before the log start receives a snapshot, any other the changes", async () => {
    const { world, id } = await written(40);
    const log = await world.store.changes({ blockId: id, afterVersion: 0 });
    const first = log[0]?.version ?? 0;
    const kinds: string[] = [];
    for (const version of [1, first - 2, first - 1, first, 41]) {
      kinds.push(accept(await world.hub.reader.catchUp(id, version)).type);
      await world.hub.feeds.watch(id, version, {
        snapshot: (header) => kinds.push(`snapshot ${header.version}`),
        deliver: (changes) => kinds.push(`from ${changes[0]?.version}`),
      });
    }
    expect(kinds).toEqual([
      "snapshot",
      "snapshot 41",
      "snapshot",
      "snapshot 41",
      "changes",
      `from ${first}`,
      "changes",
      `from ${first + 1}`,
      "changes",
    ]);
    accept(await world.hub.deletion.delete(await authorOf(world, person("ada")), id));
    const missed = accept(await world.hub.reader.catchUp(id, 1));
    expect(missed.type === "changes" && missed.changes.map(({ body }) => body.type)).toEqual(["deleted"]);
  });

  test("a compacted block refuses an update that builds on a dropped version, and does not change", async () => {
    const world = await openWorld(openMemoryStore(), simulatedClock(), few);
    const { id } = await createBlock(world, { kind: "file", status: "done", text: "start\n" });
    const away = new TestReplica(id);
    await away.join(world);
    away.leave();
    const ada = await authorOf(world, person("ada"));
    const update = away.edit(ada.replica, [insertion(0, "typed long ago ")]);
    for (let index = 0; index < 30; index += 1) {
      accept(await world.hub.editor.edit(await authorOf(world, person("bob")), id, { changes: [insertion(0, "x")] }));
      await world.clock.advance(60_000);
      await atRest();
    }
    const before = await textOf(world, id);
    expect(codeOf(await world.hub.editor.push(ada, id, update, requestId()))).toBe("UPDATE_GAP");
    expect(await textOf(world, id)).toBe(before);
  });

  test("a block keeps its history when the store refuses its compaction, and is compacted later", async () => {
    let isFull = false;
    const store = openMemoryStore(undefined, {
      fault: (writes) => (isFull && writes.some(({ type }) => type === "trim-changes") ? "STORE_FULL" : null),
    });
    const world = await openWorld(store, simulatedClock(), few);
    const { id } = await createBlock(world, { kind: "file", status: "done", text: "start\n" });
    const type = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) {
        accept(await world.hub.editor.edit(await authorOf(world, person("ada")), id, { changes: [insertion(0, "x")] }));
        await world.clock.advance(60_000);
        await atRest();
      }
    };
    isFull = true;
    await type(30);
    expect(await store.changes({ blockId: id, afterVersion: 0 })).toHaveLength(31);
    expect(accept(await world.hub.reader.readAt(id, 2)).text).toBe("xstart\n");
    expect(world.logged.map(({ event }) => event)).toContain("compaction-refused");
    isFull = false;
    await type(1);
    expect((await store.changes({ blockId: id, afterVersion: 0 })).length).toBeLessThan(15);
  });
});

test("a hundred thousand edits over two months take no more space than the kept ones", async () => {
  const retention: Retention = { changesMin: 200, ageMs: dayMs, changesMax: 100_000, bytesMax: 1e9, stepChanges: 500 };
  const count = scaled(100_000);
  const world = await openWorld(openMemoryStore(), simulatedClock(), retention);
  const { id } = await createBlock(world, { kind: "file", status: "done", text: "start\n" });
  const author = await authorOf(world, person("ada"));
  let rowsMax = 0;
  let bytesMax = 0;
  for (let index = 0; index < count; index += 1) {
    // The text grows to a few pages, then old parts are replaced.
    const at = (index * 7919) % 4000;
    const now = Math.min(at, 6 + Math.min(index, 3990));
    const remove = index < 4000 ? 0 : 1;
    const by = { ...author, unit: { id: `typed-${index}` } };
    accept(await world.hub.editor.edit(by, id, { changes: [{ from: now, to: now + remove, insert: "x" }] }));
    if (index % 100 === 0) {
      await world.clock.advance(100 * 60_000);
      await atRest();
    }
    if (index % 1000 === 999) {
      rowsMax = Math.max(rowsMax, (await world.store.changes({ blockId: id, afterVersion: 0 })).length);
      bytesMax = Math.max(bytesMax, (await world.store.snapshot(id))?.bytes.length ?? 0);
    }
  }
  expect((await world.store.block(id))?.version).toBe(count + 1);
  // 1,440 edits per day, the least that is worth dropping, and what was typed since it was looked at.
  expect(rowsMax).toBeLessThan(2_050);
  expect(bytesMax).toBeLessThan(60_000);
  const later = await openWorld(openMemoryStore(world.store.image()), world.clock, retention);
  expect(await textOf(later, id)).toBe(await textOf(world, id));
}, 120_000);

test("a long log is not looked at while its document was only just opened: after a start everybody would wait for all of them", async () => {
  const { world, id } = await written(hubLimits.compactionAtOnceMax + 1, { ...few, ageMs: 1e12, changesMax: 10_000 });
  const next = await reopened(world, few);
  const looked: number[] = [];
  const changes = next.store.changes.bind(next.store);
  next.store.changes = (query) => {
    if (query.afterVersion < 100) looked.push(query.afterVersion);
    return changes(query);
  };
  const ada = await authorOf(next, person("ada"));
  const type = async (): Promise<void> => {
    accept(await next.hub.editor.edit(ada, id, { changes: [insertion(0, "a")] }));
    await atRest();
  };
  for (let count = 0; count < 5; count += 1) {
    await type();
    await next.clock.advance(10_000);
  }
  expect(looked).toEqual([]);
  await next.clock.advance(10_000);
  await type();
  expect(looked.length).toBeGreaterThan(0);
});

test("a short log is looked at without waiting", async () => {
  const { world, id } = await written(30, { ...few, ageMs: 1e12 });
  const next = await reopened(world, few);
  const ada = await authorOf(next, person("ada"));
  accept(await next.hub.editor.edit(ada, id, { changes: [insertion(0, "a")] }));
  await atRest();
  expect(await next.store.logStart(id)).not.toBeNull();
});

const who = fc.nat(2);
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant("edit" as const),
      who,
      at: fc.nat(),
      remove: fc.nat(3),
      unit: fc.nat(2),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("late" as const), who, at: fc.nat(), back: fc.nat(12) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom("undo" as const, "redo" as const), who }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom("undo-turn" as const, "redo-turn" as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("status" as const) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("restart" as const) }) },
);

const edit = (who: number, remove = 0) => ({ type: "edit" as const, who, at: 0, remove, unit: 0 });
const undo = (who: number) => ({ type: "undo" as const, who });
const undoneInFewerRuns = [edit(1), edit(0), edit(0), edit(2, 3), edit(0), undo(0), edit(0), undo(1), undo(2)];

test("a compacted block gives the same results as an uncompacted one within its kept history", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80, size: "max" }), async (steps) => {
      let kept = await openWorld(openMemoryStore(), simulatedClock(), {
        changesMin: 6,
        ageMs: 0,
        changesMax: 50,
        bytesMax: 1e9,
        stepChanges: 2,
      });
      let whole = await openWorld(openMemoryStore(), simulatedClock());
      const ids = await Promise.all(
        [kept, whole].map(async (world) => (await createBlock(world, { kind: "file", text: "begin 😀\n" })).id),
      );
      const id = ids[0] ?? expect.fail("two blocks");
      expect(ids[1]).toBe(id);
      const actors = [person("ada"), person("bob"), model("run")];
      const named = async (world: World, index: number, unit: string) =>
        authorOf(world, actors[index] ?? expect.fail("three actors"), unit);
      const both = async <Value>(work: (world: World) => Promise<Value>): Promise<readonly [Value, Value]> => {
        const results = [await work(kept), await work(whole)] as const;
        await kept.clock.advance(10);
        await whole.clock.advance(10);
        await atRest();
        return results;
      };
      let word = 0;
      for (const next of steps) {
        word += 1;
        switch (next.type) {
          case "edit": {
            const text = await textOf(whole, id);
            const from = safe(text, next.at % (text.length + 1));
            const to = Math.max(from, safe(text, Math.min(text.length, from + next.remove)));
            const changes = [{ from, to, insert: `${word}` }];
            // A unit grows for a while, but never after it was dropped.
            const unit = next.unit === 0 ? `unit-${word}` : `unit-${next.unit}-of-${next.who}-${Math.floor(word / 5)}`;
            const [a, b] = await both(async (world) =>
              world.hub.editor.edit(await named(world, next.who, unit), id, { changes }),
            );
            expect(a).toEqual(b);
            break;
          }
          case "late": {
            const { version } = accept(await whole.hub.reader.read(id)).header;
            const at = Math.max(1, version - next.back);
            const [a, b] = await both(async (world) => {
              const old = await world.hub.reader.readAt(id, at);
              if (!old.ok) return old;
              const from = safe(old.value.text, next.at % (old.value.text.length + 1));
              const plan = { changes: [insertion(from, `late${word}`)], at: old.value.textVersion };
              return world.hub.editor.edit(await named(world, next.who, `late-${word}`), id, plan);
            });
            if (a.ok || next.back < 6) {
              expect(a).toEqual(b);
              break;
            }
            // From here on the two worlds differ.
            expect(a.error.code).toBe("VERSION_UNKNOWN");
            return;
          }
          case "undo":
          case "redo": {
            const [a, b] = await both(async (world) =>
              world.hub.history[next.type](await named(world, next.who, "undo"), id),
            );
            if (a.ok || a.error.code === codeOf(b)) {
              expect(a).toEqual(b);
              break;
            }
            expect(a.error.code).toBe(next.type === "undo" ? "UNDO_TOO_OLD" : "NOTHING_TO_REDO");
            if (!b.ok) break;
            expect(await wasOld(whole, id)).toBe(true);
            // From here on the two worlds differ.
            return;
          }
          case "undo-turn":
          case "redo-turn": {
            const turn = "run-turn" as TurnId;
            const call = next.type === "undo-turn" ? "undoTurn" : "redoTurn";
            const a = await kept.hub.history[call](await named(kept, 0, "turn"), turn);
            if (!a.ok && a.error.code === "UNDO_TOO_OLD") {
              expect((await kept.store.trimmedOfTurn(turn)).length).toBe(1);
              break;
            }
            expect(a).toEqual(await whole.hub.history[call](await named(whole, 0, "turn"), turn));
            break;
          }
          case "status": {
            await both(async (world) =>
              world.hub.editor.update(await named(world, 0, "flags"), id, { collapsed: word % 2 === 0 }),
            );
            break;
          }
          case "restart": {
            kept = await restarted(kept, { changesMin: 6, ageMs: 0, changesMax: 50, bytesMax: 1e9, stepChanges: 2 });
            whole = await restarted(whole);
            break;
          }
        }
        const [a, b] = await both(async (world) => accept(await world.hub.reader.read(id)));
        expect(a.text).toBe(b.text);
        expect(a.header.version).toBe(b.header.version);
        expect(a.textVersion).toEqual(b.textVersion);
      }
      const { version } = accept(await whole.hub.reader.read(id)).header;
      for (let back = 0; back < 6 && version - back >= 1; back += 1) {
        const [a, b] = await both(async (world) => accept(await world.hub.reader.readAt(id, version - back)));
        expect(a).toMatchObject({ text: b.text, textVersion: b.textVersion });
      }
      const entries = await both(async (world) => accept(await world.hub.history.page(id, { entriesMax: 3 })).entries);
      expect(entries[0].slice(0, 2).map(withoutUpdate)).toEqual(entries[1].slice(0, 2).map(withoutUpdate));
      const problems = [...kept.logged, ...whole.logged].filter(({ event }) => event.endsWith("failed"));
      expect(problems).toEqual([]);
    }),
    { numRuns: scaled(150), examples: [[undoneInFewerRuns]] },
  );
});

/**
 * Drops the update of an entry: spans and delta hold the effect, and a compacted log may encode the same update in fewer
 * runs.
 */
function withoutUpdate({ body, ...entry }: HistoryEntry): unknown {
  return { ...entry, body: body.type === "text" ? { ...body, update: "" } : body };
}

test("deleting a document during a compaction does not deadlock", async () => {
  const world = await openWorld(openMemoryStore(), simulatedClock(), few);
  const { id } = await createBlock(world, { text: "start" });
  const author = await authorOf(world, person("ada"));
  for (let edit = 0; edit < 40; edit += 1) {
    accept(await world.hub.editor.edit(author, id, { changes: [insertion(0, "x")] }));
    const removed = world.hub.deletion.removeDocuments([documentOfBlock(id)], () => Promise.resolve(ok(undefined)));
    expect(await removed).toEqual(ok(undefined));
  }
  expect(await textOf(world, id)).toBe(`${"x".repeat(40)}start`);
});

async function restarted(world: World, retention?: Retention): Promise<World> {
  return openWorld(openMemoryStore(world.store.image()), world.clock, retention);
}

/** Returns whether every earlier change to the units that the last change reverted is older than the kept history. */
async function wasOld(world: World, id: BlockId): Promise<boolean> {
  const log = await world.store.changes({ blockId: id, afterVersion: 0 });
  const units = unitsNamedBy(log.at(-1) ?? expect.fail("the log ends with a revert"));
  const before = log.slice(0, -1);
  const touched = before.filter((change) => unitsNamedBy(change).some((unit) => units.includes(unit)));
  return (touched.at(-1)?.version ?? 0) <= before.length - 6;
}

function safe(text: string, at: number): number {
  const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isLow ? at - 1 : at;
}
