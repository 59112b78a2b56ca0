import { geminiCompat } from "../gemini/compat.ts";

/** What one model behind the Interactions format accepts; the facts that differ between models. */
export interface InteractionsCompat {
  /** Whether the model takes a thinking level. */
  readonly thinking: boolean;
  /** The least thinking that can be requested. */
  readonly leastLevel: "minimal" | "low";
  /** Whether the first call of each step needs a signature of its origin. */
  readonly signedCalls: boolean;
  /** Whether the provider runs tools of its own beside functions. */
  readonly serverTools: boolean;
  readonly images: boolean;
}

/** The record of a model, read from its name by the rules of Google's other format. */
export function interactionsCompat(model: string): InteractionsCompat {
  const { thinking, leastLevel, signedCalls, serverTools, images } = geminiCompat(model);
  return { thinking: thinking !== "none", leastLevel, signedCalls, serverTools, images };
}
