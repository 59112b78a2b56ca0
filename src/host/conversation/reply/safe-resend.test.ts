import { expect, test } from "vitest";
import { createHttpModel } from "../../../adapters/providers/shared/http-model.ts";
import { responsesApi } from "../../../adapters/providers/openai-responses/api.ts";
import { responsesCodec } from "../../../adapters/providers/openai-responses/codec.ts";
import { responsesCompat } from "../../../adapters/providers/openai-responses/compat.ts";
import { scriptedModel } from "../../../adapters/providers/scripted.ts";
import type { ModelActor } from "../../../core/base/actor.ts";
import { must } from "../../../core/base/assert.ts";
import type { ActorId, RootId, RunId, TurnId } from "../../../core/base/ids.ts";
import { textOf } from "../../../core/message/content.ts";
import type { AssistantMessage, Message } from "../../../core/message/types.ts";
import { noUsage } from "../../../core/message/usage.ts";
import type { ModelFailure } from "../../../core/model/failure.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import { startMockProvider } from "../../../testing/mock-provider/server.ts";
import { systemPlatform } from "../../../adapters/platform/system-platform.ts";
import { fails, info, Journal, says, World, type ScriptStep } from "../queue/conversation.test-support.ts";
import { replyOrResend } from "./safe-resend.ts";

const broken: ModelFailure = {
  class: "transcript",
  message: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  retryable: false,
  status: 400,
  providerCode: "invalid_request_error",
};

/** A reply with thinking that only the model itself can read. */
const thoughtful: readonly ScriptStep[] = [
  { type: "thinking-start", index: 0 },
  { type: "thinking-delta", index: 0, text: "Hm." },
  { type: "thinking-end", index: 0, signature: "signed" },
  { type: "text-start", index: 1 },
  { type: "text-delta", index: 1, text: "hello" },
  { type: "text-end", index: 1 },
  { type: "finished", reason: "end-turn", usage: noUsage },
];

function thinks(request: ModelRequest): boolean {
  return request.messages.some(({ content }) => content.some((block) => block.type === "thinking"));
}

/** Sends a second message after a reply with thinking, to a provider that follows the script. */
async function secondMessage(script: (request: ModelRequest) => readonly ScriptStep[]) {
  const world = await World.start({ script: (request, turn) => (turn === 0 ? thoughtful : script(request)) });
  const rootId = await world.newRoot();
  const { runId } = await world.send(rootId, null, "hi");
  await world.rest();
  const { headNodeId } = must(await world.store.run(runId), "a run");
  await world.send(rootId, headNodeId, "and?");
  await world.rest();
  return { world, rootId, runId };
}

test("a history that the provider rejects is resent once in its safe form, which the node and the log record", async () => {
  const { world, rootId, runId } = await secondMessage((request) => (thinks(request) ? fails(broken) : says("still")));
  expect(world.requests.map(thinks)).toEqual([false, true, false]);
  expect(await world.branch(runId)).toEqual(["user: hi", "assistant: hello", "user: and?", "assistant: still"]);
  const nodes = await world.store.nodes(rootId);
  expect(nodes.map(({ request }) => request?.resent)).toEqual([undefined, undefined, undefined, "safe"]);
  expect(world.errors).toEqual(["transcript-resent"]);
});

test("a history rejected in its safe form too is an error, without a third request", async () => {
  const { world, runId } = await secondMessage(() => fails(broken));
  expect(world.requests).toHaveLength(3);
  expect(await world.runState(runId)).toBe("error");
  expect(world.errors).toEqual(["transcript-resent"]);
});

test("a request is not resent without parts to leave out, after another failure, or once its answer had begun", async () => {
  const plain = await World.start({ script: () => fails(broken) });
  await plain.send(await plain.newRoot(), null, "hi");
  await plain.rest();
  expect(plain.requests).toHaveLength(1);
  expect(plain.errors).toEqual([]);

  const refused = await secondMessage(() => fails({ ...broken, class: "invalid-request" }));
  expect(refused.world.requests).toHaveLength(2);

  const begun = await secondMessage(() => [
    { type: "text-start", index: 0 },
    { type: "text-delta", index: 0, text: "It is" },
    ...fails(broken),
  ]);
  expect(begun.world.requests).toHaveLength(2);
});

test("a strict provider accepts the safe form of the history it rejected", async () => {
  const brain = scriptedModel([[{ type: "text", text: "still here" }]], () => Promise.resolve());
  const mock = await startMockProvider({
    api: "responses",
    strict: true,
    reply: (request, signal) => brain.stream(request, signal),
  });
  const model = createHttpModel(
    {
      baseUrl: mock.url,
      streamed: true,
      info: { ...info, id: "openai/gpt-5.4" },
      codec: responsesCodec(responsesCompat("gpt-5.4")),
    },
    { fetch: (url, init) => fetch(url, init), clock: systemPlatform("error").clock },
  );
  const author: ModelActor = {
    type: "model",
    id: "gpt" as ActorId,
    name: "GPT",
    model: "openai/gpt-5.4",
    runId: "run" as RunId,
    turnId: "turn" as TurnId,
  };
  const bound: AssistantMessage = {
    role: "assistant",
    origin: { api: responsesApi, provider: "openai", model: "gpt-5.4" },
    content: [
      { type: "text", text: "hello" },
      {
        type: "opaque",
        api: responsesApi,
        raw: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" },
      },
    ],
  };
  const messages: readonly Message[] = [
    { role: "user", content: [{ type: "text", text: "hi" }] },
    bound,
    { role: "user", content: [{ type: "text", text: "and?" }] },
  ];
  const alerts: ModelFailure[] = [];
  try {
    const { event, resent } = await replyOrResend(
      {
        model,
        request: { model: "gpt-5.4", system: "", messages, tools: [], maxTokens: 100, thinking: "off" },
        attempt: 1,
        signal: new AbortController().signal,
        clock: systemPlatform("error").clock,
        blocks: new Journal(),
        seed: {
          rootId: "root" as RootId,
          actor: author,
          metadata: {},
        },
        onActivity: () => undefined,
        onBlock: () => undefined,
        onBlockLost: () => undefined,
      },
      (failure) => alerts.push(failure),
    );
    expect(event).toMatchObject({ type: "response-finished" });
    const said = event.type === "response-finished" ? event.message : null;
    expect(said === null ? "" : textOf(said)).toBe("still here");
    expect(resent).toBe(true);
    expect(alerts.map(({ class: kind, status }) => [kind, status])).toEqual([["transcript", 400]]);
    expect(mock.rejections).toEqual([expect.stringContaining("without its required following item")]);
    expect(mock.requests).toHaveLength(2);
  } finally {
    await mock.close();
  }
});
