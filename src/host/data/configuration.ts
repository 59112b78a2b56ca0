import * as v from "valibot";
import type { ProviderConfig } from "../../adapters/providers/catalogue.ts";
import { databaseDrivers, isDatabaseAddress } from "../../adapters/storage/database-drivers.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { must } from "../../core/base/assert.ts";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { leaseTtlMsDefault } from "../../core/lease/types.ts";
import {
  approvalTiers,
  callPolicies,
  compactAtMax,
  compactAtMin,
  readCompactAt,
  thinkingLevels,
  type ApprovalTier,
  type Budget,
  type CallPolicy,
  type ThinkingLevel,
} from "../../core/forest/run-rules.ts";
import type { Syntax } from "../../core/syntax/base/syntax.ts";
import { findSyntax, syntaxes } from "../../core/syntax/registry.ts";
import type { S3Place } from "../../adapters/blobs/s3-place.ts";
import { blobSchemas, blobSettings, blobsOf } from "./blob-settings.ts";
import { clusterOf, clusterSchemas, clusterSettings, type ClusterSettings } from "./cluster-settings.ts";
import { signOnOf, signOnSchemas, signOnSettings, type NamedProvider } from "./sign-on-provider.ts";
import { platformDataFolder, type UserFolders } from "./data-directory.ts";
import { whenFullChoices, type WhenFull } from "../../core/model/when-full.ts";
import { type ProviderSetting, providerSettings } from "./provider-settings.ts";

/** The server's settings, each from the first source that has it: flag, environment, configuration file, default. */
export interface Configuration {
  /** The data folder. */
  readonly data: string;
  /** The address of a database, with its password; without one, everything durable is in the data folder. */
  readonly store?: string;
  /** The S3 store of images and files; without one, they are in the data folder. */
  readonly blobs?: S3Place;
  /** The folder whose files are documents; none by default. */
  readonly workspace?: string;
  /** The branch to which written files are committed now and then. */
  readonly workspaceBranch?: string;
  /** `git`: the folder's files are the only documents, and there are no canvases. */
  readonly documents: "all" | "git";
  /** `off`: agents have no canvas tools. */
  readonly canvasTools: "on" | "off";
  /** `off`: agents run no commands in the workspace folder. */
  readonly shell: "on" | "off";
  /** The hosts that those commands may connect to; none by default. */
  readonly shellHosts: readonly string[];
  /** Hosts that webhooks may call besides public ones over TLS; none by default. */
  readonly webhookHosts: readonly string[];
  /** `on`: agents may read pages of the web, behind approvals. */
  readonly web: "on" | "off";
  /** The search service that agents ask, which answers as SearXNG does; with it agents read pages too. */
  readonly searchUrl?: string;
  /** Hosts inside that agents may read pages of; none by default. */
  readonly webHosts: readonly string[];
  /** The address to listen on; the default is this machine alone. */
  readonly host: string;
  /** The address by which people of a team reach the server through a proxy with TLS. */
  readonly publicUrl?: string;
  /** 0 to 65535; 0 lets the system choose. */
  readonly port: number;
  /** Where people of a team sign in with accounts that they have elsewhere. */
  readonly signOn?: NamedProvider;
  /** How this process shares its database with others; absent: it is alone. */
  readonly cluster?: ClusterSettings;
  /** The secret that lets a browser in; without one, the server creates and keeps its own. */
  readonly token?: string;
  /** The catalogue's file; without one, `models.json` of the data folder, if it exists. */
  readonly models?: string;
  /** The file of MCP servers; without one, `mcp.json` of the data folder, if it exists. */
  readonly mcpConfig?: string;
  /** `provider/model` for new conversations; without one, the first in the list. */
  readonly model?: string;
  /** How much models that can think do think, in conversations that do not say. */
  readonly thinking: ThinkingLevel;
  /** What happens to a request that leaves too little of the window for a reply. */
  readonly whenFull: WhenFull;
  /** From which share of a model's window on branches are summed up, in percent; without it, 80. */
  readonly compactAt?: number | "off";
  /** Whether models are told that people changed their replies. */
  readonly tellEdits: "on" | "off";
  /** The file with the replies of the model `scripted/script`; without it, there is no such model. */
  readonly script?: string;
  /** The syntax for models without a setting of their own; without it, each model's default. */
  readonly toolSyntax?: string;
  /** How many calls a reply may make; without it, the syntax's default. */
  readonly toolPolicy?: CallPolicy;
  /** Which calls need a person; without it, those that reach outside. */
  readonly approvals?: ApprovalTier;
  /** The budget of conversations without one of their own; without it, no limit. */
  readonly budget?: Budget;
  /** Keys come from the environment, so that none is in this file or in a process list; see also `models/key-store.ts`. */
  readonly providers: ProviderConfig;
  readonly leaseTtlMs: number;
  /** How many days of each document's history are kept; without it, see `hubLimits.retention`. */
  readonly historyDays?: number;
  /** How fast the built-in models write: at once, for tests, or as fast as a person can follow. */
  readonly agentPace: "human" | "instant";
}

