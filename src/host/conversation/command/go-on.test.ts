import { describe, expect, test } from "vitest";
import type { NodeId, RootId } from "../../../core/base/ids.ts";
import { must } from "../../../core/base/assert.ts";
import { noUsage } from "../../../core/message/usage.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { StreamPart } from "../../../core/model/stream-part.ts";
import type { LanguageModel } from "../../../core/port/language-model.ts";
import { goOnText } from "../../../core/turn/step/instruct.ts";
import { accepted, calls, code, info, World, type ScriptStep } from "../queue/conversation.test-support.ts";

/** A reply that ends at its token limit. */
function cutOff(text: string): readonly ScriptStep[] {
  return [
    { type: "text-start", index: 0 },
    { type: "text-delta", index: 0, text },
    { type: "text-end", index: 0 },
    { type: "finished", reason: "max-tokens", usage: noUsage },
  ];
}

const replies = ["Once upon a ti", "me there was", " a fox.", " a hare."];

/** A conversation with a reply that was cut off; `requests` has what the model was sent. */
async function cut(change: Partial<LanguageModel["info"]> = {}, first = replies[0] ?? "") {
  const requests: ModelRequest[] = [];
  const model: LanguageModel = {
    info: { ...info, thinking: true, ...change },
    api: "scripted",
    async *stream(request) {
      requests.push(request);
      const text = requests.length === 1 ? first : (replies[requests.length - 1] ?? "");
      yield* cutOff(text) as readonly StreamPart[];
    },
  };
  const world = await World.start({ model });
  const rootId = await world.newRoot();
  const { runId } = await world.send(rootId, null, "Tell me a tale.");
  await world.rest();
  const [, reply] = await world.store.nodes(rootId);
  return { world, requests, rootId, runId, nodeId: must(reply, "a reply").id };
}

async function goOn(world: World, nodeId: NodeId): Promise<readonly string[]> {
  const { runId } = accepted(await world.conversations.messages.goOn(world.ada, { nodeId }));
  await world.rest();
  return world.branch(runId);
}

async function lines(world: World, rootId: RootId): Promise<number> {
  return (await world.store.nodes(rootId)).length;
}

describe("14.18 going on from a reply", () => {
  test("14.18 where the provider allows it the request ends with the reply, and the rest is a message below it", async () => {
    const { world, requests, nodeId } = await cut({ prefill: true });
    expect(await goOn(world, nodeId)).toEqual([
      "user: Tell me a tale.",
      "assistant: Once upon a ti",
      "assistant: me there was",
    ]);
    const [, second] = requests;
    expect(second).toMatchObject({ prefill: true, thinking: "off" });
    expect(second?.messages.at(-1)).toMatchObject({ role: "assistant", content: [{ text: "Once upon a ti" }] });
    expect(second?.messages.slice(0, 1)).toEqual(requests[0]?.messages);
  });

  test("14.18 elsewhere the model is told to go on, by a stored message that a second wish finds again", async () => {
    const { world, requests, rootId, nodeId } = await cut();
    const first = await goOn(world, nodeId);
    expect(first.slice(2)).toEqual([`user: ${goOnText}`, "assistant: me there was"]);
    expect(requests[1]?.prefill).toBeUndefined();
    const before = await lines(world, rootId);
    expect((await goOn(world, nodeId)).slice(2)).toEqual([`user: ${goOnText}`, "assistant:  a fox."]);
    expect(await lines(world, rootId)).toBe(before + 1);
  });

  test("14.18 another reply to a continuation goes on from the same reply", async () => {
    const { world, nodeId } = await cut({ prefill: true });
    await goOn(world, nodeId);
    const [rest] = await world.store.children(must(await world.store.node(nodeId), "a reply").rootId, nodeId);
    const again = await world.conversations.messages.regenerate(world.ada, { nodeId: must(rest, "the rest").id });
    const { runId } = accepted(again);
    await world.rest();
    expect((await world.branch(runId)).slice(1)).toEqual(["assistant: Once upon a ti", "assistant:  a fox."]);
  });

  test("14.18 a reply with messages below it is continued beside them", async () => {
    const { world, rootId, nodeId } = await cut({ prefill: true });
    await world.send(rootId, nodeId, "And then?");
    await world.rest();
    await goOn(world, nodeId);
    const below = await world.store.children(rootId, nodeId);
    expect(below.map(({ message }) => message.role)).toEqual(["user", "assistant"]);
  });

  test.each([
    ["blanks at its end", "Once upon a "],
    ["a line break at its end", "Once\n"],
  ])("14.18 a reply with %s is continued by telling the model", async (_what, text) => {
    const { world, requests, nodeId } = await cut({ prefill: true }, text);
    await goOn(world, nodeId);
    expect(requests[1]?.prefill).toBeUndefined();
    expect(requests[1]?.messages.at(-1)).toMatchObject({ role: "user", instruction: "go-on" });
  });

  test("14.18 questions, calls and messages being written are refused", async () => {
    const world = await World.start({ script: (_request, turn) => (turn === 0 ? calls("look") : cutOff("x")) });
    const rootId = await world.newRoot();
    const { nodeId } = await world.send(rootId, null, "Look.");
    await world.rest();
    const wish = (id: NodeId) => world.conversations.messages.goOn(world.ada, { nodeId: id });
    const [, call, result, reply] = await world.store.nodes(rootId);
    const refused = [nodeId, must(call, "a call").id, must(result, "a result").id].map(wish);
    expect((await Promise.all(refused)).map(code)).toEqual(["MESSAGE_INVALID", "MESSAGE_INVALID", "MESSAGE_INVALID"]);
    world.script = () => [{ pauseMs: 1_000 }, ...cutOff("y")];
    await world.send(rootId, must(reply, "a reply").id, "More.");
    await world.clock.advance(10);
    expect(code(await wish(must(reply, "a reply").id))).toBe("BRANCH_BUSY");
  });
});

test("14.17 a message that was cut off says why its reply stopped, and a reply cut before its first word is named", async () => {
  const { world, nodeId } = await cut();
  expect(must(await world.store.node(nodeId), "a reply").request?.stop).toBe("max-tokens");
  const silent = await World.start({ script: () => cutOff("") });
  const rootId = await silent.newRoot();
  await silent.send(rootId, null, "Think hard.");
  await silent.rest();
  const feed = await silent.store.feed(rootId, 0, 100);
  const notices = feed.flatMap(({ body }) => (body.type === "notice" ? [body.text] : []));
  expect(notices.join()).toContain("used up the token limit of its reply before it said anything");
});
