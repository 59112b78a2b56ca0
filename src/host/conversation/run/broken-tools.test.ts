import { expect, test } from "vitest";
import type { ToolAnswer } from "../../../core/tool/base/types.ts";
import { brokenBranches, calls, says, World } from "../queue/conversation.test-support.ts";

function thrown(what: unknown): () => never {
  return () => {
    throw what;
  };
}

function answered(what: unknown): () => ToolAnswer {
  return () => what as ToolAnswer;
}

test.each<[string, () => ToolAnswer, string]>([
  ["throws an object without a prototype", thrown(Object.create(null)), "error"],
  ["throws undefined", thrown(undefined), "error"],
  [
    "throws an error whose message is a symbol",
    thrown(Object.assign(new Error("x"), { message: Symbol("no words") })),
    "error",
  ],
  ["answers undefined", answered(undefined), "error"],
  ["answers without content", answered({ ok: true }), "ok"],
  ["answers with a value that is not JSON", answered({ ok: true, content: { count: 1n } }), "error"],
  ["answers with invalid blocks", answered({ ok: true, content: {}, blocks: 7 }), "error"],
  ["answers with half a surrogate pair", answered({ ok: true, content: { out: "\ud83d" } }), "ok"],
])("a tool that %s does not block its turn", async (_how, answer, outcome) => {
  const world = await World.start({ script: (_request, turn) => (turn === 0 ? calls("quick") : says("done")) });
  world.tools.run = async () => answer();
  const rootId = await world.newRoot();
  const { runId } = await world.send(rootId, null, "hi");
  await world.rest();
  expect(await world.branch(runId)).toEqual([
    "user: hi",
    "assistant: [call-quick]",
    `tool call-quick: ${outcome}`,
    "assistant: done",
  ]);
  expect(await brokenBranches(world, rootId)).toEqual([]);
});

test("a tool host that throws against its contract does not block the turn", async () => {
  const world = await World.start({ script: (_request, turn) => (turn === 0 ? calls("quick") : says("done")) });
  const answer = world.tools.run.bind(world.tools);
  world.tools.run = async (...call) => {
    world.leases.heartbeat = () => {
      world.leases.heartbeat = () => {};
      throw new Error("a defect");
    };
    return answer(...call);
  };
  const { runId } = await world.send(await world.newRoot(), null, "hi");
  await world.rest();
  expect((await world.branch(runId)).slice(2)).toEqual(["tool call-quick: error", "assistant: done"]);
});
