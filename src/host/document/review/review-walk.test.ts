import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { testDatabase, type TestDatabase } from "../../../../test/postgres/test-database.ts";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import type { MemoryImage } from "../../../adapters/storage/memory/tables.ts";
import { openPostgresStore } from "../../../adapters/storage/postgres/open-postgres-store.ts";
import { openSqliteStore } from "../../../adapters/storage/sqlite/open-sqlite-store.ts";
import type { BlockId, HunkId, ToolCallId } from "../../../core/base/ids.ts";
import { openHunks, type HunkState, type Suggestion } from "../../../core/block/suggestion/suggestion.ts";
import type { BlockChange } from "../../../core/block/types.ts";
import type { Platform } from "../../../core/port/platform.ts";
import type { Store } from "../../../core/port/store.ts";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { createReplicas, type Replicas } from "../../replica/replica-registry.ts";
import { createDocumentHub, type DocumentHub } from "../hub.ts";
import type { Suggester } from "./suggested-edit.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { authorOf, model, person } from "../world.test-support.ts";

/** Returns the hunk states that the canvas's log alone implies: the decisions of all units that are not undone. */
function decisionsIn(log: readonly BlockChange[]): ReadonlyMap<HunkId, HunkState> {
  const made = new Map<string, { readonly hunkIds: HunkId[]; readonly outcome: "kept" | "rejected" }>();
  const undone = new Set<string>();
  for (const { body } of log) {
    if (body.type !== "text" && body.type !== "review") continue;
    for (const id of body.undoes ?? []) undone.add(id);
    for (const id of body.redoes ?? []) undone.delete(id);
    if (body.undoes !== undefined || body.redoes !== undefined) continue;
    const hunkIds = body.type === "review" ? body.hunkIds : (body.kept?.hunkIds ?? []);
    if (hunkIds.length === 0) continue;
    const known = made.get(body.unit.id) ?? { hunkIds: [], outcome: body.type === "review" ? "rejected" : "kept" };
    known.hunkIds.push(...hunkIds);
    made.set(body.unit.id, known);
  }
  const states = new Map<HunkId, HunkState>();
  for (const [unitId, { hunkIds, outcome }] of made) {
    if (undone.has(unitId)) continue;
    for (const id of hunkIds) {
      expect(states.has(id)).toBe(false);
      states.set(id, outcome);
    }
  }
  return states;
}

/** Checks that the stored hunk states are those of the steps in the log that are not undone. */
async function expectWhole(store: Store, canvasId: BlockId): Promise<void> {
  const decisions = decisionsIn(await store.changes({ blockId: canvasId, afterVersion: 0 }));
  const hunks = (await store.suggestions(canvasId, true)).flatMap((suggestion) => suggestion.hunks);
  expect(new Set(hunks.map(({ id }) => id)).size).toBe(hunks.length);
  for (const { id, state } of hunks) {
    if (state === "replaced") expect(decisions.has(id)).toBe(false);
    else expect([id, state]).toEqual([id, decisions.get(id) ?? "open"]);
  }
  for (const id of decisions.keys()) expect(hunks.some((hunk) => hunk.id === id)).toBe(true);
}

interface Setup {
  readonly store: Store;
  readonly replicas: Replicas;
  readonly hub: DocumentHub;
}

const clock = simulatedClock();
let drawn = 0;
const platform: Pick<Platform, "clock" | "logger" | "random"> = {
  clock,
  logger: { info: () => {}, warn: () => {}, error: () => {} },
  random: {
    bytes(count) {
      drawn += 1;
      return Uint8Array.from({ length: count }, (_, index) => (drawn >> (index * 5)) & 31);
    },
  },
};

async function openSetup(store: Store): Promise<Setup> {
  const replicas = await createReplicas(store, clock);
  return {
    store,
    replicas,
    hub: createDocumentHub({ store, platform, leases: { isHeld: () => false, takeControl: async () => {} }, replicas }),
  };
}

async function newCanvas({ hub, replicas }: Setup, text: string): Promise<BlockId> {
  drawn += 1;
  const made = await hub.editor.create(await authorOf({ replicas }, person("ada")), {
    documentId: `doc-${drawn}` as never,
    parentId: null,
    role: "user",
    kind: "file",
    text,
    status: "done",
    metadata: {},
    policy: "suggest",
  });
  return accept(made).id;
}

const who = fc.constantFrom("ada", "bo");
const run = fc.constantFrom("one", "other");
const act = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("suggest" as const), run, line: fc.nat(20), add: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constantFrom("keep" as const, "reject" as const), who, some: fc.nat(9) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom("keep-all" as const, "reject-all" as const), who }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom("undo" as const, "redo" as const), who }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("type" as const), who, at: fc.nat(1_000), delete: fc.nat(4) }),
  },
);
type Action = typeof act extends fc.Arbitrary<infer Value> ? Value : never;

let calls = 0;

