import { describe, expect, test } from "vitest";
import { must } from "../../../core/base/assert.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import type { RootId, RunId, ToolCallId } from "../../../core/base/ids.ts";
import { noUsage } from "../../../core/message/usage.ts";
import {
  accepted,
  brokenBranches,
  code,
  says,
  World,
  type ScriptStep,
  type WorldOptions,
} from "../queue/conversation.test-support.ts";

const drink = {
  question: "Tea or coffee?",
  options: [
    { label: "tea", preview: "**green**" },
    { label: "coffee", description: "black" },
  ],
};
const many = { question: "With what?", options: [{ label: "milk" }, { label: "sugar" }], multiple: true };

function asks(parameters: JsonObject, ...beside: readonly string[]): readonly ScriptStep[] {
  const call = (index: number, name: string, json: string): readonly ScriptStep[] => [
    { type: "tool-call-start", index, id: `call-${name}`, name },
    { type: "tool-call-delta", index, text: json },
    { type: "tool-call-end", index },
  ];
  return [
    ...call(0, "ask_user", JSON.stringify(parameters)),
    ...beside.flatMap((name, at) => call(at + 1, name, "{}")),
    { type: "finished", reason: "tool-use", usage: noUsage },
  ];
}

async function asked(
  parameters: JsonObject = { questions: [drink, many] },
  ...beside: readonly string[]
): Promise<{ world: World; rootId: RootId; runId: RunId }> {
  const world = await World.start({
    script: (_request, turn) => (turn === 0 ? asks(parameters, ...beside) : says("done")),
  });
  const rootId = await world.newRoot();
  const { runId } = await world.send(rootId, null, "hi");
  await world.clock.settle();
  return { world, rootId, runId };
}

const callId = "call-ask_user" as ToolCallId;
const chosen = [{ chosen: ["tea"] }, { chosen: ["milk", "honey, please"], note: "little" }];

