import { describe, expect, test } from "vitest";
import type { ToolMessage } from "../../core/message/types.ts";
import { isSettled } from "../../core/turn/step/precheck.ts";
import type { ToolRound, TurnProgress, TurnState } from "../../core/turn/state/state.ts";
import type { SubAgent } from "../../core/turn/state/sub-agent.ts";
import {
  blockId,
  callId,
  effect,
  node,
  nodeId,
  notice,
  root,
  rootId,
  run,
  runEvent,
  runId,
  waiting,
  turnId,
} from "./records.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";

const progress: TurnProgress = { rounds: 3, asking: "reply" };
const arrived: ToolMessage = {
  role: "tool",
  tool_call_id: callId("2"),
  tool_name: "block_read",
  content: [{ type: "text", text: "{}" }],
  outcome: "ok",
};
const round: ToolRound = {
  pending: [
    { id: callId("1"), name: "block_edit", parameters: { a: [1] }, argumentsError: "bad" },
    { id: callId("2"), name: "block_read", parameters: {} },
  ],
  running: [callId("1")],
  arrived: [arrived],
  completed: [callId("0")],
  parallel: true,
};
const alone = { ...round, running: [], arrived: [], progress };
const agent: SubAgent = {
  runId: runId("sub"),
  rootId: rootId("sub"),
  task: "Count the words.",
  deadlineAt: 99_000,
  outcome: { type: "completed", result: "12", success: true, implicit: false },
};
const working: SubAgent = { ...agent, runId: runId("sub2"), outcome: null };

const states: Readonly<Record<TurnState["type"], TurnState>> = {
  idle: { type: "idle" },
  awaiting: { type: "awaiting", progress },
  requesting: { type: "requesting", attempt: 2, retryAt: 9_000, lastFailure: "overloaded", progress },
  "running-tools": { type: "running-tools", ...round, progress },
  "awaiting-approval": {
    type: "awaiting-approval",
    ...alone,
    request: { callId: callId("1"), argumentsHash: "ab".repeat(32), reason: "taint", expiresAt: 86_400_000 },
  },
  "awaiting-answer": {
    type: "awaiting-answer",
    ...alone,
    callId: callId("1"),
    questions: [
      {
        question: "Which?",
        options: [{ label: "a", description: "first", preview: "**a**" }, { label: "b" }],
        multiple: true,
      },
    ],
  },
  "awaiting-sub-agents": { type: "awaiting-sub-agents", ...alone, callId: callId("1"), agents: [agent, working] },
  cancelling: { type: "cancelling", attempt: 1, reason: "control-taken", progress },
  "cancelling-sub-agents": {
    type: "cancelling-sub-agents",
    ...alone,
    callId: callId("1"),
    agents: [{ ...agent, outcome: { type: "failed", reason: "timed-out", message: "The time was over." } }, working],
    reason: "stopped",
  },
  error: { type: "error", kind: "network", detail: "overloaded", message: "503" },
  "context-exhausted": { type: "context-exhausted", summary: "What was said: ü 😀" },
  completed: { type: "completed", result: "12", success: false, implicit: true },
  failed: { type: "failed", reason: "turn-limit", message: "No output." },
};

