import { buildCatalogue, type ProviderConfig } from "../../src/adapters/providers/catalogue.ts";
import { scriptedModel, type Script } from "../../src/adapters/providers/scripted.ts";
import { must } from "../../src/core/base/assert.ts";
import type { RequestId } from "../../src/core/base/ids.ts";
import type { RunView } from "../../src/client/base/types.ts";
import { systemPlatform } from "../../src/adapters/platform/system-platform.ts";
import {
  startMockProvider,
  type MockProvider,
  type MockProviderOptions,
} from "../../src/testing/mock-provider/server.ts";
import { until } from "../../src/testing/test-client.ts";
import { startTestServer } from "../../src/testing/test-server.ts";
import { openTypist, viewOf, type Typist } from "./typist.ts";

/** A whole server whose conversations use the test's own provider, and a person at the welcome canvas. */
export interface ProviderBench {
  readonly person: Typist;
  readonly provider: MockProvider;
  /** Sends a request at the end of the newest branch; resolves when the question is on disk. */
  ask(text: string): Promise<void>;
  /** The conversation's run; there is one unless branches are made. */
  run(): RunView;
}

/** Opens only one provider, so that its first model is the default of conversations. */
function configFor(api: MockProviderOptions["api"], url: string): ProviderConfig {
  switch (api) {
    case "anthropic":
      return { addresses: { anthropic: url } };
    case "chat":
      return { compatibleBaseUrl: url, compatibleModel: "house-model" };
    case "responses":
      return { addresses: { openai: url } };
    case "gemini":
      return { addresses: { google: url } };
    case "interactions": {
      const model = { id: "gemini-3-flash-preview", contextTokensMax: 1_000_000, outputTokensMax: 8_192 };
      return { entries: [{ provider: "steps", api: "gemini-interactions", baseUrl: url, ...model }] };
    }
  }
}

/** Runs `work` at a bench, then closes the bench. */
export async function atBench(
  options: Pick<MockProviderOptions, "api" | "reply" | "faults">,
  work: (bench: ProviderBench) => Promise<void>,
): Promise<void> {
  const provider = await startMockProvider({ ...options, strict: true });
  const { clock } = systemPlatform();
  const config = configFor(options.api, provider.url);
  const server = await startTestServer({
    catalogue: buildCatalogue(config, { fetch, clock, sleep: async () => {} }),
  });
  const root = must((await server.workspace.conversations.list())[0], "a new workspace has a conversation");
  const canvasId = must(root.canvasId, "with a canvas");
  const person = await openTypist({ server, number: 0, canvasId, rootId: root.id });
  let requests = 0;
  try {
    await work({
      person,
      provider,
      run: () => must(viewOf(person).runs.at(-1), "a run"),
      async ask(text) {
        requests += 1;
        const asked = await person.client.call("message.send", {
          rootId: root.id,
          parentNodeId: viewOf(person).runs.at(-1)?.headNodeId ?? null,
          text,
          clientRequestId: `request-at-a-bench-${requests}` as RequestId,
        });
        if (!asked.ok) throw new Error(`the question was refused: ${asked.error.code}`);
        const { nodeId } = asked.value;
        await until(person.conversation, (view) => nodeId === null || view?.nodesById.has(nodeId) === true);
      },
    });
  } finally {
    person.close();
    await server.close();
    await provider.close();
  }
}

/** A provider's brain with one reply, computed from the request: a function from a request to the steps of a script. */
export function brain(
  decide: (request: Parameters<MockProviderOptions["reply"]>[0]) => Script[number],
): MockProviderOptions["reply"] {
  return (request, signal) => scriptedModel([[...decide(request)]], async () => {}).stream(request, signal);
}
