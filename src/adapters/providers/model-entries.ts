import { isJsonObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { nearestWord } from "../../core/base/nearest-word.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { ModelPrices, TokenPrices } from "../../core/model/prices.ts";
import { recogniseSyntax } from "../../core/syntax/recognise.ts";
import { syntaxes } from "../../core/syntax/registry.ts";
import { importResponseTemplate } from "../../core/syntax/response-template.ts";
import type { Syntax } from "../../core/syntax/base/syntax.ts";
import { knownProviders, reservedProviders } from "./catalogue-providers.ts";
import type { ProviderFormat } from "./shared/format.ts";
import { formatsOf, type KnownProvider } from "./shared/known-provider.ts";
import { chatFormat } from "./openai-chat/format.ts";

/** One model as a person describes it in `models.json`. Omitted fields keep their known or assumed values. */
export interface ModelEntry {
  readonly provider: string;
  /** The provider's name of the model. */
  readonly id: string;
  readonly name?: string;
  /** The format's name. */
  readonly api?: string;
  readonly baseUrl?: string;
  readonly contextTokensMax?: number;
  readonly outputTokensMax?: number;
  readonly vision?: boolean;
  readonly thinking?: boolean;
  readonly tools?: boolean;
  readonly prices?: ModelPrices;
  /** Flags of the format's compat record that differ for this model. */
  readonly compat?: JsonObject;
  readonly toolSyntax?: string;
  /** Recognised from its `chat_template`. */
  readonly proposedSyntax?: string;
  /** Compiled from its `response_template`. */
  readonly ownSyntax?: Syntax;
  /** Whether its template opens the reasoning, so that replies begin inside it. */
  readonly startsInReasoning?: boolean;
}

/**
 * Reads the catalogue's file: `{"models": [{"provider": …, "id": …, …}]}`. An error names its place
 * (`models[3].prices.input`) and the expected value; a file with a mistake is not used at all.
 */
export function readModelEntries(
  text: string,
  known: readonly KnownProvider[] = knownProviders,
  knownSyntaxes: readonly Syntax[] = syntaxes,
): Result<readonly ModelEntry[], string> {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (problem) {
    return err(`invalid JSON: ${reasonOf(problem)}`);
  }
  try {
    return ok(entriesOf(file, { providers: known, syntaxes: knownSyntaxes }));
  } catch (problem) {
    if (problem instanceof Mistake) return err(problem.message);
    throw problem;
  }
}

/** Names for lists of models: each model answers when those before it do not. */
export type ModelAliases = Readonly<Record<string, readonly string[]>>;

/** Returns the aliases of a file that `readModelEntries` accepts. */
export function modelAliasesIn(text: string): ModelAliases {
  const file: unknown = JSON.parse(text);
  return aliasesOf(isJsonObject(file) ? file["aliases"] : undefined);
}

/** A mistake at a place of the file. */
class Mistake extends Error {
  constructor(place: string, problem: string) {
    super(place === "" ? problem : `${place}: ${problem}`);
  }
}

/** What an entry may name. */
interface Known {
  readonly providers: readonly KnownProvider[];
  readonly syntaxes: readonly Syntax[];
}

function entriesOf(file: unknown, known: Known): readonly ModelEntry[] {
  const { providers } = known;
  if (!isJsonObject(file)) throw new Mistake("", "must be an object with a list `models`");
  onlyKeys(file, ["models", "aliases"], "");
  aliasesOf(file["aliases"]);
  const { models = [] } = file;
  if (!Array.isArray(models)) throw new Mistake("models", "must be a list");
  const entries = models.map((entry: Json, at) => entryOf(entry, `models[${at}]`, known));
  const seen = new Map<string, number>();
  for (const [at, entry] of entries.entries()) {
    const id = `${entry.provider}/${entry.id}`;
    const before = seen.get(id);
    if (before !== undefined) throw new Mistake(`models[${at}]`, `${id} is described in models[${before}] already`);
    seen.set(id, at);
    checkAddress({ entry, entries, providers }, `models[${at}]`);
  }
  return entries;
}

function aliasesOf(value: Json | undefined): ModelAliases {
  if (value === undefined) return {};
  if (!isJsonObject(value)) throw new Mistake("aliases", "must be an object with a list of models for each name");
  return Object.fromEntries(
    Object.entries(value).map(([name, models]) => {
      const place = `aliases.${name}`;
      if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) throw new Mistake(place, "must be a name such as fast");
      if (!Array.isArray(models) || models.length === 0) throw new Mistake(place, "must be a list of models");
      return [
        name,
        models.map((id: Json, at) =>
          textOf(id, `${place}[${at}]`, /^(?!alias\/)[^\s/]{1,100}\/\S{1,200}$/, "a model as provider/model"),
        ),
      ];
    }),
  );
}

