import { expect, test } from "vitest";
import type { BlockId, RootId } from "../../../core/base/ids.ts";
import { ok } from "../../../core/base/result.ts";
import { simulatedClock, type SimulatedClock } from "../../../testing/simulated-clock.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { Subscriptions } from "./subscriptions.ts";

interface World {
  readonly clock: SimulatedClock;
  readonly published: readonly string[];
  readonly subscriptions: Subscriptions;
  /** How many listen to the workspace. */
  readonly listeners: () => number;
  readonly edit: (id: string) => void;
  readonly say: () => void;
}

/** What a subscription uses of a workspace. */
function world(): World {
  const clock = simulatedClock();
  const watchers = new Set<() => void>();
  const changeListeners = new Set<(changes: readonly { readonly blockId: BlockId }[]) => void>();
  const workspace = {
    platform: { clock },
    hub: {
      feeds: {
        changes: {
          subscribe(listener: (changes: readonly { readonly blockId: BlockId }[]) => void) {
            changeListeners.add(listener);
            return () => changeListeners.delete(listener);
          },
        },
      },
    },
    conversations: {
      async watch(_rootId: RootId, _after: number, { deliver }: { deliver: () => void }) {
        watchers.add(deliver);
        return ok(() => void watchers.delete(deliver));
      },
    },
  } as unknown as Workspace;
  const published: string[] = [];
  const subscriptions = new Subscriptions(workspace, (uri) => void published.push(uri));
  return {
    clock,
    published,
    subscriptions,
    listeners: () => watchers.size + changeListeners.size,
    edit: (id) => {
      for (const listener of changeListeners) listener([{ blockId: id as BlockId }]);
    },
    say: () => {
      for (const deliver of watchers) deliver();
    },
  };
}

const always = async (): Promise<boolean> => true;
const canvas = { type: "document", id: "one" as BlockId } as never;

test("many changes are one notice at once, and one more when its time is over", async () => {
  const { clock, published, subscriptions, edit } = world();
  subscriptions.add("doc:one", canvas, always);
  for (let change = 0; change < 5; change += 1) edit("one");
  edit("other");
  await clock.settle();
  expect(published).toEqual(["doc:one"]);
  await clock.advance(299);
  expect(published).toHaveLength(1);
  await clock.advance(1);
  expect(published).toHaveLength(2);
  await clock.advance(10_000);
  expect(published).toHaveLength(2);
});

test("I-24 a thousand changes in a second are five notices at most, the last after the last change", async () => {
  const { clock, published, subscriptions, edit } = world();
  subscriptions.add("doc:one", canvas, always);
  for (let ms = 0; ms < 1_000; ms += 1) {
    edit("one");
    await clock.advance(1);
  }
  const before = published.length;
  await clock.advance(10_000);
  expect([before, published.length]).toEqual([4, 5]);
});

test("an address is watched until its last subscriber has left, and each leaves once", async () => {
  const { published, subscriptions, edit, say, clock, listeners } = world();
  const first = subscriptions.add("talk:a", { type: "conversation", id: "a" } as never, always);
  const second = subscriptions.add("talk:a", { type: "conversation", id: "a" } as never, always);
  await clock.settle();
  expect(listeners()).toBe(2);
  first.stop();
  first.stop();
  say();
  await clock.settle();
  expect(published).toEqual(["talk:a"]);
  second.stop();
  say();
  edit("a");
  await clock.advance(1_000);
  expect([published, listeners(), clock.timers]).toEqual([["talk:a"], 1, 0]);
});

test("who leaves before the conversation was found leaves nothing behind", async () => {
  const { subscriptions, clock, listeners } = world();
  subscriptions.add("talk:a", { type: "conversation", id: "a" } as never, always).stop();
  await clock.settle();
  expect(listeners()).toBe(1);
});

test("a closed list of subscriptions holds nothing and notifies nobody", async () => {
  const { published, subscriptions, edit, say, clock, listeners } = world();
  subscriptions.add("doc:one", canvas, always);
  subscriptions.add("talk:a", { type: "conversation", id: "a" } as never, always);
  await clock.settle();
  edit("one");
  edit("one");
  await clock.settle();
  subscriptions.close();
  edit("one");
  say();
  await clock.advance(1_000);
  expect([published, listeners(), clock.timers]).toEqual([["doc:one"], 0, 0]);
});

test("A-05 A-13 a notice is for those alone who may hear of the change, at the moment of the change", async () => {
  const { clock, published, subscriptions, edit } = world();
  const feed = { type: "feed", since: 0 } as never;
  let isHidden = false;
  const all = subscriptions.add("feed", feed, always);
  const part = subscriptions.add("feed", feed, async (blocks) => !isHidden && blocks.includes("one" as BlockId));
  edit("two");
  await clock.settle();
  expect([published.length, all.take(), part.take()]).toEqual([1, true, false]);
  edit("one");
  await clock.advance(300);
  expect([published.length, all.take(), part.take(), part.take()]).toEqual([2, true, true, false]);
  isHidden = true;
  all.stop();
  edit("one");
  await clock.advance(1_000);
  expect([published.length, part.take()]).toEqual([2, false]);
});
