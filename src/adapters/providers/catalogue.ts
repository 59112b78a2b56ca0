import type { LanguageModel, ModelCatalogue, ModelInfo } from "../../core/port/language-model.ts";
import { knownProviders } from "./catalogue-providers.ts";
import type { ProviderFormat } from "./shared/format.ts";
import type { HttpDeps } from "./shared/http-model.ts";
import { knownModel, type KnownModel, openAiModels, unknownModel } from "./shared/known-models.ts";
import { formatsOf, type KnownProvider } from "./shared/known-provider.ts";
import type { ServedModel } from "./shared/served-model.ts";
import type { ModelAliases, ModelEntry } from "./model-entries.ts";
import type { PublishedModels } from "./served/published-models.ts";
import { chatFormat } from "./openai-chat/format.ts";
import { createScribe, type Sleep } from "./scribe/scribe.ts";
import { type Script, scriptedModel } from "./scripted.ts";
import { speakInText } from "./speak-in-text.ts";

/** Keys and addresses of providers, as read by the host. */
export interface ProviderConfig {
  /** The known providers; by default Heddle's own table. */
  readonly known?: readonly KnownProvider[];
  /** Keys by the id of their provider. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Gateways by the id of the known provider that they replace. */
  readonly addresses?: Readonly<Record<string, string>>;
  /** Servers that people added in the app. */
  readonly added?: readonly AddedProvider[];
  /** The models that people chose to be offered, by the id of their provider; of all others, those that are known. */
  readonly chosen?: Readonly<Record<string, readonly string[]>>;
  /** A server that speaks OpenAI's chat format, and its model. */
  readonly compatibleBaseUrl?: string;
  readonly compatibleModel?: string;
  /** The entries of `models.json`, which override the known models. */
  readonly entries?: readonly ModelEntry[];
  /** Window in tokens of the compatible server's models, and of every model whose window nothing else says. */
  readonly contextWindow?: number;
  /** Windows that a person set in the app, by `provider/model`. */
  readonly windows?: ReadonlyMap<string, number>;
  /** Windows that servers named when they refused a request, by `provider/model`: what they take at most. */
  readonly refusedAt?: ReadonlyMap<string, number>;
  /** What servers said of their models, by the id of their provider. */
  readonly served?: ReadonlyMap<string, readonly ServedModel[]>;
  /** What a public list says of models, by the id of their provider; it replaces Heddle's own table. */
  readonly published?: PublishedModels;
  /** Lists of models that answer in place of one another, by the name behind `alias/`. */
  readonly aliases?: ModelAliases;
  /** The script of the model `scripted/script`, for demos and tests; without it that model does not exist. */
  readonly script?: Script;
}

/** A server that a person added in the app. */
export interface AddedProvider {
  readonly id: string;
  readonly name: string;
  /** The format that it speaks. */
  readonly api: string;
  readonly baseUrl: string;
}

export interface ProviderDeps extends HttpDeps {
  /** Paces the built-in scribe. */
  readonly sleep: Sleep;
}

/** A provider as reached from this server. */
export interface ReachedProvider extends Omit<KnownProvider, "formats"> {
  /** The format of a model that names none. */
  readonly format: ProviderFormat;
  readonly apiKey?: string;
  /** Whether its models can be used: it has a key or needs none. */
  readonly open: boolean;
  /** The provider's names of the listed models, whether the provider is open or not: those that Heddle or a person names. */
  readonly listed: readonly string[];
  /** What the server itself says of its models. */
  readonly served: readonly ServedModel[];
  /** Whether a person chose which models are offered. */
  readonly isChosen: boolean;
}

