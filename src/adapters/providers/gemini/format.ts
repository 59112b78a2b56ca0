import { serverToolKinds } from "../../../core/model/server-tool.ts";
import { readGeminiList } from "../served/list-models.ts";
import { providerFormat } from "../shared/format.ts";
import { geminiApi } from "./api.ts";
import { geminiCodec } from "./codec.ts";
import { geminiCompat } from "./compat.ts";

/** Google's generateContent format. */
export const geminiFormat = providerFormat({
  api: geminiApi,
  compatSamples: ["gemini-2.0-flash", "gemini-2.5-flash", "gemini-3-pro", "gemini-3-flash"].map(geminiCompat),
  compatOf: ({ name }) => geminiCompat(name),
  codec: geminiCodec,
  serverTools: ({ serverTools }) => (serverTools ? serverToolKinds : []),
  modelList: {
    path: "/v1beta/models?pageSize=1000",
    headers: (apiKey) => geminiCodec(geminiCompat("")).headers(apiKey),
    read: readGeminiList,
  },
});
