import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { HeddleClient } from "../../client/base/types.ts";
import { must } from "../../core/base/assert.ts";
import type { BlockId, NodeId, PersonId, RootId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import { conversationKey, documentKey } from "../../core/rights/object-key.ts";
import { until } from "../../testing/test-client.ts";
import { callsTool, lastResult, scriptedCatalogue, type Script } from "../cli/chat/chat.test-support.ts";
import { says } from "../conversation/queue/conversation.test-support.ts";
import { readEvents } from "./api/events.test-support.ts";
import { connectAgent } from "./mcp/mcp.test-support.ts";
import { startTestTeam, type TestTeam } from "./team.test-support.ts";

// What a document tells of the conversation that its agent works in, to somebody who may read the document alone.

let team: TestTeam;
let ada: HeddleClient;
let bob: HeddleClient;
let script: Script = () => says("Done.");
let documentId: BlockId;
let talkId: RootId;
const ids = { runId: "", nodeIds: [""] };

beforeAll(async () => {
  team = await startTestTeam({ catalogue: scriptedCatalogue((request, asked) => script(request, asked)).catalogue });
  ada = team.connect("ada");
  await team.add("bob");
  ({ canvasId: documentId } = accept(await ada.call("canvas.create", { title: "Looms", text: "warp\n" })));
  ({ rootId: talkId } = accept(await ada.call("conversation.create", { title: "Pay", canvasId: documentId })));
  const subject = { type: "person", id: "bob" as PersonId } as const;
  await team.change({ type: "role-set", object: documentKey(documentId), subject, role: "editor" });
  bob = team.connect("bob");
});
afterAll(async () => {
  for (const client of [ada, bob]) client.close();
  await team.server.close();
});

const results = ({ messages }: ModelRequest): number => {
  const question = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(question).filter(({ role }) => role === "tool").length;
};

/** Ada's agent writes in the document, once. */
async function agentWrites(from: string, to: string): Promise<void> {
  script = (request) => {
    if (results(request) === 0) return callsTool("canvas_check_out", { canvas_id: documentId });
    const lease = /lease_0[a-z0-9]+/u.exec(lastResult(request))?.[0] ?? "";
    if (results(request) > 1) return says("Done.");
    return callsTool("canvas_edit", { lease_id: lease, edits: [{ search: from, text: to }] });
  };
  const view = ada.conversation(talkId);
  await until(view, (now) => now !== null);
  const parentNodeId = view.get()?.runs[0]?.headNodeId ?? null;
  const sent = accept(await ada.call("message.send", { rootId: talkId, parentNodeId, text: "Weave." }));
  // At first the page may show the run as it was before the message.
  const isOver = (head: NodeId | null): boolean => head !== sent.nodeId && head !== parentNodeId;
  await until(view, (now) => now?.runs[0]?.state.type === "idle" && isOver(now.runs[0].headNodeId));
  const nodes = await team.server.workspace.store.nodes(talkId);
  Object.assign(ids, { runId: sent.runId, nodeIds: nodes.map(({ id }) => id) });
}

/** Expects that a text names the agent, and nothing of its conversation. */
function expectUntold(way: string, said: string): void {
  for (const secret of [ids.runId, ...ids.nodeIds, talkId, "test/scripted", "call-canvas"]) {
    expect([way, secret, said.includes(secret)]).toEqual([way, secret, false]);
  }
}

test.each(["text", "update"])(
  "A-06 the stream of a document's changes as %s names an agent, and no run or model of it",
  async (form) => {
    const path = `/api/blocks/${encodeURIComponent(documentId)}/events?form=${form}`;
    const events = await readEvents(team.server.url + path, { authorization: "Bearer bob" });
    expect(await events.next()).toMatchObject({ name: "new-block" });
    const [from, to] = form === "text" ? ["warp", "weft"] : ["weft", "warp"];
    await agentWrites(from ?? "", to ?? "");
    const seen: unknown[] = [];
    while (!JSON.stringify(seen).includes('"patch"')) seen.push(await events.next());
    const later = await readEvents(`${team.server.url + path}&after=1`, { authorization: "Bearer bob" });
    seen.push(await later.next());
    const text = ada.openText(documentId);
    await until(text.header, (header) => header !== null);
    text.edit([{ from: 0, to: 0, insert: "x" }]);
    await until(text.unconfirmed, (count) => count === 0);
    text.edit([{ from: 0, to: 1, insert: "" }]);
    await until(text.unconfirmed, (count) => count === 0);
    text.close();
    while (!JSON.stringify(seen).includes('"person"')) seen.push(await events.next());
    const said = JSON.stringify(seen);
    expect(said).toContain("Scripted");
    expectUntold(form, said);
    // Nor what another person's page calls its requests.
    expect(said).not.toContain("requestId");
    for (const each of [events, later]) each.leave();
  },
);

test("A-06 a revision does not name the message of a hidden conversation, nor taking control its run", async () => {
  await agentWrites("warp", "weft");
  const revisions = accept(await bob.call("canvas.revisions", { canvasId: documentId }));
  expect(revisions.revisions.length).toBeGreaterThan(0);
  expectUntold("revisions", JSON.stringify(revisions));
  // Who may read the conversation is led to the message.
  const [own] = accept(await ada.call("canvas.revisions", { canvasId: documentId })).revisions;
  expect(ids.nodeIds).toContain(own?.nodeId);

  script = (request) =>
    results(request) === 0
      ? callsTool("canvas_check_out", { canvas_id: documentId })
      : [...says("Hm.").slice(0, 2), "hang"];
  const parentNodeId = ada.conversation(talkId).get()?.runs[0]?.headNodeId ?? null;
  const { runId } = accept(await ada.call("message.send", { rootId: talkId, parentNodeId, text: "Hold it." }));
  const { leases } = team.server.workspace;
  await vi.waitUntil(() => leases.isHeld(documentId), { timeout: 5_000 });
  const taken = await bob.call("canvas.take-control", { canvasId: documentId });
  expect(taken).toMatchObject({ ok: true });
  expect(JSON.stringify(taken)).not.toContain(runId);
  await until(ada.conversation(talkId), (now) => now?.runs[0]?.state.type === "idle");
});

test("A-06 a thread does not name the hidden conversation in which an agent answers it", async () => {
  script = () => says("Because.");
  const frames: unknown[] = [];
  const text = bob.openText(documentId);
  await until(text.header, (header) => header !== null);
  text.threads.subscribe(() => frames.push(text.threads.get()));
  const { thread } = accept(await ada.call("comment.add", { blockId: documentId, text: "@agent why?" }));
  const rootId = must(thread.conversationId, "the agent's conversation");
  await vi.waitUntil(() => JSON.stringify(frames).includes("Because."), { timeout: 5_000 });
  const told = {
    frames,
    list: await bob.call("comment.list", { blockId: documentId }),
    reply: await bob.call("comment.reply", { threadId: thread.id, text: "I see." }),
  };
  text.close();
  for (const [way, answer] of Object.entries(told)) {
    expect([way, JSON.stringify(answer).includes(thread.id)]).toEqual([way, true]);
    expect([way, JSON.stringify(answer).includes(rootId)]).toEqual([way, false]);
  }
  const [own] = accept(await ada.call("comment.list", { blockId: documentId })).threads;
  expect(own?.thread.conversationId).toBe(rootId);
});

test("A-06 the history of a block tells a program no call of a hidden conversation", async () => {
  const agent = await connectAgent({ url: team.server.url, token: await team.program("bob") });
  await agent.call("canvas_check_out", { canvas_id: documentId });
  const history = JSON.stringify(await agent.call("block_history", { block_id: documentId }));
  await agent.close();
  expect(history).toContain("Scripted");
  expectUntold("history", history);
});

test("A-06 nothing of this is hidden from who may read the conversation", async () => {
  const subject = { type: "person", id: "bob" as PersonId } as const;
  await team.change({ type: "role-set", object: conversationKey(talkId), subject, role: "viewer" });
  const [revision] = accept(await bob.call("canvas.revisions", { canvasId: documentId })).revisions;
  expect(ids.nodeIds).toContain(revision?.nodeId);
});
