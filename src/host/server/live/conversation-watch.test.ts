import { expect, test } from "vitest";
import type { BlockId, RootId, RunId } from "../../../core/base/ids.ts";
import { ok } from "../../../core/base/result.ts";
import type { RunStatus } from "../../../core/turn/state/feed.ts";
import type { ConversationWatcher } from "../../conversation/base/types.ts";
import { watchConversation } from "./conversation-watch.ts";
import { KnownReplicas } from "./known-replicas.ts";

const [one, two] = ["live/1" as BlockId, "live/2" as BlockId];

test("a live block is followed from when it is live until it is not, and meanwhile once", async () => {
  const noted: string[] = [];
  let watcher: ConversationWatcher | undefined;
  const workspace = {
    conversations: {
      watch: async (_root: RootId, _seq: number, given: ConversationWatcher) => {
        watcher = given;
        return ok(() => noted.push("left"));
      },
      runStatuses: async () => ok([]),
    },
    hub: {
      feeds: {
        watch: async (id: BlockId) => {
          noted.push(`watch ${id}`);
          return ok({ unwatch: () => noted.push(`leave ${id}`) });
        },
      },
    },
  };
  const watch = watchConversation(
    workspace as unknown as Parameters<typeof watchConversation>[0],
    { ownRequests: "nobody/", send: () => {}, inQueue: (join) => join(), terminated: () => {} },
    { rootId: "root" as RootId, afterSeq: 1, known: new KnownReplicas() },
  );
  await watch.joined;
  let seq = 1;
  const happens = async (...liveBlocks: readonly BlockId[]): Promise<readonly string[]> => {
    const body = { type: "run-changed", runId: "run" as RunId, liveBlocks } as RunStatus;
    watcher?.deliver([{ rootId: "root" as RootId, seq: (seq += 1), at: 0, body }]);
    await new Promise((resolve) => setImmediate(resolve));
    return noted.splice(0);
  };
  expect(await happens(one)).toEqual(["watch live/1"]);
  expect(await happens(one, two)).toEqual(["watch live/2"]);
  expect(await happens(two)).toEqual(["leave live/1"]);
  watch.end();
  expect(noted).toEqual(["left", "leave live/2"]);
});
