import { expect, test } from "vitest";
import { buildCatalogue } from "../../adapters/providers/catalogue.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { createTokenEstimator } from "../../adapters/tokens/token-estimator.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { EstimatedInput, TokenEstimator } from "../../core/port/token-estimator.ts";
import type { Store } from "../../core/port/store.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import type { FeedRecord } from "../../core/turn/state/feed.ts";
import { systemActor } from "../conversation/base/actors.ts";
import { systemRandom } from "../../adapters/platform/system-platform.ts";
import { openWorkspace } from "../workspace/workspace.ts";
import { openTokenCalibrations } from "./token-calibrations.ts";

const key = "tokens.calibrations";
const asked = (modelId: string): EstimatedInput => ({
  modelId,
  system: "some words that are asked again and again ".repeat(30),
  messages: [],
  tools: [],
});

/** A process over a store that outlives it. */
async function start(store: Store) {
  const clock = simulatedClock();
  const warned: string[] = [];
  const logger = { info: () => {}, warn: (event: string) => void warned.push(event), error: () => {} };
  const kept = await openTokenCalibrations(store, { clock, random: systemRandom, logger });
  return { clock, kept, warned, estimator: createTokenEstimator({ known: kept.known, onLearned: kept.learned }) };
}

async function learn(estimator: TokenEstimator, modelId: string, factor: number): Promise<void> {
  const raw = (await createTokenEstimator().estimate(asked(modelId))).expected;
  for (let round = 0; round < 10; round += 1) {
    estimator.learn(modelId, await estimator.estimate(asked(modelId)), Math.round(raw * factor));
  }
}

test("a model's learned token counts survive a restart, and apply to that model only", async () => {
  const store = openMemoryStore();
  const first = await start(store);
  await learn(first.estimator, "mine/model", 2);
  const before = await first.estimator.estimate(asked("mine/model"));
  await first.kept.close();
  expect(first.clock.timers).toBe(0);
  const second = await start(store);
  expect(await second.estimator.estimate(asked("mine/model"))).toEqual(before);
  const other = await createTokenEstimator().estimate(asked("other/model"));
  expect(await second.estimator.estimate(asked("other/model"))).toEqual(other);
  expect(before.expected).toBeGreaterThan(other.expected * 1.5);
});

test("counts are stored together half a minute after the first, so a crash loses no more than that", async () => {
  const store = openMemoryStore();
  const { clock, estimator } = await start(store);
  await learn(estimator, "mine/model", 2);
  expect(await store.meta(key)).toBeNull();
  await clock.advance(30_000);
  const after = await start(store);
  expect(await after.estimator.estimate(asked("mine/model"))).toEqual(await estimator.estimate(asked("mine/model")));
});

test("the two hundred models used last are kept, in a few kilobytes", async () => {
  const store = openMemoryStore();
  const { estimator, kept } = await start(store);
  for (let model = 0; model < 230; model += 1) {
    estimator.learn(`mine/${model}`, await estimator.estimate(asked(`mine/${model}`)), 900);
  }
  await kept.close();
  const { known } = await openTokenCalibrations(store, {
    clock: simulatedClock(),
    random: systemRandom,
    logger: console,
  });
  expect([...known.keys()]).toEqual(Array.from({ length: 200 }, (_, index) => `mine/${index + 30}`));
  expect(JSON.stringify(await store.meta(key)).length).toBeLessThan(20_000);
});

test.each<[string, JsonObject]>([
  ["a value of another type", { models: "none" }],
  ["entries of another form", { models: [null, [], ["mine/model", "1", 2, 3], [1, 2, 3, 4]] }],
  [
    "numbers that no count can give",
    {
      models: [
        ["mine/model", 9e9, 0.1, 3],
        ["mine/model", 0, -1, 3],
      ],
    },
  ],
])("%s: the stored calibrations are ignored", async (_name, value) => {
  const store = openMemoryStore();
  await store.commit([{ type: "put-meta", key, value }]);
  const { estimator } = await start(store);
  expect(await estimator.estimate(asked("mine/model"))).toEqual(
    await createTokenEstimator().estimate(asked("mine/model")),
  );
});

test("a write that the disk refuses is logged, and the next count is stored again", async () => {
  let isFull = true;
  const store = openMemoryStore(undefined, { fault: () => (isFull ? "STORE_FULL" : null) });
  const { estimator, kept, clock, warned } = await start(store);
  await learn(estimator, "mine/model", 2);
  await clock.advance(30_000);
  expect(warned).toEqual(["token-calibrations-not-kept"]);
  isFull = false;
  await learn(estimator, "mine/model", 2);
  await kept.close();
  expect(await store.meta(key)).not.toBeNull();
});

test("a workspace starts from what the last one learned, and stores what it learns", async () => {
  const store = openMemoryStore();
  await store.commit([{ type: "put-meta", key, value: { models: [["scripted/scribe", 0.5, 0.01, 100]] } }]);
  const clock = simulatedClock();
  const platform = { clock, random: systemRandom, logger: { info: () => {}, warn: () => {}, error: () => {} } };
  const workspace = await openWorkspace({
    store,
    catalogue: buildCatalogue({}, { fetch, clock, sleep: () => Promise.resolve() }),
    platform,
    cwd: "/",
  });
  const { conversations } = workspace;
  const created = await conversations.create({ title: "Counting" });
  if (!created.ok) throw new Error(created.error.code);
  const rested = Promise.withResolvers<void>();
  await conversations.watch(created.value.id, 0, {
    snapshot: () => {},
    deliver: (records) => {
      const isOver = ({ body }: FeedRecord): boolean => body.type === "run-changed" && body.state.type === "idle";
      if (records.some(isOver)) rested.resolve();
    },
  });
  // The scribe counts messages only, and a count that is off by a factor of eight is ignored.
  const text = `Help! ${"And at some length. ".repeat(1_000)}`;
  const sent = await conversations.messages.send(systemActor, { rootId: created.value.id, parentNodeId: null, text });
  expect(sent.ok).toBe(true);
  await rested.promise;
  await workspace.close();
  const { known } = await openTokenCalibrations(openMemoryStore(store.image()), platform);
  // Each request of the turn adds a count.
  expect(known.get("scripted/scribe")?.counts).toBeGreaterThan(100);
});
