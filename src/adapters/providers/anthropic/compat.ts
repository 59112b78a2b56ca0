/** What one model behind the Messages format accepts; the facts that differ between models and servers. */
export interface AnthropicCompat {
  /** How to request thinking: by effort, by a budget of tokens, or not at all. */
  readonly thinking: "adaptive" | "budget" | "none";
  /** How to turn thinking off for a model that thinks by default: `disabled`, or low effort where it cannot stop. */
  readonly thinkingOff: "disabled" | "low-effort";
  /** Whether the model hides its thinking unless a summary is requested. */
  readonly thinkingHidden: boolean;
  readonly temperature: boolean;
  /** Whether a system message is allowed inside a conversation; if not, it is folded into the user's message. */
  readonly systemInside: boolean;
  /** Whether prompt prefixes are marked for the provider's cache. */
  readonly caching: boolean;
  readonly images: boolean;
  /** Whether a request may end with the beginning of the reply. */
  readonly prefill: boolean;
  /** Whether the server runs tools of its own. */
  readonly serverTools: boolean;
}

/** The facts that any server with this format can be expected to share. */
export const plainAnthropicCompat: AnthropicCompat = {
  thinking: "none",
  thinkingOff: "disabled",
  thinkingHidden: false,
  temperature: true,
  systemInside: false,
  caching: false,
  images: true,
  prefill: false,
  serverTools: false,
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
    prefill: version < 4.6,
    serverTools: version >= 3.7,
  };
}

/** 4.6 for `claude-sonnet-4-6-20260201`, 3.7 for `claude-3-7-sonnet`, infinite for a name without a version. */
function claudeVersion(model: string): number {
  const found = /claude-(?:[a-z]+-)?(\d)(?:[-.](\d)(?!\d))?/.exec(model);
  return found === null ? Number.POSITIVE_INFINITY : Number(`${found[1]}.${found[2] ?? 0}`);
}
