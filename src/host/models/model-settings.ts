import { readFile } from "node:fs/promises";
import {
  buildCatalogue,
  foundAt,
  type ProviderConfig,
  providersOf,
  type ReachedProvider,
} from "../../adapters/providers/catalogue.ts";
import {
  type ModelAliases,
  modelAliasesIn,
  type ModelEntry,
  readModelEntries,
} from "../../adapters/providers/model-entries.ts";
import { knownProviders } from "../../adapters/providers/catalogue-providers.ts";
import { formatsOf } from "../../adapters/providers/shared/known-provider.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { errorCodeOf } from "../../core/base/error-code.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { LanguageModel, ModelCatalogue } from "../../core/port/language-model.ts";
import type { KeyState, ProviderState } from "../../core/protocol/base/provider-state.ts";
import { askProvider, shownModelsMax, withFacts, type AskedProvider } from "./ask-providers.ts";
import { examineCandidate, type Candidate } from "./examine-candidate.ts";
import { endingOf } from "./key-ending.ts";
import { modelNotFound } from "./model-not-found.ts";
import { noChoices, type ProviderChoices, without, withAdded, withAddress, withModels } from "./provider-choices.ts";
import { PublishedFile } from "./published-file.ts";
import { SerialQueue } from "../base/serial-queue.ts";
import type { ModelSettings, ModelSettingsOptions, ModelsFileState, NewProvider, ProviderChange } from "./types.ts";
import { ServedModels } from "./served-models.ts";

/** How often the files are checked. Milliseconds. */
const lookMs = 2_000;

/** Opens the settings. Refused with INVALID_PARAMS where the catalogue's file cannot be used, with what is wrong in it. */
export async function openModelSettings(options: ModelSettingsOptions): Promise<Result<ModelSettings, Refusal>> {
  const settings = new LiveModelSettings(options);
  const problem = await settings.start();
  if (problem === null) return ok(settings);
  settings.close();
  const path = options.models?.file ?? "";
  return err(refusal("INVALID_PARAMS", { file: path, problem }, `${path} cannot be used: ${problem}.`));
}

class LiveModelSettings implements ModelSettings {
  readonly catalogue: ModelCatalogue;
  readonly #options: ModelSettingsOptions;
  #text: string | null = null;
  #entries: readonly ModelEntry[] = [];
  readonly #published: PublishedFile;
  #aliases: ModelAliases = {};
  #problem: string | null = null;
  /** The last problem with reading the keys, so that it is reported once, not at each check. */
  #keysProblem: string | null = null;
  #current: ModelCatalogue;
  readonly #served: ServedModels;
  #windows: ReadonlyMap<string, number>;
  #choices: ProviderChoices;
  /** Orders changes of the choices: each begins with what the last one stored. */
  readonly #changes = new SerialQueue();
  readonly #listeners = new Set<() => void>();
  /** What listeners were last told of. */
  #told = "";
  readonly #refusedAt = new Map<string, number>();
  #cancelLook: () => void = () => {};
  #closed = false;

