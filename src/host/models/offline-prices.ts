import { readFile } from "node:fs/promises";
import { buildCatalogue, type ProviderConfig, providersOf } from "../../adapters/providers/catalogue.ts";
import { readModelEntries } from "../../adapters/providers/model-entries.ts";
import type { Syntax } from "../../core/syntax/base/syntax.ts";
import type { Store } from "../../core/port/store.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { ModelPrices } from "../../core/model/prices.ts";
import { PublishedFile } from "./published-file.ts";
import { openStoredChoices } from "./stored-choices.ts";

interface PriceSources {
  readonly config: ProviderConfig;
  readonly store: Store;
  readonly modelsFile: string;
  readonly publishedFile: string;
  readonly syntaxes: readonly Syntax[];
  readonly platform: Pick<Platform, "clock" | "logger">;
}

/**
 * Returns what models cost as files, people and Heddle's own table say, without asking a server. A file that cannot be read
 * names no prices.
 */
export async function offlinePrices(sources: PriceSources): Promise<(modelId: string) => ModelPrices | null> {
  const { config, store, modelsFile, publishedFile, syntaxes, platform } = sources;
  const published = new PublishedFile(publishedFile, platform.logger);
  await published.look();
  const text = await readFile(modelsFile, "utf8").catch(() => "");
  const read = text === "" ? null : readModelEntries(text, config.known, syntaxes);
  const { added, addresses, models: chosen } = (await openStoredChoices(store)).known;
  const whole: ProviderConfig = {
    ...config,
    addresses: { ...addresses, ...config.addresses },
    added,
    chosen,
    entries: read?.ok === true ? read.value : [],
    published: published.models,
  };
  // A provider lists its models, and with them their prices, where it has a key; none is sent, for nothing is requested.
  const keys = Object.fromEntries(providersOf(whole).map(({ id }) => [id, "none"]));
  const deps = { fetch, clock: platform.clock, sleep: async () => {} };
  const listed = buildCatalogue({ ...whole, keys }, deps).list();
  const prices = new Map(listed.map((model) => [model.id, model.prices ?? null]));
  return (id) => prices.get(id) ?? null;
}