/** Returns every known or described provider in display order, with what opens it or what it needs. */
export function providersOf(config: ProviderConfig): readonly ReachedProvider[] {
  const { entries = [], known = knownProviders, keys = {}, addresses = {}, served = new Map() } = config;
  const { added = [], chosen = {} } = config;
  const choiceOf = (id: string): readonly string[] | undefined => valueAt(chosen, id);
  const servedBy = (id: string): readonly ServedModel[] => served.get(id) ?? [];
  const formats = formatsOf(known);
  const built = known.map((provider): ReachedProvider => {
    const {
      id,
      models,
      formats: [format],
    } = provider;
    const apiKey = valueAt(keys, id);
    const own = valueAt(addresses, id);
    return {
      ...provider,
      format,
      baseUrl: own ?? provider.baseUrl,
      ...(apiKey === undefined ? {} : { apiKey }),
      // A server at an address of its own may need no key.
      open: apiKey !== undefined || own !== undefined || provider.keyVariable === null,
      listed: listedOf(entries, id, choiceOf(id) ?? models.map(({ model }) => model)),
      served: servedBy(id),
      isChosen: choiceOf(id) !== undefined,
    };
  });
  // What a file describes wins over what was added under the same id.
  const more: readonly AddedProvider[] = [
    ...entries.flatMap(({ provider: id, api = "", baseUrl = "" }) => [{ id, name: id, api, baseUrl }]),
    ...added,
  ];
  const described = more
    .filter(({ id }, at) => more.findIndex((each) => each.id === id) === at)
    .filter(({ id }) => !known.some((provider) => provider.id === id))
    .flatMap(({ id, name, api, baseUrl }): readonly ReachedProvider[] => {
      const format = formats.find((each) => each.api === api);
      if (format === undefined || baseUrl === "") return [];
      const apiKey = valueAt(keys, id);
      const shared = {
        id,
        name,
        format,
        baseUrl,
        keyVariable: null,
        models: [],
        open: true,
        asks: "show",
        isChosen: choiceOf(id) !== undefined,
      } as const;
      const listed = listedOf(entries, id, choiceOf(id) ?? []);
      return [{ ...shared, listed, served: servedBy(id), ...(apiKey === undefined ? {} : { apiKey }) }];
    });
  const { compatibleBaseUrl, compatibleModel } = config;
  const local: readonly ReachedProvider[] =
    compatibleBaseUrl === undefined
      ? []
      : [
          {
            id: "local",
            name: "Local server",
            format: chatFormat,
            // A local server may serve an OpenAI model under its own name.
            models: openAiModels,
            // A key is sent to its own provider only.
            baseUrl: compatibleBaseUrl,
            keyVariable: null,
            open: true,
            asks: "show",
            listed: choiceOf("local") ?? (compatibleModel === undefined ? [] : [compatibleModel]),
            served: servedBy("local"),
            isChosen: choiceOf("local") !== undefined,
          },
        ];
  return [...built, ...described, ...local];
}

function listedOf(entries: readonly ModelEntry[], provider: string, known: readonly string[]): readonly string[] {
  const described = entries.filter((entry) => entry.provider === provider).map(({ id }) => id);
  return [...new Set([...described, ...known])];
}

function valueAt<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/**
 * Builds the catalogue of the models that a configuration opens: always the built-in scribe, and each provider with a key
 * or an address. Makes no request: what servers say of their models is in the configuration.
 */
