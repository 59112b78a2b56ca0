import { listServedModels, showServedModel } from "../served/ask-server.ts";
import { openAiList } from "../served/list-models.ts";
import { providerFormat } from "../shared/format.ts";
import { chatApi } from "./api.ts";
import { chatCodec } from "./codec.ts";
import { type ChatCompat, chatCompats, chatServerOf, plainChatCompat } from "./compat.ts";

/** OpenAI's Chat Completions format, which many servers speak. */
export const chatFormat = providerFormat({
  api: chatApi,
  compatSamples: [plainChatCompat, ...Object.values<ChatCompat>(chatCompats)],
  compatOf: ({ baseUrl }): ChatCompat => chatCompats[chatServerOf(baseUrl)],
  codec: chatCodec,
  questions: { list: listServedModels, show: showServedModel },
  modelList: openAiList,
  serverTools: ({ webSearch }) => (webSearch === "none" ? [] : ["web-search"]),
  prefills: ({ prefill }) => prefill !== "none",
});
