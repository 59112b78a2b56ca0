import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import type { RequestId } from "../../../core/base/ids.ts";
import type { BlockChange } from "../../../core/block/types.ts";
import type { ReplicaId } from "../../../core/text/types.ts";
import { blockId, documentId, header, model, person } from "../../../testing/store/records.ts";
import { preparedAsked, preparedChangesOf, preparedNaming, prepare, prepareSnapshot } from "./down-frame.ts";

function typed(update: Uint8Array): readonly BlockChange[] {
  const body = { type: "text", update, spans: [], unit: { id: "unit" } } as const;
  return [{ blockId: blockId("1"), documentId: documentId("1"), version: 1, actor: person, at: 1, body }];
}

test("watchers of one commit share one prepared message", () => {
  const changes = typed(Uint8Array.of(1));
  expect(preparedChangesOf(changes)).toBe(preparedChangesOf(changes));
  expect(preparedChangesOf(typed(Uint8Array.of(1)))).not.toBe(preparedChangesOf(changes));
});

test("a short message is encoded once for all its readers", () => {
  const message = prepare({ type: "people", whole: true, entered: [], left: [] });
  expect(Buffer.from(message.bytes).toString("utf8")).toBe(message.text);
  expect(message.bytes).toBe(message.bytes);
});

test("only the watcher that asked for a change reads its request id in it, whether or not the change names replicas", () => {
  const changes = typed(Uint8Array.of(1));
  const [change] = changes;
  if (change === undefined) throw new Error("one change was typed");
  const stored: BlockChange = { ...change, requestId: "request-1" as RequestId };
  const replicas = [{ replica: 7 as ReplicaId, actor: person }];
  const of = (message: { readonly text: string }): unknown => JSON.parse(message.text);
  const plain = preparedNaming(stored, replicas, undefined);
  expect(of(plain)).toMatchObject({ type: "block-change", replicas });
  expect(plain.text).not.toContain("request-1");
  const asked = preparedNaming(stored, replicas, "request-1" as RequestId);
  expect(of(asked)).toMatchObject({ change: { version: 1, requestId: "request-1" }, replicas });
  const shared = preparedChangesOf([stored]).each[0];
  if (shared === undefined) throw new Error("a change is one message");
  expect(shared.text).not.toContain("request-1");
  expect(of(preparedAsked(shared, "request-1"))).toMatchObject({ change: { version: 1, requestId: "request-1" } });
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

test("A-06 people of a team get a document without runs, and its bytes are not read for that", () => {
  const message = {
    type: "block-snapshot",
    header: header("1", 3),
    text: Buffer.alloc(30_000, "runId").toString("base64"),
    hash: "h",
    replicas: [
      { replica: 7 as ReplicaId, actor: person },
      { replica: 8 as ReplicaId, actor: model("9") },
    ],
  } as const;
  const whole = prepareSnapshot(message);
  expect(JSON.parse(whole.text)).toEqual(message);
  const parsed = vi.spyOn(JSON, "parse");
  const { text } = whole.forTeam;
  expect(parsed).not.toHaveBeenCalled();
  parsed.mockRestore();
  expect(JSON.parse(text)).toEqual(JSON.parse(prepare(message).forTeam.text));
  expect(text).not.toMatch(/turn_9|local.scribe|"run[_-]/u);
  expect(whole.forTeam).toBe(whole.forTeam);
});

function broadcastOnce(): WeakRef<object> {
  const changes = typed(new Uint8Array(100_000));
  preparedChangesOf(changes);
  return new WeakRef(changes);
}
