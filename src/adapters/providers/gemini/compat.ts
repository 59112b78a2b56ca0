/** What one model behind the generateContent format takes; the facts that differ between models. */
export interface GeminiCompat {
  /** How it is asked to think: by a level, by a budget of tokens, or not at all. */
  readonly thinking: "level" | "budget" | "none";
  /** The least that it can be asked to think: a level, or a budget in tokens. */
  readonly leastLevel: "minimal" | "low";
  readonly leastBudget: number;
  /** Whether calls and results carry ids; where not, results are told apart by their order. */
  readonly callIds: boolean;
  /** Whether the first call of each step must prove where it comes from. */
  readonly signedCalls: boolean;
  /** Whether a result may hold images; where not, they follow in a message of their own. */
  readonly resultParts: boolean;
  readonly images: boolean;
}

/** What any model behind the format can be expected to take. */
const plainGeminiCompat: GeminiCompat = {
  thinking: "none",
  leastLevel: "low",
  leastBudget: 0,
  callIds: false,
  signedCalls: false,
  resultParts: false,
  images: true,
};

/** The record of a model, read from its name; a Gemini without a number counts as the newest. */
export function geminiCompat(model: string): GeminiCompat {
  const version = geminiVersion(model);
  // A model that draws takes no instructions on how to think.
  if (version < 2.5 || model.includes("image")) return { ...plainGeminiCompat, ...ofThree(version) };
  if (version < 3) return { ...plainGeminiCompat, thinking: "budget", leastBudget: model.includes("pro") ? 128 : 0 };
  return {
    ...plainGeminiCompat,
    thinking: "level",
    leastLevel: model.includes("pro") ? "low" : "minimal",
    ...ofThree(version),
  };
}

function ofThree(version: number): Pick<GeminiCompat, "callIds" | "signedCalls" | "resultParts"> {
  const since = version >= 3;
  return { callIds: since, signedCalls: since, resultParts: since };
}

/** 3.1 for `gemini-3.1-pro-preview`, infinite for `gemini-flash-latest`, 0 for what is no Gemini. */
function geminiVersion(model: string): number {
  if (!model.includes("gemini")) return 0;
  const found = /gemini-(\d+(?:\.\d+)?)/.exec(model);
  return found === null ? Number.POSITIVE_INFINITY : Number(found[1]);
}
