import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { listAt } from "../../src/adapters/providers/shared/json-read.ts";
import { checkTranscript } from "../../src/core/message/transcript.ts";
import { noUsage } from "../../src/core/message/usage.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import { accepted, ada, inOrder, type Move, type Studio } from "../../src/host/canvas/canvas.test-support.ts";
import type { WireName } from "../../src/testing/mock-provider/wires.ts";
import { openWiredStudios, wiredProviders, type WiredStudio } from "./wired-studio.ts";

let studios: Awaited<ReturnType<typeof openWiredStudios>>;
let wired: WiredStudio;
beforeAll(async () => {
  studios = await openWiredStudios();
});
afterEach(() => wired.close());
afterAll(() => studios.close());

/** A reply that thinks, writes, and calls one tool twice. */
function thinksAndCalls(signature: string): Move {
  const call = (index: number, path: string): readonly StreamPart[] => [
    { type: "tool-call-start", index, id: `call_${index}`, name: "block_list" },
    { type: "tool-call-delta", index, text: `{"depth":${index - 1},` },
    { type: "tool-call-delta", index, text: `"path_prefix":"${path}"}` },
    { type: "tool-call-end", index },
  ];
  return {
    parts: [
      { type: "thinking-start", index: 0 },
      { type: "thinking-delta", index: 0, text: "I look " },
      { type: "thinking-delta", index: 0, text: "twice." },
      { type: "thinking-end", index: 0, signature },
      { type: "text-start", index: 1 },
      { type: "text-delta", index: 1, text: "Looking." },
      { type: "text-end", index: 1 },
      ...call(2, "a/"),
      ...call(3, "b/"),
      { type: "finished", reason: "tool-use", usage: noUsage },
    ],
  };
}

const brokenCheckOut: readonly StreamPart[] = [
  { type: "tool-call-start", index: 0, id: "call_0", name: "canvas_check_out" },
  { type: "tool-call-delta", index: 0, text: '{"canvas_id": doc}' },
  { type: "tool-call-end", index: 0 },
  { type: "finished", reason: "tool-use", usage: noUsage },
];

const pathField: Readonly<Record<WireName, string>> = {
  anthropic: "messages",
  chat: "messages",
  responses: "input",
  gemini: "contents",
  interactions: "input",
};

const listed = '{"blocks":[]}';
const inputs = [
  { depth: 1, path_prefix: "a/" },
  { depth: 2, path_prefix: "b/" },
] as const;

/** How each provider gets the reply and the results of its calls, from the reply on. */
const sentBack: Readonly<Record<WireName, readonly object[]>> = {
  anthropic: [
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "I look twice.", signature: "c2lnbmVk" },
        { type: "text", text: "Looking." },
        { type: "tool_use", id: "call_2", name: "block_list", input: inputs[0] },
        { type: "tool_use", id: "call_3", name: "block_list", input: inputs[1] },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "call_2", content: [{ text: listed }] },
        { type: "tool_result", tool_use_id: "call_3", content: [{ text: listed }] },
      ],
    },
  ],
  chat: [
    {
      role: "assistant",
      content: "Looking.",
      tool_calls: [
        { id: "call_2", function: { name: "block_list", arguments: JSON.stringify(inputs[0]) } },
        { id: "call_3", function: { name: "block_list", arguments: JSON.stringify(inputs[1]) } },
      ],
    },
    { role: "tool", tool_call_id: "call_2", content: listed },
    { role: "tool", tool_call_id: "call_3", content: listed },
  ],
  responses: [
    { type: "reasoning", summary: [{ text: "I look twice." }], encrypted_content: "c2lnbmVk" },
    { type: "message", role: "assistant", content: [{ text: "Looking." }] },
    { type: "function_call", call_id: "call_2", name: "block_list", arguments: JSON.stringify(inputs[0]) },
    { type: "function_call", call_id: "call_3", name: "block_list", arguments: JSON.stringify(inputs[1]) },
    { type: "function_call_output", call_id: "call_2", output: listed },
    { type: "function_call_output", call_id: "call_3", output: listed },
  ],
  gemini: [
    {
      role: "model",
      parts: [
        { text: "I look twice.", thought: true, thoughtSignature: "c2lnbmVk" },
        { text: "Looking." },
        { functionCall: { id: "call_2", name: "block_list", args: inputs[0] } },
        { functionCall: { id: "call_3", name: "block_list", args: inputs[1] } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { id: "call_2", name: "block_list", response: { output: listed } } },
        { functionResponse: { id: "call_3", name: "block_list", response: { output: listed } } },
      ],
    },
  ],
  interactions: [
    { type: "thought", signature: "c2lnbmVk", summary: [{ type: "text", text: "I look twice." }] },
    { type: "model_output", content: [{ type: "text", text: "Looking." }] },
    { type: "function_call", id: "call_2", name: "block_list", arguments: inputs[0] },
    { type: "function_call", id: "call_3", name: "block_list", arguments: inputs[1] },
    { type: "function_result", call_id: "call_2", name: "block_list", result: listed },
    { type: "function_result", call_id: "call_3", name: "block_list", result: listed },
  ],
};

