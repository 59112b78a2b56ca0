import { knownProviders } from "../../adapters/providers/catalogue-providers.ts";
import type { KnownProvider } from "../../adapters/providers/shared/known-provider.ts";

/** One setting of a known provider: its key, or a gateway in place of its address. */
export interface ProviderSetting {
  /** Its name in the configuration file: `anthropicBaseUrl` for ANTHROPIC_BASE_URL. */
  readonly name: string;
  readonly env: string;
  readonly providerId: string;
  readonly what: "key" | "address";
}

/** The settings of every provider, from its row in the table. */
export const providerSettings: readonly ProviderSetting[] = knownProviders.flatMap(settingsOf);

function settingsOf({ id, keyVariable, addressVariable }: KnownProvider): readonly ProviderSetting[] {
  const setting = (env: string, what: ProviderSetting["what"]): ProviderSetting => ({
    name: settingName(env),
    env,
    providerId: id,
    what,
  });
  return [
    ...(keyVariable === null ? [] : [setting(keyVariable, "key")]),
    ...(addressVariable === undefined ? [] : [setting(addressVariable, "address")]),
  ];
}

/** Converts ANTHROPIC_API_KEY to anthropicApiKey. */
function settingName(env: string): string {
  return env.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
