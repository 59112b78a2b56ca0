/** What one model behind the Messages format takes; the facts that differ between models and servers. */
export interface AnthropicCompat {
  /** How it is asked to think: by effort, by a budget of tokens, or not at all. */
  readonly thinking: "adaptive" | "budget" | "none";
  /** How a model that thinks by itself is asked not to: by a word of its own, or by little effort where it cannot stop. */
  readonly thinkingOff: "disabled" | "low-effort";
  /** Whether it keeps its thinking to itself unless it is asked for a summary. */
  readonly thinkingHidden: boolean;
  readonly temperature: boolean;
  /** Whether a system message may stand inside a conversation; where not, it is folded into the user's turn. */
  readonly systemInside: boolean;
  /** Whether prompt prefixes are marked for its cache. */
  readonly caching: boolean;
  readonly images: boolean;
}

/** What any server that speaks the format can be expected to take. */
export const plainAnthropicCompat: AnthropicCompat = {
  thinking: "none",
  thinkingOff: "disabled",
  thinkingHidden: false,
  temperature: true,
  systemInside: false,
  caching: false,
  images: true,
};

/** The record of a Claude model, read from its name; unknown names count as the newest family. */
export function claudeCompat(model: string): AnthropicCompat {
  const version = claudeVersion(model);
  const adaptive = version >= 4.6;
  return {
    thinking: adaptive ? "adaptive" : version >= 3.7 ? "budget" : "none",
    thinkingOff: version >= 5.5 || /fable|mythos/.test(model) ? "low-effort" : "disabled",
    thinkingHidden: version >= 4.7,
    temperature: version < 4.7,
    systemInside: version >= 5 || (version >= 4.8 && model.includes("opus")),
    caching: true,
    images: true,
  };
}

/** 4.6 for `claude-sonnet-4-6-20260201`, 3.7 for `claude-3-7-sonnet`, infinite for a name without a version. */
function claudeVersion(model: string): number {
  const found = /claude-(?:[a-z]+-)?(\d)(?:[-.](\d)(?!\d))?/.exec(model);
  return found === null ? Number.POSITIVE_INFINITY : Number(`${found[1]}.${found[2] ?? 0}`);
}
