import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import type { ToolCallId } from "../../../core/base/ids.ts";
import { ok } from "../../../core/base/result.ts";
import { must } from "../../../core/base/assert.ts";
import { Origins } from "./origins.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import {
  authorOf,
  createBlock,
  insertion,
  model,
  openWorld,
  person,
  TestReplica,
  textOf,
  type World,
} from "../world.test-support.ts";
import type { BlockId } from "../../../core/base/ids.ts";

/** Returns the reported author and version of each character of the text. */
async function writers(world: World, blockId: BlockId): Promise<readonly string[]> {
  const page = new TestReplica(blockId);
  await page.join(world);
  page.leave();
  const document = must(page.document, "the page has the text");
  const spans = document.blame(0, document.length);
  const ops = spans.flatMap(({ from, to, id }) =>
    Array.from({ length: to - from }, (_, index) => ({ replica: id.replica, seq: id.seq + index })),
  );
  const { origins } = accept(await new Origins(world.store).of({ blockId, ops }));
  return origins.map((origin, index) => {
    const { span, actor, version } = must(origin, "all of the log is kept");
    const op = must(ops[index], "an origin for each unit");
    expect(span.replica).toBe(op.replica);
    expect(op.seq >= span.seq && op.seq < span.seq + span.length).toBe(true);
    return `${actor.name} ${version}`;
  });
}

test("Origins reports the change that wrote each character, also after undo and redo", async () => {
  const step = fc.record({
    who: fc.constantFrom("ada", "bob", "run"),
    what: fc.constantFrom("insert", "insert", "delete", "undo", "redo"),
    at: fc.nat(30),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const world = await openWorld();
      const { id } = await createBlock(world, { kind: "file", text: "some text" });
      // The reference: each edit writes its own letter, so that a letter identifies its change.
      const writerByLetter = new Map<string, string>();
      for (const [index, { who, what, at }] of steps.entries()) {
        const author = await authorOf(world, who === "run" ? model("run") : person(who));
        const { length } = await textOf(world, id);
        const from = Math.min(at, length);
        if (what === "undo") await world.hub.history.undo(author, id);
        else if (what === "redo") await world.hub.history.redo(author, id);
        else if (what === "delete") {
          accept(
            await world.hub.editor.edit(author, id, {
              changes: [{ from, to: Math.min(from + 2, length), insert: "" }],
            }),
          );
        } else {
          const letter = String.fromCodePoint(0x4e00 + index);
          const { version } = accept(
            await world.hub.editor.edit(author, id, { changes: [insertion(from, letter.repeat(2))] }),
          );
          writerByLetter.set(letter, `${author.actor.name} ${version}`);
        }
      }
      const text = await textOf(world, id);
      const reported = await writers(world, id);
      for (const [index, letter] of [...text].entries()) {
        const wrote = writerByLetter.get(letter);
        if (wrote !== undefined) expect(reported[index]).toBe(wrote);
        else expect(reported[index]).toMatch(/ 1$/);
      }
    }),
    { numRuns: scaled(40) },
  );
});

test("the origin of an agent's text has its turn, tool call and conversation, and null where unknown", async () => {
  const world = await openWorld();
  const { id } = await createBlock(world, { kind: "file", text: "" });
  const author = await authorOf(world, model("run"));
  const call = { ...author, unit: { ...author.unit, toolCallId: "call_1" as never } };
  accept(await world.hub.editor.edit(call, id, { changes: [insertion(0, "words")] }));
  const ops = [
    { replica: author.replica, seq: 4 },
    { replica: author.replica, seq: 5 },
    { replica: 999 as never, seq: 0 },
  ];
  const run = async () => ({ rootId: "root_1" }) as never;
  const trashed = async () => null;
  const store = {
    block: world.store.block.bind(world.store),
    changes: world.store.changes.bind(world.store),
    run,
    trashed,
  };
  const { origins } = accept(await new Origins(store).of({ blockId: id, ops }));
  expect(origins[0]).toMatchObject({
    span: { seq: 0, length: 5 },
    rootId: "root_1",
    keptBy: null,
    actor: { type: "model", toolCallId: "call_1", turnId: "run-turn" },
  });
  expect(origins.slice(1)).toEqual([null, null]);
  const missing = await new Origins(world.store).of({ blockId: "doc/1/9" as BlockId, ops });
  expect(missing.ok ? null : missing.error.code).toBe("BLOCK_NOT_FOUND");
});

test("the origin of a kept suggestion is the agent and names the person who kept it", async () => {
  const world = await openWorld();
  const { id } = await createBlock(world, { kind: "file", text: "one\n", policy: "suggest" });
  const actor = { ...model("run"), toolCallId: "call_1" as ToolCallId };
  const author = await authorOf(world, actor);
  const wish = { canvasId: id, reason: "policy", guards: [], plan: () => ok("one\ntwo\n") } as const;
  accept(await world.hub.suggestions.suggest({ ...author, actor }, wish));
  accept(await world.hub.suggestions.keep(await authorOf(world, person("ada")), id, undefined));
  const { origins } = accept(
    await new Origins(world.store).of({ blockId: id, ops: [{ replica: author.replica, seq: 0 }] }),
  );
  expect(origins[0]).toMatchObject({ keptBy: { name: "ada" }, actor: { name: "scribe", toolCallId: "call_1" } });
});

test("Origins reads a log once and then only new changes, also for concurrent requests", async () => {
  const world = await openWorld();
  const { id } = await createBlock(world, { kind: "file", text: "" });
  const asked: number[] = [];
  const origins = new Origins({
    block: (blockId) => world.store.block(blockId),
    trashed: (blockId) => world.store.trashed(blockId),
    run: (runId) => world.store.run(runId),
    changes: (query) => {
      asked.push(query.afterVersion);
      return world.store.changes(query);
    },
  });
  const ada = await authorOf(world, person("ada"));
  const { version } = accept(await world.hub.editor.edit(ada, id, { changes: [insertion(0, "one")] }));
  const serverReplica = accept(await world.replicas.serverReplicaOf(ada.replica));
  const ops = [{ replica: serverReplica, seq: 0 }];
  const answers = await Promise.all([origins.of({ blockId: id, ops }), origins.of({ blockId: id, ops })]);
  expect(answers.map((one) => accept(one).origins[0]?.version)).toEqual([version, version]);
  accept(await world.hub.editor.edit(ada, id, { changes: [insertion(0, "two")] }));
  const later = accept(await origins.of({ blockId: id, ops: [{ replica: serverReplica, seq: 3 }] }));
  expect(later.origins[0]?.version).toBe(version + 1);
  expect(asked).toEqual([0, version, version]);
});
