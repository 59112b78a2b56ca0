/** The day on which the prices of Heddle's own table of models were last read from the providers' pages. */
export const pricesDay = "2026-11-20";

/** Prices in US dollars per million tokens. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  /** Input that hits the provider's cache; defaults to `input`. */
  readonly cachedInput?: number;
  /** Input that the provider writes to its cache; defaults to `input`. */
  readonly cacheWrite?: number;
}

/** The prices of a model, in US dollars per million tokens. */
export interface ModelPrices extends TokenPrices {
  /** Prices of a whole request, output included, when its input exceeds `above` tokens. */
  readonly longPrompt?: TokenPrices & { readonly above: number };
}
