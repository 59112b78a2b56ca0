import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { openMemoryStore, type MemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import type { MemoryImage } from "../../../adapters/storage/memory/tables.ts";
import { accept } from "../../../core/base/result.test-support.ts";
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
} from "../world.test-support.ts";

const people = ["ada", "bob", "cy"] as const;
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constant("type" as const), who: fc.nat(2), at: fc.nat(), delete: fc.nat(3) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("append" as const) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("agent-edit" as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("undo" as const), who: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("rejoin" as const), who: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("wait" as const) }) },
  // Runs the event loop a little, so that pages type while the server is in the middle of its work.
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("tick" as const), microtasks: fc.integer({ min: 1, max: 30 }) }),
  },
);

test("B-28, B-31 pages that type at the same time as an agent all converge to the server's text", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const world = await openWorld();
      const { id } = await createBlock(world, { kind: "file", text: "begin 😀\n" });
      const scribe = await authorOf(world, model("run"));
      const pages = await Promise.all(
        people.map(async (name) => {
          const replica = new TestReplica(id);
          await replica.join(world);
          return { author: await authorOf(world, person(name)), replica };
        }),
      );
      const answers: Promise<unknown>[] = [];
      let word = 0;
      for (const next of steps) {
        const page = pages["who" in next ? next.who : 0] ?? expect.fail("there are three pages");
        const text = page.replica.text();
        switch (next.type) {
          case "type": {
            const from = safe(text, next.at % (text.length + 1));
            const to = safe(text, Math.min(text.length, from + next.delete));
            word += 1;
            const update = page.replica.edit(page.author.replica, [
              { from, to: Math.max(from, to), insert: `${word}` },
            ]);
            answers.push(world.hub.editor.push(page.author, id, update, requestId()));
            break;
          }
          case "append":
            answers.push(world.hub.editor.append(scribe, id, `w${(word += 1)} `));
            break;
          case "agent-edit":
            answers.push(
              world.hub.editor.editWith(scribe, id, (reading) => ({
                ok: true,
                value: { changes: [insertion(safe(reading.text, next.at % (reading.text.length + 1)), "§")] },
              })),
            );
            break;
          case "undo":
            answers.push(world.hub.history.undo(page.author, id));
            break;
          case "rejoin":
            page.replica.leave();
            await page.replica.join(world);
            break;
          case "tick":
            for (let done = 0; done < next.microtasks; done += 1) await Promise.resolve();
            break;
          case "wait":
            await atRest();
            break;
        }
      }
      await Promise.all(answers);
      const text = await textOf(world, id);
      for (const { replica } of pages) expect(replica.text()).toBe(text);
      const { version } = accept(await world.hub.reader.read(id)).header;
      for (const { replica } of pages) expect(replica.version).toBe(version);
    }),
    { numRuns: scaled(500) },
  );
});

test("a crash at any commit leaves the acknowledged changes, and at most one change not yet acknowledged", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ at: fc.nat(), kind: fc.nat(3) }), { minLength: 1, maxLength: 15 }),
      async (edits) => {
        const images: { readonly image: MemoryImage; readonly acknowledged: number }[] = [];
        const texts = new Map<number, string>();
        let acknowledged = 1;
        let id: Awaited<ReturnType<typeof createBlock>>["id"] | null = null;
        const store: MemoryStore = openMemoryStore(undefined, {
          fault: () => {
            // Right before each commit, everything acknowledged so far must be in the image.
            if (id !== null) images.push({ image: store.image(), acknowledged });
            return null;
          },
        });
        const world = await openWorld(store);
        const scribe = await authorOf(world, model("run"));
        ({ id } = await createBlock(world, { kind: "file", text: "0" }));
        const blockId = id;
        texts.set(1, "0");
        await Promise.all(
          edits.map(async ({ at, kind }, index) => {
            if (kind === 0) await atRest();
            const plan = (reading: { readonly text: string }) =>
              ({
                ok: true,
                value: { changes: [insertion(at % (reading.text.length + 1), String(index % 10))] },
              }) as const;
            const { version, text } = accept(await world.hub.editor.editWith(scribe, blockId, plan));
            texts.set(version, text);
            acknowledged = Math.max(acknowledged, version);
          }),
        );
        images.push({ image: store.image(), acknowledged });
        for (const crash of images) {
          const later = await openWorld(openMemoryStore(crash.image));
          const { header, text } = accept(await later.hub.reader.read(blockId));
          expect(header.version).toBeGreaterThanOrEqual(crash.acknowledged);
          expect(text).toBe(texts.get(header.version));
        }
      },
    ),
    { numRuns: scaled(500) },
  );
});

/** Returns the offset, or the one before it when it would split a surrogate pair. */
function safe(text: string, offset: number): number {
  const unit = text.charCodeAt(offset);
  return unit >= 0xdc00 && unit <= 0xdfff ? offset - 1 : offset;
}
