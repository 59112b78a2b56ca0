import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { BlockChange } from "../../../core/block/types.ts";
import { blockId, documentId, person } from "../../../testing/store/records.ts";
import { preparedChangesOf } from "./down-frame.ts";

function typed(update: Uint8Array): readonly BlockChange[] {
  const body = { type: "text", update, spans: [], unit: { id: "unit" } } as const;
  return [{ blockId: blockId("1"), documentId: documentId("1"), version: 1, actor: person, at: 1, body }];
}

test("watchers of one commit share one prepared message", () => {
  const changes = typed(Uint8Array.of(1));
  expect(preparedChangesOf(changes)).toBe(preparedChangesOf(changes));
  expect(preparedChangesOf(typed(Uint8Array.of(1)))).not.toBe(preparedChangesOf(changes));
});

test("the last broadcast changes are collected after every watcher has received them", async () => {
  setFlagsFromString("--expose_gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("a collection can be asked for");
  const changes = broadcastOnce();
  // A dereferenced WeakRef target stays alive until the end of the current event-loop task.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(changes.deref() === undefined).toBe(true);
});

function broadcastOnce(): WeakRef<object> {
  const changes = typed(new Uint8Array(100_000));
  preparedChangesOf(changes);
  return new WeakRef(changes);
}
