import { afterEach, expect, test } from "vitest";
import { must } from "../../../core/base/assert.ts";
import type { NodeId, RequestId, RootId } from "../../../core/base/ids.ts";
import { removedBlockText } from "../../../core/turn/event/run-event.ts";
import { Replay, type ReplayedEvent } from "../../../core/turn/trace.ts";
import type { HeddleClient } from "../../../client/base/types.ts";
import { connectTestClient, until } from "../../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { callsTool, scriptedCatalogue } from "../../cli/chat/chat.test-support.ts";
import { says } from "../queue/conversation.test-support.ts";

let server: TestServer;
let client: HeddleClient;
afterEach(async () => {
  client.close();
  await server.close();
});

const secret = "sk-secret-of-a-provider";

/** A conversation with a tool round and a second turn, in the given store. */
async function talked(store: "memory" | "sqlite"): Promise<RootId> {
  const { catalogue } = scriptedCatalogue((_request, turn) =>
    turn === 0 ? callsTool("kernel_search", { query: "loom" }) : says(`Reply ${turn}`),
  );
  server = await startTestServer({ catalogue, store, welcome: false, token: secret });
  client = connectTestClient(server);
  await until(client.state, ({ type }) => type === "live");
  const created = await client.call("conversation.create", {});
  if (!created.ok) throw new Error(created.error.code);
  const { rootId } = created.value;
  const view = client.conversation(rootId);
  for (const [turn, text] of ["First words", "Second words"].entries()) {
    await until(view, (now) => now !== null);
    const parentNodeId = view.get()?.runs[0]?.headNodeId ?? null;
    const clientRequestId = `request-${turn}` as RequestId;
    await client.call("message.send", { rootId, parentNodeId, text, clientRequestId });
    await until(view, (now) => {
      const [run] = now?.runs ?? [];
      return run?.state.type === "idle" && run.headNodeId !== parentNodeId;
    });
  }
  return rootId;
}

async function traceOf(rootId: RootId): Promise<string> {
  const answer = await client.call("conversation.trace", { rootId });
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value.trace;
}

function replayed(trace: string): readonly ReplayedEvent[] {
  const replay = new Replay();
  return trace.split("\n").flatMap((line) => {
    const step = replay.take(line);
    if (!step.ok) throw new Error(step.error.message);
    return step.value?.type === "event" ? [step.value] : [];
  });
}

test.each(["memory", "sqlite"] as const)(
  "a conversation's trace replays to its states, with a %s store",
  async (store) => {
    const rootId = await talked(store);
    const trace = await traceOf(rootId);
    const steps = replayed(trace);
    expect(steps.map(({ event, state }) => `${event.type} → ${state.type}`)).toEqual([
      "message-sent → awaiting",
      "request-prepared → requesting",
      "response-finished → running-tools",
      "tool-finished → awaiting",
      "request-prepared → requesting",
      "response-finished → idle",
      "message-sent → awaiting",
      "request-prepared → requesting",
      "response-finished → idle",
    ]);
    expect(steps.every(({ differsFrom, lost }) => differsFrom === null && lost === 0)).toBe(true);
    for (const words of ["First words", "Reply 2", "loom"]) expect(trace).toContain(words);
    expect(trace).not.toContain(secret);
    const headers = { authorization: `Bearer ${secret}` };
    const file = await fetch(`${server.url}/api/roots/${rootId}/trace`, { headers });
    expect([file.status, file.headers.get("content-disposition")]).toEqual([
      200,
      expect.stringContaining(".trace.jsonl"),
    ]);
    expect((await file.text()).split("\n").slice(1)).toEqual(trace.split("\n").slice(1));
  },
);

test("a stored event is small, however long its message", async () => {
  const rootId = await talked("memory");
  const { store } = server.workspace;
  const [run] = await store.runs(rootId);
  const events = await store.runEvents(must(run, "a run").id);
  expect(JSON.stringify(events)).not.toContain("words");
  expect(Math.max(...events.map((event) => JSON.stringify(event).length))).toBeLessThan(1_000);
});

test("a trace marks rewritten and deleted messages without their text, and still replays", async () => {
  const rootId = await talked("memory");
  const nodes = [...must(client.conversation(rootId).get(), "it is watched").nodesById.values()];
  const said = (text: string): NodeId =>
    must(
      nodes.find(({ message }) => JSON.stringify(message).includes(text)),
      "it was said",
    ).id;
  const clientRequestId = "request-rewrite" as RequestId;
  await client.call("message.rewrite", { nodeId: said("Reply 2"), text: "Other words", clientRequestId });
  const deleted = await client.call("message.delete", { nodeId: said("First words"), reparent: true });
  expect(deleted.ok).toBe(true);
  const trace = await traceOf(rootId);
  const steps = replayed(trace);
  expect(steps.flatMap(({ seq, lost }) => (lost > 0 ? [seq] : []))).toEqual([1, 9]);
  expect(steps.every(({ differsFrom }) => differsFrom === null)).toBe(true);
  expect(trace).toContain(removedBlockText);
  for (const gone of ["First words", "Reply 2"]) expect(trace).not.toContain(gone);
});

test("the runs of sub-agents follow those of their conversation", async () => {
  const { catalogue } = scriptedCatalogue(({ tools }, turn) => {
    if (tools.some(({ name }) => name === "submit_result")) return callsTool("submit_result", { result: "Seven." });
    return turn === 0 ? callsTool("spawn_sub_agents", { tasks: [{ task: "Count" }] }) : says("Counted.");
  });
  server = await startTestServer({ catalogue, welcome: false });
  client = connectTestClient(server);
  await until(client.state, ({ type }) => type === "live");
  const created = await client.call("conversation.create", {});
  if (!created.ok) throw new Error(created.error.code);
  const { rootId } = created.value;
  await client.call("conversation.rules", { rootId, approvals: "none" });
  const clientRequestId = "request-agents" as RequestId;
  await client.call("message.send", { rootId, parentNodeId: null, text: "Count", clientRequestId });
  await until(client.conversation(rootId), (view) => view?.runs[0]?.state.type === "idle" && view.nodesById.size > 3);
  const trace = await traceOf(rootId);
  const steps = replayed(trace);
  expect(steps.at(-1)?.state).toMatchObject({ type: "completed", result: "Seven." });
  expect(steps.map(({ state }) => state.type)).toContain("awaiting-sub-agents");
  expect(steps.every(({ differsFrom }) => differsFrom === null)).toBe(true);
});

test("a trace of an unknown conversation is refused", async () => {
  await talked("memory");
  const answer = await client.call("conversation.trace", { rootId: "root_none" as RootId });
  expect(answer).toMatchObject({ ok: false, error: { code: "ROOT_NOT_FOUND" } });
});
