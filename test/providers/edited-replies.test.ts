import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildCatalogue } from "../../src/adapters/providers/catalogue.ts";
import { systemPlatform } from "../../src/adapters/platform/system-platform.ts";
import type { ConversationView, HeddleClient } from "../../src/client/base/types.ts";
import { must } from "../../src/core/base/assert.ts";
import type { NodeId, RootId } from "../../src/core/base/ids.ts";
import { accept } from "../../src/core/base/result.test-support.ts";
import { noUsage } from "../../src/core/message/usage.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import { startMockProvider, type MockProvider } from "../../src/testing/mock-provider/server.ts";
import { connectTestClient, until } from "../../src/testing/test-client.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";

const apis = ["anthropic", "chat", "responses", "gemini", "interactions"] as const;
type Api = (typeof apis)[number];

const providers = new Map<Api, MockProvider>();
let server: TestServer;
let page: HeddleClient;
/** Lets a reply that waits in its middle go on. */
let goOn = (): void => {};

beforeAll(async () => {
  for (const api of apis) providers.set(api, await startMockProvider({ api, strict: true, reply }));
  const at = (api: Api): string => must(providers.get(api), "a provider").url;
  const config = {
    addresses: { anthropic: at("anthropic"), openai: at("responses"), google: at("gemini") },
    compatibleBaseUrl: at("chat"),
    compatibleModel: "house-model",
    entries: [
      { provider: "steps", id: "gemini-3-flash-preview", api: "gemini-interactions", baseUrl: at("interactions") },
    ],
  };
  const { clock } = systemPlatform();
  server = await startTestServer({ catalogue: buildCatalogue(config, { fetch, clock, sleep: async () => {} }) });
  page = connectTestClient(server, { name: "Ann" });
  await until(page.workspace, (workspace) => workspace !== null);
});

afterAll(async () => {
  page.close();
  await server.close();
  for (const provider of providers.values()) await provider.close();
});

/** Thinks, says words, waits for the test, thinks again and calls a tool; answers everything else in words. */
async function* reply({ messages }: ModelRequest): AsyncIterable<StreamPart> {
  const last = must(messages.at(-1), "a message");
  const asked = last.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  const isCalled = asked.includes("Look at the fox");
  if (isCalled) yield* thought(0, "First I look.");
  yield { type: "text-start", index: 1 };
  yield { type: "text-delta", index: 1, text: isCalled ? "The fox sleeps.\n" : "Fine." };
  if (isCalled) {
    await new Promise<void>((resolve) => (goOn = resolve));
    yield { type: "text-end", index: 1 };
    yield* thought(2, "Now I search.");
    yield { type: "tool-call-start", index: 3, id: "call_fox1", name: "kernel_search" };
    yield { type: "tool-call-delta", index: 3, text: '{"query":"fox"}' };
    yield { type: "tool-call-end", index: 3 };
  } else yield { type: "text-end", index: 1 };
  yield { type: "finished", reason: isCalled ? "tool-use" : "end-turn", usage: noUsage };
}

function* thought(index: number, text: string): Iterable<StreamPart> {
  yield { type: "thinking-start", index };
  yield { type: "thinking-delta", index, text };
  yield { type: "thinking-end", index, signature: `c2lnbmVk${index}` };
}

/** A model behind the provider of an API. */
function modelOf(api: Api): string {
  const prefix = {
    anthropic: "anthropic/claude-opus-4-5",
    chat: "local/",
    responses: "openai/",
    gemini: "google/",
    interactions: "steps/",
  }[api];
  return must(
    server.workspace.catalogue.list().find(({ id }) => id.startsWith(prefix)),
    `a model of ${api}`,
  ).id;
}

function rejections(): readonly unknown[] {
  return [...providers].flatMap(([api, { rejections: made }]) => made.map((each) => [api, each]));
}

/** Sends a message at the end of the conversation and waits until its turn has ended. */
async function ask(rootId: RootId, text: string, model: string): Promise<void> {
  accept(await page.call("message.send", { rootId, parentNodeId: headOf(rootId), text, model }));
  await idle(rootId);
}

function headOf(rootId: RootId): NodeId | null {
  return page.conversation(rootId).get()?.runs.at(-1)?.headNodeId ?? null;
}

async function idle(rootId: RootId): Promise<ConversationView> {
  return must(await until(page.conversation(rootId), (view) => view?.runs.at(-1)?.state.type === "idle"), "a view");
}

/** Asks and edits the words of the reply while it streams. */
async function editedReply(api: Api, text: string): Promise<RootId> {
  const model = modelOf(api);
  const { rootId } = accept(await page.call("conversation.create", { model }));
  page.conversation(rootId).subscribe(() => {});
  accept(await page.call("message.send", { rootId, parentNodeId: null, text: "Look at the fox." }));
  const found = (view: ConversationView | null) =>
    view?.runs[0]?.liveBlocks.find((block) => block.header.kind === "text" && block.text.includes("sleeps"));
  const view = await until(page.conversation(rootId), (now) => found(now) !== undefined);
  const live = page.openText(must(found(view), "a live block").header.id);
  await until(live.header, (header) => header !== null && live.text().includes("sleeps"));
  live.edit([{ from: 8, to: 14, insert: text }]);
  await until(live.unconfirmed, (count) => count === 0);
  goOn();
  await idle(rootId);
  live.close();
  return rootId;
}

function notesIn(api: Api): number {
  const body = JSON.stringify(must(providers.get(api), "a provider").requests.at(-1)?.body);
  return body.split("changed your reply above").length - 1;
}

describe.each(apis)("K-75 a reply of %s with thinking and a call, edited before its call ran", (api) => {
  test(
    "is valid at once and after every switch of provider, and the model is told once",
    { timeout: 60_000 },
    async () => {
      const rootId = await editedReply(api, "runs");
      expect(rejections()).toEqual([]);
      expect(notesIn(api)).toBe(1);
      const nodes = await server.workspace.store.nodes(rootId);
      expect(
        nodes.map(({ message }) => (message.role === "user" ? (message.instruction ?? "user") : message.role)),
      ).toEqual(["user", "assistant", "tool", "edit", "assistant"]);
      const before = JSON.stringify(must(providers.get(api), "a provider").requests.at(-1)?.body);
      expect(before).toContain("The fox runs.");
      expect(before).not.toContain("Now I search.");
      for (const other of [...apis, api]) {
        await ask(rootId, "And now?", modelOf(other));
        expect([other, rejections(), notesIn(other)]).toEqual([other, [], 1]);
      }
    },
  );
});

test("K-75 a reply whose words are what the model had said again is not reported", async () => {
  const model = modelOf("anthropic");
  const { rootId } = accept(await page.call("conversation.create", { model }));
  page.conversation(rootId).subscribe(() => {});
  await ask(rootId, "Say it.", model);
  const nodeId = must(headOf(rootId), "a reply");
  accept(await page.call("message.rewrite", { nodeId, text: "Changed." }));
  expect((await server.workspace.store.node(nodeId))?.edited?.original).toBe("Fine.");
  accept(await page.call("message.rewrite", { nodeId, text: "Fine." }));
  await ask(rootId, "And now?", model);
  expect(notesIn("anthropic")).toBe(0);
  expect(rejections()).toEqual([]);
});
