import { type ProviderDeps, type ReachedProvider } from "../../adapters/providers/catalogue.ts";
import type { ModelEntry } from "../../adapters/providers/model-entries.ts";
import { askForModels } from "../../adapters/providers/served/list-models.ts";
import type { ServedModel } from "../../adapters/providers/shared/served-model.ts";
import { ok } from "../../core/base/result.ts";
import type { ModelFailure } from "../../core/model/failure.ts";
import type { ModelInfo } from "../../core/port/language-model.ts";

/** Who names a model: the provider's own list, `models.json` or a flag, or Heddle's table. */
type NamedBy = "server" | "person" | "heddle";

/** A provider's answer to the question for its models. */
export interface AskedProvider {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  /** Why it listed none; null where it did. */
  readonly problem: { readonly class: ModelFailure["class"]; readonly message: string } | null;
  readonly models: readonly AskedModel[];
}

interface AskedModel {
  /** `provider/model`. */
  readonly id: string;
  readonly name: string;
  /** Total window in tokens; null when unknown. */
  readonly window: number | null;
  /** The tool syntax that a conversation with it begins with. */
  readonly syntax: string;
  /** The tool syntax that its chat template shows. */
  readonly proposedSyntax: string | null;
  readonly from: NamedBy;
}

/** How many models of one server of a person's own are asked about singly. */
export const shownModelsMax = 20;

/** Asks one provider; what it does not list, and a person or Heddle names, follows. */
export async function askProvider(
  provider: ReachedProvider,
  entries: readonly ModelEntry[],
  deps: ProviderDeps,
): Promise<AskedProvider> {
  const { id, name, baseUrl, apiKey, format } = provider;
  const server = { baseUrl, ...(apiKey === undefined ? {} : { apiKey }) };
  const asked = format.modelList === undefined ? ok([]) : await askForModels(format.modelList, server, deps);
  const served = asked.ok ? asked.value : [];
  const names = new Set(served.map(({ model }) => model));
  const byPerson = (model: string): boolean =>
    !provider.models.some((each) => each.model === model) ||
    entries.some((entry) => entry.provider === id && entry.id === model);
  const more = provider.listed.filter((model) => !names.has(model));
  return {
    id,
    name,
    address: baseUrl,
    problem: asked.ok ? null : problemOf(provider, asked.error),
    models: [
      ...served.map((model) => modelOf(id, model, "server")),
      ...more.map((model) => modelOf(id, { model }, byPerson(model) ? "person" : "heddle")),
    ],
  };
}

function modelOf(provider: string, { model, name, contextTokensMax }: ServedModel, from: NamedBy): AskedModel {
  return {
    id: `${provider}/${model}`,
    name: name ?? model,
    window: contextTokensMax ?? null,
    syntax: "native",
    proposedSyntax: null,
    from,
  };
}

/** Adds what the catalogue knows of a model. */
export function withFacts(model: AskedModel, info: ModelInfo | undefined): AskedModel {
  if (info === undefined) return model;
  const { toolSyntax, proposedSyntax, tools, contextTokensMax } = info;
  return {
    ...model,
    name: info.name,
    window: contextTokensMax ?? model.window,
    syntax: toolSyntax ?? (tools ? "native" : (proposedSyntax ?? "xml")),
    proposedSyntax: proposedSyntax ?? null,
  };
}

function problemOf(
  { name, baseUrl, keyVariable, apiKey }: ReachedProvider,
  failure: ModelFailure,
): NonNullable<AskedProvider["problem"]> {
  return { class: failure.class, message: `${whatHappened()} ${whatToDo()}` };

  function whatHappened(): string {
    if (failure.class !== "auth") return `${name} at ${baseUrl} did not list its models: ${ended(failure.message)}`;
    const what = apiKey === undefined ? "asks for a key" : "refused the key";
    return `${name} ${what} (${failure.status ?? "no status"}): ${ended(failure.message)}`;
  }

  function whatToDo(): string {
    if (failure.class !== "auth") return "Check that the server runs and that the address is right.";
    const where = `in the settings of the app${keyVariable === null ? "" : ` or in ${keyVariable}`}`;
    return `Set a valid key ${where}.`;
  }
}

function ended(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
