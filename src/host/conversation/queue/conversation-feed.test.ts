import { describe, expect, test } from "vitest";
import type { RunId } from "../../../core/base/ids.ts";
import type { FeedRecord } from "../../../core/turn/state/feed.ts";
import { feedKept } from "../base/feed-kept.ts";
import { ConversationFeed } from "./conversation-feed.ts";
import { accepted, calls, code, says, lineOf, World } from "./conversation.test-support.ts";

describe("the feed", () => {
  test("S-41 reaches every watcher without a gap, whenever it joins", async () => {
    const world = await World.start({
      script: (_request, turn) => (turn === 0 ? calls("slow-a", "safe-b") : [{ pauseMs: 500 }, ...says("a", "b")]),
    });
    const rootId = await world.newRoot();
    const heard: { from: number; seqs: number[] }[] = [];
    const join = async (afterSeq: number): Promise<void> => {
      const entry = { from: afterSeq, seqs: [] as number[] };
      heard.push(entry);
      const deliver = (records: readonly FeedRecord[]): void => void entry.seqs.push(...records.map(({ seq }) => seq));
      const snapshot = ({ seq }: { readonly seq: number }): void => {
        entry.from = seq;
      };
      accepted(await world.conversations.watch(rootId, afterSeq, { snapshot, deliver }));
    };
    await join(0);
    const sending = world.send(rootId, null, "hi");
    for (let at = 0; at < 30; at += 1) {
      await join(at % 3 === 0 ? 0 : Math.min(at, await world.store.feedSeq(rootId)));
      await world.clock.advance(100);
    }
    await sending;
    await world.rest();
    const last = await world.store.feedSeq(rootId);
    expect(last).toBeGreaterThan(10);
    for (const { from, seqs } of heard) {
      expect(seqs).toEqual(Array.from({ length: last - from }, (_, at) => from + 1 + at));
    }
  });

  test("matches a snapshot", async () => {
    const world = await World.start({ script: (_request, turn) => (turn === 0 ? calls("slow") : says("done")) });
    const rootId = await world.newRoot();
    const nodes: string[] = [];
    const states: string[] = [];
    accepted(
      await world.conversations.watch(rootId, 0, {
        snapshot: (view) => nodes.push(...view.nodes.map(lineOf)),
        deliver: (records) => {
          for (const { body } of records) {
            if (body.type === "node-added") nodes.push(lineOf(body.node));
            if (body.type === "run-changed" && body.state.type !== states.at(-1)) states.push(body.state.type);
          }
        },
      }),
    );
    await world.send(rootId, null, "hi");
    await world.rest();
    const view = accepted(await world.conversations.view(rootId));
    expect(nodes).toEqual(view.nodes.map(lineOf));
    expect(states).toEqual(["awaiting", "requesting", "running-tools", "awaiting", "requesting", "idle"]);
  });

  test("S-42 ends with a reason when another process wrote the conversation, and can be joined again", async () => {
    const world = await World.start();
    const rootId = await world.newRoot();
    const { nodeId, runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    const heard: string[] = [];
    const watcher = {
      snapshot: () => heard.push("snapshot"),
      deliver: () => heard.push("records"),
      terminated: (reason: { readonly code: string }) => heard.push(reason.code),
    };
    accepted(await world.conversations.watch(rootId, 0, watcher));
    const run = await world.store.run(runId);
    if (run !== null) {
      await world.store.commit([
        { type: "put-run", run: { ...run, eventSeq: run.eventSeq + 1 }, expectedEventSeq: run.eventSeq },
      ]);
    }
    const message = { rootId, parentNodeId: run?.headNodeId ?? nodeId, text: "more" };
    expect(code(await world.conversations.messages.send(world.ada, message))).toBe("CONFLICT");
    expect(heard).toEqual(["snapshot", "CONFLICT"]);
    accepted(await world.conversations.watch(rootId, 0, watcher));
    expect(code(await world.conversations.messages.send(world.ada, message))).toBe("ok");
    await world.clock.settle();
    expect(await world.branch(runId)).toEqual(["user: hi", "assistant: hello", "user: more", "assistant: hello"]);
    await world.conversations.close();
    expect(heard.at(-1)).toBe("SHUTTING_DOWN");
  });

  test("19.12 keeps what a reader may have missed, and gives one who missed more a snapshot", async () => {
    const world = await World.start();
    const rootId = await world.newRoot();
    const { store } = world;
    const feed = new ConversationFeed(rootId, await store.feedSeq(rootId), {
      info: () => {},
      warn: () => {},
      error: () => {},
    });
    const append = async (count: number): Promise<void> => {
      const notices = Array.from(
        { length: count },
        (_, at) => ({ type: "notice", runId: "r" as RunId, text: `${at}` }) as const,
      );
      const { writes, broadcast } = feed.next(notices, 1);
      accepted(await store.commit(writes));
      broadcast();
    };
    const heardFrom = async (afterSeq: number): Promise<readonly number[] | "snapshot"> => {
      let heard: readonly number[] | "snapshot" = [];
      const watcher = {
        snapshot: () => void (heard = "snapshot"),
        deliver: (records: readonly FeedRecord[]) => void (heard = records.map(({ seq }) => seq)),
      };
      const leave = await feed.join(afterSeq, watcher, {
        store,
        view: async () => accepted(await world.conversations.view(rootId)),
      });
      leave();
      return heard;
    };
    await append(1);
    for (let each = 0; each < 150; each += 1) {
      await append(1 + (each % 9));
      const kept = await store.feed(rootId, 0, 10_000);
      expect(kept.length).toBeLessThan(feedKept + 64 + 9);
      expect(kept.length).toBeGreaterThanOrEqual(Math.min(feedKept, feed.seq));
    }
    const { seq } = feed;
    expect(seq).toBeGreaterThan(2 * feedKept);
    const after = (from: number): readonly number[] => Array.from({ length: seq - from }, (_, at) => from + 1 + at);
    for (const from of [seq, seq - 1, seq - feedKept]) expect(await heardFrom(from)).toEqual(after(from));
    for (const from of [0, 1, seq - feedKept - 1, seq + 1]) expect(await heardFrom(from)).toBe("snapshot");
    // Somebody else shortened the feed.
    accepted(await store.commit([{ type: "trim-feed", rootId, beforeSeq: seq - 9 }]));
    expect(await heardFrom(seq - 10)).toEqual(after(seq - 10));
    expect(await heardFrom(seq - 11)).toBe("snapshot");
  });

  test("16.5 stores a message once, and tells who comes back what the others were told, or the whole where a message has changed", async () => {
    const world = await World.start({ script: () => says("once upon a time") });
    const rootId = await world.newRoot();
    const told: FeedRecord[] = [];
    const listener = { snapshot: () => {}, deliver: (records: readonly FeedRecord[]) => void told.push(...records) };
    accepted(await world.conversations.watch(rootId, 0, listener));
    await world.send(rootId, null, "tell me");
    await world.rest();
    const stored = await world.store.feed(rootId, 0, 1_000);
    expect(stored).toHaveLength(told.length);
    expect(JSON.stringify(stored)).not.toContain("upon");
    const back = async (): Promise<readonly FeedRecord[] | "snapshot"> => {
      let heard: readonly FeedRecord[] | "snapshot" = [];
      const watcher = {
        snapshot: () => void (heard = "snapshot"),
        deliver: (records: readonly FeedRecord[]) => void (heard = records),
      };
      accepted(await world.conversations.watch(rootId, 1, watcher))();
      return heard;
    };
    expect(await back()).toEqual(told.filter(({ seq }) => seq > 1));
    const node = (await world.store.nodes(rootId)).find(({ message }) => message.role === "assistant");
    if (node === undefined) throw new Error("no reply");
    accepted(await world.store.commit([{ type: "put-node", node: { ...node, prefixHash: "0".repeat(64) } }]));
    expect(await back()).toBe("snapshot");
  });

  test("isolates a watcher that throws", async () => {
    const world = await World.start();
    const rootId = await world.newRoot();
    const watcher = {
      snapshot: () => {},
      deliver: () => {
        throw new Error("closed");
      },
    };
    accepted(await world.conversations.watch(rootId, 0, watcher));
    const { runId } = await world.send(rootId, null, "hi");
    await world.clock.settle();
    expect(await world.branch(runId)).toEqual(["user: hi", "assistant: hello"]);
  });
});
