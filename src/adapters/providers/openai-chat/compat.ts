/** What one server behind the Chat Completions format takes and gives; the facts that differ between servers. */
export interface ChatCompat {
  readonly maxTokensField: "max_completion_tokens" | "max_tokens";
  /** The role of instructions. */
  readonly systemRole: "system" | "developer";
  /** Whether instructions may stand inside a conversation; where not, they are folded into the user's turn. */
  readonly systemInside: boolean;
  /** Whether a message may be a list of texts; where not, its texts are joined by a blank line. */
  readonly textLists: boolean;
  /** Whether messages of one role may stand side by side; where not, they are joined, as templates of local models refuse them. */
  readonly adjacentRoles: boolean;
  readonly images: boolean;
  /** Whether a tool message may hold images; where not, they follow in a user's message. */
  readonly imageInToolResult: boolean;
  readonly streamUsage: boolean;
  readonly parallelToolCalls: boolean;
  /** Whether a tool message repeats the tool's name. */
  readonly toolResultName: boolean;
  /** How much to think is asked by this field; `none` asks nothing. */
  readonly thinkingField: "reasoning_effort" | "reasoning" | "thinking" | "none";
  /** Where a model's own earlier thinking is sent back; `none` leaves it out. */
  readonly thinkingReplay: "reasoning_content" | "reasoning" | "reasoning_details" | "content" | "none";
  readonly toolIds: "plain" | "nine-characters";
  readonly temperature: boolean;
  /** `store: false`, for servers that would keep the request. */
  readonly storeField: boolean;
}

/** What any server that claims the format can be expected to take. */
export const plainChatCompat: ChatCompat = {
  maxTokensField: "max_tokens",
  systemRole: "system",
  systemInside: false,
  textLists: false,
  adjacentRoles: false,
  images: true,
  imageInToolResult: false,
  streamUsage: true,
  parallelToolCalls: false,
  toolResultName: false,
  thinkingField: "none",
  thinkingReplay: "none",
  toolIds: "plain",
  temperature: true,
  storeField: false,
};

/** The known servers, by the name that a configuration uses. */
export const chatCompats = {
  openai: {
    ...plainChatCompat,
    maxTokensField: "max_completion_tokens",
    systemRole: "developer",
    systemInside: true,
    textLists: true,
    adjacentRoles: true,
    thinkingField: "reasoning_effort",
    storeField: true,
  },
  "llama.cpp": { ...plainChatCompat, thinkingReplay: "reasoning_content" },
  ollama: { ...plainChatCompat, thinkingReplay: "reasoning", thinkingField: "reasoning_effort" },
  vllm: { ...plainChatCompat, thinkingReplay: "reasoning" },
  deepseek: { ...plainChatCompat, thinkingReplay: "reasoning_content", thinkingField: "thinking" },
  mistral: {
    ...plainChatCompat,
    streamUsage: false,
    toolIds: "nine-characters",
    toolResultName: true,
    thinkingReplay: "content",
  },
  openrouter: {
    ...plainChatCompat,
    systemInside: true,
    textLists: true,
    adjacentRoles: true,
    thinkingField: "reasoning",
    thinkingReplay: "reasoning_details",
  },
  groq: { ...plainChatCompat, maxTokensField: "max_completion_tokens", thinkingReplay: "reasoning" },
  perplexity: { ...plainChatCompat, streamUsage: false },
  other: plainChatCompat,
} as const satisfies Record<string, ChatCompat>;

export type ChatServer = keyof typeof chatCompats;

/** Guesses the server from its base URL: by host, and for one's own machine by the port that each uses unless told otherwise. */
export function chatServerOf(baseUrl: string): ChatServer {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    return "other";
  }
  const known = hosts.find(([suffix]) => url.hostname === suffix || url.hostname.endsWith(`.${suffix}`));
  return known?.[1] ?? ports[url.port] ?? "other";
}

const hosts: readonly (readonly [string, ChatServer])[] = [
  ["api.openai.com", "openai"],
  ["openai.azure.com", "openai"],
  ["ollama.com", "ollama"],
  ["api.deepseek.com", "deepseek"],
  ["api.mistral.ai", "mistral"],
  ["openrouter.ai", "openrouter"],
  ["api.groq.com", "groq"],
  ["api.perplexity.ai", "perplexity"],
];

const ports: Readonly<Record<string, ChatServer>> = { "11434": "ollama", "8080": "llama.cpp", "8000": "vllm" };

/** The record for a client that wrote the format itself: it knows what its server takes. */
export function clientCompat(compat: ChatCompat): ChatCompat {
  return {
    ...compat,
    textLists: true,
    adjacentRoles: true,
    imageInToolResult: true,
    toolResultName: false,
    thinkingReplay: "none",
  };
}

/** OpenAI's reasoning models refuse a temperature, and its other models refuse an effort. */
export function openAiModelCompat(model: string, compat: ChatCompat): ChatCompat {
  if (compat.thinkingField !== "reasoning_effort" || compat.systemRole !== "developer") return compat;
  const reasons = /^(?:o\d|gpt-(?:[5-9]|\d\d))/.test(model) && !model.includes("chat");
  return reasons ? { ...compat, temperature: false } : { ...compat, systemRole: "system", thinkingField: "none" };
}
