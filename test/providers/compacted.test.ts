import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildCatalogue } from "../../src/adapters/providers/catalogue.ts";
import { systemPlatform } from "../../src/adapters/platform/system-platform.ts";
import type { HeddleClient } from "../../src/client/base/types.ts";
import { must } from "../../src/core/base/assert.ts";
import { sha256Hex } from "../../src/core/base/hash.ts";
import type { NodeId, RootId } from "../../src/core/base/ids.ts";
import { accept } from "../../src/core/base/result.test-support.ts";
import type { Message } from "../../src/core/message/types.ts";
import { noUsage } from "../../src/core/message/usage.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import { startMockProvider, type MockProvider } from "../../src/testing/mock-provider/server.ts";
import { connectTestClient, until } from "../../src/testing/test-client.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { scaled } from "../scale.ts";

const apis = ["anthropic", "chat", "responses", "gemini", "interactions"] as const;
type Api = (typeof apis)[number];

const providers = new Map<Api, MockProvider>();
let server: TestServer;
let page: HeddleClient;
/** Called with each request before it is answered. */
let onRequest: () => Promise<void> = async () => {};
/** Thinking that was sent behind other messages than those it was made behind. */
const unbound: string[] = [];

beforeAll(async () => {
  for (const api of apis)
    providers.set(api, await startMockProvider({ api, strict: true, reply: (request) => reply(api, request) }));
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

/** Thinks, bound to the messages before; calls a tool where it is asked to look; sums up where it is asked to. */
async function* reply(api: Api, { messages }: ModelRequest): AsyncIterable<StreamPart> {
  checkBinding(api, messages);
  const last = must(messages.at(-1), "a message");
  const asked = last.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  const sumsUp = asked.includes("Later requests hold your summary");
  const calls = !sumsUp && last.role === "user" && /Look at fox \d+\.$/u.test(asked);
  await onRequest();
  yield { type: "thinking-start", index: 0 };
  yield { type: "thinking-delta", index: 0, text: "First I think." };
  yield { type: "thinking-end", index: 0, signature: signatureAt(api, messages) };
  yield { type: "text-start", index: 1 };
  yield {
    type: "text-delta",
    index: 1,
    text: sumsUp ? "Goal: foxes." : `I say ${messages.length}. ${"more ".repeat(60)}`,
  };
  yield { type: "text-end", index: 1 };
  if (calls) {
    yield { type: "tool-call-start", index: 2, id: `call_fox${messages.length}`, name: "kernel_search" };
    yield { type: "tool-call-delta", index: 2, text: '{"query":"fox"}' };
    yield { type: "tool-call-end", index: 2 };
  }
  yield { type: "finished", reason: calls ? "tool-use" : "end-turn", usage: noUsage };
}

/** A signature that is valid behind these messages alone. */
function signatureAt(api: Api, messages: readonly Message[]): string {
  const said = messages.flatMap(({ role, content }) =>
    content.flatMap((block) => (block.type === "text" ? [`${role} ${block.text}`] : [])),
  );
  return Buffer.from(`${api} ${sha256Hex(said.join("\n"))}`).toString("base64");
}

function checkBinding(api: Api, messages: readonly Message[]): void {
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    for (const block of message.content) {
      if (block.type !== "thinking" || block.signature === undefined) continue;
      const due = signatureAt(api, messages.slice(0, index));
      if (block.signature !== due) unbound.push(`${api}: message ${index} of ${messages.length}`);
    }
  }
}

function modelOf(api: Api): string {
  const prefix = {
    anthropic: "anthropic/claude-opus-4-5",
    chat: "local/",
    responses: "openai/",
    gemini: "google/",
    interactions: "steps/",
  };
  const found = server.workspace.catalogue.list().find(({ id }) => id.startsWith(prefix[api]));
  return must(found, `a model of ${api}`).id;
}

type Step =
  | { readonly type: "say" | "look" | "compact" | "originals" | "summary" }
  /** A call whose turn is summed up before its next request. */
  | { readonly type: "compact-in-round" }
  | { readonly type: "switch"; readonly to: Api };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ type: "say" } as const) },
  { weight: 4, arbitrary: fc.constant({ type: "look" } as const) },
  { weight: 2, arbitrary: fc.constant({ type: "compact" } as const) },
  { weight: 2, arbitrary: fc.constant({ type: "compact-in-round" } as const) },
  { weight: 1, arbitrary: fc.constant({ type: "originals" } as const) },
  { weight: 1, arbitrary: fc.constant({ type: "summary" } as const) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("switch" as const), to: fc.constantFrom(...apis) }) },
);

/** One conversation of a walk. */
class Walk {
  readonly rootId: RootId;
  #api: Api;
  #turns = 0;

  constructor(rootId: RootId, api: Api) {
    this.rootId = rootId;
    this.#api = api;
  }

  async take(each: Step): Promise<void> {
    const nodeId = this.#head();
    switch (each.type) {
      case "say":
        return this.#ask("Tell me");
      case "look":
        return this.#ask("Look");
      case "compact-in-round": {
        let hasAsked = false;
        onRequest = async () => {
          const head = this.#head();
          if (hasAsked || head === null) return;
          hasAsked = true;
          await page.call("branch.compact", { nodeId: head });
        };
        await this.#ask("Look");
        onRequest = async () => {};
        return;
      }
      case "switch":
        this.#api = each.to;
        return;
      case "compact":
        if (nodeId !== null) await page.call("branch.compact", { nodeId });
        break;
      case "originals":
      case "summary":
        if (nodeId !== null) await page.call(`branch.${each.type}`, { nodeId });
        break;
    }
    await this.#idle();
  }

  #head(): NodeId | null {
    return page.conversation(this.rootId).get()?.runs.at(-1)?.headNodeId ?? null;
  }

  async #ask(words: string): Promise<void> {
    this.#turns += 1;
    const text = `${"Some words. ".repeat(40)}${words} at fox ${this.#turns}.`;
    const asked = { rootId: this.rootId, parentNodeId: this.#head(), text, model: modelOf(this.#api) };
    accept(await page.call("message.send", asked));
    await this.#idle();
  }

  async #idle(): Promise<void> {
    const view = page.conversation(this.rootId);
    await until(
      view,
      (now) => now?.runs.every(({ state }) => state.type === "idle" || state.type === "error") === true,
    );
    expect(
      view
        .get()
        ?.runs.map(({ state }) => state.type)
        .filter((type) => type === "error"),
    ).toEqual([]);
  }
}

test(
  "K-61 walks of turns, rounds, compactions and switches of provider: no request is refused, and no thinking leaves its prefix",
  { timeout: 600_000 },
  async () => {
    let compactions = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 6, maxLength: 12 }),
        fc.constantFrom(...apis),
        async (steps, api) => {
          const { rootId } = accept(await page.call("conversation.create", { model: modelOf(api) }));
          const stop = page.conversation(rootId).subscribe(() => {});
          const walk = new Walk(rootId, api);
          for (const each of steps) await walk.take(each);
          await walk.take({ type: "look" });
          const nodes = page.conversation(rootId).get()?.nodesById.values() ?? [];
          for (const { compacts } of nodes) if (compacts !== undefined) compactions += 1;
          stop();
          expect([...providers].map(([name, { rejections }]) => [name, rejections])).toEqual(
            apis.map((name) => [name, []]),
          );
          expect(unbound).toEqual([]);
        },
      ),
      { numRuns: scaled(10) },
    );
    expect(compactions).toBeGreaterThan(5);
  },
);
