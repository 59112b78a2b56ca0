import * as v from "valibot";
import type { AddedProvider } from "../../adapters/providers/catalogue.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";

/** What people chose in the app about providers; their keys are elsewhere, sealed. */
export interface ProviderChoices {
  readonly added: readonly AddedProvider[];
  /** Addresses in place of the known ones, by the id of their provider. */
  readonly addresses: Readonly<Record<string, string>>;
  /** The models to offer, by the id of their provider. */
  readonly models: Readonly<Record<string, readonly string[]>>;
  /** The model of new conversations, as `provider/model`. */
  readonly defaultModel: string | null;
}

export const noChoices: ProviderChoices = { added: [], addresses: {}, models: {}, defaultModel: null };

const addedMax = 64;

const shape = v.object({
  added: v.array(v.object({ id: v.string(), name: v.string(), api: v.string(), baseUrl: v.string() })),
  addresses: v.record(v.string(), v.string()),
  models: v.record(v.string(), v.array(v.string())),
  defaultModel: v.nullable(v.string()),
});

/** Reads stored choices; unreadable ones are none. */
export function readChoices(stored: unknown): ProviderChoices {
  const read = v.safeParse(shape, stored);
  return read.success ? read.output : noChoices;
}

/** Adds a server under an id made from its name, which no other provider has. */
export function withAdded(
  choices: ProviderChoices,
  server: Omit<AddedProvider, "id">,
  taken: readonly string[],
): Result<{ readonly choices: ProviderChoices; readonly id: string }, Refusal> {
  if (choices.added.length >= addedMax) {
    const message = `There are ${addedMax} added providers already. Remove one that nobody uses.`;
    return err(refusal("CONFLICT", { limit: addedMax }, message));
  }
  const id = freeId(server.name, taken);
  return ok({ id, choices: { ...choices, added: [...choices.added, { id, ...server }] } });
}

/** Changes the address of a provider; null takes back the one that replaced a known address. */
export function withAddress(choices: ProviderChoices, id: string, address: string | null): ProviderChoices {
  const isAdded = choices.added.some((each) => each.id === id);
  if (isAdded && address === null) return choices;
  if (isAdded) {
    const added = choices.added.map((each) => (each.id === id ? { ...each, baseUrl: address ?? each.baseUrl } : each));
    return { ...choices, added };
  }
  const { [id]: _before, ...others } = choices.addresses;
  return { ...choices, addresses: address === null ? others : { ...others, [id]: address } };
}

/** Chooses the models to offer of a provider; null: all that are known. */
export function withModels(choices: ProviderChoices, id: string, models: readonly string[] | null): ProviderChoices {
  const { [id]: _before, ...others } = choices.models;
  return { ...choices, models: models === null ? others : { ...others, [id]: [...new Set(models)] } };
}

/** Forgets everything about a provider that was added. */
export function without(choices: ProviderChoices, id: string): ProviderChoices {
  const isDefault = choices.defaultModel?.startsWith(`${id}/`) === true;
  return {
    ...withModels(choices, id, null),
    added: choices.added.filter((each) => each.id !== id),
    defaultModel: isDefault ? null : choices.defaultModel,
  };
}

/** Ids that mean something else before a slash. */
const reserved = new Set(["alias", "scripted", "agent", "local"]);

function freeId(name: string, taken: readonly string[]): string {
  const letters = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 40);
  const base = letters === "" ? "server" : letters;
  const used = new Set([...taken, ...reserved]);
  const candidates = [base, ...Array.from({ length: used.size + 1 }, (_, at) => `${base}-${at + 2}`)];
  return candidates.find((id) => !used.has(id)) ?? base;
}
