import type { KeyState, ProviderState } from "../../../src/core/protocol/base/provider-state.ts";

/** What a person reads of a provider's key: whether there is one, and where it comes from; never the key. */
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

/** Whether a key that is kept can be taken away here: one from the environment cannot. */
export function canRemoveKey(key: KeyState): boolean {
  return key.state === "other-address" || (key.state === "set" && key.from !== "environment");
}

/** The models of a provider in a few words. */
export function modelWords({ models, open }: Pick<ProviderState, "models" | "open">): string {
  if (models.length === 0) return open ? "Any model that you name" : "No models yet. Add one in the file below";
  const [first] = models;
  const rest = models.length - 1;
  return rest === 0 ? (first?.name ?? "") : `${first?.name ?? ""} and ${rest} more`;
}

/** Those in use first, then by name. */
export function inOrder(providers: readonly ProviderState[]): readonly ProviderState[] {
  const inUse = (provider: ProviderState): boolean => provider.key.state === "set" || provider.id === "local";
  return providers.toSorted((a, b) => Number(inUse(b)) - Number(inUse(a)) || a.name.localeCompare(b.name));
}
