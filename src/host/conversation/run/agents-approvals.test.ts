import { expect, test } from "vitest";
import { must } from "../../../core/base/assert.ts";
import type { RootId } from "../../../core/base/ids.ts";
import { noUsage } from "../../../core/message/usage.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import { accepted, calls, says, World, type ScriptStep } from "../queue/conversation.test-support.ts";
import { subAgentPrompt } from "../sub-agents.ts";

function callOf(name: string, parameters: object): readonly ScriptStep[] {
  return [
    { type: "tool-call-start", index: 0, id: `call-${name}`, name },
    { type: "tool-call-delta", index: 0, text: JSON.stringify(parameters) },
    { type: "tool-call-end", index: 0 },
    { type: "finished", reason: "tool-use", usage: noUsage },
  ];
}

const results = (request: ModelRequest): number => request.messages.filter(({ role }) => role === "tool").length;

/** A conversation that reads something (or not), starts one sub-agent that reaches outside, and ends. */
async function family(reads: boolean): Promise<{ readonly world: World; readonly rootId: RootId }> {
  const before = reads ? 1 : 0;
  const world = await World.start({
    script: (request) => {
      if (request.system.startsWith(subAgentPrompt)) {
        return results(request) === 0 ? calls("out") : callOf("submit_result", { result: "sent" });
      }
      if (results(request) < before) return calls("quick-private-untrusted");
      return results(request) === before ? callOf("spawn_sub_agents", { tasks: [{ task: "Send it." }] }) : says("ok");
    },
  });
  const rootId = await world.newRoot();
  accepted(await world.conversations.setRules({ rootId, approvals: "none" }));
  await world.send(rootId, null, "hi");
  for (let round = 0; round < 10; round += 1) await world.clock.settle();
  return { world, rootId };
}

async function agentRun(world: World) {
  const root = must(
    (await world.store.roots()).find(({ parent }) => parent !== undefined),
    "an agent's conversation",
  );
  return must((await world.store.runs(root.id))[0], "the agent's run");
}

test("a sub-agent starts with the taint of its parent's context, so its calls outside need approval", async () => {
  const { world, rootId } = await family(true);
  const { id: runId, state } = await agentRun(world);
  if (state.type !== "awaiting-approval") throw new Error(`the agent is ${state.type}`);
  expect(state.request.reason).toBe("taint");
  expect(world.tools.log).toEqual(["ran call-quick-private-untrusted"]);
  const { callId, argumentsHash } = state.request;
  const word = { runId, callId, argumentsHash, decision: "allow", remember: "conversation" } as const;
  accepted(await world.conversations.approvals.answer(world.ada, word));
  for (let round = 0; round < 10; round += 1) await world.clock.settle();
  expect(world.tools.log).toContain("ran call-out");
  // A rule made in the sub-agent's work applies in its parent too.
  expect(accepted(await world.conversations.approvals.rules(rootId))).toMatchObject([{ rootId, toolName: "out" }]);
  await world.rest();
  expect((await world.store.runs(rootId)).map((run) => run.state.type)).toEqual(["idle"]);
});

test("a sub-agent has its parent's tier when nothing was read", async () => {
  const { world, rootId } = await family(false);
  await world.rest();
  expect(world.tools.log).toEqual(["ran call-out"]);
  expect((await world.store.runs(rootId)).map((run) => run.state.type)).toEqual(["idle"]);
});

test("S-30 a sub-agent that waits for a person has no longer than its time", async () => {
  const { world, rootId } = await family(true);
  expect((await agentRun(world)).state.type).toBe("awaiting-approval");
  await world.clock.advance(20 * 60_000);
  await world.rest();
  expect((await agentRun(world)).state).toMatchObject({ type: "failed", reason: "timed-out" });
  expect((await world.store.runs(rootId)).map((run) => run.state.type)).toEqual(["idle"]);
  expect(world.tools.log).not.toContain("ran call-out");
});
