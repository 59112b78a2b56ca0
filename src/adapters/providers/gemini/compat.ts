/** What one model behind the generateContent format accepts; the facts that differ between models. */
export interface GeminiCompat {
  /** How to request thinking: by a level, by a budget of tokens, or not at all. */
  readonly thinking: "level" | "budget" | "none";
  /** The least thinking that can be requested: a level, or a budget in tokens. */
  readonly leastLevel: "minimal" | "low";
  readonly leastBudget: number;
  /** Whether calls and results carry ids; if not, results are matched by their order. */
  readonly callIds: boolean;
  /** Whether the first call of each step needs a signature of its origin. */
  readonly signedCalls: boolean;
  /** Whether a result may hold images; if not, they follow in a message of their own. */
  readonly resultParts: boolean;
  /** Whether the provider runs tools of its own beside functions. */
  readonly serverTools: boolean;
  readonly images: boolean;
}

/** The facts that any model behind the format can be expected to share. */
const plainGeminiCompat: GeminiCompat = {
  thinking: "none",
  leastLevel: "low",
  leastBudget: 0,
  callIds: false,
  signedCalls: false,
  resultParts: false,
  serverTools: false,
  images: true,
};

/** The record of a model, read from its name; a Gemini without a number counts as the newest. */
export function geminiCompat(model: string): GeminiCompat {
  const version = geminiVersion(model);
  // Image models accept no thinking settings.
  if (version < 2.5 || model.includes("image")) return { ...plainGeminiCompat, ...ofThree(version) };
  if (version < 3) return { ...plainGeminiCompat, thinking: "budget", leastBudget: model.includes("pro") ? 128 : 0 };
  return {
    ...plainGeminiCompat,
    thinking: "level",
    leastLevel: model.includes("pro") ? "low" : "minimal",
    ...ofThree(version),
  };
}

function ofThree(version: number): Pick<GeminiCompat, "callIds" | "signedCalls" | "resultParts" | "serverTools"> {
  const since = version >= 3;
  return { callIds: since, signedCalls: since, resultParts: since, serverTools: since };
}

/** 3.1 for `gemini-3.1-pro-preview`, infinite for `gemini-flash-latest`, 0 for other names. */
function geminiVersion(model: string): number {
  if (!model.includes("gemini")) return 0;
  const found = /gemini-(\d+(?:\.\d+)?)/.exec(model);
  return found === null ? Number.POSITIVE_INFINITY : Number(found[1]);
}
