import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { applyChanges } from "../../../core/block/change/text-change.ts";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { authorOf, createBlock, insertion, model, openWorld, person, textOf } from "../world.test-support.ts";
import type { HistoryEntry } from "../../../core/block/history.ts";

const step = fc.record({
  who: fc.constantFrom("ada", "bob", "run"),
  what: fc.constantFrom("insert", "insert", "replace", "undo", "redo"),
  at: fc.nat(40),
  unit: fc.nat(2),
});

test("history entries applied in order produce the text, whatever the page size", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), fc.integer({ min: 1, max: 5 }), async (steps, entriesMax) => {
      const world = await openWorld();
      const { id } = await createBlock(world, { kind: "file", text: "some text\n" });
      for (const [index, { who, what, at, unit }] of steps.entries()) {
        const author = await authorOf(world, who === "run" ? model("run") : person(who), `${who}/${unit}`);
        const { length } = await textOf(world, id);
        const from = Math.min(at, length);
        const to = what === "replace" ? Math.min(from + 3, length) : from;
        const changes = [{ ...insertion(from, `<${index}>`), to }];
        if (what === "undo") await world.hub.history.undo(author, id);
        else if (what === "redo") await world.hub.history.redo(author, id);
        else accept(await world.hub.editor.edit(author, id, { changes }));
      }
      for (const now of [world, await openWorld(openMemoryStore(world.store.image()))]) {
        const entries: HistoryEntry[] = [];
        let beforeVersion: number | undefined;
        for (let truncated = true; truncated;) {
          const page = accept(await now.hub.history.page(id, { beforeVersion, entriesMax }));
          expect(page.entries.length).toBeLessThanOrEqual(entriesMax);
          entries.push(...page.entries);
          beforeVersion = page.entries.at(-1)?.firstVersion;
          ({ truncated } = page);
        }
        const oldestFirst = entries.toReversed();
        const text = oldestFirst.reduce((before, { delta }) => applyChanges(before, delta), "some text\n");
        expect(text).toBe(await textOf(now, id));
        const versions = oldestFirst.flatMap(({ firstVersion, version }) => [firstVersion - 1, version]);
        expect(versions).toEqual([0, ...versions.slice(1, -1), accept(await now.hub.reader.read(id)).header.version]);
        for (const [index, { version }] of oldestFirst.entries()) {
          expect(oldestFirst[index + 1]?.firstVersion ?? version + 1).toBe(version + 1);
        }
      }
    }),
    { numRuns: scaled(100) },
  );
});
