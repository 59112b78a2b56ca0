import type { Codec } from "../shared/codec.ts";
import type { GeminiCompat } from "./compat.ts";
import { decodeChunk, decodeEnd, decodeReply, type DecodeState, startState } from "./decode.ts";
import { geminiApi } from "./api.ts";
import { encodeRequest } from "./encode.ts";
import { geminiPath } from "./endpoint.ts";

/** The generateContent format of one endpoint. */
export function geminiCodec(compat: GeminiCompat): Codec<DecodeState> {
  return {
    api: geminiApi,
    path: (model, stream) => geminiPath({ model, stream }),
    headers: (apiKey): Readonly<Record<string, string>> => (apiKey === undefined ? {} : { "x-goog-api-key": apiKey }),
    encode: (request) => encodeRequest(request, compat),
    start: startState,
    decodeChunk,
    decodeEnd,
    decodeReply,
  };
}