/** One entry among the others of its file. */
interface EntryInFile {
  readonly entry: ModelEntry;
  readonly entries: readonly ModelEntry[];
  readonly providers: readonly KnownProvider[];
}

/** A provider that a person adds has one format and one address, so that its key is sent to one place. */
function checkAddress({ entry, entries, providers }: EntryInFile, place: string): void {
  const known = providers.find((provider) => provider.id === entry.provider);
  if (known !== undefined) {
    if (entry.baseUrl !== undefined) {
      const problem = `${known.name} has its own address, and its key goes nowhere else; give this provider another name`;
      throw new Mistake(`${place}.base_url`, problem);
    }
    if (entry.api !== undefined && !known.formats.some(({ api }) => api === entry.api))
      throw new Mistake(`${place}.api`, `${known.name} speaks ${known.formats.map(({ api }) => api).join(" and ")}`);
    return;
  }
  const first = entries.find((other) => other.provider === entry.provider) ?? entry;
  if (first.baseUrl === undefined)
    throw new Mistake(`${place}.base_url`, `${entry.provider} is not a known provider, so its address is needed`);
  if (first.api === undefined) {
    const apis = either(formatsOf(providers).map(({ api }) => api));
    throw new Mistake(`${place}.api`, `${entry.provider} is not a known provider, so its format is needed: ${apis}`);
  }
  if (entry.baseUrl !== undefined && entry.baseUrl !== first.baseUrl)
    throw new Mistake(`${place}.base_url`, `${entry.provider} has the address ${first.baseUrl} already`);
  if (entry.api !== undefined && entry.api !== first.api)
    throw new Mistake(`${place}.api`, `${entry.provider} speaks ${first.api} already`);
}

const keys = [
  "provider",
  "id",
  "name",
  "api",
  "base_url",
  "context_window",
  "output_limit",
  "vision",
  "thinking",
  "tools",
  "prices",
  "compat",
  "tool_syntax",
  "response_template",
  "chat_template",
  "starts_in_reasoning",
] as const;

function entryOf(value: Json, place: string, known: Known): ModelEntry {
  const { providers } = known;
  if (!isJsonObject(value)) throw new Mistake(place, "must be an object that describes a model");
  onlyKeys(value, keys, place);
  const at = (key: (typeof keys)[number]): string => `${place}.${key}`;
  const provider = textOf(value["provider"], at("provider"), /^[a-z0-9][a-z0-9._-]{0,63}$/, "a name such as openai");
  if (reservedProviders.includes(provider)) throw new Mistake(at("provider"), `${provider} is a reserved name`);
  const id = textOf(value["id"], at("id"), /^\S{1,200}$/, "the provider's name of the model, without blanks");
  const formats = formatsOf(providers);
  const apis = formats.map((format) => format.api);
  const api = value["api"] === undefined ? undefined : oneOf(value["api"], apis, at("api"));
  const usual = providers.find((each) => each.id === provider)?.formats[0] ?? chatFormat;
  return {
    provider,
    id,
    ...optional("name", value["name"], (name) => textOf(name, at("name"), /\S/, "a text")),
    ...(api === undefined ? {} : { api }),
    ...optional("baseUrl", value["base_url"], (url) => addressOf(url, at("base_url"))),
    ...optional("contextTokensMax", value["context_window"], (tokens) => countOf(tokens, at("context_window"))),
    ...optional("outputTokensMax", value["output_limit"], (tokens) => countOf(tokens, at("output_limit"))),
    ...optional("vision", value["vision"], (flag) => flagOf(flag, at("vision"))),
    ...optional("thinking", value["thinking"], (flag) => flagOf(flag, at("thinking"))),
    ...optional("tools", value["tools"], (flag) => flagOf(flag, at("tools"))),
    ...optional("startsInReasoning", value["starts_in_reasoning"], (flag) => flagOf(flag, at("starts_in_reasoning"))),
    ...optional("prices", value["prices"], (prices) => pricesOf(prices, at("prices"))),
    ...optional("compat", value["compat"], (flags) =>
      compatOf(flags, formats.find((format) => format.api === api) ?? usual, at("compat")),
    ),
    ...optional("toolSyntax", value["tool_syntax"], (name) =>
      oneOf(
        name,
        known.syntaxes.map(({ id }) => id),
        at("tool_syntax"),
      ),
    ),
    ...proposedIn(value["chat_template"], at("chat_template"), known),
    ...optional("ownSyntax", value["response_template"], (template) => {
      const where = at("response_template");
      if (value["tool_syntax"] !== undefined) throw new Mistake(where, "it cannot be combined with tool_syntax");
      const imported = importResponseTemplate("response-template", template);
      if (!imported.ok) throw new Mistake(where, imported.error.message);
      return imported.value;
    }),
  };
}