async function resultText(world: World, runId: RunId): Promise<string> {
  const { headNodeId } = must(await world.store.run(runId), "a run");
  const path = await world.store.path(must(headNodeId, "a head"));
  const { message } = must(
    path.find((node) => node.message.role === "tool"),
    "a result",
  );
  return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

describe("S-34 a question", () => {
  test("waits for the person, and the answers are sent as lines", async () => {
    const { world, rootId, runId } = await asked();
    const { state } = must(await world.store.run(runId), "a run");
    expect(state).toMatchObject({
      type: "awaiting-answer",
      callId,
      questions: [{ multiple: false }, { multiple: true }],
    });
    expect(await world.store.effects(runId)).toEqual([]);
    expect(world.clock.timers).toBe(0);
    accepted(await world.conversations.runs.answerQuestion(world.ada, { runId, callId, answers: chosen }));
    await world.rest();
    expect(await resultText(world, runId)).toBe(
      "Tea or coffee? = tea\npreview of tea:\n**green**\nWith what? = milk, honey, please\nnote: little",
    );
    expect((await world.branch(runId)).at(-1)).toBe("assistant: done");
    expect(await brokenBranches(world, rootId)).toEqual([]);
  });

  test("can be declined: the model continues by itself", async () => {
    const { world, runId } = await asked();
    accepted(await world.conversations.runs.answerQuestion(world.ada, { runId, callId, answers: null }));
    await world.rest();
    expect(await resultText(world, runId)).toContain("own judgement");
    expect(await world.runState(runId)).toBe("idle");
  });

  test("is declined by a cancel", async () => {
    const { world, rootId, runId } = await asked({ questions: [drink] }, "safe");
    accepted(await world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" }));
    expect(await resultText(world, runId)).toContain("own judgement");
    expect(await world.branch(runId)).toContain("tool call-safe: skipped");
    expect(await brokenBranches(world, rootId)).toEqual([]);
    const late = { runId, callId, answers: chosen.slice(0, 1) };
    expect(code(await world.conversations.runs.answerQuestion(world.ada, late))).toBe("QUESTION_CLOSED");
  });

  test("takes one answer, for the right call and with the right count", async () => {
    const { world, runId } = await asked();
    const answer = async (answers: typeof chosen | null, id = callId) =>
      code(await world.conversations.runs.answerQuestion(world.ada, { runId, callId: id, answers }));
    expect(await answer(chosen, "call-other" as ToolCallId)).toBe("QUESTION_CLOSED");
    expect(await answer(chosen.slice(0, 1))).toBe("INVALID_PARAMS");
    expect(await Promise.all([answer(chosen), answer(null)])).toEqual(["ok", "QUESTION_CLOSED"]);
  });

  test("refuses messages meanwhile, but keeps one queued message", async () => {
    const { world, rootId, runId } = await asked();
    const parentNodeId = must(await world.store.run(runId), "a run").headNodeId;
    const message = { rootId, parentNodeId, text: "and?" };
    expect(code(await world.conversations.messages.send(world.ada, message))).toBe("AWAITING_USER_RESPONSE");
    expect(accepted(await world.conversations.messages.send(world.ada, { ...message, deliver: "queue" })).queued).toBe(
      true,
    );
    accepted(await world.conversations.runs.answerQuestion(world.ada, { runId, callId, answers: null }));
    await world.rest();
    expect(await world.branch(runId)).toContain("user: and?");
  });

  test("still waits after a crash, with the same words", async () => {
    const { world, rootId, runId } = await asked();
    const later = await World.start({ image: world.store.image(), script: () => says("done") });
    expect((await later.store.run(runId))?.state).toEqual((await world.store.run(runId))?.state);
    accepted(await later.conversations.runs.answerQuestion(later.ada, { runId, callId, answers: chosen }));
    await later.rest();
    expect(await resultText(later, runId)).toContain("Tea or coffee? = tea");
    expect(await brokenBranches(later, rootId)).toEqual([]);
  });

  test.each<[string, JsonObject]>([
    ["no question", { questions: [] }],
    ["five questions", { questions: [drink, drink, drink, drink, drink] }],
    ["one option", { questions: [{ question: "Yes?", options: [{ label: "yes" }] }] }],
    [
      "five options",
      { questions: [{ question: "Which?", options: ["a", "b", "c", "d", "e"].map((label) => ({ label })) }] },
    ],
    ["the same question twice", { questions: [drink, drink] }],
    ["the same option twice", { questions: [{ question: "Yes?", options: [{ label: "yes" }, { label: " yes" }] }] }],
    ["a blank question", { questions: [{ ...drink, question: "  " }] }],
    ["other fields", { questions: [drink], hurry: true }],
  ])("of the wrong form (%s) is reported to the model, and asks nobody", async (_name, parameters) => {
    const { world, runId } = await asked(parameters);
    await world.rest();
    expect(await world.branch(runId)).toEqual([
      "user: hi",
      "assistant: [call-ask_user]",
      "tool call-ask_user: error",
      "assistant: done",
    ]);
  });

  test("beside other calls waits for its turn, and they wait for it", async () => {
    const { world, runId } = await asked({ questions: [drink] }, "safe");
    expect(world.tools.log).toEqual([]);
    accepted(await world.conversations.runs.answerQuestion(world.ada, { runId, callId, answers: chosen.slice(0, 1) }));
    await world.rest();
    expect(world.tools.log).toEqual(["ran call-safe"]);
  });

  test("needs no approval in any tier", async () => {
    const world = await World.start({
      script: (_request, turn) => (turn === 0 ? asks({ questions: [drink] }) : says("done")),
      rules: { approvals: "all" },
    } satisfies WorldOptions);
    const { runId } = await world.send(await world.newRoot(), null, "hi");
    await world.clock.settle();
    expect(await world.runState(runId)).toBe("awaiting-answer");
  });
});

describe("a program that asks in the midst of its call", () => {
  /** Replies with these calls first. */
  const calls = (...names: readonly string[]): readonly ScriptStep[] => [
    ...names.flatMap((name, index): readonly ScriptStep[] => [
      { type: "tool-call-start", index, id: `call-${name}`, name },
      { type: "tool-call-delta", index, text: "{}" },
      { type: "tool-call-end", index },
    ]),
    { type: "finished", reason: "tool-use", usage: noUsage },
  ];

  async function begun(...names: readonly string[]): Promise<{ world: World; runId: RunId }> {
    const world = await World.start({ script: (_request, turn) => (turn === 0 ? calls(...names) : says("done")) });
    const { runId } = await world.send(await world.newRoot(), null, "hi");
    await world.clock.settle();
    return { world, runId };
  }
  const ofCall = (name: string): ToolCallId => `call-${name}` as ToolCallId;
  const answer = (world: World, runId: RunId, name: string, answers: readonly { chosen: string[] }[] | null) =>
    world.conversations.runs.answerQuestion(world.ada, { runId, callId: ofCall(name), answers });

  test("waits like a question of the agent's, and its call goes on with the answer", async () => {
    const { world, runId } = await begun("asking");
    const { state } = must(await world.store.run(runId), "a run");
    expect(state).toMatchObject({ type: "awaiting-answer", asker: "files", callId: "call-asking" });
    accepted(await answer(world, runId, "asking", [{ chosen: ["Ada"] }]));
    await world.rest();
    expect(await resultText(world, runId)).toContain("Ada");
    expect(world.tools.log).toEqual(["ran call-asking"]);
    expect(await world.runState(runId)).toBe("idle");
    expect(world.clock.timers).toBe(0);
  });

  test("hears nothing when a person declines, or when nobody has answered in ten minutes", async () => {
    const declined = await begun("asking");
    accepted(await answer(declined.world, declined.runId, "asking", null));
    await declined.world.rest();
    expect(await resultText(declined.world, declined.runId)).toContain("nothing");
    const late = await begun("asking");
    await late.world.clock.advance(10 * 60_000 - 1);
    expect(await late.world.runState(late.runId)).toBe("awaiting-answer");
    await late.world.clock.advance(1);
    await late.world.rest();
    expect(await resultText(late.world, late.runId)).toContain("nothing");
  });

  test("is stopped with the turn", async () => {
    const { world, runId } = await begun("asking");
    accepted(await world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" }));
    await world.rest();
    expect(world.tools.aborted).toEqual(["call-asking"]);
    expect(code(await answer(world, runId, "asking", null))).toBe("QUESTION_CLOSED");
  });
});
