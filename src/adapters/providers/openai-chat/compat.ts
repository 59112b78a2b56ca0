/** What one server behind the Chat Completions format accepts and sends; the facts that differ between servers. */
export interface ChatCompat {
  readonly maxTokensField: "max_completion_tokens" | "max_tokens";
  /** The role of instructions. */
  readonly systemRole: "system" | "developer";
  /** Whether instructions are allowed inside a conversation; if not, they are folded into the user's message. */
  readonly systemInside: boolean;
  /** Whether a message may be a list of texts; if not, its texts are joined by a blank line. */
  readonly textLists: boolean;
  /**
   * Whether adjacent messages may have the same role; if not, they are joined, since templates of local models refuse them.
   */
  readonly adjacentRoles: boolean;
  readonly images: boolean;
  /** Whether a tool message may hold images; if not, they follow in a user's message. */
  readonly imageInToolResult: boolean;
  readonly streamUsage: boolean;
  /** Whether a stream gives a finish reason; if not, a stream that ends after some words is complete. */
  readonly finishReason: boolean;
  readonly parallelToolCalls: boolean;
  /** Whether a tool message repeats the tool's name. */
  readonly toolResultName: boolean;
  /** Whether the assistant must say something between a tool's result and a person's words. */
  readonly assistantAfterResults: boolean;
  /** The field that requests a thinking effort; `none` requests nothing. */
  readonly thinkingField:
    | "reasoning_effort"
    | "reasoning"
    | "thinking"
    | "enable_thinking"
    | "chat_template_kwargs"
    | "none";
  /** Where a model's own earlier thinking is sent back: in a field, in the content, as plain text; `none` leaves it out. */
  readonly thinkingReplay: "reasoning_content" | "reasoning" | "reasoning_details" | "content" | "text" | "none";
  /** Whether a message with calls has the thinking field even when there is no thinking to send. */
  readonly thinkingWithCalls: boolean;
  readonly toolIds: "plain" | "nine-characters";
  readonly temperature: boolean;
  /** `store: false`, for servers that would keep the request. */
  readonly storeField: boolean;
  /** How the server is asked to search the web itself. */
  readonly webSearch: "plugin" | "none";
  /** Whether requests of one conversation carry one key, by which the server finds its cache. */
  readonly cacheKey: boolean;
  /** Whether Claude's cache is marked in the content, for servers that pass the marks on. */
  readonly cacheMarks: boolean;
  /**
   * How a request ends with the beginning of the reply: with that message alone, with the message marked by `prefix`, or with
   * `continue_final_message`; `none` where the server always begins another message.
   */
  readonly prefill: "last-message" | "prefix" | "continue_final_message" | "none";
}

/** The facts that any server with this format can be expected to share. */
export const plainChatCompat: ChatCompat = {
  maxTokensField: "max_tokens",
  systemRole: "system",
  systemInside: false,
  textLists: false,
  adjacentRoles: false,
  images: true,
  imageInToolResult: false,
  streamUsage: true,
  finishReason: true,
  parallelToolCalls: false,
  toolResultName: false,
  assistantAfterResults: false,
  thinkingField: "none",
  thinkingReplay: "none",
  thinkingWithCalls: false,
  toolIds: "plain",
  temperature: true,
  storeField: false,
  webSearch: "none",
  cacheKey: false,
  cacheMarks: false,
  prefill: "none",
};

/** The facts of services that read the format as OpenAI does. */
const hosted: ChatCompat = { ...plainChatCompat, textLists: true, adjacentRoles: true };

/** The known servers, by the name that a configuration uses. */
export const chatCompats = {
  openai: {
    ...hosted,
    maxTokensField: "max_completion_tokens",
    systemRole: "developer",
    systemInside: true,
    thinkingField: "reasoning_effort",
    storeField: true,
    cacheKey: true,
  },
  "llama.cpp": {
    ...plainChatCompat,
    thinkingField: "chat_template_kwargs",
    thinkingReplay: "reasoning_content",
    prefill: "last-message",
  },
  ollama: { ...plainChatCompat, thinkingReplay: "reasoning", thinkingField: "reasoning_effort" },
  vllm: {
    ...plainChatCompat,
    thinkingField: "chat_template_kwargs",
    thinkingReplay: "reasoning",
    prefill: "continue_final_message",
  },
  deepseek: {
    ...plainChatCompat,
    thinkingField: "thinking",
    thinkingReplay: "reasoning_content",
    thinkingWithCalls: true,
  },
  mistral: {
    ...plainChatCompat,
    streamUsage: false,
    toolIds: "nine-characters",
    toolResultName: true,
    assistantAfterResults: true,
    thinkingReplay: "content",
    prefill: "prefix",
  },
  openrouter: {
    ...hosted,
    systemInside: true,
    thinkingField: "reasoning",
    thinkingReplay: "reasoning_details",
    webSearch: "plugin",
    cacheMarks: true,
  },
  groq: { ...hosted, maxTokensField: "max_completion_tokens", thinkingReplay: "reasoning" },
  // GitHub Models and Copilot: one endpoint for models of several makers.
  github: { ...hosted, systemInside: true },
  perplexity: { ...plainChatCompat, streamUsage: false },
  qwen: { ...hosted, thinkingField: "enable_thinking", thinkingReplay: "reasoning_content" },
  zai: { ...hosted, thinkingField: "thinking", thinkingReplay: "reasoning_content" },
  other: plainChatCompat,
} as const satisfies Record<string, ChatCompat>;

export type ChatServer = keyof typeof chatCompats;

/** Guesses the server from its base URL: by host, and on the local machine by the server's default port. */
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
  ["models.github.ai", "github"],
  ["models.inference.ai.azure.com", "github"],
  ["githubcopilot.com", "github"],
  ["dashscope.aliyuncs.com", "qwen"],
  ["dashscope-intl.aliyuncs.com", "qwen"],
  ["api.z.ai", "zai"],
  ["open.bigmodel.cn", "zai"],
];

const ports: Readonly<Record<string, ChatServer>> = { "11434": "ollama", "8080": "llama.cpp", "8000": "vllm" };

/** The record for a client that wrote the format itself and knows what its server accepts. */
export function clientCompat(compat: ChatCompat): ChatCompat {
  return {
    ...compat,
    textLists: true,
    adjacentRoles: true,
    imageInToolResult: true,
    toolResultName: false,
    assistantAfterResults: false,
    thinkingReplay: "none",
    thinkingWithCalls: false,
  };
}

/** OpenAI's reasoning models refuse a temperature, and its other models refuse an effort. */
export function openAiModelCompat(model: string, compat: ChatCompat): ChatCompat {
  if (compat.thinkingField !== "reasoning_effort" || compat.systemRole !== "developer") return compat;
  const reasons = /^(?:o\d|gpt-(?:[5-9]|\d\d))/.test(model) && !model.includes("chat");
  return reasons ? { ...compat, temperature: false } : { ...compat, systemRole: "system", thinkingField: "none" };
}
