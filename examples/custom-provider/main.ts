// Your own language model: anything that turns a request into a stream of parts. This one counts words.
import { tmpdir } from "node:os";
import { openMemoryStore, openWorkspace, personNamed, systemPlatform } from "heddle";
import { isTextBlock, type Message } from "heddle/message";
import { noUsage, type LanguageModel, type ModelCatalogue, type ModelRequest, type StreamPart } from "heddle/model";
import { isSettled } from "heddle/turn";

const counter: LanguageModel = {
  info: {
    id: "example/counter",
    name: "Word counter",
    contextTokensMax: 100_000,
    outputTokensMax: 1_000,
    tools: false,
    thinking: false,
    local: true,
  },
  api: "example",
  stream: count,
};

/** Streams one reply. A model never throws: errors and cancellation are parts too. */
async function* count(request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamPart, void, undefined> {
  const words = request.messages.map(spoken).join(" ").split(/\s+/).filter(Boolean).length;
  yield { type: "response-started", model: "counter" };
  yield { type: "text-start", index: 0 };
  for (const text of ["This conversation has ", `${words} words`, " so far."]) {
    if (signal.aborted) {
      yield { type: "failed", failure: { class: "cancelled", message: "Stopped.", retryable: false } };
      return;
    }
    yield { type: "text-delta", index: 0, text };
  }
  yield { type: "text-end", index: 0 };
  yield { type: "finished", reason: "end-turn", usage: { ...noUsage, outputTokens: 8 } };
}

const catalogue: ModelCatalogue = {
  list: () => [counter.info],
  find: (id) => (id === counter.info.id ? counter : undefined),
};
const workspace = await openWorkspace({
  store: openMemoryStore(),
  catalogue,
  platform: systemPlatform(),
  cwd: tmpdir(),
  welcome: false,
});

const ann = personNamed("Ann");
const root = await workspace.conversations.create({ title: "Counting" });
if (!root.ok) throw new Error(root.error.message);
const message = { rootId: root.value.id, parentNodeId: null, text: "How many words are these?" };
const sent = await workspace.conversations.messages.send(ann, message);
if (!sent.ok) throw new Error(sent.error.message);

const { promise, resolve } = Promise.withResolvers<void>();
await workspace.conversations.watch(root.value.id, 0, {
  snapshot: ({ runs }) => void (runs.every(({ state }) => isSettled(state)) && resolve()),
  deliver: (records) =>
    void (records.some(({ body }) => body.type === "run-changed" && isSettled(body.state)) && resolve()),
});
await promise;

const view = await workspace.conversations.view(root.value.id);
if (view.ok) for (const { message: said } of view.value.nodes) console.log(`${said.role}: ${spoken(said)}`);
await workspace.close();

/** Returns a message's text, without images and tool calls. */
function spoken(said: Message): string {
  return said.content.map((block) => (isTextBlock(block) ? block.text : "")).join("");
}
