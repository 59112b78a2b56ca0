import type { Refusal } from "../../core/base/errors.ts";
import { ok, type Result } from "../../core/base/result.ts";

/** Secrets beside the store, each sealed for one address. */
export interface SealedValues {
  /** Returns a secret; null if there is none for this address, or it cannot be opened here. */
  get(name: string, address: string): string | null;
  set(name: string, secret: string, address: string): Promise<Result<void, Refusal>>;
  /** Harmless when there is none. */
  remove(name: string): Promise<Result<void, Refusal>>;
}

/** Keeps secrets in memory, for workspaces without a data folder. */
export function memorySealedValues(): SealedValues {
  const values = new Map<string, { readonly secret: string; readonly address: string }>();
  return {
    get: (name, address) => {
      const kept = values.get(name);
      return kept?.address === address ? kept.secret : null;
    },
    set: async (name, secret, address) => {
      values.set(name, { secret, address });
      return ok(undefined);
    },
    remove: async (name) => {
      values.delete(name);
      return ok(undefined);
    },
  };
}
