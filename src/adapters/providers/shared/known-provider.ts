import type { NonEmptyArray } from "../../../core/base/non-empty.ts";
import type { MediaLimits } from "../../../core/port/language-model.ts";
import type { ProviderFormat } from "./format.ts";
import type { KnownModel } from "./known-models.ts";

type ServerAsks = "list" | "show";

/** A provider that Heddle knows without configuration. */
export interface KnownProvider {
  /** The part of a model's name before the slash. */
  readonly id: string;
  readonly name: string;
  /** The formats that the provider speaks, the usual one first. */
  readonly formats: NonEmptyArray<ProviderFormat>;
  /** Chooses the format of a model, where not all models use the usual one. */
  readonly formatOf?: (model: string, known: KnownModel | undefined) => ProviderFormat;
  readonly baseUrl: string;
  /** The environment variable of its key; null for a self-hosted server, which needs none. */
  readonly keyVariable: string | null;
  /** The environment variable that names a gateway in place of `baseUrl`. */
  readonly addressVariable?: string;
  readonly models: readonly KnownModel[];
  /**
   * What the server is asked of its models: their `list`, or with `show` also each model's window, by the routes of servers
   * that people run. Absent: nothing, since `models` says it.
   */
  readonly asks?: ServerAsks;
  /** The largest image or file that it accepts, where documented. */
  readonly media?: MediaLimits;
}

/** Returns every format that one of the providers speaks, each once. */
export function formatsOf(providers: readonly KnownProvider[]): readonly ProviderFormat[] {
  return [...new Set(providers.flatMap(({ formats }) => formats))];
}