  constructor(options: ModelSettingsOptions) {
    this.#options = options;
    this.#published = new PublishedFile(options.publishedFile, options.logger);
    this.#windows = options.windows?.known ?? new Map();
    this.#choices = options.choices?.known ?? noChoices;
    this.#served = new ServedModels(options.deps, {
      providers: () => providersOf(this.#config()),
      onChange: () => this.#rebuild(),
    });
    this.#current = buildCatalogue(this.#config(), options.deps);
    this.catalogue = {
      list: () => this.#current.list(),
      find: (id) => this.#current.find(id),
      membersOf: (id) => this.#current.membersOf?.(id) ?? null,
      whyNot: (id) => this.#current.whyNot?.(id) ?? "",
      refresh: (id) => this.#served.refresh(id),
      learnWindow: (id, contextTokens) => this.#learnWindow(id, contextTokens),
    };
  }

  /** Returns what is wrong with the catalogue's file; null for nothing. */
  async start(): Promise<string | null> {
    await this.look();
    this.#lookLater();
    if (this.#problem === null) await this.#meetServers();
    return this.#problem;
  }

  providers(): readonly ProviderState[] {
    const config = this.#config();
    return providersOf(config).map((provider) => ({
      id: provider.id,
      name: provider.name,
      open: provider.open,
      address: provider.baseUrl,
      addressFrom: this.#addressFrom(provider),
      added: this.#isAdded(provider.id),
      chosen: provider.isChosen,
      key: this.#keyState(provider.id, provider.keyVariable, provider.baseUrl),
      models: [...provider.listed, ...foundAt(provider)].map((model) => {
        const id = `${provider.id}/${model}`;
        const info = this.#current.find(id)?.info;
        const window = info?.contextTokensMax ?? null;
        return { id, name: info?.name ?? model, window, windowSet: this.#windows.has(id) };
      }),
    }));
  }

  async ask(): Promise<readonly AskedProvider[]> {
    const config = this.#config();
    // Asks for the windows too, which a list may not say.
    const windows = this.#served.refresh();
    const asked = await Promise.all(
      providersOf(config)
        .filter(({ open }) => open)
        .map((provider) => askProvider(provider, config.entries ?? [], this.#options.deps)),
    );
    await windows;
    const shown = asked.flatMap(({ models }) => models.slice(0, shownModelsMax));
    await Promise.all(shown.map(({ id }) => this.#served.refresh(id)));
    return asked.map(({ models, ...provider }) => ({
      ...provider,
      models: models.map((model) => withFacts(model, this.#current.find(model.id)?.info)),
    }));
  }

  modelsFile(): ModelsFileState | null {
    const { models } = this.#options;
    return models === undefined ? null : { path: models.file, problem: this.#problem };
  }

  async setKey(provider: string, key: string): Promise<Result<void, Refusal>> {
    const { keys } = this.#options;
    const found = providersOf(this.#config()).find(({ id }) => id === provider);
    if (found === undefined || found.id === "local")
      return err(refusal("NOT_FOUND", { provider }, `No provider "${provider}" takes a key.`));
    if (keys === undefined) return err(noKeys(provider));
    const set = await keys.set(provider, key, found.baseUrl);
    if (set.ok) this.#rebuild();
    return set;
  }

  async removeKey(provider: string): Promise<Result<void, Refusal>> {
    const { keys } = this.#options;
    if (keys === undefined || !keys.keys().has(provider)) {
      return this.#given(provider) === undefined
        ? ok(undefined)
        : err(
            refusal(
              "CONFLICT",
              { provider },
              "This key comes from the environment. Unset its variable and restart Heddle.",
            ),
          );
    }
    const removed = await keys.remove(provider);
    if (removed.ok) this.#rebuild();
    return removed;
  }

  modelWith(model: string, key: string): LanguageModel | undefined {
    const config = this.#config();
    const provider = model.split("/", 1)[0] ?? "";
    return buildCatalogue({ ...config, keys: { ...config.keys, [provider]: key } }, this.#options.deps).find(model);
  }

  async setWindow(model: string, contextTokens: number | null): Promise<Result<void, Refusal>> {
    const { windows } = this.#options;
    if (windows === undefined) return err(refusal("FORBIDDEN", { model }, "This server keeps no windows of models."));
    if (this.#current.find(model) === undefined) return err(modelNotFound(this.#current, model));
    const next = new Map(this.#windows);
    if (contextTokens === null) next.delete(model);
    else next.set(model, contextTokens);
    const saved = await windows.save(next);
    if (!saved.ok) return saved;
    this.#windows = next;
    // What a server refused before may be about another window.
    this.#refusedAt.delete(model);
    this.#rebuild();
    return saved;
  }

  async test(candidate: Candidate): Promise<Result<Pick<AskedProvider, "problem" | "models">, Refusal>> {
    const config = this.#config();
    const asked = await examineCandidate(candidate, config, this.#options.deps);
    if (!asked.ok) return asked;
    const { problem, models } = asked.value;
    return ok({ problem, models: models.map((model) => withFacts(model, this.#current.find(model.id)?.info)) });
  }

  async add({ name, address, api = "openai-chat", key }: NewProvider): Promise<Result<string, Refusal>> {
    const apis = formatsOf(this.#options.config.known ?? knownProviders).map((format) => format.api);
    if (!apis.includes(api)) {
      const message = `There is no format "${api}". It is one of ${apis.join(", ")}.`;
      return err(refusal("INVALID_PARAMS", { api }, message));
    }
    if (key !== undefined && this.#options.keys === undefined) return err(noKeys(name));
    let added = "";
    const saved = await this.#choose((choices) => {
      const taken = providersOf(this.#config()).map(({ id }) => id);
      const next = withAdded(choices, { name, api, baseUrl: address }, taken);
      if (!next.ok) return next;
      added = next.value.id;
      return ok(next.value.choices);
    });
    if (!saved.ok) return saved;
    const set = key === undefined ? ok(undefined) : await this.setKey(added, key);
    await this.#served.refresh();
    return set.ok ? ok(added) : set;
  }

  async change(provider: string, { address, models }: ProviderChange): Promise<Result<void, Refusal>> {
    const found = providersOf(this.#config()).find(({ id }) => id === provider);
    if (found === undefined) return err(unknownProvider(provider));
    const from = this.#addressFrom(found);
    if (address !== undefined && (from === "environment" || from === "file")) {
      const place = from === "file" ? "models.json" : "a variable or the configuration of the server";
      const message = `The address of ${found.name} is set in ${place}. Change it there.`;
      return err(refusal("CONFLICT", { provider }, message));
    }
    const saved = await this.#choose((choices) => {
      const moved = address === undefined ? choices : withAddress(choices, provider, address);
      return ok(models === undefined ? moved : withModels(moved, provider, models));
    });
    if (saved.ok && address !== undefined) await this.#served.refresh();
    return saved;
  }

  async remove(provider: string): Promise<Result<void, Refusal>> {
    if (!this.#isAdded(provider)) {
      const isKnown = providersOf(this.#config()).some(({ id }) => id === provider);
      const message = `${provider} was not added in the app. Remove its key instead, or its entry in models.json.`;
      return err(isKnown ? refusal("CONFLICT", { provider }, message) : unknownProvider(provider));
    }
    // The key goes first: a stop between the two leaves a server without a key, never a key without a server.
    const removed = (await this.#options.keys?.remove(provider)) ?? ok(undefined);
    return removed.ok ? this.#choose((choices) => ok(without(choices, provider))) : removed;
  }

  chosenDefault(): string | null {
    const { defaultModel } = this.#choices;
    return defaultModel !== null && this.#current.find(defaultModel) !== undefined ? defaultModel : null;
  }

  async setDefault(model: string | null): Promise<Result<void, Refusal>> {
    if (model !== null && this.#current.find(model) === undefined) return err(modelNotFound(this.#current, model));
    return this.#choose((choices) => ok({ ...choices, defaultModel: model }));
  }

  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stores the next choices, then uses them. */
  #choose(next: (choices: ProviderChoices) => Result<ProviderChoices, Refusal>): Promise<Result<void, Refusal>> {
    const { choices: kept } = this.#options;
    if (kept === undefined) return Promise.resolve(err(refusal("FORBIDDEN", {}, "This server keeps no providers.")));
    return this.#changes.run(async () => {
      const decided = next(this.#choices);
      if (!decided.ok) return decided;
      const saved = await kept.save(decided.value);
      if (!saved.ok) return saved;
      this.#choices = decided.value;
      this.#rebuild();
      return saved;
    });
  }

  #isAdded(provider: string): boolean {
    const isDescribed = this.#entries.some((entry) => entry.provider === provider);
    return !isDescribed && this.#choices.added.some(({ id }) => id === provider);
  }

  #addressFrom({ id }: ReachedProvider): ProviderState["addressFrom"] {
    const { addresses = {}, known = knownProviders } = this.#options.config;
    if (id === "local" || Object.hasOwn(addresses, id)) return "environment";
    if (this.#isAdded(id) || Object.hasOwn(this.#choices.addresses, id)) return "app";
    return known.some((provider) => provider.id === id) ? "heddle" : "file";
  }

  async look(): Promise<void> {
    const keysChanged = await this.#lookAtKeys();
    const modelsChanged = await this.#lookAtModels();
    const listChanged = await this.#published.look();
    if (keysChanged || modelsChanged || listChanged) this.#rebuild();
  }

  close(): void {
    this.#closed = true;
    this.#cancelLook();
    this.#served.close();
  }

  /** Asks all servers; waits for the one that a person named, whose models answer new conversations. */
  async #meetServers(): Promise<void> {
    const asking = this.#served.refresh();
    if (this.#options.config.compatibleBaseUrl !== undefined) await asking;
  }

  #learnWindow(id: string, contextTokens: number): void {
    if (this.#refusedAt.get(id) === contextTokens) return;
    this.#refusedAt.set(id, contextTokens);
    this.#rebuild();
  }

  #lookLater(): void {
    if (this.#closed) return;
    this.#cancelLook = this.#options.deps.clock.setTimer(lookMs, () => {
      void this.look().finally(() => this.#lookLater());
    });
  }

  async #lookAtKeys(): Promise<boolean> {
    try {
      const changed = (await this.#options.keys?.reload()) ?? false;
      this.#keysProblem = null;
      return changed;
    } catch (problem) {
      const reason = reasonOf(problem);
      if (reason !== this.#keysProblem) this.#options.logger.warn("keys-not-read", { reason });
      this.#keysProblem = reason;
      return false;
    }
  }

  async #lookAtModels(): Promise<boolean> {
    const { models, logger } = this.#options;
    if (models === undefined) return false;
    let text: string;
    try {
      text = await readFile(models.file, "utf8");
    } catch (problem) {
      const isMissing = errorCodeOf(problem) === "ENOENT";
      if (!isMissing || models.required) {
        this.#problem = isMissing ? "the file does not exist" : reasonOf(problem);
        // A file that comes back is read again, also with the same content.
        this.#text = null;
        return false;
      }
      text = "";
    }
    if (text === this.#text) return false;
    this.#text = text;
    const read = text === "" ? ok([]) : readModelEntries(text, this.#options.config.known, this.#options.syntaxes);
    this.#problem = read.ok ? null : read.error;
    if (read.ok) {
      this.#entries = read.value;
      this.#aliases = text === "" ? {} : modelAliasesIn(text);
    }
    if (!read.ok) logger.warn("models-file-not-read", { problem: read.error });
    return read.ok;
  }

  #rebuild(): void {
    this.#current = buildCatalogue(this.#config(), this.#options.deps);
    this.#tell();
  }

  /** Tells listeners where something changed that people see; servers answer often, and mostly the same. */
  #tell(): void {
    if (this.#listeners.size === 0) return;
    const shown = JSON.stringify([this.#current.list(), this.providers(), this.#choices.defaultModel]);
    if (shown === this.#told) return;
    this.#told = shown;
    for (const listener of this.#listeners) listener();
  }

  #config(): ProviderConfig {
    const { config } = this.#options;
    const bare: ProviderConfig = {
      ...config,
      // What the server was started with wins over what was chosen in the app.
      addresses: { ...this.#choices.addresses, ...config.addresses },
      added: this.#choices.added,
      chosen: this.#choices.models,
      entries: this.#entries,
      aliases: this.#aliases,
      windows: this.#windows,
      published: this.#published.models,
      served: this.#served.told(),
      refusedAt: this.#refusedAt,
    };
    const keys: Record<string, string> = {};
    for (const { id, baseUrl } of providersOf(bare)) {
      const key = this.#given(id) ?? this.#kept(id, baseUrl)?.key;
      if (key !== undefined) keys[id] = key;
    }
    return { ...bare, keys };
  }

  /** Returns a stored key that may be sent to this address. */
  #kept(provider: string, baseUrl: string) {
    const kept = this.#options.keys?.keys().get(provider);
    return kept !== undefined && (kept.baseUrl === null || kept.baseUrl === baseUrl) ? kept : undefined;
  }

  /** Returns the key that the server was started with. */
  #given(provider: string): string | undefined {
    const { keys = {} } = this.#options.config;
    return Object.hasOwn(keys, provider) ? keys[provider] : undefined;
  }

  #keyState(provider: string, keyVariable: string | null, baseUrl: string): KeyState {
    const given = this.#given(provider);
    if (given !== undefined) return { state: "set", from: "environment", ending: endingOf(given) };
    const kept = this.#kept(provider, baseUrl);
    if (kept !== undefined) return { state: "set", from: kept.from, ending: endingOf(kept.key) };
    if (this.#options.keys?.keys().has(provider) === true) return { state: "other-address" };
    return { state: keyVariable === null ? "not-needed" : "none" };
  }
}

function noKeys(provider: string): Refusal {
  return refusal("FORBIDDEN", { provider }, "This server has no place to keep keys.");
}

function unknownProvider(provider: string): Refusal {
  return refusal("NOT_FOUND", { provider }, `There is no provider "${provider}". List the providers to see their ids.`);
}
