import { readFile } from "node:fs/promises";
import {
  buildCatalogue,
  foundAt,
  type ProviderConfig,
  type ProviderDeps,
  providersOf,
} from "../../adapters/providers/catalogue.ts";
import {
  type ModelAliases,
  modelAliasesIn,
  type ModelEntry,
  readModelEntries,
} from "../../adapters/providers/model-entries.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { errorCodeOf } from "../../core/base/error-code.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { ModelCatalogue } from "../../core/port/language-model.ts";
import type { Syntax } from "../../core/syntax/base/syntax.ts";
import type { Logger } from "../../core/port/platform.ts";
import type { KeyState, ProviderState } from "../../core/protocol/base/provider-state.ts";
import { askProvider, shownModelsMax, withFacts, type AskedProvider } from "./ask-providers.ts";
import type { KeyStore } from "./key-store.ts";
import { modelNotFound } from "./model-not-found.ts";
import { PublishedFile } from "./published-file.ts";
import { ServedModels } from "./served-models.ts";

/** How often the files are checked. Milliseconds. */
const lookMs = 2_000;

export interface ModelSettingsOptions {
  /** Keys and addresses from flags, environment and configuration. */
  readonly config: ProviderConfig;
  readonly deps: ProviderDeps;
  readonly logger: Logger;
  /** Keys on disk; without them no key can be set. */
  readonly keys?: KeyStore;
  /** Windows of models that people set; without it none can be set. */
  readonly windows?: ModelWindows;
  /** The catalogue's file, and whether it must exist. */
  readonly models?: { readonly file: string; readonly required: boolean };
  /** A public list of models in the form of models.dev, if the file exists. */
  readonly publishedFile?: string;
  /** The syntaxes that an entry may name; the built-in ones if absent. */
  readonly syntaxes?: readonly Syntax[];
}

/** The windows of models that people set in the app, by `provider/model`, in tokens. */
export interface ModelWindows {
  readonly known: ReadonlyMap<string, number>;
  save(windows: ReadonlyMap<string, number>): Promise<Result<void, Refusal>>;
}

/** What is wrong with the catalogue's file, if anything. */
interface ModelsFileState {
  readonly path: string;
  readonly problem: string | null;
}

/** The models of a server, its providers and their keys; all may change while the server runs. */
export interface ModelSettings {
  /** Reads the current settings on each call. */
  readonly catalogue: ModelCatalogue;
  providers(): readonly ProviderState[];
  /** Asks every open provider for its models, whatever was said before. Never rejects. */
  ask(): Promise<readonly AskedProvider[]>;
  modelsFile(): ModelsFileState | null;
  setKey(provider: string, key: string): Promise<Result<void, Refusal>>;
  removeKey(provider: string): Promise<Result<void, Refusal>>;
  /** Sets a model's window over what its server says; null takes that back. */
  setWindow(model: string, contextTokens: number | null): Promise<Result<void, Refusal>>;
  /** Checks the files now; a file with a mistake leaves its last valid content in use. */
  look(): Promise<void>;
  close(): void;
}

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
  readonly #refusedAt = new Map<string, number>();
  #cancelLook: () => void = () => {};
  #closed = false;

  constructor(options: ModelSettingsOptions) {
    this.#options = options;
    this.#published = new PublishedFile(options.publishedFile, options.logger);
    this.#windows = options.windows?.known ?? new Map();
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
    if (keys === undefined) return err(refusal("FORBIDDEN", { provider }, "This server has no place to keep keys."));
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
  }

  #config(): ProviderConfig {
    const { config } = this.#options;
    const bare: ProviderConfig = {
      ...config,
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

/** Returns the last characters of a key, to tell two keys apart; only of a key long enough for that. */
function endingOf(key: string): string | null {
  return key.length >= 16 ? key.slice(-4) : null;
}
