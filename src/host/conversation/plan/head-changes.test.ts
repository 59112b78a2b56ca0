import { expect, test } from "vitest";
import { must } from "../../../core/base/assert.ts";
import type { NodeId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { accepted, World } from "../queue/conversation.test-support.ts";
import { headChanges } from "./head-changes.ts";
import type { OwnedRun } from "../run/owned-run.ts";
import type { RunSnapshot } from "../base/run-snapshot.ts";

/** A path of four messages in one conversation, first to last. */
async function path(): Promise<readonly ForestNode[]> {
  const world = await World.start();
  const rootId = await world.newRoot();
  const messages = ["one", "two", "three", "four"].map(
    (text) => ({ role: "user", content: [{ type: "text", text }] }) as const,
  );
  const { nodeId } = accepted(
    await world.conversations.messages.add(world.ada, { rootId, parentNodeId: null, messages }),
  );
  return world.store.path(nodeId as NodeId);
}

/** A run at a node, with only the fields that `headChanges` reads. */
function runAt(head: ForestNode | null): OwnedRun {
  const snapshot = { head, record: { headNodeId: head?.id ?? null } } as RunSnapshot;
  return { snapshot } as OwnedRun;
}

test("headChanges moves a removed head to its nearest remaining ancestor", async () => {
  const known = await path();
  const [one, two, three, four] = known;
  const removed = [two, three, four].flatMap((node) => node?.id ?? []);
  const [moved] = headChanges([runAt(four ?? null)], { known, changed: [], removed });
  expect([moved?.next.head?.id, moved?.next.record.headNodeId]).toEqual([one?.id, one?.id]);
});

test("headChanges sets a head to null when its whole path is removed", async () => {
  const known = await path();
  const removed = known.map(({ id }) => id);
  const [moved] = headChanges([runAt(known.at(-1) ?? null)], { known, changed: [], removed });
  expect([moved?.next.head, moved?.next.record.headNodeId]).toEqual([null, null]);
});

test("headChanges replaces a changed head, also where a removed head moves to it, and leaves other runs alone", async () => {
  const known = await path();
  const [one, two, three] = known;
  const changed = { ...must(two, "the second message"), tags: ["new"] };
  const runs = [two, three, one, undefined].map((node) => runAt(node ?? null));
  const moved = headChanges(runs, { known, changed: [changed], removed: three === undefined ? [] : [three.id] });
  expect(moved.map(({ run, next }) => [runs.indexOf(run), next.head])).toEqual([
    [0, changed],
    [1, changed],
  ]);
});
