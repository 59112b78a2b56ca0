import { describe, expect, test, vi } from "vitest";
import type { RootId } from "../../../core/base/ids.ts";
import { accepted, says, World, type ScriptStep } from "../queue/conversation.test-support.ts";
import { ConversationCache, idleMax } from "./conversation-cache.ts";
import { noUsage } from "../../../core/message/usage.ts";
import type { OpenConversation } from "./opened-conversations.ts";

class Opened {
  isIdle = true;
  ended = "";
  retire(): void {
    this.ended = "retired";
  }
  async close(): Promise<void> {
    this.ended = "closed";
  }
}

function cacheOf(max: number): { cache: ConversationCache; opened: Map<string, Opened[]> } {
  const opened = new Map<string, Opened[]>();
  const open = async (rootId: RootId): Promise<OpenConversation | null> => {
    if (rootId.startsWith("missing")) return null;
    if (rootId.startsWith("broken")) throw new Error("unreadable");
    const conversation = new Opened();
    opened.set(rootId, [...(opened.get(rootId) ?? []), conversation]);
    return { conversation } as unknown as OpenConversation;
  };
  return { cache: new ConversationCache(open, max), opened };
}

const id = (name: string): RootId => name as RootId;
const look = async (): Promise<void> => undefined;

describe("conversations in memory", () => {
  test("only the most recently used of those that are idle stay", async () => {
    const { cache, opened } = cacheOf(2);
    for (const name of ["a", "b", "a", "c"]) await cache.use(id(name), look);
    expect(cache.size).toBe(2);
    expect(opened.get("b")?.map(({ ended }) => ended)).toEqual(["retired"]);
    await cache.use(id("a"), look);
    expect(opened.get("a")).toHaveLength(1);
    await cache.use(id("b"), look);
    expect(opened.get("b")?.map(({ ended }) => ended)).toEqual(["retired", ""]);
  });

  test("what works or is held stays, and leaves once it is neither", async () => {
    const { cache, opened } = cacheOf(1);
    await cache.use(id("busy"), look);
    const busy = opened.get("busy")?.[0];
    if (busy !== undefined) busy.isIdle = false;
    const held = await cache.hold(id("held"));
    for (const name of ["c", "d", "e", "f"]) await cache.use(id(name), look);
    expect([busy?.ended, opened.get("held")?.[0]?.ended]).toEqual(["", ""]);
    if (busy !== undefined) busy.isIdle = true;
    held.release();
    held.release();
    cache.trim();
    cache.trim();
    expect(cache.size).toBe(1);
    expect(busy?.ended).toBe("retired");
  });

  test("a conversation is opened once for all who ask at the same time", async () => {
    const { cache, opened } = cacheOf(1);
    await Promise.all(["a", "a", "b", "a"].map((name) => cache.use(id(name), look)));
    expect([opened.get("a")?.length, opened.get("b")?.length]).toEqual([1, 1]);
  });

  test("what is missing or unreadable is read again next time, and takes no place", async () => {
    const { cache } = cacheOf(1);
    expect(await cache.use(id("missing"), async (opened) => opened)).toBeNull();
    await expect(cache.use(id("broken"), look)).rejects.toThrow("unreadable");
    expect(cache.size).toBe(0);
  });

  test("a closing server closes what is open and opens nothing more", async () => {
    const { cache, opened } = cacheOf(4);
    await cache.use(id("a"), look);
    await cache.close();
    expect(opened.get("a")?.[0]?.ended).toBe("closed");
    expect(await cache.use(id("b"), async (each) => each)).toBeNull();
  });
});

const question: readonly ScriptStep[] = [
  { type: "tool-call-start", index: 0, id: "call-1", name: "ask_user" },
  {
    type: "tool-call-delta",
    index: 0,
    text: JSON.stringify({ questions: [{ question: "Which?", options: [{ label: "a" }, { label: "b" }] }] }),
  },
  { type: "tool-call-end", index: 0 },
  { type: "finished", reason: "tool-use", usage: noUsage },
];

describe("a conversation that nobody looked at for long", () => {
  test("is read again, with everything, while one that is watched or waits for a person stays", async () => {
    const world = await World.start({ script: (_request, turn) => (turn === 0 ? question : says("done")) });
    const watched = await world.newRoot();
    const rest = await world.newRoot();
    const reads: string[] = [];
    const { store } = world;
    const feedSeq = store.feedSeq.bind(store);
    vi.spyOn(store, "feedSeq").mockImplementation((rootId) => {
      reads.push(rootId);
      return feedSeq(rootId);
    });
    const waits = await world.newRoot();
    await world.send(waits, null, "ask me");
    await world.clock.settle();
    const { runId } = await world.send(rest, null, "hi");
    await world.clock.settle();
    const leave = accepted(await world.conversations.watch(watched, 0, { snapshot() {}, deliver() {} }));
    for (let n = 0; n < idleMax + 20; n += 1) await world.conversations.view(await world.newRoot());
    reads.length = 0;
    for (const rootId of [watched, waits, rest]) await world.conversations.view(rootId);
    expect(reads).toEqual([rest]);
    expect(await world.branch(runId)).toEqual(["user: hi", "assistant: done"]);
    const head = (await store.run(runId))?.headNodeId ?? null;
    expect((await world.send(rest, head, "again")).runId).toBe(runId);
    await world.clock.settle();
    leave();
    for (let n = 0; n < idleMax + 20; n += 1) await world.conversations.view(await world.newRoot());
    reads.length = 0;
    await world.conversations.view(watched);
    expect(reads).toEqual([watched]);
    expect(world.errors).toEqual([]);
  });
});
