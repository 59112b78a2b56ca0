/** What one model behind the Responses format accepts; the facts that differ between models and servers. */
export interface ResponsesCompat {
  /** Whether the model reasons, accepts an effort, and returns its reasoning encrypted. */
  readonly reasoning: boolean;
  /** The least effort that it accepts, for requests without thinking. */
  readonly leastEffort: "none" | "minimal" | "low" | "high";
  readonly temperature: boolean;
  /** The role of instructions inside a conversation. */
  readonly systemRole: "developer" | "system";
  readonly images: boolean;
  /** Whether requests of one conversation carry one key, by which the server finds its cache. */
  readonly cacheKey: boolean;
  /** Whether the server runs tools of its own. */
  readonly serverTools: boolean;
}

/** The facts that any server with this format can be expected to share. */
const plainResponsesCompat: ResponsesCompat = {
  reasoning: false,
  leastEffort: "low",
  temperature: true,
  systemRole: "system",
  images: true,
  cacheKey: true,
  serverTools: false,
};

/** The record of an OpenAI model, read from its name; other names count as models that do not reason. */
export function responsesCompat(model: string): ResponsesCompat {
  if (/^o\d/.test(model)) return reasoning("low");
  const version = /^gpt-(\d+(?:\.\d+)?)/.exec(model);
  if (version === null) return plainResponsesCompat;
  if (model.includes("chat")) return { ...plainResponsesCompat, serverTools: true };
  const number = Number(version[1]);
  if (number < 5) return { ...plainResponsesCompat, serverTools: number >= 4 };
  if (/-pro\b/.test(model)) return reasoning("high");
  if (model.includes("codex")) return reasoning("low");
  return reasoning(number < 5.1 ? "minimal" : "none");
}

/** OpenAI's reasoning models refuse a temperature. */
function reasoning(leastEffort: ResponsesCompat["leastEffort"]): ResponsesCompat {
  return {
    ...plainResponsesCompat,
    reasoning: true,
    leastEffort,
    temperature: false,
    systemRole: "developer",
    serverTools: true,
  };
}
