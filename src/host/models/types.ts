import type { ProviderConfig, ProviderDeps } from "../../adapters/providers/catalogue.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { Result } from "../../core/base/result.ts";
import type { LanguageModel, ModelCatalogue } from "../../core/port/language-model.ts";
import type { Logger } from "../../core/port/platform.ts";
import type { ProviderState } from "../../core/protocol/base/provider-state.ts";
import type { Syntax } from "../../core/syntax/base/syntax.ts";
import type { AskedProvider } from "./ask-providers.ts";
import type { Candidate } from "./examine-candidate.ts";
import type { KeyStore } from "./key-store.ts";
import type { ProviderChoices } from "./provider-choices.ts";

export interface ModelSettingsOptions {
  /** Keys and addresses from flags, environment and configuration. */
  readonly config: ProviderConfig;
  readonly deps: ProviderDeps;
  readonly logger: Logger;
  /** Keys on disk; without them no key can be set. */
  readonly keys?: KeyStore;
  /** Windows of models that people set; without it none can be set. */
  readonly windows?: ModelWindows;
  /** What people chose about providers; without it nothing can be added or chosen. */
  readonly choices?: KeptChoices;
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

/** What people chose about providers in the app, and how it is stored. */
export interface KeptChoices {
  readonly known: ProviderChoices;
  save(choices: ProviderChoices): Promise<Result<void, Refusal>>;
}

/** A server as a person adds it. */
export interface NewProvider {
  readonly name: string;
  readonly address: string;
  readonly api?: string;
  readonly key?: string;
}

/** What a person changes of a provider; what is absent stays. */
export interface ProviderChange {
  readonly address?: string | null;
  readonly models?: readonly string[] | null;
}

/** What is wrong with the catalogue's file, if anything. */
export interface ModelsFileState {
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
  /** Returns a model as reached with another key than the workspace's; undefined: there is none of this name. */
  modelWith(model: string, key: string): LanguageModel | undefined;
  /** Sets a model's window over what its server says; null takes that back. */
  setWindow(model: string, contextTokens: number | null): Promise<Result<void, Refusal>>;
  /** Asks a provider, or any server, for its models with what a person typed. Never rejects. */
  test(candidate: Candidate): Promise<Result<Pick<AskedProvider, "problem" | "models">, Refusal>>;
  /** Adds a server; returns its id. */
  add(provider: NewProvider): Promise<Result<string, Refusal>>;
  change(provider: string, change: ProviderChange): Promise<Result<void, Refusal>>;
  /** Removes an added server with its key. */
  remove(provider: string): Promise<Result<void, Refusal>>;
  /** The model of new conversations that a person chose; null for none. */
  chosenDefault(): string | null;
  setDefault(model: string | null): Promise<Result<void, Refusal>>;
  /** Calls back when keys, addresses or models have changed; returns how to stop. */
  onChanged(listener: () => void): () => void;
  /** Checks the files now; a file with a mistake leaves its last valid content in use. */
  look(): Promise<void>;
  close(): void;
}
