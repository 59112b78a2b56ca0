import { err, ok } from "../../core/base/result.ts";
import type { Store } from "../../core/port/store.ts";
import { metaKeys } from "../base/meta-keys.ts";
import { notStored } from "../base/store-refusal.ts";
import type { KeptChoices } from "./types.ts";
import { readChoices } from "./provider-choices.ts";

/** Opens what people chose about providers, as the store keeps it. */
export async function openStoredChoices(store: Store): Promise<KeptChoices> {
  return {
    known: readChoices(await store.meta(metaKeys.providerChoices)),
    async save({ added, addresses, models, defaultModel }) {
      const value = {
        added: added.map((each) => ({ ...each })),
        addresses: { ...addresses },
        models: Object.fromEntries(Object.entries(models).map(([id, names]) => [id, [...names]])),
        defaultModel,
      };
      const stored = await store.commit([{ type: "put-meta", key: metaKeys.providerChoices, value }]);
      return stored.ok ? ok(undefined) : err(notStored(stored.error));
    },
  };
}
