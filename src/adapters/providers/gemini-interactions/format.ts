import { serverToolKinds } from "../../../core/model/server-tool.ts";
import { readGeminiList } from "../served/list-models.ts";
import { providerFormat } from "../shared/format.ts";
import { interactionsApi } from "./api.ts";
import { interactionsCodec } from "./codec.ts";
import { interactionsCompat } from "./compat.ts";

/** Google's Interactions format. */
export const interactionsFormat = providerFormat({
  api: interactionsApi,
  compatSamples: ["gemini-2.0-flash", "gemini-2.5-flash", "gemini-3-pro", "gemini-3-flash"].map(interactionsCompat),
  compatOf: ({ name }) => interactionsCompat(name),
  codec: interactionsCodec,
  serverTools: ({ serverTools }) => (serverTools ? serverToolKinds : []),
  modelList: {
    path: "/v1beta/models?pageSize=1000",
    headers: (apiKey) => interactionsCodec(interactionsCompat("")).headers(apiKey),
    read: readGeminiList,
  },
});
