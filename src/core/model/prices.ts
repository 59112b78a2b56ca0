/** US dollars for a million tokens. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  /** Input that the provider still had from before; `input` where it is left out. */
  readonly cachedInput?: number;
  /** Input that the provider wrote to its cache; `input` where it is left out. */
  readonly cacheWrite?: number;
}

/** What a model costs, in US dollars for a million tokens. */
export interface ModelPrices extends TokenPrices {
  /** What a request whose input is of more than `above` tokens costs instead, all of it, output too. */
  readonly longPrompt?: TokenPrices & { readonly above: number };
}
