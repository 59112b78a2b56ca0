import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { createScribe } from "../../src/adapters/providers/scribe/scribe.ts";
import type { RootId } from "../../src/core/base/ids.ts";
import type { ConversationView } from "../../src/client/base/types.ts";
import { startMockProvider } from "../../src/testing/mock-provider/server.ts";
import type { WireName } from "../../src/testing/mock-provider/wires.ts";
import { until } from "../../src/testing/test-client.ts";
import { Api } from "../e2e/api.ts";
import { startServerProcess, temporaryDirectory } from "../e2e/server-process.ts";
import { assertHistory } from "./history.ts";
import { staleEpoch, takeControl, theBranches, theTurn, theUndo } from "./main-job.ts";
import { openTypist, timesIn, type Typist } from "./typist.ts";
import { welcomeIds } from "./welcome-ids.ts";

/** A provider as a person would configure it; `url` is its address. */
interface Provider {
  readonly model: string;
  readonly api: WireName;
  readonly apiKey?: string;
  env(url: string): Readonly<Record<string, string>>;
}

const key = "key-of-a-test-0123456789";
const providers: readonly Provider[] = [
  {
    model: "anthropic/claude-sonnet-5",
    api: "anthropic",
    apiKey: key,
    env: (url) => ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url }),
  },
  {
    model: "openai/gpt-5",
    api: "chat",
    apiKey: key,
    env: (url) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` }),
  },
  {
    model: "openai/gpt-5.5",
    api: "responses",
    apiKey: key,
    env: (url) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` }),
  },
  {
    model: "google/gemini-3-flash-preview",
    api: "gemini",
    apiKey: key,
    env: (url) => ({ GEMINI_API_KEY: key, GEMINI_BASE_URL: url }),
  },
  {
    model: "local/house-model",
    api: "chat",
    env: (url) => ({ HEDDLE_OPENAI_BASE_URL: `${url}/v1`, HEDDLE_OPENAI_MODEL: "house-model" }),
  },
];

/** Writes at a provider's speed, about 300 tokens a second: slow enough for a person to type in between. */
const author = createScribe(async (_delayMs, signal) => {
  await delay(3, undefined, { signal }).catch(() => undefined);
});

test.each(providers)("the main job works with $model behind the real server", async (provider) => {
  const data = await temporaryDirectory();
  const mock = await startMockProvider({
    api: provider.api,
    strict: true,
    reply: (request, signal) => author.stream(request, signal),
    ...(provider.apiKey === undefined ? {} : { apiKey: provider.apiKey }),
  });
  const server = await startServerProcess({
    dataDirectory: data.path,
    env: { HEDDLE_NO_BUILD: "1", ...provider.env(mock.url) },
  });
  let person: Typist | null = null;
  try {
    const api = new Api(server);
    const { canvasId } = await welcomeIds(api);
    const { rootId } = await api.post<{ rootId: RootId }>("/api/commands/conversation.create", {
      model: provider.model,
      canvasId,
    });
    person = await openTypist({ server, number: 0, canvasId, rootId });
    const listed = await until(person.client.workspace, (view) => (view?.models.length ?? 0) > 0);
    expect(listed?.models.map((model) => model.id)).toContain(provider.model);

    await theTurn(person);
    await theUndo(person);
    await theBranches(person);
    await takeControl(person);
    await staleEpoch(person);

    const stored = await api.get<ConversationView & { nodes: Parameters<typeof assertHistory>[0] }>(
      `/api/conversations/${rootId}`,
    );
    assertHistory(stored.nodes, "idle");
    expect(`${await api.textOf(canvasId)}\n`).toBe(person.text.text());
    expect(person.typed.filter((word) => timesIn(person?.text.text() ?? "", word) !== 1)).toEqual([]);
    expect(mock.rejections).toEqual([]);
    expect(mock.requests.length).toBeGreaterThan(10);
    expect(await server.stop()).toBe(0);
    expect(server.output()).not.toContain(key);
  } finally {
    person?.close();
    await server.kill();
    await mock.close();
    await data.remove();
  }
});
