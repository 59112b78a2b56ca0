import { readModelList } from "../served/read-lists.ts";
import { providerFormat } from "../shared/format.ts";
import { anthropicApi } from "./api.ts";
import { anthropicCodec } from "./codec.ts";
import { claudeCompat, plainAnthropicCompat } from "./compat.ts";

/** Anthropic's Messages format. */
export const anthropicFormat = providerFormat({
  api: anthropicApi,
  compatSamples: [
    plainAnthropicCompat,
    ...["claude-opus-4-8", "claude-sonnet-4-5", "claude-fable-5"].map(claudeCompat),
  ],
  compatOf: ({ name }) => (name.includes("claude") ? claudeCompat(name) : plainAnthropicCompat),
  codec: anthropicCodec,
  modelList: {
    path: "/v1/models?limit=1000",
    headers: (apiKey) => anthropicCodec(plainAnthropicCompat).headers(apiKey),
    read: readModelList,
  },
  prefills: ({ prefill }) => prefill,
  serverTools: ({ serverTools }) => (serverTools ? ["web-search", "code-execution", "url-context"] : []),
});