const promises: Readonly<Record<WireName, string>> = {
  anthropic: "C-26 CR6 goes on from the reply as it was, signed thinking first, and all results in one user message",
  chat: "C-28 goes on from the reply with its calls, and one message for the result of each, in their order",
  responses: "C-25 CR1 CR2 continues from the whole conversation and the canvas update, without ids of stored items",
  gemini: "C-27 goes on from two calls of one function, answered in their order",
  interactions: "goes on from two calls with the thought before them and a step for the result of each",
};

describe.each(wiredProviders)("a turn over $api", ({ api, model }) => {
  const bodies = (): readonly string[] => wired.bodies(api).map((body) => JSON.stringify(body));
  const open = async (text = "one\n") => {
    wired = await studios.open(text);
    await wired.use(model);
    return wired.studio;
  };

  test(promises[api], async () => {
    const studio = await open();
    await studio.ask("first");
    await studio.write("two\n");
    studio.mind = inOrder(thinksAndCalls("c2lnbmVk"));
    await studio.ask("look");
    const [, before, after] = wired.bodies(api);
    const sent = listAt(after, pathField[api]);
    expect(sent.slice(-sentBack[api].length)).toMatchObject(sentBack[api]);
    // Nothing depends on the provider's memory: each request has the whole conversation and the canvas update.
    for (const body of [before, after]) {
      expect(body).not.toHaveProperty("previous_response_id");
      expect(JSON.stringify(body)).toMatch(/first.*Canvas update.*-one.*\+two.*look/);
    }
    expect(wired.rejections()).toEqual([]);
  });

  test("C-31 C-32 CR3 stops in the middle of a reply at once: the text is kept and marked, and the next request is accepted", async () => {
    const studio = await open();
    studio.mind = inOrder({ hang: "Half an" });
    const runId = await studio.send("tell me");
    await expect.poll(() => studio.requests.length).toBe(1);
    // Live text arrives on a timer.
    await expect.poll(async () => (await wired.clock.advance(100), shownBy(studio))).toContain("Half an");
    const began = performance.now();
    accepted(await studio.workspace.conversations.runs.cancel(ada, { runId, reason: "stopped" }));
    await studio.rest();
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(await studio.told()).toEqual(["user: tell me", "assistant: Half an"]);
    expect((await studio.nodes()).at(-1)?.message).toMatchObject({ interrupted: true });
    await studio.ask("go on");
    expect(checkTranscript((await studio.path()).map(({ message }) => message)).ok).toBe(true);
    expect(bodies().at(-1)).toMatch(/tell me.*Half an.*go on/);
    expect(wired.rejections()).toEqual([]);
  });

  test("C-33 an empty reply leaves no message, and another message can follow", async () => {
    const studio = await open();
    studio.mind = inOrder({ parts: [{ type: "finished", reason: "end-turn", usage: noUsage }] });
    await studio.ask("hello");
    expect(await studio.told()).toEqual(["user: hello"]);
    await studio.ask("anybody?");
    expect(await studio.told()).toEqual(["user: hello", "user: anybody?", "assistant: Done."]);
    expect(wired.rejections()).toEqual([]);
  });

  test("C-39 on a branch from an answer, the request has the path up to and including that answer and nothing else", async () => {
    const studio = await open();
    studio.mind = inOrder({ say: "Answer one." }, { say: "Answer two." });
    await studio.ask("question one");
    const fork = (await studio.nodes()).at(-1)?.id;
    await studio.ask("question two");
    await studio.ask("question three", fork);
    expect(bodies().at(-1)).toMatch(/question one.*Answer one\..*question three/);
    expect(bodies().at(-1)).not.toContain("two.");
    expect(bodies().at(-1)).not.toContain("question two");
  });
});

