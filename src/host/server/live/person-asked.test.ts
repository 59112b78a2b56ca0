import { afterEach, beforeEach, expect, test } from "vitest";
import { must } from "../../../core/base/assert.ts";
import type { RootId } from "../../../core/base/ids.ts";
import type { RunStatus } from "../../../core/turn/state/feed.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

let server: TestServer;

beforeEach(async () => {
  server = await startTestServer({ welcome: false });
});

afterEach(() => server.close());

interface Said {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function command(name: string, params: object): Promise<Said> {
  const response = await fetch(`${server.url}/api/commands/${name}`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify(params),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Returns the only run of a conversation once it is in a state of this type. */
async function runThatIs(rootId: RootId, type: RunStatus["state"]["type"]): Promise<RunStatus> {
  const { conversations } = server.workspace;
  const { promise, resolve } = Promise.withResolvers<RunStatus>();
  const look = (run: RunStatus | undefined): void => {
    if (run?.state.type === type) resolve(run);
  };
  const watched = await conversations.watch(rootId, 0, {
    snapshot: ({ runs }) => look(runs[0]),
    deliver: (records) => records.forEach(({ body }) => look(body.type === "run-changed" ? body : undefined)),
  });
  const run = await promise;
  if (watched.ok) watched.value();
  return run;
}

test("a person is asked before calls, allows and denies them over HTTP, and sees the costs", async () => {
  const { canvasId } = (await command("canvas.create", { title: "Notes", text: "# Goals\n" })).body;
  const made = await command("conversation.create", { canvasId });
  const rootId = made.body["rootId"] as RootId;
  expect((await command("conversation.rules", { rootId, approvals: "all" })).status).toBe(200);
  const text = "add a section on costs";
  const sent = await command("message.send", { rootId, parentNodeId: null, text, clientRequestId: "r1" });
  expect(sent.status).toBe(200);

  const { runId, state } = await runThatIs(rootId, "awaiting-approval");
  if (state.type !== "awaiting-approval") throw new Error("the run waits");
  const { callId, argumentsHash } = state.request;
  expect(state.pending[0]?.name).toBe("canvas_check_out");
  const parentNodeId = sent.body["nodeId"];
  const more = { rootId, parentNodeId, text: "and?", clientRequestId: "r2" };
  expect(await command("message.send", more)).toMatchObject({
    status: 409,
    body: { error: { code: "AWAITING_APPROVAL" } },
  });
  const word = { runId, callId, argumentsHash, decision: "allow", remember: "conversation" };
  expect(await command("approval.answer", { ...word, argumentsHash: "0".repeat(64) })).toMatchObject({
    status: 409,
    body: { error: { code: "APPROVAL_CLOSED" } },
  });
  expect((await command("approval.answer", word)).status).toBe(200);
  const [rule] = (await command("approval.rules", { rootId })).body["rules"] as readonly { id: string }[];
  expect(rule).toMatchObject({ toolName: "canvas_check_out", rootId, call: null });

  // The next call uses another tool, so it waits too.
  const next = await runThatIs(rootId, "awaiting-approval");
  if (next.state.type !== "awaiting-approval") throw new Error("the run waits");
  expect(next.state.pending[0]?.name).not.toBe("canvas_check_out");
  const no = { ...word, ...next.state.request, decision: "deny", remember: "once", note: "Leave it." };
  const { callId: second, argumentsHash: hash } = next.state.request;
  expect((await command("approval.answer", { ...no, callId: second, argumentsHash: hash })).status).toBe(200);
  await server.workspace.conversations.runs.cancel(
    { type: "person", id: "p" as never, name: "P" },
    { runId, reason: "stopped" },
  );
  await runThatIs(rootId, "idle");
  expect((await command("approval.forget", { ruleId: must(rule, "a rule").id })).status).toBe(200);
  expect((await command("approval.rules", { rootId })).body).toEqual({ rules: [] });

  const usage = (await command("conversation.usage", { rootId })).body;
  expect(usage).toMatchObject({ budget: {}, left: { tokens: null, dollars: null } });
  expect((usage["total"] as { requests: number }).requests).toBeGreaterThan(1);
  expect(usage).not.toHaveProperty("messages");
  const { messages } = (await command("conversation.usage", { rootId, messages: true })).body;
  expect(messages).toContainEqual(expect.objectContaining({ nodeId: expect.any(String), requests: 1 }));
  expect(await command("run.continue", { runId })).toMatchObject({
    status: 409,
    body: { error: { code: "INVALID_TRANSITION" } },
  });
  expect(await command("question.answer", { runId, callId, answers: null })).toMatchObject({
    status: 409,
    body: { error: { code: "QUESTION_CLOSED" } },
  });
});

test("a branch is summarised and continues over HTTP", async () => {
  const rootId = (await command("conversation.create", {})).body["rootId"] as RootId;
  await command("message.send", { rootId, parentNodeId: null, text: "help", clientRequestId: "r1" });
  const { runId } = await runThatIs(rootId, "idle");
  expect((await command("run.summarize", { runId })).status).toBe(200);
  const full = await runThatIs(rootId, "context-exhausted");
  expect(full.state).toMatchObject({ summary: expect.stringContaining("help") });
  const continued = await command("run.continue", { runId });
  expect(continued.status).toBe(200);
  expect((await command("run.continue", { runId })).body).toEqual(continued.body);
  const said = { rootId, parentNodeId: full.headNodeId, text: "more", clientRequestId: "r3" };
  expect(await command("message.send", said)).toMatchObject({
    status: 409,
    body: { error: { code: "CONTEXT_EXHAUSTED" } },
  });
  const there = { ...said, parentNodeId: continued.body["nodeId"], clientRequestId: "r4" };
  expect((await command("message.send", there)).status).toBe(200);
});
