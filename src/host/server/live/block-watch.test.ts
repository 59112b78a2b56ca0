import { expect, test } from "vitest";
import { must } from "../../../core/base/assert.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { ok } from "../../../core/base/result.ts";
import type { BlockChange } from "../../../core/block/types.ts";
import { createDocument } from "../../../core/text/document.ts";
import type { ReplicaId } from "../../../core/text/types.ts";
import { blockId, documentId, header, person } from "../../../testing/store/records.ts";
import type { BlockWatcher } from "../../document/record/types.ts";
import { serverLimits } from "../http/server-limits.ts";
import { watchBlock } from "./block-watch.ts";
import { KnownReplicas } from "./known-replicas.ts";

/** Changes of so many bytes each, committed together. */
function typed(...bytes: readonly number[]): readonly BlockChange[] {
  return bytes.map((length, index) => {
    const body = { type: "text", update: new Uint8Array(length), spans: [], unit: { id: "unit" } } as const;
    return { blockId: blockId("1"), documentId: documentId("1"), version: index + 1, actor: person, at: 1, body };
  });
}

interface Joined {
  readonly watcher: BlockWatcher;
  /** The messages of each frame. */
  readonly sent: () => readonly (readonly Sent[])[];
}

interface Sent {
  readonly change: BlockChange;
  readonly replicas?: readonly object[];
}

const ada = 7 as ReplicaId;

async function join(): Promise<Joined> {
  const sent: string[] = [];
  let watcher: BlockWatcher | undefined;
  const watch = async (_id: unknown, _version: number, given: BlockWatcher) => {
    watcher = given;
    return ok({ unwatch: () => {} });
  };
  const workspace = { hub: { feeds: { watch } }, replicas: { actorOf: () => person } };
  const { joined } = watchBlock(
    workspace as unknown as Parameters<typeof watchBlock>[0],
    { ownRequests: "nobody/", send: ({ text }) => void sent.push(text), inQueue: (begin) => begin() },
    { blockId: blockId("1"), afterVersion: 1, known: new KnownReplicas() },
  );
  await joined;
  return {
    watcher: must(watcher, "it has joined"),
    sent: () => sent.map((text) => JSON.parse(`[${text}]`) as readonly Sent[]),
  };
}

test.each([
  ["together", [10, 10], [[1, 2]]],
  ["one after the other where they are too large for that", [serverLimits.frameUnitsGathered, 10], [[1], [2]]],
])("changes of one commit are sent %s", async (_how, bytes, versions) => {
  const { watcher, sent } = await join();
  watcher.deliver(typed(...bytes));
  expect(sent().map((each) => each.map(({ change }) => change.version))).toEqual(versions);
});

test("who wrote in a document is named with it, and not again with their next change", async () => {
  const text = createDocument();
  accept(text.edit(ada, [{ from: 0, to: 0, insert: "warp" }]));
  const { watcher, sent } = await join();
  watcher.snapshot(header("1", 1), text.encode(), "hash");
  const body = { type: "text", update: new Uint8Array(1), spans: [{ replica: ada, seq: 4, length: 1 }] } as const;
  watcher.deliver(typed(1).map((change) => ({ ...change, body: { ...body, unit: { id: "unit" } } })));
  const actors = [{ replica: ada, actor: person }];
  expect(sent().map(([only]) => only?.replicas)).toEqual([actors, undefined]);
});
