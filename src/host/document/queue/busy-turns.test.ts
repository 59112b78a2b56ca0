import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { accept } from "../../../core/base/result.test-support.ts";
import { ok } from "../../../core/base/result.ts";
import { hubLimits } from "../record/limits.ts";
import { authorOf, createBlock, insertion, model, openWorld } from "../world.test-support.ts";
import { BusyTurns } from "../record/busy-turns.ts";

test("19.4 of several callers one goes on in each iteration of the event loop, in their order", async () => {
  const turns = new BusyTurns();
  const went: string[] = [];
  const loop = (async () => {
    for (let iteration = 0; iteration < 6; iteration += 1) {
      await setImmediate();
      went.push(`iteration ${iteration}`);
    }
  })();
  const twice = (async () => {
    await turns.next();
    went.push("a");
    await turns.next();
    went.push("a again");
  })();
  const others = ["b", "c"].map((name) => turns.next().then(() => went.push(name)));
  await Promise.all([loop, twice, ...others]);
  const between = went.join(", ").split(/iteration \d/u);
  for (const part of between)
    expect(part.split(",").filter((each) => each.trim() !== "").length).toBeLessThanOrEqual(1);
  expect(went.filter((each) => !each.startsWith("iteration"))).toEqual(["a", "b", "c", "a again"]);
});

test("19.4 however many documents are busy, their work is cut into one slice for each iteration of the event loop", async () => {
  const world = await openWorld();
  const monotonic = world.clock.monotonic.bind(world.clock);
  let spentMs = 0;
  world.clock.monotonic = () => monotonic() + spentMs;
  const documents = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const { id } = await createBlock(world, { document: `doc-${index}` });
      return { id, author: await authorOf(world, model(`run-${index}`)) };
    }),
  );
  const spentInIterations: number[] = [];
  const over = new AbortController();
  const watching = (async () => {
    for (let before = spentMs; !over.signal.aborted; before = spentMs) {
      await setImmediate();
      spentInIterations.push(spentMs - before);
    }
  })();
  const edits = documents.flatMap(({ id, author }) =>
    Array.from({ length: 5 }, () =>
      world.hub.editor.editWith(author, id, () => {
        spentMs += hubLimits.sliceMs;
        return ok({ changes: [insertion(0, "x")] });
      }),
    ),
  );
  for (const edited of await Promise.all(edits)) accept(edited);
  over.abort();
  await watching;
  // Each document may begin at once; from then on they take turns.
  const later = spentInIterations.slice(spentInIterations.findIndex((ms) => ms > 0) + 1);
  expect(later.filter((ms) => ms > 0).length).toBeGreaterThan(8);
  expect(Math.max(...later)).toBeLessThanOrEqual(2 * hubLimits.sliceMs);
});
