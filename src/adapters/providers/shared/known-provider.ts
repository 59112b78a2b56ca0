import type { NonEmptyArray } from "../../../core/base/non-empty.ts";
import type { MediaLimits } from "../../../core/port/language-model.ts";
import type { ProviderFormat } from "./format.ts";
import type { KnownModel } from "./known-models.ts";

/** A provider that Heddle knows without being told. */
export interface KnownProvider {
  /** The part of a model's name before the slash. */
  readonly id: string;
  readonly name: string;
  /** The formats that it speaks, the usual one first. */
  readonly formats: NonEmptyArray<ProviderFormat>;
  /** The format of one of its models, where not all are reached in the usual one. */
  readonly formatOf?: (model: string, known: KnownModel | undefined) => ProviderFormat;
  readonly baseUrl: string;
  /** The environment variable of its key; null for a server of one's own, which needs none. */
  readonly keyVariable: string | null;
  /** The environment variable that names a gateway in place of `baseUrl`. */
  readonly addressVariable?: string;
  readonly models: readonly KnownModel[];
  /** The largest image or file that it takes, where it says so. */
  readonly media?: MediaLimits;
}

/** Every format that one of the providers speaks, each once. */
export function formatsOf(providers: readonly KnownProvider[]): readonly ProviderFormat[] {
  return [...new Set(providers.flatMap(({ formats }) => formats))];
}
