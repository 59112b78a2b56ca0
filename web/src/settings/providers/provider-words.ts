import type { CommandAnswer } from "../../../../src/core/protocol/commands.ts";
import type { KeyState, ProviderState } from "../../../../src/core/protocol/base/provider-state.ts";

/** Describes a provider's key: whether it is set and its source; never the key. */
export function keyWords(key: KeyState): string {
  switch (key.state) {
    case "none":
      return "No key";
    case "not-needed":
      return "Needs no key";
    case "other-address":
      return "The stored key is for another address. Set it again";
    case "set": {
      const place = { environment: "set in the environment", file: "set in keys.json", app: "set here" }[key.from];
      return key.ending === null ? `Key ${place}` : `Key ${place}, ends in …${key.ending}`;
    }
  }
}

/** Returns whether a key can be removed here; a key from the environment cannot. */
export function canRemoveKey(key: KeyState): boolean {
  return key.state === "other-address" || (key.state === "set" && key.from !== "environment");
}

/** Describes a provider's models in a few words. */
export function modelWords({ models, open }: Pick<ProviderState, "models" | "open">): string {
  if (models.length === 0) return open ? "Any model that you name" : "No models yet. Set a key to see them";
  const [first] = models;
  const rest = models.length - 1;
  return rest === 0 ? (first?.name ?? "") : `${first?.name ?? ""} and ${rest} more`;
}

/** Sorts providers: those with a key first, then by name. */
export function inOrder(providers: readonly ProviderState[]): readonly ProviderState[] {
  const inUse = (provider: ProviderState): boolean => provider.key.state === "set" || provider.id === "local";
  return providers.toSorted((a, b) => Number(inUse(b)) - Number(inUse(a)) || a.name.localeCompare(b.name));
}

/** Describes how much a model takes. */
export function windowWords({ window, windowSet }: ProviderState["models"][number]): string {
  if (window === null) return "window unknown";
  return `${new Intl.NumberFormat().format(window)} tokens${windowSet ? ", set here" : ""}`;
}

/** Returns the window that a person typed, in tokens; null while it is none. */
export function windowIn(text: string): number | null {
  const digits = text.replaceAll(/[\s.,_]/gu, "");
  const tokens = /^\d{1,12}$/u.test(digits) ? Number(digits) : 0;
  return tokens >= 256 ? tokens : null;
}

/** Says what a test of a provider found, in a sentence. */
export function testWords({ problem, models }: CommandAnswer<"provider.test">): string {
  if (problem !== null) return problem.message;
  if (models.length === 0) return "It answers, but lists no models. Name one below.";
  return models.length === 1 ? "It works. It has 1 model." : `It works. It has ${models.length} models.`;
}

/** A model that can be ticked: the provider's name of it, and the name for people. */
interface TickedModel {
  readonly model: string;
  readonly name: string;
  readonly isOffered: boolean;
}

/** Lists what a provider has and what is offered of it: offered first, then by name; `words` filters. */
export function tickedModels(
  provider: Pick<ProviderState, "id" | "models">,
  found: readonly { readonly id: string; readonly name: string }[],
  words: string,
): readonly TickedModel[] {
  const offered = new Map(provider.models.map(({ id, name }) => [id, name]));
  const all = new Map([...offered, ...found.map(({ id, name }): [string, string] => [id, name])]);
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return [...all]
    .filter(([id, name]) => wanted.every((word) => `${id} ${name}`.toLowerCase().includes(word)))
    .map(([id, name]) => ({ model: id.slice(id.indexOf("/") + 1), name, isOffered: offered.has(id) }))
    .toSorted((a, b) => Number(b.isOffered) - Number(a.isOffered) || a.name.localeCompare(b.name));
}
