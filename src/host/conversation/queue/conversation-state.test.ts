import { describe, expect, test } from "vitest";
import { openMemoryStore, type MemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import type { RootId, RunId } from "../../../core/base/ids.ts";
import type { ForestRoot } from "../../../core/forest/types.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import { seededRandom } from "../../../testing/seeded-random.ts";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { noCanvasContext } from "../../canvas/canvas-context.ts";
import { ConversationState } from "./conversation-state.ts";
import { accepted, code, NamedLeases } from "./conversation.test-support.ts";
import { newRunSnapshot } from "../run/new-run.ts";
import type { OwnedRun } from "../run/owned-run.ts";
import { waiting } from "../../../testing/store/records.ts";
import { planHead, planWaiting } from "../plan/plan.ts";

const clock = simulatedClock();
const silent = { info: () => {}, warn: () => {}, error: () => {} };
const next = waiting("next", { runId: "run" as RunId });

function rootOf(name: string): ForestRoot {
  return {
    id: name as RootId,
    slug: name,
    title: name,
    systemPrompt: "",
    model: "m/1",
    canvasId: null,
    cwd: "/",
    archived: false,
    createdAt: 1,
    updatedAt: 1,
  };
}

interface Opened {
  readonly store: MemoryStore;
  readonly state: ConversationState;
  readonly conflicts: string[];
  readonly received: string[];
}

/** A conversation in memory and in a store, with a watcher that records what it receives. */
async function opened(name: string, store: MemoryStore = openMemoryStore()): Promise<Opened> {
  const root = rootOf(name);
  accepted(await store.commit([{ type: "put-root", root }]));
  const conflicts: string[] = [];
  const received: string[] = [];
  const state: ConversationState = new ConversationState(
    {
      store,
      leases: new NamedLeases(clock, []),
      canvases: noCanvasContext,
      platform: { clock, random: seededRandom(1), logger: silent },
      performerOf: () => ({}) as OwnedRun["performer"],
      onRootChanged: (changed) => received.push(`root ${changed.title}`),
      onActivity: () => {},
      onConflict: () => conflicts.push(name),
    },
    { root, feedSeq: 0, runs: [] },
  );
  await state.join(1, {
    snapshot: () => {},
    deliver: (records) => received.push(...records.map(({ body }) => body.type)),
  });
  return { store, state, conflicts, received };
}

function draftIn({ state }: Opened, name: string): OwnedRun {
  return state.draftRun(newRunSnapshot(state.root, null, { id: name as RunId, now: 1 }));
}

/** Stores a run. */
async function runIn(conversation: Opened, name: string): Promise<OwnedRun> {
  const run = draftIn(conversation, name);
  accepted(await conversation.state.commit(planHead(run, null, 2)));
  return run;
}

describe("a commit", () => {
  test("adds a draft to the conversation's runs", async () => {
    const conversation = await opened("a");
    const run = draftIn(conversation, "run");
    expect([conversation.state.runs, conversation.state.run(run.id), run.snapshot.isStored]).toEqual([
      [],
      undefined,
      false,
    ]);
    accepted(await conversation.state.commit(planHead(run, null, 2)));
    expect(conversation.state.runs).toEqual([run]);
    expect(run.snapshot.record).toEqual(await conversation.store.run(run.id));
  });

  test("replaces the snapshot before it notifies the watchers", async () => {
    const conversation = await opened("a");
    const run = await runIn(conversation, "run");
    const seen: boolean[] = [];
    await conversation.state.join(1, {
      snapshot: () => {},
      deliver: () => seen.push(run.snapshot.waiting.length === 1),
    });
    accepted(await conversation.state.commit(planWaiting(run, [next], 3)));
    expect(seen).toEqual([true]);
    expect(await conversation.store.waiting(run.id)).toEqual([next]);
  });

  test.each(["STORE_FULL", "throws"] as const)(
    "changes nothing in memory when the store answers %s",
    async (answer) => {
      let isFull = false;
      const fault = (): "STORE_FULL" | null => {
        if (isFull && answer === "throws") throw new Error("away");
        return isFull ? "STORE_FULL" : null;
      };
      const conversation = await opened("a", openMemoryStore(undefined, { fault }));
      const run = await runIn(conversation, "run");
      const before = {
        snapshot: run.snapshot,
        view: await conversation.state.view(),
        received: [...conversation.received],
      };
      isFull = true;
      const root = { ...conversation.state.root, title: "another" };
      const plan = { ...planWaiting(run, [next], 3), feed: [{ type: "root-changed", root }] } as const;
      const committed = await conversation.state.commit(plan).then(code, () => "throws");
      expect(committed).toBe(answer);
      expect(run.snapshot).toBe(before.snapshot);
      expect(await conversation.state.view()).toEqual(before.view);
      expect(conversation.received).toEqual(before.received);
    },
  );

  test("reports a conflict and changes nothing when another process wrote the run", async () => {
    const conversation = await opened("a");
    const run = await runIn(conversation, "run");
    const { record } = run.snapshot;
    const theirs: StoreWrite = {
      type: "put-run",
      run: { ...record, eventSeq: record.eventSeq + 1 },
      expectedEventSeq: record.eventSeq,
    };
    accepted(await conversation.store.commit([theirs]));
    expect(code(await conversation.state.commit(planWaiting(run, [next], 3)))).toBe("CONFLICT");
    expect([run.snapshot.record, conversation.conflicts]).toEqual([record, ["a"]]);
  });

  test("stores the feed entries of another conversation in the same transaction", async () => {
    const store = openMemoryStore();
    const [one, other] = [await opened("a", store), await opened("b", store)];
    const gone = { type: "bookmark-changed", title: "here", bookmark: null } as const;
    accepted(await one.state.commit({ feed: [gone] }, [{ state: other.state, feed: [gone] }]));
    expect([one.received, other.received]).toEqual([["bookmark-changed"], ["bookmark-changed"]]);
    expect([(await one.state.view()).seq, (await other.state.view()).seq]).toEqual([1, 1]);
  });

  test("refuses a run of another conversation", async () => {
    const [one, other] = [await opened("a"), await opened("b")];
    const run = draftIn(other, "run");
    await expect(one.state.commit({ runs: [{ run, next: run.snapshot }] })).rejects.toThrow("its own conversation");
  });
});