// Gemini's arguments are not text, so none can be unreadable.
test.each(wiredProviders.filter(({ api }) => api !== "gemini"))(
  "C-29 CR5 a call with unreadable arguments does not run, and the model is told so over $api",
  async ({ api, model }) => {
    wired = await studios.open("one\n");
    const { studio } = wired;
    await wired.use(model);
    studio.mind = inOrder({ parts: brokenCheckOut });
    await studio.ask("edit");
    const error = /The call was not run: send it again with arguments that are a JSON object\./;
    expect(JSON.stringify(wired.bodies(api).at(-1))).toMatch(error);
    expect(studio.workspace.leases.status(studio.canvasId).epoch).toBe(0);
    expect(wired.rejections()).toEqual([]);
  },
);

test("C-20 to C-22 C-35 a conversation that changes providers sends each all canvas updates in order, and none another's private content", async () => {
  wired = await studios.open("0\n");
  const { studio } = wired;
  const round = [...wiredProviders, ...wiredProviders];
  for (const [at, { api, model }] of round.entries()) {
    await wired.use(model);
    await studio.write(`${at + 1}\n`);
    studio.mind = inOrder(thinksAndCalls(signatureOf(api)));
    await studio.ask(`question ${at}`);
  }
  expect(wired.rejections()).toEqual([]);
  for (const [at, { api }] of wiredProviders.entries()) {
    const questions = at + wiredProviders.length;
    const last = JSON.stringify(wired.bodies(api).at(-1));
    const places = Array.from({ length: questions }, (_, before) => before + 1).flatMap((number) => [
      last.indexOf(`-${number}\\n+${number + 1}\\n`),
      last.indexOf(`question ${number}`),
    ]);
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    // OpenAI's chat format has no field for a model's thinking.
    const own = api === "chat" ? [] : [api];
    expect(wiredProviders.map((each) => each.api).filter((each) => last.includes(signatureOf(each)))).toEqual(own);
  }
});

test("CR8 a conversation that waits for its provider does not delay others", async () => {
  wired = await studios.open("one\n");
  const { studio } = wired;
  const { conversations } = studio.workspace;
  studio.mind = ({ messages }) => (JSON.stringify(messages).includes("slowly") ? { hang: "" } : { say: "At once." });
  await wired.use("anthropic/claude-sonnet-5");
  const waiting = await studio.send("slowly");
  await expect.poll(() => studio.requests.length).toBe(1);
  const first = studio.rootId;
  const made = accepted(await conversations.create({ model: "openai/gpt-5.5" }));
  studio.rootId = made.id;
  await studio.ask("quickly");
  expect(await studio.told()).toEqual(["user: quickly", "assistant: At once."]);
  studio.rootId = first;
  accepted(await conversations.runs.cancel(ada, { runId: waiting, reason: "stopped" }));
  await studio.rest();
});

function signatureOf(api: WireName): string {
  return Buffer.from(`signed by ${api}`).toString("base64");
}

/** The text of a live reply that people see. */
async function shownBy({ workspace, rootId }: Studio): Promise<string> {
  const { runs } = accepted(await workspace.conversations.view(rootId));
  const blocks = runs.flatMap(({ liveBlocks }) => liveBlocks);
  const texts = await Promise.all(blocks.map(async (id) => accepted(await workspace.hub.reader.read(id)).text));
  return texts.join("");
}