export interface ConfigurationSources {
  /** Long flags without their dashes. */
  readonly flags: Readonly<Record<string, string>>;
  readonly user: UserFolders;
  /** The one configuration file, in the user's own configuration folder; null where there is none. */
  readonly file: { readonly path: string; readonly text: string } | null;
  /** Returns the syntaxes that can be chosen with a data folder; the built-in ones if absent. */
  readonly syntaxesIn?: (dataFolder: string) => readonly Syntax[];
}

/** One setting and its sources. */
interface Setting {
  /** The form of a valid value, for the error message. */
  readonly form: string;
  readonly flag?: string;
  readonly env: string;
  /** Secrets of providers stay out of files. */
  readonly inFile: boolean;
}

const leaseTtlMsMin = 1_000;
const leaseTtlMsMax = 3_600_000;
const contextWindowMin = 256;
const historyDaysMax = 3_650;

const ownSettings = {
  data: { form: "a folder", flag: "data", env: "HEDDLE_DATA", inFile: true },
  store: {
    form: `an address that begins with ${databaseDrivers.map(({ schemes: [scheme] }) => `${scheme}://`).join(" or ")}`,
    flag: "store",
    env: "HEDDLE_DATABASE_URL",
    inFile: true,
  },
  ...blobSettings,
  workspace: { form: "a folder", flag: "workspace", env: "HEDDLE_WORKSPACE", inFile: true },
  workspaceBranch: { form: "a branch's name", flag: "workspace-branch", env: "HEDDLE_WORKSPACE_BRANCH", inFile: true },
  documents: { form: "all or git", flag: "documents", env: "HEDDLE_DOCUMENTS", inFile: true },
  canvasTools: { form: "on or off", flag: "canvas-tools", env: "HEDDLE_CANVAS_TOOLS", inFile: true },
  shell: { form: "on or off", flag: "shell", env: "HEDDLE_SHELL", inFile: true },
  shellHosts: {
    form: "host names such as registry.npmjs.org or *.example.org:443, separated by commas",
    flag: "shell-hosts",
    env: "HEDDLE_SHELL_HOSTS",
    inFile: true,
  },
  web: { form: "on or off", flag: "web", env: "HEDDLE_WEB", inFile: true },
  searchUrl: {
    form: "an address such as http://127.0.0.1:8888",
    flag: "search-url",
    env: "HEDDLE_SEARCH_URL",
    inFile: true,
  },
  webHosts: {
    form: "hosts such as wiki.example.lan or 127.0.0.1:9000, separated by commas",
    env: "HEDDLE_WEB_HOSTS",
    inFile: true,
  },
  webhookHosts: {
    form: "hosts such as hooks.example.lan or 127.0.0.1:9000, separated by commas",
    env: "HEDDLE_WEBHOOK_HOSTS",
    inFile: true,
  },
  host: { form: "an address", flag: "host", env: "HEDDLE_HOST", inFile: true },
  publicUrl: {
    form: "an https address without a path, such as https://heddle.example.org",
    flag: "public-url",
    env: "HEDDLE_PUBLIC_URL",
    inFile: true,
  },
  port: { form: "a whole number from 0 to 65535", flag: "port", env: "HEDDLE_PORT", inFile: true },
  ...clusterSettings,
  ...signOnSettings,
  // Not a flag: every user of the machine can read flags.
  token: { form: "at least 16 visible ASCII characters", env: "HEDDLE_TOKEN", inFile: true },
  models: { form: "a file", flag: "models", env: "HEDDLE_MODELS", inFile: true },
  mcpConfig: { form: "a file", flag: "mcp-config", env: "HEDDLE_MCP_CONFIG", inFile: true },
  model: { form: "provider/model", flag: "model", env: "HEDDLE_MODEL", inFile: true },
  contextWindow: {
    form: `a whole number of tokens from ${contextWindowMin}`,
    flag: "context-window",
    env: "HEDDLE_CONTEXT_WINDOW",
    inFile: true,
  },
  thinking: { form: "off, low, medium or high", flag: "thinking", env: "HEDDLE_THINKING", inFile: true },
  whenFull: { form: "refuse or clamp", flag: "when-full", env: "HEDDLE_WHEN_FULL", inFile: true },
  compactAt: {
    form: `${compactAtMin} to ${compactAtMax} (percent of a model's window), or off`,
    flag: "compact-at",
    env: "HEDDLE_COMPACT_AT",
    inFile: true,
  },
  tellEdits: { form: "on or off", flag: "tell-edits", env: "HEDDLE_TELL_EDITS", inFile: true },
  script: { form: "a file", flag: "script", env: "HEDDLE_SCRIPT", inFile: true },
  toolSyntax: { form: "the name of a tool syntax", flag: "tool-syntax", env: "HEDDLE_TOOL_SYNTAX", inFile: true },
  approvals: { form: "all, writes, outward or none", flag: "approvals", env: "HEDDLE_APPROVALS", inFile: true },
  budgetTokens: { form: "a whole number from 1", flag: "budget-tokens", env: "HEDDLE_BUDGET_TOKENS", inFile: true },
  budgetDollars: { form: "a number above 0", flag: "budget-dollars", env: "HEDDLE_BUDGET_DOLLARS", inFile: true },
  budgetSteps: { form: "a whole number from 1", flag: "budget-steps", env: "HEDDLE_BUDGET_STEPS", inFile: true },
  budgetSubAgents: {
    form: "a whole number from 0",
    flag: "budget-sub-agents",
    env: "HEDDLE_BUDGET_SUB_AGENTS",
    inFile: true,
  },
  toolPolicy: {
    form: "serial-one, smart, serial-all or parallel",
    flag: "tool-calls",
    env: "HEDDLE_TOOL_CALLS",
    inFile: true,
  },
  leaseTtlMs: {
    form: `a whole number of milliseconds from ${leaseTtlMsMin} to ${leaseTtlMsMax}`,
    flag: "lease-ttl-ms",
    env: "HEDDLE_LEASE_TTL_MS",
    inFile: true,
  },
  historyDays: {
    form: `a whole number of days from 0 to ${historyDaysMax}`,
    flag: "history-days",
    env: "HEDDLE_HISTORY_DAYS",
    inFile: true,
  },
  agentPace: { form: "human or instant", flag: "agent-pace", env: "HEDDLE_AGENT_PACE", inFile: true },
  compatibleBaseUrl: { form: "an http or https address", env: "HEDDLE_OPENAI_BASE_URL", inFile: true },
  compatibleModel: { form: "a model's name", env: "HEDDLE_OPENAI_MODEL", inFile: true },
} as const satisfies Readonly<Record<string, Setting>>;