export function buildCatalogue(config: ProviderConfig, deps: ProviderDeps): ModelCatalogue {
  const scribe = speakInText(createScribe(deps.sleep));
  const builtIn = [scribe, ...(config.script === undefined ? [] : [scriptedModel(config.script, deps.sleep)])];
  const providers = providersOf(config);
  const { entries = [], known = knownProviders, aliases = {} } = config;
  const formats = formatsOf(known);
  const modelOf = (provider: ReachedProvider, name: string): LanguageModel =>
    reach({ provider, name, entry: entryOf(entries, provider.id, name), formats, config }, deps);
  const membersOf = (id: string): readonly string[] | null => {
    const { provider: prefix, name } = splitModelId(id);
    return prefix === "alias" ? (valueAt(aliases, name) ?? null) : null;
  };
  const find = (id: string): LanguageModel | undefined => {
    const members = membersOf(id);
    if (members !== null) return members.map(find).find((model) => model !== undefined);
    const own = builtIn.find((model) => model.info.id === id);
    if (own !== undefined) return own;
    const { provider: prefix, name } = splitModelId(id);
    const provider = providers.find((each) => each.id === prefix);
    return name === "" || provider?.open !== true ? undefined : modelOf(provider, name);
  };
  const open = providers.filter((provider) => provider.open);
  const infosOf = (namesOf: (provider: ReachedProvider) => readonly string[]): readonly ModelInfo[] =>
    open.flatMap((provider) => namesOf(provider).map((name) => modelOf(provider, name).info));
  // The first model of the list answers new conversations: one that a person set up, never one that was merely found.
  const list = [
    ...infosOf((provider) => [...provider.listed, ...(provider.id === "local" ? foundAt(provider) : [])]),
    ...builtIn.map((model) => model.info),
    ...Object.keys(aliases).flatMap((name) => {
      const first = find(`alias/${name}`);
      return first === undefined ? [] : [{ ...first.info, id: `alias/${name}`, name: `${name} (${first.info.name})` }];
    }),
    ...infosOf((provider) => (provider.id === "local" ? [] : foundAt(provider))),
  ];
  return { list: () => list, find, membersOf, whyNot: (id) => whyNot(id, providers, list) };
}

/** Returns the names of a server's models that nobody else names. */
export function foundAt({ listed, served, isChosen }: ReachedProvider): readonly string[] {
  if (isChosen) return [];
  // A server of one model serves it under any name.
  if (listed.length > 0 && served.length === 1) return [];
  return served.flatMap(({ model }) => (listed.includes(model) ? [] : [model]));
}

/** Splits `provider/model` at the first slash; the provider is empty when there is no slash. */
export function splitModelId(id: string): { readonly provider: string; readonly name: string } {
  const slash = id.indexOf("/");
  return slash <= 0 ? { provider: "", name: "" } : { provider: id.slice(0, slash), name: id.slice(slash + 1) };
}

function whyNot(id: string, providers: readonly ReachedProvider[], list: readonly ModelInfo[]): string {
  const { provider: prefix, name } = splitModelId(id);
  const some = list.slice(0, 20).map((info) => info.id);
  const models = `${some.join(", ")}${list.length > some.length ? " and others" : ""}`;
  if (prefix === "" || name === "") return `"${id}" is not a model name. Write provider/model, such as ${models}.`;
  const provider = providers.find((each) => each.id === prefix);
  // The built-in models have a prefix that no provider serves.
  const isOpen = provider?.open ?? list.some((info) => splitModelId(info.id).provider === prefix);
  if (isOpen) return `There is no model "${id}". Models that can be used now: ${models}.`;
  if (provider === undefined) {
    const others = providers.map((each) => each.id).join(", ");
    return `There is no provider "${prefix}". Providers: ${others}. Models that can be used now: ${models}.`;
  }
  return `${provider.name} has no key. Set one in the settings, or in ${provider.keyVariable}. Models that can be used now: ${models}.`;
}

function entryOf(entries: readonly ModelEntry[], provider: string, name: string): ModelEntry | undefined {
  return entries.find((entry) => entry.provider === provider && entry.id === name);
}

/** A requested model: where it is served, and its entry in the catalogue's file. */
interface AskedModel {
  readonly provider: ReachedProvider;
  readonly name: string;
  readonly entry: ModelEntry | undefined;
  /** The formats that an entry may name. */
  readonly formats: readonly ProviderFormat[];
  readonly config: Pick<ProviderConfig, "contextWindow" | "windows" | "refusedAt" | "published">;
}

