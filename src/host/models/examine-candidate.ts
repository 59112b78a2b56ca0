import {
  type ProviderConfig,
  type ProviderDeps,
  providersOf,
  type ReachedProvider,
} from "../../adapters/providers/catalogue.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { askProvider, type AskedProvider } from "./ask-providers.ts";

/** What a person typed and wants to try before it is stored. */
export interface Candidate {
  /** A known provider; what else is typed replaces its own. */
  readonly provider?: string;
  readonly address?: string;
  readonly api?: string;
  readonly key?: string;
}

/** The id of a server that has none yet. */
const unnamed = "new";

/**
 * Asks the server that a person typed for its models. A stored key goes to its own address alone: for another address the
 * key is typed again. No answer repeats the key.
 */
export async function examineCandidate(
  candidate: Candidate,
  config: ProviderConfig,
  deps: ProviderDeps,
): Promise<Result<AskedProvider, Refusal>> {
  const found = candidate.provider === undefined ? newServer(candidate, config) : knownServer(candidate, config);
  if (!found.ok) return found;
  const asked = await askProvider(found.value, config.entries ?? [], deps);
  const { apiKey } = found.value;
  const { problem } = asked;
  if (problem === null || apiKey === undefined) return ok(asked);
  return ok({ ...asked, problem: { ...problem, message: problem.message.replaceAll(apiKey, "[key]") } });
}

function knownServer({ provider, address, key }: Candidate, config: ProviderConfig): Result<ReachedProvider, Refusal> {
  const found = providersOf(config).find(({ id }) => id === provider);
  if (found === undefined) return err(refusal("NOT_FOUND", { provider: provider ?? "" }));
  const { apiKey: stored, ...bare } = found;
  const baseUrl = address ?? found.baseUrl;
  const apiKey = key ?? (baseUrl === found.baseUrl ? stored : undefined);
  return ok({ ...bare, baseUrl, ...(apiKey === undefined ? {} : { apiKey }) });
}

function newServer(
  { address, api = "openai-chat", key }: Candidate,
  config: ProviderConfig,
): Result<ReachedProvider, Refusal> {
  if (address === undefined)
    return err(refusal("INVALID_PARAMS", {}, "Which server? Give a provider, or the address of a server."));
  const server = { id: unnamed, name: "The server", api, baseUrl: address };
  const alone: ProviderConfig = {
    ...(config.known === undefined ? {} : { known: config.known }),
    added: [server],
    ...(key === undefined ? {} : { keys: { [unnamed]: key } }),
  };
  const found = providersOf(alone).find(({ id }) => id === unnamed);
  return found === undefined ? err(refusal("INVALID_PARAMS", { api }, `There is no format "${api}".`)) : ok(found);
}