/** Heddle's own settings, and those of each provider by the provider's row. */
const settings: Readonly<Record<string, Setting>> = {
  ...ownSettings,
  ...Object.fromEntries(
    providerSettings.map(({ name, env, what }): [string, Setting] => [
      name,
      what === "key" ? { form: "a key", env, inFile: false } : { form: "an http or https address", env, inFile: true },
    ]),
  ),
};

const text = v.pipe(v.string(), v.minLength(1));
const url = v.pipe(
  text,
  v.check((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)),
);

const publicUrl = v.pipe(
  text,
  v.check((value) => /^https:\/\/[^/?#@\s]+\/?$/iu.test(value) && URL.canParse(value)),
  v.transform((value) => new URL(value).origin),
);

const databaseUrl = v.pipe(
  text,
  v.check((value) => isDatabaseAddress(value)),
);

/** Names with at least one dot; the first label may be a wildcard, and each name may limit itself to a port. */
const hostName = /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d{1,5})?$/i;

/** A list: a JSON array (in the file), or names separated by commas. */
const hostNames = v.pipe(
  v.unknown(),
  v.transform((given) => (typeof given === "string" ? given.split(",") : given)),
  v.guard((list): list is readonly string[] => Array.isArray(list) && list.every((name) => typeof name === "string")),
  v.transform((list) => list.map((name) => name.trim()).filter((name) => name !== "")),
  v.check((names) => names.every((name) => hostName.test(name))),
);

/** A whole number: a JSON number (in the file), or decimal digits. */
function whole(least: number, most: number) {
  const digits = v.pipe(v.string(), v.regex(/^[0-9]{1,15}$/), v.transform(Number));
  return v.pipe(v.union([v.number(), digits]), v.integer(), v.minValue(least), v.maxValue(most));
}

/** An amount above 0: a JSON number (in the file), or decimal digits. */
const decimals = v.pipe(v.string(), v.regex(/^[0-9]{1,9}(?:\.[0-9]{1,6})?$/), v.transform(Number));
const dollars = v.pipe(v.union([v.number(), decimals]), v.finite(), v.gtValue(0));

const compactShare = v.pipe(
  v.union([v.number(), v.string()]),
  v.transform((given) => readCompactAt(String(given))),
  v.guard((share): share is number | "off" => share !== null),
);

const ownSchemas = {
  data: v.exactOptional(text),
  store: v.exactOptional(databaseUrl),
  ...blobSchemas,
  workspace: v.exactOptional(text),
  workspaceBranch: v.exactOptional(text),
  documents: v.exactOptional(v.picklist(["all", "git"]), "all"),
  canvasTools: v.exactOptional(v.picklist(["on", "off"]), "on"),
  shell: v.exactOptional(v.picklist(["on", "off"]), "on"),
  shellHosts: v.exactOptional(hostNames, []),
  webhookHosts: v.exactOptional(hostNames, []),
  web: v.exactOptional(v.picklist(["on", "off"]), "off"),
  searchUrl: v.exactOptional(v.pipe(text, v.regex(/^https?:\/\/\S+$/iu))),
  webHosts: v.exactOptional(hostNames, []),
  host: v.exactOptional(text, "127.0.0.1"),
  publicUrl: v.exactOptional(publicUrl),
  port: v.exactOptional(whole(0, 65_535), 7_420),
  ...clusterSchemas,
  ...signOnSchemas,
  token: v.exactOptional(v.pipe(v.string(), v.regex(/^[\x21-\x7e]{16,}$/))),
  models: v.exactOptional(text),
  mcpConfig: v.exactOptional(text),
  model: v.exactOptional(v.pipe(v.string(), v.regex(/^[^/\s]+\/\S+$/))),
  contextWindow: v.exactOptional(whole(contextWindowMin, Number.MAX_SAFE_INTEGER)),
  thinking: v.exactOptional(v.picklist(thinkingLevels), "medium"),
  whenFull: v.exactOptional(v.picklist(whenFullChoices), "refuse"),
  compactAt: v.exactOptional(compactShare),
  tellEdits: v.exactOptional(v.picklist(["on", "off"]), "on"),
  script: v.exactOptional(text),
  toolSyntax: v.exactOptional(text),
  toolPolicy: v.exactOptional(v.picklist(callPolicies)),
  approvals: v.exactOptional(v.picklist(approvalTiers)),
  budgetTokens: v.exactOptional(whole(1, Number.MAX_SAFE_INTEGER)),
  budgetDollars: v.exactOptional(dollars),
  budgetSteps: v.exactOptional(whole(1, Number.MAX_SAFE_INTEGER)),
  budgetSubAgents: v.exactOptional(whole(0, Number.MAX_SAFE_INTEGER)),
  leaseTtlMs: v.exactOptional(whole(leaseTtlMsMin, leaseTtlMsMax), leaseTtlMsDefault),
  historyDays: v.exactOptional(whole(0, historyDaysMax)),
  agentPace: v.exactOptional(v.picklist(["human", "instant"]), "human"),
  compatibleBaseUrl: v.exactOptional(url),
  compatibleModel: v.exactOptional(text),
} satisfies Record<keyof typeof ownSettings, v.GenericSchema>;

/** Keys and addresses of known providers. */
const providerSchemas = Object.fromEntries(
  providerSettings.map(({ name, what }) => [name, v.exactOptional(what === "key" ? text : url)]),
);

/** A value as given, and the name of its source. */
interface Given {
  readonly value: unknown;
  /** `--port`, `HEDDLE_PORT`, or the key in the file. */
  readonly key: string;
  /** The file's path; null for flags and variables. */
  readonly file: string | null;
}

/** Finds and checks every value, by its name. */
function readValues(sources: ConfigurationSources) {
  const file = readFile(sources.file);
  if (!file.ok) return file;
  const stray = strayFlag(sources.flags);
  if (stray !== null) return err(stray);
  const given = findAllGiven(sources, file.value);
  const values = Object.fromEntries([...given].map(([name, { value }]) => [name, value]));
  const parsed = v.safeParse(v.object(ownSchemas), values);
  const ofProviders = v.safeParse(v.object(providerSchemas), values);
  if (!parsed.success || !ofProviders.success) return err(firstMalformed(given, parsed.issues ?? ofProviders.issues));
  return ok({ given, own: parsed.output, ofProviders: ofProviders.output });
}

/** Reads the configuration. Refuses unknown keys and invalid values with INVALID_PARAMS, naming key and file. */
export function readConfiguration(sources: ConfigurationSources): Result<Configuration, Refusal> {
  const read = readValues(sources);
  if (!read.ok) return read;
  const { given, own, ofProviders } = read.value;
  const {
    data,
    store,
    workspace,
    workspaceBranch,
    documents,
    canvasTools,
    shell,
    shellHosts,
    webhookHosts,
    host,
    port,
    models,
    mcpConfig,
    model,
    thinking,
    whenFull,
    compactAt,
    tellEdits,
    script,
    toolSyntax,
    toolPolicy,
    approvals,
    budgetTokens: tokens,
    budgetDollars: money,
    budgetSteps: steps,
    budgetSubAgents: subAgents,
    agentPace,
    ...rest
  } = own;
  const { token, web, searchUrl, webHosts, publicUrl: open, leaseTtlMs, historyDays, ...others } = rest;
  const places = placesOf({ ...others, store, workspace });
  if (!places.ok) return places;
  const known = (): readonly Syntax[] => sources.syntaxesIn?.(data ?? platformDataFolder(sources.user)) ?? syntaxes;
  const syntax = toolSyntax === undefined ? ok(null) : findSyntax(known(), toolSyntax);
  if (!syntax.ok) return err(unknownSyntax(given.get("toolSyntax"), syntax.error));
  const budget = budgetOf({ tokens, dollars: money, steps, subAgents });
  return ok({
    data: data ?? platformDataFolder(sources.user),
    ...(store === undefined ? {} : { store }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(workspaceBranch === undefined ? {} : { workspaceBranch }),
    documents,
    canvasTools,
    shell,
    shellHosts,
    webhookHosts,
    ...webOf({ web, searchUrl, webHosts }),
    host,
    ...(open === undefined ? {} : { publicUrl: open }),
    port,
    ...places.value,
    ...(token === undefined ? {} : { token }),
    ...(models === undefined ? {} : { models }),
    ...(mcpConfig === undefined ? {} : { mcpConfig }),
    ...(model === undefined ? {} : { model }),
    thinking,
    whenFull,
    ...(compactAt === undefined ? {} : { compactAt }),
    tellEdits,
    ...(script === undefined ? {} : { script }),
    ...(toolSyntax === undefined ? {} : { toolSyntax }),
    ...(toolPolicy === undefined ? {} : { toolPolicy }),
    ...(approvals === undefined ? {} : { approvals }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
    providers: { ...serverOf(others), ...providersIn(ofProviders) },
    leaseTtlMs,
    ...(historyDays === undefined ? {} : { historyDays }),
    agentPace,
  });
}

/** Where other nodes and the images and files are. */
function placesOf(
  given: Parameters<typeof clusterOf>[0] & Parameters<typeof blobsOf>[0] & Parameters<typeof signOnOf>[0],
): Result<Pick<Configuration, "cluster" | "blobs" | "signOn">, Refusal> {
  const cluster = clusterOf(given);
  const blobs = blobsOf(given);
  const signOn = signOnOf(given);
  if (!cluster.ok) return cluster;
  if (!signOn.ok) return signOn;
  return blobs.ok ? ok({ ...cluster.value, ...blobs.value, ...signOn.value }) : blobs;
}

/** The settings of a model server of one's own. */
function serverOf({
  contextWindow,
  compatibleBaseUrl,
  compatibleModel,
}: Pick<ProviderConfig, "contextWindow" | "compatibleBaseUrl" | "compatibleModel">): ProviderConfig {
  return {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(compatibleBaseUrl === undefined ? {} : { compatibleBaseUrl }),
    ...(compatibleModel === undefined ? {} : { compatibleModel }),
  };
}

/** How agents reach the web. */
function webOf({
  web,
  searchUrl,
  webHosts,
}: {
  readonly web: "on" | "off";
  readonly searchUrl: string | undefined;
  readonly webHosts: readonly string[];
}): Pick<Configuration, "web" | "searchUrl" | "webHosts"> {
  return { web, webHosts, ...(searchUrl === undefined ? {} : { searchUrl }) };
}

/** Returns a budget of the limits that are set. */
function budgetOf(limits: { readonly [Limit in keyof Budget]-?: Budget[Limit] | undefined }): Budget {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}

/** Returns keys and addresses by the id of their provider; omits empty records. */
function providersIn(values: Readonly<Record<string, string | undefined>>): Pick<ProviderConfig, "keys" | "addresses"> {
  const recordOf = (wanted: ProviderSetting["what"]): Readonly<Record<string, string>> =>
    Object.fromEntries(
      providerSettings.flatMap(({ name, providerId, what }) => {
        const value = values[name];
        return what === wanted && value !== undefined ? [[providerId, value]] : [];
      }),
    );
  const [keys, addresses] = [recordOf("key"), recordOf("address")];
  return {
    ...(Object.keys(keys).length === 0 ? {} : { keys }),
    ...(Object.keys(addresses).length === 0 ? {} : { addresses }),
  };
}

const settingNames = Object.keys(settings);

function settingOf(name: string): Setting | undefined {
  return Object.hasOwn(settings, name) ? settings[name] : undefined;
}

function findAllGiven(sources: ConfigurationSources, file: JsonObject): ReadonlyMap<string, Given> {
  const found = settingNames.map((name) => [name, findGiven(name, sources, file)] as const);
  return new Map(found.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

function findGiven(name: string, sources: ConfigurationSources, file: JsonObject): Given | null {
  const { flag, env } = must(settingOf(name), `${name} is a setting`);
  const fromFlag = flag === undefined ? undefined : sources.flags[flag];
  if (fromFlag !== undefined) return { value: fromFlag, key: `--${flag}`, file: null };
  // An empty variable is a shell's way to unset it.
  const fromEnv = sources.user.env[env];
  if (fromEnv !== undefined && fromEnv !== "") return { value: fromEnv, key: env, file: null };
  const fromFile = file[name];
  return fromFile === undefined ? null : { value: fromFile, key: name, file: sources.file?.path ?? null };
}

function readFile(file: ConfigurationSources["file"]): Result<JsonObject, Refusal> {
  if (file === null) return ok({});
  const content = parseJson(file.text);
  if (!content.ok || !isJsonObject(content.value)) {
    const reason = content.ok ? "it is not a JSON object" : content.error;
    return err(refusal("INVALID_PARAMS", { file: file.path, reason }, `${file.path} could not be read: ${reason}.`));
  }
  for (const key of Object.keys(content.value)) {
    const refused = refusedFileKey(key, file.path);
    if (refused !== null) return err(refused);
  }
  return ok(content.value);
}

function parseJson(source: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(source));
  } catch (error) {
    return err(reasonOf(error));
  }
}

function refusedFileKey(key: string, file: string): Refusal | null {
  const setting = settingOf(key);
  if (setting === undefined) {
    const known = settingNames.filter((name) => settingOf(name)?.inFile === true).join(", ");
    return refusal(
      "INVALID_PARAMS",
      { key, file },
      `${file} has the unknown key "${key}". The known keys are ${known}.`,
    );
  }
  if (setting.inFile) return null;
  const instead = `${file} must not contain "${key}". Set the variable ${setting.env} instead.`;
  return refusal("INVALID_PARAMS", { key, file }, instead);
}

function strayFlag(flags: ConfigurationSources["flags"]): Refusal | null {
  const known = new Set(Object.values<Setting>(settings).map((setting) => setting.flag));
  const stray = Object.keys(flags).find((flag) => !known.has(flag));
  return stray === undefined ? null : refusal("INVALID_PARAMS", { key: `--${stray}` }, `There is no flag --${stray}.`);
}

/** Adds the source's name and the known syntaxes, which the reader needs. */
function unknownSyntax(given: Given | undefined, { details, message }: Refusal): Refusal {
  const key = given?.key ?? "toolSyntax";
  return refusal("INVALID_PARAMS", { key, ...details }, `${key}: ${message}`);
}

function firstMalformed(
  given: ReadonlyMap<string, Given>,
  issues: readonly v.BaseIssue<unknown>[] | undefined,
): Refusal {
  const name = settingNames.find((candidate) => candidate === issues?.[0]?.path?.[0]?.key) ?? "";
  const wrong = must(given.get(name), "only a value that was given can be wrong");
  return malformed(wrong, must(settingOf(name), `${name} is a setting`).form);
}

/** Does not repeat the value: it may be a secret in the wrong place. */
function malformed({ key, file }: Given, form: string): Refusal {
  const where = file === null ? key : `"${key}" in ${file}`;
  return refusal(
    "INVALID_PARAMS",
    { key, ...(file === null ? {} : { file }), expected: form },
    `${where} is not ${form}.`,
  );
}
