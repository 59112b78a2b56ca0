import { expect, test } from "vitest";
import { buildCatalogue, type ProviderConfig, providersOf } from "../../adapters/providers/catalogue.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { knownProviders } from "../../adapters/providers/catalogue-providers.ts";
import { ServedModels } from "./served-models.ts";

/** A local server whose list is `data`, and its catalogue. */
function served(config: ProviderConfig = {}) {
  const clock = simulatedClock();
  const state = {
    data: [{ id: "house", max_model_len: 4096 }] as readonly object[],
    asked: [] as string[],
    isDown: false,
  };
  const deps = {
    clock,
    sleep: () => Promise.resolve(),
    fetch: (url: string) => {
      state.asked.push(new URL(url).pathname);
      if (state.isDown) return Promise.reject(new Error("refused"));
      const isList = url.endsWith("/v1/models");
      return Promise.resolve(isList ? Response.json({ data: state.data }) : new Response("", { status: 404 }));
    },
  };
  const full: ProviderConfig = { known: [], compatibleBaseUrl: "http://127.0.0.1:1/v1", ...config };
  const models = new ServedModels(deps, { providers: () => providersOf(full), onChange: () => {} });
  const catalogue = () => buildCatalogue({ ...full, served: models.told() }, deps);
  return { clock, state, models, catalogue };
}

const ids = (catalogue: ReturnType<typeof buildCatalogue>) => catalogue.list().map(({ id }) => id);

test("14.15 the models of a server are listed by asking it, before the scribe", async () => {
  const { models, catalogue } = served();
  expect(ids(catalogue())).toEqual(["scripted/scribe"]);
  await models.refresh();
  expect(ids(catalogue())).toEqual(["local/house", "scripted/scribe"]);
  expect(catalogue().find("local/house")?.info.contextTokensMax).toBe(4096);
});

test("a server of one model serves it under the name that a person gave", async () => {
  const { models, catalogue } = served({ compatibleModel: "local" });
  await models.refresh("local/local");
  expect(ids(catalogue())).toEqual(["local/local", "scripted/scribe"]);
  expect(catalogue().find("local/local")?.info.contextTokensMax).toBe(4096);
});

test("answers are fresh for 30 s, and two callers share one question", async () => {
  const { clock, state, models, catalogue } = served();
  await Promise.all([models.refresh("local/house"), models.refresh("local/house")]);
  await models.refresh("local/house");
  expect(state.asked).toEqual(["/v1/models", "/api/show", "/api/ps", "/props"]);
  state.data = [{ id: "house", max_model_len: 8192 }];
  await clock.advance(30_000);
  await models.refresh("local/house");
  expect(catalogue().find("local/house")?.info.contextTokensMax).toBe(8192);
});

test("a server that went away keeps what it said, and is asked again after 5 s", async () => {
  const { clock, state, models, catalogue } = served();
  await models.refresh();
  state.isDown = true;
  await clock.advance(30_000);
  await models.refresh();
  expect(ids(catalogue())).toContain("local/house");
});

test("a server that was never there is asked again after 5 s", async () => {
  const { clock, state, models } = served();
  state.isDown = true;
  await models.refresh();
  await models.refresh();
  expect(state.asked).toHaveLength(1);
  await clock.advance(5_000);
  await models.refresh();
  expect(state.asked).toHaveLength(2);
});

test("a window comes from the app, the file, the flag, the server, in this order, and is never more than the server took", async () => {
  const entry = {
    provider: "own",
    id: "m",
    api: "openai-chat",
    baseUrl: "http://127.0.0.1:1/v1",
    contextTokensMax: 5_000,
  };
  const windowOf = async (config: ProviderConfig, id: string): Promise<number | null | undefined> => {
    const { models, catalogue } = served(config);
    await models.refresh(id);
    return catalogue().find(id)?.info.contextTokensMax;
  };
  expect(await windowOf({}, "local/house")).toBe(4096);
  expect(await windowOf({ contextWindow: 6_000 }, "local/house")).toBe(6_000);
  expect(await windowOf({ known: knownProviders, contextWindow: 6_000, entries: [entry] }, "own/m")).toBe(5_000);
  expect(
    await windowOf({ known: knownProviders, entries: [entry], windows: new Map([["own/m", 7_000]]) }, "own/m"),
  ).toBe(7_000);
  expect(
    await windowOf(
      { windows: new Map([["local/house", 7_000]]), refusedAt: new Map([["local/house", 2_000]]) },
      "local/house",
    ),
  ).toBe(2_000);
});
