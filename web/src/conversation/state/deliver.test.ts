import { expect, test } from "vitest";
import type { HeddleClient } from "../../../../src/client/base/types.ts";
import type { Refusal } from "../../../../src/core/base/errors.ts";
import type { NodeId, RootId, RunId } from "../../../../src/core/base/ids.ts";
import { err, ok } from "../../../../src/core/base/result.ts";
import { type Delivery, deliver } from "./deliver.ts";

/** A server that assigns ids in order, and refuses from the given request on. */
function server(refusedFrom = Infinity) {
  const asked: { readonly name: string; readonly params: Readonly<Record<string, unknown>> }[] = [];
  const busy: Refusal = { code: "AGENT_BUSY", message: "Busy.", details: {} };
  const call = ((name: string, params: Readonly<Record<string, unknown>>) => {
    const { clientRequestId: _id, ...said } = params;
    asked.push({ name, params: said });
    if (asked.length >= refusedFrom) return Promise.resolve(err(busy));
    const nodeId = `node_${asked.length}`;
    return Promise.resolve(ok({ nodeId, runId: "run_1", runIds: ["run_1"], queued: false }));
  }) as HeddleClient["call"];
  return { asked, busy, client: { call } };
}

const wish: Delivery = {
  rootId: "root_1" as RootId,
  parentNodeId: "node_0" as NodeId,
  messages: ["A long text.", "What does it say?"],
  files: [],
  ask: true,
  deliver: "steer",
  replies: null,
};

test("F-47 deliver sends a pasted text as a separate first message, and the question below it", async () => {
  const { asked, client } = server();
  const done = await deliver(client, wish);
  expect(asked).toEqual([
    { name: "message.add", params: { rootId: "root_1", parentNodeId: "node_0", text: "A long text." } },
    {
      name: "message.send",
      params: { rootId: "root_1", parentNodeId: "node_1", text: "What does it say?", deliver: "steer" },
    },
  ]);
  expect(done).toEqual(ok({ firstId: "node_1", run: { id: "run_1" as RunId } }));
});

test("F-47 deliver without ask adds every message, with files on the last, and requests no reply", async () => {
  const { asked, client } = server();
  const files = [{ blobId: "b".repeat(64), name: "a.png" }];
  expect(await deliver(client, { ...wish, ask: false, files })).toEqual(ok({ firstId: "node_1", run: null }));
  expect(asked.map(({ name, params }) => [name, params["attachments"]])).toEqual([
    ["message.add", undefined],
    ["message.add", files],
  ]);
});

test("deliver returns unsent messages and repeats no sent one", async () => {
  const { busy, client } = server(2);
  expect(await deliver(client, wish)).toEqual(err({ refusal: busy, left: ["What does it say?"], firstId: "node_1" }));
});
