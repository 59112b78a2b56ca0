import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { HeddleClient } from "../../client/base/types.ts";
import { must } from "../../core/base/assert.ts";
import type { BlockId, PersonId, RootId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { CommandParams } from "../../core/protocol/commands.ts";
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
  const parentNodeId = (await team.server.workspace.store.runs(rootId))[0]?.headNodeId ?? null;
  const wish = { rootId, parentNodeId, text: "Read it.", ...(deliver === undefined ? {} : { deliver }) };
  return accept(await client.call("message.send", wish));
};
const stateOf = (client: HeddleClient, rootId: RootId) => client.conversation(rootId).get()?.runs[0]?.state.type;
const codeOf = async (asked: Promise<{ readonly ok: boolean }>): Promise<string> => {
  const answer = (await asked) as { readonly ok: boolean; readonly error?: { readonly code: string } };
  return answer.error?.code ?? "yes";
};
const which = { question: "Which?", options: [{ label: "Warp" }, { label: "Weft" }] };
const settled = (rootId: RootId, count: number) =>
  vi.waitUntil(
    async () => {
      const [run] = await team.server.workspace.store.runs(rootId);
      return run?.state.type === "idle" && requests.length >= count;
    },
    { timeout: 10_000 },
  );

test("A-20 A-21 A-23 in a room of two nobody lends the agent what the other may not read, whoever began or steers the turn", async () => {
  script = (_request, asked) => (asked % 2 === 0 ? callsWith("block_read", { block_id: adasId }) : says("Done."));
  await send(ada, talkId);
  await settled(talkId, 2);
  const told = lastResult(must(requests[1], "a request"));
  expect(told).toContain("NOT_SHARED_HERE");
  expect(told).not.toMatch(/Wages|shuttle/u);
  // The same for Bob's own message, and of a canvas that he alone may read.
  const { canvasId: bobsId } = accept(await bob.call("canvas.create", { title: "Bobbins", text: "bobbin\n" }));
  await team.change({ type: "role-set", object: documentKey(bobsId), subject: person("bob"), role: "owner" });
  await close(documentKey(bobsId));
  await team.change({ type: "role-set", object: documentKey(bobsId), subject: person("ada"), role: null });
  script = (_request, asked) => (asked === 2 ? callsWith("block_read", { block_id: bobsId }) : says("Done."));
  await until(bob.conversation(talkId), (view) => view?.runs[0]?.state.type === "idle");
  await send(bob, talkId);
  await settled(talkId, 4);
  expect(lastResult(must(requests[3], "a request"))).toContain("NOT_SHARED_HERE");
  // In a room of her own the agent may read it, and is told that it needs a lease.
  const { rootId: ownId } = accept(await ada.call("conversation.create", { title: "Own" }));
  await close(conversationKey(ownId));
  script = (_request, asked) => (asked === 4 ? callsWith("block_read", { block_id: adasId }) : says("Done."));
  await send(ada, ownId);
  await settled(ownId, 6);
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

/** What the model was told of its last call. */
const told = (at: number) => lastResult(must(requests[at], "a request"));

test("A-21 A-23 an owner lets agents quote what those may read who ask: who steers a turn or waits with a message lends and borrows nothing", async () => {
  expect(await codeOf(bob.call("share.quoting", { rootId: talkId, by: "askers" }))).toBe("FORBIDDEN");
  accept(await ada.call("share.quoting", { rootId: talkId, by: "askers" }));
  expect(accept(await bob.call("share.list", { on: { type: "conversation", id: talkId } })).quoting).toBe("askers");
  const check = () => callsWith("block_read", { block_id: adasId });
  // Ada's turn may read her document; it needs a lease there as ever.
  script = (_request, asked) => (asked === 0 ? check() : says("Done."));
  await send(ada, talkId);
  await settled(talkId, 2);
  expect(told(1)).toContain("LOCK_NOT_OWNED");
  // Bob's own turn may not, and is told of nothing.
  script = (_request, asked) => (asked === 2 ? check() : says("Done."));
  await until(bob.conversation(talkId), (view) => view?.runs[0]?.state.type === "idle");
  await send(bob, talkId);
  await settled(talkId, 4);
  expect(told(3)).toContain("BLOCK_NOT_FOUND");
  // Where he steers hers he joins it from the next boundary on; his message that waits is his alone.
  script = (_request, asked) => {
    if (asked === 4) return callsWith("ask_user", { questions: [which] });
    return asked === 5 || asked === 7 ? check() : says("Done.");
  };
  const { runId } = await send(ada, talkId);
  await until(ada.conversation(talkId), (view) => view?.runs[0]?.state.type === "awaiting-answer");
  await send(bob, talkId, "steer");
  await send(bob, talkId, "queue");
  const { store } = team.server.workspace;
  const { state } = must(await store.run(runId), "the run is stored");
  const callId = must("callId" in state ? state.callId : null, "a call asks");
  accept(await ada.call("question.answer", { runId, callId, answers: null }));
  await settled(talkId, 9);
  expect([told(6), told(8)]).toEqual([
    expect.stringContaining("BLOCK_NOT_FOUND"),
    expect.stringContaining("BLOCK_NOT_FOUND"),
  ]);
  expect((await store.run(runId))?.settings).toMatchObject({ payer: "bob" });
  // Closed again, what Ada may read and Bob may not is not shared here.
  accept(await ada.call("share.quoting", { rootId: talkId, by: "readers" }));
  script = (_request, asked) => (asked === 9 ? check() : says("Done."));
  await send(ada, talkId);
  await settled(talkId, 11);
  expect(told(10)).toContain("NOT_SHARED_HERE");
});

test("A-23 before a conversation is shared its owner is told which documents in it the other may not read, and of none they may not see themself", async () => {
  await team.add("cy");
  await team.add("dan");
  await team.change({ type: "role-set", object: documentKey(adasId), subject: person("dan"), role: "viewer" });
  const { canvasId: bobsId } = accept(await bob.call("canvas.create", { title: "Bobbins", text: "bobbin\n" }));
  await team.change({ type: "role-set", object: documentKey(bobsId), subject: person("bob"), role: "owner" });
  await close(documentKey(bobsId));
  await team.change({ type: "role-set", object: documentKey(bobsId), subject: person("ada"), role: null });
  accept(await ada.call("share.quoting", { rootId: talkId, by: "askers" }));
  script = (_request, asked) => {
    if (asked === 0) return callsWith("canvas_check_out", { canvas_id: adasId });
    return asked === 2 ? callsWith("canvas_check_out", { canvas_id: bobsId }) : says("Done.");
  };
  await send(ada, talkId);
  await settled(talkId, 2);
  await until(bob.conversation(talkId), (view) => view?.runs[0]?.state.type === "idle");
  await send(bob, talkId);
  await settled(talkId, 4);
  expect([told(1), told(3)]).toEqual([expect.stringContaining("lease_id"), expect.stringContaining("lease_id")]);
  const unseen = async (client: HeddleClient, to: CommandParams<"share.unseen">["to"]) =>
    accept(await client.call("share.unseen", { rootId: talkId, to })).documents.map(({ title }) => title);
  expect(await unseen(ada, person("cy"))).toEqual(["Wages"]);
  expect(await unseen(ada, person("dan"))).toEqual([]);
  expect(await unseen(ada, { type: "everyone" })).toEqual(["Wages"]);
  expect(await unseen(ada, { type: "link" })).toEqual(["Wages"]);
  expect(await codeOf(bob.call("share.unseen", { rootId: talkId, to: person("cy") }))).toBe("FORBIDDEN");
  await team.change({ type: "role-set", object: conversationKey(talkId), subject: person("bob"), role: "owner" });
  expect(await unseen(bob, person("cy"))).toEqual(["Bobbins"]);
});

test("A-22 who may run no command has no turn of an agent of another program either: it would run on the machine", async () => {
  const scripted = scriptedCatalogue(() => says("Done."));
  const { catalogue } = scripted;
  const find: typeof catalogue.find = (id) => {
    const model = catalogue.find(id);
    return model === undefined ? undefined : { ...model, api: "acp", stream: model.stream.bind(model) };
  };
  const other = await startTestTeam({ catalogue: { ...catalogue, find } });
  await other.add("bob", "editor");
  const [owner, editor] = [other.connect("ada"), other.connect("bob")];
  const { store } = other.server.workspace;
  const { rootId: sharedId } = accept(await owner.call("conversation.create", { title: "Talk" }));
  const message = { rootId: sharedId, parentNodeId: null, text: "Read it." };
  const { runId } = accept(await editor.call("message.send", message));
  await vi.waitUntil(async () => (await store.run(runId))?.state.type === "error", { timeout: 5_000 });
  expect([scripted.requests.length, JSON.stringify((await store.run(runId))?.state)]).toEqual([
    0,
    expect.stringContaining("use an agent of another program"),
  ]);
  const { rootId: ownId } = accept(await owner.call("conversation.create", { title: "Own" }));
  await other.change({ type: "inherits-set", object: conversationKey(ownId), inherits: false, by: "ada" as PersonId });
  const own = accept(await owner.call("message.send", { ...message, rootId: ownId }));
  await vi.waitUntil(async () => (await store.run(own.runId))?.state.type === "idle", { timeout: 5_000 });
  expect(scripted.requests).toHaveLength(1);
  for (const client of [owner, editor]) client.close();
  await other.server.close();
});

test("A-04 A-05 what somebody asks an agent in a comment on a closed document is in a conversation of their own, and answered to who may edit that alone", async () => {
  await team.add("cy", "editor", documentKey(adasId));
  const cy = team.connect("cy");
  const { store } = team.server.workspace;
  const known = async () => new Set((await store.roots()).map(({ id }) => id));
  const before = await known();
  accept(await ada.call("comment.add", { blockId: adasId, text: "@agent what of the shuttle?" }));
  await vi.waitUntil(() => requests.length === 1, { timeout: 5_000 });
  const asked = must(
    (await store.roots()).find(({ id }) => !before.has(id)),
    "a conversation was begun",
  );
  expect([asked.title, await codeOf(bob.call("conversation.usage", { rootId: asked.id }))]).toEqual([
    "Comment",
    "ROOT_NOT_FOUND",
  ]);
  expect(JSON.stringify(await (await team.fetch("bob", "/api/roots")).json())).not.toContain(asked.id);
  const after = await known();
  accept(await cy.call("comment.add", { blockId: adasId, text: "@agent and of the loom?" }));
  await vi.waitUntil(() => requests.length === 2, { timeout: 5_000 });
  const own = must(
    (await store.roots()).find(({ id }) => !after.has(id)),
    "a conversation was begun",
  );
  expect((await store.runs(own.id))[0]?.settings?.payer).toBe("cy");
  expect(await codeOf(ada.call("conversation.usage", { rootId: own.id }))).toBe("ROOT_NOT_FOUND");
  cy.close();
});

test("A-22 who may answer for a call alone makes no rule for further calls, of the conversation or of the workspace", async () => {
  accept(await ada.call("conversation.rules", { rootId: talkId, approvals: "all" }));
  script = (_request, asked) => (asked % 2 === 0 ? callsWith("kernel_search", { query: "loom" }) : says("Done."));
  const { runId } = await send(bob, talkId);
  const view = await until(bob.conversation(talkId), (now) => now?.runs[0]?.state.type === "awaiting-approval");
  const state = must(view?.runs[0]?.state, "a state");
  if (state.type !== "awaiting-approval") throw new Error(state.type);
  const { callId, argumentsHash } = state.request;
  const answer = { runId, callId, argumentsHash, decision: "allow" } as const;
  for (const remember of ["always", "conversation"] as const) {
    expect([remember, await codeOf(bob.call("approval.answer", { ...answer, remember }))]).toEqual([
      remember,
      "FORBIDDEN",
    ]);
  }
  const { store } = team.server.workspace;
  expect([await store.approvalRules(null), await store.approvalRules(talkId)]).toEqual([[], []]);
  accept(await bob.call("approval.answer", { ...answer, remember: "once" }));
  await settled(talkId, 2);
});

test("A-23 an agent that is asked in a comment quotes in its answer only what all may read who read that", async () => {
  const { canvasId } = accept(await ada.call("canvas.create", { title: "Looms", text: "warp\n" }));
  const { canvasId: plans } = accept(await ada.call("canvas.create", { title: "Plans", text: "bobbin\n" }));
  await team.add("cy", "commenter", documentKey(canvasId));
  const cy = team.connect("cy");
  script = (_request, asked) => (asked % 2 === 0 ? callsWith("canvas_check_out", { canvas_id: plans }) : says("Done."));
  const say = "Whoever answers here: say what is in the plans.";
  const { thread } = accept(await cy.call("comment.add", { blockId: canvasId, text: say }));
  accept(await ada.call("comment.reply", { threadId: thread.id, text: "@agent please do" }));
  await vi.waitUntil(() => requests.length === 2, { timeout: 5_000 });
  expect(lastResult(must(requests[1], "a request"))).toContain("NOT_SHARED_HERE");
  // What they may read it quotes to them.
  await team.change({ type: "role-set", object: documentKey(plans), subject: person("cy"), role: "viewer" });
  const comments = async () =>
    accept(await ada.call("comment.list", { blockId: canvasId })).threads[0]?.thread.comments;
  await vi.waitUntil(async () => (await comments())?.length === 3, { timeout: 5_000 });
  accept(await ada.call("comment.reply", { threadId: thread.id, text: "@agent again" }));
  await vi.waitUntil(() => requests.length === 4, { timeout: 5_000 });
  expect(lastResult(must(requests[3], "a request"))).toContain("lease_id");
  cy.close();
});