function reach(asked: AskedModel, deps: ProviderDeps): LanguageModel {
  const { provider, name, entry, formats } = asked;
  const { baseUrl, apiKey } = provider;
  const known = knownModel(provider.models, name);
  const info = infoOf(asked, known);
  const named = formats.find(({ api }) => api === entry?.api);
  const format = named ?? provider.formatOf?.(name, known) ?? provider.format;
  // A text describes each image to a model without vision.
  const compat = { ...(info.vision === false ? { images: false } : {}), ...entry?.compat };
  const model = format.open({ info, name, baseUrl, compat, ...(apiKey === undefined ? {} : { apiKey }) }, deps);
  return {
    ...model,
    ...(entry?.ownSyntax === undefined ? {} : { syntax: entry.ownSyntax }),
    ...(entry?.startsInReasoning === true ? { startsInReasoning: true } : {}),
  };
}

function infoOf(asked: AskedModel, known: KnownModel | undefined): ModelInfo {
  const { provider, name: model, entry } = asked;
  const isLocal = provider.id === "local";
  const served = servedAs(provider, model);
  const published = publishedAs(asked);
  const vision =
    entry?.vision ?? served?.vision ?? published?.vision ?? (known === undefined || isLocal ? undefined : true);
  const prices = entry?.prices ?? served?.prices ?? published?.prices ?? (isLocal ? undefined : known?.prices);
  return {
    id: `${provider.id}/${model}`,
    name: entry?.name ?? known?.name ?? served?.name ?? published?.name ?? model,
    contextTokensMax: windowOf(asked, served, known),
    outputTokensMax:
      entry?.outputTokensMax ??
      served?.outputTokensMax ??
      published?.outputTokensMax ??
      (known ?? unknownModel).outputTokensMax,
    tools: entry?.tools ?? served?.tools ?? published?.tools ?? known?.tools ?? true,
    thinking: entry?.thinking ?? served?.thinking ?? published?.thinking ?? (known ?? unknownModel).thinking,
    local: isLoopback(provider.baseUrl),
    ...(vision === undefined ? {} : { vision }),
    ...(provider.media === undefined ? {} : { media: provider.media }),
    ...(prices === undefined ? {} : { prices }),
    ...proposedBy(entry?.proposedSyntax ?? served?.proposedSyntax),
    ...(entry?.toolSyntax === undefined ? {} : { toolSyntax: entry.toolSyntax }),
    ...(entry?.ownSyntax === undefined ? {} : { toolSyntax: entry.ownSyntax.id }),
  };
}

function publishedAs({ provider, name, config }: AskedModel): ServedModel | undefined {
  return config.published?.get(provider.id)?.find(({ model }) => model === name);
}

/** What a server says of a model; a server of one model serves it under any name. */
function servedAs({ served, asks }: ReachedProvider, model: string): ServedModel | undefined {
  const [first, ...others] = served;
  return served.find((each) => each.model === model) ?? (asks === "show" && others.length === 0 ? first : undefined);
}

/** The window: what a person set, else what the server says, else what is known; never more than the server took. */
function windowOf(asked: AskedModel, served: ServedModel | undefined, known: KnownModel | undefined): number | null {
  const { provider, name, entry, config } = asked;
  const id = `${provider.id}/${name}`;
  const { contextWindow, windows, refusedAt } = config;
  const wanted =
    windows?.get(id) ??
    entry?.contextTokensMax ??
    (provider.id === "local" ? contextWindow : undefined) ??
    served?.contextTokensMax ??
    publishedAs(asked)?.contextTokensMax ??
    known?.contextTokensMax ??
    contextWindow ??
    null;
  const taken = refusedAt?.get(id);
  return taken === undefined ? wanted : Math.min(wanted ?? taken, taken);
}

function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return (
    hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" || hostname.startsWith("127.")
  );
}

function proposedBy(proposedSyntax: string | undefined): Pick<ModelInfo, "proposedSyntax"> {
  return proposedSyntax === undefined ? {} : { proposedSyntax };
}
