import { expect, test } from "vitest";
import { ok } from "../../../core/base/result.ts";
import type { BlockChange } from "../../../core/block/types.ts";
import { blockId, documentId, person } from "../../../testing/store/records.ts";
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

test.each([
  ["together", [10, 10], [[1, 2]]],
  ["one after the other where they are too large for that", [serverLimits.frameUnitsGathered, 10], [[1], [2]]],
])("changes of one commit are sent %s", async (_how, bytes, versions) => {
  const sent: string[] = [];
  let watcher: BlockWatcher | undefined;
  const watch = async (_id: unknown, _version: number, given: BlockWatcher) => {
    watcher = given;
    return ok({ unwatch: () => {} });
  };
  const { joined } = watchBlock(
    { hub: { feeds: { watch } } } as unknown as Parameters<typeof watchBlock>[0],
    { ownRequests: "nobody/", send: ({ text }) => void sent.push(text), inQueue: (join) => join() },
    { blockId: blockId("1"), afterVersion: 1, known: new KnownReplicas() },
  );
  await joined;
  watcher?.deliver(typed(...bytes));
  const messages = sent.map((text) => JSON.parse(`[${text}]`) as { readonly change: BlockChange }[]);
  expect(messages.map((each) => each.map(({ change }) => change.version))).toEqual(versions);
});
