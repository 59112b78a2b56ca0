import { openAiList } from "../served/list-models.ts";
import { providerFormat } from "../shared/format.ts";
import { responsesApi } from "./api.ts";
import { responsesCodec } from "./codec.ts";
import { responsesCompat } from "./compat.ts";

/** OpenAI's Responses format. */
export const responsesFormat = providerFormat({
  api: responsesApi,
  compatSamples: ["gpt-4o", "gpt-5", "gpt-5.4", "gpt-5-pro", "o3"].map(responsesCompat),
  compatOf: ({ name }) => responsesCompat(name),
  codec: responsesCodec,
  modelList: openAiList,
  serverTools: ({ serverTools }) => (serverTools ? ["web-search", "code-execution", "file-search"] : []),
});
