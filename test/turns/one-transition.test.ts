import { expect, test } from "vitest";
import type { RootId } from "../../src/core/base/ids.ts";
import type { Verdict } from "../../src/core/turn/step/step.ts";
import { transition } from "../../src/core/turn/transition.ts";
import { accepted, World, type WorldOptions } from "../../src/host/conversation/queue/conversation.test-support.ts";
import type { Machine } from "../../src/host/conversation/base/decide.ts";
import { scaled } from "../scale.ts";
import { liveWith, scriptOf } from "./scripted-life.ts";

const lives = scaled(20);

test(
  `every event of ${lives} scripted conversations is decided by one call of the transition`,
  { timeout: lives * 10_000 },
  async () => {
    const events: Parameters<Machine>[1][] = [];
    const verdicts: Verdict[] = [];
    const machine: Machine = (state, event, context) => {
      const verdict = transition(state, event, context);
      events.push(event);
      verdicts.push(verdict);
      return verdict;
    };
    let stored = 0;
    for (let seed = 1; seed <= lives; seed += 1) {
      await live(seed, {
        machine,
        onCommit: (writes) => {
          stored += writes.filter(({ type }) => type === "put-run-event").length;
          return null;
        },
      });
    }
    const count = (type: Verdict["type"]): number => verdicts.filter((verdict) => verdict.type === type).length;
    // An event that is decided twice is in the list twice; an event with a step is stored once.
    expect(events.length - new Set(events).size).toBe(0);
    expect(count("applied")).toBe(stored);
    expect([stored > lives * 10, count("refused") > 0, count("absorbed") > 0]).toEqual([true, true, true]);
    const seen = new Set(events.map(({ type }) => type));
    for (const type of ["process-restarted", "reply-requested", "turn-cancelled", "tool-finished"] as const) {
      expect([type, seen.has(type)]).toEqual([type, true]);
    }
  },
);

/** Plays one conversation with two replies, a queued message, two cancels and a crash in its middle. */
async function live(seed: number, options: WorldOptions): Promise<void> {
  const script = scriptOf(seed);
  const first = await World.start({ ...options, script });
  const rootId = await first.newRoot();
  const { runId, nodeId } = accepted(
    await first.conversations.messages.send(first.ada, { rootId, parentNodeId: null, text: "Look.", n: 2 }),
  );
  accepted(
    await first.conversations.messages.send(first.ada, {
      rootId,
      parentNodeId: nodeId,
      text: "And then?",
      deliver: "queue",
    }),
  );
  await first.clock.advance(seed * 100);
  await first.conversations.runs.cancel(first.ada, { runId, reason: "stopped" });
  await first.conversations.runs.cancel(first.ada, { runId, reason: "stopped" });
  await first.clock.advance(200);
  const image = first.store.image();
  const journal = first.journal.copy();
  first.onCommit = () => "STORE_FULL";
  const second = await World.start({ ...options, script, image, journal, toolLog: first.tools.log });
  expect(await liveWith(second, seed, 400)).toBe(true);
  await second.conversations.runs.cancel(second.ada, { runId, reason: "stopped" });
  expect(await differences(second, rootId)).toEqual([]);
  await first.conversations.close();
}

/** Returns the runs whose state in the conversation differs from the store's. */
async function differences({ conversations, store }: World, rootId: RootId): Promise<readonly string[]> {
  const { runs } = accepted(await conversations.view(rootId));
  const stored = await store.runs(rootId);
  expect(runs.map((run) => run.runId)).toEqual(stored.map(({ id }) => id));
  const waiting = (await Promise.all(stored.map(({ id }) => store.waiting(id)))).flat();
  expect(accepted(await conversations.view(rootId)).waiting).toEqual(waiting);
  return runs.flatMap((run, at) => {
    const { headNodeId, turnId, state } = stored[at] ?? {};
    const same = [run.headNodeId, run.turnId, run.state, run.liveBlocks];
    return JSON.stringify(same) === JSON.stringify([headNodeId, turnId, state, []]) ? [] : [run.runId];
  });
}
