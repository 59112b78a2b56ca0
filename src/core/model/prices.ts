/** US dollars for a million tokens. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
  /** Input that the provider still had from before; `input` where it is left out. */
  readonly cachedInput?: number;
}