/** Performs one act; refusals are ignored. */
async function perform({ hub, replicas }: Setup, canvasId: BlockId, next: Action): Promise<void> {
  if (next.type === "suggest") {
    calls += 1;
    const actor = { ...model(next.run), toolCallId: `call-${calls}` as ToolCallId };
    const author: Suggester = { ...(await authorOf({ replicas }, actor)), actor };
    const plan = ({ text }: { readonly text: string }) => {
      const lines = text.split("\n");
      lines.splice(next.line % lines.length, next.add ? 0 : 1, `by ${next.run} ${calls}`);
      return { ok: true, value: lines.join("\n") } as const;
    };
    await hub.suggestions.suggest(author, { canvasId, reason: "policy", guards: [], plan });
    return;
  }
  const author = await authorOf({ replicas }, person(next.who));
  const { suggestions } = hub;
  switch (next.type) {
    case "keep":
    case "reject": {
      const found = await suggestions.list(canvasId, false, openHunks);
      const open = found.ok ? found.value : [];
      const hunk = open[next.some % Math.max(1, open.length)];
      if (hunk !== undefined) await suggestions[next.type](author, canvasId, [hunk.id]);
      return;
    }
    case "keep-all":
      await suggestions.keep(author, canvasId, undefined);
      return;
    case "reject-all":
      await suggestions.reject(author, canvasId, undefined);
      return;
    case "undo":
    case "redo":
      await hub.history[next.type](author, canvasId);
      return;
    case "type":
      await hub.editor.editWith(author, canvasId, ({ text }) => {
        const from = next.at % (text.length + 1);
        const to = Math.min(text.length, from + next.delete);
        return { ok: true, value: { changes: [{ from, to, insert: `${next.who}\n` }] } };
      });
  }
}

const beginning = "one\ntwo\nthree\nfour\nfive\n";
const acts = fc.array(fc.tuple(act, fc.boolean()), { minLength: 5, maxLength: 30, size: "max" });

/** Performs acts in order; an act waits for the previous one only when the previous one `waits`. */
async function performAll(
  setup: Setup,
  canvasId: BlockId,
  steps: readonly (readonly [Action, boolean])[],
): Promise<void> {
  const under: Promise<void>[] = [];
  for (const [next, waits] of steps) {
    const done = perform(setup, canvasId, next);
    under.push(done);
    if (waits) await done;
  }
  await Promise.all(under);
}

test("a crash at any commit leaves a review as it was before or after a step, whatever people and agents do concurrently", async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (steps) => {
      const images: MemoryImage[] = [];
      const store = openMemoryStore(undefined, {
        schedule: (make) =>
          queueMicrotask(() => {
            make();
            images.push(store.image());
          }),
      });
      const setup = await openSetup(store);
      const canvasId = await newCanvas(setup, beginning);
      await performAll(setup, canvasId, steps);
      await expectWhole(store, canvasId);
      for (const image of images) {
        const left = openMemoryStore(image);
        if ((await left.block(canvasId)) !== null) await expectWhole(left, canvasId);
      }
      // The review continues after the last crash.
      const last = images.at(-1);
      if (last === undefined) return;
      const again = await openSetup(openMemoryStore(last));
      await performAll(again, canvasId, [
        [{ type: "undo", who: "ada" }, true],
        [{ type: "keep-all", who: "bo" }, true],
        [{ type: "undo", who: "bo" }, true],
      ]);
      await expectWhole(again.store, canvasId);
    }),
    { numRuns: scaled(40) },
  );
});

let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-review-"));
  database = await testDatabase();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});

test.each([
  ["SQLite", () => openSqliteStore({ file: join(folder, "heddle.db") })],
  ["PostgreSQL", () => openPostgresStore({ url: database.url })],
])("the %s store gives the same review as the memory store and continues it after reopening", async (_name, open) => {
  const walks = fc.sample(acts, { numRuns: 1, seed: 7 });
  for (const [walk, steps] of walks.entries()) {
    const memory = openMemoryStore();
    let store = await open();
    const stored: (readonly Suggestion[])[] = [];
    const texts: string[] = [];
    const alone = steps.map(([next]) => [next, true] as const);
    for (const each of [memory, store]) {
      drawn = (walk + 1) * 1_000;
      calls = 0;
      const setup = await openSetup(each);
      const canvasId = await newCanvas(setup, beginning);
      await performAll(setup, canvasId, alone);
      await setup.hub.close();
      if (each !== memory) {
        await store.close();
        store = await open();
      }
      const kept = each === memory ? memory : store;
      await expectWhole(kept, canvasId);
      const later = await openSetup(kept);
      await performAll(later, canvasId, [
        [{ type: "undo", who: "ada" }, true],
        [{ type: "keep-all", who: "ada" }, true],
        [{ type: "undo", who: "ada" }, true],
        [{ type: "redo", who: "ada" }, true],
      ]);
      await expectWhole(kept, canvasId);
      texts.push(accept(await later.hub.reader.read(canvasId)).text);
      stored.push(await kept.suggestions(canvasId, true));
    }
    await store.close();
    expect(texts[1]).toBe(texts[0]);
    expect(stored[1]?.map(statesOf)).toEqual(stored[0]?.map(statesOf));
  }
});

function statesOf({ hunks }: Suggestion): readonly (readonly [HunkState, string, string])[] {
  return hunks.map(({ state, oldText, newText }) => [state, oldText, newText]);
}