/** The syntax that an entry's chat template shows. One that shows none is a mistake: it was given for that alone. */
function proposedIn(
  template: Json | undefined,
  place: string,
  { syntaxes: known }: Known,
): Pick<ModelEntry, "proposedSyntax"> {
  if (template === undefined) return {};
  const found = recogniseSyntax(textOf(template, place, /\S/, "the template's text"), known);
  if (found === null) throw new Mistake(place, "the template holds the marks of no known tool syntax");
  return { proposedSyntax: found.id };
}

function optional<Key extends string, Value>(
  key: Key,
  value: Json | undefined,
  read: (value: Json) => Value,
): { readonly [Name in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: read(value) } as { readonly [Name in Key]?: Value });
}

function onlyKeys(value: JsonObject, known: readonly string[], place: string): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const guess = nearestWord(key, known);
    const hint = guess === undefined ? `known are ${known.join(", ")}` : `did you mean ${guess}?`;
    throw new Mistake(place === "" ? key : `${place}.${key}`, `unknown field; ${hint}`);
  }
}

function textOf(value: Json | undefined, place: string, form: RegExp, expected: string): string {
  if (typeof value !== "string" || !form.test(value)) throw new Mistake(place, `must be ${expected}`);
  return value;
}

function flagOf(value: Json, place: string): boolean {
  if (typeof value !== "boolean") throw new Mistake(place, "must be true or false");
  return value;
}

function countOf(value: Json, place: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1)
    throw new Mistake(place, "must be a whole number of tokens, at least 1");
  return value;
}

function oneOf<Word extends string>(value: Json, words: readonly Word[], place: string): Word {
  const found = words.find((word) => word === value);
  if (found === undefined) throw new Mistake(place, `must be ${either(words)}`);
  return found;
}

function either(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

function addressOf(value: Json, place: string): string {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (typeof value !== "string" || url === null || !/^https?:$/.test(url.protocol))
    throw new Mistake(place, "must be an http or https address");
  if (url.username !== "" || url.password !== "")
    throw new Mistake(place, "an address carries no name and no password");
  return value;
}

function pricesOf(value: Json, place: string): ModelPrices {
  const prices = tokenPricesOf(value, place, ["long_prompt"]);
  const long = isJsonObject(value) ? value["long_prompt"] : undefined;
  if (long === undefined) return prices;
  const at = `${place}.long_prompt`;
  const longPrices = tokenPricesOf(long, at, ["above"]);
  const above = isJsonObject(long) ? long["above"] : undefined;
  if (typeof above !== "number" || !Number.isSafeInteger(above) || above < 1)
    throw new Mistake(`${at}.above`, "must be a number of tokens");
  return { ...prices, longPrompt: { ...longPrices, above } };
}

function tokenPricesOf(value: Json, place: string, otherKeys: readonly string[]): TokenPrices {
  if (!isJsonObject(value))
    throw new Mistake(place, "must be an object with input and output, in dollars for a million tokens");
  onlyKeys(value, ["input", "output", "cached_input", "cache_write", ...otherKeys], place);
  const price = (key: string): number => {
    const amount = value[key];
    if (typeof amount !== "number" || !Number.isFinite(amount) || amount < 0)
      throw new Mistake(`${place}.${key}`, "must be dollars for a million tokens, 0 or more");
    return amount;
  };
  return {
    input: price("input"),
    output: price("output"),
    ...(value["cached_input"] === undefined ? {} : { cachedInput: price("cached_input") }),
    ...(value["cache_write"] === undefined ? {} : { cacheWrite: price("cache_write") }),
  };
}

function compatOf(value: Json, format: ProviderFormat, place: string): JsonObject {
  if (!isJsonObject(value)) throw new Mistake(place, "must be an object with flags");
  const records = format.compatSamples.map((record): Readonly<Record<string, unknown>> => ({ ...record }));
  const flags = [...new Set(records.flatMap((record) => Object.keys(record)))];
  onlyKeys(value, flags, place);
  for (const [flag, wanted] of Object.entries(value)) {
    const values = [...new Set(records.map((record) => record[flag]))].filter((each) => each !== undefined);
    const words = values.filter((each) => typeof each === "string");
    const where = `${place}.${flag}`;
    if (words.length > 0) oneOf(wanted, words, where);
    else if (typeof values[0] === "boolean") flagOf(wanted, where);
    else if (typeof wanted !== typeof values[0]) throw new Mistake(where, `must be a ${typeof values[0]}`);
  }
  return value;
}