/** Runs, their effects, and the feed. */
export function describeTurns(open: OpenStore): void {
  describe("runs", () => {
    const fresh = freshStore(open);

    test.each(Object.values(states))("a run in state $type is read as stored", async (state) => {
      const stored = run("a", {
        state,
        eventSeq: 3,
        headNodeId: nodeId("head"),
        turnId: turnId("1"),
        stateSince: 4_050,
        contextUsed: 0.8125,
        subAgent: { parentRootId: rootId("b"), parentRunId: runId("p"), deadlineAt: 99_000 },
        settings: { maxTokens: 9, temperature: 0.5 },
      });
      await fresh.make({ type: "put-root", root: root("a") }, { type: "put-run", run: stored, expectedEventSeq: null });
      expect(await fresh.store().run(runId("a"))).toEqual(stored);
      expect(await fresh.store().runs(rootId("a"))).toEqual([stored]);
      expect(await fresh.store().unsettledRuns()).toEqual(isSettled(state) ? [] : [stored]);
    });

    test("only the writer that saw the last event updates a run", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      const first = run("a", { eventSeq: 1 });
      expect(await fresh.refused({ type: "put-run", run: first, expectedEventSeq: 0 })).toEqual({
        code: "CONFLICT",
        index: 0,
        stored: null,
      });
      await fresh.make({ type: "put-run", run: first, expectedEventSeq: null });
      const second = run("a", {
        eventSeq: 2,
        state: { type: "awaiting", progress },
        stateSince: 4_100,
        updatedAt: 4_100,
      });
      for (const expectedEventSeq of [null, 0, 2]) {
        const refused = await fresh.refused({ type: "put-run", run: second, expectedEventSeq });
        expect(refused).toEqual({ code: "CONFLICT", index: 0, stored: 1 });
      }
      await fresh.make({ type: "put-run", run: second, expectedEventSeq: 1 });
      expect(await fresh.store().run(runId("a"))).toEqual(second);
      expect(await fresh.store().runs(rootId("b"))).toEqual([]);
    });

    test("the events of a run are read in order, each number once", async () => {
      await fresh.make(
        { type: "put-root", root: root("a") },
        { type: "put-run", run: run("a"), expectedEventSeq: null },
        { type: "put-run", run: run("b"), expectedEventSeq: null },
        { type: "put-run-event", record: runEvent("a", 7) },
        { type: "put-run-event", record: runEvent("b", 1) },
      );
      const said = { role: "user", blocks: [{ type: "text", hash: "0f" }] };
      const first = runEvent("a", 2, { event: { type: "message-sent", message: said } });
      await fresh.make({ type: "put-run-event", record: runEvent("a", 2) }, { type: "put-run-event", record: first });
      expect(await fresh.store().runEvents(runId("a"))).toEqual([first, runEvent("a", 7)]);
      expect(await fresh.store().runEvents(runId("none"))).toEqual([]);
      const orphan = fresh.store().commit([{ type: "put-run-event", record: runEvent("none", 1) }]);
      await expect(orphan).rejects.toThrow();
      expect(await fresh.store().runEvents(runId("none"))).toEqual([]);
    });

    test("a run keeps its conversation", async () => {
      await fresh.make({ type: "put-root", root: root("a") }, { type: "put-root", root: root("b") });
      await fresh.make({ type: "put-run", run: run("a"), expectedEventSeq: null });
      const moved = run("a", { eventSeq: 1, rootId: rootId("b") });
      await expect(fresh.store().commit([{ type: "put-run", run: moved, expectedEventSeq: 0 }])).rejects.toThrow();
      await fresh.make({ type: "put-run", run: run("a", { eventSeq: 1 }), expectedEventSeq: 0 });
    });

    test("one of eight writers with the same last event wins", async () => {
      await fresh.make(
        { type: "put-root", root: root("a") },
        { type: "put-run", run: run("a"), expectedEventSeq: null },
      );
      for (let seq = 1; seq <= 20; seq += 1) {
        const results = await Promise.all(
          Array.from({ length: 8 }, (_, writer) =>
            fresh
              .store()
              .commit([
                { type: "put-run", run: run("a", { eventSeq: seq, model: `m/${writer}` }), expectedEventSeq: seq - 1 },
              ]),
          ),
        );
        expect(results.filter((result) => result.ok)).toHaveLength(1);
        expect((await fresh.store().run(runId("a")))?.eventSeq).toBe(seq);
      }
    });
  });

  describe("waiting messages", () => {
    const fresh = freshStore(open);

    test("wait in their order until they are deleted, and may move to another run", async () => {
      await fresh.make(
        { type: "put-root", root: root("a") },
        { type: "put-run", run: run("a"), expectedEventSeq: null },
        { type: "put-run", run: run("b"), expectedEventSeq: null },
      );
      const first = waiting("1", { place: 2, settings: { model: "m", maxTokens: 9 } });
      const second = waiting("2", { place: 1, state: "held", deliver: "queue" });
      for (const each of [first, second]) await fresh.make({ type: "put-waiting", waiting: each });
      expect(await fresh.store().waiting(runId("a"))).toEqual([second, first]);
      const edited = { ...second, place: 3, version: 2, state: "waiting" } as const;
      await fresh.make({ type: "put-waiting", waiting: edited });
      expect(await fresh.store().waiting(runId("a"))).toEqual([first, edited]);
      await fresh.make({ type: "put-waiting", waiting: { ...first, runId: runId("b") } });
      expect(await fresh.store().waiting(runId("a"))).toEqual([edited]);
      expect(await fresh.store().waiting(runId("b"))).toEqual([{ ...first, runId: runId("b") }]);
      await fresh.make({ type: "delete-waiting", id: first.id }, { type: "delete-waiting", id: nodeId("never-was") });
      expect(await fresh.store().waiting(runId("b"))).toEqual([]);
    });

    test("a message is deleted in the transaction that adds its node, or neither happens", async () => {
      await fresh.make(
        { type: "put-root", root: root("a") },
        { type: "put-run", run: run("a", { eventSeq: 1 }), expectedEventSeq: null },
        { type: "put-waiting", waiting: waiting("1") },
      );
      const taken = [
        { type: "put-node", node: node("1") },
        { type: "delete-waiting", id: nodeId("1") },
      ] as const;
      const late = { type: "put-run", run: run("a", { eventSeq: 1 }), expectedEventSeq: 0 } as const;
      expect(await fresh.refused(...taken, late)).toMatchObject({ code: "CONFLICT", stored: 1 });
      expect(await fresh.store().waiting(runId("a"))).toEqual([waiting("1")]);
      expect(await fresh.store().node(nodeId("1"))).toBeNull();
      await fresh.make(...taken);
      expect(await fresh.store().waiting(runId("a"))).toEqual([]);
    });
  });

  describe("effects", () => {
    const fresh = freshStore(open);

    test("an effect is open until it is finished", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      await fresh.make(
        { type: "put-run", run: run("a"), expectedEventSeq: null },
        { type: "put-run", run: run("b"), expectedEventSeq: null },
      );
      const tool = effect("0", {
        effect: { type: "run-tool", call: { id: callId("1"), name: "t", parameters: {} }, approved: "ab" },
      });
      const retry = effect("1", { effect: { type: "schedule-retry", attempt: 2, delayMs: 1_000 }, dueAt: 8_000 });
      const expiry = effect("2", { effect: { type: "schedule-expiry", callId: callId("1"), at: 9_000 }, dueAt: 9_000 });
      const waits = effect("3", { effect: { type: "await-sub-agent", callId: callId("1"), agent: working } });
      const others = effect("x", { id: "run_b/1/0", runId: runId("b") });
      for (const each of [retry, tool, expiry, waits, others]) await fresh.make({ type: "put-effect", effect: each });
      expect(await fresh.store().effects(runId("a"))).toEqual([retry, tool, expiry, waits]);
      await fresh.make({ type: "start-effect", id: tool.id, at: 8_500 });
      expect(await fresh.store().effects(runId("a"))).toEqual([retry, { ...tool, startedAt: 8_500 }, expiry, waits]);
      await fresh.make({ type: "finish-effect", id: retry.id }, { type: "finish-effect", id: "never-was" });
      expect(await fresh.store().effects(runId("a"))).toEqual([{ ...tool, startedAt: 8_500 }, expiry, waits]);
      await fresh.make({ type: "finish-effects-of-run", runId: runId("a") });
      expect(await fresh.store().effects(runId("a"))).toEqual([]);
      expect(await fresh.store().effects(runId("b"))).toEqual([others]);
    });

    test("an effect starts once, and not after it was cancelled", async () => {
      await fresh.make(
        { type: "put-root", root: root("a") },
        { type: "put-run", run: run("a"), expectedEventSeq: null },
        { type: "put-effect", effect: effect("0") },
        { type: "start-effect", id: effect("0").id, at: 1 },
      );
      const again = { type: "start-effect", id: effect("0").id, at: 2 } as const;
      expect(await fresh.refused(again)).toEqual({ code: "CONFLICT", index: 0, stored: 1 });
      await fresh.make({ type: "finish-effects-of-run", runId: runId("a") });
      expect(await fresh.refused(again)).toEqual({ code: "CONFLICT", index: 0, stored: null });
    });
  });

  describe("the feed", () => {
    const fresh = freshStore(open);

    test("entries are numbered from 1 without gaps, separately for each conversation", async () => {
      await fresh.make({ type: "put-root", root: root("a") }, { type: "put-root", root: root("b") });
      const append = (record: ReturnType<typeof notice>) => ({ type: "append-feed", record }) as const;
      expect(await fresh.store().feedSeq(rootId("a"))).toBe(0);
      expect(await fresh.refused(append(notice("a", 2)))).toEqual({ code: "CONFLICT", index: 0, stored: 0 });
      await fresh.make(append(notice("a", 1)), append(notice("a", 2)), append(notice("b", 1)));
      for (const seq of [1, 2, 4]) {
        expect(await fresh.refused(append(notice("a", seq)))).toEqual({ code: "CONFLICT", index: 0, stored: 2 });
      }
      await fresh.make(append(notice("a", 3)));
      expect(await fresh.store().feedSeq(rootId("a"))).toBe(3);
      expect(await fresh.store().feedSeq(rootId("b"))).toBe(1);
      expect(await fresh.store().feed(rootId("a"), 0, 10)).toEqual([1, 2, 3].map((seq) => notice("a", seq)));
      expect(await fresh.store().feed(rootId("a"), 1, 1)).toEqual([notice("a", 2)]);
      expect(await fresh.store().feed(rootId("a"), 3, 10)).toEqual([]);
    });

    test("19.12 a trimmed feed keeps its newest entries, at least the last, and goes on with the next number", async () => {
      await fresh.make({ type: "put-root", root: root("a") }, { type: "put-root", root: root("b") });
      const append = (record: ReturnType<typeof notice>) => ({ type: "append-feed", record }) as const;
      const trim = (beforeSeq: number) => ({ type: "trim-feed", rootId: rootId("a"), beforeSeq }) as const;
      await fresh.make(trim(3), ...[1, 2, 3, 4].map((seq) => append(notice("a", seq))), append(notice("b", 1)));
      const kept = async (name: string, afterSeq: number) =>
        (await fresh.store().feed(rootId(name), afterSeq, 10)).map(({ seq }) => seq);
      await fresh.make(trim(3));
      expect([await kept("a", 0), await kept("a", 3), await kept("b", 0)]).toEqual([[3, 4], [4], [1]]);
      await fresh.make(trim(2));
      expect(await kept("a", 0)).toEqual([3, 4]);
      await fresh.make(trim(99));
      expect([await kept("a", 0), await fresh.store().feedSeq(rootId("a"))]).toEqual([[4], 4]);
      expect(await fresh.refused(append(notice("a", 1)))).toEqual({ code: "CONFLICT", index: 0, stored: 4 });
      await fresh.make(append(notice("a", 5)), trim(5));
      expect(await kept("a", 0)).toEqual([5]);
    });

    test("every kind of entry is read as stored", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      const { message: _, ...withoutMessage } = node("1");
      const bodies = [
        { type: "node-added", node: withoutMessage },
        { type: "node-changed", node: { ...withoutMessage, tags: ["x"] } },
        { type: "nodes-removed", ids: [nodeId("1"), nodeId("2")] },
        { type: "bookmark-changed", title: "t", bookmark: null },
        {
          type: "bookmark-changed",
          title: "t",
          bookmark: { title: "t", rootId: rootId("a"), nodeId: null, createdAt: 1, updatedAt: 2 },
        },
        { type: "root-changed", root: root("a") },
        {
          type: "run-changed",
          runId: runId("a"),
          headNodeId: null,
          turnId: null,
          state: states["running-tools"],
          since: 12,
          contextUsed: 0.5,
          queued: true,
          model: "scripted/scribe",
          liveBlocks: [blockId("1")],
        },
        { type: "notice", runId: runId("a"), text: "empty answer" },
      ] as const;
      const records = bodies.map((body, index) => ({ rootId: rootId("a"), seq: index + 1, at: index, body }));
      await fresh.make(...records.map((record) => ({ type: "append-feed", record }) as const));
      expect(await fresh.store().feed(rootId("a"), 0, 100)).toEqual(records);
    });

    test("one of many appenders of the same number wins, and the feed has no gap", async () => {
      await fresh.make({ type: "put-root", root: root("a") });
      const attempts = Array.from({ length: 60 }, (_, index) => notice("a", Math.floor(index / 3) + 1, `by ${index}`));
      const results = await Promise.all(
        attempts.map((record) => fresh.store().commit([{ type: "append-feed", record }])),
      );
      expect(results.filter((result) => result.ok)).toHaveLength(20);
      const feed = await fresh.store().feed(rootId("a"), 0, 100);
      expect(feed.map((record) => record.seq)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    });
  });
}
