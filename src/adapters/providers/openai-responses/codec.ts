import type { Codec } from "../shared/codec.ts";
import type { ResponsesCompat } from "./compat.ts";
import { type DecodeState, startState } from "./decode-state.ts";
import { decodeChunk, decodeEnd, decodeReply } from "./decode.ts";
import { responsesApi } from "./api.ts";
import { encodeRequest } from "./encode.ts";

/** The Responses format of one endpoint, used without state at the provider. */
export function responsesCodec(compat: ResponsesCompat): Codec<DecodeState> {
  return {
    api: responsesApi,
    path: () => "/v1/responses",
    headers: (apiKey): Readonly<Record<string, string>> =>
      apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    encode: (request, stream) => encodeRequest(request, compat, stream),
    start: startState,
    decodeChunk,
    decodeEnd,
    decodeReply,
  };
}
