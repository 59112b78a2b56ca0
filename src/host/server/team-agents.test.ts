import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { HeddleClient } from "../../client/base/types.ts";
import { must } from "../../core/base/assert.ts";
import type { BlockId, PersonId, RootId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import { conversationKey, documentKey, workspaceKey } from "../../core/rights/object-key.ts";
import { until } from "../../testing/test-client.ts";
import { lastResult, scriptedCatalogue, type Script } from "../cli/chat/chat.test-support.ts";
import { callsWith, says } from "../conversation/queue/conversation.test-support.ts";
import { startTestTeam, type TestTeam } from "./team.test-support.ts";

// What an agent may do for the people who ask it, and after they may ask no longer.

let team: TestTeam;
let ada: HeddleClient;
let bob: HeddleClient;
let talkId: RootId;
let adasId: BlockId;
/** What the model does next, by how often it was asked. */
let script: (request: ModelRequest, asked: number) => ReturnType<Script>;
let requests: readonly ModelRequest[];

beforeEach(async () => {
  script = () => says("Done.");
  const scripted = scriptedCatalogue((request, asked) => script(request, asked));
  requests = scripted.requests;
  team = await startTestTeam({ catalogue: scripted.catalogue });
  await team.add("bob", "editor");
  [ada, bob] = [team.connect("ada"), team.connect("bob")];
  ({ rootId: talkId } = accept(await ada.call("conversation.create", { title: "Talk" })));
  ({ canvasId: adasId } = accept(await ada.call("canvas.create", { title: "Wages", text: "shuttle\n" })));
  await close(documentKey(adasId));
});
afterEach(async () => {
  for (const client of [ada, bob]) client.close();
  await team.server.close();
});

const person = (id: string) => ({ type: "person", id: id as PersonId }) as const;
const close = (object: ReturnType<typeof documentKey>) =>
  team.change({ type: "inherits-set", object, inherits: false, by: "ada" as PersonId });

const send = async (client: HeddleClient, rootId: RootId, deliver?: "steer" | "queue") => {
  const parentNodeId = client.conversation(rootId).get()?.runs[0]?.headNodeId ?? null;
  const wish = { rootId, parentNodeId, text: "Read it.", ...(deliver === undefined ? {} : { deliver }) };
  return accept(await client.call("message.send", wish));
};
const stateOf = (client: HeddleClient, rootId: RootId) => client.conversation(rootId).get()?.runs[0]?.state.type;
const settled = (client: HeddleClient, rootId: RootId, count: number) =>
  until(client.conversation(rootId), (view) => view?.runs[0]?.state.type === "idle" && requests.length >= count);

test("A-20 A-21 A-23 in a room of two nobody lends the agent what the other may not read, whoever began or steers the turn", async () => {
  script = (_request, asked) => (asked % 2 === 0 ? callsWith("block_read", { block_id: adasId }) : says("Done."));
  await send(ada, talkId);
  await settled(ada, talkId, 2);
  const told = lastResult(must(requests[1], "a request"));
  expect(told).toContain("BLOCK_NOT_FOUND");
  expect(told).not.toContain("Wages");
  // The same for Bob's own message, and of a canvas that he alone may read.
  const { canvasId: bobsId } = accept(await bob.call("canvas.create", { title: "Bobbins", text: "bobbin\n" }));
  await team.change({ type: "role-set", object: documentKey(bobsId), subject: person("bob"), role: "owner" });
  await close(documentKey(bobsId));
  await team.change({ type: "role-set", object: documentKey(bobsId), subject: person("ada"), role: null });
  script = (_request, asked) => (asked === 2 ? callsWith("block_read", { block_id: bobsId }) : says("Done."));
  await until(bob.conversation(talkId), (view) => view?.runs[0]?.state.type === "idle");
  await send(bob, talkId);
  await settled(bob, talkId, 4);
  expect(lastResult(must(requests[3], "a request"))).toContain("BLOCK_NOT_FOUND");
  // In a room of her own the agent may read it, and is told that it needs a lease.
  const { rootId: ownId } = accept(await ada.call("conversation.create", { title: "Own" }));
  await close(conversationKey(ownId));
  script = (_request, asked) => (asked === 4 ? callsWith("block_read", { block_id: adasId }) : says("Done."));
  await send(ada, ownId);
  await settled(ada, ownId, 6);
  expect(lastResult(must(requests[5], "a request"))).toContain("LOCK_NOT_OWNED");
});

test("A-25 who is removed during a turn ends it within a second, with what was written kept, and no rights left to it", async () => {
  // Only Bob may ask here: when he is removed the conversation passes to the owners of the workspace.
  const { rootId } = accept(await bob.call("conversation.create", { title: "Bob's" }));
  await team.change({ type: "role-set", object: conversationKey(rootId), subject: person("bob"), role: "owner" });
  accept(await bob.call("share.inherit", { on: { type: "conversation", id: rootId }, inherits: false }));
  script = (_request, asked) => (asked === 0 ? [...says("Some words.").slice(0, 2), "hang"] : says("Never."));
  const { runId } = await send(bob, rootId);
  await vi.waitUntil(() => requests.length === 1);
  await until(bob.conversation(rootId), (view) => (view?.runs[0]?.headNodeId ?? null) !== null);
  await send(bob, rootId, "queue");
  const { store } = team.server.workspace;
  expect(await store.waiting(runId)).toHaveLength(1);
  const before = performance.now();
  await team.change({ type: "person-removed", id: "bob" as PersonId });
  await until(ada.conversation(rootId), (view) => view?.runs[0]?.state.type === "idle");
  expect(performance.now() - before).toBeLessThan(1_000);
  await vi.waitUntil(async () => (await store.waiting(runId)).length === 0);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect([stateOf(ada, rootId), requests.length, await store.unsettledRuns()]).toEqual(["idle", 1, []]);
  const nodes = JSON.stringify(await store.outline(rootId)) + JSON.stringify(ada.conversation(rootId).get());
  expect(nodes).not.toContain("Never.");
});

test("A-25 who may only read any longer ends their turn, and their message that waits in another's is taken back", async () => {
  script = (_request, asked) => (asked === 0 ? [...says("Some words.").slice(0, 2), "hang"] : says("Done."));
  const { runId } = await send(ada, talkId);
  await vi.waitUntil(() => requests.length === 1);
  await until(bob.conversation(talkId), (view) => view !== null);
  await send(bob, talkId, "queue");
  const { store } = team.server.workspace;
  expect(await store.waiting(runId)).toHaveLength(1);
  await team.change({ type: "role-set", object: workspaceKey, subject: person("bob"), role: "viewer" });
  await vi.waitUntil(async () => (await store.waiting(runId)).length === 0, { timeout: 1_000 });
  // Ada may still ask: her turn goes on.
  expect((await store.unsettledRuns()).map(({ id }) => id)).toEqual([runId]);
  accept(await ada.call("run.cancel", { runId }));
});
